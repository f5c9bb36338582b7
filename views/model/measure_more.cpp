#include "views/model/measure_more.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiler/record/unusable_sweep.hpp"
#include "views/model/setup_model.hpp"

namespace triscope {

std::string why_not_run(const WindowData& data, const SetupForm& form) {
  if (data.run.running) return "A sweep is running.";
  if (data.database.empty()) return "No database is open.";
  if (data.read_only) return "This database is read-only: open your own to measure.";
  if (!form.needs_device.empty())
    return fmt::format("The sweep setup needs {}, which this computer lacks: choose kernels that run here.",
                       form.needs_device);
  if (!data.machine.catalog) return data.machine.problem;
  const PlanPreview* preview = data.preview.get();
  if (preview == nullptr || !preview->problem.empty()) return preview == nullptr ? "" : preview->problem;
  if (preview->measurements > 0 || preview->unable.empty()) return {};
  return fmt::format("No chosen kernel can run: {}", preview->unable.begin()->second);
}

std::string run_words(const WindowData& data, const SetupForm& form) {
  if (const std::string why_not = why_not_run(data, form); !why_not.empty()) return why_not;
  const auto problems = read_form(form, data.machine.catalog.get(), &data.library).problems.size();
  if (problems == 0) return "Measure what the sweep setup says.";
  return problems == 1 ? "One field needs attention: Run only shows it, in the sweep setup."
                       : fmt::format("{} fields need attention: Run only shows them, in the sweep setup.", problems);
}

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

bool can_measure_longer(const DatabaseData& data, const RunState& run, const Selection& selection, bool queue_group) {
  if (!can_measure_more(data, run)) return false;
  if (queue_group && run.running) return true;
  const auto& rows = data.shown->rows;
  return selection.pinned() != 0 && std::ranges::find(rows, selection.pinned(), &ResultRow::measurement) != rows.end();
}

std::size_t count_unclear(const DatabaseData& data) {
  if (!data.beside_reference || !data.shown) return 0;
  const auto& verdicts = data.beside_reference->by_measurement;  // of other sweeps too
  return static_cast<std::size_t>(std::ranges::count_if(data.shown->rows, [&](const ResultRow& row) {
    const auto found = verdicts.find(row.measurement);
    return found != verdicts.end() && found->second.verdict == Verdict::unclear;
  }));
}

bool can_measure_unclear(const DatabaseData& data, const RunState& run) {
  return can_measure_more(data, run) && count_unclear(data) > 0;
}

}  // namespace triscope
