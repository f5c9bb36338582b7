// The few elements that every panel is made of.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "views/parts/context.hpp"
#include "views/parts/tooltip.hpp"

namespace triscope {

/// Scopes that push a font and size.
struct NumberFont {
  explicit NumberFont(const Look& look, float size = kNumberSize) { ImGui::PushFont(look.numbers, size); }
  ~NumberFont() { ImGui::PopFont(); }
  NumberFont(const NumberFont&) = delete;
  NumberFont& operator=(const NumberFont&) = delete;
};
struct SmallFont {
  explicit SmallFont(const Look& look) { ImGui::PushFont(look.text, kSecondarySize); }
  ~SmallFont() { ImGui::PopFont(); }
  SmallFont(const SmallFont&) = delete;
  SmallFont& operator=(const SmallFont&) = delete;
};

void coloured_text(ImU32 colour, std::string_view text);
/// 12 px, muted: labels and help.
void muted_text(const Context& context, std::string_view text, bool wrapped = false);
/// One line, cut off with an ellipsis after `width` pixels; the whole text on hover.
void clipped_text(const Context& context, ImU32 colour, const std::string& text, float width);
/// One line of a sentence, in `width` pixels: its last words are left out whole, and the whole text is said on hover.
void text_in_whole_words(const Context& context, ImU32 colour, const std::string& text, float width);
/// A panel's first line: its title, and what fits of `subtitle` beside `button` pixels kept free at the right.
void panel_heading(const Context& context, const std::string& title, const std::string& subtitle, float button);
/// After a field of several lines, which has none of its own: what it is for, while it is empty.
void hint_in_empty_field(const std::string& words, const char* hint);
/// Width of a button with this label.
float button_width(const char* label);
/// "the worker died" -> "The worker died."
std::string sentence(std::string text);
/// With three dots where it is wider than `width` pixels.
std::string shortened(std::string text, float width);
/// Stays on the line and moves the cursor so that `width` pixels end at the right edge.
void align_right(float width);
/// A section's name with space above it.
void section(const Context& context, const char* name);
/// A table's right edge goes through what is this wide at the cursor: a number that is cut reads as another.
bool is_cut_by_edge(float width);
/// The rule of all tables: what their edge would cut is not shown. "▼ 1.05× longer", or nothing.
std::string unless_cut(const std::string& text);
/// Number font, right-aligned at `right` (window coordinates; 0 = the content's right edge) on the current line.
void number_right(const Context& context, std::string_view text, ImU32 colour = 0, float right = 0);
/// "label ......... value" on one line; the value in the number font unless `words`.
void fact_line(const Context& context, const char* label, std::string_view value, bool words = false);

/// A toggle that shows its state by colour and outline. Returns true when clicked.
bool chip(const Context& context, const char* label, bool on, bool enabled = true);
/// The one prominent button of a place.
bool primary_button(const Context& context, const char* label, bool enabled = true, float width = 0);

/// A click area over the whole row of a table, in its first cell; what marks the row is drawn by the caller.
bool row_button(bool chosen);
/// At the right end of a table's heading: copies the panel as text.
void copy_button(Context& context, Panel panel);

/// Text of a column's header in place of Dear ImGui's own, small and aligned as the column is. Call inside the cell.
void header_text(const Context& context, int column, const std::string& text, bool right, ImU32 colour);
/// A header row of the columns' names; `right` by column.
void header_row(const Context& context, const std::vector<bool>& right);

/// A bar of `fraction` of `size`, at the cursor; advances like an item.
void bar(const Context& context, float fraction, ImVec2 size, ImU32 colour);
/// The same of a value whose interval is not known: only its outline.
void hollow_bar(const Context& context, float fraction, ImVec2 size, ImU32 colour);
/// A hatched rectangle: nothing is here. Unlike any value.
void hatch(ImDrawList* list, ImVec2 low, ImVec2 high, ImU32 colour, float step);

/// An empty panel: one sentence in the middle and the next step as buttons.
struct Step {
  const char* label;
  Request request;
  bool primary = true;
};
void empty_state(Context& context, std::string_view text, std::initializer_list<Step> steps = {});

ImU32 verdict_colour(const Theme& theme, Verdict verdict);
/// `text` of a time beside that of `other` in the verdict's colour, with its interval and explanation on hover.
void beside_other(const Context& context, const Comparison& comparison, const std::string& text,
                  const std::string& other);
/// In the place of a verdict on a row with the figures of the restart in work: what is stored of it is older.
inline constexpr const char* kVerdictLater = "Measured right now: a verdict is given once this restart is stored.";
/// What is said of a measurement beside the reference and since the baseline, one line each, for tooltips: "\n▼ 1.84×
/// longer than FlashAttention-3, 1.82 to 1.86\n1.09× its rate"; empty where nothing is.
std::string verdict_lines(const Context& context, std::int64_t measurement);
/// The same of a training step, by the measurements of its passes.
std::string step_verdict_lines(const Context& context, std::int64_t forward, std::int64_t backward);
/// A comparison in words and colour, with its interval and explanation on hover. A is what it stands at, B the
/// baseline.
void verdict(const Context& context, const Comparison& comparison);
/// The same in fewer words, where its ratio stands beside.
std::string verdict_brief(const Comparison& comparison);
/// "Time A / B = 1.032, interval unknown. In clock cycles A / B = 1.019. ..."
std::string ratio_words(const Comparison& comparison);

/// Puts a form in the place of the one of the next sweep and shows it. Nothing is measured before a person starts it,
/// and what stood there comes back by undo. `what`: "256 × 32 at 16k", in words.
void fill_setup(Context& context, SetupForm form, const std::string& what);

}  // namespace triscope
