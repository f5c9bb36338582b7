#include "views/tables/compare_columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/explore/unchanged_band.hpp"
#include "views/data/format.hpp"
#include "views/parts/widgets.hpp"
#include "views/tables/compare_differences.hpp"

namespace triscope {
namespace {

constexpr float kDoubtInWords = 84;           ///< "not converged"; sides without a word would say nothing
constexpr float kSettingBesideVerdict = 200;  ///< of more it is cut, and said when hovered

/// Nothing that two sides have in common has a verdict: the lines above say so, and a column would say it again.
bool is_nothing_judged(const CompareModel& model) {
  return model.faster + model.slower + model.same + model.unclear == 0;
}

/// Of the widest interval, in design pixels.
float interval_width(const Context& context, const CompareModel& model) {
  const NumberFont font(context.look);
  const std::string end = format_fixed(model.highest_ratio, kRatioDecimals);
  return std::clamp(ImGui::CalcTextSize((end + " .. " + end).c_str()).x / context.look.px(1) + 2, 60.0F, 160.0F);
}

/// Of the longest doubt, as far as there is any use in it, in design pixels.
float doubts_width(const Context& context, const CompareModel& model) {
  const SmallFont font(context.look);
  float widest = 0;
  for (const CompareLine& line : model.lines) {
    const std::optional<CompareCell>& cell = line.cells[1];
    if (cell) widest = std::max(widest, ImGui::CalcTextSize(cell->doubts.c_str()).x);
  }
  return std::clamp(widest / context.look.px(1) + 8, 96.0F, 240.0F);
}

/// Of the longest time, and of what is said in its place.
float times_width(const Context& context, const CompareModel& model) {
  const NumberFont font(context.look);
  const std::string longest = format_fixed(model.highest_ms, model.decimals);
  return ImGui::CalcTextSize(longest.c_str()).x / context.look.px(1) + 2;
}

/// Takes what the columns have too much for `room` from those that can be narrower: first what names or doubts a row.
void fit_into(std::vector<CompareColumn>& columns, float room) {
  float over = -room;
  std::vector<float> full;
  for (const CompareColumn& column : columns) {
    over += column.width + 2 * kCompareCellPadding;
    full.push_back(column.width);
  }
  for (const bool first : {true, false}) {
    const auto spare = [&](const CompareColumn& column) {
      const bool early = column.field == CompareField::doubts || column.field == CompareField::setting ||
                         column.field == CompareField::chosen;
      return column.least > 0 && early == first ? std::max(0.0F, column.width - column.least) : 0.0F;
    };
    float most = 0;
    for (const CompareColumn& column : columns) most += spare(column);
    const float share = most > 0 ? std::clamp(over / most, 0.0F, 1.0F) : 0;
    for (CompareColumn& column : columns) column.width -= share * spare(column);
    over -= share * most;
  }
  for (std::size_t n = 0; n < columns.size(); ++n) {
    CompareColumn& column = columns[n];
    if (column.width >= full[n] - 0.5F) continue;
    // Of these there is one shorter form.
    if (column.field == CompareField::kernel || column.field == CompareField::pass ||
        column.field == CompareField::time)
      column.width = column.least;
    if (!column.brief.empty()) column.title = column.brief;
  }
}

/// Where columns lie beyond the edge, those before it share the room that is left: none is cut in half by the edge.
void fill_up_to_edge(std::vector<CompareColumn>& columns, float room) {
  float taken = 0;
  std::size_t whole = 0;
  for (const CompareColumn& column : columns) {
    const float with = taken + column.width + 2 * kCompareCellPadding;
    if (with > room) break;
    taken = with;
    ++whole;
  }
  if (whole == columns.size() || whole == 0) return;
  for (std::size_t n = 0; n < whole; ++n) columns[n].width += (room - taken) / static_cast<float>(whole);
}

}  // namespace

std::vector<CompareColumn> compare_columns(const Context& context, const CompareModel& model, bool with_unchanged) {
  constexpr float kScrollbar = 24;  // and the edges
  const bool several = model.sweeps.size() > 2;
  std::vector<CompareColumn> columns;
  const auto in_design = [&](float pixels) { return pixels / context.look.px(1); };
  const auto title_width = [&](const std::string& text) {
    const SmallFont font(context.look);
    return in_design(ImGui::CalcTextSize(text.c_str()).x) + 8;
  };
  const auto text_width = [&](const std::string& text) { return in_design(ImGui::CalcTextSize(text.c_str()).x) + 12; };
  // "A not measured", "B failed": it has no shorter form.
  const float unjudged = model.missing + model.failed > 0 ? text_width("A not measured") : 0;
  const float interval =
      model.has_intervals ? std::max(interval_width(context, model), title_width(model.interval_title)) : 0;
  columns.push_back({CompareField::window, 0, "window", 74});
  if (model.kernel.empty() || with_unchanged)
    columns.push_back({CompareField::kernel, 0, "kernel", std::max(54.0F, text_width(model.longest_kernel)),
                       std::max(54.0F, text_width(model.longest_brief_kernel))});
  if (model.has_passes || with_unchanged)
    columns.push_back(
        {CompareField::pass, 0, "pass", text_width(model.longest_pass), text_width(brief_pass(model.longest_pass))});
  // Of versions many rows have the same windows.
  if (model.band && model.has_settings)
    columns.push_back({CompareField::setting, 0, "setting",
                       std::clamp(text_width(model.longest_brief_setting), 80.0F, kSettingBesideVerdict)});
  for (std::size_t s = 1; s < model.sweeps.size(); ++s) {
    if (several || !is_nothing_judged(model))
      columns.push_back({CompareField::verdict, s, several ? model.sweeps[s] : "verdict", std::max(100.0F, unjudged),
                         std::max(66.0F, unjudged)});
    if (model.band) columns.push_back({CompareField::band, s, "beside unchanged", 106, 96});
    if (has_comparisons(model)) columns.push_back({CompareField::ratio, s, "ratio", 44, 0, true});
    if (model.has_intervals) columns.push_back({CompareField::interval, s, model.interval_title, interval, 0, true});
    if (model.has_cycles) columns.push_back({CompareField::cycles, s, "in cycles", 60, title_width("in cycles"), true});
  }
  for (const std::size_t side : sides_of(model)) {
    const std::string title = side_name(model, side) + ", ms", letter = side_letter(model, side);
    const std::string brief = letter.empty() ? "" : letter + ", ms";
    const float numbers = times_width(context, model);
    columns.push_back({CompareField::time, side, title, std::max(title_width(title), numbers),
                       letter.empty() ? 0 : std::max(title_width(brief), numbers), true, brief});
  }
  if (model.has_doubts)
    columns.push_back({CompareField::doubts, 1, "doubts", doubts_width(context, model), kDoubtInWords});
  if (model.has_choices) columns.push_back({CompareField::chosen, 0, "chosen", 48, 44});
  if (model.has_settings && !model.band)
    columns.push_back({CompareField::setting, 0, "setting", std::max(80.0F, text_width(model.longest_setting))});
  const float room = in_design(ImGui::GetContentRegionAvail().x) - kScrollbar;
  fit_into(columns, room);
  fill_up_to_edge(columns, room);
  return columns;
}

std::string fitting_doubts(const std::string& doubts, float width) {
  const auto fits = [width](const std::string& text) { return ImGui::CalcTextSize(text.c_str()).x <= width; };
  if (fits(doubts)) return doubts;
  std::map<std::size_t, std::string_view> meanings;  // by their places
  for (const std::string_view one : doubt::kAll) {
    if (const std::size_t at = doubts.find(one); at != std::string::npos) meanings.emplace(at, one);
  }
  std::vector<std::string_view> said;
  for (const auto& [at, one] : meanings) said.push_back(one);
  for (bool all = true; !said.empty(); said.pop_back(), all = false) {
    const std::string text = fmt::format("{}{}", fmt::join(said, ", "), all ? "" : " …");
    if (fits(text)) return text;
  }
  return "…";
}

const char* header_words(CompareField field) {
  switch (field) {
    case CompareField::ratio:
      return "Time of A / time of B: below 1 A takes shorter. Of two that took turns it is of neighbouring turns, and "
             "so "
             "not quite that of the medians beside it.";
    case CompareField::cycles:
      return "Time × clock of A / that of B: without what two cards, or one at another temperature, differ by in "
             "clock. Unchanged kernels differ in cycles too: the line above says by how much.";
    case CompareField::interval:
      return "Of the ratio of times: 99 % between sweeps with restarts, else 95 %. Of two GPUs it is that of the "
             "samples alone: what the cards differ by is not in it.";
    case CompareField::band:
      return "The ratio over the average of kernels that did not change. Inside: no further from it than one of those "
             "would be in 99 of 100 cases, so that the machine may be the reason. Longer, shorter: further, also with "
             "the row's own interval. Unclear: further, but for its interval or its two modes.";
    case CompareField::setting:
      return "In what this row differs from most, and its tokens. What it does not say stands above the table: "
             "\"unless said\".";
    case CompareField::doubts:
      return "What the samples leave open: two modes, not converged, too few blocks, one process. A clock that was "
             "held down is none of these: on a large GPU it is usual, and \"in cycles\" has the ratio without it.";
    case CompareField::chosen:
      return "Of several measurements those two that are of one sweep, else of one card, else took turns with the same "
             "kernels, else with no \"doubts\", else of more restarts, else the newest.";
    default:
      return "";
  }
}

}  // namespace triscope
