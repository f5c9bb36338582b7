#include "profiler/verdict/pairing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <tuple>

#include "kernels/base/error.hpp"
#include "profiler/record/dot_product.hpp"
#include "profiler/statistics/between_sides.hpp"

namespace triscope {
namespace {

bool is_simplicial(const Problem& problem) {
  return problem.form == Form::trilinear || problem.form == Form::determinant;
}

/// How a row was measured, the mask and the sizes of its problem: what a dot-product baseline has in common with its
/// partners.
std::string sizes_text(const ResultRow& row) {
  const Problem& p = row.problem;
  return fmt::format("{} {} {} {} {} {} {} {} {}", to_string(row.pass), to_string(row.regime),
                     to_string(row.timing_source), to_string(p.mask), p.batch, p.seq_len, p.q_heads, p.kv_heads,
                     p.head_dim);
}

/// The question that a row answers: equal texts are equal questions. Across kernels who answers is not part of it.
std::string question_text(const ResultRow& row, bool across_kernels) {
  const Problem& p = row.problem;
  const auto number = [](double value) { return value + 0.0; };  // -0 is 0
  const auto optional_text = [&](const std::optional<double>& value) {
    return value ? fmt::format("{}", number(*value)) : "-";
  };
  std::string text =
      fmt::format("{} {} {} {} {} {} {} {} {}", sizes_text(row), to_string(p.form), p.deterministic, p.window1,
                  p.window2, optional_text(p.scale), number(p.k2_bias), number(p.v2_bias), optional_text(p.sink));
  if (!across_kernels)  // with its length, since a name from a file may hold anything
    text += fmt::format(" {} {}:{} {}", to_string(p.element), row.kernel.size(), row.kernel, row.instance);
  return text;
}

}  // namespace

std::vector<ResultRow> newest_of_each(const std::vector<ResultRow>& rows) {
  std::vector<ResultRow> kept;
  std::unordered_map<std::string, std::size_t> places;  // in `kept`
  for (const ResultRow& row : rows) {
    const auto [place, is_new] = places.try_emplace(question_text(row, false), kept.size());
    if (is_new) {
      kept.push_back(row);
    } else if (kept[place->second].started <= row.started) {
      kept[place->second] = row;
    }
  }
  return kept;
}

Partners::Partners(const std::vector<ResultRow>& rows, bool across_kernels) : across_kernels_(across_kernels) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    by_question_[question_text(rows[i], across_kernels)].push_back(i);
    const Problem& problem = rows[i].problem;
    if (across_kernels && (is_simplicial(problem) || sees_all(problem)))
      by_sizes_[is_simplicial(problem)][sizes_text(rows[i])].push_back(i);
    origins_.push_back({rows[i].sweep, problem.element, rows[i].started, rows[i].measurement});
  }
}

std::array<std::span<const std::size_t>, 2> Partners::places_of(const ResultRow& row) const {
  const auto found = [](const Places& places, const std::string& text) -> std::span<const std::size_t> {
    const auto place = places.find(text);
    return place == places.end() ? std::span<const std::size_t>() : place->second;
  };
  const auto equal = found(by_question_, question_text(row, across_kernels_));
  if (!across_kernels_) return {equal, {}};
  if (!is_simplicial(row.problem) && !sees_all(row.problem)) return {equal, {}};
  return {equal, found(by_sizes_[!is_simplicial(row.problem)], sizes_text(row))};
}

std::vector<std::size_t> Partners::of(const ResultRow& row) const {
  const auto [equal, beside] = places_of(row);
  std::vector<std::size_t> found;
  std::ranges::merge(equal, beside, std::back_inserter(found));
  return found;
}

std::optional<std::size_t> Partners::best_of(const ResultRow& row) const {
  constexpr std::size_t kMostLookedAt = 64;
  const auto fitness = [&](std::size_t place) {
    const Origin& one = origins_[place];
    return std::tuple(one.sweep == row.sweep, one.element == row.problem.element, std::string_view(one.started),
                      one.measurement);
  };
  std::optional<std::size_t> best;
  for (const std::span<const std::size_t> places : places_of(row)) {
    for (const std::size_t place : places.first(std::min(places.size(), kMostLookedAt)))
      if (!best || fitness(*best) < fitness(place)) best = place;
  }
  return best;
}

Pairing pair_rows(const std::vector<ResultRow>& a, const std::vector<ResultRow>& b, bool across_kernels) {
  Pairing pairing;
  std::vector<bool> used(b.size(), false);
  const Partners partners_in_b(b, across_kernels);
  for (const ResultRow& row : a) {
    const std::vector<std::size_t> places = partners_in_b.of(row);
    if (pairing.pairs.size() + places.size() > kMostPairs)
      throw Error("A and B cannot be compared", fmt::format("they have more than {} pairs of measurements", kMostPairs),
                  "name one sweep, kernel or measurement of each", ExitCode::usage);
    for (const std::size_t i : places) {
      pairing.pairs.push_back({row, b[i]});
      used[i] = true;
    }
    if (places.empty()) pairing.only_a.push_back(row);
  }
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (!used[i]) pairing.only_b.push_back(b[i]);
  }
  return pairing;
}

std::vector<RowPair> unchanged_pairs(const std::vector<ResultRow>& a, const std::vector<ResultRow>& b,
                                     const std::set<SweepPair>& sweeps) {
  constexpr std::size_t kMost = 64;  // a comparison reads the samples of both
  const auto measured_in = [](const std::vector<ResultRow>& rows, std::int64_t sweep) {
    std::vector<ResultRow> in_sweep;
    for (const ResultRow& row : rows) {
      if (row.sweep == sweep && row.status == Status::ok && row.median_ms) in_sweep.push_back(row);
    }
    return newest_of_each(in_sweep);
  };
  std::vector<RowPair> unchanged;
  std::set<std::int64_t> told_a, told_b;  // a row that is beside several says no more than once
  for (const auto& [of_a, of_b] : sweeps) {
    for (RowPair& pair : pair_rows(measured_in(a, of_a), measured_in(b, of_b), false).pairs) {
      if (unchanged.size() == kMost) return unchanged;
      if (!is_unchanged(pair.a, pair.b) || told_a.contains(pair.a.measurement) || told_b.contains(pair.b.measurement))
        continue;
      told_a.insert(pair.a.measurement);
      told_b.insert(pair.b.measurement);
      unchanged.push_back(std::move(pair));
    }
  }
  return unchanged;
}

}  // namespace triscope
