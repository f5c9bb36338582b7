// How many blocks a launch has where its stream has few multiprocessors, and what is said when it is refused. No GPU.
#include "kernels/cuda/common/launch.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "kernels/base/error.hpp"

namespace triscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Stands in for a stream with room for `room` blocks at once.
struct Stream {
  unsigned room;
  std::vector<unsigned> tried = {};

  cudaError_t operator()(const Launch& launch) {
    tried.push_back(launch.blocks.x);
    return launch.blocks.x <= room ? cudaSuccess : cudaErrorCooperativeLaunchTooLarge;
  }
};

Launch blocks_of(unsigned blocks) { return {.kernel = "a kernel", .blocks = blocks, .threads = 384, .together = true}; }

std::string refusal(const Launch& launch, cudaError_t result) {
  try {
    check_launch(launch, result);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Launch, a_whole_h200_gets_all_blocks_at_the_first_try) {
  for (const unsigned blocks : {132u, 2 * 132u, 4 * 132u}) {
    Stream stream{blocks};
    EXPECT_EQ(enqueue(blocks_of(blocks), [&](const Launch& launch) { return stream(launch); }),
              static_cast<int>(blocks));
    EXPECT_EQ(stream.tried, std::vector{blocks});
  }
}

TEST(Launch, a_stream_with_fewer_multiprocessors_is_filled_to_fifteen_sixteenths) {
  for (const unsigned of_multiprocessor : {1u, 2u, 4u}) {
    for (const unsigned multiprocessors : {132u, 114u, 78u, 66u, 64u, 8u, 1u}) {
      Stream stream{of_multiprocessor * multiprocessors};
      const int blocks =
          enqueue(blocks_of(132 * of_multiprocessor), [&](const Launch& launch) { return stream(launch); });
      EXPECT_EQ(blocks, static_cast<int>(stream.tried.back()));
      EXPECT_LE(blocks, static_cast<int>(stream.room));
      EXPECT_GE(16 * blocks, static_cast<int>(15 * stream.room)) << multiprocessors << " multiprocessors";
      EXPECT_LE(stream.tried.size(), multiprocessors >= 64 ? 16u : 80u) << multiprocessors << " multiprocessors";
    }
  }
}

TEST(Launch, fewer_blocks_end_at_one) {
  for (unsigned blocks = 2; blocks < 1000; ++blocks) {
    EXPECT_LT(fewer_blocks(blocks), blocks);
    EXPECT_GE(fewer_blocks(blocks), 1u);
  }
}

TEST(Launch, where_not_even_one_block_has_room_it_is_refused) {
  Stream stream{0};
  EXPECT_THROW(enqueue(blocks_of(132), [&](const Launch& launch) { return stream(launch); }), Error);
  EXPECT_EQ(stream.tried.back(), 1u);
}

TEST(Launch, any_other_refusal_is_not_tried_again) {
  int tried = 0;
  EXPECT_THROW(enqueue(blocks_of(132), [&](const Launch&) { return ++tried, cudaErrorInvalidValue; }), Error);
  EXPECT_EQ(tried, 1);
}

TEST(Launch, a_limit_that_was_refused_does_not_count_as_told) {
  SharedLimit limit(100'000);
  EXPECT_FALSE(limit.is_told(0));
  const int no_kernel = 0;
  EXPECT_NE(limit.tell(&no_kernel, 0), cudaSuccess);
  cudaGetLastError();
  EXPECT_FALSE(limit.is_told(0));
}

TEST(Launch, a_refusal_names_the_kernel_its_blocks_their_memory_and_what_to_do) {
  Launch launch = blocks_of(132);
  launch.kernel = "d128_pair64_keys128_half";
  launch.shared_bytes = 231'424;
  EXPECT_EQ(refusal(launch, cudaSuccess), "");
  EXPECT_THAT(refusal(launch, cudaErrorInvalidValue),
              AllOf(HasSubstr("launching d128_pair64_keys128_half on 132 blocks of 384 threads with 231424 bytes of "
                              "shared memory each failed: cudaErrorInvalidValue"),
                    HasSubstr("; choose cuda.portable")));
  launch.blocks = dim3(64, 8, 2);
  EXPECT_THAT(refusal(launch, cudaErrorInvalidValue), HasSubstr("on 64 x 8 x 2 blocks of"));
  launch.blocks = 1;
  EXPECT_THAT(refusal(launch, cudaErrorInvalidValue), HasSubstr("on one block of"));
}

}  // namespace
}  // namespace triscope
