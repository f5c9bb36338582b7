#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/inspect/slice_rules.hpp"
#include "profiler/record/columns.hpp"
#include "views/attention/attention_parts.hpp"
#include "views/data/format.hpp"
#include "views/model/attention/mean_words.hpp"
#include "views/model/attention/triple_hits.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

constexpr const char* kShareHelp =
    "What p v1 v2 of this pair adds along the query's output o, as a share of o; may be negative. All shares sum to 1. "
    "–: o is too small for a share.";
constexpr double kLongLogit = 1e5;  // from here on its digits do not fit into their column

/// B stands in A's place, and its slice is there.
bool shows_b(const Context& context) {
  const AttentionSideData& b = context.data.attention.sides[1];
  return context.ui.attention.flipped && b.slice && b.source;
}

const AttentionSideData& shown_side(const Context& context) {
  return context.data.attention.sides[shows_b(context) ? 1 : 0];
}

/// Rows of triples that leave room for what stands below them.
int triples_shown(const Context& context) {
  constexpr float kRow = 22, kBelow = 664;  // design pixels
  return std::clamp(static_cast<int>((ImGui::GetWindowHeight() / context.look.scale - kBelow) / kRow), 5, 24);
}

/// A key: its position as the axes show it; with labels the word, and the position small behind it.
void draw_key(Context& context, std::int64_t position) {
  const AttentionSideData& side = shown_side(context);
  const std::vector<std::string>& labels = side.source->labels;
  const std::string place = axis_text(context.ui.attention, side.slice_of, position);
  if (labels.empty()) return number_right(context, place);
  {
    const NumberFont font(context.look);
    coloured_text(context.look.theme.text, labels[static_cast<std::size_t>(position)]);
  }
  tooltip(context,
          fmt::format("position {}, {} from the query", format_count(position), position - side.slice_of.query.query));
  const NumberFont font(context.look, kSecondarySize);
  ImGui::SameLine(0, context.look.px(4));
  coloured_text(context.look.theme.muted, place);
}

/// Of an output near 0 a share has no number, or one beyond what is kept.
std::string share_text(double share) {
  if (!std::isfinite(share)) return "–";
  if (std::abs(share) < 0.005) return format_fixed(0, 2);
  return std::abs(share) < kLongLogit ? format_fixed(share, 2) : significant_text(share, 2);
}

void draw_triple(Context& context, const Triple& triple, double sum, int row) {
  AttentionUi& ui = context.ui.attention;
  const SourceReply& source = *shown_side(context).source;
  const AttentionCell cell{triple.j, triple.k};
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushID(row);
  if (ImGui::Selectable("##triple", ui.pinned == cell, ImGuiSelectableFlags_SpanAllColumns)) {
    if (ui.pinned == cell) {
      ui.pinned.reset();
    } else {
      frame_cell(ui, shown_side(context).slice_of.query.query, cell);
    }
  }
  if (ImGui::IsItemHovered()) ui.hovered_now = cell;
  ImGui::PopID();
  ImGui::SameLine(0, 0);
  draw_key(context, triple.j);
  if (!has_one_key(shown_side(context).slice_of.query.problem)) {
    ImGui::TableNextColumn();
    draw_key(context, triple.k);
  }
  ImGui::TableNextColumn();
  number_right(context,
               std::abs(triple.logit) < kLongLogit ? format_fixed(triple.logit, 2) : significant_text(triple.logit, 2));
  ImGui::TableNextColumn();
  number_right(context, significant_text(triple.p, 2));
  if (source.labels.empty()) {
    ImGui::TableNextColumn();
    number_right(context, significant_text(sum, 2), context.look.theme.muted);
  }
  if (!source.values) return;
  ImGui::TableNextColumn();
  number_right(context, share_text(triple.output_share));
  tooltip(context, kShareHelp);
}

/// The strongest pair of this query beside the peaks of the mean, which may be others. Its room is kept from the
/// beginning where means are made: what stands below does not move when they come.
void draw_link_to_mean(Context& context) {
  constexpr float kLines = 3;
  const AttentionUi& ui = context.ui.attention;
  const AttentionData& data = context.data.attention;
  const AttentionSideData& side = data.sides[0];
  const MeanMaps* maps = shown_means(ui, data);
  const SliceQuery& of = side.slice_of.query;
  if (!maps && !awaits_means(ui, data)) return;
  float line = 0;
  {
    const SmallFont font(context.look);
    line = ImGui::GetTextLineHeight();
  }
  const float end = ImGui::GetCursorPosY() + kLines * line + ImGui::GetStyle().ItemSpacing.y;
  if (maps && !shows_b(context) && side.slice && !side.slice->top.empty() && of.head < maps->heads) {  // they are of A
    const Triple& strongest = side.slice->top.front();
    muted_text(context, strongest_sentence(*maps, of.head, of.query - strongest.j, of.query - strongest.k), true);
  }
  const float left = end - ImGui::GetCursorPosY() - ImGui::GetStyle().ItemSpacing.y;
  if (left > 0) ImGui::Dummy(ImVec2(1, left));
}

void draw_triples(Context& context) {
  const AttentionSideData& side = shown_side(context);
  const bool b = shows_b(context);
  if (b || compares(context.ui.attention)) coloured_text(context.look.theme.text, b ? "Figures of B" : "Figures of A");
  const SourceReply& source = *side.source;
  const std::int64_t query = side.slice_of.query.query;
  const bool words = !source.labels.empty(), one = has_one_key(side.slice_of.query.problem);
  const char* what = one ? "keys" : "triples";
  ImGui::AlignTextToFramePadding();
  muted_text(context, words ? fmt::format("Strongest {} for \"{}\" at {}", what,
                                          source.labels[static_cast<std::size_t>(query)], format_count(query))
                            : fmt::format("Strongest {} for query {}", what, format_count(query)));
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_PadOuterX;
  if (!ImGui::BeginTable(what, 4 - (one ? 1 : 0) + (words ? 0 : 1) + (source.values ? 1 : 0), kFlags)) return;
  const auto column = [](const char* name, float weight) {
    ImGui::TableSetupColumn(name, ImGuiTableColumnFlags_WidthStretch, weight);
  };
  column("j", words ? 2.0F : 0.9F);
  if (!one) column("k", words ? 2.0F : 0.8F);
  column("logit", 1.0F);
  column("p", 1.2F);
  if (!words) column("sum p", 1.2F);  // words need its room
  if (source.values) column("of output", 1.3F);
  std::vector<ExplainedColumn> columns{
      {"j", !words, one ? "Key, as the axis of the map shows it" : "First key, as the axes of the map show it"}};
  if (!one) columns.push_back({"k", !words, "Second key, as the axes of the map show it"});
  columns.push_back({"logit", true,
                     one ? "Scale times the sum over q and k1, before the softmax"
                         : "Scale times the sum over q, k1 and k2, before the softmax"});
  columns.push_back({"p", true,
                     one ? "Weight of the key: all keys and the sink sum to 1"
                         : "Weight of the pair: all pairs and the sink sum to 1"});
  if (!words) columns.push_back({"sum p", true, "Sum of p down to this row"});
  if (source.values) columns.push_back({"of output", true, kShareHelp});
  explained_headers(context, columns);
  double sum = 0;
  int row = 0;
  const int rows = triples_shown(context);
  for (const Triple& triple : side.slice->top) {
    if (row++ == rows) break;
    sum += triple.p;
    draw_triple(context, triple, sum, row);
  }
  ImGui::EndTable();
  draw_link_to_mean(context);
}

/// The figures of p over all pairs, or the sentence that a bad sink leaves none.
void draw_distribution(Context& context) {
  const AttentionSideData& side = shown_side(context);
  const Slice& slice = *side.slice;
  if (std::isnan(slice.lse)) {
    ImGui::PushTextWrapPos(0);
    coloured_text(context.look.theme.slower,
                  "✗ The sink of this head is NaN or infinite: there is no distribution over pairs, and no output.");
    ImGui::PopTextWrapPos();
    return;
  }
  if (std::isnan(slice.entropy)) return;  // no logit is finite: that is said where they are counted
  double top = 0;
  for (const Triple& triple : slice.top) top += triple.p;
  fact_line(context, "entropy, nats", significant_text(slice.entropy, 3));
  tooltip(context, "-sum p ln p over all pairs and the sink. Its exponential: over how many pairs p is spread.");
  fact_line(context, "largest p", significant_text(slice.largest_p, 3));
  fact_line(context, fmt::format("p outside the {} strongest", slice.top.size()).c_str(),
            significant_text(std::max(0.0, 1 - top - slice.sink_p), 3));
  tooltip(context, "p of all other pairs together: the table shows the first of the strongest");
  fact_line(context, "share of the sink", side.source->sink ? significant_text(slice.sink_p, 3) : "no sink");
  tooltip(context, "A sink is a logit of its own that takes a share of p and has no value. Tensors may have none.");
  fact_line(context, "mean distance, tokens",
            has_one_key(side.slice_of.query.problem)
                ? significant_text(slice.distance1, 3)
                : fmt::format("{} and {}", significant_text(slice.distance1, 3), significant_text(slice.distance2, 3)));
  tooltip(context, "Tokens between the query and its keys, on either axis, weighted with p");
}

void draw_figures(Context& context) {
  const AttentionSideData& side = shown_side(context);
  const Slice& slice = *side.slice;
  ImGui::Dummy(ImVec2(0, context.look.px(4)));
  draw_distribution(context);
  if (slice.nan_count + slice.infinite_count == 0) {
    fact_line(context, "NaN, Inf", "0");
  } else {
    ImGui::PushTextWrapPos(0);
    coloured_text(context.look.theme.slower,
                  fmt::format("✗ {} logits are NaN and {} infinite{}", format_count(slice.nan_count),
                              format_count(slice.infinite_count),
                              std::isnan(slice.entropy)
                                  ? ", which is all of them: there is no distribution over pairs."
                                  : ". p is over the others; NaN or +infinity makes a kernel's whole row NaN.") +
                      (slice.nan_count > 0 ? " In the map NaN is magenta." : ""));
    ImGui::PopTextWrapPos();
  }
  fact_line(context, fmt::format("computed on the {} in", device_title(side.slice_device)).c_str(),
            fmt::format("{} ms", significant_text(static_cast<double>(slice.elapsed_ns) * 1e-6, 3)));
}

void draw_error(Context& context) {
  const AttentionUi& ui = context.ui.attention;
  if (!compares(ui)) return;
  const AttentionError* error = context.models.attention().error(ui, context.data.attention);
  section(context, "A against B");
  if (!error) return muted_text(context, "No difference: B is missing, or its window has another size.", true);
  fact_line(context, "largest |pA - pB|", significant_text(error->largest, 3));
  fact_line(context, "total variation", significant_text(error->total_variation, 3));
  tooltip(context, "Half the sum of |pA - pB|: the share of attention that is elsewhere");
  fact_line(context, "relative L2", significant_text(error->relative, 3));
  tooltip(context, "||pA - pB|| / ||pB||");
}

double norm_of(const std::vector<float>& vector) {
  double squares = 0;
  for (float x : vector) squares += static_cast<double>(x) * x;
  return std::sqrt(squares);
}

/// "CPU fast: runs this kernel on what the query sees, ...".
std::string kernel_help(const Catalog& catalog, const std::string& kernel) {
  const auto found = std::ranges::find(catalog.kernels, kernel, &KernelInfo::id);
  return fmt::format(
      "{}: runs this kernel on what the query sees, and compares its output with the exact one on inputs "
      "of its precision",
      found == catalog.kernels.end() || found->name.empty() ? kernel : found->name);
}

/// A kernel's own row of this query beside the exact one.
void draw_kernel_row(Context& context) {
  AttentionUi& ui = context.ui.attention;
  const AttentionData& data = context.data.attention;
  const Catalog* catalog = context.data.machine.catalog.get();
  const std::vector<std::string> kernels =
      catalog ? row_kernels(*catalog, ui.device, ui.sides[0].form) : std::vector<std::string>();
  if (kernels.empty()) return;
  muted_text(context, "Run a kernel on this query, and compare its output with this one:", true);
  for (const std::string& kernel : kernels) {
    if (kernel != kernels.front()) ImGui::SameLine(0, context.look.px(4));
    if (ImGui::GetContentRegionAvail().x < button_width(kernel.c_str())) ImGui::NewLine();
    if (chip(context, kernel.c_str(), ui.kernel == kernel)) ui.kernel = ui.kernel == kernel ? std::string() : kernel;
    tooltip(context, kernel_help(*catalog, kernel));
  }
  if (ui.kernel.empty()) return;
  const std::optional<KernelRowRequest> wanted = wanted_kernel_row(ui, data);
  if (!wanted || data.kernel_row.of != *wanted)
    return muted_text(context,
                      context.data.run.running ? kWhileMeasuring
                      : is_walking(ui)         ? "Not computed while queries change."
                                               : "Running the kernel ...",
                      true);
  if (!data.kernel_row.answer) {
    ImGui::PushTextWrapPos(0);
    coloured_text(context.look.theme.unclear, data.kernel_row.problem);
    ImGui::PopTextWrapPos();
    return;
  }
  const KernelRow& row = *data.kernel_row.answer;
  fact_line(context, "relative error of o", significant_text(row.error, 2));
  tooltip(context, fmt::format("||o of {} - o|| / ||o||, instance {}, inputs rounded to {}. A bf16 kernel is right "
                               "within 0.004, with a determinant 0.006; an fp32 one within 0.00001",
                               ui.kernel, row.instance, to_string(row.element)));
  fact_line(context, "error of the LSE", significant_text(std::abs(row.lse - row.exact_lse), 2));
  draw_wrong_pairs(context, row);
}

/// What the query puts out, dimension by dimension: blue below and red above zero.
void draw_output(Context& context) {
  const AttentionSideData& side = shown_side(context);
  const std::vector<float>& output = side.slice->output;
  if (output.empty() || std::isnan(side.slice->entropy)) return;
  const Look& look = context.look;
  const bool of_a = !context.ui.attention.flipped;        // and so is a kernel's row
  if (side.slice_of.source.kind == SourceKind::match3) {  // all dimensions are alike
    if (of_a) draw_kernel_row(context);
    return;
  }
  section(context, "Output of the query");
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, height = look.px(20),
              each = width / static_cast<float>(output.size());
  float farthest = 1e-30F;
  for (float x : output) farthest = std::isfinite(x) ? std::max(farthest, std::abs(x)) : farthest;
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (std::size_t d = 0; d < output.size(); ++d) {
    const ImU32 colour = std::isfinite(output[d])
                             ? to_colour(colour_at(difference_map(look.theme), 0.5F + output[d] / farthest / 2))
                             : look.theme.not_a_number;
    const ImVec2 low(std::round(at.x + static_cast<float>(d) * each), at.y),
        high(std::round(at.x + static_cast<float>(d + 1) * each), at.y + height);
    list->AddRectFilled(low, high, colour);
  }
  ImGui::InvisibleButton("##output", ImVec2(std::max(1.0F, width), height));
  if (ImGui::IsItemHovered()) {
    const auto d =
        std::min(static_cast<std::size_t>(std::max(0.0F, ImGui::GetMousePos().x - at.x) / each), output.size() - 1);
    value_tooltip(context, fmt::format("o[{}] = {}", d, significant_text(output[d], 4)));
  }
  fact_line(context, "|o|", significant_text(norm_of(output), 4));
  const AttentionSideData& other = context.data.attention.sides[1];
  if (compares(context.ui.attention) && of_a && other.slice && other.slice->output.size() == output.size()) {
    std::vector<float> difference = output;
    for (std::size_t d = 0; d < difference.size(); ++d) difference[d] -= other.slice->output[d];
    fact_line(context, "|oA - oB| / |oB|", significant_text(norm_of(difference) / norm_of(other.slice->output), 3));
  }
  if (of_a) draw_kernel_row(context);
}

/// Dot-product attention of the same query, over the same keys.
void draw_dot_row(Context& context) {
  const AttentionSideData& side = shown_side(context);
  const Slice& slice = *side.slice;
  const Look& look = context.look;
  section(context, "Same query, dot-product row (q · k1)");
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, height = look.px(20);
  const auto pixels = static_cast<int>(width);
  float most = -1e30F, least = 0;
  for (float x : slice.dot_log_p) {
    if (!std::isfinite(x)) continue;
    most = std::max(most, x);
    least = std::min(least, x);
  }
  const auto low = static_cast<float>(automatic_low(least, most));
  const std::int64_t frame = frame_of(side.slice_of, *side.source).width, masked = frame - slice.count1;
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (int p = 0; p < pixels; ++p) {
    const std::int64_t first = frame * p / pixels - masked,
                       end = std::max(first + 1, frame * (p + 1) / pixels - masked);
    float value = -1e30F;
    bool number = true;
    for (std::int64_t n = std::max<std::int64_t>(0, first); n < std::min(end, slice.count1); ++n) {
      const float one = slice.dot_log_p[static_cast<std::size_t>(n)];
      number = number && !std::isnan(one);
      value = std::max(value, one);
    }
    const ImVec2 low_corner(at.x + static_cast<float>(p), at.y), high_corner(low_corner.x + 1, at.y + height);
    if (!number) list->AddRectFilled(low_corner, high_corner, look.theme.not_a_number);
    if (!number || value < -1e29F) continue;
    const float t = context.ui.attention.colour_scale == HeatmapStyle::Scale::probability
                        ? std::exp(value - most)
                        : (value - low) / (most - low);
    list->AddRectFilled(low_corner, high_corner, to_colour(colour_at(context.ui.attention.map, t)));
  }
  ImGui::InvisibleButton("##dot", ImVec2(std::max(1.0F, width), height));
  if (ImGui::IsItemHovered()) {
    const std::int64_t n =
        static_cast<std::int64_t>((ImGui::GetMousePos().x - at.x) / width * static_cast<float>(frame)) - masked;
    if (n >= 0 && n < slice.count1) {
      const double p = std::exp(static_cast<double>(slice.dot_log_p[static_cast<std::size_t>(n)]));
      value_tooltip(context,
                    fmt::format("{}: p = {}", token_text(*side.source, slice.first1 + n), significant_text(p, 3)));
    }
  }
}

/// Figures of the shown query, the search over all of them, or their mean.
void draw_figures_of(Context& context) {
  AttentionUi& ui = context.ui.attention;
  bool &search = ui.search.open, &mean = ui.mean_of_queries;
  const auto tab = [&](const char* label, bool on, bool then_search, bool then_mean, const char* help) {
    if (chip(context, label, on)) search = then_search, mean = then_mean;
    tooltip(context, help);
    ImGui::SameLine(0, context.look.px(4));
  };
  tab("This query", !search && !mean, false, false, "Strongest triples and figures of the query that the map shows");
  tab("All queries", search, true, false, "Searches all queries and heads for the strongest triples");
  tab("Mean", mean && !search, false, true,
      "The shown head's map as the mean over queries, pair by pair of distances, with its peaks");
  ImGui::NewLine();
}

}  // namespace

void explained_headers(const Context& context, std::span<const ExplainedColumn> columns) {
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers, context.look.px(28));
  int n = 0;
  for (const ExplainedColumn& column : columns) {
    ImGui::TableSetColumnIndex(n);
    ImGui::PushID(n);
    const ImVec2 size(std::max(1.0F, ImGui::GetContentRegionAvail().x), context.look.px(22));
    const bool clicked = ImGui::InvisibleButton("##header", size);
    ImGui::PopID();
    ImGuiTable& table = *ImGui::GetCurrentTable();
    const bool sortable =
        (table.Flags & ImGuiTableFlags_Sortable) != 0 && (table.Columns[n].Flags & ImGuiTableColumnFlags_NoSort) == 0;
    if (clicked && sortable)
      ImGui::TableSetColumnSortDirection(n, ImGui::TableGetColumnNextSortDirection(&table.Columns[n]), false);
    tooltip(context, sortable ? sentence(column.meaning) + " Click to sort by it." : column.meaning);
    const bool sorted = sortable && table.Columns[n].SortDirection != ImGuiSortDirection_None;
    header_text(context, n, column.name, column.right, sorted ? context.look.theme.accent : context.look.theme.muted);
    ++n;
  }
}

void draw_attention_right(Context& context) {
  const AttentionSideData& side = shown_side(context);
  const bool b = shows_b(context), match3 = side.asked && side.asked->kind == SourceKind::match3;
  if (!side.slice || !side.source)
    return muted_text(context, "The figures of a query stand here once its tensors are open.", true);
  if (context.ui.attention.print_mean) return;  // the mean stands in the middle in this frame, and is painted once
  if (side.asked && !match3) {
    draw_figures_of(context);
    // A search, a mean and the table of Match3 are of A.
    if (context.ui.attention.search.open && !b) return draw_triple_search(context);
    if (context.ui.attention.mean_of_queries && !b) return draw_mean_map(context);
  }
  if (match3 && !b) {
    draw_match3_tokens(context);
  } else {
    draw_triples(context);
    draw_figures(context);
  }
  draw_error(context);
  draw_output(context);
  draw_range(context);
  if (side.slice_of.query.problem.form != Form::dot_product && side.slice_of.source.kind != SourceKind::match3)
    draw_dot_row(context);
}

}  // namespace triscope
