// The noise of a comparison, from kernels that did not change: what is found, and how often what is identical is
// accused.
#include "profiler/explore/unchanged_band.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

namespace triscope {
namespace {

using testing::HasSubstr;

Comparison ratio_of(double ratio, double half = 0.002) {
  Comparison comparison;
  comparison.ratio = ratio;
  comparison.interval = {ratio * std::exp(-half), ratio * std::exp(half)};
  return comparison;
}

ResultRow labelled(const char* label) {
  ResultRow row;
  row.card.label = label;
  row.restarts = 3;
  return row;
}

UnchangedKernels kernels_of(const std::vector<double>& ratios) {
  UnchangedKernels kernels;
  for (const double ratio : ratios) kernels.add(labelled("FA3"), ratio_of(ratio));
  return kernels;
}

const std::vector<double> kRatios{0.98, 0.99, 1.0, 1.01, 1.02};

TEST(UnchangedBand, of_few_measurements_is_none) {
  EXPECT_FALSE(unchanged_band(kernels_of({1.0, 1.01, 0.99, 1.0})).has_value());
  EXPECT_THAT(band_text(kernels_of({1.0, 1.01, 0.99, 1.0})), HasSubstr("Too few to say how much they vary: 5"));
  EXPECT_EQ(band_text({}), "");
  EXPECT_TRUE(unchanged_band(kernels_of(kRatios)).has_value());
}

TEST(UnchangedBand, is_that_of_one_more_ratio) {
  const UnchangedBand band = *unchanged_band(kernels_of(kRatios));
  EXPECT_NEAR(band.middle, 1.0, 1e-3);
  // Student's t of 4 degrees at 0.995 is 4.604; the deviation of the logarithms 0.01582; sqrt(1 + 1/5).
  EXPECT_NEAR(std::log(band.factor), 4.6041 * 0.01582 * std::sqrt(1.2), 2e-4);
  EXPECT_THAT(band_text(kernels_of(kRatios)), HasSubstr("within 8.3 % of their average, 1.000, in 99 of 100 cases"));
}

TEST(UnchangedBand, judges_a_row_by_it_and_by_the_rows_own_interval_and_modes) {
  const UnchangedBand band = *unchanged_band(kernels_of(kRatios));
  ResultRow a = labelled("Hopper"), b = a;
  const auto is = [&](const Comparison& comparison) { return judge(band, comparison, a, b)->is; };
  EXPECT_EQ(is(ratio_of(1.03)), BesideUnchanged::inside);
  EXPECT_EQ(is(ratio_of(1.10)), BesideUnchanged::slower);
  EXPECT_EQ(is(ratio_of(0.90)), BesideUnchanged::faster);
  EXPECT_EQ(is(ratio_of(1.10, 0.08)), BesideUnchanged::unclear) << "its own interval is wide";
  EXPECT_THAT(judge(band, ratio_of(1.10, 0.08), a, b)->why, HasSubstr("its own interval is +-8.3 %"));
  Comparison unknown = ratio_of(1.10);
  unknown.interval = {};
  EXPECT_EQ(is(unknown), BesideUnchanged::unclear);
  EXPECT_FALSE(judge(band, Comparison{}, a, b).has_value()) << "there is no ratio";
  std::vector<Sample> slow(2), quick(2);
  for (std::size_t n = 0; n < slow.size(); ++n) {
    slow[n].restart = quick[n].restart = static_cast<std::int64_t>(n);
    slow[n].duration_ns = 1'900'000'000, quick[n].duration_ns = 1'000'000'000;
  }
  const Comparison few = compare({slow, Regime::sustained, TimingSource::cpu_clock},
                                 {quick, Regime::sustained, TimingSource::cpu_clock}, false);
  EXPECT_EQ(is(few), BesideUnchanged::unclear) << "of two blocks";
  EXPECT_EQ(judge(band, few, a, b)->why, "too few blocks to trust it");
  b.reason = modes_text({20, 24, 0.5});
  EXPECT_EQ(is(ratio_of(1.10)), BesideUnchanged::unclear) << b.reason;
  EXPECT_THAT(judge(band, ratio_of(1.10), a, b)->why, HasSubstr("B has two modes that are 20.0 % apart"));
  EXPECT_EQ(judge(band, ratio_of(1.10), a, b)->modes_of, 'B');
  EXPECT_EQ(is(ratio_of(1.30)), BesideUnchanged::slower) << "further apart than the modes";
}

TEST(UnchangedBand, says_it_in_words) {
  const UnchangedBand band = *unchanged_band(kernels_of(kRatios));
  const ResultRow row = labelled("Hopper");
  EXPECT_EQ(band_brief(*judge(band, ratio_of(1.03), row, row)), "inside, +3.0 %");
  EXPECT_EQ(band_brief({BesideUnchanged::inside, -0.0001, {}}), "inside, +0.0 %");
  EXPECT_EQ(band_sentence(band, *judge(band, ratio_of(1.03), row, row)),
            "3.0 % longer than unchanged kernels on average, inside what they vary by (8.3 %): the machine may be the "
            "reason.");
  const BandVerdict close{BesideUnchanged::slower, band.factor - 1 + 0.0001, {}};
  EXPECT_THAT(band_sentence(band, close), testing::MatchesRegex("8\\.3[0-9] % longer .*by \\(8\\.[0-9][0-9] %\\)\\."));
  BandTally tally;
  EXPECT_EQ(tally_text(band, tally), "");
  tally.add(*judge(band, ratio_of(1.03), row, row));
  tally.add(*judge(band, ratio_of(1.20), row, row));
  EXPECT_EQ(tally_text(band, tally),
            "Beside 5 unchanged measurements 1 of 2 take longer, 0 shorter; 1 inside what those vary by.");
}

TEST(UnchangedBand, what_makes_a_time_doubtful_is_marked_by_side) {
  ResultRow a = labelled("Hopper"), b = a;
  EXPECT_EQ(doubts_text(a, b), "");
  a.reason = "not converged: +-1.5 % over 3 restarts, 1.0 % was asked for";
  b.reason =
      "not converged: +-0.32 % over 3 restarts is narrow enough, but 6 blocks are too few to trust; two modes: "
      "1 ms and 2 ms (50 % of the blocks)";
  EXPECT_EQ(doubts_text(a, b), "A not converged; B two modes, few blocks");
  EXPECT_EQ(doubts_text(a, b, 'B'), "A not converged; B few blocks") << "its modes were named";
  b = a;
  EXPECT_EQ(doubts_text(a, b), "A and B not converged");
  a.reason = "its search has not converged", b.reason.clear();
  EXPECT_EQ(doubts_text(a, b), "") << "the kernel says so of its work";
  a.reason.clear(), b.restarts = 1;
  EXPECT_EQ(doubts_text(a, b), "B one process");
}

TEST(UnchangedBand, of_two_rows_with_two_modes_each_is_said_once) {
  const UnchangedBand band = *unchanged_band(kernels_of(kRatios));
  ResultRow a = labelled("Hopper"), b = a;
  a.reason = modes_text({20, 24, 0.5}), b.reason = modes_text({20, 23, 0.5});
  const BandVerdict verdict = *judge(band, ratio_of(1.10), a, b);
  EXPECT_THAT(verdict.why, HasSubstr("A has two modes"));
  EXPECT_EQ(doubts_text(a, b, verdict.modes_of), "B two modes");
  EXPECT_EQ(doubts_text(a, b), "A and B two modes");
}

/// Two devices: each kernel is faster on one by a share of its own, and every time has noise of its own.
struct TwoDevices {
  std::mt19937_64 random;
  double spread;  ///< of a kernel's own share, the deviation of its logarithm
  bool heavy;     ///< tails of Student's t with 3 degrees rather than normal ones
  double noise() {
    std::normal_distribution<double> normal;
    std::student_t_distribution<double> student(3);
    return heavy ? student(random) / std::sqrt(3.0) : normal(random);
  }
  /// Of a kernel that takes `change` times as long; the cards differ by 1 %, the row by 0.2 %.
  Comparison measured(double change) {
    constexpr double kOwn = 0.002, kCards = 0.01, kQuantile = 2.58;
    return ratio_of(change * std::exp(kCards + spread * noise() + kOwn * noise()), kQuantile * kOwn);
  }
};

struct BandRates {
  double slower = 0, faster = 0, inside = 0, unclear = 0;
};

/// Of rows that take `change` times as long, beside `count` unchanged kernels.
BandRates rates_of(std::uint64_t seed, double spread, bool heavy, int count, double change) {
  constexpr int kTrials = 1500, kRows = 4;
  TwoDevices devices{std::mt19937_64(seed), spread, heavy};
  const ResultRow row = labelled("Hopper");
  BandTally tally;
  for (int trial = 0; trial < kTrials; ++trial) {
    UnchangedKernels kernels;
    for (int n = 0; n < count; ++n) kernels.add(labelled("FA3"), devices.measured(1));
    const UnchangedBand band = *unchanged_band(kernels);
    for (int n = 0; n < kRows; ++n) tally.add(*judge(band, devices.measured(change), row, row));
  }
  const double all = kTrials * kRows;
  const auto share = [all](std::size_t number) { return static_cast<double>(number) / all; };
  const BandRates rates{share(tally.slower), share(tally.faster), share(tally.inside), share(tally.unclear)};
  std::printf("%2d unchanged, spread %.1f %%%s, %.2f: slower %.4f, faster %.4f, inside %.4f, unclear %.4f\n", count,
              100 * spread, heavy ? ", heavy tails" : "", change, rates.slower, rates.faster, rates.inside,
              rates.unclear);
  return rates;
}

TEST(UnchangedBand, accuses_what_is_identical_no_more_often_than_in_one_of_a_hundred) {
  for (const int count : {5, 12, 24}) {
    for (const double spread : {0.003, 0.01, 0.016}) {
      const BandRates rates = rates_of(7, spread, false, count, 1);
      EXPECT_LE(rates.slower + rates.faster, 0.012) << count << " unchanged, spread " << spread;
      EXPECT_LE(rates.inside, 0.999) << "nothing is ever outside";
    }
  }
  for (const int count : {5, 12, 24}) {  // what docs/method.md says of heavier tails
    const BandRates rates = rates_of(8, 0.01, true, count, 1);
    EXPECT_LE(rates.slower + rates.faster, 0.03) << count;
  }
}

TEST(UnchangedBand, finds_a_kernel_that_is_five_per_cent_slower) {
  EXPECT_GE(rates_of(9, 0.003, false, 12, 1.05).slower, 0.99);
  const BandRates rates = rates_of(9, 0.01, false, 12, 1.05);
  EXPECT_GE(rates.slower, 0.88);
  EXPECT_LE(rates.faster, 0.001);
  EXPECT_GE(rates_of(9, 0.016, false, 24, 1.08).slower, 0.9);
}

}  // namespace
}  // namespace triscope
