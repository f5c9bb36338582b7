// What cuda.hopper promises without a GPU: which launches it refuses before anything touches one.
#include "kernels/cuda/hopper/hopper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "kernels/base/error.hpp"
#include "tests/cuda/plausible_arguments.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;

std::string refusal(const Problem& problem, const std::string& instance, const Arguments& arguments) {
  try {
    make_cuda_hopper()->launch(problem, Pass::forward, instance, arguments);
  } catch (const Error& error) {
    return error.what();
  }
  return "launched";
}

TEST(CudaHopper, every_instance_refuses_missing_and_misaligned_tensors_by_name) {
  const auto kernel = make_cuda_hopper();
  for (const std::string& instance : kernel->info().instances) {
    for (const Form form : {Form::trilinear, Form::determinant}) {
      Problem problem;
      problem.form = form;
      problem.head_dim = instance.starts_with("d64") ? 64 : 128;
      if (kernel->unsupported(problem, Pass::forward, instance)) continue;
      Arguments arguments = plausible();
      arguments.v2 = nullptr;
      EXPECT_THAT(refusal(problem, instance, arguments), HasSubstr("cuda.hopper was not launched: v2 is null"))
          << instance;
      EXPECT_THAT(refusal(problem, instance, plausible(4104)), HasSubstr("q is not aligned to 16 bytes")) << instance;
      problem.sink = 1.0;
      EXPECT_THAT(refusal(problem, instance, plausible()), HasSubstr("sink is null")) << instance;
    }
  }
}

TEST(CudaHopper, tiles_of_a_determinant_and_half_instances_ask_for_a_workspace) {
  Problem problem;
  problem.head_dim = 128;
  problem.form = Form::determinant;
  Arguments arguments = plausible();
  arguments.workspace = nullptr;
  EXPECT_THAT(refusal(problem, "d128_split64_keys96_mixed_cross", arguments), HasSubstr("workspace is null"));
  EXPECT_THAT(refusal(problem, "d128_split64_keys96_mixed_cross_half", arguments), HasSubstr("workspace is null"));
  for (const char* instance : {"rows", "portable"}) {
    EXPECT_EQ(make_cuda_hopper()->workspace_bytes(problem, Pass::forward, instance), 0u) << instance;
  }
}

}  // namespace
}  // namespace triscope
