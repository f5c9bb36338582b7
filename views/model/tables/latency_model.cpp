#include "views/model/tables/latency_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "kernels/attention/paper.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/record/words/factor_text.hpp"
#include "profiler/record/words/problem_facts.hpp"
#include "profiler/statistics/row_that_counts.hpp"
#include "profiler/statistics/training_step.hpp"
#include "views/data/format.hpp"
#include "views/model/styles/series_style.hpp"
#include "views/model/tables/judged_table.hpp"
#include "views/model/tables/row_settings.hpp"

namespace triscope {
namespace {

/// Something a line can differ in beside its windows; shown only where lines do differ.
struct Fact {
  std::string name;
  std::function<std::string(const ResultRow&)> text;
  bool of_ours = true;                                       ///< what baselines differ in by nature makes no column
  std::function<std::string(const ResultRow&)> phrase = {};  ///< "4,096 tokens"; none: no part of a line's setting
  bool of_settings = true;                                   ///< more than baselines differ in it
};

std::vector<Fact> all_facts() {
  std::vector<Fact> facts{{"kernel", [](const ResultRow& row) { return row.card.label; }, false},
                          {"instance", [](const ResultRow& row) { return row.instance; }, true,
                           [](const ResultRow& row) { return "instance " + row.instance; }}};
  for (const ProblemFact& fact : problem_facts()) {
    facts.push_back({fact.name, [&fact](const ResultRow& row) { return readable(fact.value(row.problem)); }, true,
                     [&fact](const ResultRow& row) {
                       const std::string phrase = fact.phrase(row.problem);
                       return readable(phrase.empty() ? fmt::format("{} {}", fact.name, fact.value(row.problem))
                                                      : phrase);
                     }});
  }
  facts.push_back({"timed by", [](const ResultRow& row) { return timing_label(row.timing_source); }, false});
  return facts;
}

std::vector<Fact> differing_facts(const std::vector<ResultRow>& rows) {
  std::vector<Fact> result;
  const bool only_baselines =
      std::all_of(rows.begin(), rows.end(), [](const ResultRow& row) { return is_baseline(row); });
  for (Fact& fact : all_facts()) {
    std::optional<std::string> first;
    const auto differs = [&](const ResultRow& row) {
      if (fact.of_ours && !only_baselines && is_baseline(row)) return false;
      if (!first) first = fact.text(row);
      return fact.text(row) != *first;
    };
    fact.of_settings = std::ranges::any_of(rows, differs);
    const bool says = fact.of_settings || tells_baselines_apart(fact.text, addresses_of(rows));
    if (says && (fact.name != "instance" || has_several_instances(rows))) result.push_back(std::move(fact));
  }
  return result;
}

std::string problem_key(const Problem& p) {
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", static_cast<int>(p.form), static_cast<int>(p.mask),
                     static_cast<int>(p.element), p.deterministic, p.batch, p.seq_len, p.q_heads, p.kv_heads,
                     p.head_dim, p.window1, p.window2, optional_key(p.scale), p.k2_bias, p.v2_bias,
                     optional_key(p.sink));
}

std::string key_of(const ResultRow& row, Pass pass, Regime regime, bool with_instance) {
  return fmt::format("{}|{}|{}|{}|{}", problem_key(row.problem), static_cast<int>(pass), static_cast<int>(regime),
                     row.kernel, with_instance ? row.instance : std::string());
}

/// The passes and regimes of one problem share a line.
std::string line_key(const ResultRow& row, bool with_instance) {
  return key_of(row, Pass::forward, Regime::sustained, with_instance);
}

template <typename Value>
std::optional<Value> found_in(const std::map<std::int64_t, Value>& values, std::int64_t measurement) {
  const auto found = values.find(measurement);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

/// Where its verdicts are from; either may be null.
struct Judges {
  const Comparisons* against_baseline;
  const Verdicts* beside_reference;
};

std::shared_ptr<const LatencyCell> judged_cell(const ResultRow& row, std::int64_t backward, const Judges& by) {
  const auto cell = std::make_shared<LatencyCell>(LatencyCell{row, {}, {}, {}, backward});
  if (by.against_baseline != nullptr) {
    const auto comparison = by.against_baseline->find(row.measurement);
    if (comparison != by.against_baseline->end()) cell->against_baseline = comparison->second.comparison;
  }
  if (by.beside_reference == nullptr) return cell;
  cell->beside = found_in(by.beside_reference->by_measurement, row.measurement);
  cell->of_reference = found_in(by.beside_reference->rates, row.measurement);
  cell->is_reference = by.beside_reference->themselves.contains(row.measurement);
  return cell;
}

/// What the table as a whole says of its cells' verdicts.
void say_judges(LatencyModel& table, const Judges& by) {
  table.reference = by.beside_reference == nullptr ? std::string() : by.beside_reference->baseline;
  table.reference_label = by.beside_reference == nullptr ? std::string() : by.beside_reference->short_label;
  table.without_partner = by.beside_reference == nullptr ? std::string() : by.beside_reference->without_partner;
  table.has_baseline = by.against_baseline != nullptr;
  table.apart = false;
  for (LatencyGroup& group : table.groups) {
    group.judged = group.turns = false;
    group.of_decimals = 0;
  }
  std::vector<std::int64_t> more_in_turns(table.groups.size(), 0);  // than not
  for (const LatencyLine& line : table.lines) {
    for (std::size_t g = 0; g < line.cells.size(); ++g) {
      const LatencyCell* cell = line.cells[g].get();
      if (cell == nullptr) continue;
      LatencyGroup& group = table.groups[g];
      group.judged |= cell->against_baseline.has_value();
      if (cell->beside) more_in_turns[g] += cell->beside->paired ? 1 : is_apart(*cell->beside) ? -1 : 0;
      if (cell->of_reference) group.of_decimals = std::max(group.of_decimals, times_decimals(*cell->of_reference));
      table.apart |= cell->beside && is_apart(*cell->beside);
    }
  }
  for (std::size_t g = 0; g < table.groups.size(); ++g) table.groups[g].turns = more_in_turns[g] > 0;
}

void make_groups(LatencyModel& model, const std::vector<ResultRow>& rows) {
  std::set<std::pair<Regime, Pass>> seen;
  for (const ResultRow& row : rows) seen.emplace(row.regime, row.pass);
  const bool several_regimes =
      std::any_of(rows.begin(), rows.end(), [&](const ResultRow& row) { return row.regime != rows.front().regime; });
  for (const auto& [regime, pass] : seen) {
    LatencyGroup group{pass, regime, std::string(to_string(pass)), 0, 0, 0};
    if (several_regimes) group.title += fmt::format(", {}", to_string(regime));
    for (const ResultRow& row : rows) {
      if (row.pass != pass || row.regime != regime) continue;
      if (row.status != Status::ok) continue;
      group.decimals = std::max(group.decimals, ms_decimals(row));
      group.rate_decimals = std::max(group.rate_decimals, rate_decimals(row));
      if (row.tflops && std::isfinite(*row.tflops)) group.max_tflops = std::max(group.max_tflops, *row.tflops);
    }
    model.groups.push_back(std::move(group));
  }
}

}  // namespace

int times_decimals(double factor) { return factor_decimals(factor, 2); }

int ms_decimals(const ResultRow& row) {
  if (!row.median_ms) return 0;
  return ms_decimals(*row.median_ms, half_width(value_of(row)));
}

int rate_decimals(const ResultRow& row) {
  if (!row.tflops || !row.median_ms) return 0;
  constexpr int kDigits = 3;
  const std::string text = significant_text(*row.tflops, kDigits);
  const std::size_t point = text.find('.');
  const int digits = point == std::string::npos ? 0 : static_cast<int>(text.size() - point - 1);
  const std::optional<double> half = half_width(value_of(row));
  // A rate is work / time: both are known to the same share.
  return half ? std::min(digits, known_decimals(*row.tflops, *half / *row.median_ms * *row.tflops)) : digits;
}

std::string line_label(const ResultRow& row) {
  const Problem& p = row.problem;
  if (p.form == Form::gemm) return fmt::format("{}³ product", p.seq_len);
  if (p.form == Form::dot_product) {
    return p.window1 >= p.seq_len ? fmt::format("{} causal", format_tokens(p.seq_len))
                                  : fmt::format("sliding {}", p.window1);
  }
  return p.mask == Mask::full ? std::string("full") : format_windows(p.window1, p.window2);
}

std::string shared_conditions(std::span<const ResultRow* const> rows) {
  const auto ours = std::ranges::find_if(rows, [](const ResultRow* row) { return !is_baseline(*row); });
  if (ours == rows.end()) return {};
  const Problem& first = (*ours)->problem;
  std::string text;
  for (const ProblemFact& fact : problem_facts()) {
    const std::string_view name = fact.name;
    const std::string value = fact.value(first);
    if ((name == "batch" || name == "mask") && value == fact.value(Problem())) continue;
    const bool shared = std::ranges::all_of(
        rows, [&](const ResultRow* row) { return is_baseline(*row) || fact.value(row->problem) == value; });
    const std::string phrase = readable(fact.phrase(first));
    if (shared && !phrase.empty()) text += (text.empty() ? "" : ", ") + phrase;
  }
  return text;
}

std::string match_key(const ResultRow& row, bool with_instance) {
  return key_of(row, row.pass, row.regime, with_instance);
}

bool has_several_instances(const std::vector<ResultRow>& rows) {
  std::map<std::string, std::string> first;
  for (const ResultRow& row : rows) {
    const auto [found, inserted] = first.emplace(match_key(row, false), row.instance);
    if (!inserted && found->second != row.instance) return true;
  }
  return false;
}

void judge(LatencyModel& table, const Comparisons* against_baseline, const Verdicts* beside_reference) {
  const Judges by{against_baseline, beside_reference};
  for (LatencyLine& line : table.lines) {
    for (std::shared_ptr<const LatencyCell>& cell : line.cells) {
      if (cell) cell = judged_cell(cell->row, cell->backward, by);
    }
  }
  say_judges(table, by);
}

LatencyModel make_latency_model(const SweepResults& sweep, const Comparisons* against_baseline,
                                const Verdicts* beside_reference) {
  const Judges by{against_baseline, beside_reference};
  LatencyModel model;
  model.conditions = shared_conditions(addresses_of(sweep.rows));
  make_groups(model, sweep.rows);
  const std::vector<Fact> facts = differing_facts(sweep.rows);
  for (const Fact& fact : facts) model.fact_names.emplace_back(fact.name);
  const bool instances = has_several_instances(sweep.rows);
  std::map<std::string, std::size_t> line_of;
  for (const ResultRow& row : sweep.rows) {
    const auto [found, inserted] = line_of.emplace(line_key(row, instances), model.lines.size());
    if (inserted) {
      LatencyLine line;
      line.problem = row.problem;
      line.kernel = row.kernel;
      line.card = row.card;
      line.instance = row.instance;
      line.baseline = is_baseline(row);
      line.label = line_label(row);
      for (const Fact& fact : facts) {
        line.facts.push_back(fact.text(row));
        if (fact.phrase && fact.of_settings) line.setting += (line.setting.empty() ? "" : ", ") + fact.phrase(row);
      }
      line.cells.resize(model.groups.size());
      model.lines.push_back(std::move(line));
    }
    const PaperRow* paper = row.pass == Pass::forward ? find_paper_row(row.problem) : nullptr;
    if (paper && has_paper_shape(row.problem)) {
      model.lines[found->second].paper_ms = paper->latency_ms;
      model.has_paper = true;
    }
    model.flagged += row.flagged;
    model.failed += row.status == Status::failed;
    for (std::size_t g = 0; g < model.groups.size(); ++g) {
      if (model.groups[g].pass != row.pass || model.groups[g].regime != row.regime) continue;
      const bool in_work = sweep.in_work.contains(row.measurement);
      model.lines[found->second].cells[g] = judged_cell(row, 0, in_work ? Judges{nullptr, nullptr} : by);
      break;
    }
  }
  std::stable_partition(model.lines.begin(), model.lines.end(), [](const LatencyLine& line) { return !line.baseline; });
  say_judges(model, by);
  model.series = all_series(model);
  return model;
}

/// In a database of others a kernel of ours may have a baseline's name; only the latter has no place on a chart's x
/// axis.
bool belongs(const Series& series, const LatencyLine& line, const LatencyGroup& group) {
  return line.kernel == series.kernel && line.baseline == series.baseline && group.pass == series.pass &&
         group.regime == series.regime && group.step == series.step;
}

/// Series of a model in order of appearance; two of ours never share a colour while there are colours.
std::vector<Series> all_series(const LatencyModel& model) {
  std::vector<Series> result;
  std::map<std::string, int> kernels;  // of ours
  for (const LatencyLine& line : model.lines) {
    if (!line.baseline) kernels.try_emplace(line.kernel, style_of_kernel(line.card));
  }
  const std::map<std::string, int> forwards = styles_of_kernels(kernels);
  const bool both_regimes = std::ranges::any_of(
      model.groups, [&](const LatencyGroup& group) { return group.regime != model.groups.front().regime; });
  std::set<int> taken;
  for (const LatencyLine& line : model.lines) {
    for (std::size_t g = 0; g < model.groups.size(); ++g) {
      if (!line.cells[g]) continue;
      const LatencyGroup& group = model.groups[g];
      const bool known =
          std::any_of(result.begin(), result.end(), [&](const Series& series) { return belongs(series, line, group); });
      if (known) continue;
      const bool name_kernel = line.baseline || kernels.size() > 1 || group.step;
      std::string label = name_kernel ? line.card.label + " " + group.title : group.title;
      const auto wish = [&] {
        if (group.step) return kStepStyle;
        const int style = forwards.at(line.kernel) + (group.pass == Pass::forward ? 0 : 1);
        return both_regimes && group.regime == Regime::burst ? style_of_bursts(style) : style;
      };
      const int colour = line.baseline ? baseline_style(line.card) : next_free_style(taken, wish());
      result.push_back({line.kernel, line.card.short_label, group.pass, group.regime, std::move(label), colour,
                        line.baseline, line.card.label, group.step});
    }
  }
  return result;
}

std::string marked(const Comparison& comparison, std::string words) {
  // "1.31x" -> "1.31×": the x behind a digit.
  for (std::size_t at = 1; at < words.size(); ++at) {
    if (words[at] == 'x' && words[at - 1] >= '0' && words[at - 1] <= '9') words.replace(at, 1, "×");
  }
  switch (comparison.verdict) {
    case Verdict::faster:
      return "▲ " + words;
    case Verdict::slower:
      return "▼ " + words;
    case Verdict::unclear:
      return "? " + words;
    case Verdict::same:
    case Verdict::not_comparable:
      break;
  }
  return words;
}

}  // namespace triscope
