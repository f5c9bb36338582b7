// Text as a database holds it: any bytes.
#pragma once

#include <string>

namespace triscope {

/// `text` as valid UTF-8: each byte that belongs to no character, and each NUL, is replaced by U+FFFD.
std::string as_utf8(std::string text);

}  // namespace triscope
