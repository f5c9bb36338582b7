// Which of two things makes two rows differ: padding of tiles, or how busy the tensor cores are.
#include "views/model/tables/tensor_gap.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "tests/views/sweep_fixture.hpp"
#include "views/model/tables/computed_words.hpp"

namespace triscope {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

RateGap gap(double ratio) { return {ratio, {0.99 * ratio, 1.01 * ratio}, 0.005}; }

TEST(TensorGap, names_the_larger_of_the_two_causes) {
  const TensorUse b{0.80, 0.90};
  EXPECT_EQ(tensor_gap_words({0.79, 0.60}, b, gap(0.66)),
            "The tensor cores run at 79 % of their rate in A and 80 % in B; of what they compute 60.0 % and 90.0 % is "
            "useful work. So the difference in TFLOP/s is mostly padding of tiles.");
  EXPECT_THAT(tensor_gap_words({0.50, 0.89}, b, gap(0.62)), EndsWith("is mostly how busy they are."));
  EXPECT_THAT(tensor_gap_words({0.60, 0.68}, b, gap(0.57)),
              EndsWith("is both, padding of tiles and how busy they are."));
  EXPECT_THAT(tensor_gap_words({0.60, 0.95}, {0.80, 0.50}, gap(1.42)), EndsWith("is mostly padding of tiles."))
      << "although A's are less busy";
}

TEST(TensorGap, says_nothing_of_shares_that_are_none) {
  const TensorUse b{0.80, 0.90};
  for (const double bad : {0.0, -0.1, 1.2, kNaN}) {
    EXPECT_EQ(tensor_gap_words({bad, 0.60}, b, gap(0.66)), "") << bad;
    EXPECT_EQ(tensor_gap_words({0.79, bad}, b, gap(0.66)), "") << bad;
    EXPECT_EQ(tensor_gap_words(b, {bad, 0.60}, gap(1.5)), "") << bad;
    EXPECT_EQ(tensor_gap_words(b, {0.79, bad}, gap(1.5)), "") << bad;
  }
}

TEST(TensorGap, says_nothing_where_the_interval_shows_no_difference) {
  const TensorUse a{0.79, 0.60}, b{0.80, 0.90};
  EXPECT_NE(tensor_gap_words(a, b, {0.66, {0.60, 0.99}, 0.005}), "");
  EXPECT_EQ(tensor_gap_words(a, b, {0.66, {0.60, 0.996}, 0.005}), "") << "within what counts as the same";
  EXPECT_EQ(tensor_gap_words(a, b, {0.66, {0.50, 1.2}, 0.005}), "");
  EXPECT_EQ(tensor_gap_words(a, b, {0.66, {0, 0.9}, 0.005}), "");
  EXPECT_EQ(tensor_gap_words(a, b, {0.66, {kNaN, kNaN}, 0.005}), "");
  EXPECT_EQ(tensor_gap_words(a, b, {kNaN, {0.6, 0.7}, 0.005}), "");
  EXPECT_EQ(tensor_gap_words(b, b, {1, {0.99, 1.01}, 0.005}), "") << "equal rows";
}

TEST(TensorGap, says_nothing_where_something_else_makes_most_of_the_difference) {
  EXPECT_EQ(tensor_gap_words({0.80, 0.90}, {0.80, 0.90}, gap(0.7)), "");
  EXPECT_EQ(tensor_gap_words({0.79, 0.88}, {0.80, 0.90}, gap(0.7)), "");
  EXPECT_EQ(tensor_gap_words({0.80, 0.60}, {0.80, 0.90}, gap(1.5)), "") << "it goes the other way";
}

/// 128 x 128 is selected, 256 x 64 stands beside it, both with counters and counted tiles.
struct TwoCounted {
  WindowData data;
  SelectedMeasurement a, b;
  Comparison time;

  TwoCounted() {
    const auto fill = [](SelectedMeasurement& one, std::int64_t w1, std::int64_t w2, double busy) {
      one.row = fixture::row(w1, w1, w2, Pass::backward, 90, 480, "cuda.hopper");
      one.row.instance = "virtual_keys";
      one.measurement.counters = {{"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", "%", busy}};
    };
    fill(a, 128, 128, 70);
    fill(b, 256, 64, 70);
    const auto counted = [](const ResultRow& row, double times) {
      TileUse use;
      use.kernel = row.kernel;
      use.instance = row.instance;
      use.pass = row.pass;
      use.useful = 1000;
      use.computed = times * use.useful;
      return CountedProblem{row.problem, {use}};
    };
    data.work.table = std::make_shared<const WorkTable>(WorkTable{counted(a.row, 1.5), counted(b.row, 1.1)});
    time.verdict = Verdict::slower;
    time.ratio = 1.39, time.interval = {1.38, 1.40}, time.same_within = 0.005;
  }
  std::string words() {
    data.selected = std::make_shared<const SelectedMeasurement>(a);
    data.beside = std::make_shared<const MeasurementBeside>(
        MeasurementBeside{std::make_shared<const SelectedMeasurement>(b), time});
    return tensor_gap_words(data);
  }
};

TEST(TensorGap, of_two_selected_rows_stands_on_what_both_have) {
  EXPECT_THAT(TwoCounted().words(), EndsWith("is mostly padding of tiles."));
  TwoCounted one_alone;
  one_alone.b.measurement.counters.clear();
  EXPECT_EQ(one_alone.words(), "");
  TwoCounted without_tiles;
  without_tiles.data.work.table = std::make_shared<const WorkTable>();
  EXPECT_EQ(without_tiles.words(), "");
  TwoCounted two_passes;
  two_passes.b.row.pass = Pass::forward;
  EXPECT_EQ(two_passes.words(), "");
}

TEST(TensorGap, of_two_selected_rows_needs_a_comparison_that_is_allowed) {
  for (const Verdict verdict : {Verdict::not_comparable, Verdict::unclear}) {
    TwoCounted two;
    two.time.verdict = verdict;
    EXPECT_EQ(two.words(), "");
  }
  TwoCounted two;
  two.time.interval = {};
  EXPECT_EQ(two.words(), "");
}

}  // namespace
}  // namespace triscope
