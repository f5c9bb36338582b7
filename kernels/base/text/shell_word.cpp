#include "kernels/base/text/shell_word.hpp"

#include <fmt/format.h>

#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/text/plain_text.hpp"

namespace triscope {

std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_@%+=:,./-") == std::string::npos;
  if (plain) return word;
  std::string quoted;
  for (const char c : word) {
    if (c == '\'') {
      quoted.append("'\\''");
    } else {
      quoted.push_back(c);
    }
  }
  return fmt::format("'{}'", quoted);
}

std::vector<std::string> with_empty_values(const std::vector<std::string>& words) {
  std::vector<std::string> all;
  bool options = true;
  for (const std::string& word : words) {
    options = options && word != "--";
    const bool empty = options && word.starts_with("--") && word.find('=') == word.size() - 1;
    all.push_back(empty ? word.substr(0, word.size() - 1) : word);
    if (empty) all.emplace_back();
  }
  return all;
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  bool within = false;  // a word has begun: '' is one
  char quote = 0;
  const auto refuse = [text](const char* why) {
    throw Error(fmt::format("the words of {} cannot be told apart", plain_line(text)), why,
                "quote as for a shell: 'one word'", ExitCode::usage);
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      within = false;
      continue;
    }
    if (!std::exchange(within, true)) words.emplace_back();
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\' && quote != '\'') {
      if (at + 1 == text.size()) refuse("it ends with a backslash");
      const char next = text[at + 1];
      if (quote == 0 || next == '"' || next == '\\' || next == '$' || next == '`') ++at;
      words.back() += text[at];
    } else {
      words.back() += c;
    }
  }
  if (quote != 0) refuse(quote == '"' ? "a double quote is not closed" : "a single quote is not closed");
  return words;
}

}  // namespace triscope
