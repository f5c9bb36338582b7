// Words of a command line that is printed for people to run.
#pragma once

#include <string>

namespace triscope {

/// `word` quoted for a POSIX shell when it holds anything but plain characters.
std::string shell_word(const std::string& word);

}  // namespace triscope
