#include "app/cli/text/sweep_display.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/text/configuration_json.hpp"
#include "app/cli/text/number_text.hpp"
#include "app/cli/text/terminal.hpp"
#include "kernels/attention/flops.hpp"
#include "kernels/base/text/number_of.hpp"
#include "kernels/base/text/plain_text.hpp"
#include "profiler/plan/progress.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/record/json.hpp"
#include "profiler/store/store.hpp"

namespace triscope {
namespace {

using nlohmann::json;
using std::chrono::steady_clock;

constexpr auto kBarInterval = std::chrono::milliseconds(100);
constexpr auto kJsonInterval = std::chrono::seconds(1);

std::string what(const MeasurementKey& key) {
  return fmt::format("{} {} {}, {}, {}", key.kernel, key.instance, to_string(key.pass), to_string(key.regime),
                     describe(key.problem));
}

/// "3/14, 0:42 left: " before the line of the measurement that was just done; empty before the plan is known.
std::string how_far(const Progress& progress) {
  if (progress.total == 0) return "";
  std::string text = fmt::format("{}/{}", progress.done, progress.total);
  if (progress.seconds_left) text += fmt::format(", {} left", clock_text(*progress.seconds_left));
  return text + ": ";
}

}  // namespace

std::string progress_bar(const Progress& progress, std::size_t width) {
  constexpr std::int64_t kCells = 24;
  const std::int64_t total = std::max<std::int64_t>(progress.total, 1);
  const std::int64_t filled = std::clamp<std::int64_t>(kCells * progress.done / total, 0, kCells);
  std::string line =
      fmt::format("[{}{}] {}/{}", std::string(static_cast<std::size_t>(filled), '#'),
                  std::string(static_cast<std::size_t>(kCells - filled), '.'), progress.done, progress.total);
  if (progress.seconds_left) line += fmt::format(", {} left", clock_text(*progress.seconds_left));
  if (!progress.current.empty()) line += ", " + plain_line(progress.current);
  if (line.size() > width) line.resize(width);
  return line;
}

std::string result_line(const Measurement& measurement, IntervalOf interval) {
  const MeasurementKey& key = measurement.key;
  if (measurement.status != Status::ok) {
    return fmt::format("{}: {}: {}", what(key), to_string(measurement.status), measurement.reason);
  }
  const Summary& summary = measurement.summary;
  std::string line = fmt::format("{}: {} ms, {}{}, {} TFLOP/s", what(key), milliseconds_text(summary.median_ms),
                                 spread_text(summary), interval == IntervalOf::its_restarts ? " so far" : "",
                                 significant_text(useful_flops(key.problem, key.pass) / (summary.median_ms * 1e9)));
  if (summary.flagged > 0)
    line += fmt::format(", {} of {} flagged", summary.flagged, number_of(summary.samples, "sample"));
  if (!measurement.reason.empty()) line += fmt::format(" ({})", measurement.reason);
  return line;
}

std::string progress_json(const Progress& progress) {
  return dump_line({{"type", "progress"},
                    {"done", progress.done},
                    {"total", progress.total},
                    {"seconds_left", progress.seconds_left},
                    {"current", progress.current}});
}

std::string result_json(const Measurement& measurement, std::int64_t row, IntervalOf interval) {
  const MeasurementKey& key = measurement.key;
  const Problem& problem = key.problem;
  const Summary& summary = measurement.summary;
  const bool timed = summary.samples > 0;
  const bool bounded = interval_known(summary);
  const double tflops = timed ? useful_flops(problem, key.pass) / (summary.median_ms * 1e9) : 0;
  // The power of a burst has the pauses between its launches in it.
  const bool energy_known = timed && summary.power_w && key.regime != Regime::burst;
  const double watts = summary.power_w.value_or(0);
  json object = configuration_json("result", key);
  object.update({{"measurement", row},
                 {"timing_source", to_string(key.timing_source)},
                 {"status", to_string(measurement.status)},
                 {"reason", measurement.reason},
                 {"error", measurement.error},
                 {"samples", summary.samples},
                 {"flagged", summary.flagged},
                 {"median_ms", timed ? json(summary.median_ms) : json(nullptr)},
                 {"ci_low_ms", bounded ? json(summary.ci_low_ms) : json(nullptr)},
                 {"ci_high_ms", bounded ? json(summary.ci_high_ms) : json(nullptr)},
                 {"tflops", timed ? json(tflops) : json(nullptr)},
                 {"restarts", summary.restarts},
                 {"preliminary", interval == IntervalOf::its_restarts},
                 {"power_w", summary.power_w},
                 {"sm_clock_mhz", summary.sm_clock_mhz},
                 {"joules", energy_known ? json(watts * summary.median_ms / 1000) : json(nullptr)},
                 {"joules_per_tflop", energy_known && tflops > 0 ? json(watts / tflops) : json(nullptr)},
                 {"limiter", summary.limiter}});
  return dump_line(object);
}

std::string log_json(const std::string& text) { return dump_line({{"type", "log"}, {"text", text}}); }

std::string summary_json(const SweepOutcome& outcome, const std::string& database) {
  return dump_line({{"type", "summary"},
                    {"sweep", outcome.sweep},
                    {"ok", outcome.ok},
                    {"failed", outcome.failed},
                    {"skipped", outcome.skipped},
                    {"cancelled", outcome.cancelled},
                    {"stopped", outcome.stopped},
                    {"database", database}});
}

SweepDisplay::SweepDisplay(bool json) : mode_(json ? Mode::json : (is_terminal(stderr) ? Mode::bar : Mode::plain)) {}

SweepDisplay::~SweepDisplay() { clear(); }

SweepObserver SweepDisplay::observer() {
  SweepObserver observer;
  observer.progress = [this](const Progress& progress) { show(progress); };
  observer.measured = [this](const Measurement& measurement, std::int64_t row) { show(measurement, row); };
  observer.log = [this](const std::string& text) { log(text); };
  return observer;
}

void SweepDisplay::clear() {
  if (!bar_on_screen_) return;
  write_status_line("");
  bar_on_screen_ = false;
}

void SweepDisplay::show(const Progress& progress) {
  latest_ = progress;
  if (mode_ == Mode::plain) return;  // the line of each result says how far it is
  const auto now = steady_clock::now();
  if (now - last_shown_ <
      (mode_ == Mode::bar ? steady_clock::duration(kBarInterval) : steady_clock::duration(kJsonInterval)))
    return;
  last_shown_ = now;
  if (mode_ == Mode::json) {
    write_json_line(progress_json(progress));
    std::fflush(stdout);
    return;
  }
  const std::size_t width = terminal_width(stderr, 80);
  write_status_line(progress_bar(progress, width > 1 ? width - 1 : 1));
  bar_on_screen_ = true;
}

void SweepDisplay::show(const Measurement& measurement, std::int64_t row) {
  const bool stays = measurement.status != Status::ok || measurement.summary.restarts < 2;
  if (!stays) so_far_.insert(row);
  write(measurement, row, stays ? IntervalOf::sweep : IntervalOf::its_restarts,
        mode_ == Mode::plain ? how_far(latest_) : "");
}

void SweepDisplay::settle(const std::filesystem::path& database) {
  if (so_far_.empty()) return;
  clear();
  if (mode_ != Mode::json) print_output("The intervals that stay, with what the restarts of all rows say together:\n");
  const Snapshot snapshot(database);
  for (const std::int64_t row : so_far_) {
    if (const std::optional<Measurement> now = snapshot.measurement(row)) write(*now, row, IntervalOf::sweep, "");
  }
  so_far_.clear();
}

void SweepDisplay::write(const Measurement& measurement, std::int64_t row, IntervalOf interval,
                         const std::string& before) {
  clear();
  if (mode_ == Mode::json) {
    write_json_line(result_json(measurement, row, interval));
  } else {
    print_output("{}{}\n", before, plain_line(result_line(measurement, interval)));
  }
  std::fflush(stdout);
  last_shown_ = {};
}

void SweepDisplay::log(const std::string& text) {
  clear();
  if (mode_ == Mode::json) {
    write_json_line(log_json(text));
    std::fflush(stdout);
  } else {
    print_error("{}{}", text.starts_with("triscope") ? "" : "triscope: ", text);
  }
}

}  // namespace triscope
