#include "profiler/verdict/pairing.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace triscope {
namespace {

bool same_sizes(const Problem& a, const Problem& b) {
  return a.batch == b.batch && a.seq_len == b.seq_len && a.q_heads == b.q_heads && a.kv_heads == b.kv_heads &&
         a.head_dim == b.head_dim;
}

bool is_simplicial(const Problem& problem) {
  return problem.form == Form::trilinear || problem.form == Form::determinant;
}

bool same_problem(const ResultRow& a, const ResultRow& b, bool across_kernels) {
  if (!across_kernels) return a.kernel == b.kernel && a.instance == b.instance && a.problem == b.problem;
  if (is_simplicial(a.problem) != is_simplicial(b.problem)) return same_sizes(a.problem, b.problem);
  Problem other = b.problem;
  other.element = a.problem.element;
  return a.problem == other;
}

bool partners(const ResultRow& a, const ResultRow& b, bool across_kernels) {
  return a.pass == b.pass && a.regime == b.regime && a.timing_source == b.timing_source &&
         same_problem(a, b, across_kernels);
}

/// What every two partners have in common; rows that differ in it need not be looked at.
std::string common_text(const ResultRow& row, bool across_kernels) {
  const Problem& p = row.problem;
  std::string text = fmt::format("{} {} {} {} {} {} {} {}", to_string(row.pass), to_string(row.regime),
                                 to_string(row.timing_source), p.batch, p.seq_len, p.q_heads, p.kv_heads, p.head_dim);
  if (!across_kernels) text += fmt::format(" {} {} {} {}", p.window1, p.window2, row.kernel, row.instance);
  return text;
}

}  // namespace

std::vector<ResultRow> newest_of_each(const std::vector<ResultRow>& rows) {
  std::vector<ResultRow> kept;
  std::unordered_map<std::string, std::vector<std::size_t>> places;  // in `kept`
  for (const ResultRow& row : rows) {
    std::vector<std::size_t>& alike = places[common_text(row, false)];
    const auto same =
        std::find_if(alike.begin(), alike.end(), [&](std::size_t place) { return partners(kept[place], row, false); });
    if (same == alike.end()) {
      alike.push_back(kept.size());
      kept.push_back(row);
    } else if (kept[*same].started <= row.started) {
      kept[*same] = row;
    }
  }
  return kept;
}

Partners::Partners(const std::vector<ResultRow>& rows, bool across_kernels)
    : rows_(rows), across_kernels_(across_kernels) {
  for (std::size_t i = 0; i < rows.size(); ++i) places_[common_text(rows[i], across_kernels)].push_back(i);
}

std::vector<std::size_t> Partners::of(const ResultRow& row) const {
  std::vector<std::size_t> found;
  const auto places = places_.find(common_text(row, across_kernels_));
  if (places == places_.end()) return found;
  for (const std::size_t i : places->second) {
    if (partners(row, rows_[i], across_kernels_)) found.push_back(i);
  }
  return found;
}

Pairing pair_rows(const std::vector<ResultRow>& a, const std::vector<ResultRow>& b, bool across_kernels) {
  Pairing pairing;
  std::vector<bool> used(b.size(), false);
  const Partners partners_in_b(b, across_kernels);
  for (const ResultRow& row : a) {
    const std::vector<std::size_t> places = partners_in_b.of(row);
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

}  // namespace triscope
