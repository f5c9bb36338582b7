// Two or more sweeps, row by row: ratio with interval, verdict; and what else differs, most important first.
#include <fmt/format.h>

#include <algorithm>

#include "views/data/format.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/parts/data_state.hpp"
#include "views/parts/row_selection.hpp"
#include "views/parts/widgets.hpp"
#include "views/tables/tables_panels.hpp"

namespace triscope {
namespace {

void draw_differences(const Context& context, const CompareModel& model) {
  const Theme& theme = context.look.theme;
  if (model.differences.empty()) {
    muted_text(context, "Nothing else differs: same machine, conditions, sources and build.");
    return;
  }
  muted_text(context, "What else differs, most important first:");
  // The rows below are the answer: in a low panel this list scrolls.
  const float line = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  const float room = std::max(2 * line, (ImGui::GetContentRegionAvail().y - context.look.px(28)) * 0.4F);
  const float height = std::min(line * static_cast<float>(model.differences.size()), room);
  const int columns = 1 + static_cast<int>(model.sweeps.size());
  if (!ImGui::BeginTable("differences", columns,
                         ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_NoPadOuterX |
                             ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_ScrollY,
                         ImVec2(0, height)))
    return;
  ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthFixed, context.look.px(150));
  for (const Difference& difference : model.differences) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    coloured_text(theme.muted, difference.what);
    for (const std::string& value : difference.values) {
      ImGui::TableNextColumn();
      clipped_text(context, theme.text, value.empty() ? "unknown" : value, ImGui::GetContentRegionAvail().x);
    }
  }
  ImGui::EndTable();
}

/// The answer: beside the window's name, where no width hides it.
void draw_verdict(Context& context, const std::optional<CompareCell>& cell) {
  ImGui::TableNextColumn();
  if (cell && cell->comparison) {
    verdict(context, *cell->comparison, true);
  } else if (!cell) {
    coloured_text(context.look.theme.muted, "not measured");
  }
}

void draw_time(Context& context, const CompareModel& model, const std::optional<CompareCell>& cell) {
  const Theme& theme = context.look.theme;
  ImGui::TableNextColumn();
  if (cell && cell->ms) {
    number_right(context, format_fixed(*cell->ms, cell->decimals) + point_padding(cell->decimals, model.decimals));
  } else if (cell) {
    coloured_text(cell->status == Status::failed ? theme.slower : theme.muted, to_string(cell->status));
  } else {
    coloured_text(theme.muted, "not measured");
  }
}

void draw_ratio(Context& context, const CompareModel& model, const std::optional<CompareCell>& cell) {
  const bool compared = cell && cell->comparison;
  const int decimals = compared ? ratio_decimals(*cell->comparison) : 0;
  const std::string padding = point_padding(decimals, model.ratio_decimals);
  ImGui::TableNextColumn();
  if (compared) number_right(context, format_fixed(cell->comparison->ratio, decimals) + padding);
  ImGui::TableNextColumn();
  if (compared) number_right(context, interval_text(*cell->comparison) + padding, context.look.theme.muted);
}

/// What a click on a line selects: its measurement in the shown sweep, else in the last one that has it, and those of
/// the other sweeps beside it, the one that they are judged against last. Nothing where only another database has it.
RowTarget target_of(const Context& context, const CompareLine& line) {
  RowTarget target;
  std::size_t first = 0;
  for (std::size_t s = 0; s < line.cells.size(); ++s) {
    if (!line.cells[s] || line.cells[s]->measurement == 0) continue;
    target = {{line.cells[s]->measurement}, line.cells[s]->sweep};
    first = s;
    if (target.sweep == context.ui.selection.shown_sweep) break;
  }
  for (std::size_t s = line.cells.size(); s-- > 0;) {
    if (s != first && line.cells[s] && line.cells[s]->measurement != 0)
      target.measurements.push_back(line.cells[s]->measurement);
  }
  return target;
}

std::vector<std::int64_t> measurements_of(const CompareLine& line) {
  std::vector<std::int64_t> all;
  for (const auto& cell : line.cells) {
    if (cell && cell->measurement != 0) all.push_back(cell->measurement);
  }
  return all;
}

/// The window's name, over a click area as wide as the row.
void draw_name(Context& context, RowSelection& chosen, const CompareLine& line, int index) {
  const Theme& theme = context.look.theme;
  Selection& selection = context.ui.selection;
  const auto holds = [&](std::int64_t measurement) {
    return measurement != 0 && std::any_of(line.cells.begin(), line.cells.end(),
                                           [&](const auto& cell) { return cell && cell->measurement == measurement; });
  };
  const bool selected = chosen.contains(index);
  if (selected || holds(selection.hovered))
    ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg1, selected ? theme.accent_soft : theme.raised);
  ImGui::PushID(index);
  chosen.button(index);
  if (ImGui::IsItemHovered()) {
    const RowTarget target = target_of(context, line);
    if (!target.measurements.empty()) selection.hovered_now = target.measurements.front();
  }
  ImGui::PopID();
  ImGui::SameLine(0, 0);
  const NumberFont font(context.look);
  coloured_text(theme.text, line.window);
}

void draw_line(Context& context, RowSelection& chosen, const CompareModel& model, const CompareLine& line, int index) {
  const Theme& theme = context.look.theme;
  ImGui::TableNextRow(0, context.look.px(24));
  ImGui::TableNextColumn();
  draw_name(context, chosen, line, index);
  ImGui::TableNextColumn();
  coloured_text(theme.text, line.kernel);
  for (std::size_t s = 1; s < line.cells.size(); ++s) {
    draw_verdict(context, line.cells[s]);
    draw_ratio(context, model, line.cells[s]);
  }
  for (const auto& cell : line.cells) draw_time(context, model, cell);
  if (model.has_passes) {
    ImGui::TableNextColumn();
    coloured_text(theme.muted, line.pass);
  }
  if (model.has_settings) {
    ImGui::TableNextColumn();
    clipped_text(context, theme.muted, line.setting, ImGui::GetContentRegionAvail().x);
  }
}

void draw_lines(Context& context, const CompareModel& model) {
  const auto line_of = [&](int row) -> const CompareLine& { return model.lines[static_cast<std::size_t>(row)]; };
  const int rows = static_cast<int>(model.lines.size());
  RowSelection chosen(
      context, rows, [&](int row) { return target_of(context, line_of(row)); },
      [&](int row) { return measurements_of(line_of(row)); });
  ImGuiListClipper clipper;
  clipper.Begin(rows);
  if (chosen.source() >= 0) clipper.IncludeItemByIndex(chosen.source());
  while (clipper.Step()) {
    for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row)
      draw_line(context, chosen, model, line_of(row), row);
  }
}

/// As wide as the longest, in design pixels; a very long one is cut, and hovering says it.
float setting_width(const Context& context, const CompareModel& model) {
  float widest = 0;
  for (const CompareLine& line : model.lines) widest = std::max(widest, ImGui::CalcTextSize(line.setting.c_str()).x);
  return std::clamp(widest / context.look.px(1) + 12, 80.0F, 320.0F);
}

void draw_rows(Context& context, const CompareModel& model) {
  const int columns =
      3 + (model.has_passes ? 1 : 0) + (model.has_settings ? 1 : 0) + 4 * (static_cast<int>(model.sweeps.size()) - 1);
  const ImGuiTableFlags flags = ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY | ImGuiTableFlags_Resizable |
                                ImGuiTableFlags_NoBordersInBody | ImGuiTableFlags_BordersInnerH |
                                ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_PadOuterX;
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(context.look.px(5), context.look.px(4)));
  const bool open = ImGui::BeginTable("compare", columns, flags);
  ImGui::PopStyleVar();
  if (!open) return;
  const auto column = [&](const std::string& name, float width) {
    ImGui::TableSetupColumn(name.c_str(), ImGuiTableColumnFlags_WidthFixed, context.look.px(width));
  };
  const bool several = model.sweeps.size() > 2;
  ImGui::TableSetupScrollFreeze(several ? 1 : 2, 1);
  // What answers the question comes first, so that it needs no scrolling; what only places a row comes last.
  std::vector<bool> right{false, false};
  column("window", 84);
  column("kernel", 100);
  for (std::size_t s = 1; s < model.sweeps.size(); ++s) {
    column(several ? fmt::format("{}##verdict", model.sweeps[s]) : "verdict", 104);
    column(fmt::format("ratio##{}", s), 44);
    column(fmt::format("interval##{}", s), 108);
    right.insert(right.end(), {false, true, true});
  }
  for (const std::string& sweep : model.sweeps) {
    column(fmt::format("{}, ms", sweep), std::clamp(16 + 6.5F * static_cast<float>(sweep.size() + 4), 84.0F, 120.0F));
    right.push_back(true);
  }
  if (model.has_passes) column("pass", 64);
  if (model.has_settings) column("setting", setting_width(context, model));
  header_row(context, right);
  draw_lines(context, model);
  ImGui::EndTable();
}

/// "63ca6c (24 Nov 10:12 to 25 Nov 09:01)": with the hours between which it was measured.
std::string version_text(const KernelVersion& version, std::int64_t now) {
  const std::string first = format_started(version.first, now), last = format_started(version.last, now);
  return fmt::format("{} ({})", short_hash(version.hash), first == last ? first : first + " to " + last);
}

/// "Hopper forward: 63ca6c (24 Nov 10:12) → 2c6a73 (25 Nov 09:01), 34 shared".
std::string change_text(const VersionChange& change, std::int64_t now) {
  return fmt::format("{} {}: {} → {}, {} shared", change.label, to_string(change.choice.pass),
                     version_text(change.before, now), version_text(change.after, now), change.shared);
}

/// Which versions are compared; others are chosen here.
void draw_versions(Context& context) {
  const VersionChoice& chosen = context.data.versions;
  const auto is_chosen = [&](const VersionChange& change) {
    return change.choice.kernel == chosen.kernel && change.choice.pass == chosen.pass &&
           change.choice.before.starts_with(chosen.before) && change.choice.after.starts_with(chosen.after);
  };
  const auto found = std::ranges::find_if(context.data.changes, is_chosen);
  const std::string shown = found == context.data.changes.end() ? "" : change_text(*found, context.now);
  if (context.ui.printing) return muted_text(context, shown);
  const float wanted = button_width(shown.c_str()) + ImGui::GetFrameHeight();
  ImGui::SetNextItemWidth(std::min(ImGui::GetContentRegionAvail().x, std::max(context.look.px(320), wanted)));
  if (!ImGui::BeginCombo("##versions", shown.c_str(), ImGuiComboFlags_HeightLarge)) return tooltip(context, shown);
  for (const VersionChange& change : context.data.changes) {
    const std::string text = change_text(change, context.now);
    if (ImGui::Selectable(text.c_str(), is_chosen(change))) context.request(ask::CompareVersions{change.choice});
  }
  ImGui::EndCombo();
}

/// What leads away from a comparison that is not of sweeps of this database.
struct WayBack {
  std::string label;
  Request request;
};
std::optional<WayBack> way_back(const Context& context) {
  if (context.ui.printing) return std::nullopt;
  if (!context.data.versions.kernel.empty()) return WayBack{"Leave the versions", ask::LeaveVersions{}};
  const std::string& other = context.data.compared.front().database;
  if (!other.empty()) return WayBack{fmt::format("Leave {}", other), ask::LeaveOtherDatabase{}};
  return std::nullopt;
}

void draw_nothing_compared(Context& context) {
  const Step other{"Compare with another database...", FileRequest(ask::CompareDatabase{})};
  const Step versions{"Compare two versions of a kernel", ask::CompareVersions{}};
  if (context.data.sweeps.size() < 2) {
    empty_state(context,
                "A comparison needs two sweeps, and this database holds one. Run the sweep again to see what changed.",
                {{"Run", ask::Run{}}, other});
    return;
  }
  const std::string_view how =
      "Choose two or more sweeps in the history with Ctrl+click, or set a baseline (B) and press C.";
  if (sweep_before(context.data)) {
    empty_state(context, how, {{"Compare with the sweep before it", ask::CompareBefore{}}, versions, other});
  } else {
    empty_state(context, how, {versions, other});
  }
}

/// "Ratio = time 2c6a73 / time 63ca6c".
std::string ratio_text(const CompareModel& model) {
  const std::string& old = model.sweeps.front();
  return model.sweeps.size() == 2 ? fmt::format("Ratio = time {} / time {}; below 1 is faster.", model.sweeps[1], old)
                                  : fmt::format("Ratio = time here / time of {}; below 1 is faster.", old);
}

}  // namespace

void draw_compare_panel(Context& context) {
  if (!draw_data_state(context)) return;
  const CompareModel* model = context.models.compare(context.data, context.now);
  if (!model) return draw_nothing_compared(context);
  const ChartFrame frame(context, Panel::compare);
  const bool versions = !context.data.versions.kernel.empty();
  std::string summary = compare_summary(*model);
  if (versions) summary = fmt::format("{}: {}", counted(model->lines.size(), "shared measurement"), summary);
  if (!model->has_passes && !model->lines.empty()) summary += " " + sentence(model->lines.front().pass);
  const std::optional<WayBack> back = way_back(context);
  const float room = back ? button_width(back->label.c_str()) + ImGui::GetStyle().ItemSpacing.x : 0;
  panel_heading(context, summary, "", button_width(kCopySave) + room);
  if (back) {
    align_right(button_width(kCopySave) + room);
    if (ImGui::Button((back->label + "###leave").c_str())) context.request(back->request);
  }
  chart_button(context, Panel::compare);
  if (versions) draw_versions(context);
  muted_text(context, ratio_text(*model) + " " + compare_explanation(*model), true);
  draw_differences(context, *model);
  ImGui::Dummy(ImVec2(0, context.look.px(4)));
  draw_rows(context, *model);
}

}  // namespace triscope
