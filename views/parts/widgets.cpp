#include "views/parts/widgets.hpp"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "kernels/base/text/plus_minus.hpp"
#include "profiler/record/columns.hpp"
#include "views/data/format.hpp"
#include "views/model/measure_more.hpp"

namespace triscope {
namespace {

void plain(std::string_view text) { ImGui::TextUnformatted(text.data(), text.data() + text.size()); }

ImVec2 size_of(std::string_view text) { return ImGui::CalcTextSize(text.data(), text.data() + text.size()); }

}  // namespace

void coloured_text(ImU32 colour, std::string_view text) {
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  plain(text);
  ImGui::PopStyleColor();
}

void muted_text(const Context& context, std::string_view text, bool wrapped) {
  const SmallFont font(context.look);
  if (wrapped) ImGui::PushTextWrapPos(0);
  coloured_text(context.look.theme.muted, text);
  if (wrapped) ImGui::PopTextWrapPos();
}

void clipped_text(const Context& context, ImU32 colour, const std::string& text, float width) {
  const ImVec2 size = size_of(text),
               at(ImGui::GetCursorScreenPos().x,
                  ImGui::GetCursorScreenPos().y + ImGui::GetCurrentWindow()->DC.CurrLineTextBaseOffset);
  const bool fits = size.x <= width;
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  // Below the height of the line hang the lowest parts of g, p and y.
  const float below = std::ceil(size.y / 4);
  ImGui::RenderTextEllipsis(ImGui::GetWindowDrawList(), at, ImVec2(at.x + width, at.y + size.y + below), at.x + width,
                            text.data(), text.data() + text.size(), &size);
  ImGui::PopStyleColor();
  ImGui::Dummy(ImVec2(std::min(size.x, width), size.y));
  if (!fits) tooltip(context, text);
}

std::string shortened(std::string text, float width) {
  if (ImGui::CalcTextSize(text.c_str()).x <= width) return text;
  while (text.size() > 4 && ImGui::CalcTextSize((text + "…").c_str()).x > width) {
    text.pop_back();
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.pop_back();
  }
  return text + "…";
}

namespace {

/// "4 measurements of sweep 1 …": the clauses that have room, else the words; empty: none has.
std::string in_whole_words(const std::string& text, float width) {
  if (size_of(text).x <= width) return text;
  for (const std::string_view between : {"; ", " "}) {
    for (std::size_t end = text.rfind(between); end != std::string::npos && end > 0;
         end = text.rfind(between, end - 1)) {
      std::string first = text.substr(0, end) + " …";
      if (size_of(first).x <= width) return first;
    }
  }
  return {};
}

}  // namespace

void text_in_whole_words(const Context& context, ImU32 colour, const std::string& text, float width) {
  const std::string seen = in_whole_words(text, width);
  if (seen.empty()) return clipped_text(context, colour, text, width);
  coloured_text(colour, seen);
  if (seen != text) tooltip(context, text);
}

void panel_heading(const Context& context, const std::string& title, const std::string& subtitle, float button) {
  const float spacing = ImGui::GetStyle().ItemSpacing.x, room = ImGui::GetContentRegionAvail().x - button - spacing;
  if (context.ui.printing) {  // a picture has its title whole
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(title.c_str());
    ImGui::PopTextWrapPos();
    const SmallFont font(context.look);
    if (!subtitle.empty()) muted_text(context, subtitle, true);
    return;
  }
  ImGui::AlignTextToFramePadding();
  if (subtitle.empty() && ImGui::CalcTextSize(title.c_str()).x > room && room > context.look.px(120)) {
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + room);  // an answer is read whole
    ImGui::TextUnformatted(title.c_str());
    return ImGui::PopTextWrapPos();
  }
  clipped_text(context, context.look.theme.text, title, std::max(context.look.px(40), room));
  const float left = room - ImGui::GetItemRectSize().x - spacing;
  if (subtitle.empty()) return;
  const SmallFont font(context.look);
  const std::string seen = left < context.look.px(60) ? std::string() : in_whole_words(subtitle, left);
  if (!seen.empty()) {
    ImGui::SameLine();
    coloured_text(context.look.theme.muted, seen);
  }
  if (seen != subtitle) tooltip(context, subtitle);  // on the title where no word of it has room
}

void hint_in_empty_field(const std::string& words, const char* hint) {
  if (!words.empty()) return;
  const ImVec2 at = ImGui::GetItemRectMin(), pad = ImGui::GetStyle().FramePadding;
  ImGui::GetWindowDrawList()->AddText(ImVec2(at.x + pad.x, at.y + pad.y), ImGui::GetColorU32(ImGuiCol_TextDisabled),
                                      hint);
}

float button_width(const char* label) { return ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x; }

std::string sentence(std::string text) {
  if (text.empty()) return text;
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  text = plus_minus(std::move(text));
  if (std::string_view(".!?").find(text.back()) == std::string_view::npos) text += '.';
  return text;
}

void align_right(float width) {
  ImGui::SameLine();
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0F, ImGui::GetContentRegionAvail().x - width));
}

void section(const Context& context, const char* name) {
  ImGui::Dummy(ImVec2(0, context.look.px(8)));
  muted_text(context, name);
  ImGui::Dummy(ImVec2(0, context.look.px(1)));
}

bool is_cut_by_edge(float width) {
  const ImGuiTable* table = ImGui::GetCurrentTable();
  if (table == nullptr || table->InnerWindow == table->OuterWindow || table->CurrentColumn < 0) return false;
  const float x = ImGui::GetCursorScreenPos().x, edge = table->InnerClipRect.Max.x;
  return x < edge && x + width > edge + 1;
}

std::string unless_cut(const std::string& text) { return is_cut_by_edge(size_of(text).x) ? std::string() : text; }

void number_right(const Context& context, std::string_view text, ImU32 colour, float right) {
  const NumberFont font(context.look);
  if (right == 0) right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  const float width = size_of(text).x;
  ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(), right - width));
  if (is_cut_by_edge(width)) text = {};
  coloured_text(colour ? colour : context.look.theme.text, text);
}

void fact_line(const Context& context, const char* label, std::string_view value, bool words) {
  const float left = ImGui::GetCursorPosX();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::AlignTextToFramePadding();
  coloured_text(context.look.theme.muted, label);
  const float taken = ImGui::GetItemRectSize().x + context.look.px(12);
  ImGui::SameLine();
  if (words || size_of(value).x > width - taken) {
    // Long values wrap below their label rather than run out of the panel.
    const bool fits = size_of(value).x <= width - taken;
    if (!fits) {
      ImGui::NewLine();
      ImGui::PushTextWrapPos(left + width);
      coloured_text(context.look.theme.text, value);
      ImGui::PopTextWrapPos();
      return;
    }
    ImGui::SetCursorPosX(left + width - size_of(value).x);
    coloured_text(context.look.theme.text, value);
    return;
  }
  number_right(context, value, 0, left + width);
}

bool chip(const Context& context, const char* label, bool on, bool enabled) {
  const Theme& theme = context.look.theme;
  ImGui::BeginDisabled(!enabled);
  ImGui::PushStyleColor(ImGuiCol_Button, on ? theme.accent_soft : theme.raised);
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, on ? theme.accent_soft : theme.line);
  ImGui::PushStyleColor(ImGuiCol_Text, on ? theme.accent : theme.text);
  ImGui::PushStyleColor(ImGuiCol_Border, on ? theme.accent : faded(theme.line, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, std::max(1.0F, context.look.px(1)));
  const bool clicked = ImGui::Button(label);
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(4);
  ImGui::EndDisabled();
  return clicked;
}

bool primary_button(const Context& context, const char* label, bool enabled, float width) {
  const Theme& theme = context.look.theme;
  if (!enabled) {  // the accent, also a faint one, would say that it can be pressed
    ImGui::BeginDisabled();
    ImGui::Button(label, ImVec2(width, 0));
    ImGui::EndDisabled();
    return false;
  }
  ImGui::PushStyleColor(ImGuiCol_Button, theme.accent);
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, faded(theme.accent, 0.85F));
  ImGui::PushStyleColor(ImGuiCol_ButtonActive, faded(theme.accent, 0.7F));
  ImGui::PushStyleColor(ImGuiCol_Text, theme.on_accent);
  const bool clicked = ImGui::Button(label, ImVec2(width, 0));
  ImGui::PopStyleColor(4);
  return clicked;
}

bool row_button(bool chosen) {
  for (const ImGuiCol colour : {ImGuiCol_Header, ImGuiCol_HeaderHovered, ImGuiCol_HeaderActive})
    ImGui::PushStyleColor(colour, 0);
  const bool clicked =
      ImGui::Selectable("##line", chosen, ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap,
                        ImVec2(0, ImGui::GetTextLineHeight()));
  ImGui::PopStyleColor(3);
  return clicked;
}

void copy_button(Context& context, Panel panel) {
  if (context.ui.printing) return;
  align_right(button_width("Copy"));
  if (ImGui::Button("Copy")) context.request(ask::CopyPanelData{panel});
}

namespace {

/// How wide a column's title can be: beyond it runs into the next one, or the table's edge cuts a word.
float header_room(int column) {
  const ImGuiTableColumn& content = ImGui::GetCurrentTable()->Columns[column];
  const float seen = ImGui::GetCurrentTable()->InnerClipRect.Max.x;
  return std::min(content.MaxX, std::max(seen, content.WorkMinX)) - content.WorkMinX;
}

bool is_cut_title(const Context& context, int column, const std::string& text) {
  const SmallFont font(context.look);
  return ImGui::CalcTextSize(text.c_str()).x > header_room(column);
}

}  // namespace

void header_text(const Context& context, int column, const std::string& text, bool right, ImU32 colour) {
  const ImRect cell = ImGui::TableGetCellBgRect(ImGui::GetCurrentTable(), column);
  const SmallFont font(context.look);
  ImGuiTableColumn& content = ImGui::GetCurrentTable()->Columns[column];
  const float seen = ImGui::GetCurrentTable()->InnerClipRect.Max.x;
  // A double click on its edge makes the column as wide as the title needs.
  content.ContentMaxXHeadersIdeal =
      std::max(content.ContentMaxXHeadersIdeal, content.WorkMinX + ImGui::CalcTextSize(text.c_str()).x);
  // As in its cells, what the edge of the table cuts is not shown: numbers end where their column does.
  const float whole = right ? content.WorkMaxX : content.WorkMinX + ImGui::CalcTextSize(text.c_str()).x;
  const std::string shown = whole > seen + 1 ? std::string() : shortened(text, header_room(column));
  const ImVec2 size = ImGui::CalcTextSize(shown.c_str());
  const float x = right ? std::max(content.WorkMinX, content.WorkMaxX - size.x) : content.WorkMinX;
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  ImGui::RenderText(ImVec2(std::round(x), std::round(cell.GetCenter().y - size.y / 2)), shown.c_str(), nullptr, false);
  ImGui::PopStyleColor();
  if (column != 0) return;
  ImDrawList* list = ImGui::GetWindowDrawList();
  // The line under the headers is as long as those between the rows. Where they are scrolled away there is none.
  const ImRect outer = ImGui::GetCurrentTable()->InnerClipRect, seen_rows = ImGui::GetCurrentTable()->HostClipRect;
  const float hairline = std::max(1.0F, std::round(context.look.scale));
  const float top = std::max(cell.Min.y, seen_rows.Min.y), bottom = std::min(cell.Max.y + hairline, seen_rows.Max.y);
  if (bottom <= top) return;
  list->PushClipRect(ImVec2(outer.Min.x, top), ImVec2(outer.Max.x, bottom), false);
  list->AddRectFilled(ImVec2(outer.Min.x, cell.Max.y - hairline), ImVec2(outer.Max.x, cell.Max.y),
                      context.look.theme.line);
  list->PopClipRect();
}

void header_row(const Context& context, const std::vector<bool>& right) {
  const Theme& theme = context.look.theme;
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers, context.look.px(28));
  for (int i = 0; i < ImGui::TableGetColumnCount(); ++i) {
    if (!ImGui::TableSetColumnIndex(i)) continue;
    const std::string name = ImGui::TableGetColumnName(i);
    // Without its name: of a cut one Dear ImGui opens a tooltip, in the colour of the header's own text.
    ImGui::TableHeader(("##" + name).c_str());
    const std::string title = name.substr(0, name.find("##"));
    if (is_cut_title(context, i, title)) tooltip(context, title);
    header_text(context, i, title, static_cast<std::size_t>(i) < right.size() && right[static_cast<std::size_t>(i)],
                theme.muted);
  }
}

void bar(const Context& context, float fraction, ImVec2 size, ImU32 colour) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::Dummy(size);
  const float rounding = std::min(context.look.px(2), size.y / 2);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, ImVec2(at.x + size.x, at.y + size.y), context.look.theme.raised, rounding);
  const float width = size.x * std::clamp(fraction, 0.0F, 1.0F);
  if (width >= 1) list->AddRectFilled(at, ImVec2(at.x + width, at.y + size.y), colour, rounding);
}

void hollow_bar(const Context& context, float fraction, ImVec2 size, ImU32 colour) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  bar(context, 0, size, colour);
  const float width = std::max(2.0F, size.x * std::clamp(fraction, 0.0F, 1.0F));
  ImGui::GetWindowDrawList()->AddRect(at, ImVec2(at.x + width, at.y + size.y), colour, 0,
                                      std::max(1.0F, context.look.px(1)));
}

void hatch(ImDrawList* list, ImVec2 low, ImVec2 high, ImU32 colour, float step) {
  list->PushClipRect(low, high, true);
  const float height = high.y - low.y;
  for (float x = low.x - height; x < high.x; x += step)
    list->AddLine(ImVec2(x, high.y), ImVec2(x + height, low.y), colour, 1);
  list->PopClipRect();
}

void empty_state(Context& context, std::string_view text, std::initializer_list<Step> steps) {
  const Look& look = context.look;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float wrap = std::min(room.x - look.px(16), look.px(420));
  const ImVec2 size = ImGui::CalcTextSize(text.data(), text.data() + text.size(), false, wrap);
  const ImVec2 gap = ImGui::GetStyle().ItemSpacing;
  float width = -gap.x;
  for (const Step& step : steps) width += button_width(step.label) + gap.x;
  const bool beside = width <= room.x;  // each other, or else below each other
  const auto lines = static_cast<float>(beside ? std::min<std::size_t>(steps.size(), 1) : steps.size());
  const float height =
      size.y + (steps.size() ? look.px(16) + lines * ImGui::GetFrameHeight() + (lines - 1) * gap.y : 0);
  const float left = ImGui::GetCursorPosX(), top = ImGui::GetCursorPosY() + std::max(0.0F, (room.y - height) * 0.42F);
  ImGui::SetCursorPosY(top);
  for (const char *at = text.data(), *end = at + text.size(); at < end;) {
    const char* next = ImGui::GetFont()->CalcWordWrapPosition(ImGui::GetFontSize(), at, end, wrap);
    const std::string_view line(at, static_cast<std::size_t>(std::max(next, at + 1) - at));
    ImGui::SetCursorPosX(left + std::max(0.0F, (room.x - size_of(line).x) / 2));
    coloured_text(look.theme.muted, line);
    for (at += line.size(); at < end && *at == ' ';) ++at;
  }
  if (steps.size() == 0) return;
  ImGui::SetCursorPosY(top + size.y + look.px(16));
  bool first = true;
  for (const Step& step : steps) {
    if (beside && !first) {
      ImGui::SameLine();
    } else {
      ImGui::SetCursorPosX(left + std::max(0.0F, (room.x - (beside ? width : button_width(step.label))) / 2));
    }
    first = false;
    const std::string why_not =
        std::holds_alternative<ask::Run>(step.request) ? why_not_run(context.data, context.ui.form) : std::string();
    if (step.primary ? primary_button(context, step.label, why_not.empty()) : ImGui::Button(step.label))
      context.requests.push_back(step.request);
    if (!why_not.empty()) tooltip(context, sentence(why_not));
  }
}

ImU32 verdict_colour(const Theme& theme, Verdict verdict) {
  switch (verdict) {
    case Verdict::faster:
      return theme.faster;
    case Verdict::slower:
      return theme.slower;
    case Verdict::unclear:
      return theme.unclear;
    case Verdict::same:
    case Verdict::not_comparable:
      return theme.muted;
  }
  return theme.muted;
}

void beside_other(const Context& context, const Comparison& comparison, const std::string& text,
                  const std::string& other) {
  coloured_text(verdict_colour(context.look.theme, comparison.verdict), unless_cut(text));
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip)) return;
  std::string words = sentence(marked(comparison, time_sentence(comparison, other)));
  if (const std::string ratio = cycle_ratio_text(comparison); !ratio.empty())
    words += fmt::format(" In clock cycles: {}.", ratio);
  if (!comparison.explanation.empty()) words += " " + comparison.explanation;
  if (is_apart(comparison))
    words += comparison.explanation.empty()
                 ? " * Not measured in turns: what changed in between is not in the interval."
                 : " * Not measured in turns.";
  tooltip(context, words);
}

namespace {

/// What is stored is judged, and the row is drawn with newer figures.
bool is_in_work(const Context& context, std::int64_t measurement) {
  const WindowData& data = context.data;
  const bool judged = (data.beside_reference && !data.beside_reference->baseline.empty()) || data.against_baseline;
  return judged && data.shown && data.shown->in_work.contains(measurement);
}

}  // namespace

std::string verdict_lines(const Context& context, std::int64_t measurement) {
  if (is_in_work(context, measurement)) return fmt::format("\n{}", kVerdictLater);
  std::string text;
  if (const Verdicts* verdicts = context.data.beside_reference.get()) {
    if (verdicts->themselves.contains(measurement)) text += "\nThe reference: the others stand beside it.";
    const auto time = verdicts->by_measurement.find(measurement);
    if (time != verdicts->by_measurement.end())
      text += "\n" + marked(time->second, time_sentence(time->second, verdicts->label));
    const auto rate = verdicts->rates.find(measurement);
    if (rate != verdicts->rates.end()) text += fmt::format("\n{}× its rate", significant_text(rate->second));
  }
  if (const Comparisons* since = context.data.against_baseline.get()) {
    const auto found = since->find(measurement);
    if (found != since->end())
      text += "\n" + marked(found->second.comparison, time_text(found->second.comparison)) + " since baseline";
  }
  return text;
}

std::string step_verdict_lines(const Context& context, std::int64_t forward, std::int64_t backward) {
  if (is_in_work(context, forward) || is_in_work(context, backward)) return fmt::format("\n{}", kVerdictLater);
  const StepVerdict* found = find_step(context.data.beside_reference.get(), forward, backward);
  if (found == nullptr) return {};
  const StepVerdict& beside = *found;
  std::string text = "\n" + marked(beside.time, time_sentence(beside.time, beside.label));
  if (beside.rate > 0) text += fmt::format("\n{}× its rate", significant_text(beside.rate));
  return text;
}

std::string ratio_words(const Comparison& comparison) {
  if (!(comparison.ratio > 0)) return comparison.explanation;  // it was not computed
  std::string text = fmt::format("Time A / B = {}, {}{}.", format_fixed(comparison.ratio, 3),
                                 interval_known(comparison)
                                     ? fmt::format("interval {} to {}", format_fixed(comparison.interval.low, 3),
                                                   format_fixed(comparison.interval.high, 3))
                                     : "interval unknown",
                                 comparison.paired ? ", from blocks measured in turns" : "");
  if (comparison.paired && comparison.b_ms > 0)
    text += fmt::format(" In these turns A took {} ms and B {} ms.", significant_text(comparison.a_ms, 4),
                        significant_text(comparison.b_ms, 4));
  if (const std::string ratio = cycle_ratio_text(comparison); !ratio.empty())
    text += fmt::format(" In clock cycles A / B = {}.", ratio);
  if (!comparison.explanation.empty()) text += fmt::format(" {}", comparison.explanation);
  return text;
}

std::string verdict_brief(const Comparison& comparison) {
  return comparison.verdict == Verdict::unclear ? "? unclear" : marked(comparison, time_text(comparison));
}

void verdict(const Context& context, const Comparison& comparison) {
  const bool in_cell = ImGui::GetCurrentTable() != nullptr;  // where "unclear" with its ratio would be cut
  coloured_text(verdict_colour(context.look.theme, comparison.verdict),
                in_cell ? unless_cut(verdict_brief(comparison)) : marked(comparison, time_text(comparison)));
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip))
    tooltip(context, ratio_words(comparison) + " A is this row, B that of the baseline.");
}

void fill_setup(Context& context, SetupForm form, const std::string& what) {
  context.ui.form_before = std::exchange(context.ui.form, std::move(form));
  context.request(ask::PreviewPlan{});
  context.request(ask::ShowPanel{Panel::setup});
  context.request(ask::OfferFormBack{fmt::format("The sweep setup was filled with {}.", what)});
}

}  // namespace triscope
