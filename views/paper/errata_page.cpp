// What a careful reading of the paper finds: what stands there, what is meant, and why.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "profiler/paper/errata.hpp"
#include "views/paper/page_parts.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

constexpr float kWidest = 1280;  // design pixels of a card: longer lines are hard to read
constexpr float kTwoColumns = 1600;

/// A button for each kind, with how many there are of it.
void choose_kind(Context& context, std::string& kind) {
  std::vector<std::pair<std::string, int>> kinds;  // in the paper's order
  for (const Erratum& one : errata()) {
    const auto at = std::ranges::find(kinds, one.kind, &std::pair<std::string, int>::first);
    if (at == kinds.end()) {
      kinds.emplace_back(one.kind, 1);
    } else {
      ++at->second;
    }
  }
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  if (chip(context, fmt::format("all ({})", errata().size()).c_str(), kind.empty())) kind.clear();
  for (const auto& [name, count] : kinds) {
    const std::string label = fmt::format("{} ({})", name, count);
    ImGui::SameLine();
    if (ImGui::GetCursorScreenPos().x + button_width(label.c_str()) > right) ImGui::NewLine();
    if (chip(context, label.c_str(), kind == name)) kind = name;
  }
}

/// A small heading, and text below it.
void part(const Context& context, const char* heading, const std::string& text, ImU32 colour) {
  ImGui::TableNextColumn();
  muted_text(context, heading);
  wrapped_text(colour, text);
  ImGui::Dummy(ImVec2(0, context.look.px(2)));
}

void draw_erratum(const Context& context, const Erratum& one) {
  const Theme& theme = context.look.theme;
  ImGui::PushID(one.id.c_str());
  ImGui::PushStyleColor(ImGuiCol_ChildBg, theme.raised);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(context.look.px(12), context.look.px(8)));
  const float width = std::min(ImGui::GetContentRegionAvail().x, context.look.px(kWidest));
  if (ImGui::BeginChild("erratum", ImVec2(width, 0),
                        ImGuiChildFlags_AutoResizeY | ImGuiChildFlags_AlwaysUseWindowPadding,
                        ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse)) {
    panel_heading(context, one.where, one.kind, 0);
    const bool beside = ImGui::GetContentRegionAvail().x > context.look.px(560);
    if (ImGui::BeginTable("parts", beside ? 2 : 1, ImGuiTableFlags_SizingStretchSame)) {
      part(context, "stands there", one.printed, theme.slower);
      part(context, "is meant, or known", one.meant, theme.faster);
      part(context, "because", one.reason, theme.text);
      part(context, "as printed", one.effect, theme.text);
      ImGui::EndTable();
    }
    muted_text(context, fmt::format("{} · shown by {}", one.id, one.shown_by), true);
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  ImGui::PopID();
}

}  // namespace

void draw_errata_page(Context& context) {
  std::string& kind = context.ui.paper.errata_kind;
  panel_heading(context, "Errata of the paper", "what stands there, what is meant, and why", button_width("Copy"));
  copy_button(context, Panel::paper);
  choose_kind(context, kind);
  if (ImGui::BeginChild(fmt::format("errata {}", kind.empty() ? "all" : kind).c_str(), ImVec2(0, 0),
                        ImGuiChildFlags_None)) {
    const bool two = ImGui::GetContentRegionAvail().x > context.look.px(kTwoColumns);
    if (ImGui::BeginTable("cards", two ? 2 : 1, ImGuiTableFlags_SizingStretchSame)) {
      for (const Erratum& one : errata()) {
        if (!kind.empty() && one.kind != kind) continue;
        ImGui::TableNextColumn();
        draw_erratum(context, one);
      }
      ImGui::EndTable();
    }
  }
  ImGui::EndChild();
}

}  // namespace triscope
