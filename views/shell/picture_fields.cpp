#include "views/shell/picture_fields.hpp"

#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/export/text_table.hpp"
#include "views/data/print_style.hpp"
#include "views/parts/widgets.hpp"
#include "views/shell/path_fields.hpp"
#include "views/shell/replaced_files.hpp"

namespace triscope {
namespace {

std::string ending_of(const std::string& path) {
  const auto found = std::ranges::find_if(kChartEndings, [&](auto ending) { return path.ends_with(ending); });
  return found == kChartEndings.end() ? std::string() : std::string(*found);
}

/// The first picture beside that of the path; the end: there is none.
std::vector<std::string>::iterator other_format(PathDialog& path) {
  return std::ranges::find_if(path.also, [](const std::string& ending) { return ending != kCaptionEnding; });
}

/// The formats that are written: that of the path, and others beside it.
void draw_formats(Context& context, PathDialog& path) {
  const std::string typed = ending_of(path.text);
  ImGui::AlignTextToFramePadding();
  muted_text(context, "save as");
  for (const std::string_view ending : kChartEndings) {
    const std::string name(ending);
    const bool on = typed == name || std::ranges::find(path.also, name) != path.also.end();
    const char* label = name == ".png" ? "PNG" : name == ".pdf" ? "PDF" : "SVG";
    ImGui::SameLine();
    if (bool checked = on; !ImGui::Checkbox(label, &checked)) continue;
    if (!on) {
      path.also.push_back(name);
    } else if (typed != name) {
      std::erase(path.also, name);
    } else if (const auto other = other_format(path); other != path.also.end()) {  // which takes its place in the path
      path.text.replace(path.text.size() - typed.size(), typed.size(), *other);
      path.also.erase(other);
    }
  }
}

/// A field of words that the chart has of its own, with a button that brings these back.
void draw_words(Context& context, const char* id, const char* hint, std::string& words, const std::string& own,
                float lines) {
  ImGui::PushID(id);
  const float width = ImGui::GetContentRegionAvail().x - button_width("Restore") - ImGui::GetStyle().ItemSpacing.x;
  if (lines == 1) {
    ImGui::SetNextItemWidth(width);
    ImGui::InputTextWithHint("##words", hint, &words);
  } else {
    if (ImGui::IsWindowAppearing()) ImGui::SetNextWindowScroll(ImVec2(0, 0));
    ImGui::InputTextMultiline("##words", &words,
                              ImVec2(width, lines * ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().FramePadding.y),
                              ImGuiInputTextFlags_WordWrap | ImGuiInputTextFlags_CtrlEnterForNewLine);
    tooltip(context, hint);
    hint_in_empty_field(words, hint);
  }
  ImGui::SameLine();
  ImGui::BeginDisabled(words == own);
  if (ImGui::Button("Restore")) words = own;
  ImGui::EndDisabled();
  tooltip(context, "The chart's own words");
  ImGui::PopID();
}

/// Where the caption goes: into the picture, into a text beside it, or both.
void draw_caption_places(Context& context, PathDialog& path) {
  const auto text = std::ranges::find(path.also, kCaptionEnding);
  ImGui::BeginDisabled(path.picture->caption.empty());
  ImGui::AlignTextToFramePadding();
  muted_text(context, "caption");
  if (is_for_print(path)) {
    ImGui::SameLine();
    ImGui::Checkbox("in the picture", &context.ui.settings.print_size.captioned);
    tooltip(context, "Below the chart of a .pdf or .svg; one with pixels has none");
  }
  ImGui::SameLine();
  if (bool beside = text != path.also.end(); ImGui::Checkbox("as text beside it (.txt)", &beside)) {
    if (beside) {
      path.also.emplace_back(kCaptionEnding);
    } else {
      path.also.erase(text);
    }
  }
  tooltip(context, "A file of the picture's name that ends in .txt. It is plain text: for LaTeX copy it, beside.");
  ImGui::SameLine();
  float* said_until = ImGui::GetStateStorage()->GetFloatRef(ImGui::GetID("copied"));
  const auto now = static_cast<float>(ImGui::GetTime());
  if (ImGui::Button("Copy for LaTeX")) {
    context.request(ask::CopyText{escape_text(path.picture->caption, TableFormat::latex)});
    *said_until = now + 3;
  }
  tooltip(context, "For \\caption{}: signs that are commands there, such as %, are escaped.");
  if (now < *said_until) {
    ImGui::SameLine();
    muted_text(context, "Copied");
  }
  ImGui::EndDisabled();
}

}  // namespace

bool draw_picture(Context& context, PathDialog& path) {
  PictureDraft& picture = *path.picture;
  PrintSize& size = context.ui.settings.print_size;
  const bool print = is_for_print(path);
  bool right = true;
  if (print) {
    draw_formats(context, path);
    ImGui::SameLine(0, context.look.px(24));
    const bool vectors = path.text.ends_with(".pdf") || path.text.ends_with(".svg") ||
                         std::ranges::any_of(path.also, [](auto& one) { return one == ".pdf" || one == ".svg"; });
    draw_print_colours(context, size.dark, vectors);
    right = draw_print_size(context, size, picture.panel == Panel::explore);
    draw_print_range(context, picture.panel, size.whole, vectors);
    draw_stated_size(context, picture, size, vectors);
    right = right && (!vectors || picture.problem.empty());
    draw_words(context, "title", "title of a .pdf or .svg; empty: none", picture.title, *picture.own.title, 1);
    draw_words(context, "caption", "caption of a .pdf or .svg; empty: none", picture.caption, *picture.own.caption, 4);
  }
  if (print || !picture.caption.empty()) draw_caption_places(context, path);
  return right;
}

void take_picture(Context& context, ask::SaveChart& chart) {
  UiState& ui = context.ui;
  PathDialog& path = ui.path;
  if (!path.picture) return;
  std::vector<std::string>& kept = ui.settings.chart_endings;
  chart.size = ui.settings.print_size;
  chart.also = written_beside(path);
  if (is_for_print(path)) {
    chart.title = path.picture->title;
    chart.caption = path.picture->caption;
    std::string ending = ending_of(path.text);
    if (const auto other = other_format(path); ending.empty() && other != path.also.end()) {
      ending = *other;
      path.also.erase(other);
      std::erase(chart.also, ending);
      chart.file = path.text += ending;
    }
    kept = path.also;
    kept.insert(kept.begin(), ending.empty() ? std::string(kChartEndings.front()) : ending);
  } else {  // of its formats nothing was asked
    std::erase(kept, kCaptionEnding);
    if (std::ranges::find(path.also, kCaptionEnding) != path.also.end()) kept.emplace_back(kCaptionEnding);
  }
  ImGui::MarkIniSettingsDirty();  // so that the settings are written soon
}

}  // namespace triscope
