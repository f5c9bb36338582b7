// The layer calculator, also against rows of the recorded database that were kept from it.
#include "profiler/paper/layer_mix.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "kernels/base/error.hpp"
#include "profiler/paper/recipe.hpp"
#include "profiler/store/store.hpp"

namespace triscope {
namespace {

ResultRow row(const char* kernel, Form form, std::int64_t seq_len, Pass pass, double ms) {
  ResultRow row;
  row.kernel = kernel;
  row.pass = pass;
  row.status = Status::ok;
  row.problem.form = form;
  row.problem.seq_len = seq_len;
  row.problem.q_heads = 64;
  row.problem.head_dim = 128;
  row.problem.window1 = form == Form::dot_product ? seq_len : 512;
  row.problem.window2 = form == Form::dot_product ? 1 : 32;
  row.card.kind = form == Form::dot_product ? KernelKind::dot_product : KernelKind::simplicial;
  row.median_ms = ms;
  return row;
}

std::vector<ResultRow> both_kinds(std::int64_t seq_len) {
  return {row("k", Form::trilinear, seq_len, Pass::forward, 3), row("slow", Form::trilinear, seq_len, Pass::forward, 9),
          row("k", Form::trilinear, seq_len, Pass::backward, 10),
          row("baseline.fa3", Form::dot_product, seq_len, Pass::forward, 2),
          row("baseline.fa3", Form::dot_product, seq_len, Pass::backward, 5)};
}

TEST(LayerMix, adds_layers_of_both_kinds_and_both_passes) {
  const LayerCosts costs = layer_costs(both_kinds(32'768), {});
  EXPECT_EQ(costs.simplicial.forward.kernel, "k");
  EXPECT_TRUE(costs.simplicial.forward.measured);
  EXPECT_DOUBLE_EQ(costs.simplicial.step_ms(), 13);
  EXPECT_DOUBLE_EQ(costs.global.step_ms(), 7);
  EXPECT_DOUBLE_EQ(mix_ms(costs, 32, every_nth(32, 4)), 8 * 13 + 24 * 7);
  EXPECT_DOUBLE_EQ(mix_ms(costs, 32, 0, 3), 3 * 32 * 7);
}

TEST(LayerMix, budgets_are_met_by_the_mixes_between_two_numbers_of_layers) {
  const LayerCosts costs = layer_costs(both_kinds(32'768), {});
  EXPECT_EQ(mixes_within(costs, 32, 272).most, 8);
  EXPECT_EQ(mixes_within(costs, 32, 271.9).most, 7);
  EXPECT_EQ(mixes_within(costs, 32, 272).fewest, 0);
  EXPECT_TRUE(mixes_within(costs, 32, 200).none());
  LayerCosts cheap = costs;
  std::swap(cheap.simplicial, cheap.global);
  EXPECT_EQ(mixes_within(cheap, 32, 272).fewest, 24);
  EXPECT_EQ(mixes_within(cheap, 32, 272).most, 32);
}

TEST(LayerMix, names_the_pass_that_was_not_measured) {
  std::vector<ResultRow> rows = both_kinds(32'768);
  rows.pop_back();
  try {
    layer_costs(rows, {});
    FAIL() << "a pass is missing";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("the backward of baseline.fa3 was not measured"));
  }
  EXPECT_THROW(layer_costs({}, {}), Error);
}

TEST(LayerMix, beyond_the_measured_lengths_time_grows_with_the_triples) {
  LayerMixRequest request;
  request.seq_len = 65'536;
  const LayerCosts costs = layer_costs(both_kinds(32'768), request);
  EXPECT_EQ(costs.global.forward.basis, "scaled from 32768 tokens");
  EXPECT_NEAR(costs.global.forward.ms, 8, 0.01) << "twice as many tokens, four times as many pairs";
  EXPECT_NEAR(costs.simplicial.forward.ms, 6, 0.05);
  EXPECT_FALSE(costs.global.forward.measured);
}

/// The recorded sweeps over lengths, with what one of them measured left out.
TEST(LayerMix, predicts_measured_rows_that_it_was_not_fitted_to_within_5_percent) {
  const std::vector<ResultRow> rows = Snapshot(TRISCOPE_RECORDED_DATABASE).results();
  int compared = 0;
  for (const Windows windows : {Windows{512, 32}, Windows{256, 32}, Windows{1024, 16}}) {
    for (const std::int64_t length : {2048, 4096, 8192, 16'384, 32'768, 65'536}) {
      LayerMixRequest request;
      request.windows = windows;
      request.seq_len = length;
      const LayerCosts measured = layer_costs(rows, request);
      ASSERT_TRUE(measured.simplicial.backward.measured && measured.global.backward.measured);
      std::vector<ResultRow> others = rows;
      std::erase_if(others, [&](const ResultRow& one) { return one.problem.seq_len == length; });
      const LayerCosts predicted = layer_costs(others, request);
      EXPECT_FALSE(predicted.simplicial.forward.measured || predicted.global.forward.measured);
      for (const std::int64_t simplicial : {0, 8, 32}) {
        const double ratio = mix_ms(predicted, 32, simplicial) / mix_ms(measured, 32, simplicial);
        EXPECT_NEAR(ratio, 1, 0.05) << windows.window1 << "x" << windows.window2 << " at " << length << " tokens, "
                                    << simplicial << " of 32 layers";
        ++compared;
      }
    }
  }
  EXPECT_EQ(compared, 54);
}

/// One layer as the calculator says it and as it was measured, in percent.
double miss_percent(const LayerTime& predicted, const LayerTime& measured) {
  EXPECT_TRUE(measured.measured);
  EXPECT_FALSE(predicted.measured);
  return 100 * (predicted.ms / measured.ms - 1);
}

struct Miss {
  std::string what;
  double forward = 0, backward = 0;  ///< NaN: the pass was not measured
};

std::vector<ResultRow> recorded(const char* name) {
  return Snapshot(std::filesystem::path(TRISCOPE_RECORDED_DATABASE).parent_path() / name).results();
}

/// Each pair of windows at 32k tokens from the others, both passes of cuda.hopper.
std::vector<Miss> misses_of_windows(const std::vector<ResultRow>& rows) {
  std::vector<Miss> misses;
  for (const Windows windows : {Windows{1024, 32}, Windows{512, 64}, Windows{128, 128}, Windows{256, 64},
                                Windows{512, 32}, Windows{1024, 16}, Windows{256, 32}}) {
    LayerMixRequest request;
    request.windows = windows;
    std::vector<ResultRow> ours = rows, others;
    std::erase_if(ours, [](const ResultRow& one) {
      return one.kernel != "cuda.hopper" && one.card.kind == KernelKind::simplicial;
    });
    std::erase_if(ours, [](const ResultRow& one) { return one.problem.seq_len != 32'768; });
    std::ranges::copy_if(ours, std::back_inserter(others), [&](const ResultRow& one) {
      return Windows{one.problem.window1, one.problem.window2} != windows;
    });
    const LayerCosts measured = layer_costs(ours, request), predicted = layer_costs(others, request);
    EXPECT_EQ(predicted.simplicial.backward.kernel, "cuda.hopper");
    misses.push_back({std::to_string(windows.window1) + "x" + std::to_string(windows.window2),
                      miss_percent(predicted.simplicial.forward, measured.simplicial.forward),
                      miss_percent(predicted.simplicial.backward, measured.simplicial.backward)});
  }
  return misses;
}

/// Every miss as found; those beyond 5 % stand in the lists below, each with its reason.
void expect_misses(const std::vector<Miss>& misses, const std::map<std::string, double>& forward,
                   const std::map<std::string, double>& backward) {
  for (const Miss& one : misses) {
    const auto expect = [&](double percent, const std::map<std::string, double>& beyond, const char* pass) {
      const auto listed = beyond.find(one.what);
      if (listed == beyond.end()) {
        EXPECT_LT(std::abs(percent), 5) << one.what << " " << pass;
      } else {
        EXPECT_NEAR(percent, listed->second, 0.15) << one.what << " " << pass;
        EXPECT_GE(std::abs(listed->second), 5) << "within 5 %: take it off the list";
      }
    };
    expect(one.forward, forward, "forward");
    expect(one.backward, backward, "backward");
  }
}

TEST(LayerMix, predicts_windows_that_it_was_not_fitted_to) {
  // The backward's tiles: of what it computes 50 % is inside 128x128, 80 % inside 256x64, 89 % inside 512x64, 94 %
  // inside 512x32 and 97 % inside 1024x32 (`triscope paper tiling`), and the calculator knows triples only. The forward
  // of 128x128 makes 653 TFLOP/s where that of 256x64 makes 718: its short window is as long as its long one.
  // On the H200 the rows are from two sweeps, in one of which 512x32 took 4 % less than in the other.
  expect_misses(misses_of_windows(recorded("h200.db")), {{"128x128", -9.0}},
                {{"1024x32", -5.5},
                 {"512x64", 5.8},
                 {"128x128", -36.7},
                 {"256x64", -13.4},
                 {"512x32", 6.1},
                 {"1024x16", -5.8},
                 {"256x32", -7.1}});
  expect_misses(misses_of_windows(recorded("h100.db")), {{"128x128", -12.8}},
                {{"1024x32", -6.0}, {"512x64", 6.4}, {"128x128", -39.2}, {"256x64", -7.4}});
}

/// Query heads on one kv head, at 8k tokens, from the other numbers of them.
TEST(LayerMix, predicts_heads_that_it_was_not_fitted_to) {
  const std::vector<ResultRow> rows = recorded("h200.db");
  std::map<std::string, double> found;
  for (const Windows windows : {Windows{512, 32}, Windows{1024, 16}}) {
    for (const std::int64_t heads : {8, 16, 32, 64, 128}) {
      LayerMixRequest request;
      request.windows = windows;
      request.seq_len = 8192;
      request.q_heads = heads;
      std::vector<ResultRow> others = rows;
      std::erase_if(others, [&](const ResultRow& one) { return one.problem.q_heads == heads; });
      const LayerTime measured = layer_costs(rows, request).simplicial.forward;
      const LayerTime predicted = layer_costs(others, request).simplicial.forward;
      EXPECT_THAT(predicted.basis, testing::HasSubstr("heads"));
      found[fmt::format("{}x{} {}", windows.window1, windows.window2, heads)] = miss_percent(predicted, measured);
    }
  }
  // 32 heads and fewer run another instance, at 649 TFLOP/s, than 64 and more, at some 735; a line lies between.
  const std::map<std::string, double> beyond{{"512x32 32", -7.17}};
  for (const auto& [what, percent] : found) {
    const auto listed = beyond.find(what);
    EXPECT_NEAR(percent, listed == beyond.end() ? 0 : listed->second, listed == beyond.end() ? 5 : 0.15) << what;
  }
}

TEST(Recipe, says_what_the_paper_states_and_what_not) {
  int stated = 0, unknown = 0;
  for (const RecipeFact& fact : recipe()) {
    EXPECT_FALSE(fact.name.empty() || fact.value.empty() || fact.where.empty());
    ++(fact.stated ? stated : unknown);
  }
  EXPECT_GE(stated, 8);
  EXPECT_GE(unknown, 2);
}

}  // namespace
}  // namespace triscope
