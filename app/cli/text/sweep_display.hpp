// What a running sweep shows: a progress bar on a terminal, plain lines elsewhere, JSON lines for machines.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

#include "profiler/plan/progress.hpp"
#include "profiler/sweep/sweep.hpp"

namespace triscope {

/// "[######......] 5/14, 0:42 left, cpu.fast forward 512x32, block 9", at most `width` characters.
std::string progress_bar(const Progress& progress, std::size_t width);

/// What the interval of a measurement with several restarts stands on: these alone, or those of all rows of its sweep,
/// which are pooled when the last of them was measured. Only the second stays.
enum class IntervalOf { its_restarts, sweep };

/// One measurement in one line: what, latency with its interval ("so far": it will be another), TFLOP/s, or why there
/// is none.
std::string result_line(const Measurement& measurement, IntervalOf interval = IntervalOf::sweep);

/// The objects of `--json`, one a line: type "progress", "result", "log", "summary" (docs/command-line.md).
std::string progress_json(const Progress& progress);
std::string result_json(const Measurement& measurement, std::int64_t row, IntervalOf interval = IntervalOf::sweep);
std::string log_json(const std::string& text);
std::string summary_json(const SweepOutcome& outcome, const std::string& database);

/// Prints a sweep as it goes. Results go to stdout, the bar and remarks to stderr.
class SweepDisplay {
 public:
  enum class Mode { bar, plain, json };
  explicit SweepDisplay(bool json);
  ~SweepDisplay();

  SweepObserver observer();
  /// Shows once more, as `database` has them now, the measurements of which an interval was shown that did not stay.
  void settle(const std::filesystem::path& database);
  /// Removes the bar from the screen.
  void clear();
  Mode mode() const { return mode_; }

 private:
  void show(const Progress& progress);
  void show(const Measurement& measurement, std::int64_t row);
  void write(const Measurement& measurement, std::int64_t row, IntervalOf interval, const std::string& before);
  void log(const std::string& text);

  Mode mode_;
  Progress latest_;
  bool bar_on_screen_ = false;
  std::set<std::int64_t> so_far_;  ///< rows shown with an interval that does not stay
  std::chrono::steady_clock::time_point last_shown_{};
};

}  // namespace triscope
