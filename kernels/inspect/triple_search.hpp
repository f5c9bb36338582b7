// A search for the strongest triples over all heads and queries: what is searched for, where it can be, what was found.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/inspect/slice.hpp"

namespace triscope {

struct TripleSearch {
  std::int64_t most = 0;                            ///< triples to find
  std::optional<std::int64_t> token;                ///< only those with this position as j or k
  std::optional<std::array<std::int64_t, 2>> back;  ///< only those whose j and k are so many tokens before their query
  bool all_queries = false;  ///< also queries that do not count: kernels/inspect/counted_queries.hpp
  std::int64_t apart = 0;    ///< only keys that lie at least so many tokens from each other
  std::int64_t away = 0;     ///< only keys that lie at least so many tokens from their query

  /// Most pairs of a slice may be none that is searched for: its `top` does not say which is the strongest of these.
  bool has_least_distances() const { return apart > 0 || away > 0; }

  bool operator==(const TripleSearch&) const = default;
};

struct FoundTriple {
  std::int64_t head = 0, query = 0;
  Triple triple;  ///< its `output_share` is not computed
};

/// A query of a head.
struct SlicePlace {
  std::int64_t head = 0, query = 0;
  bool operator==(const SlicePlace&) const = default;
};

/// Queries from `first` to before `last`.
struct QueryRange {
  std::int64_t first = 0, last = 0;
};

/// The first query that is searched: the first of `counted_queries`, or 0 for a search of all.
std::int64_t first_searched_query(const Problem& problem, std::int64_t tokens, const TripleSearch& search);

/// Throws `Error` (usage) where no query sees keys that lie as far from each other and from it as is searched for.
void refuse_too_far(const Problem& problem, std::int64_t tokens, const TripleSearch& search);

/// Queries that can see what is searched for by token or distance, from `first_searched_query` on. Throws `Error`
/// (usage) when none does.
QueryRange searched_queries(const Problem& problem, std::int64_t tokens, const TripleSearch& search);

/// The heads and queries with the largest p, the largest first. A triple among the `search.most` strongest is in one of
/// the first `search.most` of them: each place before its own holds a stronger one. `overview` is of every query.
std::vector<SlicePlace> strongest_places(const Overview& overview, const Problem& problem, const TripleSearch& search);

/// Keeps the strongest that it is shown: largest p first, equal ones by head, query, j and k.
class TripleCollector {
 public:
  /// `one_key`: slices are of dot-product attention, whose k is no key.
  explicit TripleCollector(const TripleSearch& search, bool one_key = false) : search_(search), one_key_(one_key) {}

  /// Takes what is searched for out of a slice. Without a token or distances that is out of its `top`.
  void take(const SlicePlace& place, const Slice& slice);
  /// The strongest so far.
  const std::vector<FoundTriple>& found();
  /// What p must have to be one of the strongest; 0: fewer than are wanted were found.
  double least();

 private:
  void add(const SlicePlace& place, const Slice& slice, std::int64_t j, std::int64_t k);
  void keep(const FoundTriple& one);

  TripleSearch search_;
  bool one_key_ = false;
  std::vector<FoundTriple> found_;
  double least_ = 0;  ///< what is smaller is none of the strongest
};

}  // namespace triscope
