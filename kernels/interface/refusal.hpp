// Why a call of the C interface is refused.
#pragma once

#include <stdexcept>
#include <string>

#include "include/triscope/attention.h"

namespace triscope::c_interface {

/// A call that is refused: its code, and as `what()` the sentence.
class Refusal : public std::runtime_error {
 public:
  Refusal(triscope_status status, const std::string& sentence) : std::runtime_error(sentence), status_(status) {}
  triscope_status status() const noexcept { return status_; }

 private:
  triscope_status status_;
};

}  // namespace triscope::c_interface
