// What a comparison is called, wherever it stands: the table, the charts, the report and the command line say the same.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "profiler/statistics/statistics.hpp"

namespace triscope {

/// A training step beside that of dot-product attention.
struct StepVerdict {
  std::string label, short_label;  ///< of the kernel that it stands beside, which need not be that of the rows
  Comparison time;
  double rate = 0;  ///< TFLOP/s relative to its
};

/// Verdicts of rows against what they stand beside, by measurement id.
struct Verdicts {
  std::string baseline;            ///< kernel id, or the text of another reference; empty: nothing is compared
  std::string label, short_label;  ///< "FlashAttention-3", "FA3"; "row 12: 128x128 Hopper forward", "row 12"
  std::map<std::int64_t, Comparison> by_measurement{};
  std::map<std::int64_t, double> rates{};  ///< TFLOP/s relative to the baseline's
  /// Beside a kernel: its measurement that each stands beside.
  std::map<std::int64_t, std::int64_t> partners{};
  std::map<std::pair<std::int64_t, std::int64_t>, StepVerdict> steps{};  ///< by their forward and their backward
  bool of_kernel = true;                ///< else `baseline` is another reference (profiler/verdict/reference.hpp)
  std::set<std::int64_t> themselves{};  ///< of another reference: rows that are what the others stand beside
  std::string without_partner{};        ///< of another reference: why a row has none
  std::string problem{};                ///< why nothing is compared though something was chosen; empty: fine
  /// As a command line heads a column: a kernel's id, else the short label.
  const std::string& column() const { return of_kernel ? baseline : short_label; }
};

/// What is said of the step of these two measurements; null: nothing.
const StepVerdict* find_step(const Verdicts* verdicts, std::int64_t forward, std::int64_t backward);

/// What is said of it has a star: it is of the medians of two runs.
bool is_apart(const Comparison& comparison);

/// Of a time beside another: "1.31x shorter", "1.84x longer", "same", "unclear, 1.02x the time", "not comparable";
/// beside a published figure "1.02x the time".
std::string time_text(const Comparison& comparison);

/// The ends of the interval of the factor that `time_text` names, time A / time B or, of a shorter time, its inverse:
/// "1.82 to 1.86"; empty when it is not known, or says nothing as the two are not comparable.
std::string time_interval_text(const Comparison& comparison);

/// A time beside that of kernel `reference`: "1.84x longer than FA3, 1.82 to 1.86, in turns beside 25.45 ms", "the same
/// time as FA3", "unclear, 1.01x the time of FA3, 0.97 to 1.05", "not comparable with FA3"; with a star where they did
/// not take turns.
std::string time_sentence(const Comparison& comparison, const std::string& reference);

}  // namespace triscope
