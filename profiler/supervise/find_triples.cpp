#include "profiler/supervise/find_triples.hpp"

#include <fmt/format.h>

#include <chrono>

#include "kernels/base/error.hpp"
#include "kernels/inspect/slice_rules.hpp"

namespace triscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenNews{100};

/// Slices that are made one after another.
struct SearchPlaces {
  std::vector<SlicePlace> all;
  std::vector<float> largest;  ///< of each the largest p of all of its pairs, in falling order; empty: not known
};

void refuse_too_many(std::int64_t slices) {
  if (slices > kMostSearchSlices)
    throw Error("The search was not made",
                fmt::format("it needs {} slices, and at most {} are made", slices, kMostSearchSlices),
                "search for the largest p, by token, or in tensors of fewer tokens or heads", ExitCode::usage);
}

/// Without a token and exact distances the places of the largest p come first. With least distances any of them may
/// hold what is searched for.
SearchPlaces strongest_first(const Overview& overview, const Problem& problem, TripleSearch search) {
  SearchPlaces places;
  const bool any = search.has_least_distances();
  if (any) search.most = std::ssize(overview.largest_p);
  places.all = strongest_places(overview, problem, search);
  if (!any) return places;
  refuse_too_many(std::ssize(places.all));
  for (const SlicePlace& place : places.all)
    places.largest.push_back(overview.largest_p[static_cast<std::size_t>(place.head * overview.columns + place.query)]);
  return places;
}

SearchPlaces places_to_search(Supervisor& worker, const AttentionSource& source, const SliceQuery& asked,
                              const SourceReply& shape, const TripleSearch& search, const std::stop_token& stop) {
  if (search.has_least_distances()) refuse_too_far(asked.problem, shape.seq_len, search);
  if (!search.token && !search.back)
    return strongest_first(worker.overview({source, asked, 1}, stop), asked.problem, search);
  const QueryRange queries = searched_queries(asked.problem, shape.seq_len, search);
  refuse_too_many((queries.last - queries.first) * shape.q_heads);
  SearchPlaces places;
  for (std::int64_t head = 0; head < shape.q_heads; ++head) {
    for (std::int64_t query = queries.first; query < queries.last; ++query) places.all.push_back({head, query});
  }
  return places;
}

}  // namespace

std::vector<FoundTriple> find_triples(Supervisor& worker, const AttentionSource& source, const SliceQuery& asked,
                                      const SourceReply& shape, const TripleSearch& search, const std::stop_token& stop,
                                      const std::function<void(const SearchProgress&)>& tell) {
  const SearchPlaces places = places_to_search(worker, source, asked, shape, search, stop);
  const std::int64_t top = search.token || search.back || search.has_least_distances() ? 1 : search.most;
  TripleCollector collector(search, has_one_key(asked.problem));
  constexpr double kRounding = 1e-5;  // of the overview's p, in fp32
  SearchProgress progress{0, std::ssize(places.all), {}};
  tell(progress);
  Clock::time_point told = Clock::now();
  for (const SlicePlace& place : places.all) {
    const auto n = static_cast<std::size_t>(progress.done);
    if (!places.largest.empty() && (1 + kRounding) * static_cast<double>(places.largest[n]) < collector.least()) break;
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
