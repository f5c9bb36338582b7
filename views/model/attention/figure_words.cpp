#include "views/model/attention/figure_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "kernels/inspect/slice_rules.hpp"
#include "profiler/record/columns.hpp"
#include "views/data/format.hpp"
#include "views/model/attention/attention_model.hpp"

namespace triscope {
namespace {

/// "in fp64", "with bf16 inputs".
const char* arithmetic_words(Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::exact:
      return "in fp64";
    case Arithmetic::bf16_inputs:
      return "with bf16 inputs";
    case Arithmetic::bf16_kernel:
      return "as a bf16 kernel";
  }
  return "";
}

}  // namespace

std::string ordinal(std::int64_t number) {
  const bool teens = number % 100 >= 11 && number % 100 <= 13;
  const char* ending = teens              ? "th"
                       : number % 10 == 1 ? "st"
                       : number % 10 == 2 ? "nd"
                       : number % 10 == 3 ? "rd"
                                          : "th";
  return format_count(number) + ending;
}

std::string query_range_text(std::int64_t first, std::int64_t last, std::int64_t step) {
  const std::string text = fmt::format("queries {} to {}", format_count(first), format_count(last));
  return step > 1 ? fmt::format("{}, every {}", text, ordinal(step)) : text;
}

std::string query_range_text(const Overview& overview, const Problem& problem, std::int64_t tokens) {
  const std::int64_t step = overview.step, first = (counted_queries(problem, tokens).first + step - 1) / step * step;
  return query_range_text(first, (overview.columns - 1) * step, step);
}

std::string figure_text(OverviewFigure figure, double value) {
  const std::string number = significant_text(value, 3);
  switch (figure) {
    case OverviewFigure::entropy:
      return number + " nats";
    case OverviewFigure::distance1:
    case OverviewFigure::distance2:
      return number + " tokens";
    case OverviewFigure::largest_p:
    case OverviewFigure::sink_p:
      return number;
  }
  return number;
}

std::string figure_meaning(OverviewFigure figure, const Overview& overview, const Problem& problem,
                           std::int64_t tokens) {
  const double even = even_means(overview, problem, tokens).at(static_cast<std::size_t>(figure));
  const auto give = [&](int digits) -> std::string {
    if (std::isnan(even)) return {};  // of no query at all
    return fmt::format("Even weights give {}, the mean over {}.", significant_text(even, digits),
                       query_range_text(overview, problem, tokens));
  };
  switch (figure) {
    case OverviewFigure::entropy:
      return "In nats; low entropy is bright. " + give(3);
    case OverviewFigure::largest_p:
      return give(2);
    case OverviewFigure::sink_p:
      return "The share that no pair takes.";
    case OverviewFigure::distance1:
    case OverviewFigure::distance2:
      return "Mean tokens back, weighted by p. " + give(4);
  }
  return {};
}

std::string key_text(const SourceReply& source, std::int64_t position, std::int64_t query) {
  const std::int64_t back = query - position;
  const std::string place = token_text(source, position);
  if (back == 0) return place + " (the query)";
  return fmt::format("{} ({} {})", place, format_count(std::abs(back)), back > 0 ? "back" : "ahead");
}

std::string keys_text(const SliceRequest& request, const SourceReply& source, const AttentionCell& cell) {
  const std::int64_t query = request.query.query;
  const std::string j = "j = " + key_text(source, cell.j, query);
  return has_one_key(request.query.problem) ? j : fmt::format("{}, k = {}", j, key_text(source, cell.k, query));
}

std::string shape_text(const SourceReply& source) {
  const std::string heads = source.q_heads == source.kv_heads
                                ? counted(source.q_heads, "head")
                                : fmt::format("{} of q, {} of k", counted(source.q_heads, "head"), source.kv_heads);
  return fmt::format("{}, {}, head size {}, {}", counted(source.seq_len, "token"), heads, source.head_dim,
                     source.values ? "with v1 and v2" : "without v1 and v2");
}

std::string missing_pair_text(const AttentionCell& cell, std::int64_t query) {
  const bool both = cell.j < 0 && cell.k < 0;
  return fmt::format("{}: before the first token, so query {} has no such pair",
                     both         ? fmt::format("j {} and k {} back", query - cell.j, query - cell.k)
                     : cell.j < 0 ? fmt::format("j {} back", query - cell.j)
                                  : fmt::format("k {} back", query - cell.k),
                     format_count(query));
}

std::string source_line(const AttentionSource& source, const SourceReply* reply) {
  std::string line = source_title(source);
  if (source.kind != SourceKind::file || !reply || !line.ends_with(".npy")) return line;
  std::string others;
  for (const char* role : {"q", "k1", "k2", "v1", "v2", "sink"}) {
    const auto found = reply->names.find(role);
    if (found == reply->names.end() || found->second.empty() || line == std::string(role) + ".npy") continue;
    others += (others.empty() ? "" : ", ") + std::string(role);
  }
  return others.empty() ? line : fmt::format("{} with {}", line, others);
}

std::string picture_caption(const SliceRequest& slice, const SourceReply& source) {
  const Problem& problem = slice.query.problem;
  const AttentionFrame frame = frame_of(slice, source);
  const std::string window =
      problem.mask == Mask::full ? "full mask" : "window " + format_windows(frame.width, frame.height);
  return fmt::format("{}, {}, {} tokens, {}, {}", source_line(slice.source, &source), window,
                     format_count(source.seq_len), to_string(problem.form), arithmetic_words(slice.query.arithmetic));
}

std::string windows_origin_sentence(const AttentionUi& ui, std::size_t side) {
  if (ui.sides[side].source.kind != SourceKind::file || ui.mask == Mask::full) return {};
  const bool preset = !ui.windows_typed;
  if (ui.before_wider)
    return fmt::format("The windows are wider than {}, not from the file: every p depends on them.",
                       preset ? "the preset" : "those that were typed");
  return preset ? "The windows are a preset, not from the file: every p depends on them."
                : "The windows were typed, not read from the file: every p depends on them.";
}

namespace {

/// "attention_layer7_head2".
std::string head_name(const AttentionUi& ui) {
  std::string name = "attention_";
  const AttentionSource& source = ui.sides[0].source;
  const std::string title = source_title(source);
  for (const char letter : title.substr(0, source.kind == SourceKind::file ? title.rfind('.') : title.npos)) {
    const bool plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '-' || letter == '_';
    name += plain ? letter : '_';
  }
  return fmt::format("{}_head{}", name, ui.head);
}

}  // namespace

std::string picture_name(const AttentionUi& ui) { return fmt::format("{}_query{}", head_name(ui), ui.query); }

std::string mean_picture_name(const AttentionUi& ui) { return head_name(ui) + "_mean"; }

namespace {

bool shows_grid(const AttentionUi& ui) { return ui.show == AttentionShow::grid && !ui.flipped; }

/// "induction, determinant, bf16 kernel".
std::string side_title(const SliceRequest& request) {
  std::string title = source_title(request.source);
  if (request.query.problem.form == Form::determinant) title += ", determinant";
  if (request.query.problem.form == Form::dot_product) title += ", dot product";
  if (request.query.arithmetic == Arithmetic::bf16_inputs) title += ", bf16 inputs";
  if (request.query.arithmetic == Arithmetic::bf16_kernel) title += ", bf16 kernel";
  return title;
}

/// "layer7.npz, window 512 × 32, trilinear, head 3" of B beside A, with what it does not share with A.
std::string second_caption(const AttentionSideData& a, const AttentionSideData& b) {
  std::string text = picture_caption(b.slice_of, *b.source);
  const SliceQuery &of_a = a.slice_of.query, &of_b = b.slice_of.query;
  if (of_b.query != of_a.query) text += fmt::format(", query {}", format_count(of_b.query));
  if (of_b.head != of_a.head) text += fmt::format(", head {}", of_b.head);
  return text;
}

}  // namespace

std::string p_text(const SliceRequest& request) { return has_one_key(request.query.problem) ? "p(j)" : "p(j, k)"; }

std::string map_title(const AttentionUi& ui, const std::array<AttentionSideData, 2>& sides, int which) {
  const SliceQuery &a = sides[0].slice_of.query, &b = sides[1].slice_of.query;
  const std::string place = fmt::format("query {}, head {}", format_count(a.query), a.head);
  if (which == 2) return fmt::format("p of A minus p of B, {}", place);
  if (!uses_second(ui)) return fmt::format("{} for {}", p_text(sides[0].slice_of), place);
  if (which == 0) return fmt::format("A: {}, {}", side_title(sides[0].slice_of), place);
  // Beside A what both share is said once.
  std::string title = "B: " + side_title(sides[1].slice_of);
  if (ui.flipped || b.query != a.query) title += fmt::format(", query {}", format_count(b.query));
  if (ui.flipped || b.head != a.head) title += fmt::format(", head {}", b.head);
  return title;
}

std::string pair_text(AttentionModel& model, const AttentionUi& ui, const AttentionData& data,
                      const AttentionCell& cell) {
  const std::array<AttentionSideData, 2>& sides = model.shown(ui, data);
  const AttentionSideData& side = sides[ui.flipped ? 1 : 0];
  const auto describe = [&](const AttentionSideData& one) {
    const std::optional<double> log_p = log_p_at(*one.slice, cell_in(one, cell));
    if (!log_p) return std::string("the query does not see this pair");
    if (!std::isfinite(*log_p)) return fmt::format("logit {}", std::isnan(*log_p) ? "NaN" : "infinite");
    if (*log_p <= std::numeric_limits<float>::lowest()) return std::string("p = 0, logit too small for a float");
    return fmt::format("p = {}, logit {}", significant_text(std::exp(*log_p), 4),
                       significant_text(*log_p + one.slice->lse, 5));
  };
  const std::int64_t query = side.slice_of.query.query;
  const AttentionCell seen = cell_in(side, cell);
  if (!exists(seen)) return missing_pair_text(seen, query);
  std::string text = keys_text(side.slice_of, *side.source, seen) + ": " + describe(side);
  if (uses_second(ui) && !ui.flipped && sides[1].slice) text += fmt::format(".  B: {}", describe(sides[1]));
  return text;
}

std::string framed_text(AttentionModel& model, const AttentionUi& ui, const AttentionData& data) {
  const std::string text = pair_text(model, ui, data, *ui.pinned);
  const AttentionSideData& side = model.shown(ui, data)[ui.flipped ? 1 : 0];
  const AttentionCell cell = cell_in(side, *ui.pinned);
  const AttentionFrame frame = frame_of(side.slice_of, *side.source);
  const bool inside = cell.j >= frame.first1 && cell.j < frame.first1 + frame.width && cell.k >= frame.first2 &&
                      cell.k < frame.first2 + frame.height;
  if (!inside) return "Framed, but outside this map: " + text;
  if (!ui.pinned_back) return "Framed by position: " + text;
  return fmt::format("Framed by distance, at query {}: {}", format_count(ui.pinned_back->query), text);
}

MapCaption map_caption(AttentionModel& model, const AttentionUi& ui, const AttentionData& data) {
  const std::array<AttentionSideData, 2>& sides = model.shown(ui, data);
  const std::size_t first = ui.flipped ? 1 : 0;
  const AttentionSideData &side = sides[first], &b = sides[1];
  MapCaption caption;
  if (!side.slice || !side.source) return caption;
  const bool two = compares(ui) && !ui.flipped && b.slice && b.source;
  caption.lines.push_back((two ? "A: " : "") + picture_caption(side.slice_of, *side.source));
  if (two) caption.lines.push_back("B: " + second_caption(side, b));
  std::string origin = windows_origin_sentence(ui, first);
  if (origin.empty() && two) origin = windows_origin_sentence(ui, 1);
  if (!origin.empty()) caption.lines.push_back(origin);
  if (ui.pinned && !shows_grid(ui)) caption.framed = framed_text(model, ui, data);
  return caption;
}

std::string map_caption_text(AttentionModel& model, const AttentionUi& ui, const AttentionData& data) {
  MapCaption caption = map_caption(model, ui, data);
  if (caption.lines.empty()) return {};
  std::vector<std::string> sentences;
  const std::array<AttentionSideData, 2>& sides = model.shown(ui, data);
  if (!shows_grid(ui)) {
    sentences.push_back(map_title(ui, sides, ui.flipped ? 1 : ui.show == AttentionShow::difference ? 2 : 0));
  } else if (data.grid.of) {
    sentences.push_back(fmt::format("{} for queries {} (down) and heads {} (across)", p_text(sides[0].slice_of),
                                    fmt::join(data.grid.of->queries, ", "), fmt::join(data.grid.of->heads, ", ")));
  }
  if (ui.show == AttentionShow::side_by_side && !ui.flipped) sentences.push_back(map_title(ui, sides, 1));
  sentences.insert(sentences.end(), caption.lines.begin(), caption.lines.end());
  if (!caption.framed.empty()) sentences.push_back(caption.framed);
  std::string text;
  for (const std::string& one : sentences) text += (text.empty() ? "" : " ") + one + (one.ends_with('.') ? "" : ".");
  return text;
}

std::array<std::int64_t, 2> shown_distances(const AttentionUi& ui, const AttentionSideData& side) {
  const std::int64_t query = side.slice_of.query.query;
  if (ui.pinned)
    return {std::max<std::int64_t>(0, query - ui.pinned->j), std::max<std::int64_t>(0, query - ui.pinned->k)};
  if (!side.slice || side.slice->top.empty()) return {1, 1};
  const Triple& strongest = side.slice->top.front();
  return {std::max<std::int64_t>(0, query - strongest.j), std::max<std::int64_t>(0, query - strongest.k)};
}

}  // namespace triscope
