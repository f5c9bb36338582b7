#include "profiler/store/row_fault.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

namespace triscope {
namespace {

// A skipped row holds a problem that is impossible as a whole; but each of its sizes is one.
std::string problem_fault(const Problem& problem, Status status) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 31;  // as of a valid problem
  const std::pair<std::string_view, std::int64_t> sizes[] = {
      {"batch", problem.batch},       {"seq_len", problem.seq_len},   {"q_heads", problem.q_heads},
      {"kv_heads", problem.kv_heads}, {"head_dim", problem.head_dim}, {"window1", problem.window1},
      {"window2", problem.window2}};
  for (const auto& [name, size] : sizes) {
    if (size < 1 || size > kLargest) return fmt::format("{} is {}", name, size);
  }
  const std::pair<std::string_view, double> numbers[] = {{"scale", problem.scale.value_or(0)},
                                                         {"k2_bias", problem.k2_bias},
                                                         {"v2_bias", problem.v2_bias},
                                                         {"sink", problem.sink.value_or(0)}};
  for (const auto& [name, number] : numbers) {
    if (!std::isfinite(number)) return fmt::format("{} is {}", name, number);
  }
  if (status != Status::ok) return "";
  const std::vector<std::string> reasons = validate(problem);
  return reasons.empty() ? "" : reasons.front();
}

std::string counts_fault(std::int64_t samples, std::int64_t flagged) {
  if (samples < 0) return fmt::format("samples is {}", samples);
  if (flagged < 0 || flagged > samples) return fmt::format("flagged is {}", flagged);
  return "";
}

std::string time_fault(std::string_view name, double ms) {
  return ms < 0 || ms > 1e15 ? fmt::format("{} is {}", name, ms) : "";
}

}  // namespace

std::string row_fault(const ResultRow& row) {
  if (std::string fault = problem_fault(row.problem, row.status); !fault.empty()) return fault;
  if (std::string fault = counts_fault(row.samples, row.flagged); !fault.empty()) return fault;
  if (std::string fault = time_fault("median_ms", row.median_ms.value_or(0)); !fault.empty()) return fault;
  if (row.ci_low_ms && row.ci_high_ms && *row.ci_low_ms > *row.ci_high_ms)
    return fmt::format("ci_low_ms is {}, above ci_high_ms", *row.ci_low_ms);
  return "";
}

std::string sample_fault(const Sample& sample) {
  if (sample.duration_ns < 0) return fmt::format("duration_ns of a sample is {}", sample.duration_ns);
  return sample.launches < 1 ? fmt::format("launches of a sample is {}", sample.launches) : "";
}

std::string row_fault(const Measurement& measurement) {
  const Summary& summary = measurement.summary;
  if (std::string fault = problem_fault(measurement.key.problem, measurement.status); !fault.empty()) return fault;
  if (std::string fault = counts_fault(summary.samples, summary.flagged); !fault.empty()) return fault;
  if (std::string fault = time_fault("median_ms", summary.median_ms); !fault.empty()) return fault;
  if (summary.ci_low_ms > summary.ci_high_ms)
    return fmt::format("ci_low_ms is {}, above ci_high_ms", summary.ci_low_ms);
  for (const Sample& sample : measurement.samples) {
    if (std::string fault = sample_fault(sample); !fault.empty()) return fault;
  }
  return "";
}

ResultRow unusable_row(const ResultRow& row, const std::string& fault) {
  ResultRow shown;
  shown.measurement = row.measurement;
  shown.sweep = row.sweep;
  shown.started = row.started;
  shown.device = row.device;
  shown.kernel = row.kernel.empty() ? "?" : row.kernel;
  shown.instance = row.instance;
  shown.source_hash = row.source_hash;
  shown.problem.seq_len = shown.problem.q_heads = shown.problem.head_dim = 1;
  shown.problem.window1 = shown.problem.window2 = 1;
  shown.status = Status::failed;
  shown.reason = "this row of the database cannot be used: " + fault;
  shown.card = row.card;
  return shown;
}

}  // namespace triscope
