// Hardware counters: which ones are read, what they mean, and a summary in words. Does not call CUPTI.
// Counters come from replays of a launch in a process of their own and never provide a latency.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// `quick` takes one pass on a Hopper GPU, `standard` two: it adds what each kind of instruction did.
enum class CounterSet { none, quick, standard };
std::string_view to_string(CounterSet);
std::optional<CounterSet> parse_counter_set(std::string_view);

/// One metric as CUPTI names it, and in words.
struct CounterMetric {
  CounterSet set = CounterSet::standard;  ///< the smallest set that has it
  std::string_view name;                  ///< "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"
  std::string_view unit;                  ///< "%", "byte", "ns", "Hz", "cycle"; empty for counts
  std::string_view label;                 ///< "tensor cores busy"
  std::string_view meaning;               ///< one sentence
  std::string_view id;                    ///< as it is typed: "tensor_busy"
};
/// Every metric of the sets, in display order.
std::span<const CounterMetric> counter_metrics();
/// Names of `set`, in display order.
std::vector<std::string> metric_names(CounterSet set);
/// Null for a name that is not in the sets.
const CounterMetric* find_counter_metric(std::string_view name);

/// The value with its unit, scaled: "71.4 %", "268 MB", "1.79 GHz", "123 us", "69.2 G".
std::string counter_text(const Counter& counter);

/// One or two sentences: which unit is the fullest, and what else stands out. Empty when the counters do not say.
std::string counters_in_words(std::span<const Counter> counters);

}  // namespace triscope
