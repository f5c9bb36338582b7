// Which measurements answer the same question, and can be compared.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// Of rows of the same kernel, instance, problem, pass, regime and clock the one that was taken last, in the order of
/// `rows`.
std::vector<ResultRow> newest_of_each(const std::vector<ResultRow>& rows);

/// More pairs than that are no comparison that anybody reads; each holds both of its rows.
inline constexpr std::size_t kMostPairs = 200'000;

/// Two rows that answer the same question.
struct RowPair {
  ResultRow a;
  ResultRow b;
};

struct Pairing {
  std::vector<RowPair> pairs;
  std::vector<ResultRow> only_a;  ///< without a partner
  std::vector<ResultRow> only_b;
};

/// Finds for each row of `a` its partner in `b`: same pass, regime, timing source and problem. When both sides hold one
/// kernel each (`across_kernels`), kernel, instance and element may differ, and a dot product that sees every token
/// before its query (under a full mask every token) is the partner of the 2-simplicial problem of the same sizes and
/// mask. The rows' status does not matter. Throws `Error` (usage) for more
/// than `kMostPairs`.
Pairing pair_rows(const std::vector<ResultRow>& a, const std::vector<ResultRow>& b, bool across_kernels);

/// A sweep of A and one of B between which rows were compared.
using SweepPair = std::pair<std::int64_t, std::int64_t>;
/// What those sweeps of `a` and of `b` both measured of kernels that did not change (`is_unchanged`), the newest of
/// each, and none twice; of very many only the first.
std::vector<RowPair> unchanged_pairs(const std::vector<ResultRow>& a, const std::vector<ResultRow>& b,
                                     const std::set<SweepPair>& sweeps);

/// The partners that rows have among `rows`, as in `pair_rows`, found without looking at each of them.
class Partners {
 public:
  Partners(const std::vector<ResultRow>& rows, bool across_kernels);
  /// Their places in `rows`, in order.
  std::vector<std::size_t> of(const ResultRow& row) const;
  /// The one that stands beside the row: of its sweep before others, of its element before others, then the newest. Of
  /// very many only the first are looked at.
  std::optional<std::size_t> best_of(const ResultRow& row) const;

 private:
  using Places = std::unordered_map<std::string, std::vector<std::size_t>>;
  /// Those of the same question, and those of the same sizes of which only one side is 2-simplicial.
  std::array<std::span<const std::size_t>, 2> places_of(const ResultRow& row) const;

  struct Origin {
    std::int64_t sweep = 0;
    Element element = Element::bf16;
    std::string started;
    std::int64_t measurement = 0;
  };
  std::vector<Origin> origins_;  ///< of the rows
  bool across_kernels_;
  Places by_question_;
  std::array<Places, 2> by_sizes_;  ///< across kernels: of dot products that see all, of the 2-simplicial ones
};

}  // namespace triscope
