// What measurements can be drawn, grouped and filtered by: each field has its name, unit and meaning here, once, for
// the command line and the window alike.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "profiler/record/measurement.hpp"
#include "profiler/statistics/statistics.hpp"

namespace triscope {

/// Of one database: hardware counters by their names, each by measurement.
using CounterValues = std::map<std::string, std::unordered_map<std::int64_t, double>, std::less<>>;

/// A measurement, and what stands beside its row.
struct Explored {
  const ResultRow& row;
  const std::string& database;              ///< its name
  const Comparison* beside = nullptr;       ///< with the reference of its sweep; null: there is none
  const std::string* note = nullptr;        ///< of its sweep; null: there is none
  const CounterValues* counters = nullptr;  ///< of its database; null: none was read
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
  std::function<std::string(const Explored&)> text;
  /// Its value as a number; empty: it is a word.
  std::function<std::optional<double>(const Explored&)> number;
  /// 95 % interval of the number; null or unset: not known.
  std::optional<Interval> (*interval)(const Explored&) = nullptr;
  /// How values are sorted; null: by number, then by text.
  ExploreOrder (*order)(const Explored&) = nullptr;
  std::string_view counter;  ///< name of the hardware counter that it is; empty: it is none
};

/// All fields: what was asked for first, then what was measured, hardware counters last.
std::span<const ExploreField> explore_fields();

/// The field called `id`, a hardware counter also by its whole name; null when there is none.
const ExploreField* find_explore_field(std::string_view id);

/// "ms", or "median, ms": its label and unit, for axes and headers.
std::string header_of(const ExploreField& field);

/// Where the value stands among those of its field.
ExploreOrder order_of(const ExploreField& field, const Explored& one);

}  // namespace triscope
