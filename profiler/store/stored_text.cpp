#include "profiler/store/stored_text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace triscope {
namespace {

// Bytes of the character that `text` begins with; 0 when it begins with none. Table 3-7 of the Unicode Standard.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<std::uint8_t>(text[i]) : std::uint8_t{0};
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const std::uint8_t first = byte(0), second = byte(1);
  if (first == 0) return 0;
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool overlong = first == 0xe0 && second < 0xa0, surrogate = first == 0xed && second > 0x9f;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool overlong = first == 0xf0 && second < 0x90, beyond = first == 0xf4 && second > 0x8f;
    return follows(1) && follows(2) && follows(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string as_utf8(std::string text) {
  const auto is_plain = [](char c) { return static_cast<signed char>(c) > 0; };  // ASCII, as nearly all of it is
  if (std::ranges::all_of(text, is_plain)) return text;
  const std::string_view all = text;
  std::size_t sound = 0;
  while (sound < all.size()) {
    const std::size_t bytes = character_bytes(all.substr(sound));
    if (bytes == 0) break;
    sound += bytes;
  }
  if (sound == all.size()) return text;
  std::string mended(all.substr(0, sound));
  while (sound < all.size()) {
    const std::size_t bytes = character_bytes(all.substr(sound));
    mended += bytes == 0 ? "\xef\xbf\xbd" : all.substr(sound, bytes);
    sound += bytes == 0 ? 1 : bytes;
  }
  return mended;
}

std::string as_one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  }
  return text;
}

}  // namespace triscope
