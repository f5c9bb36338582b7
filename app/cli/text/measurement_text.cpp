#include "app/cli/text/measurement_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "app/cli/text/number_text.hpp"
#include "app/cli/text/result_table.hpp"
#include "kernels/attention/flops.hpp"
#include "kernels/base/text/number_of.hpp"
#include "kernels/base/text/text_beginning.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/record/gpu_counters.hpp"
#include "profiler/record/words/power_text.hpp"
#include "profiler/statistics/statistics.hpp"
#include "profiler/store/row_fault.hpp"

namespace triscope {
namespace {

void add(std::string& text, std::string_view name, const std::string& value) {
  if (!value.empty()) text += fmt::format("  {:<14} {}\n", name, value);
}

/// A note may have lines. Those after the first stand below it, so that none looks like a line of ours.
std::string below_each_other(std::string lines) {
  const std::string indent = fmt::format("\n  {:<14} ", "");
  for (std::size_t at = lines.find('\n'); at != std::string::npos; at = lines.find('\n', at + indent.size()))
    lines.replace(at, 1, indent);
  return lines;
}

std::string latency(const Summary& summary) {
  const std::string interval = interval_known(summary)
                                   ? fmt::format("95 % interval {} .. {}", milliseconds_text(summary.ci_low_ms),
                                                 milliseconds_text(summary.ci_high_ms))
                                   : spread_text(summary);
  return fmt::format("{} ms median, {}, quartiles {} .. {}, fastest {}", milliseconds_text(summary.median_ms), interval,
                     milliseconds_text(summary.quartile1_ms), milliseconds_text(summary.quartile3_ms),
                     milliseconds_text(summary.min_ms));
}

/// What memory must move at least, and the work on each byte of it.
std::string traffic(const MeasurementKey& key) {
  const double bytes = compulsory_bytes(key.problem, key.pass);
  return fmt::format("at least {}, {} FLOP/byte", bytes_text(bytes),
                     significant_text(useful_flops(key.problem, key.pass) / bytes));
}

std::string errors(const Measurement& measurement) {
  std::string text;
  for (const auto& [output, error] : measurement.errors) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", output, significant_text(error, 2));
  }
  return text;
}

/// "24.61 ms by cuda_events in 4 samples, 0.8 % above", or why there is none.
std::string cross_check(const CrossCheck& check, const Summary& summary, bool beyond) {
  if (!check.median_ms) return "none: " + printed_line(check.reason);
  std::string text = fmt::format("{} ms by {} in {}", milliseconds_text(*check.median_ms),
                                 to_string(check.timing_source), number_of(check.samples, "sample"));
  if (summary.median_ms > 0) {
    const double percent = 100 * (*check.median_ms / summary.median_ms - 1);
    text += fmt::format(", {} % {}", significant_text(std::abs(percent), 2), percent < 0 ? "below" : "above");
  }
  return beyond ? text + ", outside the interval (docs/method.md explains when that happens)" : text;
}

/// "host gpu7, GPU-1234, driver 580.159, CUDA 13.0": as far as it is known.
std::string machine(const Environment& environment) {
  std::string text;
  const auto note = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) text += fmt::format("{}{}{}", text.empty() ? "" : ", ", name, value);
  };
  note("host ", environment.host);
  note("", environment.device_uuid);
  note("driver ", environment.driver_version);
  note("CUDA ", environment.cuda_version);
  return text;
}

std::string flags(const std::vector<Sample>& samples) {
  std::map<std::string, std::int64_t> counts;
  for (const Sample& sample : samples) {
    if (!sample.flag.empty()) ++counts[sample.flag];
  }
  std::string text;
  for (const auto& [flag, count] : counts) text += fmt::format("{}{}x {}", text.empty() ? "" : ", ", count, flag);
  return text;
}

std::string launches(const Measurement& measurement) {
  std::string text;
  for (const LaunchRecord& launch : measurement.launches) {
    const auto& g = launch.grid;
    const auto& b = launch.block;
    const std::string duration = significant_text(static_cast<double>(launch.end_ns - launch.start_ns) / 1e3);
    if (measurement.key.timing_source == TimingSource::cpu_clock) {  // what runs on a CPU has threads alone
      text += fmt::format("  {} {} threads, {} us\n", printed_line(launch.name), g[0], duration);
      continue;
    }
    text += fmt::format("  {} grid {}x{}x{} block {}x{}x{}, {} registers, {} shared, {} us\n",
                        printed_line(launch.name), g[0], g[1], g[2], b[0], b[1], b[2], launch.registers_per_thread,
                        bytes_text(static_cast<double>(launch.static_shared_bytes + launch.dynamic_shared_bytes)),
                        duration);
  }
  return text;
}

std::string heading(const ResultRow& row, const std::string& kernel, Pass pass, const Problem& problem) {
  return fmt::format("m{} of sweep {}: {} {}, {}\n", row.measurement, row.sweep, kernel, to_string(pass),
                     describe(problem));
}

void add_rates(std::string& text, const ResultRow& row) {
  if (row.tflops) add(text, "speed", fmt::format("{} TFLOP/s", significant_text(*row.tflops)));
  if (row.tflops_paper_count)
    add(text, "paper's count", fmt::format("{} TFLOP/s", significant_text(*row.tflops_paper_count)));
  if (row.peak_fraction)
    add(text, "of peak", fmt::format("{} %, by counted cycles", significant_text(100 * *row.peak_fraction)));
}

}  // namespace

std::string measurement_text(const Measurement& measurement, const ResultRow& row, const Environment& environment,
                             const std::string& note) {
  const MeasurementKey& key = measurement.key;
  const Summary& summary = measurement.summary;
  std::string text = heading(row, key.kernel, key.pass, key.problem);
  const std::string remark = measurement.reason.empty() ? "" : ": " + printed_line(measurement.reason);
  add(text, "status", std::string(to_string(measurement.status)) + remark);
  add(text, "measured",
      fmt::format("{} on {} ({}), {}, timed by {}", row.started, row.device, key.device_id, to_string(key.regime),
                  to_string(key.timing_source)));
  add(text, "machine", machine(environment));
  add(text, "build",
      environment.git_commit.empty()
          ? ""
          : fmt::format("commit {}, version {}", environment.git_commit, environment.triscope_version));
  add(text, "instance", fmt::format("{}, source {}", key.instance, measurement.source_hash));
  if (summary.samples > 0) {
    add(text, "latency", std::isfinite(summary.median_ms) ? latency(summary) : "");
    add(text, "samples",
        fmt::format("{} in {}{}", summary.samples, number_of(summary.restarts, "restart"),
                    summary.converged ? "" : ", not converged"));
  }
  if (measurement.cross_check)
    add(text, "cross-check", cross_check(*measurement.cross_check, summary, cross_check_beyond(row).has_value()));
  add_rates(text, row);
  if (row.tflops) add(text, "traffic", traffic(key));
  add(text, "errors", errors(measurement));
  add(text, "power", power_text(row));
  if (!limited_throughout(row)) add(text, "flagged", flags(measurement.samples));
  add(text, "workspace",
      measurement.workspace_bytes > 0 ? bytes_text(static_cast<double>(measurement.workspace_bytes)) : "");
  add(text, "no counters", printed_line(measurement.counters_note));
  add(text, "note", below_each_other(note));
  if (!measurement.launches.empty()) text += "launches\n" + launches(measurement);
  if (!measurement.counters.empty()) text += "counters\n";
  if (const std::string words = counters_in_words(measurement.counters); !words.empty())
    text += fmt::format("  {}\n", words);
  for (const Counter& counter : measurement.counters) {
    const CounterMetric* metric = find_counter_metric(counter.name);
    text += fmt::format("  {:<34} {:>12}  {}\n", metric == nullptr ? counter.name : std::string(metric->label),
                        counter_text(counter), metric == nullptr ? "" : counter.name);
  }
  return text;
}

std::string unusable_measurement_text(const ResultRow& row, const std::string& why, const std::string& note) {
  const bool known = row.problem != unknown_problem();
  std::string text = known ? heading(row, row.kernel, row.pass, row.problem)
                           : fmt::format("m{} of sweep {}: {}, a problem that cannot be read\n", row.measurement,
                                         row.sweep, row.kernel);
  // A row that is failed for it says so itself.
  const std::string remark =
      row.reason.find(why) != std::string::npos
          ? row.reason
          : fmt::format("{}{}what belongs to it cannot be used: {}", row.reason, row.reason.empty() ? "" : "; ", why);
  add(text, "status", fmt::format("{}: {}", to_string(row.status), printed_line(remark)));
  add(text, "measured",
      fmt::format("{} on {}{}", row.started, row.device.empty() ? "a device that is not known" : row.device,
                  known ? fmt::format(", {}, timed by {}", to_string(row.regime), to_string(row.timing_source)) : ""));
  add(text, "instance", fmt::format("{}, source {}", row.instance, row.source_hash));
  if (row.status == Status::ok && row.median_ms) {
    const bool bounded = interval_known(row);
    add(text, "latency",
        fmt::format("{} ms median{}", milliseconds_text(*row.median_ms),
                    bounded ? fmt::format(", 95 % interval {} .. {}", milliseconds_text(*row.ci_low_ms),
                                          milliseconds_text(*row.ci_high_ms))
                            : ""));
    add_rates(text, row);
  }
  add(text, "note", below_each_other(note));
  return text;
}

}  // namespace triscope
