// A text that may be of any length, cut where only its beginning is of use.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace triscope {

/// Bytes of the longest beginning of `text` that has at most `bytes` and ends with a whole character (UTF-8).
std::size_t whole_characters(std::string_view text, std::size_t bytes);

/// `text`, or of a longer one the first `bytes`, never a part of a character, and "...".
std::string beginning_of(std::string text, std::size_t bytes);

/// A reason, a name of a launch or the like, as it is printed for a person: what is longer than any of ours is cut, and
/// its length said.
std::string printed_line(std::string text);

}  // namespace triscope
