#include "views/shell/path_fields.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "views/data/format.hpp"
#include "views/model/attention/film_choice.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/parts/number_field.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {

bool draw_print_size(Context& context, PrintSize& size, bool may_be_cut) {
  const float wide = context.look.px(70);
  const auto between = [](double least, double most) {
    return NumberBounds{.least = least, .most = most, .whole = false};
  };
  ImGui::AlignTextToFramePadding();
  muted_text(context, "width");
  for (const auto& [label, width] : {std::pair("8.5 cm", kColumnCm), std::pair("17 cm", kTextCm)}) {
    ImGui::SameLine();
    if (chip(context, label, size.width_cm == width)) size.width_cm = width;
    tooltip(context, width == kColumnCm ? "A column of a page" : "The text of a page");
  }
  ImGui::SameLine();
  typed_field(context, "##width", size.width_cm, wide, between(kLeastPrintCm, kMostPrintCm), " cm");
  ImGui::SameLine();
  muted_text(context, "height");
  ImGui::SameLine();
  typed_field(context, "##height", size.height_cm, wide, between(kLeastPrintCm, kMostPrintCm), "as fits", " cm");
  tooltip(context, "Empty: as high as the width and the words ask for");
  ImGui::SameLine();
  muted_text(context, "font");
  ImGui::SameLine();
  typed_field(context, "##font", size.font_pt, wide, between(kLeastFontPt, kMostFontPt), " pt");
  tooltip(context,
          "Of legends and axis titles; numbers and the caption are a tenth smaller, the title a quarter larger");
  if (may_be_cut) {
    ImGui::SameLine();
    const bool part = !size.whole && shown_limits(context.ui, Panel::explore).has_value();
    ImGui::BeginDisabled(part);
    ImGui::Checkbox("from 0", &size.from_zero);
    ImGui::EndDisabled();
    tooltip(context, part ? "The axes are those of the zoomed chart; of \"all\" of it the values may begin at zero"
                          : "The axis of the values begins at zero, unless it is logarithmic");
  }
  const bool right = std::ranges::none_of(std::array{"##width", "##height", "##font"},
                                          [&](const char* id) { return is_wrong(context, id); });
  field_problems(context);
  return right;
}

void draw_print_colours(const Context& context, bool& dark, bool asked) {
  ImGui::AlignTextToFramePadding();
  muted_text(context, "colours");
  for (const bool one : {false, true}) {
    ImGui::SameLine(0, context.look.px(one ? 4 : 8));
    if (chip(context, one ? "dark" : "light", asked && dark == one, asked)) dark = one;
    tooltip(context,
            one ? "PDF and SVG for slides; a PNG is as the window" : "PDF and SVG for paper; a PNG is as the window");
  }
}

void draw_print_range(const Context& context, Panel panel, bool& whole, bool asked) {
  if (!shown_limits(context.ui, panel)) return;
  ImGui::AlignTextToFramePadding();
  muted_text(context, "the chart is zoomed: save it");
  for (const bool one : {false, true}) {
    ImGui::SameLine(0, context.look.px(one ? 4 : 8));
    if (chip(context, one ? "all" : "as shown", asked && whole == one, asked)) whole = one;
    tooltip(context, one ? "PDF and SVG with all of the chart; a PNG is as the window"
                         : "PDF and SVG with the part that is shown; a PNG is as the window");
  }
}

void draw_stated_size(const Context& context, const PictureDraft& picture, const PrintSize& size, bool asked) {
  const SmallFont font(context.look);
  ImGui::PushTextWrapPos(0);
  if (!asked) {
    muted_text(context,
               "A PNG is three times as large as on the screen; width, words and title are those of PDF and SVG.");
  } else if (!picture.problem.empty()) {
    coloured_text(context.look.theme.slower, sentence(picture.problem));
  } else {
    const bool title = !picture.title.empty(), caption = size.captioned && !picture.caption.empty();
    const char* words = title && caption ? ", title and caption included"
                        : title          ? ", title included"
                        : caption        ? ", caption included"
                                         : "";
    muted_text(context, !picture.measured
                            ? std::string(" ")
                            : fmt::format("{:.4g} × {:.4g} cm on paper{}", size.width_cm, picture.height_cm, words));
  }
  ImGui::PopTextWrapPos();
}

bool draw_film_queries(const Context& context, FilmQueries& queries) {
  const SourceReply* source = context.data.attention.sides[0].source.get();
  const double last = source ? static_cast<double>(source->seq_len - 1) : 0;
  bool right = true;
  const auto number = [&](const char* label, const char* id, std::int64_t& value, double least) {
    ImGui::AlignTextToFramePadding();
    muted_text(context, label);
    ImGui::SameLine();
    typed_field(context, id, value, context.look.px(80), {.least = least, .most = std::max(1.0, last)});
    right &= !is_wrong(context, id);
    ImGui::SameLine();
  };
  number("queries", "##film_first", queries.first, 0);
  number("to", "##film_last", queries.last, 0);
  number("in steps of", "##film_step", queries.step, 1);
  ImGui::NewLine();
  if (!right) {
    field_problems(context);
    return false;
  }
  const std::string problem = film_problem(queries, context.data.attention);
  coloured_text(problem.empty() ? context.look.theme.muted : context.look.theme.slower,
                problem.empty() ? counted(queries.count(), "picture") : problem);
  return problem.empty();
}

}  // namespace triscope
