// What measurements can be drawn, grouped and filtered by: each field has its name, unit and meaning here, once, for
// the command line and the window alike.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "profiler/record/measurement.hpp"
#include "profiler/statistics/statistics.hpp"

namespace triscope {

/// A measurement, and what stands beside its row.
struct Explored {
  const ResultRow& row;
  const std::string& database;         ///< its name
  const Comparison* beside = nullptr;  ///< with the reference of its sweep; null: there is none
  const std::string* note = nullptr;   ///< of its sweep; null: there is none
};

/// What a field sorts its values by: the number first, then the text.
struct ExploreOrder {
  double number = 0;
  std::string text;
  auto operator<=>(const ExploreOrder&) const = default;
};

struct ExploreField {
  std::string_view id;       ///< as it is typed: "seq"
  std::string_view label;    ///< for people: "tokens"
  std::string_view unit;     ///< empty: a count, a name, a ratio
  std::string_view meaning;  ///< one sentence
  bool measure = false;      ///< measured; else what was asked for, or where and when
  bool ordered = false;      ///< can be compared with < and >
  /// Its value as a word, as filters compare it; empty: there is none.
  std::string (*text)(const Explored&) = nullptr;
  /// Its value as a number; null: it is a word.
  std::optional<double> (*number)(const Explored&) = nullptr;
  /// 95 % interval of the number; null or unset: not known.
  std::optional<Interval> (*interval)(const Explored&) = nullptr;
  /// How values are sorted; null: by number, then by text.
  ExploreOrder (*order)(const Explored&) = nullptr;
};

/// All fields: what was asked for first, then what was measured.
std::span<const ExploreField> explore_fields();

/// The field called `id`; null when there is none.
const ExploreField* find_explore_field(std::string_view id);

/// "ms", or "median, ms": its label and unit, for axes and headers.
std::string header_of(const ExploreField& field);

/// Where the value stands among those of its field.
ExploreOrder order_of(const ExploreField& field, const Explored& one);

}  // namespace triscope
