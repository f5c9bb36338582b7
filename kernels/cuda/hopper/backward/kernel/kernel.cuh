// The Hopper backward: virtual keys. The products of two keys and of two values (by dimension, or for the determinant
// K_long x K_short by chunk of three) turn 2-simplicial attention into attention over pairs (j, k), each seen by
// short_window queries or fewer. A tile of 128 pairs of one k is seen by the same queries, all heads of the group:
// dense, five products as in attention.
//
//   KK = k_long_j k_short_k, VV = v_long_j v_short_k
//   dp = do . VV, p = exp(scale q . KK - LSE), ds = p (dp - delta), delta = do . o
//   dVV = sum over queries and heads p do
//   dKK = sum over queries and heads ds q
//   dq         = scale sum over pairs ds KK
//   dv_long_j  = sum_k v_short_k dVV         dv_short_k = sum_j v_long_j dVV
//   dk_long_j  = scale sum_k k_short_k dKK   dk_short_k = scale sum_j k_long_j dKK    (determinant: cross products)
//
// Memory: q, o, do, dq [batch, seq_len, q_heads, head_dim] bf16; keys, values and their gradients the same with
// kv_heads; lse [batch, q_heads, seq_len] fp32. Sums of keys and values are fp32, of dq fp16 in a range that
// prepare.cuh proves; or all are integers, which add up to the same in any order (fixed_point.hpp): the deterministic
// instances.
//
//   launches       this kernel | finish.cu (dq, dk, dv, dsink)
//   before tiles   prepare.cuh (zeros, ranges, rows, keys) by all threads, whose CTAs wait for one another
//   a CTA          one an SM; work items in turns (parameters.hpp): 128 pairs x all tiles of queries that see them
//   warpgroup 0    warp 0 copies tiles in, warps 1 and 2 publish ds and add dq to device memory, warp 3 numbers work
//                  items (helpers.cuh)
//   warpgroups 1,2 64 pairs each (consumer.cuh); fold.cuh before an item, epilogue.cuh behind it
//   a query tile   64 heads of a position, or several positions of a group padded to 8, 16 or 32 heads
//
//   registers      240 a consumer thread, 24 a helper (head_dim 128)
//   shared memory  KK, VV 64 KB, 3 x (q, do) 96, 3 x ds 48, dq 16, LSE and delta 1.5, row ranges 1: 232,416 bytes;
//                  deterministic: 2 x do instead of 3, dq 32: 232,160 bytes
//   barriers       barrier_table.hpp
//
// Rates: docs/backward.md.
//
// Limits. Trilinear and determinant form, causal windows, bf16, head_dim 64 and 128. A group of one head is padded
// to eight, so that an eighth of the work is useful. Scores are rounded as fp16(k k) q, finer than bf16(q k). With an
// LSE of exact scores gradients err by at most 3.2e-3 for N(0, 1) inputs and 4.1e-3 at q x 8, with one of bf16 scores
// by 3.4e-3 and 3e-2 (errors of score gradients over their scale before they cancel): choice.cpp.
#pragma once

#include <cooperative_groups.h>

#include "kernels/cuda/common/launch.hpp"
#include "kernels/cuda/hopper/backward/kernel/consumer.cuh"
#include "kernels/cuda/hopper/backward/kernel/helpers.cuh"
#include "kernels/cuda/hopper/backward/kernel/launch.hpp"
#include "kernels/cuda/hopper/backward/kernel/prepare.cuh"

namespace triscope::hopper::backward {

inline constexpr int kRowsAtOnce = 2;  ///< of a thread before the tiles; four took longer, of small problems 1.5 %

template <int kHeadDim, bool kCross, bool kDeterministic>
__global__ void __launch_bounds__(kThreads, 1)
    hopper_backward(const __grid_constant__ TensorMaps maps, const __grid_constant__ BackwardParameters p,
                    const __grid_constant__ Preparation to) {
  using L = Layout<kHeadDim, kDeterministic>;
  extern __shared__ __align__(1024) unsigned char shared[];
  const std::uint32_t memory = shared_address(shared);
  const int warpgroup = __shfl_sync(0xFFFFFFFFu, static_cast<int>(threadIdx.x) >> 7, 0);
  if (threadIdx.x == 0) Barriers{memory + L::kBarriers}.init(kDeterministic);
  using Before = Prepare<kHeadDim, kThreads, kRowsAtOnce>;
  Before(p, to, *reinterpret_cast<typename Before::Scratch*>(shared)).run();
  // What was written, by any CTA, is read and added to by the copy engine, here and there.
  fence_async_proxy_of_all();
  cooperative_groups::this_grid().sync();
  fence_async_proxy_of_all();
  // 240 x 256 + 24 x 128 registers are the 168 x 384 that the launch reserves; 32 for the helpers would wait forever.
  if (warpgroup == 0) {
    lower_registers<24>();
    const int warp = static_cast<int>(threadIdx.x) >> 5;
    if (threadIdx.x % 32 != 0) return;
    if (warp == 0) {
      copy_tiles<kHeadDim, kDeterministic>(maps, p, memory);
    } else if (warp < 3) {
      Helper<kHeadDim, kDeterministic>(p, memory, warp - 1).run();
    } else {
      number_items(p, memory + L::kItems, Barriers{memory + L::kBarriers});
    }
  } else {
    raise_registers<240>();
    Consumer<kHeadDim, kCross, kDeterministic>(p, to.fixed, memory, warpgroup - 1).run();
  }
}

template <int kHeadDim, bool kCross, bool kDeterministic>
void launch_instance(const TensorMaps& maps, const BackwardParameters& p, const Preparation& to, int blocks,
                     cudaStream_t stream) {
  constexpr int kBytes = Layout<kHeadDim, kDeterministic>::kBytes;
  static SharedLimit limit(kBytes);
  const Launch launch = {.kernel = "hopper_backward",
                         .blocks = static_cast<unsigned>(blocks),
                         .threads = kThreads,
                         .shared_bytes = kBytes,
                         .shared_limit = &limit,
                         .stream = stream,
                         .together = true};
  BackwardParameters of_blocks = p;
  enqueue(launch, [&](const Launch& attempt) {
    share_items(of_blocks, static_cast<int>(attempt.blocks.x));
    return attempt(hopper_backward<kHeadDim, kCross, kDeterministic>, maps, of_blocks, to);
  });
}

}  // namespace triscope::hopper::backward
