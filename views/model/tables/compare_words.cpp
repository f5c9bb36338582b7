// The table of compared sweeps in words: its order, its numbers, its summary, and the text that is copied.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "views/data/format.hpp"
#include "views/model/tables/compare_model.hpp"

namespace triscope {

const char* side_letter(const CompareModel& model, std::size_t side) {
  if (side == 0 && model.sweeps.size() > 1) return "B";
  return model.sweeps.size() == 2 ? "A" : "";
}

std::string side_name(const CompareModel& model, std::size_t side) {
  const std::string letter = side_letter(model, side);
  return letter.empty() ? model.sweeps[side] : letter + " " + model.sweeps[side];
}

std::string brief_pass(const std::string& pass) {
  const std::string whole = pass.substr(0, pass.find(','));
  return (whole == "backward" ? "bwd" : "fwd") + pass.substr(whole.size());
}

std::string brief_setting(const CompareLine& line) {
  if (!line.tokens) return line.unusual;
  return line.unusual + (line.unusual.empty() ? "" : ", ") + format_tokens(*line.tokens);
}

namespace {

/// What a line is sorted by: a number, or a text.
struct SortKey {
  std::optional<double> number;
  std::string text;
};
SortKey sort_key(const CompareLine& line, const CompareSort& sort) {
  const std::optional<CompareCell>& cell = line.cells[std::min(sort.side, line.cells.size() - 1)];
  const Comparison* comparison = cell && cell->comparison ? &*cell->comparison : nullptr;
  switch (sort.field) {
    case CompareField::window:
      return {{}, line.window};
    case CompareField::kernel:
      return {{}, line.kernel};
    case CompareField::pass:
      return {{}, line.pass};
    case CompareField::setting:
      return {{}, line.setting};
    case CompareField::verdict:
      return {comparison ? std::optional<double>(static_cast<int>(comparison->verdict)) : std::nullopt, {}};
    case CompareField::band:
      return {cell && cell->band ? std::optional(cell->band->change) : std::nullopt, {}};
    case CompareField::doubts:
      return {{}, cell ? cell->doubts : std::string()};
    case CompareField::chosen:
      return {static_cast<double>(line.of_before * line.of_after), {}};
    case CompareField::ratio:
      return {comparison && comparison->ratio > 0 ? std::optional(comparison->ratio) : std::nullopt, {}};
    case CompareField::cycles:
      return {comparison ? comparison->cycle_ratio : std::nullopt, {}};
    case CompareField::interval:
      return {comparison && interval_known(*comparison)
                  ? std::optional(comparison->interval.high - comparison->interval.low)
                  : std::nullopt,
              {}};
    case CompareField::time:
      return {cell ? cell->ms : std::nullopt, {}};
  }
  return {};
}

/// With the numbers in a text in the order of their size.
bool text_before(const std::string& a, const std::string& b) { return strverscmp(a.c_str(), b.c_str()) < 0; }

}  // namespace

const CompareLine& line_at(const CompareModel& model, std::size_t place) {
  return place < model.lines.size() ? model.lines[place] : model.unchanged_lines[place - model.lines.size()];
}

std::vector<std::size_t> sorted_lines(const CompareModel& model, const std::optional<CompareSort>& sort,
                                      bool with_unchanged) {
  std::vector<std::size_t> order(model.lines.size() + (with_unchanged ? model.unchanged_lines.size() : 0));
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (with_unchanged && !sort) return sorted_lines(model, CompareSort{CompareField::ratio, 1, true}, true);
  if (!sort || model.sweeps.empty()) return order;
  const auto is_unchanged = [&model](std::size_t place) { return place >= model.lines.size(); };
  std::vector<SortKey> keys;
  for (const std::size_t place : order) keys.push_back(sort_key(line_at(model, place), *sort));
  std::ranges::stable_sort(order, [&](std::size_t one, std::size_t other) {
    if (is_unchanged(one) != is_unchanged(other)) return is_unchanged(one);
    const SortKey &a = keys[one], &b = keys[other];
    if (a.number.has_value() != b.number.has_value()) return a.number.has_value();
    if (a.number) return sort->descending ? *a.number > *b.number : *a.number < *b.number;
    return sort->descending ? text_before(b.text, a.text) : text_before(a.text, b.text);
  });
  return order;
}

std::string interval_text(const Comparison& comparison) {
  if (!interval_known(comparison)) return "unknown";
  return fmt::format("{} .. {}", format_fixed(comparison.interval.low, kRatioDecimals),
                     format_fixed(comparison.interval.high, kRatioDecimals));
}

std::string compare_explanation(const CompareModel& model) {
  double least = 1, most = 0;
  for (const CompareLine& line : model.lines) {
    for (const auto& cell : line.cells) {
      if (!cell || !cell->comparison || cell->comparison->verdict == Verdict::not_comparable) continue;
      least = std::min(least, cell->comparison->same_within);
      most = std::max(most, cell->comparison->same_within);
    }
  }
  std::string all = model.conditions.empty() ? "" : "2-simplicial rows: " + model.conditions + ".";
  if (model.band && !model.usual.empty())  // settings are brief then
    all += (all.empty() ? "Unless said: " : " Unless said: ") + model.usual + ".";
  if (most == 0) return all;  // nothing has a verdict
  const std::string within = least == most ? fmt::format("{:.3g} %", 100 * most)
                                           : fmt::format("{:.3g} %, {:.3g} % in turns", 100 * most, 100 * least);
  return fmt::format("Same: the whole interval within {} of 1. Unclear: the interval allows more than one answer.{}",
                     within, all.empty() ? "" : " " + all);
}

/// What stands in the column of what unchanged kernels do.
std::string beside_text(const CompareLine& line, const CompareCell& cell) {
  if (line.unchanged) return "unchanged";
  return cell.band ? band_brief(*cell.band) : "";
}

TextTable compare_text(const CompareModel& model) {
  TextTable table{{"window", "kernel", "pass"}, {false, false, false}, {}};
  if (model.has_settings) {
    table.header.emplace_back("setting");
    table.numeric.push_back(false);
  }
  for (std::size_t s = 0; s < model.sweeps.size(); ++s) {
    table.header.push_back(side_name(model, s) + ", ms");
    table.numeric.push_back(true);
    if (s == 0) continue;
    for (const char* title : {"ratio", "low", "high", "ratio in cycles"}) {
      table.header.emplace_back(title);
      table.numeric.push_back(true);
    }
    for (const char* title : {"verdict", "beside unchanged", "doubts"}) {
      table.header.emplace_back(title);
      table.numeric.push_back(false);
    }
  }
  for (std::size_t place = 0; place < model.lines.size() + model.unchanged_lines.size(); ++place) {
    const CompareLine& line = line_at(model, place);
    std::vector<std::string> row{line.window, line.kernel, line.pass};
    if (model.has_settings) row.push_back(line.setting);
    for (std::size_t s = 0; s < model.sweeps.size(); ++s) {
      const auto& cell = line.cells[s];
      row.push_back(cell && cell->ms ? format_fixed(*cell->ms, cell->decimals)
                    : cell           ? std::string(to_string(cell->status))
                                     : "");
      if (s == 0) continue;
      if (cell && cell->comparison) {
        const Comparison& c = *cell->comparison;
        const bool known = interval_known(c);
        row.insert(row.end(), {c.ratio > 0 ? format_fixed(c.ratio, kRatioDecimals) : "",
                               known ? format_fixed(c.interval.low, kRatioDecimals) : "unknown",
                               known ? format_fixed(c.interval.high, kRatioDecimals) : "unknown", cycle_ratio_text(c),
                               std::string(to_string(c.verdict)), beside_text(line, *cell), cell->doubts});
      } else {
        row.insert(row.end(), 7, "");
      }
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

bool has_comparisons(const CompareModel& model) {
  return model.faster + model.slower + model.same + model.unclear + model.not_comparable > 0;
}

namespace {

/// Why no two times stand beside each other: a side that holds nothing, or what the sweeps are of.
std::string why_nothing_is_compared(const CompareModel& model) {
  for (std::size_t s = 0; s < model.sweeps.size(); ++s) {
    const bool holds_none =
        std::ranges::none_of(model.lines, [s](const CompareLine& line) { return line.cells[s].has_value(); });
    if (holds_none) return fmt::format("{} holds no measurement: there is nothing to compare.", side_name(model, s));
  }
  const auto lines = static_cast<std::int64_t>(model.lines.size());
  if (model.missing == lines) return "The sweeps have no measurement in common: windows, shapes or kernels differ.";
  const std::string shared = counted(lines - model.missing, "shared measurement");
  return model.failed > 0 ? fmt::format("No times can be compared: {} of {} failed.", model.failed, shared)
                          : fmt::format("No times can be compared: of {} none has a time in every sweep.", shared);
}

}  // namespace

std::string compare_summary(const CompareModel& model) {
  if (!has_comparisons(model)) return why_nothing_is_compared(model);
  std::string text;
  const auto add = [&](std::int64_t number, const char* word) {
    if (number > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", number, word);
  };
  // That none takes longer is an answer too.
  if (model.faster + model.slower + model.same + model.unclear > 0)
    text = fmt::format("{} longer, {} shorter", model.slower, model.faster);
  add(model.same, "the same");
  add(model.unclear, "unclear");
  add(model.not_comparable, "not comparable");
  add(model.failed, "failed");
  add(model.missing, "not in every sweep");
  if (model.sweeps.size() > 2) text += ", each beside B, " + model.sweeps.front();
  return text + ".";
}

}  // namespace triscope
