#include "views/model/tables/beside_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "profiler/record/columns.hpp"
#include "profiler/record/gpu_counters.hpp"

namespace triscope {

std::vector<BesideLine> beside_lines(const Measurement& a, const Measurement& b) {
  std::vector<BesideLine> lines;
  for (const Counter& counter : a.counters) {
    const CounterMetric* metric = find_counter_metric(counter.name);
    BesideLine line{metric == nullptr ? counter.name : std::string(metric->label),
                    metric == nullptr ? std::string() : fmt::format("{}\n{}", metric->meaning, metric->name),
                    counter_text(counter),
                    "-",
                    "",
                    0};
    const auto other = std::ranges::find(b.counters, counter.name, &Counter::name);
    if (other != b.counters.end()) {
      line.b = counter_text(*other);
      const double factor = counter.value / other->value;
      if (std::isfinite(factor) && factor > 0) {
        line.factor = fmt::format("{}×", significant_text(factor));
        line.apart = std::abs(std::log(factor));
      }
    }
    lines.push_back(std::move(line));
  }
  std::ranges::stable_sort(lines, std::greater(), &BesideLine::apart);
  return lines;
}

}  // namespace triscope
