// How an overview is cut for the GPU; what runs on one is compared by tests/cuda/slice_check.cpp.
#include <gtest/gtest.h>

#include "kernels/inspect/cuda/chunks.hpp"
#include "kernels/inspect/cuda/survey.hpp"

namespace triscope::cuda::slice {
namespace {

Problem problem_of(Mask mask, std::int64_t window1, std::int64_t window2) {
  Problem problem;
  problem.mask = mask;
  problem.seq_len = 1000;
  problem.q_heads = 6;
  problem.kv_heads = 2;
  problem.head_dim = 32;
  problem.window1 = mask == Mask::full ? 1000 : window1;
  problem.window2 = mask == Mask::full ? 1000 : window2;
  return problem;
}

bool holds(SliceRange all, SliceRange part) {
  return part.first >= all.first && part.first + part.count <= all.first + all.count;
}

TEST(SliceChunks, every_query_is_in_one_chunk_with_all_keys_that_it_sees) {
  for (const Problem& problem :
       {problem_of(Mask::causal, 300, 7), problem_of(Mask::causal, 1, 64), problem_of(Mask::full, 0, 0)}) {
    for (std::int64_t step : {1, 3, 700}) {
      const std::int64_t columns = (problem.seq_len + step - 1) / step;
      for (std::int64_t bytes : {std::int64_t{0}, std::int64_t{500'000}, std::int64_t{1} << 40}) {
        std::int64_t next = 0;
        for (const Chunk& chunk : plan_chunks(problem, step, columns, bytes)) {
          EXPECT_EQ(chunk.first_column, next);
          EXPECT_TRUE(chunk.columns == 1 || chunk_bytes(problem, chunk) <= bytes);
          for (std::int64_t column = chunk.first_column; column < chunk.first_column + chunk.columns; ++column) {
            EXPECT_TRUE(holds(chunk.keys1, slice_range(problem, 1, column * step)));
            EXPECT_TRUE(holds(chunk.keys2, slice_range(problem, 2, column * step)));
          }
          next += chunk.columns;
        }
        EXPECT_EQ(next, columns);
      }
    }
  }
}

TEST(SliceChunks, as_many_queries_as_fit_are_taken_at_a_time) {
  const Problem problem = problem_of(Mask::causal, 300, 7);
  const auto chunks = plan_chunks(problem, 1, 1000, 500'000);
  ASSERT_GT(chunks.size(), 2U);
  Chunk one_more = chunks[1];
  ++one_more.columns;
  ++one_more.keys1.count;
  ++one_more.keys2.count;
  EXPECT_GT(chunk_bytes(problem, one_more), 500'000);
  EXPECT_EQ(plan_chunks(problem, 1, 1000, std::int64_t{1} << 40).size(), 1U);
}

TEST(SliceSplits, few_blocks_are_cut_along_axis_1_but_never_into_less_than_a_tile) {
  EXPECT_EQ(splits_for(1, 64), 1);
  EXPECT_EQ(splits_for(1, 1024), 16);
  EXPECT_EQ(splits_for(1, 1025), 17);
  EXPECT_EQ(splits_for(100, 1024), 5);
  EXPECT_EQ(splits_for(100'000, 1024), 1);
}

}  // namespace
}  // namespace triscope::cuda::slice
