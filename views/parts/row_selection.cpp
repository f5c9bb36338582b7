#include "views/parts/row_selection.hpp"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

/// The keyboard went from the table to another control: that is no reason to forget what was selected.
bool has_left_table() {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  const ImGuiID table = ImGui::GetCurrentFocusScope();
  return g.NavJustMovedFromFocusScopeId == table && g.NavJustMovedToFocusScopeId != table;
}

}  // namespace

RowSelection::RowSelection(Context& context, int rows, std::function<RowTarget(int)> target,
                           std::function<std::vector<std::int64_t>(int)> shown)
    : context_(context), rows_(rows), target_(std::move(target)), shown_(std::move(shown)) {
  const ImGuiMultiSelectIO* asked =
      ImGui::BeginMultiSelect(ImGuiMultiSelectFlags_BoxSelect1d | ImGuiMultiSelectFlags_SelectOnClickAlways |
                                  ImGuiMultiSelectFlags_NoSelectOnRightClick,
                              static_cast<int>(now().all().size()), rows);
  if (asked->RangeSrcItem >= 0 && asked->RangeSrcItem < rows) source_ = static_cast<int>(asked->RangeSrcItem);
  if (!has_left_table()) apply(*asked);
}

RowSelection::~RowSelection() {
  const ImGuiMultiSelectIO* asked = ImGui::EndMultiSelect();
  apply(*asked);
  const ImGuiIO& io = ImGui::GetIO();
  if (!next_) return;
  const std::vector<std::int64_t>&all = next_->all(), &before = context_.ui.selection.all();
  if (all != before) {
    const auto sweep = sweeps_.find(next_->pinned());
    context_.request(ask::SelectMeasurements{all, sweep == sweeps_.end() ? 0 : sweep->second});
  } else if (!asked->Requests.empty() && ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !io.KeyCtrl && !io.KeyShift) {
    context_.request(ask::SelectMeasurements{});
  }
}

void RowSelection::apply(const ImGuiMultiSelectIO& asked) {
  if (asked.Requests.empty()) return;
  std::vector<std::int64_t> all = now().all();
  for (const ImGuiSelectionRequest& request : asked.Requests) {
    const bool every = request.Type == ImGuiSelectionRequestType_SetAll;
    const int first =
        every ? 0 : static_cast<int>(std::clamp<ImGuiSelectionUserData>(request.RangeFirstItem, 0, rows_ - 1));
    const int last =
        every ? rows_ - 1 : static_cast<int>(std::clamp<ImGuiSelectionUserData>(request.RangeLastItem, 0, rows_ - 1));
    if (every && !request.Selected) {
      all.clear();
      continue;
    }
    if (!request.Selected) {
      std::unordered_set<std::int64_t> gone;
      for (int row = std::min(first, last); row <= std::max(first, last); ++row) {
        for (const std::int64_t one : shown_(row)) gone.insert(one);
      }
      std::erase_if(all, [&](std::int64_t one) { return gone.contains(one); });
      continue;
    }
    // From the row that was clicked first to the last one, which may stand above it.
    const bool upwards = request.RangeDirection < 0;
    const int from = upwards ? std::max(first, last) : std::min(first, last), step = upwards ? -1 : 1;
    const std::unordered_set<std::int64_t> known(all.begin(), all.end());
    for (int n = 0; n <= std::abs(last - first); ++n) {
      const int row = from + step * n;
      if (std::ranges::any_of(shown_(row), [&](std::int64_t one) { return known.contains(one); })) continue;
      RowTarget target = target_(row);
      if (target.measurements.empty()) continue;
      if (target.sweep != 0) sweeps_.emplace(target.measurements.front(), target.sweep);
      all.insert(all.end(), target.measurements.begin(), target.measurements.end());
    }
  }
  next_.emplace().select_all(all);
}

bool RowSelection::contains(int row) const {
  return std::ranges::any_of(shown_(row), [&](std::int64_t one) { return now().contains(one); });
}

void RowSelection::button(int row) {
  ImGui::SetNextItemSelectionUserData(row);
  row_button(contains(row));
}

}  // namespace triscope
