// What the window would say in a sentence, as an error of the command line.
#pragma once

#include <string>

#include "kernels/base/error.hpp"

namespace triscope {

/// `summary`, because of the sentence `told`; `fix` as in `Error`.
inline Error told_error(const std::string& summary, std::string told, const std::string& fix) {
  if (told.ends_with('.')) told.pop_back();
  return Error(summary, told, fix);
}

}  // namespace triscope
