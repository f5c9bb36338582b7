// Which measurements a selection names, and which of them answer the same question.
#include "app/cli/options/selection.hpp"

#include <gmock/gmock.h>

#include "kernels/base/error.hpp"
#include "tests/app/cli/small_history.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

ResultRow row(std::int64_t id, const std::string& kernel, Windows windows = {512, 32}, Pass pass = Pass::forward) {
  ResultRow result;
  result.measurement = id;
  result.kernel = kernel;
  result.pass = pass;
  result.problem.window1 = windows.window1;
  result.problem.window2 = windows.window2;
  return result;
}

ResultRow baseline_row(std::int64_t id, Pass pass = Pass::forward) {
  ResultRow result = row(id, "baseline.cpu", {1024, 1}, pass);
  result.problem.form = Form::dot_product;
  return result;
}

TEST(Selection, reads_every_shape) {
  EXPECT_EQ(parse_selection("3").sweep, 3);
  EXPECT_TRUE(parse_selection("latest").latest);
  EXPECT_EQ(parse_selection("m12").measurement, 12);
  EXPECT_EQ(parse_selection("kernel:cpu.fast").kernel, "cpu.fast");
  EXPECT_EQ(parse_selection("kernel:cpu.fast").sweep, std::nullopt);
  EXPECT_EQ(parse_selection("kernel:cpu.fast@3").kernel, "cpu.fast");
  EXPECT_EQ(parse_selection("kernel:cpu.fast@3").sweep, 3);
  const Selection version = parse_selection("kernel:cpu.fast@2c6a73");
  EXPECT_EQ(version.kernel, "cpu.fast");
  EXPECT_EQ(version.version, "2c6a73");
  EXPECT_EQ(version.sweep, std::nullopt);
  EXPECT_EQ(parse_selection("kernel:cpu.fast@123456").sweep, 123456) << "no letter: a sweep";
}

TEST(Selection, refuses_everything_else_by_name) {
  for (const char* text : {"", "m", "mm1", "m1x", "-1", "0", "m0", "1.5", "kernel:", "kernel:@3", "kernel:a@",
                           "kernel:a@x", "new", "99999999999999999999", "m99999999999999999999"}) {
    try {
      parse_selection(text);
      ADD_FAILURE() << "accepted '" << text << "'";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage) << text;
    }
  }
}

TEST(Selection, a_filter_of_explore_is_told_what_stands_here_in_its_place) {
  try {
    parse_selection("kernel=cpu.fast@3");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean kernel:cpu.fast@3? "));
  }
}

TEST(Selection, a_hash_that_is_too_short_is_refused_as_one) {
  try {
    parse_selection("kernel:cpu.fast@2c6a");
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("at least 6 digits are needed, and '2c6a' has 4"));
    EXPECT_THAT(error.what(), HasSubstr("`triscope explore --x version --where kernel=cpu.fast`"));
  }
}

class SelectTest : public testing::Test {
 protected:
  void SetUp() override { write_small_history(file_); }
  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "synthetic.db";
};

TEST_F(SelectTest, finds_sweeps_measurements_and_kernels) {
  const Snapshot snapshot(file_);
  const std::int64_t newest = snapshot.sweeps().front().id;
  EXPECT_EQ(select(snapshot, parse_selection("latest")).size(), snapshot.results(newest).size());
  EXPECT_THAT(select(snapshot, parse_selection("1")), SizeIs(12));
  EXPECT_THAT(select(snapshot, parse_selection("m7")), SizeIs(1));
  const std::string kernel = snapshot.results(1).front().kernel;
  const auto rows = select(snapshot, parse_selection("kernel:" + kernel + "@1"));
  ASSERT_FALSE(rows.empty());
  for (const ResultRow& found : rows) {
    EXPECT_EQ(found.kernel, kernel);
    EXPECT_EQ(found.sweep, 1);
  }
  EXPECT_NE(select(snapshot, parse_selection("kernel:" + kernel)).front().sweep, 1) << "a newer sweep holds the kernel";
}

TEST_F(SelectTest, says_when_there_is_no_such_thing) {
  const Snapshot snapshot(file_);
  for (const char* text : {"999", "m999999", "kernel:none", "kernel:none@1", "kernel:none@abcdef"}) {
    EXPECT_THROW(select(snapshot, parse_selection(text)), Error) << text;
  }
}

TEST_F(SelectTest, says_which_sweeps_hold_a_kernel_and_suggests_the_nearest_name) {
  Measurement measurement = synthetic_measurement(1, 20);
  measurement.key.kernel = "cpu.rare";
  {
    Store store(file_);
    store.add(store.begin_sweep("triscope sweep", "{}", synthetic_environment(), 1), measurement);
  }
  const Snapshot snapshot(file_);
  const auto refusal = [&](const char* text) {
    try {
      select(snapshot, parse_selection(text));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("found");
  };
  EXPECT_THAT(refusal("kernel:cpu.rare@1"), HasSubstr("sweep 1 does not hold that kernel: 3 does;"));
  EXPECT_THAT(refusal("kernel:cpu.rare@9"), HasSubstr("the database has no such sweep"));
  EXPECT_THAT(refusal("kernel:cpu.raer"), HasSubstr("no sweep holds that kernel; did you mean cpu.rare? "));
  EXPECT_EQ(refusal("kernel:cpu.rare@3"), "found");
}

TEST_F(SelectTest, a_version_is_of_all_sweeps_and_one_that_is_not_there_names_those_that_are) {
  {
    Store store(file_);
    for (const char* hash : {"aaaaaa111111", "bbbbbb222222", "aaaaaa111111"}) {
      Measurement one = synthetic_measurement(1, 20);
      one.key.kernel = "cpu.changed";
      one.source_hash = hash;
      store.add(store.begin_sweep("triscope sweep", "{}", synthetic_environment(), 1), one);
    }
  }
  const Snapshot snapshot(file_);
  EXPECT_THAT(select(snapshot, parse_selection("kernel:cpu.changed@aaaaaa")), SizeIs(2));
  EXPECT_THAT(select(snapshot, parse_selection("kernel:cpu.changed@bbbbbb22")), SizeIs(1));
  try {
    select(snapshot, parse_selection("kernel:cpu.changed@cccccc"));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("it was measured as aaaaaa111111, bbbbbb222222"));
  }
}

TEST(PairRows, matches_two_sweeps_configuration_by_configuration) {
  const std::vector<ResultRow> a{row(1, "cpu.fast"), row(2, "cpu.fast", {256, 64}),
                                 row(3, "cpu.fast", {512, 32}, Pass::backward)};
  const std::vector<ResultRow> b{row(11, "cpu.fast", {512, 32}, Pass::backward), row(12, "cpu.fast"),
                                 row(13, "cpu.oracle")};
  const Pairing pairing = pair_rows(a, b, false);
  ASSERT_THAT(pairing.pairs, SizeIs(2));
  EXPECT_EQ(pairing.pairs[0].b.measurement, 12);
  EXPECT_EQ(pairing.pairs[1].b.measurement, 11);
  ASSERT_THAT(pairing.only_a, SizeIs(1));
  EXPECT_EQ(pairing.only_a[0].measurement, 2);
  ASSERT_THAT(pairing.only_b, SizeIs(1));
  EXPECT_EQ(pairing.only_b[0].measurement, 13);
}

TEST(PairRows, never_mixes_regimes_timing_sources_or_passes) {
  ResultRow burst = row(2, "cpu.fast"), events = row(3, "cpu.fast");
  burst.regime = Regime::burst;
  events.timing_source = TimingSource::cuda_events;
  const ResultRow backward = row(4, "cpu.fast", {512, 32}, Pass::backward);
  EXPECT_THAT(pair_rows({row(1, "cpu.fast")}, {burst, events, backward}, true).pairs, SizeIs(0));
}

TEST(PairRows, across_kernels_the_element_may_differ_and_a_baseline_needs_equal_sizes_only) {
  ResultRow other = row(2, "cuda.portable");
  other.problem.element = Element::fp32;
  EXPECT_THAT(pair_rows({row(1, "cpu.fast")}, {other}, true).pairs, SizeIs(1));
  EXPECT_THAT(pair_rows({row(1, "cpu.fast")}, {other}, false).pairs, SizeIs(0));
  EXPECT_THAT(pair_rows({row(1, "cpu.fast"), row(3, "cpu.fast", {256, 64})}, {baseline_row(2)}, true).pairs, SizeIs(2));
  ResultRow longer = baseline_row(2);
  longer.problem.seq_len *= 2;
  EXPECT_THAT(pair_rows({row(1, "cpu.fast")}, {longer}, true).pairs, SizeIs(0));
}

TEST(NewestOfEach, tells_configurations_apart_by_all_that_is_a_question) {
  std::vector<ResultRow> rows{row(1, "cpu.fast"), row(2, "cpu.fast"), row(3, "cpu.fast"), row(4, "cpu.fast")};
  rows[1].problem.scale = 0.5;
  rows[2].problem.v2_bias = -0.0;
  rows[3].problem.sink = 0;
  rows[2].started = "2026-11-24T12:00:00Z";
  const std::vector<ResultRow> kept = newest_of_each(rows);
  ASSERT_THAT(kept, SizeIs(3));
  EXPECT_EQ(kept[0].measurement, 3) << "-0 is 0";
  rows[0].kernel = "a", rows[0].instance = "b c", rows[1].kernel = "a b", rows[1].instance = "c";
  rows[1].problem.scale.reset();
  EXPECT_THAT(newest_of_each({rows[0], rows[1]}), SizeIs(2)) << "names from a file hold anything";
}

TEST(PairRows, a_baseline_that_sees_other_tokens_answers_another_question) {
  ResultRow sliding = baseline_row(2), full = baseline_row(3);
  sliding.problem.window1 = 64;
  full.problem.mask = Mask::full;
  const ResultRow ours = row(1, "cpu.fast", {64, 1});
  EXPECT_THAT(pair_rows({ours}, {sliding, full}, true).pairs, SizeIs(0));
  EXPECT_THAT(pair_rows({sliding}, {ours}, true).pairs, SizeIs(0));
  const std::vector<ResultRow> rows{sliding, full, baseline_row(4)};
  EXPECT_EQ(Partners(rows, true).best_of(ours), 2U) << "the causal one, beside which it takes turns";
  EXPECT_THAT(pair_rows({sliding}, {sliding}, true).pairs, SizeIs(1)) << "the same question";
  ResultRow full_ours = ours;
  full_ours.problem.mask = Mask::full;
  EXPECT_EQ(Partners(rows, true).best_of(full_ours), 1U);
}

TEST(Partners, best_is_of_the_sweep_then_of_the_element_then_the_newest) {
  const std::vector<ResultRow> rows{row(1, "cpu.fast", {256, 64}), baseline_row(2), row(3, "cpu.fast"), baseline_row(4),
                                    row(5, "cpu.fast")};
  const Partners across(rows, true), same(rows, false);
  EXPECT_EQ(across.of(row(9, "cuda.portable")), (std::vector<std::size_t>{1, 2, 3, 4}));
  EXPECT_EQ(across.best_of(row(9, "cuda.portable")), 4U);
  EXPECT_EQ(same.best_of(row(9, "cpu.fast")), 4U);
  EXPECT_EQ(same.best_of(row(9, "cuda.portable")), std::nullopt);
  std::vector<ResultRow> apart = rows;
  apart[3].problem.element = Element::fp32;
  apart[4].sweep = 7;
  EXPECT_EQ(Partners(apart, true).best_of(row(9, "cuda.portable")), 2U);
  apart[2].sweep = 7;
  EXPECT_EQ(Partners(apart, true).best_of(row(9, "cuda.portable")), 1U);
}

TEST(PairRows, more_pairs_than_anybody_reads_are_refused_before_they_are_made) {
  const std::vector<ResultRow> rows(1000, row(1, "cpu.fast"));
  EXPECT_THROW(pair_rows(rows, rows, false), Error);
}
}  // namespace
}  // namespace triscope
