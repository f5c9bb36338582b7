#include "app/cli/commands/triple_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "kernels/base/error.hpp"

namespace triscope {
namespace {

struct Place {
  std::int64_t head = 0, query = 0;
};

/// The largest first; what is equal in a fixed order.
bool is_before(const FoundTriple& a, const FoundTriple& b) {
  const auto place = [](const FoundTriple& one) { return std::tuple(one.head, one.query, one.triple.j, one.triple.k); };
  return a.triple.p != b.triple.p ? a.triple.p > b.triple.p : place(a) < place(b);
}

void keep_best(std::vector<FoundTriple>& found, std::int64_t most) {
  std::ranges::sort(found, is_before);
  found.resize(std::min(found.size(), static_cast<std::size_t>(most)));
}

/// The heads and queries with the largest p. A triple among the `most` strongest is in one of the first `most` of them:
/// each place before its own holds a stronger one.
std::vector<Place> strongest_places(Supervisor& worker, const AttentionSource& source, const SliceQuery& asked,
                                    std::int64_t most) {
  const Overview overview = worker.overview({source, asked, 1});
  const std::int64_t first = first_searched_query(asked.problem, overview.columns);
  std::vector<std::size_t> cells;
  for (std::size_t n = 0; n < overview.largest_p.size(); ++n) {
    if (static_cast<std::int64_t>(n) % overview.columns >= first && std::isfinite(overview.largest_p[n]))
      cells.push_back(n);
  }
  std::ranges::stable_sort(cells,
                           [&](std::size_t a, std::size_t b) { return overview.largest_p[a] > overview.largest_p[b]; });
  // Places whose p is the same in fp32 stand in for one another: all of the last one's are looked at.
  std::size_t count = std::min(cells.size(), static_cast<std::size_t>(most));
  while (count > 0 && count < cells.size() &&
         overview.largest_p[cells[count]] == overview.largest_p[cells[count - 1]] &&
         count / 4 < static_cast<std::size_t>(most))
    ++count;
  std::vector<Place> places;
  for (std::size_t n = 0; n < count; ++n) {
    const auto cell = static_cast<std::int64_t>(cells[n]);
    places.push_back({cell / overview.columns, cell % overview.columns});
  }
  return places;
}

/// Queries that can see what is searched for: from the first to before the last.
std::array<std::int64_t, 2> queries_of(const SliceQuery& asked, const SourceReply& shape, const TripleSearch& search) {
  std::int64_t first = 0, last = shape.seq_len;
  const bool causal = asked.problem.mask == Mask::causal;
  if (search.token) {
    if (*search.token >= shape.seq_len)
      throw Error(fmt::format("--token {} is not there", *search.token),
                  fmt::format("the tensors have {} tokens", shape.seq_len), "give a position from 0 on",
                  ExitCode::usage);
    if (causal) {
      first = *search.token;
      last = std::min(last, first + std::max(asked.problem.window1, asked.problem.window2));
    }
  }
  if (search.back) {
    const auto [back1, back2] = *search.back;
    first = std::max({first, back1, back2});
    const bool hidden = causal && (back1 >= asked.problem.window1 || back2 >= asked.problem.window2);
    if (hidden || first >= last)
      throw Error(fmt::format("--back {},{} finds nothing", back1, back2), "no query sees keys so far before it",
                  "give distances that lie within the windows", ExitCode::usage);
  }
  return {first, last};
}

class Collector {
 public:
  Collector(const TripleSearch& search, std::vector<FoundTriple>& found) : search_(search), found_(found) {}

  /// Every pair of the slice that is searched for.
  void take(const Place& place, const Slice& slice) {
    if (search_.back) {
      add(place, slice, place.query - (*search_.back)[0], place.query - (*search_.back)[1]);
    } else {
      const std::int64_t token = *search_.token;
      for (std::int64_t j = slice.first1; j < slice.first1 + slice.count1; ++j) add(place, slice, j, token);
      for (std::int64_t k = slice.first2; k < slice.first2 + slice.count2; ++k) {
        if (k != token) add(place, slice, token, k);
      }
    }
    if (std::ssize(found_) / 64 > search_.most) keep_best(found_, search_.most);
  }

 private:
  void add(const Place& place, const Slice& slice, std::int64_t j, std::int64_t k) {
    const std::int64_t column = j - slice.first1, row = k - slice.first2;
    if (column < 0 || column >= slice.count1 || row < 0 || row >= slice.count2) return;
    if (search_.token && j != *search_.token && k != *search_.token) return;
    const double log_p = slice.log_p[static_cast<std::size_t>(row * slice.count1 + column)];
    if (!std::isfinite(log_p) || !std::isfinite(slice.lse)) return;
    found_.push_back({place.head, place.query, {j, k, log_p + slice.lse, std::exp(log_p), 0}});
  }

  const TripleSearch& search_;
  std::vector<FoundTriple>& found_;
};

}  // namespace

std::int64_t first_searched_query(const Problem& problem, std::int64_t tokens) {
  if (problem.mask == Mask::full) return 0;
  return std::min(std::max(problem.window1, problem.window2) - 1, tokens / 2);
}

std::vector<FoundTriple> find_triples(Supervisor& worker, const AttentionSource& source, const SliceQuery& asked,
                                      const SourceReply& shape, const TripleSearch& search) {
  std::vector<FoundTriple> found;
  const auto slice_at = [&](const Place& place, std::int64_t top) {
    SliceQuery query = asked;
    query.head = place.head;
    query.query = place.query;
    return worker.slice({source, query, top});
  };
  if (!search.token && !search.back) {
    for (const Place& place : strongest_places(worker, source, asked, search.most)) {
      for (const Triple& triple : slice_at(place, search.most).top) found.push_back({place.head, place.query, triple});
    }
    keep_best(found, search.most);
    return found;
  }
  const auto [first, last] = queries_of(asked, shape, search);
  const std::int64_t slices = (last - first) * shape.q_heads;
  if (slices > kMostSearchSlices)
    throw Error("The search was not made",
                fmt::format("it needs {} slices, and at most {} are made", slices, kMostSearchSlices),
                "search without --back, by --token, or in tensors of fewer tokens or heads", ExitCode::usage);
  Collector collector(search, found);
  for (std::int64_t head = 0; head < shape.q_heads; ++head) {
    for (std::int64_t query = first; query < last; ++query) collector.take({head, query}, slice_at({head, query}, 1));
  }
  keep_best(found, search.most);
  return found;
}

}  // namespace triscope
