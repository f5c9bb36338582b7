#include "profiler/supervise/find_triples.hpp"

#include <fmt/format.h>

#include <chrono>

#include "kernels/base/error.hpp"

namespace triscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenNews{100};

std::vector<SlicePlace> places_to_search(Supervisor& worker, const AttentionSource& source, const SliceQuery& asked,
                                         const SourceReply& shape, const TripleSearch& search,
                                         const std::stop_token& stop) {
  if (!search.token && !search.back)
    return strongest_places(worker.overview({source, asked, 1}, stop), asked.problem, search);
  const QueryRange queries = searched_queries(asked.problem, shape.seq_len, search);
  const std::int64_t slices = (queries.last - queries.first) * shape.q_heads;
  if (slices > kMostSearchSlices)
    throw Error("The search was not made",
                fmt::format("it needs {} slices, and at most {} are made", slices, kMostSearchSlices),
                "search for the largest p, by token, or in tensors of fewer tokens or heads", ExitCode::usage);
  std::vector<SlicePlace> places;
  for (std::int64_t head = 0; head < shape.q_heads; ++head) {
    for (std::int64_t query = queries.first; query < queries.last; ++query) places.push_back({head, query});
  }
  return places;
}

}  // namespace

std::vector<FoundTriple> find_triples(Supervisor& worker, const AttentionSource& source, const SliceQuery& asked,
                                      const SourceReply& shape, const TripleSearch& search, const std::stop_token& stop,
                                      const std::function<void(const SearchProgress&)>& tell) {
  const std::vector<SlicePlace> places = places_to_search(worker, source, asked, shape, search, stop);
  const std::int64_t top = search.token || search.back ? 1 : search.most;
  TripleCollector collector(search);
  SearchProgress progress{0, std::ssize(places), {}};
  tell(progress);
  Clock::time_point told = Clock::now();
  for (const SlicePlace& place : places) {
    SliceQuery query = asked;
    query.head = place.head;
    query.query = place.query;
    collector.take(place, worker.slice({source, query, top}, stop));
    ++progress.done;
    if (Clock::now() - told < kBetweenNews) continue;
    progress.found = collector.found();
    tell(progress);
    told = Clock::now();
  }
  return collector.found();
}

}  // namespace triscope
