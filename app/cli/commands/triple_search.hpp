// The strongest triples over all heads and queries of some tensors.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "profiler/supervise/supervisor.hpp"

namespace triscope {

struct TripleSearch {
  std::int64_t most = 0;                            ///< triples to find; 0: none is searched for
  std::optional<std::int64_t> token;                ///< only those with this position as j or k
  std::optional<std::array<std::int64_t, 2>> back;  ///< only those whose j and k are so many tokens before their query
};

struct FoundTriple {
  std::int64_t head = 0, query = 0;
  Triple triple;  ///< its `output_share` is not computed
};

/// More slices than these are not made for one search.
inline constexpr std::int64_t kMostSearchSlices = 50'000;

/// The first query that a search without `token` and `back` looks at: those before it have windows that are cut at the
/// first token, and a large p by nature. At most half of the tokens.
std::int64_t first_searched_query(const Problem& problem, std::int64_t tokens);

/// Largest p first; equal ones by head, query, j and k. `asked`: its head and query are ignored. Without `token` and
/// `back` an overview says which slices are to be made; with them, every slice that can hold such a triple is. Throws
/// `Error` (usage): no query sees such a triple, or too many slices would be made.
std::vector<FoundTriple> find_triples(Supervisor& worker, const AttentionSource& source, const SliceQuery& asked,
                                      const SourceReply& shape, const TripleSearch& search);

}  // namespace triscope
