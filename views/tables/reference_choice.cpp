#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "views/model/tables/latency_model.hpp"
#include "views/model/tables/no_partner.hpp"
#include "views/parts/widgets.hpp"
#include "views/tables/latency_summary.hpp"

namespace triscope {
namespace {

const char* const kArrow = "  ▼";

/// Files that were open lately, and the recorded one: rows stand beside the newest of the same question there.
void draw_databases(Context& context) {
  std::vector<std::string> files = context.ui.settings.recent_databases;
  files.push_back(context.data.recorded_database);
  std::erase_if(files, [&](const std::string& file) { return file.empty() || file == context.data.database; });
  if (!ImGui::BeginMenu("Another database", !files.empty())) return;
  std::vector<std::string> listed;
  for (const std::string& file : files) {
    if (std::ranges::find(listed, file) != listed.end()) continue;
    listed.push_back(file);
    const std::string text = "database:" + file;
    const std::string label = fmt::format("{}###{}", std::filesystem::path(file).filename().string(), listed.size());
    if (ImGui::MenuItem(label.c_str(), nullptr, context.ui.selection.reference == text))
      context.request(ask::SetReference{text});
    tooltip(context, file);
  }
  ImGui::EndMenu();
}

}  // namespace

ImVec2 fitting(const char* label) { return {std::min(button_width(label), ImGui::GetContentRegionAvail().x), 0}; }

std::string reference_label(const Context& context, const LatencyModel& model, float width) {
  const Verdicts* verdicts = context.data.beside_reference.get();
  const bool whole = verdicts != nullptr && !verdicts->of_kernel && verdicts->baseline == model.reference;
  const std::string name = model.reference.empty() ? "nothing" : whole ? verdicts->label : model.reference_label;
  return shortened("vs " + name, width - ImGui::CalcTextSize(kArrow).x) + kArrow;
}

void draw_reference_choice(Context& context, const LatencyModel& model, const std::string& shown) {
  if (ImGui::Button(fmt::format("{}###reference", shown).c_str(), fitting(shown.c_str())))
    ImGui::OpenPopup("reference");
  tooltip(context,
          "What times and rates stand beside, in the table, Details and charts: dot-product attention, a kernel of "
          "ours, one row, a sweep, another database or the paper.");
  if (!ImGui::BeginPopup("reference")) return;
  const Selection& selection = context.ui.selection;
  const std::string& chosen = selection.reference;
  std::vector<std::string> listed;
  const auto item = [&](const std::string& label, const std::string& text) {
    if (std::ranges::find(listed, text) != listed.end()) return;
    listed.push_back(text);
    if (ImGui::MenuItem(label.c_str(), nullptr, chosen == text)) context.request(ask::SetReference{text});
  };
  item("The usual one of each sweep", "auto");
  for (const OfferedReference& one : offered_references(model)) item(one.label, one.kernel);
  ImGui::Separator();
  if (chosen.starts_with("row:") || chosen.starts_with("sweep:"))
    item(model.reference == chosen ? model.reference_label : chosen, chosen);
  if (selection.pinned() > 0) item("The selected row", row_reference(selection.pinned()));
  if (selection.baseline_sweep > 0)
    item(fmt::format("The baseline, sweep {}", selection.baseline_sweep), sweep_reference(selection.baseline_sweep));
  draw_databases(context);
  item("The paper's Table 1", "paper");
  ImGui::Separator();
  item("Nothing", "none");
  ImGui::EndPopup();
}

}  // namespace triscope
