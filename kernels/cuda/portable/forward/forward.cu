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
// Registers a thread, D 128: O 64, T 64, q~ 32, S 32. Shared memory 3 * 64 * D * 2 bytes (48 KB) + 1 KB.
//
// Measured on an H200, 2026-11-21, 512x32, 64 query heads on one kv head, D 128, N 8192: 260 TFLOP/s useful,
// determinant 262; FlashAttention-2's causal forward at 8192, 16 heads, in the same run: 286. Reading the tile's facts
// from shared memory in the inner loop, instead of holding them in registers, costs 14 %.
#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/cuda/portable/common/shape.hpp"
#include "kernels/cuda/portable/common/tensor_core.cuh"
#include "kernels/cuda/portable/common/virtual_query.cuh"

namespace triscope::portable {
namespace {

constexpr int kKeys = 64;              // long keys a step
constexpr float kMaximumSlack = 8.0f;  // in log2 units

template <int D>
struct ForwardShared {
  alignas(256) bf16 keys[kKeys * D];
  alignas(256) bf16 values[kKeys * D];
  alignas(256) bf16 virtual_queries[kTileRows * D];
  RowTable<kTileRows> rows;
  TileFacts tile;
};

/// Sets logits outside the windows to -inf. Element (n, e) is row e / 2 (8 rows apart, positions given), key
/// first_key + 8 n + e % 2.
__device__ inline void mask_logits(float (&s)[kKeys / 8][4], int first_key, int position0, int position1, int shift,
                                   int window) {
  const int high[2] = {shift <= position0 ? position0 : -1, shift <= position1 ? position1 : -1};
  const int low[2] = {position0 - window + 1, position1 - window + 1};
#pragma unroll
  for (int n = 0; n < kKeys / 8; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int key = first_key + n * 8 + e % 2;
      if (key < low[e / 2] || key > high[e / 2]) s[n][e] = -INFINITY;
    }
  }
}

/// The softmax state of a thread's two rows, in log2 units.
struct Softmax {
  float maximum[2] = {-INFINITY, -INFINITY};  ///< the reference; at most kMaximumSlack below the true maximum
  float sum[2] = {0.0f, 0.0f};                ///< of this thread's columns only
};

/// Replaces logits by probabilities relative to the reference; rescales both accumulators when the reference moves.
template <int N>
__device__ inline void soften(float (&s)[kKeys / 8][4], float scale, Softmax& state, float (&o)[N][4],
                              float (&t)[N][4]) {
  float reference[2];
  bool moves = false;
  float factor[2] = {1.0f, 1.0f};
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    float top = fmaxf(s[0][2 * r], s[0][2 * r + 1]);
#pragma unroll
    for (int n = 1; n < kKeys / 8; ++n) top = fmaxf(top, fmaxf(s[n][2 * r], s[n][2 * r + 1]));
    top = fmaxf(top, __shfl_xor_sync(0xFFFFFFFFu, top, 1));
    top = fmaxf(top, __shfl_xor_sync(0xFFFFFFFFu, top, 2)) * scale;
    if (top > state.maximum[r] + kMaximumSlack) {
      factor[r] = exp2_fast(state.maximum[r] - top);
      state.maximum[r] = top;
      moves = true;
    }
    reference[r] = state.maximum[r] == -INFINITY ? 0.0f : state.maximum[r];
  }
  if (__any_sync(0xFFFFFFFFu, moves)) {
#pragma unroll
    for (int n = 0; n < N; ++n) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        o[n][e] *= factor[e / 2];
        t[n][e] *= factor[e / 2];
      }
    }
    state.sum[0] *= factor[0];
    state.sum[1] *= factor[1];
  }
#pragma unroll
  for (int n = 0; n < kKeys / 8; ++n) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      s[n][e] = exp2_fast(fmaf(s[n][e], scale, -reference[e / 2]));
      state.sum[e / 2] += s[n][e];
    }
  }
}

/// o += (v_short + bias) * t for the thread's two rows, whose short positions are given.
template <int D>
__device__ inline void add_values(float (&o)[D / 8][4], const float (&t)[D / 8][4], const bf16* row0, const bf16* row1,
                                  float bias, int head_dim) {
#pragma unroll
  for (int n = 0; n < D / 8; ++n) {
    if (n * 8 >= head_dim) break;
    const uint32_t v0 = __ldg(reinterpret_cast<const uint32_t*>(row0 + n * 8));
    const uint32_t v1 = __ldg(reinterpret_cast<const uint32_t*>(row1 + n * 8));
    o[n][0] = fmaf(low_float(v0) + bias, t[n][0], o[n][0]);
    o[n][1] = fmaf(high_float(v0) + bias, t[n][1], o[n][1]);
    o[n][2] = fmaf(low_float(v1) + bias, t[n][2], o[n][2]);
    o[n][3] = fmaf(high_float(v1) + bias, t[n][3], o[n][3]);
  }
}

/// Normalises a warp's 16 rows, writes o (through `tile`, the warp's own part of shared memory) and the LSE.
template <int D>
__device__ inline void write_rows(const float (&o)[D / 8][4], const Softmax& state, const Shape& shape,
                                  const Tensors& tensors, const RowTable<kTileRows>& rows, int batch, int first_row,
                                  bf16* tile) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const uint32_t address = shared_address(tile);
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int row = lane / 4 + 8 * r;
    float sum = state.sum[r];
    sum += __shfl_xor_sync(0xFFFFFFFFu, sum, 1);
    sum += __shfl_xor_sync(0xFFFFFFFFu, sum, 2);
    float maximum = state.maximum[r];
    const int head = rows.head[first_row + row];
    const int position = rows.position[first_row + row];
    float factor = 1.0f;
    if (tensors.sink != nullptr) {
      const float sink = tensors.sink[head] * kLog2E;
      const float top = fmaxf(maximum, sink);
      factor = exp2_fast(maximum - top);
      sum = sum * factor + exp2_fast(sink - top);
      maximum = top;
    }
    factor /= sum;
    if (position >= 0 && lane % 4 == 0) {
      tensors.lse[(std::int64_t{batch} * shape.q_heads + head) * shape.seq_len + position] =
          kLn2 * (maximum + log2f(sum));
    }
#pragma unroll
    for (int n = 0; n < D / 8; ++n) {
      const uint32_t pair = pack(o[n][2 * r] * factor, o[n][2 * r + 1] * factor);
      asm volatile("st.shared.b32 [%0], %1;" ::"r"(address + tile_offset<D>(row, n) + lane % 4 * 4), "r"(pair)
                   : "memory");
    }
  }
  __syncwarp();
  const uint4* chunks = reinterpret_cast<const uint4*>(tile);
  for (int unit = lane; unit < 16 * D / 8; unit += 32) {
    const int row = unit / (D / 8);
    const int chunk = unit % (D / 8);
    if (rows.position[first_row + row] < 0 || chunk * 8 >= shape.head_dim) continue;
    bf16* out = static_cast<bf16*>(tensors.o) + rows.offset[first_row + row] + chunk * 8;
    *reinterpret_cast<uint4*>(out) = chunks[tile_offset<D>(row, chunk) / 16];
  }
}

template <int D>
__global__ void __launch_bounds__(kThreads, D == 64 ? 3 : 2)
    portable_forward(const Shape shape, const Tensors tensors) {
  extern __shared__ __align__(256) unsigned char memory[];
  ForwardShared<D>& shared = *reinterpret_cast<ForwardShared<D>*>(memory);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int first_row = static_cast<int>(threadIdx.x) / 32 * 16;
  const std::int64_t rows = std::int64_t{shape.seq_len} * shape.group;
  const int tiles = static_cast<int>((rows + kTileRows - 1) / kTileRows);
  const int pair = static_cast<int>(blockIdx.x) / tiles;
  const int tile = tiles - 1 - static_cast<int>(blockIdx.x) % tiles;  // late positions, with full windows, first
  const int batch = pair / shape.kv_heads;
  const int kv_head = pair % shape.kv_heads;
  begin_tile(shared.rows, shared.tile, shape, batch, kv_head, std::int64_t{tile} * kTileRows);
  const TileFacts facts = shared.tile;
  const Span span = span_of(shared.rows, first_row, 16, shape);
  const int* positions = shared.rows.position + first_row + lane / 4;  // of the thread's rows: [0] and [8]

  const bf16* long_k = static_cast<const bf16*>(tensors.long_k);
  const bf16* long_v = static_cast<const bf16*>(tensors.long_v);
  const bf16* short_v = static_cast<const bf16*>(tensors.short_v) + lane % 4 * 2;
  const uint32_t keys = shared_address(shared.keys);
  const uint32_t values = shared_address(shared.values);
  bf16* own_queries = shared.virtual_queries + first_row * D;

  float o[D / 8][4];
  clear(o);
  Softmax state;
  load_tile<D, kKeys>(keys, long_k, facts.key_rows, facts.key_begin, facts.last_position, shape.head_dim);
  copy_commit();
  for (int shift = 0; shift < facts.shifts; ++shift) {
    form_virtual_queries<D, 2>(shared_address(own_queries), shared.rows, first_row, 16, lane, 32, shape,
                               static_cast<const bf16*>(tensors.q), static_cast<const bf16*>(tensors.short_k),
                               facts.key_rows, shift);
    __syncwarp();
    uint32_t q[D / 16][4];
#pragma unroll
    for (int step = 0; step < D / 16; ++step) {
      load_matrices(q[step], FragmentAddress<D>::a(shared_address(own_queries), lane) ^ (step << 5));
    }
    __syncwarp();
    float t[D / 8][4];
    clear(t);
    for (int first_key = facts.key_begin; first_key <= facts.last_position; first_key += kKeys) {
      const Overlap overlap = overlap_of(span, first_key, kKeys, shift, shape.long_window);
      copy_wait_all();
      __syncthreads();
      load_tile<D, kKeys>(values, long_v, facts.key_rows, first_key, facts.last_position, shape.head_dim);
      copy_commit();
      uint32_t p[kKeys / 16][4];
      if (overlap.any) {
        float s[kKeys / 8][4];
        clear(s);
        multiply_rows<D>(
            s, [&](int step) -> const uint32_t(&)[4] { return q[step]; }, FragmentAddress<D>::b_rows(keys, lane));
        if (!overlap.full)
          mask_logits(s, first_key + lane % 4 * 2, positions[0], positions[8], shift, shape.long_window);
        soften(s, shape.exponent_scale, state, o, t);
        pack_fragments(p, s);
      }
      copy_wait_all();
      __syncthreads();
      const bool more = first_key + kKeys <= facts.last_position;
      if (more || shift + 1 < facts.shifts) {
        const int next = more ? first_key + kKeys : facts.key_begin;
        load_tile<D, kKeys>(keys, long_k, facts.key_rows, next, facts.last_position, shape.head_dim);
        copy_commit();
      }
      if (overlap.any) multiply_columns<D>(t, p, FragmentAddress<D>::b_columns(values, lane));
    }
    add_values<D>(o, t, short_v + facts.key_rows.at(max(positions[0] - shift, 0)),
                  short_v + facts.key_rows.at(max(positions[8] - shift, 0)), shape.value_bias, shape.head_dim);
  }
  write_rows<D>(o, state, shape, tensors, shared.rows, batch, first_row, own_queries);
}

template <int D>
void launch(const Shape& shape, const Tensors& tensors, cudaStream_t stream) {
  constexpr int kBytes = sizeof(ForwardShared<D>);
  TRISCOPE_CUDA_CHECK(cudaFuncSetAttribute(portable_forward<D>, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
  portable_forward<D>
      <<<static_cast<unsigned>(shape.row_tiles() * shape.pairs()), kThreads, kBytes, stream>>>(shape, tensors);
  check_launch("portable_forward");
}

}  // namespace

void launch_forward(const Shape& shape, const Tensors& tensors, cudaStream_t stream) {
  shape.padded_dim() == 64 ? launch<64>(shape, tensors, stream) : launch<128>(shape, tensors, stream);
}

}  // namespace triscope::portable
