// On which GPUs the kernels of this build run; the GPUs here are invented.
#include "kernels/cuda/common/capability.hpp"

#include <gmock/gmock.h>

#include "kernels/base/error.hpp"
#include "kernels/cuda/common/current_gpu.hpp"
#include "kernels/cuda/hopper/hopper.hpp"
#include "kernels/cuda/portable/portable.hpp"
#include "kernels/registry/registry.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;

Problem usual() {
  Problem problem;
  problem.seq_len = 1024;
  problem.window1 = 128;
  problem.window2 = 32;
  problem.q_heads = 64;
  problem.kv_heads = 1;
  problem.head_dim = 128;
  problem.element = Element::bf16;
  return problem;
}

CurrentGpu invented(int major, int minor) {
  return [=] { return Gpu{0, major, minor, "Invented"}; };
}

std::string why_not(CapabilityRange range, std::unique_ptr<Kernel> kernel, CurrentGpu gpu) {
  const auto restricted = restrict_to(range, std::move(kernel), std::move(gpu));
  const std::string reason = restricted->unsupported(usual(), Pass::forward).value_or("");
  const std::string instance = restricted->choose_instance(usual(), Pass::forward);
  EXPECT_EQ(restricted->unsupported(usual(), Pass::forward, instance).value_or(""), reason);
  return reason;
}

TEST(Capability, hopper_runs_on_9_0_only) {
  const CapabilityRange range{90, 90};
  EXPECT_EQ(why_not(range, make_cuda_hopper(), invented(9, 0)), "");
  EXPECT_EQ(why_not(range, make_cuda_hopper(), invented(8, 0)),
            "cuda.hopper runs on GPUs of compute capability 9.0 only, and Invented has 8.0");
  EXPECT_THAT(why_not(range, make_cuda_hopper(), invented(12, 0)), HasSubstr("has 12.0"));
}

TEST(Capability, portable_runs_from_8_0_on) {
  const CapabilityRange range{80};
  EXPECT_EQ(why_not(range, make_cuda_portable(), invented(8, 0)), "");
  EXPECT_EQ(why_not(range, make_cuda_portable(), invented(12, 0)), "");
  EXPECT_EQ(why_not(range, make_cuda_portable(), invented(7, 5)),
            "cuda.portable runs on GPUs of compute capability 8.0 and later, and Invented has 7.5");
}

TEST(Capability, the_problem_is_judged_first_and_no_gpu_is_a_reason_too) {
  const CurrentGpu none = []() -> Gpu { throw Error("no GPU can be used", "there is none", "find one"); };
  const auto kernel = restrict_to({90, 90}, make_cuda_hopper(), none);
  Problem other = usual();
  other.head_dim = 96;
  EXPECT_THAT(kernel->unsupported(other, Pass::backward).value_or(""), HasSubstr("head_dim is 96"));
  for (const Pass pass : {Pass::forward, Pass::backward})
    EXPECT_THAT(kernel->unsupported(usual(), pass).value_or(""), HasSubstr("no GPU can be used"));
  EXPECT_EQ(kernel->info().id, "cuda.hopper");
  const auto bare = make_cuda_hopper();
  EXPECT_EQ(kernel->fold(usual()), bare->fold(usual()));
  for (const std::string& instance : bare->info().instances)
    EXPECT_EQ(kernel->fold(usual(), instance), bare->fold(usual(), instance)) << instance;
}

// What the program runs is restricted: on a machine without such a GPU the registry's kernels say so.
TEST(Capability, the_registry_restricts_what_it_holds) {
  int capability = 0;
  try {
    const Gpu gpu = current_gpu();
    capability = 10 * gpu.major + gpu.minor;
  } catch (const Error&) {
    // none: nothing is supported
  }
  EXPECT_EQ(find_kernel("cuda.hopper")->unsupported(usual(), Pass::forward).has_value(), capability != 90);
  EXPECT_EQ(find_kernel("cuda.portable")->unsupported(usual(), Pass::forward).has_value(), capability < 80);
}

}  // namespace
}  // namespace triscope
