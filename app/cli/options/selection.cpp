#include "app/cli/options/selection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "app/cli/options/values.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/text/nearest_name.hpp"

namespace triscope {
namespace {

constexpr std::string_view kKernelPrefix = "kernel:";

[[noreturn]] void nothing(const Selection& selection, std::string_view why, const std::string& hint = "") {
  throw Error(fmt::format("'{}' was not found", selection.text), std::string(why),
              hint + "see `triscope list` for sweeps and `triscope show` for measurements", ExitCode::usage);
}

/// The rows of a kernel in one sweep; the kernels that it holds are added to `known`.
std::vector<ResultRow> rows_of_kernel(SweepRows& from, std::int64_t sweep, const std::string& kernel,
                                      std::set<std::string>& known) {
  std::vector<ResultRow> rows;
  for (const ResultRow& row : from.of(sweep)) {
    known.insert(row.kernel);
    if (row.kernel == kernel) rows.push_back(row);
  }
  return rows;
}

/// The rows of a kernel in the sweep that is named, or in the newest that holds any. Others are read for a refusal
/// only.
std::vector<ResultRow> select_kernel(SweepRows& from, const std::vector<SweepInfo>& sweeps,
                                     const Selection& selection) {
  std::set<std::string> known;  // the kernels of all sweeps
  if (selection.sweep) {
    std::vector<ResultRow> rows = rows_of_kernel(from, *selection.sweep, selection.kernel, known);
    if (!rows.empty()) return rows;
  }
  std::vector<std::int64_t> holding;  // sweeps that hold the kernel
  for (const SweepInfo& sweep : sweeps) {
    std::vector<ResultRow> rows = rows_of_kernel(from, sweep.id, selection.kernel, known);
    if (rows.empty()) continue;
    if (!selection.sweep) return rows;
    holding.push_back(sweep.id);
  }
  if (holding.empty())
    nothing(selection, "no sweep holds that kernel",
            nearest_name_hint(selection.kernel, std::vector<std::string>(known.begin(), known.end())));
  std::sort(holding.begin(), holding.end());
  nothing(selection, fmt::format("sweep {} does not hold that kernel: {} do{}", *selection.sweep,
                                 fmt::join(holding, ", "), holding.size() == 1 ? "es" : ""));
}

/// Digits of a hash, one of which is a letter; else it is a sweep's number.
bool is_hash(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos &&
         text.find_first_of("abcdef") != std::string_view::npos;
}

std::string versions_hint(const std::string& kernel) {
  return fmt::format("see `triscope explore --x version --where kernel={}` for its versions", kernel);
}

/// "2c6a73", the version of a kernel.
std::string parse_version(const Selection& selection, std::string_view text) {
  constexpr std::size_t kFewest = 6;
  if (text.size() >= kFewest) return std::string(text);
  throw Error(fmt::format("'{}'", selection.text),
              fmt::format("of the hash of a version at least {} digits are needed, and '{}' has {}", kFewest, text,
                          text.size()),
              versions_hint(selection.kernel), ExitCode::usage);
}

/// The rows of all sweeps that were measured with a version of a kernel.
std::vector<ResultRow> select_version(const Snapshot& snapshot, const Selection& selection) {
  std::vector<ResultRow> rows = snapshot.results();
  std::set<std::string> known;
  for (const ResultRow& row : rows) {
    if (row.kernel == selection.kernel && !row.source_hash.empty()) known.insert(row.source_hash.substr(0, 12));
  }
  std::erase_if(rows, [&](const ResultRow& row) {
    return row.kernel != selection.kernel || !row.source_hash.starts_with(selection.version);
  });
  if (rows.empty() && known.empty()) nothing(selection, "no sweep holds that kernel");
  if (rows.empty())
    throw Error(fmt::format("'{}' was not found", selection.text),
                fmt::format("it was measured as {}", fmt::join(known, ", ")), versions_hint(selection.kernel),
                ExitCode::usage);
  return rows;
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
    if (const std::string_view which = at == std::string_view::npos ? "" : rest.substr(at + 1); is_hash(which)) {
      selection.version = parse_version(selection, which);
    } else if (at != std::string_view::npos) {
      selection.sweep = parse_id(text, which);
    }
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
    constexpr std::string_view kFilter = "kernel=";  // as `explore --where` has it
    const std::string hint = text.starts_with(kFilter)
                                 ? fmt::format("did you mean {}{}? ", kKernelPrefix, text.substr(kFilter.size()))
                                 : nearest_name_hint(std::string(text), std::vector<std::string>{"latest"});
    throw Error(
        fmt::format("'{}' names no measurements", text), "it has none of the known forms",
        hint +
            "write 3 or latest for a sweep, m12 for a measurement, kernel:cpu.fast or kernel:cpu.fast@3 for a kernel, "
            "kernel:cpu.fast@2c6a73 for a version of it",
        ExitCode::usage);
  }
  return selection;
}

std::string nothing_measured(const Snapshot& snapshot, const Selection& selection, const std::string& database) {
  const std::vector<SweepInfo> sweeps = snapshot.sweeps();
  const auto info = std::ranges::find(sweeps, selection.sweep.value_or(sweeps.front().id), &SweepInfo::id);
  const std::string what = fmt::format("Nothing was measured in sweep {}", info->id);
  if (info->running) return what + " yet: it is being measured right now.";
  if (info->planned == 0) return what + ": its plan was empty.";
  return fmt::format("{}; `triscope sweep --resume {}{}` measures it.", what, info->id, database_words(database));
}

const std::vector<ResultRow>& SweepRows::of(std::int64_t sweep) {
  if (last_ != sweep) rows_ = snapshot_.results(sweep);
  last_ = sweep;
  return rows_;
}

std::vector<ResultRow> select(const Snapshot& snapshot, const Selection& selection) {
  SweepRows rows(snapshot);
  return select(rows, selection);
}

std::vector<ResultRow> select(SweepRows& from, const Selection& selection) {
  const Snapshot& snapshot = from.snapshot();
  if (selection.measurement) {
    std::optional<ResultRow> row = snapshot.result(*selection.measurement);
    if (!row) nothing(selection, "the database has no such measurement");
    return {*std::move(row)};
  }
  if (!selection.version.empty()) return select_version(snapshot, selection);
  const std::vector<SweepInfo> sweeps = snapshot.sweeps();
  if (sweeps.empty()) nothing(selection, "the database holds no sweep yet");
  const std::int64_t id = selection.sweep.value_or(sweeps.front().id);
  const bool known = std::any_of(sweeps.begin(), sweeps.end(), [&](const SweepInfo& sweep) { return sweep.id == id; });
  if (!known) nothing(selection, "the database has no such sweep");
  return selection.kernel.empty() ? from.of(id) : select_kernel(from, sweeps, selection);
}

}  // namespace triscope
