#include "views/charts/explore_controls.hpp"

#include <fmt/format.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "kernels/base/text/text_beginning.hpp"
#include "profiler/explore/explore_fields.hpp"
#include "views/data/format.hpp"
#include "views/model/charts/explore_axis.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

constexpr std::size_t kMostViews = 40, kLongestName = 60;
constexpr float kNarrowestFilter = 150;  ///< beside the last button, design pixels; with less it has a line of its own

/// On the line of the item before where `width` has room there.
void flow(float width) {
  ImGui::SameLine();
  if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
}

std::string label_of(const std::string& id) {
  const ExploreField* field = find_explore_field(id);
  return field == nullptr ? "none" : std::string(field->label);
}

/// `room`: how high the list may be.
void field_item(const Context& context, const ExploreField& field, std::string& chosen, float room) {
  const float column = context.look.px(190);
  const bool is_chosen = chosen == field.id;
  if (ImGui::Selectable(fmt::format("{}##{}", field.label, field.id).c_str(), is_chosen)) chosen = field.id;
  if (is_chosen) ImGui::SetItemDefaultFocus();  // it is in view, and the arrow keys begin there
  // A list that opens has no size yet, so that it would scroll also to what has room on its first page.
  if (is_chosen && ImGui::IsWindowAppearing() && ImGui::GetCursorPosY() + ImGui::GetTextLineHeightWithSpacing() < room)
    ImGui::SetScrollY(0);
  tooltip(context, field.meaning);
  ImGui::SameLine(column);
  muted_text(context, field.id);
}

/// Hardware counters in a list of their own, since they are many.
void counter_items(const Context& context, std::string& chosen) {
  ImGui::Separator();
  if (!ImGui::BeginMenu("hardware counters")) return;
  for (const ExploreField& field : explore_fields()) {
    if (!field.counter.empty()) field_item(context, field, chosen, 0);
  }
  ImGui::EndMenu();
}

/// The list stands wholly below its box or above it, so that it opens with no entry under the pointer; it scrolls where
/// it is longer. How high it may be.
float keep_beside_box() {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const float above = ImGui::GetCursorScreenPos().y - viewport->WorkPos.y,
              below =
                  viewport->WorkPos.y + viewport->WorkSize.y - ImGui::GetCursorScreenPos().y - ImGui::GetFrameHeight();
  ImGui::SetNextWindowSizeConstraints(ImVec2(0, 0), ImVec2(FLT_MAX, std::max(above, below)));
  return std::max(above, below);
}

/// A box that names its role and what was chosen: "x: tokens". `alone`: at the beginning of a line.
void field_box(Context& context, const char* role, std::string& id, bool numbers_only, bool may_be_none, bool alone) {
  const std::string shown = fmt::format("{}: {}", role, label_of(id));
  const float width = button_width(shown.c_str()) + ImGui::GetFrameHeight();
  if (!alone) flow(width);
  ImGui::SetNextItemWidth(width);
  const float room = keep_beside_box();
  if (!ImGui::BeginCombo(fmt::format("##{}", role).c_str(), shown.c_str(), ImGuiComboFlags_HeightLargest)) return;
  if (may_be_none && ImGui::Selectable("none", id.empty())) id.clear();
  bool measured = false;
  for (const ExploreField& field : explore_fields()) {
    if ((numbers_only && field.number == nullptr) || !field.counter.empty()) continue;
    if (field.measure && !measured) ImGui::Separator();
    measured = measured || field.measure;
    field_item(context, field, id, room);
  }
  counter_items(context, id);
  ImGui::EndCombo();
}

/// `below`: each on a line of its own.
void field_boxes(Context& context, bool below) {
  ExploreQuery& query = context.ui.explore.query;
  field_box(context, "y", query.y, true, false, true);  // the first begins a line
  field_box(context, "x", query.x, false, false, below);
  field_box(context, "colour", query.color, false, true, below);
  field_box(context, "panels", query.panels, false, true, below);
  field_box(context, "rows", query.rows, false, true, below);
}

/// In a small panel they would leave the chart no room: there they stand in a list of their own.
void draw_fields(Context& context) {
  if (!is_small(context)) return field_boxes(context, false);
  if (ImGui::Button("Axes")) ImGui::OpenPopup("axes");
  tooltip(context, "What stands upwards, along the axis, in colours, in panels and in rows of panels");
  if (!ImGui::BeginPopup("axes")) return;
  field_boxes(context, true);
  ImGui::EndPopup();
}

void take(Context& context, const ExploreView& view) {
  context.ui.explore.query = view.query;
  context.ui.explore.filter = view.query.where;
  context.ui.explore.view_name = view.name;
  context.ui.fit_charts = true;
}

/// Under its name, in place of one of the same name.
void save_view(UiState& ui) {
  std::vector<ExploreView>& views = ui.settings.explore_views;
  const std::string& name = ui.explore.view_name;
  std::erase_if(views, [&](const ExploreView& view) { return view.name == name; });
  views.push_back({name, ui.explore.query});
  std::sort(views.begin(), views.end(), [](const ExploreView& a, const ExploreView& b) { return a.name < b.name; });
  ImGui::MarkIniSettingsDirty();  // so that the settings are written soon
}

void saved_views(Context& context) {
  std::vector<ExploreView>& views = context.ui.settings.explore_views;
  for (std::size_t n = 0; n < views.size(); ++n) {
    ImGui::PushID(static_cast<int>(n));
    const float cross = button_width("x"), width = context.look.px(230) - cross - ImGui::GetStyle().ItemSpacing.x;
    ImGui::AlignTextToFramePadding();
    if (ImGui::Selectable(views[n].name.c_str(), false, 0, ImVec2(width, 0))) take(context, views[n]);
    ImGui::SameLine();
    const bool forgotten = ImGui::SmallButton("x");
    tooltip(context, "Forget this view");
    ImGui::PopID();
    if (!forgotten) continue;
    views.erase(views.begin() + static_cast<std::ptrdiff_t>(n));
    ImGui::MarkIniSettingsDirty();
    return;
  }
}

void view_menu(Context& context) {
  const float width = button_width("Views");
  flow(width);
  if (ImGui::Button("Views")) ImGui::OpenPopup("views");
  tooltip(context, "Usual and saved settings of this panel");
  if (!ImGui::BeginPopup("views")) return;
  UiState& ui = context.ui;
  for (const ExploreView& view : usual_views()) {
    if (ImGui::Selectable(view.name.c_str(), false, 0, ImVec2(context.look.px(230), 0))) take(context, view);
  }
  ImGui::Separator();
  saved_views(context);
  const bool room = ui.settings.explore_views.size() < kMostViews, named = !ui.explore.view_name.empty();
  ImGui::SetNextItemWidth(context.look.px(230) - button_width("Save") - ImGui::GetStyle().ItemSpacing.x);
  bool save = ImGui::InputTextWithHint("##view_name", "name of this view", &ui.explore.view_name,
                                       ImGuiInputTextFlags_EnterReturnsTrue);
  ui.explore.view_name.resize(whole_characters(ui.explore.view_name, kLongestName));
  ImGui::SameLine();
  save |= primary_button(context, "Save", room && named);
  if (save && room && named) {
    save_view(ui);
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

/// A file's name, with the folder on hover.
void database_item(const Context& context, const std::string& file) {
  ImGui::TextUnformatted(file.substr(file.rfind('/') + 1).c_str());
  tooltip(context, file);
}

/// Whose measurements are shown: the open database's, and those of others that were opened lately or are chosen.
void database_menu(Context& context) {
  std::vector<std::string>& others = context.ui.settings.explore_databases;
  const auto open = [&](const std::string& file) { return is_open(context.data, file); };
  const auto beside = std::ssize(others) - std::ranges::count_if(others, open);
  const std::string label =
      beside == 0 ? "Databases###databases" : fmt::format("Databases: {}###databases", 1 + beside);
  flow(button_width(label.substr(0, label.find("###")).c_str()));
  if (ImGui::Button(label.c_str())) ImGui::OpenPopup("databases");
  tooltip(context, "Measurements of other databases beside those of the open one");
  if (!ImGui::BeginPopup("databases")) return;
  bool always = true;
  ImGui::BeginDisabled();
  ImGui::Checkbox("##open", &always);
  ImGui::EndDisabled();
  ImGui::SameLine();
  database_item(context, context.data.database);
  ImGui::SameLine();
  muted_text(context, "open");
  std::vector<std::string> listed = others;
  for (const std::string& file : context.ui.settings.recent_databases) {
    if (std::ranges::find(listed, file) == listed.end()) listed.push_back(file);
  }
  std::erase_if(listed, open);
  std::ranges::sort(listed);
  for (const std::string& file : listed) {
    ImGui::PushID(file.c_str());
    bool shown = std::ranges::find(others, file) != others.end();
    if (ImGui::Checkbox("##shown", &shown)) {
      std::erase(others, file);
      if (shown) others.push_back(file);
      context.ui.fit_charts = true;
    }
    ImGui::SameLine();
    database_item(context, file);
    ImGui::PopID();
  }
  if (ImGui::Button("Another file...")) {
    context.request(FileRequest(ask::ExploreDatabase{}));
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

/// The last click on the filter's terms taken back; nothing once the filter is typed in again.
void undo_button(Context& context) {
  ExploreUi& ui = context.ui.explore;
  if (ui.filter != ui.written) ui.before_clicks.clear();
  if (ui.before_clicks.empty()) return;
  flow(button_width("Undo"));
  const std::string before = ui.before_clicks.back();
  if (ImGui::Button("Undo")) {
    ui.filter = ui.written = before;
    ui.before_clicks.pop_back();
  }
  tooltip(context, "What the last click wrote into the filter goes. It was: " + (before.empty() ? "empty." : before));
}

/// What the filter leaves out that may have been meant, with a button that adds it.
void draw_hints(Context& context) {
  const ExploreChart* chart = context.data.explore.chart.get();
  if (chart == nullptr || chart->query.where != context.ui.explore.filter) return;
  for (const ExploreHint& hint : chart->hints) {
    ImGui::AlignTextToFramePadding();
    {
      const SmallFont font(context.look);
      ImGui::PushTextWrapPos(0);
      coloured_text(context.look.theme.unclear, hint.sentence);
      ImGui::PopTextWrapPos();
    }
    if (hint.add.empty()) continue;
    const std::string button = "Add " + hint.add;
    flow(button_width(button.c_str()));
    if (ImGui::Button(button.c_str())) write_filter(context.ui.explore, hint.filter);
  }
}

/// Every beginning of "windw=512x32" up to "windw" is a word to look for, and most match nothing: while the last term
/// is a word in work, or nothing matches, the filter is none to go back to.
void settle_filter(const ExploreChart* chart, ExploreUi& ui, bool typing) {
  const std::string_view last = std::string_view(ui.filter).substr(ui.filter.rfind(' ') + 1);
  if (typing && !last.empty() && last.find_first_of("=!~<>") == std::string_view::npos) return;
  const bool answered = chart != nullptr && chart->query.where == ui.filter;
  if (ui.filter.empty() || (answered && chart->matched > 0)) ui.settled = ui.filter;
}

/// What cannot be asked says so here, and the chart of the last filter that was right stays.
void filter_line(Context& context) {
  ExploreUi& ui = context.ui.explore;
  flow(context.look.px(kNarrowestFilter));
  const std::string before = ui.filter;
  ImGui::SetNextItemWidth(-1);
  const float room = ImGui::CalcItemWidth() - 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::InputTextWithHint("##explore_filter",
                           shortened("filter: kernel~hopper window=512x32,256x32 seq>=8k ms<10", room).c_str(),
                           &ui.filter);
  // Esc leaves the field, and what was typed stays.
  if (ImGui::IsItemDeactivated() && ImGui::IsKeyPressed(ImGuiKey_Escape)) ui.filter = before;
  if (!ImGui::IsItemActive() && ui.filter.empty()) {
    tooltip(context,
            "Terms between blanks, all of which must hold: a field, then =, !=, ~ (contains), !~, <, <=, > or >=, then "
            "values between commas. The names of fields stand in the lists above. A word alone is looked for in every "
            "setting.");
  }
  const bool typing = ImGui::IsItemActive();
  const std::string problem = filter_problem(ui.filter);
  if (problem.empty()) {
    ui.query.where = ui.filter;
    settle_filter(context.data.explore.chart.get(), ui, typing);
    draw_hints(context);
    return;
  }
  ui.query.where = ui.settled;
  ImGui::PushStyleColor(ImGuiCol_Text, context.look.theme.slower);
  ImGui::TextWrapped("%s", sentence(problem).c_str());
  ImGui::PopStyleColor();
  muted_text(context, "What is drawn is of the filter before: " + (ui.settled.empty() ? "none, so all." : ui.settled),
             true);
}

/// The shown sweep alone, or all: a term of the filter, which tells what is drawn wherever it is kept.
void sweep_chip(Context& context) {
  const std::int64_t shown = context.ui.selection.shown_sweep;
  const std::string& filter = context.ui.explore.filter;
  // Sweeps of other databases have the same numbers.
  if (shown == 0 || !context.ui.settings.explore_databases.empty()) return;
  ImGui::BeginDisabled(!filter_problem(filter).empty());
  const std::string term = sweep_term(filter);
  std::string label = "Only " + (term.empty() ? fmt::format("sweep {}", shown) : term);
  std::ranges::replace(label, '=', ' ');  // the term is written in the filter
  flow(button_width(label.c_str()));
  if (chip(context, (label + "###one_sweep").c_str(), !term.empty()))
    write_filter(context.ui.explore, filter_of_sweep(filter, term.empty() ? shown : 0));
  ImGui::EndDisabled();
  tooltip(context, term.empty()
                       ? "All sweeps of the database are drawn, and what several measured of one configuration "
                         "is one point. Press this to see the open sweep alone."
                       : "Takes this term out of the filter: all sweeps are drawn then.");
}

}  // namespace

bool is_small(const Context& context) {
  constexpr float kLow = 420, kNarrow = 520;  // design pixels
  return !context.ui.printing && ImGui::GetWindowHeight() < context.look.px(kLow) &&
         ImGui::GetWindowWidth() < context.look.px(kNarrow);
}

void write_filter(ExploreUi& ui, std::string filter) {
  if (ui.filter != ui.written) ui.before_clicks.clear();
  ui.before_clicks.push_back(std::move(ui.filter));
  ui.filter = ui.written = std::move(filter);
}

void draw_filter_items(Context& context, const NamedValue& value) {
  const std::string& filter = context.ui.explore.filter;
  const bool right = filter_problem(filter).empty();
  for (const bool only : {true, false}) {
    const std::string term = term_of(value.field, value.name, only);
    if (term.empty()) return muted_text(context, "No filter can name this.");
    if (ImGui::MenuItem(fmt::format("{} {}###{} {}", only ? "Only" : "Not", drawn_name(value.field, value.name),
                                    only ? "Only" : "Not", value.field)
                            .c_str(),
                        nullptr, false, right))
      write_filter(context.ui.explore, filter_by(filter, value.field, value.name, only));
    tooltip(context, fmt::format("Writes {} into the filter; Undo beside it takes that out again.", term));
  }
}

void draw_explore_controls(Context& context) {
  ExploreQuery& query = context.ui.explore.query;
  draw_fields(context);
  flow(button_width("Best of each"));
  if (chip(context, "Best of each", query.best)) query.best = !query.best;
  tooltip(context,
          "Of each x and series only what took the shortest time, or has the highest rate where y is one, within one "
          "pass, regime, device and clock. The line "
          "above the chart says what it was chosen over: filter, or choose a colour, to compare like with like.");
  sweep_chip(context);
  view_menu(context);
  database_menu(context);
  undo_button(context);
  filter_line(context);
}

}  // namespace triscope
