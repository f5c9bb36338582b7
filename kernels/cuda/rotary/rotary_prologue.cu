#include <cuda_bf16.h>

#include <string>

#include "kernels/base/error.hpp"
#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/cuda/rotary/rotary_prologue.hpp"

namespace triscope::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kVector = 8;              // elements of 16 bytes
constexpr int kChunks = 8;              // of a thread
constexpr int kElements = 3 * kChunks;  // three vectors

struct Parameters {
  const uint4* in[3];
  uint4* out[3];
  const float2* table;  // [seq_len][chunks]
  unsigned heads[3];
  unsigned end[3];   // of the threads of each tensor
  unsigned groups;   // threads of a row
  unsigned vectors;  // of a row
  unsigned chunks;   // of a row
  unsigned seq_len;
};

/// Of the tensor `t`, without an array that is indexed at run time: that would lie in local memory.
template <typename Value>
__device__ Value of(const Value (&values)[3], int t) {
  return t == 0 ? values[0] : t == 1 ? values[1] : values[2];
}

/// Element `e` of pairs of bf16, the first in the lower half.
__device__ float element(const unsigned (&words)[kElements / 2], int e) {
  return __uint_as_float(e % 2 == 0 ? words[e / 2] << 16 : words[e / 2] & 0xFFFF0000u);
}
__device__ void set_element(unsigned (&words)[kElements / 2], int e, float value) {
  const unsigned bits = __bfloat16_as_ushort(__float2bfloat16_rn(value));
  words[e / 2] = e % 2 == 0 ? (words[e / 2] & 0xFFFF0000u) | bits : (words[e / 2] & 0xFFFFu) | bits << 16;
}

__global__ void __launch_bounds__(kThreads) rotate(const Parameters p) {
  const unsigned index = blockIdx.x * kThreads + threadIdx.x;
  if (index >= p.end[2]) return;
  const int t = index < p.end[0] ? 0 : index < p.end[1] ? 1 : 2;
  const unsigned local = index - (t == 0 ? 0 : t == 1 ? p.end[0] : p.end[1]);
  const unsigned row = local / p.groups, group = local % p.groups;
  const unsigned position = row / of(p.heads, t) % p.seq_len;
  const unsigned first = group * (kElements / kVector);
  const unsigned count = min(static_cast<unsigned>(kElements / kVector), p.vectors - first);
  const std::size_t at = static_cast<std::size_t>(row) * p.vectors + first;
  const uint4* in = of(p.in, t) + at;
  uint4* out = of(p.out, t) + at;

  unsigned words[kElements / 2] = {};
#pragma unroll
  for (unsigned v = 0; v < kElements / kVector; ++v) {
    if (v >= count) break;
    const uint4 vector = in[v];
    words[4 * v] = vector.x, words[4 * v + 1] = vector.y, words[4 * v + 2] = vector.z, words[4 * v + 3] = vector.w;
  }
  const float2* turn = p.table + static_cast<std::size_t>(position) * p.chunks + group * kChunks;
#pragma unroll
  for (int c = 0; c < kChunks; ++c) {
    if (3 * c + 2 < static_cast<int>(count) * kVector) {
      const float2 angle = __ldg(turn + c);  // cosine, sine
      const float a = element(words, 3 * c), b = element(words, 3 * c + 1);
      set_element(words, 3 * c, a * angle.x - b * angle.y);
      set_element(words, 3 * c + 1, a * angle.y + b * angle.x);
    }
  }
#pragma unroll
  for (unsigned v = 0; v < kElements / kVector; ++v) {
    if (v < count) out[v] = make_uint4(words[4 * v], words[4 * v + 1], words[4 * v + 2], words[4 * v + 3]);
  }
}

[[noreturn]] void refuse(const std::string& why, const std::string& fix) {
  throw Error("the rotary prologue was not launched", why, fix, ExitCode::usage);
}

}  // namespace

void launch_rotary_prologue(const RotaryPrologue& prologue, cudaStream_t stream) {
  if (prologue.head_dim < kVector || prologue.head_dim % kVector != 0)
    refuse("head_dim " + std::to_string(prologue.head_dim) + " is no multiple of 8", "choose such a one");
  Parameters p{};
  p.vectors = static_cast<unsigned>(prologue.head_dim / kVector);
  p.groups = static_cast<unsigned>((prologue.head_dim + kElements - 1) / kElements);
  p.chunks = static_cast<unsigned>(prologue.head_dim / 3);
  p.seq_len = static_cast<unsigned>(prologue.seq_len);
  p.table = reinterpret_cast<const float2*>(prologue.table);
  std::int64_t threads = 0;
  for (int t = 0; t < 3; ++t) {
    const RotaryTensor& tensor = prologue.tensors[static_cast<std::size_t>(t)];
    threads += prologue.batch * prologue.seq_len * tensor.heads * p.groups;
    if (threads >= std::int64_t{1} << 31) refuse("the tensors are too large for one launch", "use a shorter sequence");
    p.in[t] = static_cast<const uint4*>(tensor.in);
    p.out[t] = static_cast<uint4*>(tensor.out);
    p.heads[t] = static_cast<unsigned>(tensor.heads);
    p.end[t] = static_cast<unsigned>(threads);
  }
  if (threads == 0) return;
  rotate<<<static_cast<unsigned>((threads + kThreads - 1) / kThreads), kThreads, 0, stream>>>(p);
  check_launch("the rotary prologue");
}

}  // namespace triscope::cuda
