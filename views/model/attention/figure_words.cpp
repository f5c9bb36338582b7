#include "views/model/attention/figure_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

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

std::string windows_origin_sentence(const AttentionUi& ui) {
  if (ui.sides[0].source.kind != SourceKind::file || ui.mask == Mask::full) return {};
  const bool preset = has_preset_windows(ui);
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

std::array<std::int64_t, 2> shown_distances(const AttentionUi& ui, const AttentionSideData& side) {
  const std::int64_t query = side.slice_of.query.query;
  if (ui.pinned)
    return {std::max<std::int64_t>(0, query - ui.pinned->j), std::max<std::int64_t>(0, query - ui.pinned->k)};
  if (!side.slice || side.slice->top.empty()) return {1, 1};
  const Triple& strongest = side.slice->top.front();
  return {std::max<std::int64_t>(0, query - strongest.j), std::max<std::int64_t>(0, query - strongest.k)};
}

}  // namespace triscope
