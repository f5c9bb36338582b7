#include "kernels/base/text/plain_text.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "kernels/base/text/utf8.hpp"

namespace triscope {
namespace {

bool acts_or_hides(std::uint32_t code) {
  const auto within = [code](std::uint32_t first, std::uint32_t last) { return code >= first && code <= last; };
  return code < 0x20 || within(0x7F, 0x9F) ||                               // control characters
         code == 0x61C || within(0x200E, 0x200F) || within(0x202A, 0x202E)  // direction of writing
         || within(0x2066, 0x2069) || within(0x2028, 0x2029)                // and line ends
         || code == 0xAD || code == 0x34F || code == 0x200B || within(0x2060, 0x2065) || within(0x206A, 0x206F)  //
         || within(0x115F, 0x1160) || code == 0x3164 || code == 0xFFA0 || within(0x17B4, 0x17B5)                 //
         || within(0x180B, 0x180F) || code == 0xFEFF || within(0xFFF9, 0xFFFB) || within(0xE0000, 0xE0FFF)       //
         || within(0xFFFE, 0xFFFF);  // no characters: XML knows none of them
  // The three lines before: what is not seen, but for what scripts and pictures are joined and chosen with (U+200C,
  // U+200D, U+FE00 to U+FE0F).
}

/// `text` with `escape(character, first byte)` instead of what acts or hides, but for those in `kept`.
template <typename Escape>
std::string written_out(std::string_view text, std::string_view kept, const Escape& escape) {
  std::string plain;
  plain.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_character(text);
    const std::size_t bytes = character.bytes == 0 ? 1 : character.bytes;
    if (character.bytes > 0 && (!acts_or_hides(character.code) || kept.find(text.front()) != std::string_view::npos)) {
      plain += text.substr(0, bytes);
    } else {
      plain += escape(character, static_cast<unsigned char>(text.front()));
    }
    text.remove_prefix(bytes);
  }
  return plain;
}

std::string for_people(Character character, unsigned char byte) {
  if (character.bytes == 0) return fmt::format("\\x{:02x}", byte);
  return character.code < 0x100 ? fmt::format("\\x{:02x}", character.code) : fmt::format("\\u{:04x}", character.code);
}

std::string for_json(Character character, unsigned char) {
  const std::uint32_t code = character.bytes == 0 ? 0xFFFD : character.code;
  if (code < 0x10000) return fmt::format("\\u{:04x}", code);
  return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + ((code - 0x10000) >> 10), 0xDC00 + (code & 0x3FFU));
}

}  // namespace

std::string plain_text(std::string_view text) { return written_out(text, "\n\t", for_people); }

std::string plain_line(std::string_view text) { return written_out(text, "", for_people); }

std::string plain_json(std::string_view json) { return written_out(json, "\n\t", for_json); }

}  // namespace triscope
