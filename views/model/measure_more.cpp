#include "views/model/measure_more.hpp"

#include <algorithm>

#include "profiler/record/unusable_sweep.hpp"

namespace triscope {

bool can_measure_more(const DatabaseData& data, const RunState& run) {
  if (data.read_only || !data.shown || data.shown->rows.empty()) return false;
  const SweepInfo& info = data.shown->info;
  if (run.running) return !run.stopping && measures_here(run, data) && run.sweep == info.id;
  return !info.running && why_unusable(info).empty();
}

bool can_measure_again(const DatabaseData& data, const RunState& run, const Selection& selection) {
  return can_measure_more(data, run) && selection.pinned() > 0 && data.selected &&
         data.selected->row.sweep == data.shown->info.id;
}

std::size_t count_unclear(const DatabaseData& data) {
  if (!data.beside_reference) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(data.beside_reference->by_measurement, [](const auto& beside) {
    return beside.second.verdict == Verdict::unclear;
  }));
}

bool can_measure_unclear(const DatabaseData& data, const RunState& run) {
  return can_measure_more(data, run) && count_unclear(data) > 0;
}

}  // namespace triscope
