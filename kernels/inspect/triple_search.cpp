#include "kernels/inspect/triple_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <tuple>

#include "kernels/base/error.hpp"
#include "kernels/inspect/counted_queries.hpp"

namespace triscope {
namespace {

/// The largest first; what is equal in a fixed order.
bool is_before(const FoundTriple& a, const FoundTriple& b) {
  const auto place = [](const FoundTriple& one) { return std::tuple(one.head, one.query, one.triple.j, one.triple.k); };
  return a.triple.p != b.triple.p ? a.triple.p > b.triple.p : place(a) < place(b);
}

void keep_best(std::vector<FoundTriple>& found, std::int64_t most) {
  std::ranges::sort(found, is_before);
  found.resize(std::min(found.size(), static_cast<std::size_t>(most)));
}

}  // namespace

std::int64_t first_searched_query(const Problem& problem, std::int64_t tokens, const TripleSearch& search) {
  return search.all_queries ? 0 : counted_queries(problem, tokens).first;
}

void refuse_too_far(const Problem& problem, std::int64_t tokens, const TripleSearch& search) {
  const bool causal = problem.mask == Mask::causal;
  const std::int64_t window2 = problem.form == Form::dot_product ? 1 : problem.window2;
  const std::int64_t last1 = std::min(causal ? problem.window1 : tokens, tokens) - 1,
                     last2 = std::min(causal ? window2 : tokens, tokens) - 1;  // how far back keys may lie
  const std::int64_t widest = causal ? std::max(last1, last2) - search.away : tokens - 1;
  if (search.away <= std::min(last1, last2) && search.apart <= widest) return;
  throw Error(
      fmt::format("There are no keys {} tokens apart and {} tokens from their query", search.apart, search.away),
      "no query sees keys so far", "give distances that lie within the windows", ExitCode::usage);
}

QueryRange searched_queries(const Problem& problem, std::int64_t tokens, const TripleSearch& search) {
  const std::int64_t first = first_searched_query(problem, tokens, search);
  QueryRange range{first, tokens};
  const bool causal = problem.mask == Mask::causal;
  if (search.token) {
    if (*search.token < 0 || *search.token >= tokens)
      throw Error(fmt::format("token {} is not there", *search.token),
                  fmt::format("the tensors have {} tokens", tokens), "give a position from 0 on", ExitCode::usage);
    if (causal) {
      range.first = std::max(first, *search.token);
      range.last = std::min(range.last, *search.token + std::max(problem.window1, problem.window2));
    }
  }
  if (search.back) {
    const auto [back1, back2] = *search.back;
    range.first = std::max({range.first, back1, back2});
    const bool ahead = back1 < 0 || back2 < 0;
    const bool hidden = causal && (ahead || back1 >= problem.window1 || back2 >= problem.window2);
    if (hidden || range.first >= range.last)
      throw Error(fmt::format("{} and {} tokens back there is nothing", back1, back2),
                  "no query sees keys so far before it", "give distances that lie within the windows", ExitCode::usage);
  }
  return range;
}

std::vector<SlicePlace> strongest_places(const Overview& overview, const Problem& problem, const TripleSearch& search) {
  const std::int64_t first = first_searched_query(problem, overview.columns, search);
  const std::vector<float>& largest = overview.largest_p;
  std::vector<std::size_t> cells;
  for (std::size_t n = 0; n < largest.size(); ++n) {
    if (static_cast<std::int64_t>(n) % overview.columns >= first && std::isfinite(largest[n])) cells.push_back(n);
  }
  std::ranges::stable_sort(cells, [&](std::size_t a, std::size_t b) { return largest[a] > largest[b]; });
  // Places whose p is the same in fp32 stand in for one another: all of the last one's are looked at.
  const auto wanted = static_cast<std::size_t>(search.most);
  std::size_t count = std::min(cells.size(), wanted);
  while (count > 0 && count < cells.size() && largest[cells[count]] == largest[cells[count - 1]] && count / 4 < wanted)
    ++count;
  std::vector<SlicePlace> places;
  for (std::size_t n = 0; n < count; ++n) {
    const auto cell = static_cast<std::int64_t>(cells[n]);
    places.push_back({cell / overview.columns, cell % overview.columns});
  }
  return places;
}

void TripleCollector::take(const SlicePlace& place, const Slice& slice) {
  if (search_.back) {
    add(place, slice, place.query - (*search_.back)[0], place.query - (*search_.back)[1]);
  } else if (search_.token) {
    const std::int64_t token = *search_.token;
    for (std::int64_t j = slice.first1; j < slice.first1 + slice.count1 && !one_key_; ++j) add(place, slice, j, token);
    for (std::int64_t k = slice.first2; k < slice.first2 + slice.count2; ++k) {
      if (k != token || one_key_) add(place, slice, token, k);
    }
  } else if (search_.has_least_distances()) {
    for (std::int64_t k = slice.first2; k < slice.first2 + slice.count2; ++k) {
      for (std::int64_t j = slice.first1; j < slice.first1 + slice.count1; ++j) add(place, slice, j, k);
    }
  } else {
    for (const Triple& triple : slice.top) keep({place.head, place.query, triple});
  }
}

void TripleCollector::add(const SlicePlace& place, const Slice& slice, std::int64_t j, std::int64_t k) {
  const std::int64_t column = j - slice.first1, row = k - slice.first2;
  if (column < 0 || column >= slice.count1 || row < 0 || row >= slice.count2) return;
  if (search_.token && j != *search_.token && k != *search_.token) return;
  if (std::abs(j - k) < search_.apart) return;
  if (std::min(std::abs(place.query - j), std::abs(place.query - k)) < search_.away) return;
  const double log_p = slice.log_p[static_cast<std::size_t>(row * slice.count1 + column)];
  if (!std::isfinite(log_p) || !std::isfinite(slice.lse)) return;
  keep({place.head, place.query, {j, k, log_p + slice.lse, std::exp(log_p), 0}});
}

void TripleCollector::keep(const FoundTriple& one) {
  if (one.triple.p < least_) return;
  found_.push_back(one);
  if (std::ssize(found_) / 64 <= search_.most) return;
  keep_best(found_, search_.most);
  least_ = found_.back().triple.p;
}

double TripleCollector::least() {
  keep_best(found_, search_.most);
  return std::ssize(found_) < search_.most ? 0 : found_.back().triple.p;
}

const std::vector<FoundTriple>& TripleCollector::found() {
  keep_best(found_, search_.most);
  return found_;
}

}  // namespace triscope
