#include "kernels/inspect/counted_queries.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/inspect/slice_rules.hpp"

namespace triscope {

CountedQueries counted_queries(const Problem& problem, std::int64_t tokens) {
  if (problem.mask == Mask::full) return {};
  const std::int64_t window2 = problem.form == Form::dot_product ? 1 : problem.window2;
  const std::int64_t whole = std::min(std::max(problem.window1, window2), tokens) - 1;
  return {std::min(whole, tokens / 2), whole};
}

EvenFigures even_figures(const Problem& problem, std::int64_t tokens, std::int64_t query) {
  Problem own = problem;
  own.seq_len = tokens;
  const SliceRange seen1 = slice_range(own, 1, query), seen2 = slice_range(own, 2, query);
  const double pairs = static_cast<double>(seen1.count) * static_cast<double>(seen2.count);
  const auto distance = [query](const SliceRange& seen) {
    return static_cast<double>(query - seen.first) - static_cast<double>(seen.count - 1) / 2;
  };
  return {std::log(pairs), 1 / pairs, distance(seen1), distance(seen2)};
}

}  // namespace triscope
