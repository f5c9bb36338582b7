#include "profiler/search/word_finder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>

namespace triscope {

std::string plain_words(std::string text) {
  for (std::size_t at = text.find(" × "); at != std::string::npos; at = text.find(" × ")) text.replace(at, 4, "x");
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

WordFinder::WordFinder(std::string_view query) {
  const std::string words = plain_words(std::string(query));
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t end = std::min(words.find(' ', begin), words.size());
    if (end > begin) wanted_.push_back(words.substr(begin, end - begin));
    begin = end + 1;
  }
}

bool WordFinder::matches(const std::string& text) const {
  const std::string words = plain_words(text);
  return !wanted_.empty() &&
         std::ranges::all_of(wanted_, [&](const std::string& one) { return words.find(one) != std::string::npos; });
}

bool WordFinder::is_phrase_of(const std::string& name) const {
  const std::string phrase = fmt::format(" {}", fmt::join(wanted_, " "));
  return wanted_.size() > 1 && (" " + plain_words(name)).find(phrase) != std::string::npos;
}

}  // namespace triscope
