// Numbers as they are typed in fields.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace triscope {

/// What a field takes.
struct NumberBounds {
  double least = 1, most = 1 << 20;
  bool whole = true;
};

/// Texts that stand in number fields and are no numbers that these take, and what is wrong with them. The last right
/// number counts meanwhile.
struct FieldTexts {
  struct Wrong {
    std::string text, problem;
    std::optional<double> value;  ///< that counts; another one, by a button or a slider, ends it
  };
  std::map<unsigned, Wrong> wrong;    ///< by the field's id
  std::vector<std::string> problems;  ///< of the fields drawn since the last line of problems
  unsigned typed = 0;                 ///< a field that can be dragged, and is typed in now
};

/// The number, or nullopt: it is none, not whole, or beyond the bounds. A whole one may be written 32k or 32,768.
std::optional<double> read_number(std::string_view text, const NumberBounds& bounds);
/// "'8192' is no whole number from 1 to 4,096".
std::string number_problem(std::string_view text, const NumberBounds& bounds);

}  // namespace triscope
