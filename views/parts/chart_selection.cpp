#include "views/parts/chart_selection.hpp"

#include <implot.h>
#include <implot_internal.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "views/parts/readout.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {

namespace {

/// Since the button was pressed, also when it is released in the frame of the first move, which Dear ImGui takes for a
/// click.
bool was_dragged(ImGuiMouseButton button) {
  const ImGuiIO& io = ImGui::GetIO();
  const ImVec2 from = io.MouseClickedPos[button], to = io.MousePos;
  const float x = to.x - from.x, y = to.y - from.y;
  return std::max(io.MouseDragMaxDistanceSqr[button], x * x + y * y) > io.MouseDragThreshold * io.MouseDragThreshold;
}

}  // namespace

bool clicked_without_drag(ImGuiMouseButton button) { return ImGui::IsMouseReleased(button) && !was_dragged(button); }

bool double_clicked() {
  return ImGui::IsMouseReleased(ImGuiMouseButton_Left) &&
         ImGui::GetIO().MouseClickedLastCount[ImGuiMouseButton_Left] == 2;
}

void show_alone(ImPlotItemGroup& items, ImPlotItem& one) {
  bool any = false;
  for (int n = 0; n < items.GetItemCount(); ++n)
    any |= items.GetItemByIndex(n) != &one && items.GetItemByIndex(n)->Show;
  for (int n = 0; n < items.GetItemCount(); ++n) items.GetItemByIndex(n)->Show = !any;
  one.Show = true;
}

void show_alone_on_double_click() {
  ImPlotItemGroup* items = ImPlot::GetCurrentContext()->CurrentItems;
  if (items == nullptr || !double_clicked()) return;
  for (int n = 0; n < items->GetItemCount(); ++n) {
    ImPlotItem* item = items->GetItemByIndex(n);
    if (!item->LegendHovered) continue;
    show_alone(*items, *item);
    item->Show = false;  // the legend, drawn after this, turns it round as on every click
    return;
  }
}

void select_step(Context& context, std::int64_t forward, std::int64_t backward) {
  const ImGuiIO& io = ImGui::GetIO();
  if (backward != 0 && clicked_without_drag() && !io.KeyShift && !io.KeyCtrl)
    context.request(ask::SelectMeasurements{{forward, backward}});
}

ChartSelection::ChartSelection(Context& context, ImGuiID chart, const ImRect& area, bool hovered)
    : context_(context), chart_(chart), area_(area), hovered_(hovered) {
  const ImGuiIO& io = ImGui::GetIO();
  if (hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Left) && (io.KeyShift || io.KeyCtrl))
    context.ui.box_drag = BoxDrag{chart, io.KeyCtrl};
}

void ChartSelection::offer(const ImRect& shape, std::int64_t measurement, std::size_t line, std::int64_t sweep) {
  if (measurement != 0) offered_.push_back({shape, measurement, line, sweep});
}

void ChartSelection::point_at(std::int64_t measurement, std::int64_t sweep) {
  context_.ui.selection.hovered_now = measurement;
  if (!clicked_without_drag()) return;
  if (ImGui::GetIO().KeyShift && context_.ui.selection.pinned() > 0) {
    range_to_ = measurement;
  } else {
    context_.request(ask::SelectMeasurement{measurement, sweep, ImGui::GetIO().KeyCtrl});
  }
}

void ChartSelection::say(const ImRect& what, const std::string& words) const {
  std::vector<ImRect> others;
  for (const Offered& one : offered_) {
    if (!one.shape.Overlaps(what)) others.push_back(one.shape);
  }
  // A legend and what an axis says are read beside a point: each weighs as much as a few others.
  constexpr std::size_t kWeight = 8;
  if (const ImPlotPlot* plot = ImPlot::GetCurrentPlot(); plot != nullptr) {
    if (plot->Items.Legend.Rect.GetWidth() > 0) others.insert(others.end(), kWeight, plot->Items.Legend.Rect);
    const ImRect &frame = plot->FrameRect, &inside = plot->PlotRect;
    others.insert(others.end(), kWeight, ImRect(frame.Min.x, inside.Max.y, frame.Max.x, frame.Max.y));
    others.insert(others.end(), kWeight, ImRect(frame.Min.x, frame.Min.y, inside.Min.x, inside.Max.y));
  }
  readout(context_, what, words, others);
}

void ChartSelection::finish() {
  if (range_to_) select_range(*range_to_);
  drag();
  handle_keys();
}

const ChartSelection::Offered* ChartSelection::find(std::int64_t measurement) const {
  const auto found = std::ranges::find(offered_, measurement, &Offered::measurement);
  return found == offered_.end() ? nullptr : &*found;
}

/// Adds to what is selected, or replaces it.
void ChartSelection::select(const std::vector<const Offered*>& which, bool add) {
  const Selection& selection = context_.ui.selection;
  ask::SelectMeasurements request;
  if (add) request.measurements = selection.all();
  if (request.measurements.empty() && !which.empty()) request.sweep = which.front()->sweep;
  for (const Offered* one : which) request.measurements.push_back(one->measurement);
  context_.request(std::move(request));
}

/// On one line what stands between the two, else what lies in the rectangle that they span.
void ChartSelection::select_range(std::int64_t to) {
  const Offered *first = find(context_.ui.selection.pinned()), *last = find(to);
  if (last == nullptr) return;
  if (first == nullptr) return select({last}, true);
  const ImRect between(ImMin(first->shape.GetCenter(), last->shape.GetCenter()),
                       ImMax(first->shape.GetCenter(), last->shape.GetCenter()));
  const bool one_line = first->line == last->line;
  std::vector<const Offered*> which{first};
  for (const Offered& one : offered_) {
    const ImVec2 at = one.shape.GetCenter();
    const bool beside = at.x >= between.Min.x && at.x <= between.Max.x;
    const bool inside =
        one_line ? one.line == first->line && beside : beside && at.y >= between.Min.y && at.y <= between.Max.y;
    if (inside && &one != first && &one != last) which.push_back(&one);
  }
  which.push_back(last);
  select(which, false);
}

void ChartSelection::drag() {
  std::optional<BoxDrag>& box = context_.ui.box_drag;
  if (!box || box->chart != chart_) return;
  const ImGuiIO& io = ImGui::GetIO();
  const bool released = ImGui::IsMouseReleased(ImGuiMouseButton_Left);
  if (!released && !ImGui::IsMouseDown(ImGuiMouseButton_Left)) return box.reset();
  const ImVec2 from = io.MouseClickedPos[ImGuiMouseButton_Left], to = io.MousePos;
  const bool moved = was_dragged(ImGuiMouseButton_Left);
  ImRect dragged(ImMin(from, to), ImMax(from, to));
  dragged.ClipWith(area_);
  if (moved) {
    const Look& look = context_.look;
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(dragged.Min, dragged.Max, faded(look.theme.accent, 0.15F));
    list->AddRect(dragged.Min, dragged.Max, look.theme.accent, 0, std::max(1.0F, look.px(1)));
  }
  if (!released) return;
  const bool add = box->add;
  box.reset();
  if (!moved) return;
  std::vector<const Offered*> which;
  for (const Offered& one : offered_) {
    if (dragged.Overlaps(one.shape)) which.push_back(&one);
  }
  if (!which.empty() || !add) select(which, add);
}

/// Left and right: the nearest on the same line. Up and down: of other lines what is nearest across, then along.
const ChartSelection::Offered* ChartSelection::next_of(const Offered& from, ImGuiDir towards) const {
  const bool along = towards == ImGuiDir_Left || towards == ImGuiDir_Right;
  const float sign = towards == ImGuiDir_Right || towards == ImGuiDir_Down ? 1.0F : -1.0F;
  const Offered* next = nullptr;
  float least = 0;
  for (const Offered& one : offered_) {
    if ((one.line == from.line) != along || &one == &from) continue;
    const ImVec2 here = from.shape.GetCenter(), there = one.shape.GetCenter();
    const ImVec2 step(there.x - here.x, there.y - here.y);
    const float forward = sign * (along ? step.x : step.y);
    if (!(forward > 0)) continue;
    constexpr float kAcross = 1000;
    const float cost = along ? forward : kAcross * std::abs(step.x) + forward;
    if (next != nullptr && cost >= least) continue;
    least = cost;
    next = &one;
  }
  return next;
}

void ChartSelection::handle_keys() {
  const ImGuiIO& io = ImGui::GetIO();
  // While the keyboard walks over controls, the arrow keys are its.
  if (!ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows) || io.WantTextInput || io.NavVisible || io.KeyCtrl ||
      io.KeyAlt || ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel))
    return;
  const std::vector<std::int64_t>& selected = context_.ui.selection.all();
  const Offered* from = nullptr;
  for (auto one = selected.rbegin(); one != selected.rend() && from == nullptr; ++one) from = find(*one);
  if (from == nullptr) return;
  const std::pair<ImGuiKey, ImGuiDir> keys[] = {{ImGuiKey_LeftArrow, ImGuiDir_Left},
                                                {ImGuiKey_RightArrow, ImGuiDir_Right},
                                                {ImGuiKey_UpArrow, ImGuiDir_Up},
                                                {ImGuiKey_DownArrow, ImGuiDir_Down}};
  for (const auto& [key, towards] : keys) {
    ImGui::SetKeyOwner(key, chart_);
    if (!ImGui::IsKeyPressed(key, ImGuiInputFlags_Repeat, chart_)) continue;
    if (const Offered* next = next_of(*from, towards)) select({next}, io.KeyShift);
  }
}

ChartSelection plot_selection(Context& context) {
  const ImPlotPlot& plot = *ImPlot::GetCurrentPlot();
  return {context, plot.ID, plot.PlotRect, ImPlot::IsPlotHovered()};
}

Ring ring_of(const Context& context, std::int64_t measurement) {
  const Look& look = context.look;
  const Selection& selection = context.ui.selection;
  if (measurement == selection.pinned()) return {look.theme.text, look.px(2.5F)};
  if (selection.contains(measurement)) return {look.theme.text, look.px(1.25F)};
  return {look.theme.muted, look.px(1.5F)};
}

void draw_corners(ImDrawList* list, ImVec2 at, float half, const Ring& ring) {
  const float arm = half * 0.6F;
  for (const float x : {-1.0F, 1.0F}) {
    for (const float y : {-1.0F, 1.0F}) {
      const ImVec2 corner(at.x + x * half, at.y + y * half);
      const ImVec2 points[] = {{corner.x - x * arm, corner.y}, corner, {corner.x, corner.y - y * arm}};
      list->AddPolyline(points, 3, ring.colour, ring.width);
    }
  }
}

PointPicker::PointPicker(Context& context)
    : context_(context), selection_(plot_selection(context)), best_(context.look.px(12)) {}

bool PointPicker::offer(double x, double y, std::int64_t measurement, std::size_t line, std::int64_t sweep) {
  const Look& look = context_.look;
  const ImVec2 at = ImPlot::PlotToPixels(x, y), mouse = ImGui::GetMousePos();
  const float half = look.px(2);
  selection_.offer({at.x - half, at.y - half, at.x + half, at.y + half}, measurement, line, sweep);
  if (context_.ui.selection.is_marked(measurement)) {
    const Ring ring = ring_of(context_, measurement);
    ImPlot::PushPlotClipRect();
    draw_corners(ImPlot::GetPlotDrawList(), at, look.px(8), ring);
    ImPlot::PopPlotClipRect();
  }
  const float distance = std::hypot(at.x - mouse.x, at.y - mouse.y);
  if (!ImPlot::IsPlotHovered() || distance > best_) return false;
  best_ = distance;
  const float mark = look.px(8);
  nearest_ = {at.x - mark, at.y - mark, at.x + mark, at.y + mark};
  return true;
}

void PointPicker::choose(std::int64_t measurement, const std::string& name, std::int64_t sweep) {
  choose_in_words(measurement, name + verdict_lines(context_, measurement), sweep);
}

void PointPicker::choose_in_words(std::int64_t measurement, const std::string& words, std::int64_t sweep) {
  say(words);
  selection_.point_at(measurement, sweep);
}

}  // namespace triscope
