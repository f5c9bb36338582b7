#include "views/data/window_data.hpp"

#include <algorithm>

namespace triscope {

double progress_share(const Progress& progress) {
  return progress.total > 0 ? static_cast<double>(progress.done) / static_cast<double>(progress.total) : 0;
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
