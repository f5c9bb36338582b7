// The PTX and WGMMA wrappers of cuda.hopper one by one on a GPU: fragments and tile descriptors against plain sums,
// copies, mbarriers, conversions, the order of cross products and of rows, cooperative launches. Small integers as
// inputs, so every comparison is exact. Exit code 1 when something differs.
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/cuda/common/launch.hpp"
#include "kernels/cuda/hopper/common/loads.cuh"
#include "kernels/cuda/hopper/common/virtual_query.cuh"
#include "kernels/cuda/hopper/common/wgmma.cuh"
#include "kernels/cuda/hopper/forward/launch.hpp"

namespace triscope::hopper {
namespace {

using cuda::DeviceBuffer;

int failures = 0;

void expect(bool holds, const std::string& what) {
  std::printf("%s %s\n", holds ? "ok  " : "FAIL", what.c_str());
  if (!holds) ++failures;
}

constexpr int kDim = 128, kRows = 64;

/// Element i of a test tensor: an integer of -3 .. 3.
int small(int i, int salt) {
  return static_cast<int>((static_cast<unsigned>(i) * 2654435761u + static_cast<unsigned>(salt) * 40503u) >> 13) % 7 -
         3;
}

std::vector<__nv_bfloat16> small_tensor(int count, int salt) {
  std::vector<__nv_bfloat16> values(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    values[static_cast<std::size_t>(i)] = __float2bfloat16(static_cast<float>(small(i, salt)));
  return values;
}

template <typename T>
DeviceBuffer to_device(const std::vector<T>& values) {
  DeviceBuffer buffer(values.size() * sizeof(T));
  TRISCOPE_CUDA_CHECK(cudaMemcpy(buffer.data(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return buffer;
}
template <typename T>
std::vector<T> to_host(const DeviceBuffer& buffer, std::size_t count) {
  std::vector<T> values(count);
  TRISCOPE_CUDA_CHECK(cudaMemcpy(values.data(), buffer.data(), count * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

/// One warpgroup: scores[64 x kKeys] = Q K^T and products[64 x 128] = scores (as bf16) V, every operand by tensor map.
/// Tiles have kKeys + kShift rows; the products read them from row kShift on.
template <int kKeys, int kShift>
__global__ void __launch_bounds__(128)
    products_kernel(const __grid_constant__ CUtensorMap query_map, const __grid_constant__ CUtensorMap key_map,
                    const __grid_constant__ CUtensorMap value_map, float* scores, float* products) {
  extern __shared__ __align__(1024) std::uint8_t dynamic_memory[];
  constexpr int kTileRows = kKeys + kShift, kHalfTile = (kTileRows + 7) / 8 * 1024, kHalfQuery = kRows * 128;
  const std::uint32_t query = shared_address(dynamic_memory), keys = query + 2 * kHalfQuery,
                      values = keys + 2 * kHalfTile;
  const std::uint32_t barrier = values + 2 * kHalfTile;
  if (threadIdx.x == 0) {
    barrier_init(barrier, 3);
    fence_barrier_init();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    copy_halves<2>(query, kHalfQuery, &query_map, barrier, 2 * kHalfQuery, 0, 0, 0);
    copy_halves<2>(keys, kHalfTile, &key_map, barrier, 2 * kTileRows * 128, 0, 0, 0);
    copy_halves<2>(values, kHalfTile, &value_map, barrier, 2 * kTileRows * 128, 0, 0, 0);
  }
  barrier_wait(barrier, 0);
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) & 31,
            row = 16 * warp + lane / 4, c = lane & 3;
  std::uint32_t a[kDim / 4];
  const int tile_row = 16 * warp + (lane & 15);
  const std::uint32_t address = query + tile_row * 128 + (((lane >> 4) ^ (tile_row & 7)) << 4);
#pragma unroll
  for (int k = 0; k < 8; ++k)
    load_matrices((address ^ ((k & 3) << 5)) + (k >> 2) * kHalfQuery, a[4 * k], a[4 * k + 1], a[4 * k + 2],
                  a[4 * k + 3]);
  float s[kKeys / 2], o[kDim / 2];
#pragma unroll
  for (float& x : o) x = 0.0f;
  pin(a);
  wgmma_fence();
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    wgmma<false>(s, a[4 * k], a[4 * k + 1], a[4 * k + 2], a[4 * k + 3],
                 tile_descriptor(keys + kShift * 128, 16) + (k & 3) * 2 + (k >> 2) * (kHalfTile / 16), k > 0);
  }
  wgmma_commit();
  wgmma_wait<0>();
  pin(s);
  std::uint32_t weight[kKeys / 4];
#pragma unroll
  for (int x = 0; x < kKeys / 4; ++x) weight[x] = pack_bf16x2(s[2 * x], s[2 * x + 1]);
  pin(o);
  pin(weight);
  wgmma_fence();
#pragma unroll
  for (int k = 0; k < kKeys / 16; ++k) {
    wgmma<true>(o, weight[4 * k], weight[4 * k + 1], weight[4 * k + 2], weight[4 * k + 3],
                tile_descriptor(values + kShift * 128, kHalfTile) + k * 128, true);
  }
  wgmma_commit();
  wgmma_wait<0>();
  pin(o);
#pragma unroll
  for (int i = 0; i < kKeys / 2; ++i) scores[(row + (i & 2) * 4) * kKeys + 8 * (i / 4) + 2 * c + (i & 1)] = s[i];
#pragma unroll
  for (int i = 0; i < kDim / 2; ++i) products[(row + (i & 2) * 4) * kDim + 8 * (i / 4) + 2 * c + (i & 1)] = o[i];
}

/// The fragments, the descriptors of both orientations, the tensor maps, the swizzled load of A, and bytes on an
/// mbarrier.
template <int kKeys, int kShift = 0>
void check_products() {
  constexpr int kTileRows = kKeys + kShift;
  const auto q = small_tensor(kRows * kDim, 1), k = small_tensor(kTileRows * kDim, 2),
             v = small_tensor(kTileRows * kDim, 3);
  const DeviceBuffer dq = to_device(q), dk = to_device(k), dv = to_device(v), ds(kRows * kKeys * 4),
                     dout(kRows * kDim * 4);
  ForwardParameters p;
  p.q = dq.as<__nv_bfloat16>();
  p.tile_key = dk.as<__nv_bfloat16>();
  p.long_value = dv.as<__nv_bfloat16>();
  p.seq_len = kTileRows, p.q_heads = kRows, p.heads = kRows;
  const TensorMaps maps = make_tensor_maps(p, kTileRows);
  const int bytes = 2 * kRows * 128 + 4 * ((kTileRows + 7) / 8) * 1024 + 64;
  TRISCOPE_CUDA_CHECK(
      cudaFuncSetAttribute(products_kernel<kKeys, kShift>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  products_kernel<kKeys, kShift><<<1, 128, bytes>>>(maps.query, maps.key, maps.value, ds.as<float>(), dout.as<float>());
  check_launch("products");
  const auto scores = to_host<float>(ds, kRows * kKeys), products = to_host<float>(dout, kRows * kDim);
  int wrong_scores = 0, wrong_products = 0;
  for (int row = 0; row < kRows; ++row) {
    std::vector<float> expected(kKeys);
    for (int key = 0; key < kKeys; ++key) {
      int sum = 0;
      for (int d = 0; d < kDim; ++d) sum += small(row * kDim + d, 1) * small((key + kShift) * kDim + d, 2);
      expected[static_cast<std::size_t>(key)] = static_cast<float>(sum);
      if (scores[static_cast<std::size_t>(row * kKeys + key)] != static_cast<float>(sum)) ++wrong_scores;
    }
    for (int d = 0; d < kDim; ++d) {
      double sum = 0;
      for (int key = 0; key < kKeys; ++key) {
        sum += static_cast<double>(__bfloat162float(__float2bfloat16(expected[static_cast<std::size_t>(key)]))) *
               small((key + kShift) * kDim + d, 3);
      }
      if (products[static_cast<std::size_t>(row * kDim + d)] != static_cast<float>(sum)) ++wrong_products;
    }
  }
  expect(wrong_scores == 0, "Q K^T of a tile of " + std::to_string(kKeys) + " keys from row " + std::to_string(kShift) +
                                " on: " + std::to_string(wrong_scores) + " wrong");
  expect(wrong_products == 0, "P V of it, read transposed: " + std::to_string(wrong_products) + " wrong");
}

// --- arithmetic
// -----------------------------------------------------------------------------------------------------------

__global__ void arithmetic_kernel(const float* x, int count, float* exponentials, std::uint32_t* packed,
                                  std::uint32_t* multiplied) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    exponentials[i] = fast_exp2(x[i]);
    packed[i] = pack_bf16x2(x[i], x[(i + 1) % count]);
    multiplied[i] = multiply_bf16x2(pack_bf16x2(x[i], x[i]), pack_bf16x2(x[(i + 7) % count], 2.0f));
  }
}

void check_arithmetic() {
  std::vector<float> x;
  for (int i = -1300; i <= 1200; ++i) x.push_back(0.1f * static_cast<float>(i) + 0.003f);
  x.push_back(-INFINITY);
  const int count = static_cast<int>(x.size());
  const DeviceBuffer dx = to_device(x), de(x.size() * 4), dp(x.size() * 4), dm(x.size() * 4);
  arithmetic_kernel<<<1, 256>>>(dx.as<float>(), count, de.as<float>(), dp.as<std::uint32_t>(), dm.as<std::uint32_t>());
  check_launch("arithmetic");
  const auto e = to_host<float>(de, x.size());
  const auto packed = to_host<std::uint32_t>(dp, x.size()), multiplied = to_host<std::uint32_t>(dm, x.size());
  const auto bits = [](float value) {
    return static_cast<std::uint32_t>(__bfloat16_as_ushort(__float2bfloat16(value)));
  };
  const auto rounded = [](float value) { return __bfloat162float(__float2bfloat16(value)); };
  double worst = 0;
  int wrong_pack = 0, wrong_product = 0;
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    const double exact = std::exp2(static_cast<double>(x[i]));
    if (exact > 1.2e-38) worst = std::max(worst, std::abs(static_cast<double>(e[i]) / exact - 1.0));
    if (packed[i] != (bits(x[i]) | bits(x[i + 1]) << 16)) ++wrong_pack;
    const float other = rounded(x[(i + 7) % x.size()]);
    if (std::isfinite(other) && multiplied[i] != (bits(rounded(x[i]) * other) | bits(rounded(x[i]) * 2.0f) << 16))
      ++wrong_product;
  }
  expect(worst < 3e-7 && e.back() == 0.0f,
         "2^x within 3e-7 and 2^-inf = 0: worst " + std::to_string(worst * 1e9) + "e-9");
  expect(wrong_pack == 0, "pairs rounded to bf16");
  expect(wrong_product == 0, "products of bf16 pairs");
}

// --- the order of cross products
// --------------------------------------------------------------------------------------------

template <int kHeadDim>
void check_order() {
  constexpr int kKeyRows = 37, kBlockDims = kHeadDim / 24 * 24;
  std::vector<std::uint16_t> keys(kKeyRows * kHeadDim);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint16_t>(i);
  const DeviceBuffer source = to_device(keys), target(keys.size() * 2);
  launch_reorder(source.as<__nv_bfloat16>(), target.as<__nv_bfloat16>(), keys.size() * 2, kHeadDim, nullptr);
  const auto got = to_host<std::uint16_t>(target, keys.size());
  int wrong = 0;
  for (int row = 0; row < kKeyRows; ++row) {
    for (int d = 0; d < kHeadDim; ++d) {
      // Lane c has chunks 2 c and 2 c + 1 of a block of 8; coordinate j of both makes word 4 j + c of the block.
      const int c = d % 24 / 6, half = d % 6 / 3, j = d % 3;
      const int place = d < kBlockDims ? d / 24 * 24 + 2 * (4 * j + c) + half : d;
      if (got[static_cast<std::size_t>(row * kHeadDim + place)] != keys[static_cast<std::size_t>(row * kHeadDim + d)])
        ++wrong;
    }
  }
  expect(wrong == 0, "order of cross products, head_dim " + std::to_string(kHeadDim));
  for (int d = 0; d < kHeadDim / 3 * 3; ++d) {
    if (cross_a(d) / 3 != d / 3 || cross_b(d) / 3 != d / 3 || (cross_a(d) - d + 3) % 3 != 1 ||
        (cross_b(d) - d + 3) % 3 != 2)
      ++wrong;
  }
  expect(wrong == 0, "partners of a dimension follow it cyclically in its chunk");
}

// --- the order of rows
// ------------------------------------------------------------------------------------------------------

void check_rows() {
  bool neighbours = true;
  unsigned seen = 0, lines[2] = {0, 0};
  for (int m = 0; m < 16; ++m) {
    seen |= 1u << paired_row(m);
    lines[m / 8] |= 1u << (paired_row(m) & 7);
    neighbours = neighbours && paired_row(m) / 2 == paired_row(m & 7) / 2;
  }
  const bool permutes = seen == 0xFFFFu, banks = lines[0] == 0xFFu && lines[1] == 0xFFu;
  expect(permutes && neighbours, "rows g and g + 8 of a WGMMA are two neighbours of the query tile");
  expect(banks, "the eight rows that ldmatrix reads at once lie in different banks");
}

// --- blocks that wait for one another
// ------------------------------------------------------------------------------------------------------

/// seen[0]: blocks that have begun; seen[1]: those that found all begun behind the wait; seen[2]: of how many.
__global__ void wait_for_all(int* seen) {
  const auto grid = cooperative_groups::this_grid();
  if (threadIdx.x == 0) atomicAdd(seen, 1);
  grid.sync();
  if (threadIdx.x != 0) return;
  if (*static_cast<volatile int*>(seen) == static_cast<int>(gridDim.x)) atomicAdd(seen + 1, 1);
  if (blockIdx.x == 0) seen[2] = static_cast<int>(gridDim.x);
}

void check_cooperative() {
  constexpr int kTooMany = 1 << 20, kBlock = 64;
  int multiprocessors = 0, of_multiprocessor = 0;
  TRISCOPE_CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  TRISCOPE_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_multiprocessor, wait_for_all, kBlock, 0));
  const int room = multiprocessors * of_multiprocessor;
  for (const int blocks : {1, 100, kTooMany}) {
    const DeviceBuffer memory(3 * sizeof(int));
    TRISCOPE_CUDA_CHECK(cudaMemset(memory.data(), 0, memory.bytes()));
    const Launch launch = {
        .kernel = "wait_for_all", .blocks = static_cast<unsigned>(blocks), .threads = kBlock, .together = true};
    const int launched =
        enqueue(launch, [&](const Launch& attempt) { return attempt(wait_for_all, memory.as<int>()); });
    int seen[3] = {};
    TRISCOPE_CUDA_CHECK(cudaMemcpy(seen, memory.data(), sizeof seen, cudaMemcpyDeviceToHost));
    const bool all = seen[0] == launched && seen[1] == launched && seen[2] == launched;
    const bool fills = blocks == kTooMany ? launched <= room && 16 * launched >= 15 * room : launched == blocks;
    expect(all && fills,
           std::to_string(blocks) + " blocks that wait for one another: launched as " + std::to_string(seen[2]));
  }
}

int run() {
  check_cooperative();
  check_products<64>();
  check_products<80>();
  check_products<96>();
  check_products<112>();
  check_products<128>();
  check_products<128, 1>();
  check_arithmetic();
  check_order<128>();
  check_order<64>();
  check_rows();
  std::printf("%d failed\n", failures);
  return failures;
}

}  // namespace
}  // namespace triscope::hopper

int main() {
  try {
    return triscope::hopper::run() == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
