// Stored measurements as a table for a terminal.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/cli/text/terminal_table.hpp"
#include "profiler/record/measurement.hpp"
#include "profiler/statistics/statistics.hpp"
#include "profiler/store/store.hpp"

namespace triscope {

/// Verdicts of rows against their baseline rows, by measurement id.
struct Verdicts {
  std::string baseline;  ///< kernel id; empty: nothing is compared
  std::map<std::int64_t, Comparison> by_measurement;
  std::map<std::int64_t, double> rates{};  ///< TFLOP/s relative to the baseline's
};

/// Samples for comparisons: of single measurements, or of a whole sweep in one pass once several of it were asked for.
class StoredSamples {
 public:
  explicit StoredSamples(const Snapshot& snapshot) : snapshot_(snapshot) {}
  /// Throws `Error` when the measurement is gone. The reference stays valid.
  const SampleSeries& of(const ResultRow& row);
  /// As `Snapshot::spread`, read once.
  const SweepSpread& spread(std::int64_t sweep);

 private:
  struct OfSweep {
    int asked = 0;
    bool whole = false;
    std::unordered_map<std::int64_t, SampleSeries> series;
    std::optional<SweepSpread> spread;
  };
  const Snapshot& snapshot_;
  std::map<std::int64_t, OfSweep> sweeps_;
};

/// Compares two stored measurements, which may be of two databases; the per-block ratios are used when they were taken
/// interleaved in one sweep of one database (`of_a` and `of_b` are the same object).
Comparison compare_rows(StoredSamples& of_a, const ResultRow& a, StoredSamples& of_b, const ResultRow& b,
                        double tolerance = 0.005);

/// Verdicts of every row that has a partner (`pair_rows`) among the rows of kernel `baseline`. "auto" is the
/// dot-product baseline among `rows`, or nothing when there is none; "none" is nothing. Throws `Error` (usage) when
/// `rows` hold no measurement of a named baseline.
Verdicts compare_with_baseline(const Snapshot& snapshot, const std::vector<ResultRow>& rows,
                               const std::string& baseline);

/// "1.31x faster", "same", "unclear 1.02x", "not comparable".
std::string verdict_text(const Comparison& comparison);

/// The same of a time beside another kernel's, whose work may be another: "1.31x shorter", "1.84x longer", "same".
std::string time_text(const Comparison& comparison);

/// "512x32"; for a dot-product baseline "causal" or "window 512"; for a matrix product "".
std::string windows_text(const Problem& problem);

/// What all `rows` share, for the line above the table: "trilinear, fp32, batch 1, seq 1024, heads 8/1, dim 128".
std::string shared_facts(const std::vector<ResultRow>& rows);

/// The table; what `shared_facts` says is left out of it. Rows of `elsewhere` are marked.
TerminalTable result_table(const std::vector<ResultRow>& rows, const Verdicts& verdicts,
                           const std::set<std::int64_t>& elsewhere = {});

/// How far the cross-check lies from the median by CUPTI, in per cent; nullopt when it agrees: inside the 95 %
/// interval, or within 1 %.
std::optional<double> cross_check_beyond(const ResultRow& row);

/// The meaning of the mark on verdicts that were not measured in turns, the rows whose cross-check does not agree, then
/// one line for each row that is not ok or carries a remark: "m12 failed: out of memory".
std::string remarks(const std::vector<ResultRow>& rows, const Verdicts& verdicts);

}  // namespace triscope
