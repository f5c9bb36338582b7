// What a person can do about a limit that the system says no for.
#pragma once

#include <exception>
#include <string>

namespace triscope {

/// The next step after errno `code`, as `Error` takes it; `otherwise` where `code` is no limit.
const char* what_raises_the_limit(int code, const char* otherwise);

/// One sentence for an exception that is no `Error`: too little memory, a call that the system refused, or a defect.
std::string unforeseen(const std::exception& exception);

}  // namespace triscope
