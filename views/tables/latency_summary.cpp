#include "views/tables/latency_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "profiler/plan/sweep_title.hpp"
#include "views/data/format.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

std::string summary_of(const Context& context, const LatencyModel& model, std::size_t shown_lines) {
  const WindowData& data = context.data;
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : " · ") + part;
  };
  if (model.apart) add("* not measured in turns");  // first: it explains what stands in the table, and is never cut
  const std::string& device = data.shown->info.environment.device_name;
  add(device.empty() ? device : "measured on " + short_device(device));
  add(model.conditions);
  add(context.ui.table_filter.empty() ? counted(model.lines.size(), "row")
                                      : fmt::format("{} of {}", shown_lines, counted(model.lines.size(), "row")));
  if (model.flagged > 0) add(counted(model.flagged, "flagged sample") + ", kept");
  if (data.baseline) {
    if (data.baseline->info.id == data.shown->info.id) {
      add("this sweep is the baseline");
      return text;
    }
    const bool judged = std::ranges::any_of(model.groups, &LatencyGroup::judged);
    add(fmt::format("{}baseline {}", judged || !model.has_baseline ? "" : "no row in common with ",
                    format_started(data.baseline->info.started, context.now)));
  }
  return text;
}

}  // namespace

void draw_summary(const Context& context, const LatencyModel& model, std::size_t shown_lines, float width) {
  const SmallFont font(context.look);
  const Theme& theme = context.look.theme;
  const std::string summary = summary_of(context, model, shown_lines);
  const std::string failed = model.failed > 0 ? fmt::format("{} failed", model.failed) : "";
  if (context.ui.printing) {
    if (!failed.empty()) coloured_text(theme.slower, failed);
    return muted_text(context, summary, true);
  }
  if (!failed.empty()) {
    coloured_text(theme.slower, failed);
    ImGui::SameLine(0, 0);
    width -= ImGui::GetItemRectSize().x;
  }
  clipped_text(context, theme.muted, failed.empty() ? summary : " · " + summary, width);
}

}  // namespace triscope
