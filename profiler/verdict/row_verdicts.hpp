// Verdicts on stored measurements: the one way from two rows of a database to what is said about them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "profiler/statistics/verdicts.hpp"
#include "profiler/store/store.hpp"

namespace triscope {

/// Samples for comparisons: of single measurements, or of a whole sweep in one pass where several of it are expected.
class StoredSamples {
 public:
  explicit StoredSamples(const Snapshot& snapshot) : snapshot_(snapshot) {}
  /// `of` will be asked for this row.
  void expect(const ResultRow& row) { sweeps_[row.sweep].expected.insert(row.measurement); }
  /// Throws `Error` when the measurement is gone. The reference stays valid.
  const SampleSeries& of(const ResultRow& row);
  /// As `Snapshot::spread`, read once.
  const SweepSpread& spread(std::int64_t sweep);
  /// The UUID of the GPU that measured a row; empty for a CPU, or when nobody can say. Those of a sweep are read
  /// together.
  const std::string& gpu(const ResultRow& row);
  /// The kernels that a row took turns with. Those of a sweep are read together.
  const std::set<std::string>& companions(const ResultRow& row);

 private:
  struct OfSweep {
    std::unordered_set<std::int64_t> expected;  ///< measurements
    bool whole = false;
    std::unordered_map<std::int64_t, SampleSeries> series;
    std::optional<SweepSpread> spread;
    std::optional<std::unordered_map<std::int64_t, std::string>> gpus;                  ///< by measurement
    std::optional<std::unordered_map<std::int64_t, std::set<std::string>>> companions;  ///< by measurement
  };
  const Snapshot& snapshot_;
  std::map<std::int64_t, OfSweep> sweeps_;
};

/// Compares two stored measurements, which may be of two databases; the per-block ratios are used when they were taken
/// interleaved in one sweep of one database (`of_a` and `of_b` are the same object). Rows of two GPUs are judged only
/// with `across_gpus`, and the verdict then says so.
Comparison compare_rows(StoredSamples& of_a, const ResultRow& a, StoredSamples& of_b, const ResultRow& b,
                        double tolerance = 0.005, bool across_gpus = false);

/// Says of row `a` what it is beside `b`: the time as `compare_rows`, and the rate. Both have a median.
Comparison& add_verdict(Verdicts& verdicts, StoredSamples& of_a, const ResultRow& a, StoredSamples& of_b,
                        const ResultRow& b, double tolerance);

/// The dot-product baseline that others stand beside when none is named: the one of lowest rank that was measured, or
/// else the first; empty when there is none.
std::string usual_reference(const std::vector<ResultRow>& rows);

/// Verdicts of every row that has a partner (`pair_rows`) among the rows of kernel `baseline`. "auto" is the
/// dot-product baseline among `rows`, or nothing when there is none; "none" is nothing. Throws `Error` (usage) when
/// `rows` hold no measurement of a named baseline.
Verdicts compare_with_baseline(const Snapshot& snapshot, const std::vector<ResultRow>& rows,
                               const std::string& baseline, double tolerance = 0.005);

}  // namespace triscope
