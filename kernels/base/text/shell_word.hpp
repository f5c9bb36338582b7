// Words of a command line: printed for people to run, and read from one text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace triscope {

/// `word` quoted for a POSIX shell when it holds anything but plain characters.
std::string shell_word(const std::string& word);

/// `words` with each "--db=" as the two words "--db" and "", as far as "--" if that is among them: the parser would
/// take the next word for the value that is missing.
std::vector<std::string> with_empty_values(const std::vector<std::string>& words);

/// The words of `text`, by a part of a POSIX shell's rules: blanks, tabs and line feeds separate words; everything
/// between single quotes is taken as it stands; between double quotes, a backslash takes the quote, backslash, dollar
/// or backtick after it; elsewhere a backslash takes any character after it. Nothing else is special: no variables, no
/// patterns, no operators. Throws `Error` (usage) when a quote is not closed or a backslash ends the text.
std::vector<std::string> split_words(std::string_view text);

}  // namespace triscope
