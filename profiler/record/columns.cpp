#include "profiler/record/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace triscope {
namespace {

using Row = ResultRow;
using Value = ColumnValue;

template <typename Number>
Value value_of(const std::optional<Number>& value) {
  return value ? Value(*value) : Value();
}
template <typename Enum>
Value name_of(Enum value) {
  return std::string(to_string(value));
}

/// "1.6e-03" as "1.6e-3": powers of ten are written in one way.
std::string brief_power(const std::string& number) {
  const std::size_t e = number.find('e');
  return e == std::string::npos ? number : fmt::format("{}e{}", number.substr(0, e), std::stoi(number.substr(e + 1)));
}

// Texts for people. A count or a name is itself; a number is rounded.
template <Value (*value)(const Row&)>
std::string plain(const Row& row) {
  const Value v = value(row);
  if (const auto* integer = std::get_if<std::int64_t>(&v)) return fmt::format("{}", *integer);
  if (const auto* real = std::get_if<double>(&v)) return fmt::format("{}", *real);
  if (const auto* text = std::get_if<std::string>(&v)) return *text;
  return "";
}
template <Value (*value)(const Row&), int digits, int scale = 1>
std::string rounded(const Row& row) {
  const Value v = value(row);
  const auto* real = std::get_if<double>(&v);
  return real ? significant_text(*real * scale, digits) : std::string();
}
template <Value (*value)(const Row&)>
std::string scientific(const Row& row) {
  const Value v = value(row);
  const auto* real = std::get_if<double>(&v);
  return real ? brief_power(fmt::format("{:.1e}", *real)) : std::string();
}

// One accessor per column, named like the view's.
Value measurement(const Row& r) { return r.measurement; }
Value sweep(const Row& r) { return r.sweep; }
Value started(const Row& r) { return r.started; }
Value device(const Row& r) { return r.device; }
Value kernel(const Row& r) { return r.kernel; }
Value instance(const Row& r) { return r.instance; }
Value source_hash(const Row& r) { return r.source_hash; }
Value pass(const Row& r) { return name_of(r.pass); }
Value form(const Row& r) { return name_of(r.problem.form); }
Value mask(const Row& r) { return name_of(r.problem.mask); }
Value element(const Row& r) { return name_of(r.problem.element); }
Value batch(const Row& r) { return r.problem.batch; }
Value seq_len(const Row& r) { return r.problem.seq_len; }
Value q_heads(const Row& r) { return r.problem.q_heads; }
Value kv_heads(const Row& r) { return r.problem.kv_heads; }
Value head_dim(const Row& r) { return r.problem.head_dim; }
Value window1(const Row& r) { return r.problem.window1; }
Value window2(const Row& r) { return r.problem.window2; }
Value scale(const Row& r) { return value_of(r.problem.scale); }
Value k2_bias(const Row& r) { return r.problem.k2_bias; }
Value v2_bias(const Row& r) { return r.problem.v2_bias; }
Value sink(const Row& r) { return value_of(r.problem.sink); }
Value deterministic(const Row& r) { return std::int64_t{r.problem.deterministic ? 1 : 0}; }
Value timing_source(const Row& r) { return name_of(r.timing_source); }
Value regime(const Row& r) { return name_of(r.regime); }
Value median_ms(const Row& r) { return value_of(r.median_ms); }
Value ci_low_ms(const Row& r) { return value_of(r.ci_low_ms); }
Value ci_high_ms(const Row& r) { return value_of(r.ci_high_ms); }
Value samples(const Row& r) { return r.samples; }
Value flagged(const Row& r) { return r.flagged; }
Value sm_clock_mhz(const Row& r) { return value_of(r.sm_clock_mhz); }
Value tflops(const Row& r) { return value_of(r.tflops); }
Value tflops_paper_count(const Row& r) { return value_of(r.tflops_paper_count); }
Value peak_fraction(const Row& r) { return value_of(r.peak_fraction); }
Value error(const Row& r) { return value_of(r.error); }
Value status(const Row& r) { return name_of(r.status); }
Value reason(const Row& r) { return r.reason; }
Value events_ms(const Row& r) { return value_of(r.events_ms); }
Value restarts(const Row& r) { return r.restarts; }
Value power_w(const Row& r) { return value_of(r.power_w); }
Value power_limit_w(const Row& r) { return value_of(r.power_limit_w); }
Value joules(const Row& r) { return value_of(r.joules); }
Value joules_per_tflop(const Row& r) { return value_of(r.joules_per_tflop); }
Value limiter(const Row& r) { return r.limiter; }
Value max_sm_clock_mhz(const Row& r) { return value_of(r.max_sm_clock_mhz); }
Value counted_clock_mhz(const Row& r) { return value_of(r.counted_clock_mhz); }

// Most columns: shown as they are, nothing better or worse about them.
template <Value (*value)(const Row&)>
constexpr ResultColumn given(std::string_view id, std::string_view label, std::string_view meaning) {
  return {id, label, "", "", meaning, "", BetterDirection::none, value, plain<value>};
}
template <Value (*value)(const Row&)>
constexpr ResultColumn milliseconds(std::string_view id, std::string_view label, std::string_view meaning,
                                    std::string_view formula) {
  return {id, label, "ms", "ms", meaning, formula, BetterDirection::lower, value, rounded<value, 4>};
}
template <Value (*value)(const Row&)>
constexpr ResultColumn rate(std::string_view id, std::string_view label, std::string_view meaning,
                            std::string_view formula) {
  return {id, label, "TFLOP/s", "TFLOP/s", meaning, formula, BetterDirection::higher, value, rounded<value, 3>};
}

template <Value (*value)(const Row&), int digits = 4, BetterDirection better = BetterDirection::none>
constexpr ResultColumn quantity(std::string_view id, std::string_view label, std::string_view unit,
                                std::string_view meaning, std::string_view formula = "") {
  return {id, label, unit, unit, meaning, formula, better, value, rounded<value, digits>};
}

constexpr ResultColumn kColumns[] = {
    given<measurement>("measurement", "id", "Row id of the measurement; never used twice in one database."),
    given<sweep>("sweep", "sweep", "Row id of the sweep it belongs to."),
    given<started>("started", "started", "When measuring began, ISO 8601 in UTC."),
    given<device>("device", "device", "Name of the GPU or CPU that ran the kernel."),
    given<kernel>("kernel", "kernel", "Id of the kernel, such as `cpu.fast` or `baseline.fa3`."),
    given<instance>("instance", "instance", "Tile configuration of the kernel."),
    given<source_hash>("source_hash", "source",
                       "Hash of what the kernel's pass is compiled from; changes when that does."),
    given<pass>("pass", "pass", "`forward` or `backward`."),
    given<form>("form", "form", "Logit: `trilinear`, `determinant`, `dot_product` (baselines) or `gemm`."),
    given<mask>("mask", "mask", "`causal` (inside the windows, never ahead of the query) or `full`."),
    given<element>("element", "element", "Number format of the tensors: `bf16` or `fp32`."),
    given<batch>("batch", "batch", "Sequences in the batch."),
    given<seq_len>("seq_len", "tokens", "Tokens in each sequence."),
    given<q_heads>("q_heads", "query heads", "Query heads."),
    given<kv_heads>("kv_heads", "kv heads", "Key and value heads; query heads share them evenly."),
    given<head_dim>("head_dim", "head size", "Elements of one head."),
    given<window1>("window1", "w1",
                   "Keys a query sees on axis 1, itself counted; `seq_len` for a plainly causal baseline."),
    given<window2>("window2", "w2", "Keys a query sees on axis 2, itself counted; 1 for dot-product baselines."),
    given<scale>("scale", "scale", "Factor of the logits; NULL means 1/sqrt(head_dim)."),
    given<k2_bias>("k2_bias", "k2 bias", "Number added to every element of K2; 0 is off."),
    given<v2_bias>("v2_bias", "v2 bias", "Number added to every element of V2; 0 is off."),
    given<sink>("sink", "sink", "Logit per query head that adds to the denominator and has no value; NULL means none."),
    given<deterministic>("deterministic", "deterministic",
                         "1 when gradients are bit-identical from run to run, else 0."),
    given<timing_source>(
        "timing_source", "timed by",
        "Clock of the samples: `cupti`, `cuda_events` or `cpu_clock`; different ones are not comparable."),
    given<regime>(
        "regime", "regime",
        "`sustained` (warm, back to back) or `burst` (single launches from idle); never compared with each other."),
    milliseconds<median_ms>("median_ms", "median", "Time of one launch, the median over all samples.",
                            "median(duration per launch)"),
    milliseconds<ci_low_ms>(
        "ci_low_ms", "low",
        "Lower end of the 95 % interval of the median; NULL means unbounded, in exports also beyond +-100 %.",
        "t-interval of block medians"),
    milliseconds<ci_high_ms>(
        "ci_high_ms", "high",
        "Upper end of the 95 % interval of the median; NULL means unbounded, in exports also beyond +-100 %.",
        "t-interval of block medians"),
    given<samples>("samples", "samples", "Number of samples, flagged ones included."),
    {"flagged", "flagged", "", "",
     "Number of flagged samples (throttled: normal at a power limit; preempted: doubtful); they are kept and counted.",
     "", BetterDirection::lower, flagged, plain<flagged>},
    quantity<sm_clock_mhz>("sm_clock_mhz", "NVML clock", "MHz",
                           "SM clock as NVML read it, the median over all samples; NULL when it is not known."),
    rate<tflops>("tflops", "rate", "Useful work per second: exactly the triples (pairs) inside the windows count.",
                 "triples x 4 x head_dim x heads (backward: x 10) / median"),
    rate<tflops_paper_count>("tflops_paper_count", "rate, paper's count",
                             "The same time with the paper's operation count, for comparison with its figures only.",
                             "6 n w1 w2 x head_dim x heads (backward: x 2.5) / median"),
    {"peak_fraction", "of peak", "", "%",
     "Useful work in each cycle of one launch, as hardware counters counted its cycles, relative to the device's dense "
     "peak; NULL without counters.",
     "FLOPs / (counted cycles x peak / highest clock)", BetterDirection::higher, peak_fraction,
     rounded<peak_fraction, 3, 100>},
    {"error", "error", "", "", "Largest relative L2 error of the outputs against the fp64 oracle, at this very shape.",
     "max over outputs of |x - oracle| / |oracle|", BetterDirection::lower, error, scientific<error>},
    given<status>("status", "status", "`ok`, `skipped`, `failed` or `cancelled`."),
    given<reason>("reason", "reason", "Why it is not ok, or a remark; empty when there is none."),
    milliseconds<events_ms>("events_ms", "by events",
                            "Cross-check: the same launch timed with CUDA events in a process without CUPTI; NULL when "
                            "there is none.",
                            "median(duration per launch)"),
    given<restarts>("restarts", "restarts", "Number of restarts (new processes) that the samples come from."),
    quantity<power_w>("power_w", "power", "W",
                      "Power of the device, the mean over all samples; NULL when it is not known."),
    quantity<power_limit_w>("power_limit_w", "power limit", "W", "Power at which the device lowers its clock."),
    quantity<joules, 3, BetterDirection::lower>(
        "joules", "energy", "J", "Energy of one launch; in exports NULL of a burst, whose power has its pauses in it.",
        "power_w x median_ms / 1000"),
    quantity<joules_per_tflop, 3, BetterDirection::lower>("joules_per_tflop", "energy per work", "J/TFLOP",
                                                          "Energy of 1e12 useful FLOPs; in exports NULL of a burst.",
                                                          "power_w / tflops"),
    given<limiter>("limiter", "limiter",
                   "What held the clock down in at least half of the samples, such as `sw_power_cap`; empty: nothing."),
    quantity<max_sm_clock_mhz>("max_sm_clock_mhz", "highest clock", "MHz", "Highest SM clock of the device."),
    quantity<counted_clock_mhz>("counted_clock_mhz", "counted clock", "MHz",
                                "SM clock that hardware counters counted, in a launch of its own; NULL without "
                                "counters. NVML's clock may differ by 10 %.",
                                "counted cycles / duration while counting"),
};

}  // namespace

std::string_view to_string(BetterDirection better) {
  switch (better) {
    case BetterDirection::none:
      return "";
    case BetterDirection::lower:
      return "lower";
    case BetterDirection::higher:
      return "higher";
  }
  return "";
}

std::span<const ResultColumn> result_columns() { return kColumns; }

const ResultColumn* find_result_column(std::string_view id) {
  const auto found = std::find_if(std::begin(kColumns), std::end(kColumns),
                                  [id](const ResultColumn& column) { return column.id == id; });
  return found == std::end(kColumns) ? nullptr : found;
}

std::optional<double> number_of(const ResultColumn& column, const ResultRow& row) {
  const Value value = column.value(row);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

std::string header_of(const ResultColumn& column) {
  return column.shown_unit.empty() ? std::string(column.label) : fmt::format("{}, {}", column.label, column.shown_unit);
}

std::string significant_text(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return fmt::format("{:.0f}", value);
  // The exponent after rounding: 9.996 with 3 digits is 10.0.
  const std::string rounded = fmt::format("{:.{}e}", value, digits - 1);
  const int exponent = std::stoi(rounded.substr(rounded.find('e') + 1));
  if (exponent < -4 || exponent >= 7) return brief_power(rounded);
  return fmt::format("{:.{}f}", value, std::max(0, digits - 1 - exponent));
}

}  // namespace triscope
