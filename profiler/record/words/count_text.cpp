#include "profiler/record/words/count_text.hpp"

#include <fmt/format.h>

namespace triscope {

std::string count_text(std::int64_t value) {
  const std::string digits = fmt::format("{}", value < 0 ? -value : value);
  std::string text(value < 0 ? "-" : "");
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

}  // namespace triscope
