// The forward of cuda.portable.
//
//   logit = scale q~ . k_long      q~ = q * k_short (or k_short x q), rounded to bf16
//   o     = sum over shifts t of v_short[position - t] * (P V_long),  LSE natural
//
// A block owns 64 rows (16 a warp) of one (batch, kv head) and loops over
//   t = 0 .. short window          q~ formed in shared memory, then held in registers as A fragments
//     tiles of 64 long keys        S = q~ K^T -> mask -> online softmax -> T += P V
//   O += v_short * T
// K and V are single buffers: V arrives during S and softmax, the next K during P V; two blocks share an SM.
// The running maximum only moves when a row exceeds it by more than 2^8, so O and T are rarely rescaled.
//
// Keys outside a row's windows have weight 0, which does not help against a value that is infinite or NaN. So rows
// whose O is not finite get NaN as their LSE, and a second kernel does a block with such a row again (enum Values):
// once to find which rows see such a value, and once without them. Where there is none it returns at once.
//
// Registers a thread, D 128: O 64, T 64, q~ 32, S 32. Shared memory 3 * 64 * D * 2 bytes (48 KB) + 1 KB.
//
// Measured on an H200, 2026-11-21, 512x32, 64 query heads on one kv head, D 128, N 8192: 260 TFLOP/s useful,
// determinant 262; FlashAttention-2's causal forward at 8192, 16 heads, in the same run: 286. Reading the tile's facts
// from shared memory in the inner loop, instead of holding them in registers, costs 14 %.
#include "kernels/cuda/portable/forward/forward_steps.cuh"

namespace triscope::portable {
namespace {

template <int D>
__global__ void __launch_bounds__(kThreads, D == 64 ? 3 : 2)
    portable_forward(const Shape shape, const Tensors tensors) {
  extern __shared__ __align__(256) unsigned char memory[];
  ForwardShared<D>& shared = *reinterpret_cast<ForwardShared<D>*>(memory);
  const Block<D> block = make_block(shared, shape, tensors, static_cast<int>(blockIdx.x));
  float o[D / 8][4];
  Softmax state;
  sum_values<D, Values::as_given>(block, o, state);
  write_rows<D, Values::as_given>(block, o, state);
}

template <int D>
void launch(const Shape& shape, const Tensors& tensors, cudaStream_t stream) {
  enqueue<D>(portable_forward<D>, "portable_forward", shape.row_tiles() * shape.pairs(), stream, shape, tensors);
}

}  // namespace

void launch_forward(const Shape& shape, const Tensors& tensors, cudaStream_t stream) {
  shape.padded_dim() == 64 ? launch<64>(shape, tensors, stream) : launch<128>(shape, tensors, stream);
  launch_forward_again(shape, tensors, stream);
}

}  // namespace triscope::portable
