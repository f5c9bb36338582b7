#include "profiler/explore/explore_fields.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiler/record/columns.hpp"
#include "profiler/record/gpu_counters.hpp"
#include "profiler/record/words/problem_facts.hpp"

namespace triscope {
namespace {

using One = Explored;
using Number = std::optional<double>;

bool is_ok(const One& one) { return one.row.status == Status::ok; }

template <std::int64_t Problem::*size>
Number number_of_size(const One& one) {
  return static_cast<double>(one.row.problem.*size);
}
template <std::int64_t Problem::*size>
std::string text_of_size(const One& one) {
  return fmt::format("{}", one.row.problem.*size);
}

/// A setting that is a whole number.
template <std::int64_t Problem::*size>
ExploreField count(std::string_view id, std::string_view label, std::string_view meaning) {
  return {id, label, "", meaning, false, true, text_of_size<size>, number_of_size<size>};
}

/// A setting that is a word.
ExploreField word(std::string_view id, std::string_view label, std::string_view meaning,
                  std::string (*text)(const One&), ExploreOrder (*order)(const One&) = nullptr) {
  return {id, label, "", meaning, false, false, text, nullptr, nullptr, order};
}

template <std::optional<double> ResultRow::*value>
Number measured(const One& one) {
  return is_ok(one) ? one.row.*value : Number();
}
/// In a burst NVML's power is a mean over launches and the pauses between them: their energy is not known.
template <std::optional<double> ResultRow::*value>
Number without_pauses(const One& one) {
  return one.row.regime == Regime::burst ? Number() : measured<value>(one);
}
template <Number (*number)(const One&)>
std::string text_of_number(const One& one) {
  const Number value = number(one);
  return value ? significant_text(*value, 4) : std::string();
}

template <Number (*number)(const One&)>
ExploreField quantity(std::string_view id, std::string_view label, std::string_view unit, std::string_view meaning,
                      std::optional<Interval> (*interval)(const One&) = nullptr) {
  return {id, label, unit, meaning, true, true, text_of_number<number>, number, interval};
}

std::optional<Interval> interval_of_time(const One& one) {
  if (!is_ok(one) || !interval_known(one.row)) return std::nullopt;
  return Interval{*one.row.ci_low_ms, *one.row.ci_high_ms};
}
/// The work is counted, so only the time of a rate is uncertain.
std::optional<Interval> interval_of_rate(const One& one) {
  const std::optional<Interval> time = interval_of_time(one);
  if (!time || !one.row.tflops) return std::nullopt;
  const double work = *one.row.tflops * *one.row.median_ms;
  return Interval{work / time->high, work / time->low};
}
Number ratio(const One& one) { return one.beside != nullptr && one.beside->ratio > 0 ? one.beside->ratio : Number(); }
std::optional<Interval> interval_of_ratio(const One& one) {
  if (!ratio(one) || one.beside->verdict == Verdict::not_comparable || !interval_known(*one.beside))
    return std::nullopt;
  return one.beside->interval;
}
Number share_of_peak(const One& one) {
  const Number share = measured<&ResultRow::peak_fraction>(one);
  return share ? 100 * *share : share;
}

std::string kernel(const One& one) { return one.row.kernel; }
/// Ours first, then what they stand beside.
ExploreOrder kernel_order(const One& one) { return {is_baseline(one.row.card.kind) ? 1.0 : 0.0, one.row.kernel}; }
std::string window(const One& one) { return windows_text(one.row.problem); }
ExploreOrder window_order(const One& one) {
  const Problem& p = one.row.problem;
  return {static_cast<double>(p.window1) * static_cast<double>(p.window2), window(one)};
}
std::string heads(const One& one) { return fmt::format("{}/{}", one.row.problem.q_heads, one.row.problem.kv_heads); }
ExploreOrder heads_order(const One& one) {
  return {static_cast<double>(one.row.problem.q_heads), fmt::format("{:>8}", one.row.problem.kv_heads)};
}
std::string form(const One& one) { return std::string(to_string(one.row.problem.form)); }
std::string mask(const One& one) { return std::string(to_string(one.row.problem.mask)); }
std::string element(const One& one) { return std::string(to_string(one.row.problem.element)); }
std::string pass(const One& one) { return std::string(to_string(one.row.pass)); }
ExploreOrder pass_order(const One& one) { return {static_cast<double>(one.row.pass), ""}; }
std::string instance(const One& one) { return one.row.instance; }
std::string version(const One& one) { return one.row.source_hash.substr(0, 12); }
std::string device(const One& one) { return one.row.device; }
std::string regime(const One& one) { return std::string(to_string(one.row.regime)); }
std::string clock_of(const One& one) { return std::string(to_string(one.row.timing_source)); }
std::string date(const One& one) { return one.row.started.substr(0, 10); }
std::string database(const One& one) { return one.database; }
std::string note(const One& one) { return one.note != nullptr ? *one.note : std::string(); }
/// One key of dot-product attention is no pair.
Number area(const One& one) {
  const Problem& problem = one.row.problem;
  if (problem.form == Form::dot_product || problem.form == Form::gemm) return std::nullopt;
  return static_cast<double>(problem.window1) * static_cast<double>(problem.window2);
}
std::string text_of_area(const One& one) {
  const Number pairs = area(one);
  return pairs ? fmt::format("{:.0f}", *pairs) : std::string();
}
Number sweep(const One& one) { return static_cast<double>(one.row.sweep); }
std::string sweep_text(const One& one) { return fmt::format("{}", one.row.sweep); }

/// The unit of a counter as it is drawn, and how many of its own make one.
std::pair<std::string_view, double> drawn_unit(std::string_view unit) {
  if (unit == "ns") return {"ms", 1e6};
  if (unit == "Hz") return {"MHz", 1e6};
  if (unit == "byte") return {"MB", 1e6};
  if (unit == "FLOP") return {"TFLOP", 1e12};
  return {unit, 1};
}

/// What a hardware counter counted in its launch.
ExploreField counter(const CounterMetric& metric) {
  const std::pair<std::string_view, double> drawn = drawn_unit(metric.unit);
  const auto number = [name = metric.name, size = drawn.second](const One& one) -> Number {
    if (one.counters == nullptr || !is_ok(one)) return std::nullopt;
    const auto values = one.counters->find(name);
    if (values == one.counters->end()) return std::nullopt;
    const auto value = values->second.find(one.row.measurement);
    return value == values->second.end() ? Number() : Number(value->second / size);
  };
  const auto text = [number](const One& one) {
    const Number value = number(one);
    return value ? significant_text(*value, 4) : std::string();
  };
  return {metric.id, metric.label, drawn.first, metric.meaning, true,       true,
          text,      number,       nullptr,     nullptr,        metric.name};
}

std::vector<ExploreField> all_fields() {
  std::vector<ExploreField> fields{
      count<&Problem::seq_len>("seq", "tokens", "Tokens in each sequence."),
      word("window", "windows", "The pair of windows, 512x32; `causal` or `window N` of dot-product attention.", window,
           window_order),
      count<&Problem::window1>("w1", "w1", "Keys that a query sees on axis 1."),
      count<&Problem::window2>("w2", "w2", "Keys that a query sees on axis 2."),
      {"area", "w1 × w2", "", "Pairs of keys that a query sees; none of dot-product attention.", false, true,
       text_of_area, area},
      word("heads", "heads", "Query heads and key/value heads, 64/1.", heads, heads_order),
      count<&Problem::head_dim>("head_dim", "head size", "Elements of one head."),
      count<&Problem::batch>("batch", "batch", "Sequences in the batch."),
      word("form", "form", "Logit: trilinear, determinant, dot_product or gemm.", form),
      word("mask", "mask", "causal or full.", mask),
      word("element", "element", "Number format of the tensors: bf16 or fp32.", element),
      word("kernel", "kernel", "Id of the kernel, cuda.hopper.", kernel, kernel_order),
      word("instance", "instance", "Tile configuration of the kernel.", instance),
      word("version", "version", "Hash of what the kernel's pass is compiled from, its first 12 digits.", version,
           [](const One& one) {
             return ExploreOrder{0, one.row.started};
           }),
      word("pass", "pass", "forward or backward.", pass, pass_order),
      word("regime", "regime", "sustained (back to back) or burst (single launches from idle).", regime),
      word("timed_by", "timed by", "Clock of the samples: cupti, cuda_events or cpu_clock.", clock_of),
      word("device", "device", "Name of the GPU or CPU that ran the kernel.", device),
      {"date", "date", "", "Day on which it was measured, 2026-11-21 (UTC).", false, true, date},
      {"sweep", "sweep", "", "Number of its sweep.", false, true, sweep_text, sweep},
      word("note", "note", "What a person wrote about its sweep, with its #tags.", note),
      word("database", "database", "File that it is read from.", database),
      quantity<measured<&ResultRow::median_ms>>("ms", "time", "ms", "Median time of one launch.", interval_of_time),
      quantity<measured<&ResultRow::tflops>>("tflops", "TFLOP/s", "TFLOP/s",
                                             "Useful work per second, by the exact count.", interval_of_rate),
      quantity<ratio>("ratio", "time / time of the reference", "",
                      "Time beside the reference kernel's in the same sweep; below 1 it is shorter.",
                      interval_of_ratio),
      quantity<share_of_peak>("peak", "share of the peak", "%",
                              "Useful work in each counted cycle, of the dense peak."),
      quantity<without_pauses<&ResultRow::joules>>(
          "joules", "energy", "J", "Energy of one launch. None of a burst, whose power has its pauses in it."),
      quantity<measured<&ResultRow::power_w>>(
          "watts", "power", "W", "Power of the device, the mean over all samples; of a burst with its pauses."),
      quantity<measured<&ResultRow::sm_clock_mhz>>("clock", "clock", "MHz", "SM clock as NVML read it, the median."),
      quantity<without_pauses<&ResultRow::joules_per_tflop>>(
          "per_tflop", "energy per TFLOP", "J", "Energy of useful work of 10^12 operations. None of a burst."),
      quantity<measured<&ResultRow::power_limit_w>>("power_limit", "power limit", "W",
                                                    "Most that the device was allowed to draw."),
      quantity<measured<&ResultRow::error>>("error", "error", "",
                                            "Largest relative L2 error of the outputs against the fp64 oracle."),
  };
  for (const CounterMetric& metric : counter_metrics()) fields.push_back(counter(metric));
  return fields;
}

}  // namespace

std::span<const ExploreField> explore_fields() {
  static const std::vector<ExploreField> fields = all_fields();
  return fields;
}

const ExploreField* find_explore_field(std::string_view id) {
  const std::span<const ExploreField> fields = explore_fields();
  const auto found = std::ranges::find_if(fields, [id](const ExploreField& field) {
    return field.id == id || (!field.counter.empty() && field.counter == id);
  });
  return found == fields.end() ? nullptr : &*found;
}

std::string header_of(const ExploreField& field) {
  return field.unit.empty() || field.unit == field.label ? std::string(field.label)
                                                         : fmt::format("{}, {}", field.label, field.unit);
}

ExploreOrder order_of(const ExploreField& field, const Explored& one) {
  if (field.order != nullptr) return field.order(one);
  if (field.number != nullptr) return {field.number(one).value_or(0), ""};
  return {0, field.text(one)};
}

}  // namespace triscope
