// The blocks of the forward whose values are not all finite, again. Keys outside a row's windows have weight 0, which
// does not help against a value that is infinite or NaN, and products of values near the end of fp32 may overflow
// before the norm divides them. The forward has marked rows that are not finite: their LSE is NaN. Where there is none,
// this kernel returns at once.
#include <algorithm>

#include "kernels/cuda/portable/forward/forward_steps.cuh"

namespace triscope::portable {
namespace {

/// The sums of a block again when they are not finite: NaN in the dimensions where a row sees a value that is not, and
/// the sums of what it sees elsewhere, times kShrink for each axis.
template <int D>
__device__ inline void sum_finite_values(const Block<D>& block, float (&o)[D / 8][4], Softmax& state) {
  std::uint32_t seen[D / 64] = {};  // a bit a number of o
  __syncthreads();
  sum_values<D, Values::seen>(block, o, state);
#pragma unroll
  for (int n = 0; n < D / 8; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) seen[n / 8] |= (o[n][e] > 0.0f ? 1u : 0u) << (n % 8 * 4 + e);
  }
  __syncthreads();
  sum_values<D, Values::finite>(block, o, state);
#pragma unroll
  for (int n = 0; n < D / 8; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      if (seen[n / 8] >> (n % 8 * 4 + e) & 1u) o[n][e] = NAN;
    }
  }
}

/// Whether this thread's row of block number `index` has an LSE of NaN.
__device__ inline bool is_marked(const Shape& shape, const Tensors& tensors, std::int64_t index) {
  const std::int64_t rows = std::int64_t{shape.seq_len} * shape.group, tiles = (rows + kTileRows - 1) / kTileRows;
  const std::int64_t pair = index / tiles, row = (tiles - 1 - index % tiles) * kTileRows + threadIdx.x;
  if (threadIdx.x >= kTileRows || row >= rows) return false;
  const std::int64_t head = pair * shape.group + row % shape.group;  // pair / kv_heads * q_heads is a part of that
  return isnan(tensors.lse[head * shape.seq_len + row / shape.group]);
}

/// The blocks that hold a row whose LSE is NaN.
template <int D>
__global__ void __launch_bounds__(kThreads)
    portable_forward_again(const Shape shape, const Tensors tensors, std::int64_t blocks) {
  extern __shared__ __align__(256) unsigned char memory[];
  ForwardShared<D>& shared = *reinterpret_cast<ForwardShared<D>*>(memory);
  for (std::int64_t index = blockIdx.x; index < blocks; index += gridDim.x) {
    if (!__syncthreads_or(is_marked(shape, tensors, index))) continue;
    const Block<D> block = make_block(shared, shape, tensors, static_cast<int>(index));
    float o[D / 8][4];
    Softmax state;
    sum_finite_values<D>(block, o, state);
    write_rows<D, Values::finite>(block, o, state);
  }
}

template <int D>
void launch(const Shape& shape, const Tensors& tensors, cudaStream_t stream) {
  const std::int64_t blocks = shape.row_tiles() * shape.pairs();
  constexpr std::int64_t kEnough = 264;  // two for each multiprocessor of an H200
  enqueue<D>(portable_forward_again<D>, "portable_forward_again", std::min(blocks, kEnough), stream, shape, tensors,
             blocks);
}

}  // namespace

void launch_forward_again(const Shape& shape, const Tensors& tensors, cudaStream_t stream) {
  shape.padded_dim() == 64 ? launch<64>(shape, tensors, stream) : launch<128>(shape, tensors, stream);
}

}  // namespace triscope::portable
