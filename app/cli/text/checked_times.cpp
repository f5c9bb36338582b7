#include "app/cli/text/checked_times.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "app/cli/text/terminal.hpp"
#include "profiler/record/unusable_sweep.hpp"
#include "profiler/store/open/default_database.hpp"

namespace triscope {
namespace {

std::map<std::int64_t, std::string> remark(const Snapshot& snapshot, std::vector<ResultRow>& rows) {
  std::map<std::int64_t, std::string> faults = snapshot.times_faults(rows);
  for (ResultRow& row : rows) {
    const auto fault = faults.find(row.measurement);
    if (fault != faults.end()) row.reason += (row.reason.empty() ? "" : "; ") + fault->second;
  }
  return faults;
}

}  // namespace

void remark_times(const Snapshot& snapshot, std::vector<ResultRow>& rows) { remark(snapshot, rows); }

std::string unusable_sweeps_text(const Snapshot& snapshot, const std::vector<ResultRow>& rows) {
  std::set<std::int64_t> measured;
  for (const ResultRow& row : rows) {
    if (row.status == Status::ok) measured.insert(row.sweep);
  }
  std::vector<std::string> sweeps;
  for (const SweepInfo& sweep : snapshot.sweeps()) {
    const std::string why = why_unusable(sweep);
    if (!why.empty() && measured.contains(sweep.id)) sweeps.push_back(fmt::format("sweep {} ({})", sweep.id, why));
  }
  if (sweeps.empty()) return "";
  const std::size_t more = sweeps.size() - 1;
  return fmt::format("{}{} cannot be used as a whole: its rows are taken as they are", sweeps.front(),
                     more == 0 ? "" : fmt::format(" and {} more", more));
}

void remark_times_aloud(const Snapshot& snapshot, std::vector<ResultRow>& rows, const std::filesystem::path& file) {
  std::string said = unusable_sweeps_text(snapshot, rows);
  const std::map<std::int64_t, std::string> faults = remark(snapshot, rows);
  if (!faults.empty()) {
    const auto& [first, words] = *faults.begin();
    if (!said.empty()) said += "; ";
    if (faults.size() == 1) {
      said += fmt::format("m{}: {}", first, words);
    } else {
      said += fmt::format(
          "{} rows have other times than their samples, m{} for one: {}; `triscope show{}` names those of a sweep",
          faults.size(), first, words, database_words(file));
    }
  }
  if (!said.empty()) print_error("triscope: {}", said);
}

}  // namespace triscope
