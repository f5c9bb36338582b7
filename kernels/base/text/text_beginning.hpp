// A text that may be of any length, cut where only its beginning is of use.
#pragma once

#include <cstddef>
#include <string>

namespace triscope {

/// `text`, or of a longer one the first `bytes`, never a part of a character, and "...".
std::string beginning_of(std::string text, std::size_t bytes);

}  // namespace triscope
