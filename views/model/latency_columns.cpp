#include "views/model/latency_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/base/error.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/statistics/comparison_facts.hpp"
#include "profiler/statistics/statistics.hpp"
#include "views/data/format.hpp"
#include "views/model/setup_model.hpp"

namespace triscope {
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
              "(high - low) / 2, Student t over blocks", "Lower is more certain.", true};
    case LatencyField::tflops:
      return column_text("tflops", true);
    case LatencyField::peak:
      return column_text("peak_fraction", false);
    case LatencyField::beside:
      return {
          "Latency beside dot-product attention of the same sizes in this sweep, by neighbouring turns and so not "
          "quite the quotient of the medians: hovering says what that took beside this row. Same: the whole interval "
          "lies within the tolerance, or within 4 times it where marked *. Unclear: the samples do not decide it, or "
          "are too few. *: not measured in turns, so of the medians.",
          "time / time of the reference, with its interval", "", true};
    case LatencyField::beside_interval:
      return {
          "The interval of the factor before it: 95 %, of separate runs with restarts 99 %. Of two that are not "
          "comparable there is none.",
          "", "Narrower is more certain.", false};
    case LatencyField::of_reference:
      return {
          "TFLOP/s relative to dot-product attention in the same sweep and pass, by their turns as the time is. The "
          "two do different work.",
          "TFLOP/s / TFLOP/s of the reference", "Higher is better.", true};
    case LatencyField::verdict:
      return {
          "Judgement against the baseline sweep. Same: the interval of the ratio lies within 4 times the tolerance, "
          "since separate runs have wider ones than turns.",
          "this time / baseline time, with its 99 % interval (95 % without restarts)", "", true};
    case LatencyField::flagged:
      return column_text("flagged", false);
    case LatencyField::error:
      return column_text("error", false);
    case LatencyField::paper:
      return {
          "Forward latency in the paper's Table 1, on a GPU that it does not name. Shown at the one shape that "
          "reproduces its rate: 32,768 tokens, 64 query heads on 1, head size 128.",
          "", "", true};
    case LatencyField::paper_ratio:
      return {"The paper's time relative to this one, at the shape that reproduces the paper's rate.",
              "paper ms / forward ms", "Higher is better.", false};
  }
  return {};
}

namespace {

/// Groups in which one of our kernels has a time stand first: those of a sweep that was stopped may all be empty.
std::vector<std::size_t> groups_in_order(const LatencyModel& model) {
  std::vector<std::size_t> groups(model.groups.size());
  std::iota(groups.begin(), groups.end(), std::size_t{0});
  std::ranges::stable_partition(groups, [&](std::size_t g) {
    return std::ranges::any_of(model.lines, [&](const LatencyLine& line) {
      return line.problem.form != Form::dot_product && g < line.cells.size() && line.cells[g] &&
             line.cells[g]->row.status == Status::ok && line.cells[g]->row.median_ms;
    });
  });
  return groups;
}

}  // namespace

std::vector<LatencyColumn> latency_columns(const LatencyModel& model) {
  std::vector<LatencyColumn> columns{{LatencyField::label, 0, "window", "window"}};
  for (std::size_t i = 0; i < model.fact_names.size(); ++i)
    columns.push_back({LatencyField::fact, i, model.fact_names[i], model.fact_names[i]});
  for (const std::size_t g : groups_in_order(model)) {
    const std::string& group = model.groups[g].title;
    const auto add = [&](LatencyField field, const char* id, std::string title) {
      columns.push_back({field, g, fmt::format("{}/{}", id, group), std::move(title)});
    };
    add(LatencyField::median, "median", group + ", ms");
    add(LatencyField::interval, "interval", "± ms");
    // The ratio of the times leads; that of the rates is second.
    if (!model.reference.empty()) {
      add(LatencyField::beside, "beside",
          model.groups[g].turns ? fmt::format("vs {}, in turns", model.reference_label)
                                : fmt::format("time vs {}", model.reference_label));
      add(LatencyField::beside_interval, "between", "its interval");
    }
    add(LatencyField::tflops, "tflops", "TFLOP/s");
    add(LatencyField::peak, "peak", "% of peak");
    if (!model.reference.empty())
      add(LatencyField::of_reference, "of", fmt::format("rate vs {}", model.reference_label));
    if (model.groups[g].judged) add(LatencyField::verdict, "verdict", "since baseline");
    add(LatencyField::flagged, "flagged", "flagged");
    add(LatencyField::error, "error", "error");
  }
  if (model.has_paper) {
    columns.push_back({LatencyField::paper, 0, "paper", "paper, ms"});
    columns.push_back({LatencyField::paper_ratio, 0, "paper_ratio", "of paper"});
  }
  return columns;
}

std::vector<LatencyColumn> shown_columns(const LatencyModel& model, const std::vector<std::string>& visible) {
  std::vector<LatencyColumn> columns = latency_columns(model);
  if (visible.empty()) return columns;
  // A ratio that is copied or printed has its interval, also where the table has no room for it.
  std::erase_if(columns, [&](const LatencyColumn& column) {
    const auto is_visible = [&](const std::string& id) { return std::ranges::find(visible, id) != visible.end(); };
    const bool with_ratio =
        column.field == LatencyField::beside_interval && is_visible("beside" + column.id.substr(column.id.find('/')));
    return !with_ratio && !is_visible(column.id);
  });
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
  return line.cells[column.group].get();
}

std::optional<double> forward_ms(const LatencyLine& line) {
  for (const auto& cell : line.cells) {
    if (cell && cell->row.pass == Pass::forward && cell->row.status == Status::ok && cell->row.median_ms)
      return cell->row.median_ms;
  }
  return std::nullopt;
}

/// What the decimals of its median would call 0 has a digit of its own.
std::string half_width_text(double half, int decimals) {
  std::string text = format_fixed(half, decimals);
  if (half <= 0 || text.find_first_of("123456789") != std::string::npos) return text;
  return format_fixed(half, static_cast<int>(std::ceil(-std::log10(half))));
}

std::string times_text(double factor) { return format_fixed(factor, times_decimals(factor)) + "×"; }

std::string measured_text(const LatencyCell& cell, const LatencyColumn& column) {
  const ResultRow& row = cell.row;
  const auto text = [](const std::optional<double>& value, auto format) {
    return value ? format(*value) : std::string();
  };
  if (row.status != Status::ok && column.field != LatencyField::flagged) {
    return column.field == LatencyField::median ? status_word(row)
                                                : std::string();  // what it had measured by then is no result
  }
  switch (column.field) {
    case LatencyField::median:
      return text(row.median_ms, [&](double v) { return format_fixed(v, ms_decimals(row)); });
    case LatencyField::interval:
      if (!row.median_ms) return {};
      if (!interval_known(row)) return "unknown";
      return half_width_text((*row.ci_high_ms - *row.ci_low_ms) / 2, ms_decimals(row));
    case LatencyField::tflops:
      return text(row.tflops, [&](double v) { return format_fixed(v, rate_decimals(row)); });
    case LatencyField::peak:
      return text(row.peak_fraction, [](double v) { return format_fixed(v * 100, 1); });
    case LatencyField::of_reference:
      return text(cell.of_reference, times_text);
    case LatencyField::beside:
      if (cell.is_reference) return "the reference";
      return cell.beside ? marked(*cell.beside, time_text(*cell.beside) + (is_apart(*cell.beside) ? " *" : ""))
                         : std::string();
    case LatencyField::beside_interval:
      return cell.beside ? time_interval_text(*cell.beside) : std::string();
    case LatencyField::verdict:
      return cell.against_baseline ? marked(*cell.against_baseline, time_text(*cell.against_baseline)) : std::string();
    case LatencyField::flagged:
      return fmt::format("{}", row.flagged);
    case LatencyField::error:
      return text(row.error, [](double v) { return format_error(v); });
    default:
      return {};
  }
}

}  // namespace

std::string cell_text(const LatencyLine& line, const LatencyColumn& column) {
  switch (column.field) {
    case LatencyField::label:
      return line.label;
    case LatencyField::fact:
      return line.facts[column.group];
    case LatencyField::paper:
      return line.paper_ms ? format_fixed(*line.paper_ms, 1) : std::string();
    case LatencyField::paper_ratio: {
      const auto value = cell_value(line, column);
      return value ? times_text(*value) : std::string();
    }
    default:
      break;
  }
  const LatencyCell* cell = find_cell(line, column);
  return cell ? measured_text(*cell, column) : std::string();
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
      if (interval_known(row)) value = *row.ci_high_ms - *row.ci_low_ms;
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
    case LatencyField::beside:
      if (cell->beside && cell->beside->ratio > 0) value = cell->beside->ratio;
      break;
    case LatencyField::beside_interval:  // how wide it is
      if (cell->beside && has_interval(*cell->beside))
        value = std::log(cell->beside->interval.high / cell->beside->interval.low);
      break;
    case LatencyField::verdict:
      if (cell->against_baseline && cell->against_baseline->ratio > 0) value = cell->against_baseline->ratio;
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

bool is_verdict(LatencyField field) { return field == LatencyField::verdict || field == LatencyField::beside; }

bool is_numeric(LatencyField field) {
  return field != LatencyField::label && field != LatencyField::fact && !is_verdict(field);
}

namespace {

std::string lowered(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

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

std::vector<std::string> filter_texts(const LatencyModel& model) {
  const std::vector<LatencyColumn> columns = latency_columns(model);
  std::vector<std::string> texts;
  texts.reserve(model.lines.size());
  for (const LatencyLine& line : model.lines) {
    std::string all =
        fmt::format("{}x{} {} {}", line.problem.window1, line.problem.window2, line.kernel, line.card.label);
    for (const LatencyColumn& column : columns) {
      // A measured number is no name: "128" is not meant to find a rate of 128.
      if (!is_numeric(column.field) || !cell_value(line, column)) all.append(1, '\n').append(cell_text(line, column));
    }
    for (const auto& cell : line.cells) {
      if (cell) all.append(1, '\n').append(cell->row.reason);
    }
    texts.push_back(lowered(std::move(all)));
  }
  return texts;
}

std::vector<std::size_t> arrange(const LatencyModel& model, std::string_view filter,
                                 const std::optional<LatencySort>& sort) {
  return arrange(model, filter, sort, filter_words(filter).empty() ? std::vector<std::string>{} : filter_texts(model));
}

std::vector<std::size_t> arrange(const LatencyModel& model, std::string_view filter,
                                 const std::optional<LatencySort>& sort, const std::vector<std::string>& texts) {
  const std::vector<FilterWord> words = filter_words(filter);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < model.lines.size(); ++i) {
    const auto is_in_line = [&](const FilterWord& word) { return word.found(model.lines[i], texts[i]); };
    if (std::ranges::all_of(words, is_in_line)) order.push_back(i);
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
    const bool in_group = is_numeric(column.field) || is_verdict(column.field);
    const bool named = column.field == LatencyField::median || column.field == LatencyField::paper ||
                       column.field == LatencyField::paper_ratio;
    table.header.push_back(in_group && !named ? model.groups[column.group].title + " " + column.title : column.title);
    table.numeric.push_back(is_numeric(column.field));
  }
  for (std::size_t index : order) {
    std::vector<std::string> row;
    for (const LatencyColumn& column : columns) row.push_back(cell_text(model.lines[index], column));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace triscope
