#include "kernels/base/text/text_beginning.hpp"

#include <utility>

namespace triscope {

std::string beginning_of(std::string text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  std::size_t end = bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  text.resize(end);
  return std::move(text) + "...";
}

}  // namespace triscope
