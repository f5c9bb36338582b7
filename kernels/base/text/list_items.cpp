#include "kernels/base/text/list_items.hpp"

namespace triscope {

std::vector<std::string_view> list_items(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  std::vector<std::string_view> items;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    const std::size_t first = item.find_first_not_of(kBlanks);
    items.push_back(first == std::string_view::npos ? std::string_view()
                                                    : item.substr(first, item.find_last_not_of(kBlanks) - first + 1));
    if (comma == std::string_view::npos) return items;
    text.remove_prefix(comma + 1);
  }
}

std::vector<std::string_view> list_words(std::string_view text) {
  constexpr std::string_view kBetween = ",; \t\r\n";
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t first = text.find_first_not_of(kBetween);
    if (first == std::string_view::npos) return words;
    text.remove_prefix(first);
    words.push_back(text.substr(0, text.find_first_of(kBetween)));
    text.remove_prefix(words.back().size());
  }
}

}  // namespace triscope
