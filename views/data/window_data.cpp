#include "views/data/window_data.hpp"

#include <algorithm>

namespace triscope {

double progress_share(const RunState& run, std::int64_t now) {
  const double total = static_cast<double>(run.progress.total);
  double share = total > 0 ? static_cast<double>(run.progress.done) / total : 0;
  if (run.progress.seconds_left && run.started > 0) {
    const double passed = static_cast<double>(now - run.started);
    share = std::max(share, passed / std::max(1.0, passed + *run.progress.seconds_left));
  }
  return std::max(share, run.furthest);
}

const LiveRow* find_live(const RunState& run, std::int64_t measurement) {
  if (!run.running || measurement == 0) return nullptr;
  const auto found = std::find_if(run.live.rows.begin(), run.live.rows.end(),
                                  [&](const LiveRow& live) { return live.row.measurement == measurement; });
  return found == run.live.rows.end() ? nullptr : &*found;
}

const SweepInfo* sweep_before(const DatabaseData& data) {
  if (!data.shown) return nullptr;
  const auto shown = std::ranges::find(data.sweeps, data.shown->info.id, &SweepInfo::id);  // the newest come first
  return shown == data.sweeps.end() || shown + 1 == data.sweeps.end() ? nullptr : &shown[1];
}

}  // namespace triscope
