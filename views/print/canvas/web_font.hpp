// A font as a WOFF file (version 1), which SVG pictures carry inside, and the bytes of its tables.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace triscope {

struct FontTable {
  std::string tag;  ///< four letters
  std::string bytes;
};

/// Numbers of fonts begin with the highest byte.
std::uint32_t number_at(std::string_view bytes, std::size_t at, int count);
void append(std::string& bytes, std::uint32_t number, int count);
/// The sum of its words of four bytes, modulo 2^32.
std::uint32_t checksum(std::string_view table);

/// A table "cmap" of these letters, as far as they have two bytes, with their glyphs.
std::string letter_table(const std::map<char32_t, int>& glyphs);
/// `flavour`: how the font file begins; `tables` are sorted by tag.
std::string web_font(std::string_view flavour, std::span<const FontTable> tables);

std::string base64(std::string_view bytes);

}  // namespace triscope
