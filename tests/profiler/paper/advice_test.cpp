#include "profiler/paper/layers/advice.hpp"

#include <gmock/gmock.h>

#include <functional>

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

/// A kernel whose cost with 32 keys is 1 ms and 2 ms for each tile of 128 keys: 284x32 would cost three tiles.
std::vector<ResultRow> tiled() {
  return {row("k", Form::trilinear, 16384, {128, 32}, Pass::forward, 3),
          row("k", Form::trilinear, 16384, {512, 32}, Pass::forward, 9),
          row("slow", Form::trilinear, 16384, {512, 32}, Pass::forward, 90),
          row("k", Form::trilinear, 16384, {512, 64}, Pass::forward, 17),
          row("baseline.fa3", Form::dot_product, 16384, {16384, 1}, Pass::forward, 6.8)};
}

TEST(Advice, proposes_whole_tiles_between_measured_windows) {
  const Advice advice = advise_windows(tiled(), request_at(16384, {Pass::forward}));
  ASSERT_THAT(advice.windows, SizeIs(2));
  const WindowAdvice& best = advice.windows.front();
  EXPECT_EQ(best.windows.window1, 384) << "a part of a tile costs as much as all of it";
  EXPECT_EQ(best.windows.window2, 32);
  EXPECT_NEAR(best.ms, 7, 1e-9);
  EXPECT_FALSE(best.measured);
  EXPECT_EQ(best.basis, "between 128x32 and 512x32");
  EXPECT_TRUE(advice.windows.back().measured);
  EXPECT_EQ(advice.windows.back().windows.window2, 64);
  EXPECT_EQ(advice.kernels, (std::set<std::string>{"baseline.fa3", "k"}));
}

TEST(Advice, adds_passes_and_scales_a_length_that_was_not_measured) {
  std::vector<ResultRow> rows{row("k", Form::trilinear, 8192, {64, 16}, Pass::forward, 1),
                              row("k", Form::trilinear, 8192, {64, 16}, Pass::backward, 4),
                              row("baseline.fa3", Form::dot_product, 16384, {16384, 1}, Pass::forward, 3),
                              row("baseline.fa3", Form::dot_product, 16384, {16384, 1}, Pass::backward, 7)};
  const Advice advice = advise_windows(rows, request_at(16384, {Pass::forward, Pass::backward}));
  EXPECT_DOUBLE_EQ(advice.match_ms, 10);
  EXPECT_EQ(advice.match_basis, "measured");
  ASSERT_THAT(advice.windows, SizeIs(1));
  EXPECT_NEAR(advice.windows.front().ms, 10, 0.1) << "twice as many tokens";
  EXPECT_EQ(advice.windows.front().basis, "scaled from seq 8192");
}

TEST(Advice, does_not_scale_to_lengths_far_from_measured_ones) {
  const std::vector<ResultRow> rows = tiled();  // at 16,384 tokens
  EXPECT_THAT(advise_windows(rows, request_at(65'536, {Pass::forward})).windows, SizeIs(2));
  EXPECT_THAT(advise_windows(rows, request_at(4096, {Pass::forward})).windows, SizeIs(2));
  EXPECT_THROW(advise_windows(rows, request_at(65'537, {Pass::forward})), Error);
  EXPECT_THROW(advise_windows(rows, request_at(4095, {Pass::forward})), Error);
}

TEST(Advice, needs_every_pass_of_both) {
  EXPECT_THROW(advise_windows(tiled(), request_at(16384, {Pass::forward, Pass::backward})), Error);
  std::vector<ResultRow> rows = tiled();
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
    cheap.median_ms = 1;
    spoil(cheap);
    std::vector<ResultRow> all = rows;
    all.push_back(cheap);
    return advise_windows(all, request).windows.front().ms;
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
  EXPECT_EQ(advise_windows(rows, named).windows.front().ms, 9) << "of one device";
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
  EXPECT_THAT(refusal_of(tiled(), "baseline.fa33"),
              AllOf(HasSubstr("did you mean baseline.fa3? choose from baseline.fa3"), Not(HasSubstr("sweep"))));
  EXPECT_THAT(refusal_of(tiled(), "k"), AllOf(HasSubstr("k does not compute dot-product attention"),
                                              HasSubstr("choose from baseline.fa3"), Not(HasSubstr("sweep"))));
  EXPECT_THAT(refusal_of(tiled(), "baseline.cudnn"),
              AllOf(HasSubstr("choose from baseline.fa3, or measure it first: triscope sweep"),
                    HasSubstr("--kernel baseline.cudnn")));
  std::vector<ResultRow> rows = tiled();
  rows.pop_back();
  EXPECT_THAT(refusal_of(rows, "k"), HasSubstr("measure a kernel that does: triscope sweep"));
  EXPECT_THAT(refusal_of(rows, "baseline.fa3"), HasSubstr("; measure it first: triscope sweep"));
}

TEST(Advice, knows_how_many_fit) {
  EXPECT_GE(how_many_fit(advise_windows(tiled(), request_at(16384, {Pass::forward}))), 1U) << "7 ms of 6.8";
  std::vector<ResultRow> rows = tiled();
  rows.back().median_ms = 1;
  EXPECT_EQ(how_many_fit(advise_windows(rows, request_at(16384, {Pass::forward}))), 0U) << "3 ms of 1";
  rows.back().median_ms = 40;
  EXPECT_EQ(how_many_fit(advise_windows(rows, request_at(16384, {Pass::forward}))), 0U) << "17 ms of 40";
}

}  // namespace
}  // namespace triscope
