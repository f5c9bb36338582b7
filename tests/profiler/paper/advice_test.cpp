#include "profiler/paper/layers/advice.hpp"

#include <gmock/gmock.h>

#include <functional>

#include "kernels/attention/flops.hpp"
#include "kernels/base/error.hpp"

namespace triscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

ResultRow row(const char* kernel, Form form, std::int64_t seq_len, Windows windows, Pass pass, double ms) {
  ResultRow row;
  row.kernel = kernel;
  row.pass = pass;
  row.problem.form = form;
  row.problem.seq_len = seq_len;
  row.problem.q_heads = 8;
  row.problem.kv_heads = 1;
  row.problem.head_dim = 64;
  row.problem.window1 = windows.window1;
  row.problem.window2 = windows.window2;
  row.card.kind = form == Form::dot_product ? KernelKind::dot_product : KernelKind::simplicial;
  row.median_ms = ms;
  row.ci_low_ms = 0.99 * ms;
  row.ci_high_ms = 1.01 * ms;
  row.sweep = 1;
  return row;
}

AdviceRequest request_at(std::int64_t seq_len, std::vector<Pass> passes) {
  AdviceRequest request;
  request.layer.seq_len = seq_len;
  request.layer.q_heads = 8;
  request.layer.head_dim = 64;
  request.passes = std::move(passes);
  return request;
}

std::vector<ResultRow> measured() {
  return {row("k", Form::trilinear, 16384, {128, 32}, Pass::forward, 3),
          row("k", Form::trilinear, 16384, {512, 32}, Pass::forward, 9),
          row("slow", Form::trilinear, 16384, {512, 32}, Pass::forward, 90),
          row("k", Form::trilinear, 16384, {512, 64}, Pass::forward, 17),
          row("baseline.fa3", Form::dot_product, 16384, {16384, 1}, Pass::forward, 7.5)};
}

/// Two kernels whose times go by their triples, the windows at six lengths.
std::vector<ResultRow> by_triples() {
  std::vector<ResultRow> rows;
  for (const std::int64_t seq_len : {1024, 2048, 4096, 8192, 16384, 32768}) {
    for (const Windows& windows : {Windows{128, 32}, Windows{256, 32}, Windows{512, 32}, Windows{1024, 32}}) {
      for (const Pass pass : {Pass::forward, Pass::backward}) {
        ResultRow one = row("k", Form::trilinear, seq_len, windows, pass, 1);
        const double ms = triple_count(one.problem) / (1 << 20) * (pass == Pass::forward ? 1 : 4);
        // No fit is perfect.
        rows.push_back(row("k", Form::trilinear, seq_len, windows, pass, ms * (1 + 0.002 * (rows.size() * 7 % 5))));
      }
    }
  }
  for (std::int64_t seq_len = 512; seq_len <= 262'144; seq_len *= 2) {
    for (const Pass pass : {Pass::forward, Pass::backward}) {
      const ResultRow one = row("baseline.fa3", Form::dot_product, seq_len, {seq_len, 1}, pass, 1);
      const double ms = triple_count(one.problem) / (1 << 20) * (pass == Pass::forward ? 1 : 3);
      rows.push_back(row("baseline.fa3", Form::dot_product, seq_len, {seq_len, 1}, pass,
                         ms * (1 + 0.002 * (rows.size() * 7 % 5))));
    }
  }
  // In another sweep all of it was a little slower: how far sweeps scatter is known.
  const std::size_t once = rows.size();
  for (std::size_t n = 0; n < once; ++n) {
    ResultRow again = rows[n];
    again.sweep = 2;
    for (auto* time : {&again.median_ms, &again.ci_low_ms, &again.ci_high_ms}) *time = 1.003 * time->value();
    rows.push_back(again);
  }
  return rows;
}

TEST(Advice, of_measured_windows_is_what_was_measured) {
  const Advice advice = advise_windows(measured(), request_at(16384, {Pass::forward}));
  ASSERT_THAT(advice.windows, SizeIs(2));
  const WindowAdvice& best = advice.windows.front();
  EXPECT_EQ(best.windows, (Windows{512, 32}));
  EXPECT_EQ(best.time.kind, LayerBasis::measured);
  EXPECT_EQ(best.time.basis_text(), "measured, +-1.0 %");
  EXPECT_NEAR(best.ratio, 9 / 7.5, 1e-9);
  EXPECT_NEAR(best.ratios.low, 9 * 0.99 / (7.5 * 1.01), 1e-9);
  EXPECT_NEAR(best.ratios.high, 9 * 1.01 / (7.5 * 0.99), 1e-9);
  EXPECT_TRUE(best.has_number());
  EXPECT_EQ(advice.windows.back().windows.window2, 64);
  EXPECT_EQ(advice.kernels, (std::set<std::string>{"baseline.fa3", "k"}));
}

/// One estimate for one question: `triscope paper recipe` says the same of the same layer, or refuses it with the same
/// reason.
TEST(Advice, says_what_the_layer_calculator_says) {
  const std::vector<ResultRow> rows = by_triples();
  for (const std::int64_t seq_len : {4096, 12288, 65536}) {
    const AdviceRequest request = request_at(seq_len, {Pass::forward, Pass::backward});
    const Advice advice = advise_windows(rows, request);
    ASSERT_THAT(advice.windows, SizeIs(1)) << seq_len;
    LayerMixRequest layer = request.layer;
    layer.windows = advice.windows.front().windows;
    const LayerCosts costs = layer_costs(rows, layer);
    EXPECT_EQ(advice.windows.front().time.interval(), step_range(costs.simplicial)) << seq_len;
    EXPECT_EQ(advice.match.interval(), step_range(costs.global)) << seq_len;
    EXPECT_EQ(advice.windows.front().ratios, ratio_range(step_range(costs.simplicial), step_range(costs.global)));
  }
}

TEST(Advice, proposes_whole_tiles_between_measured_windows) {
  std::vector<ResultRow> rows = by_triples();
  const AdviceRequest request = request_at(16384, {Pass::forward});
  const LayerAnswer wanted = [&] {
    LayerMixRequest layer = request.layer;
    layer.windows = {768, 32};
    return simplicial_time(rows, layer, Pass::forward);
  }();
  ASSERT_TRUE(wanted.time) << wanted.reason;
  for (ResultRow& one : rows) {
    if (one.problem.form == Form::dot_product) one.median_ms = one.ci_low_ms = one.ci_high_ms = wanted.time->ms;
  }
  const Advice advice = advise_windows(rows, request);
  EXPECT_EQ(advice.windows.front().windows, (Windows{768, 32})) << "a part of a tile costs as much as all of it";
  EXPECT_EQ(advice.windows.front().time.kind, LayerBasis::estimated);
  EXPECT_THAT(advice.windows.front().time.basis, HasSubstr("estimate"));
}

TEST(Advice, names_windows_that_are_not_known_and_why) {
  std::vector<ResultRow> rows = measured();
  rows[3].ci_low_ms.reset();
  const Advice advice = advise_windows(rows, request_at(16384, {Pass::forward}));
  ASSERT_THAT(advice.windows, SizeIs(1));
  EXPECT_EQ(advice.windows.front().windows.window2, 32);
  ASSERT_THAT(advice.unknown, SizeIs(1));
  EXPECT_EQ(advice.unknown.front().windows, (Windows{512, 64}));
  EXPECT_THAT(advice.unknown.front().reason,
              HasSubstr("the forward is not known: k took 17.0 ms here, with an interval that is not known"));
}

TEST(Advice, does_not_estimate_lengths_far_from_measured_ones) {
  const std::vector<ResultRow> rows = by_triples();
  EXPECT_THAT(advise_windows(rows, request_at(131'072, {Pass::forward})).windows, SizeIs(1));
  const auto refusal = [&](std::int64_t seq_len) -> std::string {
    try {
      advise_windows(rows, request_at(seq_len, {Pass::forward}));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal(131'073), HasSubstr("no windows are known well enough: of 512x32 the forward is not known"));
  EXPECT_THAT(refusal(1023), HasSubstr("no windows are known well enough: of 512x32"))
      << "without tiles none is shorter";
}

TEST(Advice, needs_every_pass_of_both) {
  EXPECT_THROW(advise_windows(measured(), request_at(16384, {Pass::forward, Pass::backward})), Error);
  std::vector<ResultRow> rows = measured();
  rows.pop_back();
  EXPECT_THROW(advise_windows(rows, request_at(16384, {Pass::forward})), Error);
}

/// Rows that are no plain layer would make it cheaper: they do not count, as nowhere else.
TEST(Advice, goes_by_the_rows_that_count_for_a_layer) {
  const AdviceRequest request = request_at(16384, {Pass::backward});
  std::vector<ResultRow> rows{row("k", Form::trilinear, 16384, {512, 32}, Pass::backward, 9),
                              row("baseline.fa3", Form::dot_product, 16384, {16384, 1}, Pass::backward, 10)};
  const auto spoilt = [&](const std::function<void(ResultRow&)>& spoil) {
    ResultRow cheap = rows.front();
    cheap.median_ms = cheap.ci_low_ms = cheap.ci_high_ms = 1;
    spoil(cheap);
    std::vector<ResultRow> all = rows;
    all.push_back(cheap);
    return advise_windows(all, request).windows.front().time.ms;
  };
  EXPECT_EQ(spoilt([](ResultRow&) {}), 1);
  for (const std::function<void(ResultRow&)>& spoil : std::vector<std::function<void(ResultRow&)>>{
           [](ResultRow& one) { one.problem.deterministic = true; }, [](ResultRow& one) { one.problem.sink = 0.5; },
           [](ResultRow& one) { one.problem.k2_bias = 0.5; }, [](ResultRow& one) { one.problem.v2_bias = 0.5; },
           [](ResultRow& one) { one.problem.mask = Mask::full; }, [](ResultRow& one) { one.problem.batch = 2; },
           [](ResultRow& one) { one.card.kind = KernelKind::oracle; }})
    EXPECT_EQ(spoilt(spoil), 9);
  AdviceRequest named = request;
  rows.front().device = rows.back().device = "GPU";
  named.layer.device = "GPU";
  rows.push_back(row("k", Form::trilinear, 16384, {512, 32}, Pass::backward, 1));
  rows.back().device = "another GPU";
  EXPECT_EQ(advise_windows(rows, named).windows.front().time.ms, 9) << "of one device";
}

std::string refusal_of(const std::vector<ResultRow>& rows, const std::string& match) {
  AdviceRequest request = request_at(16384, {Pass::forward});
  request.layer.dot_kernel = match;
  try {
    advise_windows(rows, request);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Advice, a_match_that_is_a_mistake_is_not_to_be_measured) {
  EXPECT_THAT(refusal_of(measured(), "baseline.fa33"),
              AllOf(HasSubstr("did you mean baseline.fa3? choose from baseline.fa3"), Not(HasSubstr("sweep"))));
  EXPECT_THAT(refusal_of(measured(), "k"), AllOf(HasSubstr("k does not compute dot-product attention"),
                                                 HasSubstr("choose from baseline.fa3"), Not(HasSubstr("sweep"))));
  EXPECT_THAT(refusal_of(measured(), "baseline.cudnn"),
              AllOf(HasSubstr("choose from baseline.fa3, or measure it first: `triscope sweep"),
                    HasSubstr("--kernel baseline.cudnn")));
  std::vector<ResultRow> rows = measured();
  rows.pop_back();
  EXPECT_THAT(refusal_of(rows, "k"), HasSubstr("measure a kernel that does: `triscope sweep"));
  EXPECT_THAT(refusal_of(rows, "baseline.fa3"), HasSubstr("; measure it first: `triscope sweep"));
  AdviceRequest mistake = request_at(16384, {Pass::forward});
  mistake.layer.dot_kernel = "baseline.fa33";
  EXPECT_THROW(advice_problems(measured(), mistake), Error) << "before tiles are counted, which takes long";
}

TEST(Advice, knows_how_many_fit) {
  std::vector<ResultRow> rows = measured();
  EXPECT_EQ(how_many_fit(advise_windows(rows, request_at(16384, {Pass::forward}))), 1U) << "9 ms of 7.5";
  rows.back().ci_high_ms = 8;
  rows[1].ci_high_ms = 9.5;
  EXPECT_EQ(how_many_fit(advise_windows(rows, request_at(16384, {Pass::forward}))), 0U) << "up to 9.5 ms of 7.43";
  rows = measured();
  rows.back().median_ms = rows.back().ci_low_ms = rows.back().ci_high_ms = 1;
  EXPECT_EQ(how_many_fit(advise_windows(rows, request_at(16384, {Pass::forward}))), 0U) << "3 ms of 1";
}

}  // namespace
}  // namespace triscope
