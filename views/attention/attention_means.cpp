// The mean over queries: where each head looks from wherever it stands, and the shown head's map of it.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/inspect/slice_rules.hpp"
#include "profiler/record/columns.hpp"
#include "views/attention/attention_parts.hpp"
#include "views/data/format.hpp"
#include "views/model/attention/film_choice.hpp"
#include "views/model/attention/mean_words.hpp"
#include "views/model/attention/triple_hits.hpp"
#include "views/model/attention/wider_windows.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

constexpr ImGuiTableFlags kPeakFlags = ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_BordersInnerH |
                                       ImGuiTableFlags_PadOuterX | ImGuiTableFlags_Sortable |
                                       ImGuiTableFlags_SortTristate;

/// Grey where it is no more than chance.
ImU32 peak_colour(const Context& context, const MeanMaps& maps, const MeanPeak& peak) {
  return peak_doubt(maps, peak) == PeakDoubt::none ? context.look.theme.text : context.look.theme.muted;
}

/// The first of them stands in the current column.
void draw_distances(const Context& context, const MeanMaps& maps, const MeanPeak& peak, ImU32 colour) {
  number_right(context, fmt::format("{}", -peak.back1), colour);
  if (has_one_key(maps.problem)) return;
  ImGui::TableNextColumn();
  number_right(context, fmt::format("{}", -peak.back2), colour);
}

/// How many queries have their largest p there.
void draw_queries(const Context& context, const MeanMaps& maps, const MeanPeak& peak, ImU32 colour) {
  ImGui::TableNextColumn();
  number_right(context, format_count(maps.strongest_at(peak.head, peak.back1, peak.back2)), colour);
}

void draw_lift(const Context& context, const MeanPeak& peak) {
  ImGui::TableNextColumn();
  number_right(context, lift_text(peak), context.look.theme.muted);
}

/// Which peak of its head it is at wider windows.
void draw_rank(const Context& context, const MeanMaps& wider, const MeanPeak& peak, ImU32 colour) {
  ImGui::TableNextColumn();
  const std::string rank = wider_rank(wider, peak);
  number_right(context, rank, rank == "1st" ? colour : context.look.theme.muted);
}

constexpr ExplainedColumn kFirstKey{"j", true, "First key, in tokens from the query"};
constexpr ExplainedColumn kSecondKey{"k", true, "Second key, in tokens from the query"};
constexpr ExplainedColumn kOnlyKey{"j", true, "Key, in tokens from the query"};
constexpr ExplainedColumn kApart{"apart", true, "How many tokens the two keys lie apart"};
constexpr ExplainedColumn kMeanP{"mean p", true, "p at these distances, the mean over the queries that see them"};
constexpr ExplainedColumn kQueries{
    "queries", true, "Queries that have their largest p here. The one that is shown need not be among them"};
constexpr ExplainedColumn kLift{"× even", true,
                                "Times what weights would give that are all alike, over the same queries and windows"};
constexpr ExplainedColumn kWider{
    "wider", true,
    "Which peak of its head this one is at the wider windows: 1st: it is the largest there, too; –: none of the "
    "largest eight"};

/// Those of a peak, with `before` and `after` them.
std::vector<ExplainedColumn> begin_peak_columns(const Context& context, const MeanMaps& maps,
                                                std::vector<ExplainedColumn> before,
                                                const std::vector<ExplainedColumn>& after) {
  std::vector<ExplainedColumn> columns = std::move(before);
  if (has_one_key(maps.problem)) {
    columns.push_back(kOnlyKey);
  } else {
    columns.insert(columns.end(), {kFirstKey, kSecondKey});
  }
  columns.insert(columns.end(), after.begin(), after.end());
  for (const ExplainedColumn& column : columns) {
    const std::string_view name = column.name;
    const float weight = name == "mean p"                      ? 1.4F
                         : name == "head"                      ? 1.3F
                         : name == "× even" || name == "wider" ? 1.2F
                         : name == "queries"                   ? 1.3F
                         : name == "apart"                     ? 1.1F
                         : name == "k"                         ? 0.9F
                                                               : 1.0F;
    const bool largest_first = name == "mean p" || name == "× even" || name == "queries";
    ImGui::TableSetupColumn(column.name,
                            ImGuiTableColumnFlags_WidthStretch |
                                (largest_first ? ImGuiTableColumnFlags_PreferSortDescending : 0) |
                                (name == "wider" ? ImGuiTableColumnFlags_NoSort : 0),
                            weight);
  }
  explained_headers(context, columns);
  return columns;
}

/// As the headers sort them.
void sort_peaks(std::vector<MeanPeak>& peaks, const MeanMaps& maps, const std::vector<ExplainedColumn>& columns) {
  sort_as_clicked(peaks, columns, [&](const MeanPeak& peak, std::string_view by) {
    return by == "head"     ? static_cast<double>(peak.head)
           : by == "j"      ? static_cast<double>(-peak.back1)
           : by == "k"      ? static_cast<double>(-peak.back2)
           : by == "apart"  ? static_cast<double>(keys_apart(peak))
           : by == "mean p" ? peak.p
           : by == "× even" ? peak.p / peak.even
                            : static_cast<double>(maps.strongest_at(peak.head, peak.back1, peak.back2));
  });
}

/// A peak of a head among those that are listed. A click shows its mean, and frames the pair.
void draw_head_peak(Context& context, const MeanMaps& maps, const std::vector<MeanPeak>& listed, std::size_t n) {
  AttentionUi& ui = context.ui.attention;
  const MeanPeak& peak = listed[n];
  const Theme& theme = context.look.theme;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushID(static_cast<int>(peak.head));
  ImGui::PushID(static_cast<int>(n));
  if (ImGui::Selectable(n == 0 ? "##peak" : "##other_peak", peak.head == ui.head,
                        ImGuiSelectableFlags_SpanAllColumns)) {
    ui.mean_of_queries = true;
    ui.search.open = false;
    frame_peak(ui, context.data.attention, maps, peak);
  }
  const MeanMaps* wider = shown_wider(ui, context.data.attention);
  const std::size_t tied = tied_peaks(maps.peaks[static_cast<std::size_t>(peak.head)]);
  tooltip(context,
          fmt::format("Head {}, {}.\n{}.\n{}{}{}{}A click shows its mean, and frames this peak.", peak.head,
                      averaged_text(maps, peak.head), mean_cell_text(maps, peak), best_query_text(peak),
                      wider ? wider_text(*wider, peak) + "\n" : "", doubt_text(maps, peak),
                      tied > 1 ? fmt::format("{}{} peaks of this head are tied, within a tenth of the largest.\n",
                                             tied == kKeptPeaks ? "At least " : "", tied)
                               : ""));
  ImGui::PopID();
  ImGui::PopID();
  ImGui::SameLine(0, 0);
  const ImU32 colour = peak_colour(context, maps, peak);
  if (n == 0) {
    number_right(context, fmt::format("{}", peak.head), colour);
  } else {
    const SmallFont font(context.look);
    const std::string name = fmt::format("{} {}", peak.head, peak_rank(listed, n));
    align_right(ImGui::CalcTextSize(name.c_str()).x);
    coloured_text(theme.muted, name);
  }
  ImGui::TableNextColumn();
  draw_distances(context, maps, peak, colour);
  if (wider) {  // there is no room for both
    draw_rank(context, *wider, peak, colour);
  } else {
    draw_lift(context, peak);
  }
  draw_queries(context, maps, peak, colour);
}

/// At which query a peak is framed, and at which it is largest, with the way there. Takes as much room without one.
void draw_framed_peak(Context& context, const MeanMaps& maps, std::int64_t head) {
  AttentionUi& ui = context.ui.attention;
  const float top = ImGui::GetCursorPosY();
  const std::vector<MeanPeak>& peaks = maps.peaks[static_cast<std::size_t>(head)];
  const auto framed = std::ranges::find_if(peaks, [&](const MeanPeak& peak) { return is_framed(ui, peak); });
  const AttentionSideData& side = context.data.attention.sides[0];
  muted_text(
      context,
      framed == peaks.end() ? framing_sentence(side.slice_of.query.query, peaks) : framed_sentence(*framed, side),
      true);
  const float button = top + 3 * ImGui::GetTextLineHeight();
  if (framed != peaks.end() && framed->best_query >= 0 && framed->best_query != side.slice_of.query.query) {
    ImGui::SetCursorPosY(std::max(ImGui::GetCursorPosY(), button));
    if (ImGui::Button(fmt::format("Show query {}###best_query", format_count(framed->best_query)).c_str()))
      frame_peak(ui, context.data.attention, *framed, framed->best_query);
    tooltip(context, "The query at which p of this peak is largest, of those that are averaged");
  }
  const float end = button + ImGui::GetFrameHeightWithSpacing();
  if (ImGui::GetCursorPosY() < end) ImGui::Dummy(ImVec2(1, end - ImGui::GetCursorPosY()));
}

}  // namespace

void draw_no_means(Context& context) {
  const AttentionData& data = context.data.attention;
  const std::optional<OverviewRequest> overview = wanted_overview(context.ui.attention, data);
  const bool match3 = overview && overview->query.problem.mask == Mask::full;  // whose mask nobody chose
  if (match3 || context.ui.attention.mask == Mask::full)
    return muted_text(context, "With a full mask pairs have no distances in common, and there is no mean.", true);
  const bool current = !overview || data.overview.of == *overview;  // else it comes first, and then the means
  const bool none = data.overview.answer && current && !data.means.pending && !wanted_means(context.ui.attention, data);
  if (none && !is_walking(context.ui.attention))
    return muted_text(context, "These windows and heads have too many pairs for a mean: choose smaller windows.", true);
  draw_means_state(context, data.means);
}

void draw_means_state(Context& context, const MeansSurvey& means) {
  if (means.pending && means.total > 0) {
    if (ImGui::Button("■ Stop###stop_means")) context.request(ask::StopMeans{});
    tooltip(context, "Stops this mean, which needs a slice of each of these queries. Nothing of it is kept.");
    ImGui::SameLine();
    ImGui::ProgressBar(static_cast<float>(means.done) / static_cast<float>(means.total),
                       ImVec2(-1, ImGui::GetFrameHeight()),
                       progress_words(means.done, means.total, means.seconds_left).c_str());
  } else if (means.stopped && !means.pending && !context.data.run.running) {
    muted_text(context, "The mean over queries was stopped.", true);
    if (ImGui::Button("Start again###means_again")) context.request(ask::InspectAgain{});
  } else {
    draw_survey_state(context, means.pending || !means.answer, means.problem);
  }
}

void draw_head_peaks(Context& context) {
  AttentionUi& ui = context.ui.attention;
  section(context, "Where heads look: largest mean p");
  const MeanMaps* maps = shown_means(ui, context.data.attention);
  if (!maps) return draw_no_means(context);
  muted_text(context, averaged_sentence(*maps, std::clamp<std::int64_t>(ui.head, 0, maps->heads - 1)), true);
  constexpr std::size_t kMostRows = 12;  // without scrolling
  std::vector<MeanPeak> largest = largest_peaks(*maps);
  ImGui::PushTextWrapPos(0);
  coloured_text(context.look.theme.text, looks_sentence(*maps, largest));
  ImGui::PopTextWrapPos();
  std::ranges::stable_partition(largest,
                                [&](const MeanPeak& peak) { return peak_doubt(*maps, peak) == PeakDoubt::none; });
  std::size_t rows = 0;
  for (const MeanPeak& peak : largest) rows += listed_peaks(*maps, peak.head).size();
  const float row = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  const float height = context.look.px(30) + row * static_cast<float>(std::min(rows, kMostRows));
  if (!ImGui::BeginTable("peaks", has_one_key(maps->problem) ? 4 : 5, kPeakFlags | ImGuiTableFlags_ScrollY,
                         ImVec2(0, height)))
    return;
  ImGui::TableSetupScrollFreeze(0, 1);
  const std::vector<ExplainedColumn> columns = begin_peak_columns(
      context, *maps,
      {{"head", true,
        "Those first that count, the most unlike even weights first. Below a head, peaks of at least half of its "
        "largest; tied: within a tenth of it"}},
      {shown_wider(ui, context.data.attention) ? kWider : kLift, kQueries});
  sort_peaks(largest, *maps, columns);
  for (const MeanPeak& first : largest) {
    const std::vector<MeanPeak> listed = listed_peaks(*maps, first.head);
    for (std::size_t n = 0; n < listed.size(); ++n) draw_head_peak(context, *maps, listed, n);
  }
  ImGui::EndTable();
  const std::string grey = grey_sentence(*maps, largest);
  if (!grey.empty()) muted_text(context, grey, true);
}

void draw_mean_map(Context& context) {
  AttentionUi& ui = context.ui.attention;
  const MeanMaps* maps = shown_means(ui, context.data.attention);
  if (!maps) return draw_no_means(context);
  const std::int64_t head = std::clamp<std::int64_t>(ui.head, 0, maps->heads - 1);
  const bool one_key = has_one_key(maps->problem);
  section(context, fmt::format("Head {}, the mean over queries", head).c_str());
  muted_text(context,
             averaged_sentence(*maps, head) + fmt::format(" p at each {}, over the queries that see it.",
                                                          one_key ? "distance" : "pair of distances"),
             true);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  draw_mean_picture(context, *maps, head, at, ImVec2(ImGui::GetContentRegionAvail().x, context.look.px(260)));
  section(context, "Peaks of the mean");
  const MeanMaps* wider = shown_wider(ui, context.data.attention);
  std::vector<ExplainedColumn> after{kMeanP, kLift, kQueries};
  if (!one_key) after.insert(after.begin(), kApart);
  if (wider) after.push_back(kWider);
  if (!ImGui::BeginTable("mean_peaks", static_cast<int>(after.size()) + (one_key ? 1 : 2), kPeakFlags)) return;
  std::vector<MeanPeak> peaks = maps->peaks[static_cast<std::size_t>(head)];
  sort_peaks(peaks, *maps, begin_peak_columns(context, *maps, {}, after));
  for (const MeanPeak& peak : peaks) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushID(static_cast<int>(peak.back1 * maps->height + peak.back2));
    if (ImGui::Selectable("##mean_peak", is_framed(ui, peak), ImGuiSelectableFlags_SpanAllColumns)) {
      if (is_framed(ui, peak)) {
        ui.pinned.reset();
      } else {
        frame_peak(ui, context.data.attention, *maps, peak);
      }
    }
    tooltip(context, mean_cell_text(*maps, peak) + ".\n" + best_query_text(peak) + doubt_text(*maps, peak) +
                         (wider ? wider_text(*wider, peak) + "\n" : "") +
                         "A click frames it in the map of the shown query.");
    ImGui::PopID();
    ImGui::SameLine(0, 0);
    const ImU32 colour = peak_colour(context, *maps, peak);
    draw_distances(context, *maps, peak, colour);
    if (!one_key) ImGui::TableNextColumn();
    if (!one_key) number_right(context, fmt::format("{}", keys_apart(peak)), colour);
    ImGui::TableNextColumn();
    number_right(context, significant_text(peak.p, 2), colour);
    draw_lift(context, peak);
    draw_queries(context, *maps, peak, colour);
    if (wider) draw_rank(context, *wider, peak, colour);
  }
  ImGui::EndTable();
  draw_framed_peak(context, *maps, head);
  muted_text(context, strongest_sentence(*maps, head), true);
  muted_text(
      context,
      "Distances that less than an eighth of these queries see are left out, and what lies beside a larger peak. "
      "× even: times what even weights would give.",
      true);
}

}  // namespace triscope
