// Rings of shared memory that are right by construction, for compute-sanitizer's racecheck: what it says of each tells
// what its reports of the Hopper kernels are worth (docs/testing.md). By hand, on a GPU of compute capability 9.0:
//
//   compute-sanitizer --tool racecheck racecheck_ring KIND
//
//   bulk      one thread fills stages by bulk copies that complete on an mbarrier (full), eight warps wait for it,
//   read,
//             and arrive at another (empty), for which that thread waits before it fills the stage again
//   stores    the same, but a warp fills stages by ordinary stores and arrives at `full`
//   box       the same as bulk, by tensor copies of a box, as tiles come
//   threads   the same stages and reads; all threads fill them by ordinary stores, between two __syncthreads
//   early     wrong by construction: as stores, but nobody waits for `empty`
//
// Without racecheck each but the last must give the sums that the host makes; exits with 1 when it does not.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <numeric>
#include <vector>

#include "kernels/base/error.hpp"
#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/cuda/hopper/backward/kernel/memory.cuh"
#include "kernels/cuda/hopper/common/barrier_row.hpp"
#include "kernels/cuda/hopper/common/barriers.cuh"
#include "kernels/cuda/hopper/common/tensor_map.hpp"

namespace triscope::hopper {
namespace {

enum class Filling { bulk, stores, box, threads, early };

constexpr int kRingStages = 3, kReaders = 256, kStageBytes = 16 * kReaders, kTiles = 24;
constexpr int kStageNumbers = kStageBytes / 4;
constexpr BarrierRow kFull{0, kRingStages, 1}, kEmptied{kFull.end(), kRingStages, kReaders / 32};

struct RingMemory {
  alignas(1024) unsigned char stages[kRingStages][kStageBytes];
  std::uint64_t barriers[2 * kRingStages];
};

/// Warp 8, or for bulk copies one thread of it.
template <Filling kFilling>
__device__ void fill(const float* source, const CUtensorMap* map, std::uint32_t stages, std::uint32_t barriers) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  constexpr bool kCopies = kFilling == Filling::bulk || kFilling == Filling::box;
  if (kCopies && lane != 0) return;
#pragma unroll 1
  for (int tile = 0; tile < kTiles; ++tile) {
    const int stage = tile % kRingStages, use = tile / kRingStages;
    const std::uint32_t full = barrier_address<kFull>(barriers, stage), to = stages + stage * kStageBytes;
    if (use > 0 && kFilling != Filling::early) {
      wait_phase(barrier_address<kEmptied>(barriers, stage), use - 1);
      __syncwarp(kCopies ? 1u : 0xFFFFFFFFu);
    }
    if constexpr (kFilling == Filling::bulk) {
      barrier_expect(full, kStageBytes);
      backward::copy_bytes(to, source + tile * kStageNumbers, kStageBytes, full);
    } else if constexpr (kFilling == Filling::box) {
      barrier_expect(full, kStageBytes);
      copy_box(to, map, full, 0, 0, 32 * tile, 0);
    } else {
      for (int n = lane; n < kReaders; n += 32) {
        const float4 x = reinterpret_cast<const float4*>(source)[tile * kReaders + n];
        store_shared_float4(to + 16 * n, x.x, x.y, x.z, x.w);
      }
      __syncwarp();
      if (lane == 0) barrier_arrive(full);
    }
  }
}

__device__ void add(float4& sum, const float4& x) { sum.x += x.x, sum.y += x.y, sum.z += x.z, sum.w += x.w; }

/// Warps 0 to 7: each thread its 16 bytes of every tile.
__device__ float4 read(std::uint32_t stages, std::uint32_t barriers) {
  float4 sum = {};
#pragma unroll 1
  for (int tile = 0; tile < kTiles; ++tile) {
    const int stage = tile % kRingStages;
    wait_phase(barrier_address<kFull>(barriers, stage), tile / kRingStages);
    add(sum, load_shared_float4(stages + stage * kStageBytes + 16 * threadIdx.x));
    __syncwarp();
    if (threadIdx.x % 32 == 0) barrier_arrive(barrier_address<kEmptied>(barriers, stage));
  }
  return sum;
}

/// The same with __syncthreads alone, by all threads.
__device__ float4 fill_and_read(const float* source, std::uint32_t stages) {
  float4 sum = {};
#pragma unroll 1
  for (int tile = 0; tile < kTiles; ++tile) {
    const std::uint32_t stage = stages + tile % kRingStages * kStageBytes;
    for (int n = static_cast<int>(threadIdx.x); n < kReaders; n += static_cast<int>(blockDim.x)) {
      const int other = kReaders - 1 - n;  // another thread's
      const float4 x = reinterpret_cast<const float4*>(source)[tile * kReaders + other];
      store_shared_float4(stage + 16 * other, x.x, x.y, x.z, x.w);
    }
    __syncthreads();
    if (threadIdx.x < kReaders) add(sum, load_shared_float4(stage + 16 * threadIdx.x));
    __syncthreads();
  }
  return sum;
}

template <Filling kFilling>
__global__ void __launch_bounds__(kReaders + 32)
    ring(const float* source, float4* sums, const __grid_constant__ CUtensorMap map) {
  __shared__ RingMemory memory;
  const std::uint32_t stages = shared_address(memory.stages), barriers = shared_address(memory.barriers);
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kRingStages; ++stage) {
      init_barrier<kFull>(barriers, stage);
      init_barrier<kEmptied>(barriers, stage);
    }
    fence_barrier_init();
  }
  __syncthreads();
  float4 sum = {};
  if constexpr (kFilling == Filling::threads) {
    sum = fill_and_read(source, stages);
  } else if (threadIdx.x >= kReaders) {
    fill<kFilling>(source, &map, stages, barriers);
  } else {
    sum = read(stages, barriers);
  }
  if (threadIdx.x < kReaders) sums[threadIdx.x] = sum;
}

/// Whether the sums are right; of `early` they need not be.
template <Filling kFilling>
bool run() {
  std::vector<float> source(kTiles * kStageNumbers), expected(kStageNumbers), got(kStageNumbers);
  std::iota(source.begin(), source.end(), 0.0f);  // sums are exact
  for (int n = 0; n < kTiles * kStageNumbers; ++n)
    expected[static_cast<std::size_t>(n % kStageNumbers)] += source[static_cast<std::size_t>(n)];
  float *from = nullptr, *to = nullptr;
  TRISCOPE_CUDA_CHECK(cudaMalloc(&from, source.size() * sizeof(float)));
  TRISCOPE_CUDA_CHECK(cudaMalloc(&to, got.size() * sizeof(float)));
  TRISCOPE_CUDA_CHECK(cudaMemcpy(from, source.data(), source.size() * sizeof(float), cudaMemcpyHostToDevice));
  // A stage as 32 rows of 64 elements of 2 bytes: 128-byte swizzle moves 16-byte parts inside 1024 bytes.
  const CUtensorMap map = make_tensor_map(tensor_map_encoder(), {.tensor = reinterpret_cast<const __nv_bfloat16*>(from),
                                                                 .seq_len = kTiles * kStageBytes / 128,
                                                                 .box_rows = kStageBytes / 128});
  ring<kFilling><<<1, kReaders + 32>>>(from, reinterpret_cast<float4*>(to), map);
  check_launch("racecheck_ring");
  TRISCOPE_CUDA_CHECK(cudaMemcpy(got.data(), to, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
  TRISCOPE_CUDA_CHECK(cudaFree(from));
  TRISCOPE_CUDA_CHECK(cudaFree(to));
  bool good = true;
  for (int n = 0; n < kStageNumbers; ++n) {
    const int row = n / 32, part = n % 32 / 4, place = kFilling == Filling::box ? part ^ row % 8 : part;  // swizzle
    good &= got[static_cast<std::size_t>(32 * row + 4 * place + n % 4)] == expected[static_cast<std::size_t>(n)];
  }
  return good || kFilling == Filling::early;
}

int check(const char* kind) {
  const std::pair<const char*, bool (*)()> kinds[] = {{"bulk", run<Filling::bulk>},
                                                      {"stores", run<Filling::stores>},
                                                      {"box", run<Filling::box>},
                                                      {"threads", run<Filling::threads>},
                                                      {"early", run<Filling::early>}};
  for (const auto& [name, action] : kinds) {
    if (std::strcmp(name, kind) != 0) continue;
    const bool good = action();
    std::printf("%s %s\n", good ? "ok  " : "FAIL", kind);
    return good ? 0 : 1;
  }
  throw Error("cannot run racecheck_ring", "there is no kind of ring of that name", "see the head of racecheck_ring.cu",
              ExitCode::usage);
}

}  // namespace
}  // namespace triscope::hopper

int main(int argc, char** argv) {
  try {
    return triscope::hopper::check(argc > 1 ? argv[1] : "bulk");
  } catch (const std::exception& error) {
    std::printf("FAIL %s\n", error.what());
    return 1;
  }
}
