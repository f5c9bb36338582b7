// All heads beside one another, by the means of their figures.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/inspect/slice_rules.hpp"
#include "profiler/export/text_table.hpp"
#include "profiler/record/columns.hpp"
#include "views/attention/attention_parts.hpp"
#include "views/data/format.hpp"
#include "views/model/attention/figure_words.hpp"
#include "views/model/attention/striking_places.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

/// A column of the table of heads, after the head itself.
struct HeadColumn {
  OverviewFigure figure;
  const char *label, *meaning;
};
/// Those of heads with a sink, or none, and with one key or two.
std::vector<HeadColumn> head_columns(bool sink, bool one_key) {
  std::vector<HeadColumn> columns{
      {OverviewFigure::entropy, "nats", "Entropy"},
      {OverviewFigure::largest_p, "max p", "Largest p"},
      {OverviewFigure::sink_p, "sink", "Share of the sink"},
      {OverviewFigure::distance1, "j-even", "Distance to j in tokens, weighted by p, less that of even weights"},
      {OverviewFigure::distance2, "k-even", "Distance to k in tokens, weighted by p, less that of even weights"}};
  std::erase_if(columns, [&](const HeadColumn& column) { return !has_figure(column.figure, sink, one_key); });
  return columns;
}

bool is_distance(OverviewFigure figure) {
  return figure == OverviewFigure::distance1 || figure == OverviewFigure::distance2;
}

/// The figures of one row: those of `head`, its distances as far from those of even weights, or of even weights.
void draw_means(const Context& context, const FigureMeans& means, const HeadMeans* head,
                const std::vector<HeadColumn>& columns) {
  for (const auto& [figure, label, meaning] : columns) {
    ImGui::TableNextColumn();
    const double mean = means.at(static_cast<std::size_t>(figure));
    const bool share = figure == OverviewFigure::largest_p || figure == OverviewFigure::sink_p;
    number_right(context,
                 head && is_distance(figure) ? from_even_text(*head, figure)
                 : std::isnan(mean)          ? "–"
                                             : significant_text(mean, share ? 2 : 3),
                 figure == context.ui.attention.figure ? context.look.theme.text : context.look.theme.muted);
  }
}

void draw_head_row(Context& context, const HeadMeans& head, const std::vector<HeadColumn>& columns) {
  AttentionUi& ui = context.ui.attention;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushID(static_cast<int>(head.head));
  if (ImGui::Selectable("##row", head.head == ui.head, ImGuiSelectableFlags_SpanAllColumns)) ui.head = head.head;
  tooltip(context, head_sentence(head));
  ImGui::PopID();
  ImGui::SameLine(0, 0);
  number_right(context, fmt::format("{}", head.head));
  draw_means(context, head.means, &head, columns);
}

/// What a head without any preference would have, under the headers.
void draw_even_row(const Context& context, const FigureMeans& even, const std::vector<HeadColumn>& columns) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::Selectable("##even", false, ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_Disabled);
  tooltip(context,
          "What a head would have that weighs all alike, over the very same queries and windows: its entropy, p and "
          "mean distances. Distances of heads are less these: near 0 says little, since a head may look at a few "
          "places near and far whose mean is the same. The peaks below tell such heads apart.");
  ImGui::SameLine(0, 0);
  number_right(context, "even", context.look.theme.muted);
  draw_means(context, even, nullptr, columns);
}

/// A click on a header sorts by its figure and chooses it. Nothing else changes the order: a row stays where it was
/// clicked last.
void draw_head_headers(Context& context, const std::vector<HeadMeans>& heads, const std::vector<HeadColumn>& columns) {
  AttentionUi& ui = context.ui.attention;
  const Theme& theme = context.look.theme;
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers, context.look.px(24));
  ImGui::TableSetColumnIndex(0);
  const ImVec2 whole(0, ImGui::GetTextLineHeight());
  ImGui::PushID("head");
  if (ImGui::Selectable("##sort", false, ImGuiSelectableFlags_None, whole)) sort_heads_of(ui, heads, std::nullopt);
  ImGui::PopID();
  tooltip(context, "Click to sort by number");
  header_text(context, 0, "head", true, ui.heads_sorted_by ? theme.muted : theme.accent);
  int column = 0;
  for (const auto& [figure, label, meaning] : columns) {
    ImGui::TableSetColumnIndex(++column);
    ImGui::PushID(label);
    if (ImGui::Selectable("##sort", false, ImGuiSelectableFlags_None, whole)) {
      ui.figure = figure;
      sort_heads_of(ui, heads, figure);
    }
    ImGui::PopID();
    tooltip(context, fmt::format("{}, the mean over queries. Click to sort by it, {} first.", meaning,
                                 figure == OverviewFigure::entropy ? "sharp heads"
                                 : is_distance(figure)             ? "those farthest from even weights"
                                                                   : "the largest"));
    header_text(context, column, label, true, figure == ui.heads_sorted_by ? theme.accent : theme.muted);
  }
}

}  // namespace

void draw_heads(Context& context, const Overview& overview) {
  constexpr std::int64_t kMostRows = 8;  // without scrolling
  if (overview.heads < 2) return;
  AttentionUi& ui = context.ui.attention;
  const AttentionData& data = context.data.attention;
  const Problem& problem = data.overview.of.query.problem;
  const std::int64_t tokens = data.sides[0].source->seq_len;
  const bool sink = data.sides[0].source->sink, one_key = has_one_key(problem);
  const std::vector<HeadColumn> columns = head_columns(sink, one_key);
  const std::vector<HeadMeans> heads = ordered_heads(ui, head_means(overview, problem, tokens));
  const FigureMeans even = even_means(overview, problem, tokens);
  ImGui::Dummy(ImVec2(0, context.look.px(8)));
  ImGui::AlignTextToFramePadding();
  muted_text(context, "Heads");
  align_right(button_width("Copy"));
  if (ImGui::Button("Copy##heads"))
    context.request(ask::CopyText{write_table(heads_text(heads, even, sink, one_key), TableFormat::tsv)});
  tooltip(context, "Copy this table for a spreadsheet");
  muted_text(
      context,
      fmt::format("Means over {}. even: what a head has that weighs all {} alike. j-even{}: how many tokens "
                  "farther back than even.",
                  query_range_text(overview, problem, tokens), one_key ? "keys" : "pairs", one_key ? "" : ", k-even"),
      true);
  const float row = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_BordersInnerH |
                                     ImGuiTableFlags_PadOuterX | ImGuiTableFlags_ScrollY;
  const float height = context.look.px(26) + row * static_cast<float>(1 + std::min(overview.heads, kMostRows));
  if (!ImGui::BeginTable("heads", 1 + static_cast<int>(columns.size()), kFlags, ImVec2(0, height))) return;
  ImGui::TableSetupColumn("head", ImGuiTableColumnFlags_WidthStretch, 0.8F);
  for (const auto& [figure, label, meaning] : columns) {
    const float weight = figure == OverviewFigure::largest_p || figure == OverviewFigure::sink_p ? 1.3F : 1;
    ImGui::TableSetupColumn(label, ImGuiTableColumnFlags_WidthStretch, weight);
  }
  ImGui::TableSetupScrollFreeze(0, 2);
  draw_head_headers(context, heads, columns);
  draw_even_row(context, even, columns);
  int* followed = ImGui::GetStateStorage()->GetIntRef(ImGui::GetID("followed"), -1);
  for (std::size_t n = 0; n < heads.size(); ++n) {
    draw_head_row(context, heads[n], columns);
    // Another head, or another place: the shown one stays in view.
    const int state = static_cast<int>(ui.head * overview.heads) + static_cast<int>(n);
    if (heads[n].head == ui.head && std::exchange(*followed, state) != state) ImGui::SetScrollHereY();
  }
  ImGui::EndTable();
}

}  // namespace triscope
