#include "kernels/base/text/text_beginning.hpp"

#include <utility>

namespace triscope {

std::size_t whole_characters(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text.size();
  std::size_t end = bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return end;
}

std::string beginning_of(std::string text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  text.resize(whole_characters(text, bytes));
  return std::move(text) + "...";
}

std::string printed_line(std::string text) {
  constexpr std::size_t kMost = 2000;
  const std::size_t whole = text.size();
  text = beginning_of(std::move(text), kMost);
  if (whole > kMost) text += " (" + std::to_string(whole) + " bytes in all)";
  return text;
}

}  // namespace triscope
