// What is recorded about the machine is what the kernels use.
#include "profiler/worker/device/environment.hpp"

#include <gmock/gmock.h>
#include <sched.h>

#include <cstdlib>

namespace triscope {
namespace {

TEST(Environment, omp_num_threads_lowers_the_threads_and_never_raises_them_above_the_cpus) {
  cpu_set_t set;
  ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  const std::int64_t cpus = CPU_COUNT(&set);
  const char* before = std::getenv("OMP_NUM_THREADS");
  const std::string kept = before != nullptr ? before : "";
  setenv("OMP_NUM_THREADS", "1000000", 1);
  EXPECT_EQ(host_environment().cpu_threads, cpus);
  setenv("OMP_NUM_THREADS", "1", 1);
  EXPECT_EQ(host_environment().cpu_threads, 1);
  unsetenv("OMP_NUM_THREADS");
  EXPECT_EQ(host_environment().cpu_threads, cpus);
  if (before != nullptr) setenv("OMP_NUM_THREADS", kept.c_str(), 1);
}

}  // namespace
}  // namespace triscope
