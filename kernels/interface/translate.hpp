// From the structs of include/triscope/attention.h to the vocabulary of the kernels. What cannot be meant is refused.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "include/triscope/attention.h"
#include "kernels/attention/kernel.hpp"

namespace triscope::c_interface {

/// A call that is refused: its code, and as `what()` the sentence.
class Refusal : public std::runtime_error {
 public:
  Refusal(triscope_status status, const std::string& sentence) : std::runtime_error(sentence), status_(status) {}
  triscope_status status() const noexcept { return status_; }

 private:
  triscope_status status_;
};

/// The pass called `pass`. Throws `Refusal`, as all of these do.
Pass read_pass(std::int32_t pass);

/// A problem that `validate` accepts. Refuses by name what no kernel computes: packed sequences, padding, key-value
/// caches and another number of queries.
Problem read_problem(const triscope_problem* problem);

/// The pointers of a launch of `kernel` on `problem`: none missing or misaligned, the workspace large enough.
Arguments read_tensors(const triscope_tensors* tensors, const Kernel& kernel, const Problem& problem, Pass pass,
                       std::string_view instance);

}  // namespace triscope::c_interface
