// The search for the strongest triples of all queries and heads: what is searched for, how far it is, what was found.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string_view>
#include <vector>

#include "kernels/inspect/counted_queries.hpp"
#include "kernels/inspect/slice_rules.hpp"
#include "profiler/export/head_means.hpp"
#include "profiler/record/columns.hpp"
#include "views/attention/attention_parts.hpp"
#include "views/data/format.hpp"
#include "views/model/attention/figure_words.hpp"
#include "views/model/attention/triple_hits.hpp"
#include "views/parts/number_field.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

bool can_search(const Context& context) { return !context.data.attention.search.running && !context.data.run.running; }

/// Enter begins the search, as the button does. True: something is typed in it.
bool number_box(Context& context, const char* id, std::int64_t& value, const char* help) {
  const auto last = static_cast<double>(context.data.attention.sides[0].source->seq_len - 1);
  typed_field(context, id, value, context.look.px(64), {.least = 0, .most = last});
  const bool typing = ImGui::IsItemActive();
  const bool enter = ImGui::IsKeyPressed(ImGuiKey_Enter) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter);
  if (enter && ImGui::IsItemDeactivated() && !is_wrong(context, id) && can_search(context))
    context.request(ask::FindTriples{});
  tooltip(context, help);
  return typing;
}

/// Which queries are searched: one rule for all searches.
void draw_search_queries(Context& context) {
  const AttentionSideData& side = context.data.attention.sides[0];
  const std::optional<TripleSearchRequest> wanted = wanted_search(context.ui.attention, context.data.attention);
  if (!wanted) return;
  const CountedQueries counted = counted_queries(wanted->query.problem, side.source->seq_len);
  if (counted.first == 0) return;
  bool& all = context.ui.attention.search.all_queries;
  ImGui::AlignTextToFramePadding();
  muted_text(context, "queries");
  ImGui::SameLine();
  if (chip(context, fmt::format("from {}###counted_queries", format_count(counted.first)).c_str(), !all)) all = false;
  tooltip(context, left_out_sentence(counted));
  ImGui::SameLine(0, context.look.px(4));
  if (chip(context, "all###all_queries", all)) all = true;
  tooltip(context, "Also the first queries, which see few pairs and have a large p by nature");
}

/// How far back the keys are. What stands below does not move while a number is typed.
void draw_distances(Context& context) {
  TripleSearchUi& search = context.ui.attention.search;
  bool typing = false;
  const auto typed = [&](const char* id, std::int64_t& value, const char* help) {
    const std::int64_t before = value;
    if (number_box(context, id, value, help)) typing = true;
    if (value != before) search.back_proposed = false;
  };
  ImGui::AlignTextToFramePadding();
  const bool one_key = asks_one_key(context.ui.attention);
  muted_text(context, one_key ? "exactly back" : "exactly back: j");
  ImGui::SameLine();
  typed("##search_back1", search.back[0],
        one_key ? "Of the key before its query" : "Of the first key before its query");
  if (!one_key) {
    ImGui::SameLine();
    muted_text(context, "k");
    ImGui::SameLine();
    typed("##search_back2", search.back[1], "Of the second key before its query");
    muted_text(context, typing ? "" : apart_text(search.back[0], search.back[1]) + ".");
  }
  const char* const what = one_key ? "key" : "pair";
  const std::string proposed = context.ui.attention.pinned
                                   ? fmt::format("Proposed: the {} that is framed in the map.", what)
                                   : fmt::format("Proposed: the strongest {} of the shown query.", what);
  if (search.back_proposed) return muted_text(context, proposed, true);
  const SmallFont font(context.look);
  ImGui::Dummy(ImVec2(1, ImGui::CalcTextSize(proposed.c_str(), nullptr, false, ImGui::GetContentRegionAvail().x).y));
}

/// How far keys have to lie from each other and from their query.
void draw_least_distances(Context& context) {
  TripleSearchUi& search = context.ui.attention.search;
  ImGui::AlignTextToFramePadding();
  muted_text(context, "keys at least");
  ImGui::SameLine();
  number_box(context, "##search_apart", search.apart, "So many tokens from each other; 0: any");
  ImGui::SameLine();
  muted_text(context, "apart,");
  ImGui::SameLine();
  number_box(context, "##search_away", search.away, "Both so many tokens from their query; 0: any");
  ImGui::SameLine();
  muted_text(context, "back");
}

/// What is searched for.
void draw_search_choice(Context& context) {
  AttentionUi& ui = context.ui.attention;
  TripleSearchUi& search = ui.search;
  const auto by = [&](const char* label, TripleSearchBy value, const char* help) {
    if (chip(context, label, search.by == value)) search.by = value;
    tooltip(context, help);
    ImGui::SameLine(0, context.look.px(4));
  };
  const bool one_key = asks_one_key(context.ui.attention);
  by("largest p", TripleSearchBy::largest, one_key ? "The strongest keys of all" : "The strongest triples of all");
  by("token", TripleSearchBy::token,
     one_key ? "Queries that look at one position" : "Triples with one position as first or second key");
  const bool were = search.by == TripleSearchBy::distances;
  by(one_key ? "exact distance" : "exact distances", TripleSearchBy::distances,
     one_key ? "Keys that are exactly so many tokens before their query"
             : "Triples whose keys are exactly so many tokens before their query");
  if (search.by == TripleSearchBy::distances && (!were || search.back_proposed)) {  // it follows what is shown
    search.back = shown_distances(ui, context.data.attention.sides[0]);
    search.back_proposed = true;
  }
  ImGui::NewLine();
  if (search.by == TripleSearchBy::token) {
    ImGui::AlignTextToFramePadding();
    muted_text(context, "position");
    ImGui::SameLine();
    number_box(context, "##search_token", search.token, "Of the key, from 0 on");
    const SourceReply& source = *context.data.attention.sides[0].source;
    if (search.token < std::ssize(source.labels)) {
      ImGui::SameLine();
      coloured_text(context.look.theme.text,
                    fmt::format("\"{}\"", source.labels[static_cast<std::size_t>(search.token)]));
    }
    if (ui.pinned && exists(*ui.pinned)) {
      ImGui::SameLine();
      if (ImGui::Button("framed j")) search.token = ui.pinned->j;
      if (!one_key) {
        ImGui::SameLine();
        if (ImGui::Button("framed k")) search.token = ui.pinned->k;
      }
    }
  } else if (search.by == TripleSearchBy::distances) {
    draw_distances(context);
  }
  if (search.by != TripleSearchBy::distances && !one_key) draw_least_distances(context);
  field_problems(context);
  draw_search_queries(context);
}

/// The button that starts or stops it, and how far it is.
void draw_search_button(Context& context) {
  const TripleSearchData& search = context.data.attention.search;
  if (search.running) {
    if (ImGui::Button("■ Stop###stop_search")) context.request(ask::StopSearch{});
    ImGui::SameLine();
    const float share = search.total > 0 ? static_cast<float>(search.done) / static_cast<float>(search.total) : 0;
    const std::string text = search.total > 0 ? progress_text(search) : "Making the overview ...";
    ImGui::ProgressBar(share, ImVec2(-1, ImGui::GetFrameHeight()), text.c_str());
    return;
  }
  if (primary_button(context, "Search", can_search(context))) context.request(ask::FindTriples{});
  if (context.data.run.running) tooltip(context, kWhileMeasuring);
  if (!search.of || search.of->source != context.data.attention.sides[0].asked) return;  // no list is shown
  ImGui::SameLine();
  const std::optional<TripleSearchRequest> now = wanted_search(context.ui.attention, context.data.attention);
  const bool other = now && *now != *search.of;
  muted_text(context, search.stopped ? fmt::format("Stopped after {}.", progress_text(search))
                      : other        ? "The list is of other settings: search again."
                                     : "");
}

/// The listed hits are of dot-product attention.
bool found_one_key(const Context& context) { return has_one_key(context.data.attention.search.of->query.problem); }

/// A key of a hit: the word or the distance; where it is on hover.
void draw_hit_key(const Context& context, const SourceReply& source, const FoundTriple& hit, std::int64_t position) {
  const std::string place = fmt::format("{}", position - hit.query);
  if (source.labels.empty()) return number_right(context, place);
  {
    const NumberFont font(context.look);
    coloured_text(context.look.theme.text, source.labels[static_cast<std::size_t>(position)]);
  }
  const NumberFont font(context.look, kSecondarySize);
  ImGui::SameLine(0, context.look.px(4));
  coloured_text(context.look.theme.muted, place);
}

void draw_hit(Context& context, const FoundTriple& hit, int row, bool shown) {
  const SourceReply& source = *context.data.attention.sides[0].source;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushID(row);
  if (ImGui::Selectable("##hit", shown, ImGuiSelectableFlags_SpanAllColumns))
    go_to(context.ui.attention, context.data.attention, hit);
  const bool one_key = found_one_key(context);
  const std::string k = one_key ? "" : fmt::format(", k = {}", key_text(source, hit.triple.k, hit.query)),
                    apart = one_key ? "" : apart_text(hit.triple.j, hit.triple.k) + ". ";
  tooltip(context, fmt::format("Head {}, query {}: j = {}{}, logit {}, p = {}. {}Click to go there.", hit.head,
                               token_text(source, hit.query), key_text(source, hit.triple.j, hit.query), k,
                               significant_text(hit.triple.logit, 5), significant_text(hit.triple.p, 4), apart));
  ImGui::PopID();
  ImGui::SameLine(0, 0);
  number_right(context, fmt::format("{}", hit.head));
  ImGui::TableNextColumn();
  number_right(context, format_count(hit.query));
  ImGui::TableNextColumn();
  draw_hit_key(context, source, hit, hit.triple.j);
  if (!one_key) {
    ImGui::TableNextColumn();
    draw_hit_key(context, source, hit, hit.triple.k);
    ImGui::TableNextColumn();
    number_right(context, fmt::format("{}", std::abs(hit.triple.j - hit.triple.k)));
  }
  ImGui::TableNextColumn();
  number_right(context, significant_text(hit.triple.p, 2));
}

double value_of(const FoundTriple& hit, std::string_view column) {
  return column == "head"              ? static_cast<double>(hit.head)
         : column == "query"           ? static_cast<double>(hit.query)
         : column.starts_with("j")     ? static_cast<double>(hit.triple.j - hit.query)
         : column.starts_with("k")     ? static_cast<double>(hit.triple.k - hit.query)
         : column.starts_with("apart") ? static_cast<double>(std::abs(hit.triple.j - hit.triple.k))
                                       : static_cast<double>(hit.triple.p);
}

std::vector<ExplainedColumn> hit_columns(bool words, bool one_key) {
  std::vector<ExplainedColumn> columns{{"head", true, "Query head"}, {"query", true, "Position of the query"}};
  columns.push_back({words ? "j" : "j, tokens", !words,
                     one_key ? "Key, in tokens from its query" : "First key, in tokens from its query"});
  if (!one_key) {
    columns.push_back({words ? "k" : "k, tokens", !words, "Second key, in tokens from its query"});
    columns.push_back({"apart", true, "How many tokens the two keys lie apart"});
  }
  columns.push_back({"p", true,
                     one_key ? "Weight of the key: all keys and the sink of its query sum to 1"
                             : "Weight of the pair: all pairs and the sink of its query sum to 1"});
  return columns;
}

void draw_hits(Context& context) {
  const TripleSearchData& search = context.data.attention.search;
  const bool words = !context.data.attention.sides[0].source->labels.empty();
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_BordersInnerH |
                                     ImGuiTableFlags_PadOuterX | ImGuiTableFlags_ScrollY | ImGuiTableFlags_Sortable |
                                     ImGuiTableFlags_SortTristate;
  // As many rows as are seen whole.
  const float header = context.look.px(28);
  const float line = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  const float room = std::max(ImGui::GetContentRegionAvail().y, context.look.px(160));
  const std::vector<ExplainedColumn> columns = hit_columns(words, found_one_key(context));
  const ImVec2 size(0, header + std::floor((room - header) / line) * line);
  if (!ImGui::BeginTable("hits", static_cast<int>(columns.size()), kFlags, size)) return;
  for (const ExplainedColumn& column : columns) {
    const std::string_view name = column.name;
    const float weight = name == "head"            ? 0.65F
                         : name == "query"         ? 0.85F
                         : name == "apart"         ? 0.8F
                         : name == "p"             ? 1.35F
                         : name.starts_with("j, ") ? 1.0F
                         : name.starts_with("k, ") ? 1.0F
                         : name == "j"             ? 1.8F
                                                   : 1.4F;
    ImGui::TableSetupColumn(
        column.name,
        ImGuiTableColumnFlags_WidthStretch | (name == "p" ? ImGuiTableColumnFlags_PreferSortDescending : 0), weight);
  }
  ImGui::TableSetupScrollFreeze(0, 1);
  explained_headers(context, columns);
  const std::ptrdiff_t shown = shown_hit(context.ui.attention, search);
  std::vector<std::ptrdiff_t> order(search.found.size());
  std::iota(order.begin(), order.end(), 0);
  const auto hit_at = [&](std::ptrdiff_t n) -> const FoundTriple& { return search.found[static_cast<std::size_t>(n)]; };
  sort_as_clicked(order, columns, [&](std::ptrdiff_t n, std::string_view by) { return value_of(hit_at(n), by); });
  ImGuiListClipper visible;
  visible.Begin(static_cast<int>(order.size()));
  while (visible.Step()) {
    for (int row = visible.DisplayStart; row < visible.DisplayEnd; ++row) {
      const std::ptrdiff_t n = order[static_cast<std::size_t>(row)];
      draw_hit(context, hit_at(n), static_cast<int>(n), n == shown);
    }
  }
  ImGui::EndTable();
}

}  // namespace

void draw_triple_search(Context& context) {
  const TripleSearchData& search = context.data.attention.search;
  draw_search_choice(context);
  draw_search_button(context);
  if (!search.problem.empty()) {
    ImGui::PushTextWrapPos(0);
    coloured_text(context.look.theme.slower, sentence(search.problem));
    ImGui::PopTextWrapPos();
  }
  const AttentionSideData& side = context.data.attention.sides[0];
  if (!search.of || search.of->source != side.asked) {
    muted_text(
        context,
        fmt::format("Finds the {} strongest {} of all queries and heads, with these tensors and windows. A click "
                    "on one shows its slice.",
                    kListedTriples, asks_one_key(context.ui.attention) ? "keys" : "triples"),
        true);
    return;
  }
  ImGui::Dummy(ImVec2(0, context.look.px(8)));
  muted_text(context, search_title(search.of->search, found_one_key(context)), true);
  const std::string left_out =
      left_out_sentence(counted_queries(search.of->query.problem, side.source->seq_len), search.of->search.all_queries);
  if (!left_out.empty()) muted_text(context, left_out, true);
  if (search.found.empty()) {
    if (!search.running && !search.stopped && search.problem.empty())
      muted_text(context, "No query has a finite logit for such keys.", true);
    return;
  }
  draw_hits(context);
}

}  // namespace triscope
