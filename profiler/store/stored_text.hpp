// Text as a database holds it: any bytes.
#pragma once

#include <string>

namespace triscope {

/// `text` as valid UTF-8: each byte that belongs to no character, and each NUL, is replaced by U+FFFD.
std::string as_utf8(std::string text);

/// `text` with a blank in the place of each line feed, carriage return and tab: what is a name or a sentence here is
/// one line, so that it cannot look like another line of what is printed.
std::string as_one_line(std::string text);

}  // namespace triscope
