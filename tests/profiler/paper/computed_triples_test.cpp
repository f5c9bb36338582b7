// What the tiles of a row compute beside its useful work: by the instance that ran, or not at all, with the reason.
#include "profiler/paper/computed_triples.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/registry/registry.hpp"
#include "profiler/store/store.hpp"
#include "tests/paths.hpp"
#include "tests/profiler/record/kernel_cards.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;

ResultRow row_of(const std::string& kernel, const std::string& instance, Pass pass = Pass::backward) {
  ResultRow row;
  row.measurement = 7;
  row.kernel = kernel;
  row.card = card_of(kernel);
  row.instance = instance;
  row.pass = pass;
  row.timing_source = TimingSource::cupti;
  row.problem.window1 = row.problem.window2 = 128;
  return row;
}

TileUse use_of(const std::string& kernel, const std::string& instance, Pass pass, double computed) {
  TileUse use;
  use.kernel = kernel;
  use.instance = instance;
  use.pass = pass;
  use.computed = computed;
  use.useful = 100;
  return use;
}

const std::vector<TileUse> kUses{
    use_of("cuda.hopper", "pairs", Pass::forward, 101), use_of("cuda.hopper", "virtual_keys", Pass::backward, 123),
    use_of("cuda.hopper", "virtual_queries", Pass::backward, 202),
    use_of("cuda.hopper", "portable", Pass::backward, 100), use_of("cuda.hopper", "portable", Pass::backward, 149)};

TEST(ComputedTriples, are_those_of_the_instance_and_pass_that_ran) {
  EXPECT_EQ(computed_triples(row_of("cuda.hopper", "virtual_keys"), kUses).per_useful, 1.23);
  EXPECT_EQ(computed_triples(row_of("cuda.hopper", "virtual_queries"), kUses).per_useful, 2.02);
  EXPECT_EQ(computed_triples(row_of("cuda.hopper", "pairs", Pass::forward), kUses).per_useful, 1.01);
}

TEST(ComputedTriples, are_not_known_without_the_tiles_of_that_launch) {
  const auto why = [](const ResultRow& row, const std::vector<TileUse>& uses = kUses) {
    const ComputedTriples computed = computed_triples(row, uses);
    EXPECT_FALSE(computed.per_useful) << row.kernel << " " << row.instance;
    return computed.unknown;
  };
  EXPECT_THAT(why(row_of("cuda.hopper", "pairs")), HasSubstr("instance pairs")) << "it is of the other pass";
  EXPECT_THAT(why(row_of("cuda.hopper", "portable")), HasSubstr("several kernels"));
  EXPECT_THAT(why(row_of("cuda.hopper", "virtual_keys"), {}), HasSubstr("this build counts none"));
  for (const char* other : {"cuda.portable", "cpu.fast", "baseline.fa3"})
    EXPECT_THAT(why(row_of(other, "default")), HasSubstr("only those of cuda.hopper")) << other;
}

/// The hardware counters of the recording know nothing of what this build counts.
TEST(ComputedTriples, agree_with_the_instructions_that_were_counted_on_an_h200) {
  if (registered_tile_uses({}, {}).empty()) GTEST_SKIP() << "a build without CUDA knows no tiles";
  const Snapshot snapshot(recorded_file("h200.db"));
  const auto instructions = snapshot.counter_values("sm__inst_executed_pipe_tensor_op_gmma.sum");
  int forward = 0, backward = 0;
  for (const ResultRow& row : snapshot.results()) {
    const auto counted = instructions.find(row.measurement);
    if (counted == instructions.end() || row.kernel != "cuda.hopper") continue;
    const std::vector<TileUse> uses = registered_tile_uses(row.problem, {});
    const ComputedTriples computed = computed_triples(row, uses);
    ASSERT_TRUE(computed.per_useful) << computed.unknown;
    const double each = counted->second / (*computed.per_useful * uses.front().useful);
    const std::string what = fmt::format("{}x{}", row.problem.window1, row.problem.window2);
    if (row.pass == Pass::forward) {
      EXPECT_NEAR(128 * each, 1, 1e-9) << what;
      ++forward;
    } else {
      EXPECT_NEAR(32 * each, 1, 0.02) << what << ", with what each work item computes beside its tiles";
      ++backward;
    }
  }
  EXPECT_GE(forward, 7);
  EXPECT_GE(backward, 7);
}

}  // namespace
}  // namespace triscope
