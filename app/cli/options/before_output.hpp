// What stands before the first output of a command: what refuses before it prints has then printed nothing.
#pragma once

#include <string>

namespace triscope {

/// `text` is written before the next output (terminal.hpp).
void write_before_output(std::string text);

/// That text, once; empty where there is none.
std::string take_before_output();

}  // namespace triscope
