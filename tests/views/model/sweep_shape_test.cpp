// The small drawing of what a sweep spans.
#include "views/model/sweep_shape.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>

#include "kernels/attention/paper.hpp"
#include "profiler/plan/request.hpp"
#include "views/model/history_model.hpp"
#include "views/model/styles/series_style.hpp"

namespace triscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using Kind = SweepShape::Kind;

SweepInfo sweep_of(const SweepRequest& request) {
  SweepInfo info;
  info.uuid = "one";
  info.request_json = to_json(request);
  return info;
}

SweepShape shape_of(const SweepRequest& request) { return sweep_shape(sweep_of(request)); }

TEST(SweepShape, several_lengths_are_stairs_by_their_logarithm) {
  SweepRequest request;
  request.seq_lens = {16384, 1024, 4096, 4096};
  const SweepShape shape = shape_of(request);
  ASSERT_EQ(shape.kind, Kind::lengths);
  ASSERT_THAT(shape.steps, SizeIs(3));
  EXPECT_FLOAT_EQ(shape.steps[2], 1);
  EXPECT_NEAR(shape.steps[1] - shape.steps[0], shape.steps[2] - shape.steps[1], 1e-6) << "four times as long each";
  EXPECT_GT(shape.steps[0], 0);
  EXPECT_EQ(shape.words, "3 lengths, 1k to 16k; forward and backward");
}

TEST(SweepShape, many_lengths_keep_their_ends) {
  SweepRequest request;
  for (std::int64_t n = 1; n <= 500; ++n) request.seq_lens.push_back(128 * n);
  const SweepShape shape = shape_of(request);
  ASSERT_THAT(shape.steps, SizeIs(SweepShape::kMostSteps));
  EXPECT_FLOAT_EQ(shape.steps.back(), 1);
  EXPECT_TRUE(std::ranges::is_sorted(shape.steps));
  EXPECT_THAT(shape.words, HasSubstr("500 lengths, 128 to "));
}

TEST(SweepShape, windows_fill_cells_of_the_rectangle_that_is_used) {
  SweepRequest request;
  request.seq_lens = {32768};
  request.windows = {{512, 32}, {256, 32}, {512, 64}};
  request.passes = {Pass::backward};
  const SweepShape shape = shape_of(request);
  ASSERT_EQ(shape.kind, Kind::windows);
  EXPECT_EQ(shape.columns, 2U);
  EXPECT_EQ(shape.rows, 2U);
  EXPECT_THAT(shape.filled, ElementsAre(true, true, false, true)) << "256 and 512 across; 32, then 64 above";
  EXPECT_EQ(shape.words, "3 pairs of windows, w1 256 to 512 across, w2 32 to 64 up; backward");
}

TEST(SweepShape, a_table_of_many_windows_has_at_most_seven_by_five_cells) {
  SweepRequest request;
  for (std::int64_t n = 1; n <= 20; ++n) request.windows.push_back({16 * n, 16 * (21 - n)});
  const SweepShape shape = shape_of(request);
  EXPECT_EQ(shape.columns, 7U);
  EXPECT_EQ(shape.rows, 5U);
  ASSERT_THAT(shape.filled, SizeIs(35));
  EXPECT_TRUE(shape.filled[6]) << "the widest w1 with the narrowest w2";
  EXPECT_TRUE(shape.filled[28]);
  EXPECT_FALSE(shape.filled[0]);
  request.windows.clear();
  EXPECT_THAT(shape_of(request).words, HasSubstr(std::to_string(paper_table1().size()) + " pairs of windows"));
}

TEST(SweepShape, dot_product_alone_is_a_line_and_a_full_mask_one_cell) {
  SweepRequest request;
  request.kernels = {"baseline.fa3"};
  EXPECT_EQ(shape_of(request).kind, Kind::line);
  request.kernels.emplace_back("cuda.hopper");
  EXPECT_EQ(shape_of(request).kind, Kind::windows);
  request.mask = Mask::full;
  EXPECT_THAT(shape_of(request).filled, ElementsAre(true));
  EXPECT_THAT(shape_of(request).words, HasSubstr("full mask"));
}

TEST(SweepShape, passes_have_the_colours_that_they_have_in_charts) {
  SweepRequest request;
  EXPECT_EQ(shape_of(request).style, kStepStyle);
  KernelCard hopper;
  hopper.colour = 0;
  for (const Pass pass : {Pass::forward, Pass::backward}) {
    request.passes = {pass};
    EXPECT_EQ(shape_of(request).style, style_of_kernel(hopper, pass));
  }
}

TEST(SweepShape, what_cannot_be_read_has_none) {
  SweepInfo info;
  for (const std::string& hostile :
       {std::string(), std::string("{"), std::string("[]"), std::string(R"({"seq_lens": "many"})"),
        std::string(R"({"windows": [[-1, 0]]})"), std::string(R"({"seq_lens": [0, -5, 1e300]})"),
        "{\"note\": \"" + std::string(100'000, 'x') + "\"}"}) {
    info.request_json = hostile;
    EXPECT_EQ(sweep_shape(info).kind, Kind::none) << hostile.substr(0, 40);
    EXPECT_THAT(sweep_shape(info).words, IsEmpty());
  }
}

TEST(SweepShape, a_request_is_read_once_until_it_is_another) {
  HistoryModel history;
  SweepInfo info = sweep_of({});
  for (int frame = 0; frame < 10; ++frame) (void)history.shape(info);
  EXPECT_EQ(history.shapes_made(), 1U);
  SweepRequest longer;
  longer.seq_lens = {1024, 2048};
  info.request_json = to_json(longer);
  EXPECT_EQ(history.shape(info).kind, Kind::lengths);
  EXPECT_EQ(history.shapes_made(), 2U);
}

}  // namespace
}  // namespace triscope
