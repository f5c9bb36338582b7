// Means over queries tell how far they are.
#include "profiler/supervise/find_means.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <cstdint>
#include <stop_token>

#include "kernels/base/error.hpp"

namespace triscope {
namespace {

/// Eight heads of 4000 tokens: with every query minutes on a CPU.
OverviewRequest long_request(std::int64_t step) {
  OverviewRequest request;
  request.source.kind = SourceKind::random;
  request.source.seq_len = 4000;
  request.source.q_heads = 8;
  request.source.head_dim = 64;
  request.query.problem.window1 = 512;
  request.query.problem.window2 = 64;
  request.step = step;
  return request;
}

TEST(FindMeans, tell_how_far_they_are_while_they_take_long_and_end_when_they_are_stopped) {
  Supervisor worker{WorkerOptions{}};
  const OverviewRequest request = long_request(1);
  const SourceReply shape = worker.source({request.source});
  std::stop_source stop;
  std::vector<MeansProgress> told;
  const auto tell = [&](const MeansProgress& progress) {
    told.push_back(progress);
    if (told.size() == 2) stop.request_stop();
  };
  EXPECT_THROW(find_means(worker, request, shape, stop.get_token(), tell), Error);
  ASSERT_EQ(told.size(), 2U) << "these slices take minutes";
  EXPECT_EQ(told[0].total, 8 * (4000 - 511));
  EXPECT_GT(told[0].done, 0);
  EXPECT_GT(told[1].done, told[0].done);
  EXPECT_LT(told[1].done, told[1].total);
  EXPECT_GT(told[0].seconds_left, 0);
}

TEST(FindMeans, say_how_long_the_queries_take_that_are_left) {
  using Clock = std::chrono::steady_clock;
  Supervisor worker{WorkerOptions{}};
  const OverviewRequest request = long_request(8);
  const SourceReply shape = worker.source({request.source});
  std::stop_source stop;
  const Clock::time_point start = Clock::now();
  const auto tell = [&](const MeansProgress& progress) {
    const double so_far = std::chrono::duration<double>(Clock::now() - start).count();
    const auto done = static_cast<double>(progress.done), left = static_cast<double>(progress.total - progress.done);
    EXPECT_LE(progress.seconds_left, so_far / done * left);
    if (progress.done >= progress.total / 20) stop.request_stop();
  };
  EXPECT_THROW(find_means(worker, request, shape, stop.get_token(), tell), Error) << "it was never told";
}

}  // namespace
}  // namespace triscope
