#include "app/cli/options/selection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>

#include "app/cli/options/values.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/nearest_name.hpp"

namespace triscope {
namespace {

constexpr std::string_view kKernelPrefix = "kernel:";

[[noreturn]] void nothing(const Selection& selection, std::string_view why, const std::string& hint = "") {
  throw Error(fmt::format("'{}' was not found", selection.text), std::string(why),
              hint + "see `triscope list` for sweeps and `triscope show` for measurements", ExitCode::usage);
}

/// The rows of a kernel in the sweep that is named, or in the newest that holds any.
std::vector<ResultRow> select_kernel(const Snapshot& snapshot, const std::vector<SweepInfo>& sweeps,
                                     const Selection& selection) {
  std::vector<ResultRow> rows;
  std::vector<std::int64_t> holding;  // sweeps that hold the kernel
  std::vector<std::string> known;     // the kernels of all sweeps
  for (const SweepInfo& sweep : sweeps) {
    bool holds = false;
    for (ResultRow& row : snapshot.results(sweep.id)) {
      known.push_back(row.kernel);
      if (row.kernel != selection.kernel) continue;
      holds = true;
      if (!selection.sweep || sweep.id == *selection.sweep) rows.push_back(std::move(row));
    }
    if (!rows.empty()) return rows;
    if (holds) holding.push_back(sweep.id);
  }
  if (holding.empty()) nothing(selection, "no sweep holds that kernel", nearest_name_hint(selection.kernel, known));
  std::sort(holding.begin(), holding.end());
  nothing(selection, fmt::format("sweep {} does not hold that kernel: {} do{}", *selection.sweep,
                                 fmt::join(holding, ", "), holding.size() == 1 ? "es" : ""));
}

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

Selection parse_selection(std::string_view text) {
  Selection selection;
  selection.text = text;
  if (text == "latest") {
    selection.latest = true;
  } else if (text.starts_with(kKernelPrefix)) {
    const std::string_view rest = text.substr(kKernelPrefix.size());
    const std::size_t at = rest.find('@');
    selection.kernel = rest.substr(0, at);
    if (at != std::string_view::npos) selection.sweep = parse_id(text, rest.substr(at + 1));
    if (selection.kernel.empty()) {
      throw Error(fmt::format("'{}'", text), "the kernel's name is missing", "write it as kernel:cpu.fast",
                  ExitCode::usage);
    }
  } else if (text.size() > 1 && text.front() == 'm' &&
             text.find_first_not_of("0123456789", 1) == std::string_view::npos) {
    selection.measurement = parse_id("measurement", text.substr(1));
  } else if (!text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos) {
    selection.sweep = parse_id("sweep", text);
  } else {
    const std::vector<std::string> words{"latest"};
    throw Error(
        fmt::format("'{}' names no measurements", text), "it has none of the known forms",
        nearest_name_hint(std::string(text), words) +
            "write 3 or latest for a sweep, m12 for a measurement, kernel:cpu.fast or kernel:cpu.fast@3 for a kernel",
        ExitCode::usage);
  }
  return selection;
}

std::vector<ResultRow> select(const Snapshot& snapshot, const Selection& selection) {
  if (selection.measurement) {
    std::optional<ResultRow> row = snapshot.result(*selection.measurement);
    if (!row) nothing(selection, "the database has no such measurement");
    return {*std::move(row)};
  }
  const std::vector<SweepInfo> sweeps = snapshot.sweeps();
  if (sweeps.empty()) nothing(selection, "the database holds no sweep yet");
  const std::int64_t id = selection.sweep.value_or(sweeps.front().id);
  const bool known = std::any_of(sweeps.begin(), sweeps.end(), [&](const SweepInfo& sweep) { return sweep.id == id; });
  if (!known) nothing(selection, "the database has no such sweep");
  return selection.kernel.empty() ? snapshot.results(id) : select_kernel(snapshot, sweeps, selection);
}

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
