// Asks a worker for the strongest triples over all heads and queries of some tensors.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include "kernels/inspect/triple_search.hpp"
#include "profiler/supervise/supervisor.hpp"

namespace triscope {

/// More slices than these are not made for one search.
inline constexpr std::int64_t kMostSearchSlices = 50'000;

/// How far a search has come.
struct SearchProgress {
  std::int64_t done = 0, total = 0;  ///< slices; no total is known before the overview is made
  std::vector<FoundTriple> found;    ///< the strongest so far
};

/// Largest p first; equal ones by head, query, j and k. `asked`: its head and query are ignored. Without a token and
/// exact distances an overview says which slices are to be made; with them, every slice that can hold such a triple is.
/// `tell` is called on this thread, some times a second. Throws `Error`: usage, when no query sees such a triple or too
/// many slices would be made; after a stop, as the worker's answers do.
std::vector<FoundTriple> find_triples(
    Supervisor& worker, const AttentionSource& source, const SliceQuery& asked, const SourceReply& shape,
    const TripleSearch& search, const std::stop_token& stop = {},
    const std::function<void(const SearchProgress&)>& tell = [](const SearchProgress&) {});

}  // namespace triscope
