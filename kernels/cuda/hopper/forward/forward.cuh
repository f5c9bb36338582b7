// cuda.hopper forward, sm_90a.
//
//   logit_ijk = scale * sum_d q~_id K_jd,  q~ = q * k_short (trilinear) or k_short x q per chunk of 3 (determinant)
//   o_id = sum_jk softmax_jk(logit) V_jd v_short,kd      lse_i = ln sum_jk exp(logit)
//
// K, V: keys and values of the long axis; k_short, v_short: of the axis with the shorter window, which is folded into
// the query. q, o [batch, seq_len, q_heads, D]; keys and values [batch, seq_len, kv_heads, D]; bf16. lse [batch,
// q_heads, seq_len] fp32, natural log.
//
// One persistent CTA for each SM, 384 threads. Who does what, and what lies between them in shared memory:
//
//   warpgroup 0                             shared memory                    warpgroups 1-2 (consumers, 64 rows each)
//   warp 0, one thread: load.cuh     -->    q, 1 or 2 buffers          -->   queries.cuh    q~ = q * k_short
//                                    -->    K, V: 2 or 3 tiles each    -->   products.cuh   S = q~ K^T, A += P V
//   warps 1-3: short_axis.cuh        -->    ring of short-axis rows:   -->                  (queries.cuh)
//                                           keys
//                                           ratios of values           -->   rescale.cuh    A *= v_previous / v_next
//                                                                            mask.cuh, softmax.cuh   P = 2^(S - ref)
//                                                                            epilogue.cuh   o, lse to global memory
//   Each arrow has a pair of barriers, full and empty: barrier_table.hpp. The order of a consumer's stages:
//   mainloop.cuh.
//
// The way through a work item (work_item.hpp), which is 64 or 128 rows: `heads` query heads at each of `positions`
// consecutive positions. Row r of position i uses short-axis row i - t on step t: every row runs the same steps, and
// nothing is wasted on that axis. K and V leave L2 once an item, not once a step.
//
//            step t (short-axis row i - t)
//              0   1   2  ...  w_short-1
//            +---+---+---+---+---+
//   pass 0   | > | > | > | > | > |--+  K, V tiles 0 and 1 (a chunk: as many as are resident)
//            +---+---+---+---+---+  |
//   pass 1   | < | < | < | < | < |<-+  K, V tiles 2 and 3; backwards, so that between two passes only the tiles change
//            +---+---+---+---+---+
//
// Windows on the long axis differ by up to positions - 1 keys: masked at the edges.
//
// 64 heads: two positions, one for each warpgroup, whose tiles begin a row apart (config.hpp: paired_positions). 512
// keys are four tiles of 128 for both, where 128 rows that share tiles need 513 keys and five of them. At 512x32 that
// is 722 TFLOP/s; with shared tiles it was 691.
// 8 to 32 heads: 512 keys and the positions' spread are five tiles of 112. Three stay in the first pass, two in the
// second, and the last has 80 columns only (resident_tiles, short_keys). At 512x32 and 32 heads that is 655 TFLOP/s;
// with whole tiles, two at a time, it was 590.
//
// Registers: consumers 240 (S 64, A 64, P 32, Q~ 32, keys 16 at D 128), producers 24. Shared memory: layout.hpp; 128 to
// 136 KB tiles and 2 x 32 KB Q, or 168 KB and 32 KB; the ring of short-axis rows. Rates: docs/notebook.md.
//
// Limits: bf16, D 64 or 128, causal windows, forward. Biases fold axis 2 whatever its window. Rounding: q~ (how:
// Product in common/product.hpp) is rounded to bf16, in half instances to fp16, P to bf16, o once at the end;
// everything else is fp32. A v_short of 0 counts as 2^-60 (short_axis.cuh).
//
// Half instances make S from fp16 operands, eight times finer. The kernel in front, the same instance in bf16, begins
// by giving them both keys in fp16 (half_operands.cuh), and where these do not fit makes all rows itself; q is turned
// to fp16 in shared memory, once an item, by the short axis' warps.
#pragma once

#include <cuda_runtime.h>

#include "kernels/cuda/hopper/forward/epilogue.cuh"
#include "kernels/cuda/hopper/forward/half_operands.cuh"
#include "kernels/cuda/hopper/forward/instances.hpp"
#include "kernels/cuda/hopper/forward/load.cuh"
#include "kernels/cuda/hopper/forward/mainloop.cuh"
#include "kernels/cuda/hopper/forward/repair.cuh"
#include "kernels/cuda/hopper/forward/short_axis.cuh"

namespace triscope::hopper {

/// Barriers, the repair's flag, the row of ones, rows' positions, and zeros for query rows that no copy writes. All
/// threads.
template <TileConfig kConfig>
__device__ __forceinline__ void prepare_shared_memory(const ForwardParameters& p, std::uint32_t memory) {
  using L = Layout<kConfig>;
  if (threadIdx.x == 0) {
    Barriers{memory + L::kBarriers}.init();
    store_shared_1(memory + L::kRepairFlag, 0);
  }
  for (int i = threadIdx.x; i < L::kRatioRowBytes / 4; i += kThreads)
    store_shared_1(memory + L::kOnes + 4 * i, __float_as_uint(1.0f));
  for (int i = threadIdx.x; i < L::kQueryBuffers * L::kQueryBytes / 16; i += kThreads) {
    store_shared_4(memory + L::kQuery + 16 * i, 0, 0, 0, 0);
  }
  for (int row = threadIdx.x; row < L::kQueryRows; row += kThreads) {
    store_shared_1(memory + L::kPositions + 4 * row, static_cast<std::uint32_t>(min(row / p.heads, p.positions - 1)));
  }
  fence_async_proxy();
  __syncthreads();
}

/// The consumer warpgroups, until the CTA's items are done.
template <TileConfig kConfig>
__device__ __forceinline__ void consume(const ForwardParameters& p, std::uint32_t memory) {
  using L = Layout<kConfig>;
  const int thread = threadIdx.x & (kWarpgroupThreads - 1);
  const int lane = thread & 31;
  Consumer<kConfig> me{.p = p,
                       .memory = memory,
                       .barriers = {memory + L::kBarriers},
                       .warpgroup = __shfl_sync(0xFFFFFFFFu, static_cast<int>(threadIdx.x) / kWarpgroupThreads, 0) - 1,
                       .row = thread / 32 * 16 + Consumer<kConfig>::row_in_warp(lane / 4),
                       .lane = lane,
                       .c = lane & 3,
                       .leader = lane == 0,
                       .ring = memory + L::kRing + (lane & 3) * 16};  // the rest begins as 0
  if (kConfig.takes_turns && me.warpgroup == 1) give_turn(me.warpgroup);
  Epilogue<kConfig> epilogue{.p = p};
  for (int index = blockIdx.x; index < p.items; index += gridDim.x) {
    begin_item(me, index);
    run_item(me, [&](int t) { epilogue.load_factors(me, t); });
    epilogue.finish(me);
  }
  repair_rows<kConfig>(p, memory, me.warpgroup * 4 + thread / 32, lane);
}

/// False when this launch's rows are made by another kernel: the half instance, or the one in front of it. All threads.
template <TileConfig kConfig>
__device__ __forceinline__ bool is_wanted(const ForwardParameters& p, void* memory) {
  if constexpr (is_half(kConfig.product)) {
    wait_for_previous_kernel();
    return __ldcg(p.in_bf16) == 0;
  } else if constexpr (!Layout<kConfig>::kWideKeys) {
    using Operands = MakeHalfOperands<kConfig.head_dim, Layout<kConfig>::kCross>;
    static_assert(sizeof(typename Operands::Shared) <= Layout<kConfig>::kRing);
    if (p.half.tile_key == nullptr) return true;
    return Operands(p, *static_cast<typename Operands::Shared*>(memory)).run();
  } else {
    return true;
  }
}

template <int kInstance>  // its place in the table: nvcc 13.0 cannot name a kernel whose template argument is a struct
__global__ void __launch_bounds__(kThreads, 1)
    forward_kernel(const __grid_constant__ CUtensorMap query_map, const __grid_constant__ CUtensorMap key_map,
                   const __grid_constant__ CUtensorMap value_map, const __grid_constant__ ForwardParameters p) {
  constexpr TileConfig kConfig = kInstances[kInstance].config;
  extern __shared__ __align__(1024) std::uint8_t dynamic_memory[];
  if (!is_wanted<kConfig>(p, dynamic_memory)) return;
  const std::uint32_t memory = shared_address(dynamic_memory);
  const int warp = __shfl_sync(0xFFFFFFFFu, static_cast<int>(threadIdx.x) / 32, 0);
  ShortAxis<kConfig>(p, memory, warp, static_cast<int>(threadIdx.x & 31)).write_first_rows();
  prepare_shared_memory<kConfig>(p, memory);
  if (warp < 4) {
    lower_registers<Layout<kConfig>::kProducerRegisters>();
    if (warp > 0) {
      ShortAxis<kConfig>(p, memory, warp - 1, static_cast<int>(threadIdx.x & 31)).run();
    } else if (threadIdx.x == 0) {
      load_tiles<kConfig>(p, memory, &query_map, &key_map, &value_map);
    }
  } else {
    raise_registers<Layout<kConfig>::kConsumerRegisters>();
    consume<kConfig>(p, memory);
  }
}

}  // namespace triscope::hopper
