#include "app/cli/text/result_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "app/cli/options/selection.hpp"
#include "app/cli/text/number_text.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/text/number_of.hpp"
#include "kernels/base/text/text_beginning.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/record/words/factor_text.hpp"
#include "profiler/record/words/power_text.hpp"
#include "profiler/record/words/problem_facts.hpp"
#include "profiler/statistics/convergence.hpp"

namespace triscope {
namespace {

/// A fact of the problem: a column where rows differ, part of the heading where they agree.
struct Fact {
  const char* title;
  int importance;
  std::function<std::string(const ResultRow&)> cell;     ///< in the table
  std::function<std::string(const ResultRow&)> heading;  ///< in the line above; may be empty
};

bool is_attention(const ResultRow& row) { return row.problem.form != Form::gemm; }

const std::vector<Fact>& facts() {
  static const std::vector<Fact> list = [] {
    std::vector<Fact> all;
    const auto add = [&](const char* title, int importance, auto cell, auto heading) {
      all.push_back({title, importance, cell, heading});
    };
    const auto text = [](auto view) { return std::string(view); };
    add(
        "device", 30, [](const ResultRow& r) { return r.device; }, [](const ResultRow& r) { return r.device; });
    add(
        "regime", 40, [=](const ResultRow& r) { return text(to_string(r.regime)); },
        [=](const ResultRow& r) { return text(to_string(r.regime)); });
    add(
        "timing", 20, [=](const ResultRow& r) { return text(to_string(r.timing_source)); },
        [=](const ResultRow& r) { return text(to_string(r.timing_source)); });
    add(
        "form", 45, [=](const ResultRow& r) { return text(to_string(r.problem.form)); },
        [=](const ResultRow& r) { return text(to_string(r.problem.form)); });
    add(
        "mask", 25, [=](const ResultRow& r) { return text(to_string(r.problem.mask)); },
        [=](const ResultRow& r) { return text(to_string(r.problem.mask)); });
    add(
        "element", 25, [=](const ResultRow& r) { return text(to_string(r.problem.element)); },
        [=](const ResultRow& r) { return text(to_string(r.problem.element)); });
    add(
        "batch", 35, [](const ResultRow& r) { return fmt::format("{}", r.problem.batch); },
        [](const ResultRow& r) { return fmt::format("batch {}", r.problem.batch); });
    add(
        "seq", 50, [](const ResultRow& r) { return fmt::format("{}", r.problem.seq_len); },
        [](const ResultRow& r) { return fmt::format("seq {}", r.problem.seq_len); });
    add(
        "heads", 35, [](const ResultRow& r) { return fmt::format("{}/{}", r.problem.q_heads, r.problem.kv_heads); },
        [](const ResultRow& r) { return fmt::format("heads {}/{}", r.problem.q_heads, r.problem.kv_heads); });
    add(
        "dim", 35, [](const ResultRow& r) { return fmt::format("{}", r.problem.head_dim); },
        [](const ResultRow& r) { return fmt::format("dim {}", r.problem.head_dim); });
    const auto number = [](const char* name, const std::optional<double>& value) {
      return value ? name + significant_text(*value) : std::string();
    };
    add(
        "scale", 15, [=](const ResultRow& r) { return number("", r.problem.scale); },
        [=](const ResultRow& r) { return number("scale ", r.problem.scale); });
    const auto biases = [](const Problem& p, const char* name, const char* between) {
      if (p.k2_bias == 0 && p.v2_bias == 0) return std::string();
      return name + significant_text(p.k2_bias) + between + significant_text(p.v2_bias);
    };
    add(
        "biases", 15, [=](const ResultRow& r) { return biases(r.problem, "", ", "); },
        [=](const ResultRow& r) { return biases(r.problem, "biases ", " and "); });
    add(
        "sink", 15, [=](const ResultRow& r) { return number("", r.problem.sink); },
        [=](const ResultRow& r) { return number("sink ", r.problem.sink); });
    add(
        "deterministic", 15, [](const ResultRow& r) { return std::string(r.problem.deterministic ? "yes" : ""); },
        [](const ResultRow& r) { return std::string(r.problem.deterministic ? "deterministic" : ""); });
    return all;
  }();
  return list;
}

/// True when every attention row has the same cell. Rows of a dot-product baseline differ in form by nature, and that
/// is said by their kernel and windows.
bool shared(const Fact& fact, const std::vector<ResultRow>& rows) {
  const bool form = std::string_view(fact.title) == "form";
  const ResultRow* first = nullptr;
  for (const ResultRow& row : rows) {
    if (!is_attention(row) || (form && row.problem.form == Form::dot_product)) continue;
    if (first == nullptr) first = &row;
    if (fact.cell(row) != fact.cell(*first)) return false;
  }
  return true;
}

const ResultRow* representative(const std::vector<ResultRow>& rows) {
  const auto simplicial = [](const ResultRow& row) {
    return is_attention(row) && row.problem.form != Form::dot_product;
  };
  for (const ResultRow& row : rows) {
    if (simplicial(row)) return &row;
  }
  return rows.empty() ? nullptr : &rows.front();
}

std::string optional_text(const std::optional<double>& value, int digits = 3) {
  return value ? significant_text(*value, digits) : std::string();
}

std::string latency_text(const ResultRow& row) {
  if (row.status == Status::ok && row.median_ms) return milliseconds_text(*row.median_ms);
  return status_word(row);
}

std::string interval_text(const ResultRow& row) {
  if (row.status != Status::ok || !row.median_ms) return "";
  const std::optional<double> percent = spread_percent(row.median_ms, row.ci_low_ms, row.ci_high_ms);
  return percent ? significant_text(*percent, 2) : "unknown";
}

/// What limited every row in every sample; nullopt when they differ.
std::optional<std::string> shared_limiter(const std::vector<ResultRow>& rows) {
  std::optional<std::string> limiter;
  for (const ResultRow& row : rows) {
    if (row.samples == 0) continue;
    if (!limited_throughout(row) || row.limiter != limiter.value_or(row.limiter)) return std::nullopt;
    limiter = row.limiter;
  }
  return limiter;
}

/// Why a row whose only remark it is did not converge, in words that it shares with others; empty for any other.
std::string why_not_converged(const ResultRow& row) {
  return row.status == Status::ok ? shared_reason(row.reason) : std::string();
}

std::string interval_words(const ResultRow& row) {
  const std::string text = interval_text(row);
  if (!text.empty() && text != "unknown") return "+-" + text + " %";
  return row.samples == 1 ? "one sample" : fmt::format("interval unknown ({} samples)", row.samples);
}

std::string flagged_text(const ResultRow& row) {
  return row.samples > 0 ? fmt::format("{}/{}", row.flagged, row.samples) : std::string();
}

}  // namespace

std::string shared_facts(const std::vector<ResultRow>& rows) {
  std::vector<std::string> words;
  const ResultRow* row = representative(rows);
  if (row == nullptr) return "";
  for (const Fact& fact : facts()) {
    if (!shared(fact, rows)) continue;
    if (std::string word = fact.heading(*row); !word.empty()) words.push_back(std::move(word));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

TerminalTable result_table(const std::vector<ResultRow>& rows, const Verdicts& verdicts,
                           const std::set<std::int64_t>& elsewhere) {
  TerminalTable table;
  std::vector<std::function<std::string(const ResultRow&)>> cells;
  const auto add = [&](std::string title, Align align, int importance, bool may_cut,
                       std::function<std::string(const ResultRow&)> cell) {
    table.columns.push_back({std::move(title), align, importance, may_cut});
    cells.push_back(std::move(cell));
  };
  add("id", Align::right, 60, false, [](const ResultRow& r) { return fmt::format("m{}", r.measurement); });
  add("kernel", Align::left, 90, false, [](const ResultRow& r) { return r.kernel; });
  add("instance", Align::left, 10, true, [](const ResultRow& r) { return r.instance; });
  add("pass", Align::left, 85, false, [](const ResultRow& r) { return std::string(to_string(r.pass)); });
  for (const Fact& fact : facts()) {
    if (!shared(fact, rows)) add(fact.title, Align::left, fact.importance, false, fact.cell);
  }
  add("windows", Align::left, 95, false, [](const ResultRow& r) { return windows_text(r.problem); });
  add("ms", Align::right, 100, false, latency_text);
  add("+-%", Align::right, 70, false, interval_text);
  add("TFLOP/s", Align::right, 88, false,
      [](const ResultRow& r) { return r.status == Status::ok ? optional_text(r.tflops) : std::string(); });
  add("of peak", Align::right, 32, false, [](const ResultRow& r) {
    return r.status == Status::ok && r.peak_fraction ? fmt::format("{} %", significant_text(100 * *r.peak_fraction, 2))
                                                     : std::string();
  });
  add("NVML MHz", Align::right, 12, false,
      [](const ResultRow& r) { return r.sm_clock_mhz ? fmt::format("{:.0f}", *r.sm_clock_mhz) : std::string(); });
  if (!verdicts.baseline.empty()) {
    add("time vs " + verdicts.column(), Align::left, 80, false, [&verdicts](const ResultRow& r) {
      if (verdicts.themselves.contains(r.measurement)) return std::string("the reference");
      const auto found = verdicts.by_measurement.find(r.measurement);
      if (found == verdicts.by_measurement.end()) return std::string();
      return time_text(found->second) + (is_apart(found->second) ? "*" : "");
    });
    add("its interval", Align::left, 78, false, [&verdicts](const ResultRow& r) {
      const auto found = verdicts.by_measurement.find(r.measurement);
      return found == verdicts.by_measurement.end() ? std::string() : time_interval_text(found->second);
    });
    add("rate vs " + verdicts.column(), Align::point, 79, false, [&verdicts](const ResultRow& r) {
      const auto found = verdicts.rates.find(r.measurement);
      return found == verdicts.rates.end() ? std::string() : factor_text(found->second) + "x";
    });
  }
  if (!shared_limiter(rows)) add("flagged", Align::right, 55, false, flagged_text);
  add("error", Align::right, 48, false, [](const ResultRow& r) { return optional_text(r.error, 2); });
  add("environment", Align::left, 42, false,
      [&](const ResultRow& r) { return std::string(elsewhere.contains(r.measurement) ? "other" : ""); });
  for (const ResultRow& row : rows) {
    std::vector<std::string>& line = table.rows.emplace_back();
    for (const auto& cell : cells) line.push_back(cell(row));
  }
  return table;
}

std::optional<double> cross_check_beyond(const ResultRow& row) {
  constexpr double kAgreesPercent = 1;
  if (row.status != Status::ok || !row.events_ms || !row.median_ms || !(*row.median_ms > 0)) return std::nullopt;
  const bool inside =
      (!row.ci_low_ms || *row.events_ms >= *row.ci_low_ms) && (!row.ci_high_ms || *row.events_ms <= *row.ci_high_ms);
  const double percent = 100 * (*row.events_ms / *row.median_ms - 1);
  if (inside || std::abs(percent) <= kAgreesPercent) return std::nullopt;
  return percent;
}

namespace {

/// Which rows have medians, in the turns that their ratio is of, whose quotient lies outside its interval.
std::string medians_outside(const std::vector<ResultRow>& rows, const Verdicts& verdicts) {
  std::vector<std::string> outside;
  for (const ResultRow& row : rows) {
    const auto found = verdicts.by_measurement.find(row.measurement);
    if (found == verdicts.by_measurement.end()) continue;
    const Comparison& time = found->second;
    if (!time.paired || !(time.b_ms > 0) || !interval_known(time)) continue;
    const double quotient = time.a_ms / time.b_ms;
    if (quotient >= time.interval.low && quotient <= time.interval.high) continue;
    outside.push_back(fmt::format("m{} {} / {} = {} ({} .. {})", row.measurement, milliseconds_text(time.a_ms),
                                  milliseconds_text(time.b_ms), factor_text(quotient, 4),
                                  factor_text(time.interval.low, 4), factor_text(time.interval.high, 4)));
  }
  if (outside.empty()) return {};
  return fmt::format(
      "medians in turns with {} whose quotient lies outside the interval of the ratio in turns: blocks that stand out "
      "within a turn count in the ratio, not in a median (docs/method.md): {}\n",
      verdicts.column(), first_words(std::move(outside)));
}

/// What another reference than a kernel is, and why rows beside it are not judged.
std::string reference_remark(const Verdicts& verdicts) {
  if (verdicts.of_kernel || verdicts.baseline.empty()) return {};
  std::string text;
  if (verdicts.label != verdicts.short_label)
    text = fmt::format("{}; a row of another problem does other work: the ratio is of times alone\n", verdicts.label);
  std::map<std::string, std::size_t> not_judged;  // by the reason
  for (const auto& [row, time] : verdicts.by_measurement)
    if (time.verdict == Verdict::not_comparable) ++not_judged[time.explanation];
  for (const auto& [why, count] : not_judged)
    text += fmt::format("{} beside {} not judged: {}\n", number_of(count, "row"), verdicts.short_label, why);
  if (verdicts.by_measurement.empty() && verdicts.themselves.empty())
    text += fmt::format("no row has a partner in {}\n", verdicts.short_label);
  return text;
}

}  // namespace

std::string remarks(const std::vector<ResultRow>& rows, const Verdicts& verdicts) {
  std::string text = reference_remark(verdicts);
  const auto apart = [](const auto& verdict) { return is_apart(verdict.second); };
  if (std::any_of(verdicts.by_measurement.begin(), verdicts.by_measurement.end(), apart)) {
    text += fmt::format(
        "* not in turns with {}: the medians of two runs are compared; the verdict does not include what changed "
        "on the machine in between\n",
        verdicts.column());
  }
  text += medians_outside(rows, verdicts);
  if (const auto limiter = shared_limiter(rows)) {
    text += fmt::format("every sample of every row was {}: {}\n", limiter_text(*limiter), *limiter);
  }
  std::vector<std::string> beyond;
  for (const ResultRow& row : rows) {
    if (const std::optional<double> percent = cross_check_beyond(row)) {
      beyond.push_back(fmt::format("m{} {}{} %", row.measurement, *percent < 0 ? "-" : "+",
                                   significant_text(std::abs(*percent), 2)));
    }
  }
  if (!beyond.empty()) {
    text +=
        fmt::format("cross-check by CUDA events lies outside the interval and more than 1 % off (docs/method.md): {}\n",
                    fmt::join(beyond, ", "));
  }
  std::map<std::string, std::vector<std::string>> not_converged;  // by the reason
  for (const ResultRow& row : rows) {
    if (const std::string why = why_not_converged(row); !why.empty())
      not_converged[why].push_back(fmt::format("m{} {}", row.measurement, interval_words(row)));
  }
  for (const auto& [why, ids] : not_converged) {
    if (ids.size() < 2) continue;
    text += fmt::format("{} rows are not converged, {}: {}\n", ids.size(), printed_line(why), fmt::join(ids, ", "));
  }
  std::vector<std::string> unknown;  // where no remark of their own says so
  for (const ResultRow& row : rows) {
    if (interval_text(row) == "unknown" && has_converged(row))
      unknown.push_back(fmt::format("m{} {}", row.measurement, interval_words(row)));
  }
  if (!unknown.empty()) text += fmt::format("too few samples for an interval: {}\n", fmt::join(unknown, ", "));
  for (const ResultRow& row : rows) {
    const std::string why = why_not_converged(row);
    if (row.reason.empty() || (!why.empty() && not_converged.at(why).size() > 1)) continue;
    const std::string status = row.status == Status::ok ? "" : fmt::format(" {}", to_string(row.status));
    text += fmt::format("m{}{}: {}\n", row.measurement, status, printed_line(row.reason));
  }
  return text;
}

}  // namespace triscope
