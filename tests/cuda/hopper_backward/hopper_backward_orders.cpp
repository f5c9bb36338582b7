#include "tests/cuda/hopper_backward/hopper_backward_orders.hpp"

#include <cuda_runtime.h>
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "kernels/cuda/hopper/backward/backward.hpp"
#include "tests/cuda/hopper_backward/hopper_backward_cases.hpp"

namespace triscope::backward_bench {
namespace {

using hopper::backward::kVirtualKeys;

/// Copies from the host into a buffer of the GPU. They take no multiprocessor, so they run beside a kernel that has all
/// of them, and the memory that both want changes the order in which its blocks come to their sums.
class Copies {
 public:
  Copies() : to_(kBytes) { TRISCOPE_CUDA_CHECK(cudaMallocHost(&from_, kBytes)); }
  ~Copies() { cudaFreeHost(from_); }
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;

  /// Enqueues `count` of them, of other sizes in each `turn`.
  void enqueue(int turn, int count) {
    for (int n = 0; n < count; ++n) {
      const std::size_t bytes = kBytes >> ((turn + n) % 5);
      TRISCOPE_CUDA_CHECK(cudaMemcpyAsync(to_.data(), from_, bytes, cudaMemcpyHostToDevice, stream_.get()));
    }
  }

 private:
  static constexpr std::size_t kBytes = std::size_t{64} << 20;
  cuda::Stream stream_;
  cuda::DeviceBuffer to_;
  void* from_ = nullptr;
};

/// Deterministic gradients of some problems, alone and again and again beside copies, and behind a forward of another
/// stream that leaves the multiprocessors at other moments each time. Beside another backward they never are: both need
/// all multiprocessors at once.
int check_same_bits(const Kernel& kernel) {
  int failed = 0;
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) TRISCOPE_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  Copies copies;
  Device other({parse_shape("128x16,16/1,128,1500,1,trilinear")});
  other.set_stream(streams[1]);
  for (const char* shape :
       {"512x32,64/1,128,1024,1,trilinear,deterministic", "256x64,16/2,128,700,2,determinant,deterministic",
        "300x20,8/1,64,900,1,trilinear,deterministic"}) {
    Device device({parse_shape(shape)});
    device.forward(kernel);
    device.backward(kernel, kVirtualKeys);
    TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
    const std::vector<std::vector<float>> alone = all_gradients(device);
    device.set_stream(streams[0]);
    int same = 0;
    constexpr int kTurns = 20;
    for (int turn = 0; turn < kTurns; ++turn) {
      device.poison(turn);
      for (int n = 0; n < turn % 3; ++n) other.forward(kernel);
      copies.enqueue(turn, 1 + turn % 4);
      device.backward(kernel, kVirtualKeys);
      copies.enqueue(turn, 2);
      TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
      same += same_bits(all_gradients(device), alone) ? 1 : 0;
    }
    fmt::print("{} {} of {} launches beside copies and behind a forward have the same bits: {}\n",
               same == kTurns ? "ok  " : "FAIL", same, kTurns, describe(device.problem()));
    failed += same == kTurns ? 0 : 1;
  }
  return failed;
}

/// Integers have no NaN. One in any input makes all gradients of its (batch, kv head) NaN, and no other.
int check_not_finite(const Kernel& kernel) {
  int failed = 0;
  for (int t = 0; t < 6; ++t) {
    Device device({parse_shape("64x16,16/2,128,150,2,trilinear,deterministic")});
    const Problem& p = device.problem();
    device.forward(kernel);
    device.spoil(t, 3 * (t == 0 || t == 5 ? p.q_heads : p.kv_heads) * p.head_dim);  // batch 0, position 3, head 0
    device.call_lse_exact();
    device.backward(kernel, kVirtualKeys);
    TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
    std::int64_t wrong = 0;
    const std::vector<std::vector<float>> all = all_gradients(device);
    for (int g = 0; g < 5; ++g) {
      const std::int64_t heads = g == 0 ? p.q_heads : p.kv_heads, group = g == 0 ? p.group() : 1;
      for (std::size_t n = 0; n < all[g].size(); ++n) {
        const auto row = static_cast<std::int64_t>(n) / p.head_dim;
        const bool touched = row < p.seq_len * heads && row % heads < group;
        wrong += std::isnan(all[g][n]) == touched ? 0 : 1;
      }
    }
    fmt::print("{} NaN in input {}: {} elements of gradients are NaN and should not be, or the reverse\n",
               wrong == 0 ? "ok  " : "FAIL", t, wrong);
    failed += wrong == 0 ? 0 : 1;
  }
  return failed;
}

}  // namespace

int check_orders(const Kernel& kernel) { return check_same_bits(kernel) + check_not_finite(kernel) == 0 ? 0 : 1; }

}  // namespace triscope::backward_bench
