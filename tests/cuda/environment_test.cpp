// What is stored with every number about a build with GPU kernels.
#include "profiler/worker/device/environment.hpp"

#include <gmock/gmock.h>

namespace triscope {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

TEST(Environment, a_build_with_gpu_kernels_names_both_compilers_and_the_flags_of_each) {
  const Environment environment = host_environment();
  EXPECT_THAT(environment.compiler, EndsWith(", nvcc " TRISCOPE_NVCC_VERSION));
  EXPECT_THAT(environment.compile_flags, HasSubstr(" | cuda: -std=c++20"));
}

}  // namespace
}  // namespace triscope
