// The font files, part of the program: a text in the wrong font or none at all cannot happen on a user's machine.
#pragma once

#include <span>

namespace triscope {

enum class FontFile {
  text,     ///< Inter Regular
  heading,  ///< Inter SemiBold
  numbers,  ///< JetBrains Mono Regular
};

/// The bytes of an OpenType file; they live as long as the program.
std::span<const unsigned char> font_file(FontFile file);

}  // namespace triscope
