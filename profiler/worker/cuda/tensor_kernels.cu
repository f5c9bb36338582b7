#include <algorithm>

#include "kernels/cuda/common/cuda_error.hpp"
#include "profiler/worker/cuda/tensor_kernels.hpp"
#include "profiler/worker/device/fingerprint.hpp"

namespace triscope::cuda {
namespace {

constexpr int kThreads = 256;
constexpr std::size_t kMostBlocks = 132 * 16;  // each thread goes on by the whole grid

using Word = unsigned long long;  // what atomics take

unsigned blocks_for(std::size_t count) {
  return static_cast<unsigned>(std::clamp<std::size_t>((count + kThreads - 1) / kThreads, 1, kMostBlocks));
}

__device__ std::size_t first_index() { return static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x; }
__device__ std::size_t stride() { return static_cast<std::size_t>(gridDim.x) * kThreads; }

__global__ void __launch_bounds__(kThreads)
    generate(std::uint32_t input, std::uint64_t seed, bool bf16, void* to, std::size_t count) {
  for (std::size_t n = first_index(); n < count; n += stride()) {
    const float x = unit_normal(n, input, seed);
    if (bf16) {
      static_cast<std::uint16_t*>(to)[n] = static_cast<std::uint16_t>(__float_as_uint(round_to_bf16(x)) >> 16);
    } else {
      static_cast<float*>(to)[n] = x;
    }
  }
}

__global__ void __launch_bounds__(kThreads) add_up(const std::uint8_t* memory, std::size_t bytes, Word* sum) {
  const std::size_t words = bytes / 4, rest = bytes % 4;
  Word own = 0;
  for (std::size_t n = first_index(); n < words; n += stride())
    own += word_fingerprint(n, reinterpret_cast<const std::uint32_t*>(memory)[n]);
  if (rest > 0 && first_index() == 0) {
    std::uint32_t last = 0;
    for (std::size_t n = 0; n < rest; ++n) last |= static_cast<std::uint32_t>(memory[4 * words + n]) << (8 * n);
    own += word_fingerprint(words, last);
  }
  for (int lane = 16; lane > 0; lane /= 2) own += __shfl_down_sync(0xFFFFFFFFu, own, lane);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, own);
}

__global__ void __launch_bounds__(kThreads) find_bad(const void* memory, bool bf16, std::size_t count, Word* first) {
  for (std::size_t n = first_index(); n < count; n += stride()) {
    const std::uint32_t bits = bf16 ? static_cast<std::uint32_t>(static_cast<const std::uint16_t*>(memory)[n]) << 16
                                    : static_cast<const std::uint32_t*>(memory)[n];
    constexpr std::uint32_t kExponent = 0x7F800000u;  // all ones: NaN or infinite
    if ((bits & kExponent) == kExponent) atomicMin(first, static_cast<Word>(n));
  }
}

}  // namespace

void generate_input(InputStream input, std::uint64_t seed, Element element, void* to, std::size_t count,
                    cudaStream_t stream) {
  generate<<<blocks_for(count), kThreads, 0, stream>>>(static_cast<std::uint32_t>(input), seed,
                                                       element == Element::bf16, to, count);
  check_launch("generate_input");
}

void add_fingerprint(const void* memory, std::size_t bytes, std::uint64_t* sum, cudaStream_t stream) {
  add_up<<<blocks_for(bytes / 4), kThreads, 0, stream>>>(static_cast<const std::uint8_t*>(memory), bytes,
                                                         reinterpret_cast<Word*>(sum));
  check_launch("add_fingerprint");
}

void find_not_finite(const void* memory, Element element, std::size_t count, std::uint64_t* first,
                     cudaStream_t stream) {
  find_bad<<<blocks_for(count), kThreads, 0, stream>>>(memory, element == Element::bf16, count,
                                                       reinterpret_cast<Word*>(first));
  check_launch("find_not_finite");
}

}  // namespace triscope::cuda
