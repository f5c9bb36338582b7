// `triscope paper lengths` and `paper table1` of rows that took turns, and of others.
#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "profiler/paper/paper_kernel.hpp"
#include "profiler/verdict/row_verdicts.hpp"
#include "tests/app/cli/expect_error.hpp"
#include "tests/app/cli/json_lines.hpp"
#include "tests/app/cli/program.hpp"
#include "tests/profiler/store/synthetic_database.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

/// cuda.hopper with 512x32 and baseline.fa3 of the same length, forward, in one sweep.
void write_length(const std::string& file, bool in_turns) {
  Store store(file);
  const std::int64_t sweep = store.begin_sweep("triscope sweep", "{}", synthetic_environment(), 2);
  for (const std::int64_t index : {4, 14}) {
    Measurement one = synthetic_measurement(index, 20);
    one.group = in_turns ? 0 : index;
    store.add(sweep, one);
  }
  store.finish_sweep(sweep);
}

TEST(PaperLengths, tell_a_ratio_of_medians_from_one_of_turns) {
  const TemporaryFolder folder;
  for (const bool in_turns : {false, true}) {
    const std::string file = (folder / (in_turns ? "turns.db" : "runs.db")).string();
    write_length(file, in_turns);
    const Snapshot stored(file);
    const Verdicts shown = compare_with_baseline(stored, stored.results(), "baseline.fa3");
    ASSERT_EQ(shown.by_measurement.size(), 1U);
    const Comparison& time = shown.by_measurement.begin()->second;
    ASSERT_EQ(time.paired, in_turns);
    ASSERT_TRUE(interval_known(time));
    const auto lines = json_lines(run_triscope({"paper", "lengths", "--db", file, "--format", "json"}));
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0]["in_turns"], in_turns);
    EXPECT_DOUBLE_EQ(lines[0]["ratio"].get<double>(), time.ratio);
    EXPECT_DOUBLE_EQ(lines[0]["ratio_low"].get<double>(), time.interval.low);
    EXPECT_DOUBLE_EQ(lines[0]["ratio_high"].get<double>(), time.interval.high);
    const ProgramResult text = run_triscope({"paper", "lengths", "--db", file});
    EXPECT_EQ(text.output.find(") *") != std::string::npos, !in_turns) << text.output;
    EXPECT_EQ(text.output.find("* not in turns: the medians") != std::string::npos, !in_turns) << text.output;
  }
}

TEST(PaperLengths, of_a_kernel_that_was_not_measured_are_refused) {
  const TemporaryFolder folder;
  const std::string file = (folder / "x.db").string();
  write_length(file, true);
  for (const char* section : {"lengths", "operator", "overview", "recipe"}) {
    expect_error(run_triscope({"paper", section, "--match", "baseline.fa4", "--db", file}), 2,
                 "--match 'baseline.fa4': the database has no row of dot-product attention by that kernel; did you "
                 "mean baseline.fa3?");
  }
  const std::string refused = run_triscope({"advise", "--seq", "16k", "--match", "no.kernel", "--db", file}).errors;
  EXPECT_THAT(refused, HasSubstr("`triscope kernels`"));
  EXPECT_EQ(refused.find("--kernel no.kernel"), std::string::npos) << "which no sweep can measure\n" << refused;
}

/// A ratio of rows of two sweeps would have an interval that holds nothing of what changed between them.
TEST(PaperLengths, of_two_sweeps_have_no_ratio) {
  const TemporaryFolder folder;
  const std::string file = (folder / "x.db").string();
  {
    Store store(file);
    for (const std::int64_t index : {4, 14}) {
      const std::int64_t sweep = store.begin_sweep("triscope sweep", "{}", synthetic_environment(), 1);
      store.add(sweep, synthetic_measurement(index, 20));
      store.finish_sweep(sweep);
    }
  }
  const auto lines = json_lines(run_triscope({"paper", "lengths", "--db", file, "--format", "json"}));
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines[0]["ratio"].is_null() && !lines[0]["windows"].is_null() && !lines[0]["dot_product"].is_null());
  EXPECT_EQ(lines[0]["in_turns"], false);
  EXPECT_THAT(run_triscope({"paper", "lengths", "--db", file}).output, HasSubstr("other sweeps"));
}

TEST(PaperTable1, tells_a_ratio_of_medians_from_one_of_turns) {
  const TemporaryFolder folder;
  for (const bool in_turns : {false, true}) {
    const std::string file = (folder / (in_turns ? "turns.db" : "runs.db")).string();
    {
      Store store(file);
      const std::int64_t sweep = store.begin_sweep("triscope sweep", "{}", synthetic_environment(), 2);
      Measurement ours = synthetic_measurement(4, 20), paper = synthetic_measurement(11, 20);
      paper.key = ours.key;
      paper.key.kernel = kPaperKernel;
      paper.group = in_turns ? ours.group : ours.group + 1;
      store.add(sweep, ours);
      store.add(sweep, paper);
      store.finish_sweep(sweep);
    }
    const Snapshot stored(file);
    const std::vector<ResultRow> rows = stored.results();
    StoredSamples samples(stored);
    const Comparison time = compare_rows(samples, rows[1], samples, rows[0]);
    ASSERT_EQ(time.paired, in_turns);
    const auto lines = json_lines(run_triscope({"paper", "table1", "--db", file, "--format", "json"}));
    const auto kernel = std::ranges::find(lines, json("paper_kernel"), [](const auto& line) { return line["type"]; });
    ASSERT_NE(kernel, lines.end());
    EXPECT_EQ((*kernel)["in_turns"], in_turns);
    EXPECT_DOUBLE_EQ((*kernel)["ratio"].get<double>(), time.ratio);
    const std::string text = run_triscope({"paper", "table1", "--db", file}).output;
    const auto star = HasSubstr(") *"), why = HasSubstr("* not in turns: the medians of two runs are compared");
    if (in_turns) {
      EXPECT_THAT(text, testing::AllOf(Not(star), Not(why)));
    } else {
      EXPECT_THAT(text, testing::AllOf(star, why));
    }
  }
}

}  // namespace
}  // namespace triscope
