#include "views/latency_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <tuple>

#include "kernels/error.hpp"
#include "profiler/columns.hpp"
#include "profiler/problem_facts.hpp"
#include "profiler/sweep.hpp"
#include "views/format.hpp"
#include "views/setup_model.hpp"

namespace triscope {
namespace {

/// Something a line can differ in beside its windows; shown only where lines do differ.
struct Fact {
  std::string name;
  std::function<std::string(const ResultRow&)> text;
  bool of_ours = true;                                       ///< what baselines differ in by nature makes no column
  std::function<std::string(const ResultRow&)> phrase = {};  ///< "4,096 tokens"; none: no part of a line's setting
};

/// "32768 tokens" -> "32,768 tokens", "dot_product" -> "dot product".
std::string readable(std::string text) {
  std::replace(text.begin(), text.end(), '_', ' ');
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  for (std::size_t at = digits; at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::vector<Fact> all_facts() {
  std::vector<Fact> facts{{"kernel", [](const ResultRow& row) { return kernel_label(row.kernel); }, false},
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
  const bool only_baselines = std::all_of(rows.begin(), rows.end(), is_baseline);
  for (Fact& fact : all_facts()) {
    std::set<std::string> values;
    for (const ResultRow& row : rows) {
      if (!fact.of_ours || only_baselines || !is_baseline(row)) values.insert(fact.text(row));
    }
    if (values.size() > 1 && (fact.name != "instance" || has_several_instances(rows)))
      result.push_back(std::move(fact));
  }
  return result;
}

/// The settings that do not differ, as a phrase; what is usual (batch 1, causal mask) goes without saying.
std::string shared_conditions(const std::vector<ResultRow>& rows) {
  const auto ours = std::find_if(rows.begin(), rows.end(), [](const ResultRow& row) { return !is_baseline(row); });
  if (ours == rows.end()) return {};
  std::string text;
  for (const ProblemFact& fact : problem_facts()) {
    const std::string_view name = fact.name;
    const std::string value = fact.value(ours->problem);
    if ((name == "batch" || name == "mask") && value == fact.value(Problem())) continue;
    const bool shared = std::all_of(rows.begin(), rows.end(), [&](const ResultRow& row) {
      return is_baseline(row) || fact.value(row.problem) == value;
    });
    const std::string phrase = readable(fact.phrase(ours->problem));
    if (shared && !phrase.empty()) text += (text.empty() ? "" : ", ") + phrase;
  }
  return text;
}

std::string problem_key(const Problem& p) {
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", static_cast<int>(p.form), static_cast<int>(p.mask),
                     static_cast<int>(p.element), p.deterministic, p.batch, p.seq_len, p.q_heads, p.kv_heads,
                     p.head_dim, p.window1, p.window2, p.scale.value_or(-1), p.k2_bias, p.v2_bias,
                     p.sink.value_or(-1e30));
}

/// The kernel that others are related to: the fastest known dot-product attention, by preference.
std::string reference_kernel(const std::vector<ResultRow>& rows) {
  for (const char* id : {"baseline.fa3", "baseline.cudnn", "baseline.cpu"}) {
    for (const ResultRow& row : rows) {
      if (row.kernel == id && row.status == Status::ok && row.tflops) return id;
    }
  }
  return {};
}

std::optional<double> reference_tflops(const std::vector<ResultRow>& rows, const std::string& reference,
                                       const ResultRow& row) {
  for (const ResultRow& other : rows) {
    if (other.kernel != reference || other.pass != row.pass || other.regime != row.regime ||
        other.status != Status::ok || !other.tflops)
      continue;
    const Problem &a = other.problem, &b = row.problem;
    if (std::tie(a.batch, a.seq_len, a.q_heads, a.kv_heads, a.head_dim) ==
        std::tie(b.batch, b.seq_len, b.q_heads, b.kv_heads, b.head_dim))
      return other.tflops;
  }
  return std::nullopt;
}

void make_groups(LatencyModel& model, const std::vector<ResultRow>& rows) {
  std::set<std::pair<Regime, Pass>> seen;
  for (const ResultRow& row : rows) seen.emplace(row.regime, row.pass);
  const bool several_regimes =
      std::any_of(rows.begin(), rows.end(), [&](const ResultRow& row) { return row.regime != rows.front().regime; });
  for (const auto& [regime, pass] : seen) {
    LatencyGroup group{pass, regime, std::string(to_string(pass)), 0, 0};
    if (several_regimes) group.title += fmt::format(", {}", to_string(regime));
    std::vector<double> times, half_widths;
    for (const ResultRow& row : rows) {
      if (row.pass != pass || row.regime != regime) continue;
      if (row.status != Status::ok) continue;
      if (row.median_ms) times.push_back(*row.median_ms);
      if (row.ci_low_ms && row.ci_high_ms) half_widths.push_back((*row.ci_high_ms - *row.ci_low_ms) / 2);
      if (row.tflops && std::isfinite(*row.tflops)) group.max_tflops = std::max(group.max_tflops, *row.tflops);
    }
    group.decimals = column_decimals(times, half_widths);
    model.groups.push_back(std::move(group));
  }
}

std::string lowered(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

std::string line_label(const ResultRow& row) {
  const Problem& p = row.problem;
  if (p.form == Form::gemm) return fmt::format("{}³ product", p.seq_len);
  if (p.form == Form::dot_product) {
    return p.window1 >= p.seq_len ? fmt::format("{} causal", format_tokens(p.seq_len))
                                  : fmt::format("sliding {}", p.window1);
  }
  return p.mask == Mask::full ? std::string("full") : format_windows(p.window1, p.window2);
}

std::vector<std::string> differing_settings(const std::vector<const ResultRow*>& rows) {
  std::vector<std::string> settings(rows.size());
  for (const ProblemFact& fact : problem_facts()) {
    std::set<std::string> values;  // baselines differ in form by nature
    for (const ResultRow* row : rows) {
      if (!is_baseline(*row)) values.insert(fact.value(row->problem));
    }
    if (values.size() < 2) continue;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i]->problem.form == Form::gemm) continue;  // its label says it all
      const bool form = std::string_view(fact.name) == "form";
      const std::string phrase =
          is_baseline(*rows[i]) && form ? std::string() : readable(fact.phrase(rows[i]->problem));
      if (!phrase.empty()) settings[i] += (settings[i].empty() ? "" : ", ") + phrase;
    }
  }
  return settings;
}

std::string match_key(const ResultRow& row, bool with_instance) {
  return fmt::format("{}|{}|{}|{}|{}", problem_key(row.problem), static_cast<int>(row.pass),
                     static_cast<int>(row.regime), row.kernel, with_instance ? row.instance : std::string());
}

bool has_several_instances(const std::vector<ResultRow>& rows) {
  std::map<std::string, std::string> first;
  for (const ResultRow& row : rows) {
    const auto [found, inserted] = first.emplace(match_key(row, false), row.instance);
    if (!inserted && found->second != row.instance) return true;
  }
  return false;
}

LatencyModel make_latency_model(const SweepResults& sweep, const Comparisons* against_baseline) {
  LatencyModel model;
  model.reference = reference_kernel(sweep.rows);
  model.has_baseline = against_baseline != nullptr;
  model.conditions = shared_conditions(sweep.rows);
  make_groups(model, sweep.rows);
  const std::vector<Fact> facts = differing_facts(sweep.rows);
  for (const Fact& fact : facts) model.fact_names.emplace_back(fact.name);
  const bool instances = has_several_instances(sweep.rows);

  std::map<std::string, std::size_t> line_of;
  for (const ResultRow& row : sweep.rows) {
    ResultRow question = row;
    question.pass = Pass::forward;
    question.regime = Regime::sustained;
    const auto [found, inserted] = line_of.emplace(match_key(question, instances), model.lines.size());
    if (inserted) {
      LatencyLine line;
      line.problem = row.problem;
      line.kernel = row.kernel;
      line.instance = row.instance;
      line.baseline = is_baseline(row);
      line.label = line_label(row);
      for (const Fact& fact : facts) {
        line.facts.push_back(fact.text(row));
        if (fact.phrase) line.setting += (line.setting.empty() ? "" : ", ") + fact.phrase(row);
      }
      line.cells.resize(model.groups.size());
      if (const PaperRow* paper = find_paper_row(row.problem); paper && has_paper_shape(row.problem))
        line.paper_ms = paper->latency_ms;
      model.has_paper |= line.paper_ms.has_value();
      model.lines.push_back(std::move(line));
    }
    LatencyCell cell{row, std::nullopt, std::nullopt};
    if (against_baseline) {
      const auto comparison = against_baseline->find(row.measurement);
      if (comparison != against_baseline->end()) cell.against_baseline = comparison->second.comparison;
    }
    const auto reference = model.reference.empty() ? std::nullopt : reference_tflops(sweep.rows, model.reference, row);
    if (reference && row.status == Status::ok && row.tflops && row.kernel != model.reference)
      cell.of_reference = *row.tflops / *reference;
    model.flagged += row.flagged;
    model.failed += row.status == Status::failed;
    for (std::size_t g = 0; g < model.groups.size(); ++g) {
      if (model.groups[g].pass == row.pass && model.groups[g].regime == row.regime)
        model.lines[found->second].cells[g] = std::move(cell);
    }
  }
  std::stable_partition(model.lines.begin(), model.lines.end(), [](const LatencyLine& line) { return !line.baseline; });
  return model;
}

namespace {

FieldText column_text(const char* id, bool shown_at_first) {
  const ResultColumn& column = *find_result_column(id);
  const std::string_view better = column.better == BetterDirection::lower    ? "Lower is better."
                                  : column.better == BetterDirection::higher ? "Higher is better."
                                                                             : "";
  return {column.meaning, column.formula, better, shown_at_first};
}

}  // namespace

FieldText field_text(LatencyField field) {
  switch (field) {
    case LatencyField::label:
      return {"Keys a query sees on axis 1 and on axis 2, the query itself counted.", "", "", true};
    case LatencyField::fact:
      return {"A setting in which the rows of this sweep differ.", "", "", true};
    case LatencyField::median:
      return column_text("median_ms", true);
    case LatencyField::interval:
      return {"Half-width of the 95 % interval of the median, in milliseconds.",
              "(high - low) / 2, Student t over blocks", "Lower is surer.", true};
    case LatencyField::tflops:
      return column_text("tflops", true);
    case LatencyField::peak:
      return column_text("peak_fraction", false);
    case LatencyField::of_reference:
      return {"TFLOP/s relative to dot-product attention in the same sweep and pass.",
              "TFLOP/s / TFLOP/s of the reference", "Higher is better.", true};
    case LatencyField::verdict:
      return {"Judgement against the baseline sweep. Same: the interval of the ratio lies within the tolerance.",
              "baseline time / this time, with its 95 % interval", "", true};
    case LatencyField::flagged:
      return column_text("flagged", false);
    case LatencyField::error:
      return column_text("error", false);
    case LatencyField::paper:
      return {
          "Forward latency in the paper's Table 1, on its hardware. Shown at the one shape that reproduces its rate: "
          "32,768 tokens, 64 query heads on 1, head size 128.",
          "", "", true};
    case LatencyField::paper_ratio:
      return {"The paper's time relative to this one, at the shape that reproduces the paper's rate.",
              "paper ms / forward ms", "Higher is better.", false};
  }
  return {};
}

std::vector<LatencyColumn> latency_columns(const LatencyModel& model) {
  std::vector<LatencyColumn> columns{{LatencyField::label, 0, "window", "window"}};
  for (std::size_t i = 0; i < model.fact_names.size(); ++i)
    columns.push_back({LatencyField::fact, i, model.fact_names[i], model.fact_names[i]});
  for (std::size_t g = 0; g < model.groups.size(); ++g) {
    const std::string& group = model.groups[g].title;
    const auto add = [&](LatencyField field, const char* id, std::string title) {
      columns.push_back({field, g, fmt::format("{}/{}", id, group), std::move(title)});
    };
    add(LatencyField::median, "median", group + ", ms");
    add(LatencyField::interval, "interval", "± 95 %");
    add(LatencyField::tflops, "tflops", "TFLOP/s");
    add(LatencyField::peak, "peak", "% of peak");
    if (!model.reference.empty())
      add(LatencyField::of_reference, "of", fmt::format("of {}", kernel_short_label(model.reference)));
    if (model.has_baseline) add(LatencyField::verdict, "verdict", "since baseline");
    add(LatencyField::flagged, "flagged", "flagged");
    add(LatencyField::error, "error", "error");
  }
  if (model.has_paper) {
    columns.push_back({LatencyField::paper, 0, "paper", "paper, ms"});
    columns.push_back({LatencyField::paper_ratio, 0, "paper_ratio", "of paper"});
  }
  return columns;
}

std::string latency_table_name(const std::vector<LatencyColumn>& columns) {
  std::string name = "latency";
  for (const LatencyColumn& column : columns) name += "|" + column.id;
  return name;
}

namespace {

const LatencyCell* find_cell(const LatencyLine& line, const LatencyColumn& column) {
  if (column.group >= line.cells.size() || !line.cells[column.group]) return nullptr;
  return &*line.cells[column.group];
}

std::optional<double> forward_ms(const LatencyLine& line) {
  for (const auto& cell : line.cells) {
    if (cell && cell->row.pass == Pass::forward && cell->row.status == Status::ok && cell->row.median_ms)
      return cell->row.median_ms;
  }
  return std::nullopt;
}

std::string measured_text(const LatencyModel& model, const LatencyCell& cell, const LatencyColumn& column) {
  const ResultRow& row = cell.row;
  const auto text = [](const std::optional<double>& value, auto format) {
    return value ? format(*value) : std::string();
  };
  const int decimals = model.groups[column.group].decimals;
  if (row.status != Status::ok && column.field != LatencyField::flagged) {
    return column.field == LatencyField::median ? std::string(to_string(row.status))
                                                : std::string();  // what it had measured by then is no result
  }
  switch (column.field) {
    case LatencyField::median:
      return text(row.median_ms, [&](double v) { return format_fixed(v, decimals); });
    case LatencyField::interval:
      if (!row.ci_low_ms || !row.ci_high_ms) return {};
      return format_fixed((*row.ci_high_ms - *row.ci_low_ms) / 2, decimals > 2 ? decimals : decimals + 1);
    case LatencyField::tflops:
      return text(row.tflops, [](double v) { return significant_text(v); });
    case LatencyField::peak:
      return text(row.peak_fraction, [](double v) { return format_fixed(v * 100, 1); });
    case LatencyField::of_reference:
      return text(cell.of_reference, [](double v) { return format_fixed(v, 2) + "×"; });
    case LatencyField::verdict:
      return cell.against_baseline ? verdict_text(*cell.against_baseline) : std::string();
    case LatencyField::flagged:
      return fmt::format("{}", row.flagged);
    case LatencyField::error:
      return text(row.error, [](double v) { return format_error(v); });
    default:
      return {};
  }
}

}  // namespace

std::string cell_text(const LatencyModel& model, const LatencyLine& line, const LatencyColumn& column) {
  switch (column.field) {
    case LatencyField::label:
      return line.label;
    case LatencyField::fact:
      return line.facts[column.group];
    case LatencyField::paper:
      return line.paper_ms ? format_fixed(*line.paper_ms, 1) : std::string();
    case LatencyField::paper_ratio: {
      const auto value = cell_value(line, column);
      return value ? format_fixed(*value, 2) + "×" : std::string();
    }
    default:
      break;
  }
  const LatencyCell* cell = find_cell(line, column);
  return cell ? measured_text(model, *cell, column) : std::string();
}

std::optional<double> cell_value(const LatencyLine& line, const LatencyColumn& column) {
  switch (column.field) {
    case LatencyField::label:
      return static_cast<double>(line.problem.window1) * 1e7 + static_cast<double>(line.problem.window2);
    case LatencyField::paper:
      return line.paper_ms;
    case LatencyField::paper_ratio: {
      const auto own = forward_ms(line);
      if (!own || !line.paper_ms) return std::nullopt;
      return *line.paper_ms / *own;
    }
    default:
      break;
  }
  const LatencyCell* cell = find_cell(line, column);
  if (!cell) return std::nullopt;
  const ResultRow& row = cell->row;
  if (row.status != Status::ok && column.field != LatencyField::flagged) return std::nullopt;
  std::optional<double> value;
  switch (column.field) {
    case LatencyField::median:
      value = row.median_ms;
      break;
    case LatencyField::interval:
      if (row.ci_low_ms && row.ci_high_ms) value = *row.ci_high_ms - *row.ci_low_ms;
      break;
    case LatencyField::tflops:
      value = row.tflops;
      break;
    case LatencyField::peak:
      value = row.peak_fraction;
      break;
    case LatencyField::of_reference:
      value = cell->of_reference;
      break;
    case LatencyField::verdict:
      if (cell->against_baseline) value = cell->against_baseline->ratio;
      break;
    case LatencyField::flagged:
      value = static_cast<double>(row.flagged);
      break;
    case LatencyField::error:
      value = row.error;
      break;
    default:
      break;
  }
  return value && std::isnan(*value) ? std::nullopt : value;
}

bool is_numeric(LatencyField field) {
  return field != LatencyField::label && field != LatencyField::fact && field != LatencyField::verdict;
}

namespace {

/// A word of a filter: found in a line's text or, when it is a number, as tokens or window.
struct FilterWord {
  std::string text;
  std::optional<std::int64_t> number;
  bool found(const LatencyLine& line, const std::string& all) const {
    const Problem& p = line.problem;
    if (number && (p.seq_len == *number || p.window1 == *number || p.window2 == *number)) return true;
    return !(number && text.back() == 'k') && all.find(text) != std::string::npos;  // "8k" is not meant to find 128k
  }
};

std::vector<FilterWord> filter_words(std::string_view filter) {
  std::vector<FilterWord> words;
  for (std::size_t begin = 0; begin < filter.size();) {
    const std::size_t end = std::min(filter.find(' ', begin), filter.size());
    if (end > begin) {
      FilterWord word{lowered(std::string(filter.substr(begin, end - begin))), {}};
      try {
        if (const auto numbers = parse_numbers(word.text); numbers.size() == 1) word.number = numbers.front();
      } catch (const Error&) {  // a word like any other
      }
      words.push_back(std::move(word));
    }
    begin = end + 1;
  }
  return words;
}

}  // namespace

std::vector<std::size_t> arrange(const LatencyModel& model, std::string_view filter,
                                 const std::optional<LatencySort>& sort) {
  const std::vector<LatencyColumn> columns = latency_columns(model);
  const std::vector<FilterWord> words = filter_words(filter);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < model.lines.size(); ++i) {
    const LatencyLine& line = model.lines[i];
    bool keep = true;
    if (!words.empty()) {
      std::string all = fmt::format("{}x{} {} {}", line.problem.window1, line.problem.window2, line.kernel,
                                    kernel_label(line.kernel));
      for (const LatencyColumn& column : columns) all.append(1, '\n').append(cell_text(model, line, column));
      for (const auto& cell : line.cells) {
        if (cell) all.append(1, '\n').append(cell->row.reason);
      }
      all = lowered(std::move(all));
      keep = std::all_of(words.begin(), words.end(), [&](const FilterWord& word) { return word.found(line, all); });
    }
    if (keep) order.push_back(i);
  }
  if (!sort) return order;
  const auto before = [&](std::size_t a, std::size_t b) {
    if (sort->column.field == LatencyField::fact) {
      const std::string& left = model.lines[a].facts[sort->column.group];
      const std::string& right = model.lines[b].facts[sort->column.group];
      const auto key = [](const std::string& text) { return std::pair(text.size(), text); };  // "512" before "1,024"
      return sort->descending ? key(right) < key(left) : key(left) < key(right);
    }
    const auto left = cell_value(model.lines[a], sort->column);
    const auto right = cell_value(model.lines[b], sort->column);
    if (!left || !right) return left.has_value() && !right.has_value();
    return sort->descending ? *left > *right : *left < *right;
  };
  std::stable_sort(order.begin(), order.end(), before);
  return order;
}

TextTable latency_text(const LatencyModel& model, const std::vector<std::size_t>& order,
                       const std::vector<LatencyColumn>& columns) {
  TextTable table;
  for (const LatencyColumn& column : columns) {
    const bool in_group = is_numeric(column.field) || column.field == LatencyField::verdict;
    const bool named = column.field == LatencyField::median || column.field == LatencyField::paper ||
                       column.field == LatencyField::paper_ratio;
    table.header.push_back(in_group && !named ? model.groups[column.group].title + " " + column.title : column.title);
    table.numeric.push_back(is_numeric(column.field));
  }
  for (std::size_t index : order) {
    std::vector<std::string> row;
    for (const LatencyColumn& column : columns) row.push_back(cell_text(model, model.lines[index], column));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string verdict_text(const Comparison& comparison) {
  switch (comparison.verdict) {
    case Verdict::faster:
      return fmt::format("▲ {:.2f}× faster", comparison.ratio);
    case Verdict::slower:
      return fmt::format("▼ {:.2f}× slower", 1 / comparison.ratio);
    case Verdict::same:
      return "same";
    case Verdict::unclear:
      return "? unclear";
    case Verdict::not_comparable:
      return "not comparable";
  }
  return {};
}

}  // namespace triscope
