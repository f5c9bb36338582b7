// Rows that stay unclear are measured longer: how often does looking again, up to three times, end in a wrong verdict?
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "profiler/plan/sweep_queue.hpp"
#include "profiler/statistics/restarts.hpp"
#include "profiler/statistics/statistics.hpp"
#include "tests/profiler/statistics/simulated_restarts.hpp"

namespace triscope {
namespace {

constexpr double kTolerance = 0.005;
constexpr std::size_t kSimulatedRows = 8;
constexpr int kSweeps = 1500;

struct Shares {
  double faster = 0, slower = 0, same = 0, unclear = 0, restarts = 0;
  /// Of a true ratio within the tolerance "faster" and "slower" are wrong, of a larger one "slower" and "same".
  double wrong(double ratio) const { return ratio - 1 < kTolerance + 1e-9 ? faster + slower : slower + same; }
};

/// A sweep of `kSimulatedRows` rows, each in turns with a reference that takes `truth` (a logarithm) longer.
class SimulatedSweep {
 public:
  SimulatedSweep(double truth, double noise, std::mt19937_64& random) : truth_(truth), noise_(noise), random_(random) {
    for (std::size_t row = 0; row < kSimulatedRows; ++row) {
      for (int restart = 0; restart < 3; ++restart) measure(row);
    }
  }
  void measure(std::size_t row) {
    std::normal_distribution<double> normal;
    const double common = 3 * noise_ * normal(random_);  // the machine of that minute: both have it
    ours_[row].push_back(common + noise_ * normal(random_) / std::sqrt(2.0));
    theirs_[row].push_back(truth_ + common + noise_ * normal(random_) / std::sqrt(2.0));
  }
  std::vector<Verdict> verdicts() const {
    std::vector<std::vector<Sample>> ours, theirs;
    std::vector<RestartedRow> rows;
    for (std::size_t row = 0; row < kSimulatedRows; ++row) {
      ours.push_back(restarts_of(ours_[row]));
      theirs.push_back(restarts_of(theirs_[row]));
      rows.push_back(restarted_row(static_cast<std::int64_t>(row), ours[row]));
      rows.push_back(restarted_row(static_cast<std::int64_t>(row), theirs[row], true));
    }
    const SweepSpread spread = spread_over(rows);
    const auto input = [&](const std::vector<Sample>& samples) {
      return CompareInput{.samples = samples, .spread = spread};
    };
    std::vector<Verdict> verdicts;
    for (std::size_t row = 0; row < kSimulatedRows; ++row)
      verdicts.push_back(compare(input(ours[row]), input(theirs[row]), true, kTolerance).verdict);
    return verdicts;
  }
  std::size_t restarts(std::size_t row) const { return ours_[row].size(); }

 private:
  double truth_, noise_;
  std::mt19937_64& random_;
  std::vector<double> ours_[kSimulatedRows], theirs_[kSimulatedRows];  // logarithms of the restarts' times
};

Shares shares(double ratio, double noise, int looks) {
  std::mt19937_64 random(20261124);
  Shares result;
  for (int n = 0; n < kSweeps; ++n) {
    SimulatedSweep sweep(std::log(ratio), noise, random);
    std::vector<Verdict> verdicts = sweep.verdicts();
    for (int look = 0; look < looks; ++look) {
      for (std::size_t row = 0; row < kSimulatedRows; ++row) {
        if (verdicts[row] == Verdict::unclear) sweep.measure(row);
      }
      verdicts = sweep.verdicts();
    }
    for (std::size_t row = 0; row < kSimulatedRows; ++row) {
      (verdicts[row] == Verdict::faster   ? result.faster
       : verdicts[row] == Verdict::slower ? result.slower
       : verdicts[row] == Verdict::same   ? result.same
                                          : result.unclear) += 1;
      result.restarts += static_cast<double>(sweep.restarts(row));
    }
  }
  for (double* value : {&result.faster, &result.slower, &result.same, &result.unclear, &result.restarts})
    *value /= static_cast<double>(kSweeps) * kSimulatedRows;
  return result;
}

// The table of docs/method.md, "Unclear rows measured longer".
TEST(Looks, at_unclear_rows_keep_wrong_verdicts_rare) {
  for (const double noise : {0.002, 0.005, 0.01}) {
    for (const double ratio : {1.0, 1.003, 1.005, 1.01, 1.02}) {
      const Shares before = shares(ratio, noise, 0), after = shares(ratio, noise, kMostLooks);
      for (const auto& [name, one] : {std::pair("once", before), std::pair("looks", after)}) {
        std::printf(
            "noise %.1f %%  ratio %.3f  %-5s  faster %5.1f  slower %5.1f  same %5.1f  unclear %5.1f  %.2f restarts\n",
            100 * noise, ratio, name, 100 * one.faster, 100 * one.slower, 100 * one.same, 100 * one.unclear,
            one.restarts);
      }
      // At 1.005 the truth lies on the border between two verdicts, which is where most are wrong.
      const double most = ratio == 1.005 ? 0.06 : ratio == 1.003 ? 0.02 : 0.01;
      EXPECT_LE(after.wrong(ratio), most) << noise << " " << ratio;
      EXPECT_LT(after.unclear, before.unclear + 0.01) << noise << " " << ratio;
    }
  }
}

}  // namespace
}  // namespace triscope
