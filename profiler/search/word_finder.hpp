// What names are found by, in the window's search and on the command line.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace triscope {

/// In small letters, with the sign of windows as it is typed.
std::string plain_words(std::string text);

/// What was typed. Every word of it must stand somewhere, whatever its capitals.
class WordFinder {
 public:
  explicit WordFinder(std::string_view query);
  const std::vector<std::string>& words() const { return wanted_; }
  /// Nothing matches no words.
  bool matches(const std::string& text) const;
  /// Whether a name holds all that was typed as one phrase, from the beginning of a word on. One word is no phrase.
  bool is_phrase_of(const std::string& name) const;
  /// A name that holds the phrase is meant before anything that has its words here and there. Else the order stays.
  template <typename Iterator, typename NameOf>
  void phrases_first(Iterator begin, Iterator end, NameOf name_of) const {
    std::stable_partition(begin, end, [&](const auto& item) { return is_phrase_of(name_of(item)); });
  }

 private:
  std::vector<std::string> wanted_;
};

}  // namespace triscope
