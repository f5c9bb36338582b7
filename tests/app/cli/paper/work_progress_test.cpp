// What many tiles cost is asked in parts, and in between somebody is told.
#include <gmock/gmock.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include "profiler/tiles/ask_tiles.hpp"
#include "tests/paths.hpp"

namespace triscope {
namespace {

TEST(WorkProgress, says_how_many_problems_are_answered) {
  ::setenv("TRISCOPE_WORKER", build_file("bin/triscope-worker").c_str(), 1);
  std::vector<Problem> problems;
  for (std::int64_t n = 1; n <= 401; ++n) {
    Problem& problem = problems.emplace_back();
    problem.seq_len = 512 + n;
    problem.window1 = problem.window2 = 16;
  }
  std::vector<std::pair<std::size_t, std::size_t>> told;
  const WorkTable work =
      ask_work(problems, {}, [&told](std::size_t done, std::size_t all) { told.emplace_back(done, all); });
  ::unsetenv("TRISCOPE_WORKER");
  EXPECT_EQ(work.size(), 401U);
  EXPECT_THAT(told, testing::ElementsAre(std::pair(200, 401), std::pair(400, 401), std::pair(401, 401)));
}

}  // namespace
}  // namespace triscope
