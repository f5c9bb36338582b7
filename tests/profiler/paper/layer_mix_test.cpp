// The layer calculator, also against rows of the recorded database that were kept from it.
#include "profiler/paper/layers/layer_mix.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

#include "kernels/attention/flops.hpp"
#include "kernels/base/error.hpp"
#include "profiler/paper/paper_kernel.hpp"
#include "profiler/paper/recipe.hpp"
#include "profiler/store/store.hpp"
#include "tests/paths.hpp"

namespace triscope {
namespace {

/// Sets the interval to `half`, as a part of the time, at each side.
void known_to(ResultRow& row, double half) {
  row.ci_low_ms = *row.median_ms * (1 - half);
  row.ci_high_ms = *row.median_ms * (1 + half);
}

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
  known_to(row, 0.01);
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
  EXPECT_EQ(costs.simplicial.forward.kind, LayerBasis::measured);
  EXPECT_DOUBLE_EQ(costs.simplicial.step_ms(), 13);
  EXPECT_DOUBLE_EQ(costs.global.step_ms(), 7);
  EXPECT_DOUBLE_EQ(mix_ms(costs, 32, every_nth(32, 4)), 8 * 13 + 24 * 7);
  EXPECT_DOUBLE_EQ(mix_ms(costs, 32, 0, 3), 3 * 32 * 7);
}

TEST(LayerMix, leaves_deterministic_gradients_out) {
  std::vector<ResultRow> rows = both_kinds(32'768);
  rows.push_back(row("k", Form::trilinear, 32'768, Pass::backward, 8));
  rows.back().problem.deterministic = true;
  EXPECT_DOUBLE_EQ(layer_costs(rows, {}).simplicial.step_ms(), 13);
}

TEST(LayerMix, budgets_are_met_by_the_mixes_between_two_numbers_of_layers) {
  const LayerCosts costs = layer_costs(both_kinds(32'768), {});
  const double eight = 1.01 * 272;  // the upper end of 8 of the one and 24 of the other kind
  EXPECT_EQ(mixes_within(costs, 32, eight + 1e-9).most, 8);
  EXPECT_EQ(mixes_within(costs, 32, eight - 0.1).most, 7);
  EXPECT_EQ(mixes_within(costs, 32, eight + 1e-9).fewest, 0);
  EXPECT_TRUE(mixes_within(costs, 32, 200).none());
  LayerCosts cheap = costs;
  std::swap(cheap.simplicial, cheap.global);
  EXPECT_EQ(mixes_within(cheap, 32, eight + 1e-9).fewest, 24);
  EXPECT_EQ(mixes_within(cheap, 32, eight + 1e-9).most, 32);
}

TEST(LayerMix, names_the_pass_that_was_not_measured) {
  std::vector<ResultRow> rows = both_kinds(32'768);
  rows.pop_back();
  try {
    layer_costs(rows, {});
    FAIL() << "a pass is missing";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                testing::HasSubstr(
                    "the backward of baseline.fa3 with 64/1 heads of 128 at 32768 tokens is not known well enough"));
  }
  EXPECT_THROW(layer_costs({}, {}), Error);
}

TEST(LayerMix, names_the_dot_product_kernels_that_there_are) {
  std::vector<ResultRow> rows = both_kinds(32'768);
  for (ResultRow& one : rows) {
    if (one.kernel == "baseline.fa3") one.kernel = "baseline.cpu";
  }
  const auto refusal = [&](const char* kernel) -> std::string {
    LayerMixRequest request;
    request.dot_kernel = kernel;
    try {
      layer_costs(rows, request);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal("baseline.cpu"), "");
  EXPECT_THAT(refusal("baseline.fa3"), testing::HasSubstr("name one that it has with --match: baseline.cpu"));
  EXPECT_THAT(refusal("baseline.fa3"), testing::Not(testing::HasSubstr("sweep")))
      << "without a Hopper GPU it cannot be measured";
  EXPECT_THAT(refusal("baseline.fa"), testing::HasSubstr("did you mean baseline.fa3?"));
  EXPECT_THAT(refusal("baseline.gpu"), testing::HasSubstr("did you mean baseline.cpu?"));
  EXPECT_THAT(refusal("k"), testing::HasSubstr("no row of dot-product attention by k"));
}

TEST(LayerMix, refuses_what_a_single_row_cannot_tell) {
  LayerMixRequest request;
  request.seq_len = 65'536;
  try {
    layer_costs(both_kinds(32'768), request);
    FAIL() << "one length says nothing of another";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("too few or too much alike"));
    EXPECT_THAT(error.what(), testing::HasSubstr("--seq 65536"));
  }
}

TEST(LayerMix, windows_beyond_the_measured_ones_are_refused) {
  std::vector<ResultRow> rows;
  for (const std::int64_t length : {4096, 8192, 16'384, 32'768, 65'536}) {
    std::ranges::copy(both_kinds(length), std::back_inserter(rows));
  }
  LayerMixRequest request;
  request.windows = {512, 64};
  try {
    layer_costs(rows, request);
    FAIL() << "only 512x32 was measured";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("the shorter window is 64 where 32 was measured"));
  }
}

TEST(LayerMix, measured_times_stand_as_far_as_their_intervals_know_them) {
  std::vector<ResultRow> rows = both_kinds(32'768);
  rows.erase(rows.begin() + 1);  // one kernel
  ResultRow& backward = rows[1];
  known_to(backward, 0.04);
  EXPECT_TRUE(layer_costs(rows, {}).simplicial.backward.is_number()) << "4 % to each side";
  known_to(backward, 0.08);
  const LayerTime wide = layer_costs(rows, {}).simplicial.backward;
  EXPECT_FALSE(wide.is_number()) << "8 %: the interval alone";
  EXPECT_EQ(wide.kind, LayerBasis::measured);
  EXPECT_EQ(wide.basis_text(), "measured, +-8.0 %");
  EXPECT_DOUBLE_EQ(wide.low_ms, 9.2);
  EXPECT_DOUBLE_EQ(wide.high_ms, 10.8);
  for (const double half : {0.31, 2.0}) {  // the second is unknown: it reaches below zero
    known_to(backward, half);
    try {
      layer_costs(rows, {});
      FAIL() << half << ": one row says nothing beside it";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("k took 10.0 ms here"));
      EXPECT_THAT(error.what(),
                  testing::HasSubstr(half < 1 ? "known to +-31 % only" : "an interval that is not known"));
    }
  }
}

TEST(LayerMix, says_what_windows_cost_in_both_passes_or_why_not) {
  std::vector<ResultRow> rows = both_kinds(32'768);
  EXPECT_EQ(windows_cost_text(rows, {}),
            "512x32 takes 3.00 ms forward (k, measured, +-1.0 %). It takes 10.0 ms backward (k, measured, +-1.0 %).");
  known_to(rows[2], 0.08);
  EXPECT_THAT(windows_cost_text(rows, {}), testing::HasSubstr("It takes 9.20 to 10.8 ms backward"));
  rows.erase(rows.begin() + 2);
  EXPECT_THAT(windows_cost_text(rows, {}), testing::EndsWith("Its backward is not known: it was not measured."));
  EXPECT_THAT(windows_cost_text({}, {}), testing::StartsWith("The forward of 512x32 is not known"));
}

TEST(LayerMix, between_two_lengths_the_interval_is_that_of_the_two_rows) {
  std::vector<ResultRow> rows;
  for (const std::int64_t length : {16'384, 65'536}) std::ranges::copy(both_kinds(length), std::back_inserter(rows));
  for (ResultRow& one : rows) known_to(one, one.problem.seq_len == 16'384 ? 0.02 : 0.06);
  const LayerTime time = layer_costs(rows, {}).simplicial.forward;
  EXPECT_EQ(time.kind, LayerBasis::between_lengths);
  EXPECT_DOUBLE_EQ(time.ms, 3) << "the same at both";
  EXPECT_GT(time.high_ms, 3 * 1.02);
  EXPECT_LT(time.high_ms, 3 * 1.06);
  for (ResultRow& one : rows) {
    if (one.problem.seq_len == 65'536) known_to(one, 0.9);
  }
  EXPECT_THROW(layer_costs(rows, {}), Error) << "one end is known too badly";
}

TEST(LayerMix, lengths_far_apart_tell_nothing_of_those_between) {
  const auto kind = [](std::int64_t low) {
    std::vector<ResultRow> rows;
    for (const std::int64_t length : {low, std::int64_t{65'536}})
      std::ranges::copy(both_kinds(length), std::back_inserter(rows));
    return simplicial_time(rows, {}, Pass::forward).time;
  };
  ASSERT_TRUE(kind(16'384));
  EXPECT_EQ(kind(16'384)->kind, LayerBasis::between_lengths);
  EXPECT_FALSE(kind(8192)) << "eight times as long";
}

TEST(LayerMix, the_fastest_kernel_need_not_be_measured_at_the_length) {
  std::vector<ResultRow> rows = both_kinds(32'768);
  rows.erase(rows.begin());  // only "slow" has a forward of this length: 9 ms
  for (const std::int64_t length : {16'384, 65'536}) rows.push_back(both_kinds(length).front());
  const LayerTime forward = layer_costs(rows, {}).simplicial.forward;
  EXPECT_EQ(forward.kernel, "k");
  EXPECT_EQ(forward.kind, LayerBasis::between_lengths);
  EXPECT_DOUBLE_EQ(forward.ms, 3);
  for (ResultRow& one : rows) {
    if (one.kernel == "k") known_to(one, 0.2);
  }
  rows[0].median_ms = 3.5;
  known_to(rows[0], 0.01);
  EXPECT_EQ(layer_costs({rows.begin(), rows.end()}, {}).simplicial.forward.kernel, "slow")
      << "3.5 ms for certain stands before 3 ms that may be 3.6";
}

/// "fast" was measured at other windows, where it took half as long as "k": it is estimated, though "k" was measured.
TEST(LayerMix, a_kernel_that_was_faster_elsewhere_is_estimated) {
  std::vector<ResultRow> rows;
  for (const std::int64_t length : {8192, 16'384, 32'768, 65'536}) {
    for (const Windows windows : {Windows{256, 16}, Windows{256, 32}, Windows{512, 32}, Windows{1024, 64}}) {
      ResultRow one = row("k", Form::trilinear, length, Pass::forward, 1);
      one.problem.window1 = windows.window1, one.problem.window2 = windows.window2;
      one.median_ms = 1e-9 * triple_count(one.problem);
      known_to(one, 0.01);
      rows.push_back(one);
      if (windows == Windows{512, 32}) continue;
      one.kernel = "fast";
      *one.median_ms /= 2;
      known_to(one, 0.01);
      rows.push_back(one);
    }
  }
  const LayerAnswer faster = simplicial_time(rows, {}, Pass::forward);
  ASSERT_TRUE(faster.time) << faster.reason;
  EXPECT_EQ(faster.time->kernel, "fast");
  EXPECT_EQ(faster.time->kind, LayerBasis::estimated);
  EXPECT_FALSE(problems_to_count(rows, {}).empty());
  for (ResultRow& one : rows) {
    if (one.kernel != "fast") continue;
    *one.median_ms *= 4;
    known_to(one, 0.01);
  }
  EXPECT_EQ(simplicial_time(rows, {}, Pass::forward).time->kernel, "k") << "it was slower elsewhere";
  EXPECT_TRUE(problems_to_count(rows, {}).empty());
}

/// Twice as fast since it was changed; the length between was measured before.
TEST(LayerMix, a_line_between_two_lengths_goes_by_one_version_of_the_kernel) {
  std::vector<ResultRow> rows;
  for (const std::int64_t length : {16'384, 32'768, 65'536}) {
    std::ranges::copy(both_kinds(length), std::back_inserter(rows));
  }
  for (ResultRow& one : rows) {
    const bool old = one.kernel == "k" && one.problem.seq_len == 32'768;
    one.source_hash = old ? "old" : "new";
    one.started = old ? "2026-11-23T00:00:00Z" : "2026-11-24T00:00:00Z";
    if (old) *one.median_ms *= 2, known_to(one, 0.01);
  }
  LayerMixRequest request;
  request.seq_len = 24'576;
  const LayerTime between = layer_costs(rows, request).simplicial.forward;
  EXPECT_EQ(between.basis, "between 16384 and 65536 tokens");
  EXPECT_DOUBLE_EQ(between.ms, 3);
  EXPECT_EQ(layer_costs(rows, {}).simplicial.forward.kind, LayerBasis::between_lengths) << "measured by old code only";
}

TEST(LayerMix, sums_have_the_interval_of_what_they_add) {
  LayerCosts costs = layer_costs(both_kinds(32'768), {});
  for (LayerTime* time : {&costs.simplicial.forward, &costs.global.forward, &costs.global.backward})
    time->low_ms = time->high_ms = time->ms;
  LayerTime& backward = costs.simplicial.backward;
  backward.low_ms = 9.6, backward.high_ms = 10.4;
  EXPECT_TRUE(backward.is_number()) << "4 % to each side: printed as one number";
  const MsRange range = mix_range(costs, 32, 8);
  EXPECT_DOUBLE_EQ(range.low, 8 * 12.6 + 24 * 7) << "the sum keeps the interval";
  EXPECT_DOUBLE_EQ(range.high, 8 * 13.4 + 24 * 7);
  EXPECT_EQ(mixes_within(costs, 32, range.high + 1e-9).most, 8);
  EXPECT_EQ(mixes_within(costs, 32, range.high - 0.1).most, 7) << "only what stays within it at its upper end";
  EXPECT_DOUBLE_EQ(mix_ms(costs, 32, 8), 8 * 13 + 24 * 7);
}

TEST(LayerMix, the_ratio_of_a_mix_knows_that_both_have_the_same_global_layers) {
  LayerCosts costs = layer_costs(both_kinds(32'768), {});
  const auto step = [](LayerCost& cost, double forward, double backward) {
    cost.forward.low_ms = cost.forward.high_ms = forward;
    cost.backward.low_ms = cost.backward.high_ms = backward;
  };
  const MsRange ratio = mix_ratio(costs, 32, 8);
  // By hand: the global layer at one end of its interval in both, the other kind at one of its own.
  double least = 1e9, most = 0;
  for (const double ours : {0.99 * 13, 1.01 * 13}) {
    for (const double global : {0.99 * 7, 1.01 * 7}) {
      step(costs.simplicial, ours, 0);
      step(costs.global, global, 0);
      const double one = mix_range(costs, 32, 8).low / mix_range(costs, 32, 0).low;
      least = std::min(least, one), most = std::max(most, one);
    }
  }
  EXPECT_NEAR(ratio.low, least, 1e-12);
  EXPECT_NEAR(ratio.high, most, 1e-12);
}

/// The recorded sweeps over lengths, with what one of them measured left out.
TEST(LayerMix, predicts_measured_rows_that_it_was_not_fitted_to_within_5_percent) {
  const std::vector<ResultRow> rows = Snapshot(recorded_file()).results();
  int compared = 0;
  for (const Windows windows : {Windows{512, 32}, Windows{256, 32}, Windows{1024, 16}}) {
    for (const std::int64_t length : {4096, 8192, 16'384, 32'768}) {
      LayerMixRequest request;
      request.windows = windows;
      request.seq_len = length;
      const LayerCosts measured = layer_costs(rows, request);
      ASSERT_EQ(measured.simplicial.backward.kind, LayerBasis::measured);
      ASSERT_EQ(measured.global.backward.kind, LayerBasis::measured);
      std::vector<ResultRow> others = rows;
      std::erase_if(others, [&](const ResultRow& one) { return one.problem.seq_len == length; });
      const LayerCosts predicted = layer_costs(others, request);
      EXPECT_EQ(predicted.simplicial.forward.kind, LayerBasis::between_lengths);
      EXPECT_EQ(predicted.global.forward.kind, LayerBasis::between_lengths);
      for (const std::int64_t simplicial : {0, 8, 32}) {
        const double ratio = mix_ms(predicted, 32, simplicial) / mix_ms(measured, 32, simplicial);
        EXPECT_NEAR(ratio, 1, 0.05) << windows.window1 << "x" << windows.window2 << " at " << length << " tokens, "
                                    << simplicial << " of 32 layers";
        ++compared;
      }
    }
  }
  EXPECT_EQ(compared, 36);
}

/// The sweep in which the paper's Triton kernels took turns was recorded after the calculator had been written, so
/// neither its form nor its constants knew these rows. All other rows of its length are left out too.
TEST(LayerMix, predicts_a_sweep_recorded_later_within_5_percent) {
  std::vector<ResultRow> later = Snapshot(recorded_file()).results(), others = later;
  const auto triton = std::ranges::find(later, kPaperKernel, &ResultRow::kernel);
  ASSERT_NE(triton, later.end());
  LayerMixRequest request = layer_of(*triton);
  const std::int64_t sweep = triton->sweep;
  std::erase_if(later, [&](const ResultRow& one) { return one.sweep != sweep; });
  std::erase_if(others,
                [&](const ResultRow& one) { return one.sweep == sweep || one.problem.seq_len == request.seq_len; });
  const LayerCosts measured = layer_costs(later, request), predicted = layer_costs(others, request);
  for (const auto& [time, known] : {std::pair(predicted.simplicial.forward, measured.simplicial.forward),
                                    {predicted.simplicial.backward, measured.simplicial.backward},
                                    {predicted.global.forward, measured.global.forward},
                                    {predicted.global.backward, measured.global.backward}}) {
    EXPECT_EQ(known.kind, LayerBasis::measured);
    EXPECT_NE(time.kind, LayerBasis::measured);
    EXPECT_NEAR(time.ms / known.ms, 1, 0.05) << time.kernel << ", " << time.basis;
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
