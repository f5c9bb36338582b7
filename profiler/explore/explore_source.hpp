// What measurements are looked at: those of a database, with what stands beside their rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "profiler/explore/explore_fields.hpp"

namespace triscope {

/// The measurements of one database.
struct ExploreSource {
  std::string name;
  std::span<const ResultRow> rows;
  /// Rows beside the reference of their sweep, by measurement; null: they are not compared.
  const std::map<std::int64_t, Comparison>* beside = nullptr;
  const std::map<std::int64_t, std::string>* notes = nullptr;  ///< by sweep; null: none is known
  const CounterValues* counters = nullptr;                     ///< of `needed_counters`; null: none is known
  /// The relative half-width of intervals that was asked for, by sweep; null: not known.
  const std::map<std::int64_t, double>* precisions = nullptr;
};

/// One measurement of a source.
Explored explored(const ExploreSource& source, std::size_t row);

}  // namespace triscope
