// A problem with its tensors on the GPU, run by one kernel, and what its output is compared with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/attention/kernel.hpp"
#include "kernels/cuda/common/cuda_error.hpp"
#include "tests/cuda/hopper/hopper_case.hpp"

namespace triscope::bench {

/// Of sampled rows: relative error of o over all of them and of the worst one, the largest absolute error of lse, and
/// the largest |lse|.
struct Comparison {
  double o = 0, worst_row = 0, lse = 0, largest_lse = 0;
};

class Device {
 public:
  /// Makes the inputs of `test`; outputs and workspace are poisoned.
  Device(const Kernel& kernel, const Case& test);

  /// Enqueues one forward on `stream` (cudaStream_t).
  void launch(void* stream = nullptr);
  const std::string& instance() const { return instance_; }
  /// Of the last launch: what the instance rounds, or its bf16 fold where it said so.
  Fold fold() const;
  bool in_bf16() const;  ///< it said so

  /// The last launch's output against fp64 sums at `count` rows, the product `fold` being rounded.
  Comparison compare(Fold fold, int count) const;
  /// FNV-1a of the last launch's o and lse: the same for the same bits.
  std::uint64_t checksum() const;
  /// v1 (`which` 3) or v2 (4) as bits of bf16, to be read and replaced; o of the last launch.
  std::vector<std::uint16_t> values(int which) const;
  void set_values(int which, const std::vector<std::uint16_t>& bits);
  std::vector<float> output() const;
  /// Elements of o that are not finite.
  unsigned long long not_finite();
  /// Words of o and lse that a second launch writes differently.
  unsigned long long differs_when_repeated();

 private:
  void poison();
  void* buffer(std::size_t bytes);
  /// `which`: 0 q, 1 k1, 2 k2, 3 v1, 4 v2.
  void* tensor(std::int64_t count, int which, Inputs inputs, int heads);
  unsigned long long read_counter();

  const Kernel& kernel_;
  Problem problem_;
  std::string instance_;
  std::vector<cuda::DeviceBuffer> buffers_;
  Arguments arguments_;
  std::int64_t queries_ = 0;
  std::size_t workspace_bytes_ = 0;
  unsigned long long* counter_ = nullptr;
};

}  // namespace triscope::bench
