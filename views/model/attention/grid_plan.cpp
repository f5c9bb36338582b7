#include "views/model/attention/grid_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "kernels/inspect/triple_search.hpp"
#include "views/data/format.hpp"
#include "views/model/attention/attention_model.hpp"

namespace triscope {
namespace {

constexpr std::int64_t kUsualQueries = 5, kUsualHeads = 8;

/// "100-900/200": first, last, step.
struct Span {
  std::int64_t first = 0, last = 0, step = 1;
};

std::optional<std::int64_t> number_at(std::string_view& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::optional<Span> parse_span(std::string_view text) {
  const auto first = number_at(text);
  if (!first) return std::nullopt;
  Span span{*first, *first, 1};
  if (text.starts_with('-')) {
    text.remove_prefix(1);
    const auto last = number_at(text);
    if (!last || *last < span.first) return std::nullopt;
    span.last = *last;
    if (text.starts_with('/')) {
      text.remove_prefix(1);
      const auto step = number_at(text);
      if (!step || *step < 1) return std::nullopt;
      span.step = *step;
    }
  }
  return text.empty() ? std::optional(span) : std::nullopt;
}

/// The next word between blanks and commas; empty at the end.
std::string_view next_word(std::string_view& text) {
  constexpr std::string_view kBetween = " ,";
  text.remove_prefix(std::min(text.find_first_not_of(kBetween), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(kBetween));
  text.remove_prefix(word.size());
  return word;
}

std::vector<std::int64_t> usual_queries(const Problem& problem, std::int64_t tokens) {
  const std::int64_t first = counted_queries(problem, tokens).first, count = std::min(kUsualQueries, tokens - first);
  std::vector<std::int64_t> queries;
  for (std::int64_t n = 0; n < count; ++n)
    queries.push_back(first + (tokens - 1 - first) * n / std::max<std::int64_t>(1, count - 1));
  return queries;
}

std::vector<std::int64_t> usual_heads(std::int64_t shown, std::int64_t heads) {
  const std::int64_t first = std::clamp<std::int64_t>(shown, 0, heads - 1) / kUsualHeads * kUsualHeads;
  std::vector<std::int64_t> chosen;
  for (std::int64_t head = first; head < std::min(heads, first + kUsualHeads); ++head) chosen.push_back(head);
  return chosen;
}

}  // namespace

TypedNumbers typed_numbers(const std::string& text, const char* what, std::int64_t end, std::size_t most) {
  TypedNumbers typed;
  const auto refuse = [&](std::string problem) { return TypedNumbers{{}, std::move(problem)}; };
  std::string_view rest = text;
  for (std::string_view word = next_word(rest); !word.empty(); word = next_word(rest)) {
    const std::optional<Span> span = parse_span(word);
    if (!span) return refuse(fmt::format("'{}' are no {}: write them as 0-7, 12 or 100-900/200", word, what));
    if (span->last >= end)
      return refuse(fmt::format("{} are from 0 to {}, and {} is none", what, format_count(end - 1), span->last));
    for (std::int64_t value = span->first; value <= span->last; value += span->step) {
      if (std::ranges::find(typed.values, value) != typed.values.end()) continue;
      if (typed.values.size() == most) return refuse(fmt::format("at most {} {} are shown at once", most, what));
      typed.values.push_back(value);
      if (span->step > end) break;  // no further one, and the sum would not fit
    }
  }
  if (typed.values.empty()) return refuse(fmt::format("no {} are named", what));
  return typed;
}

GridChoice grid_choice(const AttentionUi& ui, const AttentionData& data, const Problem& problem) {
  const SourceReply& source = *data.sides[0].source;
  GridChoice choice;
  const auto choose = [&](const std::string& text, const char* what, std::int64_t end, std::size_t most,
                          std::vector<std::int64_t> usual) {
    if (text.empty()) return usual;
    TypedNumbers typed = typed_numbers(text, what, end, most);
    if (choice.problem.empty()) choice.problem = std::move(typed.problem);
    return std::move(typed.values);
  };
  choice.queries =
      choose(ui.grid.queries, "queries", source.seq_len, kMostGridRows, usual_queries(problem, source.seq_len));
  choice.heads = choose(ui.grid.heads, "heads", source.q_heads, kMostGridColumns, usual_heads(ui.head, source.q_heads));
  return choice;
}

GridPlan planned_grid(const AttentionUi& ui, const AttentionData& data) {
  const std::optional<SliceRequest> slice = wanted_slice(ui, data, 0);
  if (!slice) return {};
  GridChoice choice = grid_choice(ui, data, slice->query.problem);
  if (!choice.problem.empty()) return {std::nullopt, std::move(choice.problem)};
  const AttentionFrame frame = frame_of(*slice, *data.sides[0].source);
  const auto pictures = std::ssize(choice.queries) * std::ssize(choice.heads);
  if (frame.width > kMostGridPairs / frame.height / pictures)
    return {std::nullopt,
            fmt::format("{} slices of {} × {} pairs are too many: choose fewer queries or heads, or smaller windows",
                        pictures, format_count(frame.width), format_count(frame.height))};
  AttentionGridRequest request{slice->source, slice->query, std::move(choice.queries), std::move(choice.heads)};
  request.query.head = request.query.query = 0;
  return {std::move(request), {}};
}

}  // namespace triscope
