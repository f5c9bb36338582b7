#include "app/cli/text/checked_times.hpp"

#include <cstdint>
#include <map>
#include <string>

#include "app/cli/text/terminal.hpp"
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

void remark_times_aloud(const Snapshot& snapshot, std::vector<ResultRow>& rows, const std::filesystem::path& file) {
  const std::map<std::int64_t, std::string> faults = remark(snapshot, rows);
  if (faults.empty()) return;
  const auto& [first, words] = *faults.begin();
  if (faults.size() == 1) {
    print_error("triscope: m{}: {}", first, words);
  } else {
    print_error(
        "triscope: {} rows have other times than their samples, m{} for one: {}; `triscope show{}` names those of a "
        "sweep",
        faults.size(), first, words, database_words(file));
  }
}

}  // namespace triscope
