#include "kernels/base/system_limit.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <new>
#include <system_error>

namespace triscope {

const char* what_raises_the_limit(int code, const char* otherwise) {
  switch (code) {
    case EMFILE:
      return "raise the limit on open files (`ulimit -n`), then try again";
    case ENFILE:
      return "close other programs, then try again";
    case EAGAIN:
      return "end other programs, or raise the limits on processes and memory (`ulimit -u`, `ulimit -v`), then try "
             "again";
    case ENOMEM:
      return "end other programs, or raise the limit on memory (`ulimit -v`), then try again";
    case EFBIG:
      return "raise the limit on the size of files (`ulimit -f`), or write elsewhere";
    case ENOSPC:
    case EDQUOT:
      return "free some space or write elsewhere";
    default:
      return otherwise;
  }
}

std::string unforeseen(const std::exception& exception) {
  if (dynamic_cast<const std::bad_alloc*>(&exception) != nullptr)
    return fmt::format("there is too little memory for this; {}, or ask for less.", what_raises_the_limit(ENOMEM, ""));
  if (const auto* refused = dynamic_cast<const std::system_error*>(&exception))
    return fmt::format("the system refused something that is needed ({}); {}.", refused->what(),
                       what_raises_the_limit(refused->code().value(), "see `triscope doctor`"));
  return fmt::format("unexpected failure: {}; this is a defect, please report it.", exception.what());
}

}  // namespace triscope
