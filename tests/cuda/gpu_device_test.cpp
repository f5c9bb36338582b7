// What is said about GPUs that cannot be used, or not fully; none is needed for it.
#include "profiler/worker/cuda/gpu_device.hpp"

#include <cuda_runtime_api.h>
#include <gmock/gmock.h>

namespace triscope {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(GpuDevice, an_old_driver_is_named_with_what_is_needed) {
  EXPECT_EQ(no_gpu_text(cudaErrorInsufficientDriver, 12040, 13000),
            "the driver is for CUDA 12.4, Triscope needs 13.0: update it to 580 or later");
  EXPECT_THAT(no_gpu_text(cudaErrorInsufficientDriver, 0, 13000), HasSubstr("libcuda.so.1 cannot be loaded"));
}

TEST(GpuDevice, a_hidden_device_and_an_unknown_answer_are_explained) {
  EXPECT_THAT(no_gpu_text(cudaErrorNoDevice, 13000, 13000), HasSubstr("CUDA_VISIBLE_DEVICES"));
  EXPECT_THAT(no_gpu_text(cudaErrorSystemNotReady, 13000, 13000), HasSubstr("cudaErrorSystemNotReady"));
}

TEST(GpuDevice, what_it_cannot_do_is_one_sentence_each_with_what_to_do) {
  EXPECT_THAT(gpu_limits(9, false, ""), IsEmpty());
  EXPECT_THAT(gpu_limits(9, true, ""), ElementsAre(AllOf(HasSubstr("MIG is on"), HasSubstr("counters cannot be read"),
                                                         HasSubstr("; leave --counters out"))));
  EXPECT_THAT(gpu_limits(7, false, "Driver Not Loaded"),
              ElementsAre(AllOf(HasSubstr("NVML answers \"Driver Not Loaded\""), HasSubstr("; install ")),
                          AllOf(HasSubstr("below 8.0"), HasSubstr("; choose a newer GPU"))));
}

TEST(GpuDevice, the_rate_of_a_multiprocessor_is_known_for_known_chips_only) {
  EXPECT_EQ(bf16_flops_per_clock(8, 0, "NVIDIA A100"), 2048);
  EXPECT_EQ(bf16_flops_per_clock(9, 0, "NVIDIA H200"), 4096);
  EXPECT_EQ(bf16_flops_per_clock(12, 0, "NVIDIA GeForce RTX 5090"), std::nullopt);
  EXPECT_EQ(bf16_flops_per_clock(8, 6, "NVIDIA GeForce RTX 3090"), 512);
  EXPECT_EQ(bf16_flops_per_clock(8, 9, "NVIDIA GeForce RTX 4090"), 512);
  EXPECT_EQ(bf16_flops_per_clock(8, 6, "NVIDIA RTX A4000"), std::nullopt) << "twice as many, by its data sheet";
}

TEST(GpuDevice, a_gpu_is_known_by_its_id_not_by_its_place) {
  const std::vector<Device> devices{{.id = "1", .kind = DeviceKind::cuda}, {.id = "cpu"}};  // GPU 0 is broken
  EXPECT_EQ(gpu_number(devices, "1"), 1);
  EXPECT_EQ(gpu_number(devices, "0"), std::nullopt);
  EXPECT_EQ(gpu_number(devices, "cpu"), std::nullopt);
}

}  // namespace
}  // namespace triscope
