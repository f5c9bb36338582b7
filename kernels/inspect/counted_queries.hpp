// Which queries count for means over queries and for searches, and what weights that prefer no pair would give them.
#pragma once

#include <cstdint>

#include "kernels/attention/problem.hpp"

namespace triscope {

/// Queries from `first` on count. Those before it see few pairs, and have a large p by nature. From `whole` on no
/// window is cut at the first token. `first` is `whole`, or half of the tokens where that is earlier: then windows of
/// queries that count are cut, too.
struct CountedQueries {
  std::int64_t first = 0, whole = 0;
  bool operator==(const CountedQueries&) const = default;
};
CountedQueries counted_queries(const Problem& problem, std::int64_t tokens);

/// Figures of a query whose weights are the same for every pair that it sees, without a sink.
struct EvenFigures {
  double entropy = 0, largest_p = 0;
  double distance1 = 0, distance2 = 0;  ///< mean tokens back
};
EvenFigures even_figures(const Problem& problem, std::int64_t tokens, std::int64_t query);

}  // namespace triscope
