// What cuda.portable promises without a GPU: what it takes, what it refuses and why, and how it plans its workspace.
#include "kernels/cuda/portable/portable.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/base/error.hpp"
#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/cuda/portable/common/shape.hpp"
#include "tests/cuda/plausible_arguments.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;

std::string reason(const Problem& problem, Pass pass = Pass::forward) {
  return make_cuda_portable()->unsupported(problem, pass).value_or("");
}

std::string refusal(const Problem& problem, Pass pass, const Arguments& arguments) {
  try {
    make_cuda_portable()->launch(problem, pass, "64x64", arguments);
  } catch (const Error& error) {
    return error.what();
  }
  return "launched";
}

TEST(CudaError, a_gpu_that_this_build_has_no_code_for_is_named_as_such) {
  try {
    check_cuda(cudaErrorNoKernelImageForDevice, "kernel<<<>>>", "forward.cu", 1);
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("this build has no code for the compute capability of this GPU"));
  }
}

TEST(CudaPortable, takes_every_multiple_of_eight_up_to_128_and_any_windows) {
  Problem problem;
  for (std::int64_t dim = 8; dim <= 128; dim += 8) {
    problem.head_dim = dim;
    for (const auto& [window1, window2] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {7, 4000}, {4000, 7}}) {
      problem.window1 = window1;
      problem.window2 = window2;
      EXPECT_EQ(reason(problem), "");
      EXPECT_EQ(reason(problem, Pass::backward), "");
    }
  }
}

TEST(CudaPortable, names_what_it_does_not_support) {
  Problem problem;
  problem.element = Element::fp32;
  EXPECT_THAT(reason(problem), HasSubstr("bf16, not fp32"));
  problem = {};
  problem.mask = Mask::full;
  EXPECT_THAT(reason(problem), HasSubstr("causal windows only"));
  problem = {};
  problem.head_dim = 100;
  EXPECT_THAT(reason(problem), HasSubstr("multiple of 8, not 100"));
  problem.head_dim = 136;
  EXPECT_THAT(reason(problem), HasSubstr("up to 128, not 136"));
  problem = {};
  problem.form = Form::dot_product;
  EXPECT_THAT(reason(problem), HasSubstr("not dot_product"));
  problem = {};
  problem.seq_len = (std::int64_t{1} << 30) + 1;
  EXPECT_THAT(reason(problem), HasSubstr("seq_len up to 2^30"));
}

TEST(CudaPortable, folds_the_shorter_window_but_always_k2_when_there_is_a_bias) {
  const auto kernel = make_cuda_portable();
  Problem problem;
  problem.window1 = 512;
  problem.window2 = 32;
  EXPECT_EQ(kernel->fold(problem), Fold::query_k2);
  std::swap(problem.window1, problem.window2);
  EXPECT_EQ(kernel->fold(problem), Fold::query_k1);
  problem.k2_bias = 0.5;
  EXPECT_EQ(kernel->fold(problem), Fold::query_k2);
  problem.k2_bias = 0;
  problem.v2_bias = 0.5;
  EXPECT_EQ(kernel->fold(problem), Fold::query_k2);
  problem.v2_bias = 0;
  problem.window1 = 2 * problem.seq_len, problem.window2 = 3 * problem.seq_len;
  EXPECT_EQ(kernel->fold(problem), Fold::query_k2) << "neither is shorter than the sequence";
}

TEST(CudaPortable, backward_refuses_an_lse_made_with_another_fold) {
  Problem problem;
  Arguments arguments = plausible();
  const auto expect_refused = [&](const std::vector<Fold>& folds) {
    for (const Fold fold : folds) {
      arguments.lse_fold = fold;
      EXPECT_THAT(refusal(problem, Pass::backward, arguments),
                  HasSubstr("LSE was made with fold " + std::string(to_string(fold))));
    }
  };
  expect_refused({Fold::none, Fold::query_k1, Fold::key_pair, Fold::cross_k2, Fold::cross_k1});
  // A determinant's cross_k2 is taken (cuda_portable_check hopper), but not the other axis', and not with a bias.
  problem.form = Form::determinant;
  expect_refused({Fold::none, Fold::query_k1, Fold::key_pair, Fold::cross_k1});
  problem.k2_bias = 0.5;
  expect_refused({Fold::cross_k2, Fold::half_k2});
  problem.k2_bias = 0;
  expect_refused({Fold::half_k1});  // half_k2 is taken too
  std::swap(problem.window1, problem.window2);
  expect_refused({Fold::half_k2});
}

TEST(CudaPortable, refuses_missing_and_misaligned_tensors_by_name) {
  Problem problem;
  Arguments arguments = plausible();
  arguments.v2 = nullptr;
  EXPECT_THAT(refusal(problem, Pass::forward, arguments), HasSubstr("v2 is null"));
  EXPECT_THAT(refusal(problem, Pass::forward, plausible(4104)), HasSubstr("q is not aligned to 16 bytes"));
  arguments = plausible();
  arguments.workspace = nullptr;
  EXPECT_THAT(refusal(problem, Pass::backward, arguments), HasSubstr("workspace is null"));
  problem.sink = 1.0;
  EXPECT_THAT(refusal(problem, Pass::forward, plausible()), HasSubstr("sink is null"));
}

TEST(CudaPortable, exchanging_the_axes_flips_the_sign_of_the_determinant_only) {
  Problem problem;
  problem.window1 = 8;
  problem.window2 = 64;
  EXPECT_GT(portable::make_shape(problem).scale, 0);
  problem.form = Form::determinant;
  EXPECT_LT(portable::make_shape(problem).scale, 0);
  std::swap(problem.window1, problem.window2);
  EXPECT_GT(portable::make_shape(problem).scale, 0);
}

/// Walks every row of every row block and asks whether its short positions fit the block's slab.
void expect_slabs_hold(const Problem& problem) {
  const portable::Shape shape = portable::make_shape(problem);
  const portable::BackwardPlan plan = portable::plan_backward(shape);
  const std::int64_t block_rows = std::int64_t{plan.tiles_per_block} * portable::kTileRows;
  EXPECT_GE(plan.row_blocks * block_rows, shape.rows()) << describe(problem);
  EXPECT_LT((plan.row_blocks - 1) * block_rows, shape.rows()) << describe(problem);
  for (std::int64_t block = 0; block < plan.row_blocks; ++block) {
    const std::int64_t first_position = block * block_rows / shape.group;
    const std::int64_t last_position = (std::min((block + 1) * block_rows, shape.rows()) - 1) / shape.group;
    ASSERT_LE(last_position - (first_position - shape.short_window + 1) + 1, plan.slab_positions) << describe(problem);
  }
}

TEST(CudaPortable, a_row_blocks_slab_holds_every_short_position_its_rows_see) {
  for (const std::int64_t seq_len : {1, 63, 64, 1000, 20000}) {
    for (const std::int64_t group : {1, 3, 8, 64, 100, 128}) {
      for (const std::int64_t window2 : {1, 32, 700}) {
        Problem problem;
        problem.seq_len = seq_len;
        problem.q_heads = 2 * group;
        problem.kv_heads = 2;
        problem.window1 = 1024;
        problem.window2 = window2;
        expect_slabs_hold(problem);
      }
    }
  }
}

TEST(CudaPortable, the_parts_of_the_workspace_are_aligned_and_do_not_overlap) {
  Problem problem;
  problem.batch = 3;
  problem.seq_len = 777;
  problem.q_heads = 10;
  problem.kv_heads = 2;
  const portable::Shape shape = portable::make_shape(problem);
  const portable::BackwardPlan plan = portable::plan_backward(shape);
  const std::size_t rows = 4 * static_cast<std::size_t>(shape.rows() * shape.pairs());
  const std::size_t keys = 4 * static_cast<std::size_t>(shape.pairs() * shape.seq_len * shape.padded_dim());
  EXPECT_GE(plan.delta, plan.lse2 + rows);
  EXPECT_GE(plan.slabs, plan.delta + rows);
  EXPECT_GE(plan.partials, plan.slabs + 4 * static_cast<std::size_t>(shape.pairs() * plan.row_blocks *
                                                                     plan.slab_positions * 2 * shape.padded_dim()));
  EXPECT_GE(plan.bytes, plan.partials + 2 * keys * static_cast<std::size_t>(plan.splits));
  for (const std::size_t offset : {plan.lse2, plan.delta, plan.slabs, plan.partials}) EXPECT_EQ(offset % 256, 0u);
  EXPECT_EQ(make_cuda_portable()->workspace_bytes(problem, Pass::forward, "64x64"), 0u);
  EXPECT_EQ(make_cuda_portable()->workspace_bytes(problem, Pass::backward, "64x64"), plan.bytes);
}

}  // namespace
}  // namespace triscope
