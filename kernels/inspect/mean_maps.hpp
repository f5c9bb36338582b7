// p of all heads as the mean over queries, pair by pair of distances: what a head looks at from wherever it stands.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/inspect/counted_queries.hpp"
#include "kernels/inspect/slice.hpp"

namespace triscope {

/// More cells, of all heads together, are not averaged.
inline constexpr std::int64_t kMostMeanCells = std::int64_t{1} << 22;
/// Peaks that are kept of a head.
inline constexpr std::size_t kKeptPeaks = 8;

/// Distances at which a head's mean is large.
struct MeanPeak {
  std::int64_t head = 0, back1 = 0, back2 = 0;
  double p = 0;                  ///< the mean
  double even = 0;               ///< what even weights would give, over the same queries
  std::int64_t queries = 0;      ///< that see it
  std::int64_t best_query = -1;  ///< of them the one at which this pair's own p is largest; -1: not known
  double best_p = 0;             ///< that p
};

/// Means over queries that count, every `step`-th. A cell's mean is over those of them that see it: a key before token
/// 0 is not seen. Queries without a distribution take no part. Causal mask only.
struct MeanMaps {
  std::int64_t tokens = 0, heads = 0, width = 0, height = 0, step = 1;
  Problem problem;
  std::vector<std::vector<std::int64_t>> queries;                   ///< [head]: those averaged, ascending
  std::vector<std::vector<std::array<std::int64_t, 2>>> strongest;  ///< [head]: of each of them the distances of the
                                                                    ///< pair with its largest p
  std::vector<float> p;                      ///< [head][height][width], the pair of no distance last; NaN: no
                                             ///< query sees it
  std::vector<std::array<float, 2>> range;   ///< [head]: smallest and largest p above zero, as logarithms
  std::vector<float> edge1, edge2;           ///< [head][width], [head][height]: sums of p over the other axis
  std::vector<std::vector<MeanPeak>> peaks;  ///< [head]: by `mean_peaks`

  /// Queries of a head that see keys so far back.
  std::int64_t seen_by(std::int64_t head, std::int64_t back1, std::int64_t back2) const;
  double at(std::int64_t head, std::int64_t back1, std::int64_t back2) const;
  /// Queries of a head whose largest p is at this pair of distances.
  std::int64_t strongest_at(std::int64_t head, std::int64_t back1, std::int64_t back2) const;
};

/// The largest first, at most `most`; none beside a larger one, and none that less than an eighth of the queries see.
std::vector<MeanPeak> mean_peaks(const MeanMaps& maps, std::int64_t head, std::size_t most);
/// How many of a head's peaks, its largest among them, are as good as the largest: within a tenth of it.
std::size_t tied_peaks(const std::vector<MeanPeak>& peaks);
/// The largest of every head that has one, the most above even weights first.
std::vector<MeanPeak> largest_peaks(const MeanMaps& maps);

/// Every `step`-th query that counts.
std::vector<std::int64_t> averaged_queries(const Problem& problem, std::int64_t tokens, std::int64_t step);

class MeanMapsMaker {
 public:
  /// `problem` has windows as asked; they are cut to the tokens. Throws `Error` (usage) for a full mask and for more
  /// than `kMostMeanCells`.
  MeanMapsMaker(const Problem& problem, std::int64_t tokens, std::int64_t heads, std::int64_t step);
  /// Heads and queries in ascending order.
  void add(std::int64_t head, std::int64_t query, const Slice& slice);
  MeanMaps finish();

 private:
  void add_up(std::int64_t head);

  MeanMaps maps_;
  std::vector<double> sums_;
  std::vector<float> best_p_;             ///< as `sums_`: the largest p of single queries
  std::vector<std::int32_t> best_query_;  ///< and at which query
};

}  // namespace triscope
