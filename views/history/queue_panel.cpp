// What is measured now, with the intervals as they narrow, and what comes next.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "profiler/plan/sweep_queue.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/statistics/centre.hpp"
#include "profiler/statistics/statistics.hpp"
#include "profiler/statistics/training_step.hpp"
#include "views/data/brief_label.hpp"
#include "views/data/format.hpp"
#include "views/history/history_panels.hpp"
#include "views/model/measure_more.hpp"
#include "views/model/tables/latency_model.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

constexpr float kWaitingLine = 20;  ///< height of a group that waits, design pixels

const char* short_pass(Pass pass) { return pass == Pass::forward ? "fwd" : "bwd"; }

ResultRow row_of(const MeasurementKey& key) {
  ResultRow row;
  row.problem = key.problem;
  row.pass = key.pass;
  return row;
}

bool is_windowed(const MeasurementKey& key) {
  return key.problem.form == Form::trilinear || key.problem.form == Form::determinant;
}

/// Some rows are trilinear and some are determinants.
bool has_both_forms(const SweepQueue& queue) {
  std::set<Form> forms;
  for (const std::vector<MeasurementKey>& keys : queue.parts) {
    for (const MeasurementKey& key : keys) {
      if (is_windowed(key)) forms.insert(key.problem.form);
    }
  }
  return forms.size() > 1;
}

/// "512 × 32 fwd, 3 kernels"; with its tokens where the sweep has several lengths, and with its form where it has both.
std::string part_text(const SweepQueue& queue, std::size_t part) {
  const std::vector<MeasurementKey>& keys = queue.parts[part];
  const auto ours =
      std::ranges::find_if(keys, [](const MeasurementKey& key) { return key.problem.form != Form::dot_product; });
  const MeasurementKey& key = ours == keys.end() ? keys.front() : *ours;
  const std::int64_t tokens = queue.parts.front().front().problem.seq_len;
  const bool lengths = std::ranges::any_of(
      queue.parts, [&](const std::vector<MeasurementKey>& other) { return other.front().problem.seq_len != tokens; });
  std::string text = fmt::format("{} {}", line_label(row_of(key)), short_pass(key.pass));
  if (is_windowed(key) && has_both_forms(queue)) text += fmt::format(", {}", to_string(key.problem.form));
  if (lengths && key.problem.form != Form::dot_product) text += ", " + format_tokens(key.problem.seq_len);
  if (keys.size() > 1) text += fmt::format(", {} rows", keys.size());
  return text;
}

/// A row in work: its time so far, and how near its interval is to what ends it.
void draw_row(Context& context, const LiveRow& live, double precision) {
  const double widest = widest_converged(precision);
  const Look& look = context.look;
  const Theme& theme = look.theme;
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  const ResultRow& row = live.row;
  const std::optional<double> spread = spread_percent(row.median_ms, row.ci_low_ms, row.ci_high_ms);
  // Its first samples may not be summed up yet.
  std::string number = row.median_ms ? format_ms(*row.median_ms, half_width(value_of(row))) : "waits";
  if (spread) number += fmt::format(" ±{} %", significant_text(*spread, 2));
  float width = 0;
  {
    const NumberFont digits(look);
    width = ImGui::CalcTextSize(number.c_str()).x;
  }
  {
    const SmallFont font(look);
    clipped_text(context, row.problem.form == Form::dot_product ? theme.muted : theme.text,
                 fmt::format("{} {}, {}", line_label(row), short_pass(row.pass), brief_label(row.card)),
                 ImGui::GetContentRegionAvail().x - width - look.px(8));
  }
  ImGui::SameLine();
  number_right(context, number, live.samples.empty() ? theme.muted : 0, right);
  // Half the interval is what is left of the way, on a scale of factors: from 16 times what ends it down to that.
  constexpr double kFarthest = 16;
  const double far = spread ? std::clamp(*spread / std::max(1e-9, 100 * widest), 1.0, kFarthest) : kFarthest;
  const float near = 1 - static_cast<float>(std::log(far) / std::log(kFarthest));
  ImGui::PushID(static_cast<int>(row.measurement));
  bar(context, near, ImVec2(ImGui::GetContentRegionAvail().x, look.px(4)), theme.accent);
  tooltip(context, spread ? fmt::format("{}. The interval of this restart is {:.2f} %; {:.2f} % ends it.",
                                        counted(live.samples.size(), "sample"), *spread, 100 * widest)
                          : std::string("Its interval is not known yet."));
  ImGui::PopID();
}

/// What was read of the device beside the newest sample.
void draw_readings(Context& context, const std::vector<LiveRow>& rows) {
  const Sample* newest = nullptr;
  for (const LiveRow& row : rows) {
    if (!row.samples.empty() && (!newest || row.samples.back().started_ns > newest->started_ns))
      newest = &row.samples.back();
  }
  if (!newest) return;
  std::string text;
  const auto add = [&](const std::optional<double>& value, const char* unit) {
    if (value) text += fmt::format("{}{} {}", text.empty() ? "" : "  ", format_count(std::llround(*value)), unit);
  };
  add(newest->sm_clock_mhz, "MHz");
  add(newest->power_w, "W");
  add(newest->temperature_c, "°C");
  const bool limited = newest->flag.starts_with("throttled");
  const SmallFont font(context.look);
  clipped_text(context, limited ? context.look.theme.unclear : context.look.theme.muted,
               text.empty() ? "Clock, power and temperature are not read here."
                            : text + (limited ? "  " + flag_label(newest->flag) : ""),
               ImGui::GetContentRegionAvail().x);
}

constexpr const char* kLonger = "Longer";

void draw_now(Context& context) {
  const RunState& run = context.data.run;
  const LiveSweep& live = run.live;
  if (!live.queue || !live.at || *live.at >= live.queue->groups.size()) {
    muted_text(context, run.stopping ? "Stopping." : "The worker is starting.");
    return;
  }
  const SweepQueue::Group& group = live.queue->groups[*live.at];
  const std::size_t count = live.queue->groups.size();
  const bool skipped = live.left_out.contains(*live.at);
  const char* skip = skipped ? "Skipped" : "Skip";
  const float buttons = button_width(skip) + (skipped ? 0 : button_width(kLonger) + ImGui::GetStyle().ItemSpacing.x);
  clipped_text(
      context, context.look.theme.muted,
      fmt::format("Now: {} of {}, restart {}", count - std::min(count, live.waiting.size()), count, group.restart + 1),
      ImGui::GetContentRegionAvail().x - buttons - ImGui::GetStyle().ItemSpacing.x);
  align_right(buttons);
  if (!skipped) {
    ImGui::BeginDisabled(!can_measure_more(context.data, run));
    if (ImGui::SmallButton(kLonger)) context.request(ask::MeasureLonger{*live.at});
    ImGui::EndDisabled();
    tooltip(context,
            "The budget of these rows once more: as many restarts as they were to have, at the end of the queue.");
    ImGui::SameLine();
  }
  ImGui::BeginDisabled(skipped || run.stopping);
  if (ImGui::SmallButton(skip)) context.request(ask::SkipGroup{*live.at});
  ImGui::EndDisabled();
  tooltip(context, "Leave these rows out after the current sample. Resume measures them.");
  draw_readings(context, live.rows);
  for (const LiveRow& row : live.rows) draw_row(context, row, live.precision);
}

constexpr const char* kDragged = "group of the queue";

/// A click selects the group, for the keys; dropped on another it takes its place.
void draw_handle(Context& context, const LiveSweep& live, std::size_t place, const std::string& text, float width) {
  const std::size_t index = live.waiting[place];
  std::optional<std::size_t>& selected = context.ui.queue_group;
  const ImVec2 at = ImGui::GetCursorPos();
  if (ImGui::Selectable("##group", selected == index, ImGuiSelectableFlags_None,
                        ImVec2(width, context.look.px(kWaitingLine))))
    selected = selected == index ? std::nullopt : std::optional(index);
  if (ImGui::BeginDragDropSource()) {
    ImGui::SetDragDropPayload(kDragged, &index, sizeof(index));
    ImGui::TextUnformatted(text.c_str());
    ImGui::EndDragDropSource();
  } else {
    tooltip(context, "Drag it, or select it and press Alt+Up or Alt+Down: earlier or later, within its restart.");
  }
  if (ImGui::BeginDragDropTarget()) {
    if (const ImGuiPayload* payload = ImGui::AcceptDragDropPayload(kDragged)) {
      const std::size_t dragged = *static_cast<const std::size_t*>(payload->Data);
      const auto from = std::ranges::find(live.waiting, dragged) - live.waiting.begin();
      context.request(ask::MoveGroup{static_cast<std::ptrdiff_t>(place) - from, dragged});
    }
    ImGui::EndDragDropTarget();
  }
  ImGui::SetCursorPos(at);
}

void draw_group(Context& context, const LiveSweep& live, std::size_t place) {
  const std::size_t index = live.waiting[place];
  if (index >= live.queue->groups.size()) return;  // added since: the sweep tells of it in a moment
  const Look& look = context.look;
  const SweepQueue::Group& group = live.queue->groups[index];
  const bool skipped = live.left_out.contains(index);
  const SmallFont font(look);
  const float left = ImGui::GetCursorPosX(), width = ImGui::GetContentRegionAvail().x,
              button = ImGui::CalcTextSize("×").x + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::PushID(static_cast<int>(index));
  const float top = ImGui::GetCursorPosY();
  std::string text = part_text(*live.queue, group.part);
  if (group.restart > 0) text += fmt::format(", restart {}", group.restart + 1);
  const std::string time = skipped ? "left out" : format_seconds(group.seconds * live.correction);
  const float time_width = ImGui::CalcTextSize(time.c_str()).x;
  draw_handle(context, live, place, text, width - button - look.px(2));
  clipped_text(context, skipped ? look.theme.muted : look.theme.text, text, width - time_width - button - look.px(8));
  ImGui::SameLine();
  ImGui::SetCursorPosX(left + width - button - time_width - look.px(4));
  coloured_text(look.theme.muted, time);
  if (!skipped) {
    ImGui::SameLine();
    ImGui::SetCursorPos(ImVec2(left + width - button, top));
    ImGui::PushStyleColor(ImGuiCol_Text, look.theme.muted);
    if (ImGui::SmallButton("×")) context.request(ask::SkipGroup{index});
    ImGui::PopStyleColor();
    tooltip(context, "Leave these rows out. Resume measures them.");
  }
  ImGui::SetCursorPos(ImVec2(left, top));
  ImGui::Dummy(ImVec2(1, look.px(kWaitingLine)));
  ImGui::PopID();
}

void draw_ahead(Context& context) {
  const LiveSweep& live = context.data.run.live;
  if (!live.queue) return;
  if (live.waiting.empty()) return;
  section(context, "Next");
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(ImGui::GetStyle().ItemSpacing.x, 0));
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(live.waiting.size()), context.look.px(kWaitingLine));
  while (clipper.Step()) {
    for (int n = clipper.DisplayStart; n < clipper.DisplayEnd; ++n)
      draw_group(context, live, static_cast<std::size_t>(n));
  }
  ImGui::PopStyleVar();
}

/// Adds restarts to rows of the shown sweep.
void draw_more(Context& context) {
  const WindowData& data = context.data;
  const std::size_t unclear = count_unclear(data);
  const float width = (ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ItemSpacing.x) / 2;
  ImGui::BeginDisabled(!can_measure_again(data, data.run, context.ui.selection));
  if (ImGui::Button("Row again", ImVec2(width, 0))) context.request(ask::MeasureAgain{});
  ImGui::EndDisabled();
  tooltip(context, "One more restart of the selected row and of what takes turns with it, once the rest is measured.");
  ImGui::SameLine();
  const bool of_queue = data.run.running && context.ui.queue_group.has_value();
  ImGui::BeginDisabled(!can_measure_longer(data, data.run, context.ui.selection, of_queue));
  if (ImGui::Button("Measure longer", ImVec2(width, 0))) context.request(ask::MeasureLonger{});
  ImGui::EndDisabled();
  tooltip(context,
          fmt::format("The budget of {} once more, and of what takes turns with {}: as many restarts as they were to "
                      "have, at the end of the queue, where × takes it back. Ctrl+M.",
                      of_queue ? "the group selected above" : "the selected rows", of_queue ? "it" : "them"));
  ImGui::BeginDisabled(!can_measure_unclear(data, data.run));
  const std::string count = unclear == 0 ? "" : format_count(static_cast<std::int64_t>(unclear)) + " ";
  const std::string label = fmt::format("Measure {}unclear", count);
  if (ImGui::Button(label.c_str(), ImVec2(-1, 0))) context.request(ask::MeasureUnclear{});
  ImGui::EndDisabled();
  tooltip(context, fmt::format("Up to {} more restarts of the rows whose time beside the reference is unclear. What is "
                               "unclear then stays unclear.",
                               kMostLooks));
}

}  // namespace

void draw_queue_panel(Context& context) {
  const WindowData& data = context.data;
  const bool rows = data.shown && !data.shown->rows.empty();
  const float footer = rows ? 2 * ImGui::GetFrameHeightWithSpacing() : 0;
  if (ImGui::BeginChild("groups", ImVec2(0, ImGui::GetContentRegionAvail().y - footer))) {
    if (data.run.running) {
      draw_now(context);
      draw_ahead(context);
    } else {
      muted_text(context,
                 "Nothing is being measured. While a sweep runs, its rows stand here with their intervals, and "
                 "what comes next.",
                 true);
    }
  }
  ImGui::EndChild();
  if (rows) draw_more(context);
}

}  // namespace triscope
