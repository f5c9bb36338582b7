#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/base/philox.hpp"
#include "tests/cuda/hopper/hopper_device.hpp"
#include "tests/cuda/hopper/hopper_reference.cuh"

namespace triscope::bench {
namespace {

using cuda::DeviceBuffer;

__device__ std::int64_t first_index() { return blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; }
__device__ std::int64_t index_step() { return static_cast<std::int64_t>(gridDim.x) * blockDim.x; }

__global__ void fill(__nv_bfloat16* values, std::int64_t count, std::uint32_t stream, float factor) {
  for (std::int64_t i = first_index(); i < count; i += index_step()) {
    values[i] = __float2bfloat16(factor * round_to_bf16(unit_normal(static_cast<std::uint64_t>(i), stream, 7)));
  }
}

/// The power of two that `inputs` multiplies dimension `d` of q (`which` 0), k1 or k2 by; their product is 1, or what
/// the case's scale makes up for. Dimensions of a chunk share it, so that a determinant keeps its logits too.
__device__ int exponent_of(Inputs inputs, int which, int d) {
  if (inputs == Inputs::large_queries) return which == 0 ? 16 : 0;
  if (inputs == Inputs::tiny_keys) return which == 0 ? 110 : which == 1 ? -110 : 0;
  if (inputs != Inputs::scaled_channels) return 0;
  const int first = 7 * (d / 3) % 25 - 12, second = 5 * (d / 3) % 31 - 20;
  return which == 0 ? -first - second : which == 1 ? first : second;
}

/// Inputs::rows_beyond: `x`, dimension `d` of row `row` of tensor `which`, or what takes its place in the first chunk.
/// There q is (2^12 or 0, 0, 0), k2 (c, c, 0) with c = 2^5 in odd rows and 2^-6 in even ones, and k1 (-e, ., e) with
/// e = 2^-14, in each 64th row 1. So a large row and an odd k2 have the product 2^17, beyond fp16's 65504: q k2 in
/// dimension 0, -q k2 in dimension 2 of a determinant. Times k1 it is -8, or -2^17 in each 64th row. Were it infinite,
/// all scores of the step would be -infinity, their weights 0, and the row wrong without a NaN: with half of its steps
/// missing, of which each pair weighs e^-1 to e^-0.7 of the others, its LSE would be 0.2 to 0.5 too small.
__device__ float beyond(float x, int which, int row, int d) {
  if (d > 2 || which > 2) return x;
  if (which == 0) return d == 0 && row % 3 == 0 ? 0x1p12f : 0.0f;
  if (which == 2) return d == 2 ? 0.0f : row % 2 == 1 ? 0x1p5f : 0x1p-6f;
  const float size = row % 64 == 0 ? 1.0f : 0x1p-14f;
  return d == 0 ? -size : d == 2 ? size : x;
}

/// Rewrites some elements of one tensor; `which`: see Device::tensor.
__global__ void shape_inputs(__nv_bfloat16* values, std::int64_t count, int heads, int head_dim, int seq_len, int which,
                             Inputs inputs) {
  if (which == 3) return;
  for (std::int64_t i = first_index(); i < count; i += index_step()) {
    const int d = static_cast<int>(i % head_dim);
    const int row = static_cast<int>(i / head_dim / heads % seq_len);
    const float unit = sqrtf(static_cast<float>(head_dim));  // a factor `unit` in one dimension is one nat
    float x = __bfloat162float(values[i]);
    if (which < 3) x = ldexpf(x, exponent_of(inputs, which, d));
    if (inputs == Inputs::rows_beyond) x = beyond(x, which, row, d);
    if (which == 4) {
      if (inputs == Inputs::zero_values && (row % 3 == 0 || d % 5 == 0)) x = 0.0f;
      if (inputs == Inputs::tiny_values && row % 4 == 1) x = d % 2 ? 1e-30f : 1e30f;
    } else if (d < 2 && inputs >= Inputs::rising_long && inputs <= Inputs::spikes) {
      x = 1.0f;
      if (which == 1 && d == 0 && inputs == Inputs::rising_long) x = unit * 200.0f * static_cast<float>(row) / 128.0f;
      if (which == 1 && d == 0 && inputs == Inputs::falling_long) x = unit * -200.0f * static_cast<float>(row) / 128.0f;
      if (which == 2 && d == 1 && inputs == Inputs::rising_short) x = unit * -150.0f * static_cast<float>(row % 37);
      if (which == 1 && d == 0 && inputs == Inputs::spikes) x = row % 97 == 60 ? unit * 300.0f : 0.0f;
      if (which == 2 && d == 1 && inputs == Inputs::spikes) x = row % 11 == 5 ? unit * 120.0f : 0.0f;
    }
    values[i] = __float2bfloat16(x);
  }
}

__global__ void count_not_finite(const __nv_bfloat16* values, std::int64_t count, unsigned long long* found) {
  for (std::int64_t i = first_index(); i < count; i += index_step()) {
    if (!isfinite(__bfloat162float(values[i]))) atomicAdd(found, 1ull);
  }
}
__global__ void count_different(const std::uint32_t* a, const std::uint32_t* b, std::int64_t count,
                                unsigned long long* found) {
  for (std::int64_t i = first_index(); i < count; i += index_step()) {
    if (a[i] != b[i]) atomicAdd(found, 1ull);
  }
}

std::vector<SampledRow> sample_rows(const Problem& problem, int count) {
  std::vector<SampledRow> rows;
  const std::int64_t total = problem.batch * problem.seq_len * problem.q_heads;
  const auto add = [&](std::int64_t n) {
    rows.push_back({static_cast<int>(n / problem.q_heads / problem.seq_len),
                    static_cast<int>(n / problem.q_heads % problem.seq_len), static_cast<int>(n % problem.q_heads)});
  };
  if (total <= count) {
    for (std::int64_t n = 0; n < total; ++n) add(n);
    return rows;
  }
  add(0);
  add(total - 1);
  for (int n = 2; n < count; ++n)
    add(static_cast<std::int64_t>(
        philox(static_cast<std::uint64_t>(n), 0, 99).x[0] * static_cast<std::uint64_t>(total) >> 32));
  return rows;
}

}  // namespace

Device::Device(const Kernel& kernel, const Case& test) : kernel_(kernel), problem_(test.problem) {
  instance_ = test.instance.empty() ? kernel.choose_instance(problem_, Pass::forward) : test.instance;
  const std::int64_t rows = problem_.batch * problem_.seq_len;
  queries_ = rows * problem_.q_heads * problem_.head_dim;
  const std::int64_t keys = rows * problem_.kv_heads * problem_.head_dim;
  const int kv_heads = static_cast<int>(problem_.kv_heads);
  arguments_.q = tensor(queries_, 0, test.inputs, static_cast<int>(problem_.q_heads));
  arguments_.k1 = tensor(keys, 1, test.inputs, kv_heads);
  arguments_.k2 = tensor(keys, 2, test.inputs, kv_heads);
  arguments_.v1 = tensor(keys, 3, test.inputs, kv_heads);
  arguments_.v2 = tensor(keys, 4, test.inputs, kv_heads);
  arguments_.o = buffer(static_cast<std::size_t>(queries_) * 2);
  arguments_.lse = static_cast<float*>(buffer(static_cast<std::size_t>(rows * problem_.q_heads) * 4));
  workspace_bytes_ = kernel.workspace_bytes(problem_, Pass::forward, instance_);
  arguments_.workspace = buffer(workspace_bytes_);
  if (problem_.sink) {
    const std::vector<float> sinks(static_cast<std::size_t>(problem_.q_heads), static_cast<float>(*problem_.sink));
    void* memory = buffer(sinks.size() * 4);
    TRISCOPE_CUDA_CHECK(cudaMemcpy(memory, sinks.data(), sinks.size() * 4, cudaMemcpyHostToDevice));
    arguments_.sink = static_cast<const float*>(memory);
  }
  counter_ = static_cast<unsigned long long*>(buffer(8));
  arguments_.lse_in_bf16 = static_cast<std::uint32_t*>(buffer(4));
  poison();
}

void Device::poison() {
  TRISCOPE_CUDA_CHECK(cudaMemset(arguments_.o, 0xFF, static_cast<std::size_t>(queries_) * 2));
  TRISCOPE_CUDA_CHECK(cudaMemset(arguments_.lse, 0xFF, static_cast<std::size_t>(queries_ / problem_.head_dim) * 4));
  TRISCOPE_CUDA_CHECK(cudaMemset(arguments_.workspace, 0xFF, workspace_bytes_));
  TRISCOPE_CUDA_CHECK(cudaMemset(arguments_.lse_in_bf16, 0xFF, 4));
}

bool Device::in_bf16() const {
  std::uint32_t word = 0;
  TRISCOPE_CUDA_CHECK(cudaMemcpy(&word, arguments_.lse_in_bf16, 4, cudaMemcpyDeviceToHost));
  return is_half(kernel_.fold(problem_, instance_)) && word != 0;
}

Fold Device::fold() const {
  const Fold fold = kernel_.fold(problem_, instance_);
  return in_bf16() ? bf16_fold(fold, problem_.form) : fold;
}

void Device::launch(void* stream) {
  arguments_.stream = stream;
  kernel_.launch(problem_, Pass::forward, instance_, arguments_);
}

void* Device::buffer(std::size_t bytes) {
  buffers_.emplace_back(std::max<std::size_t>(bytes, 256));
  return buffers_.back().data();
}

void* Device::tensor(std::int64_t count, int which, Inputs inputs, int heads) {
  auto* values = static_cast<__nv_bfloat16*>(buffer(static_cast<std::size_t>(count) * 2));
  const float peak = inputs == Inputs::peaked4 ? 4.0f : inputs == Inputs::peaked8 ? 8.0f : 1.0f;
  fill<<<1024, 256>>>(values, count, static_cast<std::uint32_t>(which), which == 0 ? peak : 1.0f);
  shape_inputs<<<1024, 256>>>(values, count, heads, static_cast<int>(problem_.head_dim),
                              static_cast<int>(problem_.seq_len), which, inputs);
  check_launch("fill");
  return values;
}

unsigned long long Device::read_counter() {
  unsigned long long found = 0;
  TRISCOPE_CUDA_CHECK(cudaMemcpy(&found, counter_, 8, cudaMemcpyDeviceToHost));
  return found;
}

std::uint64_t Device::checksum() const {
  std::uint64_t sum = 0xCBF29CE484222325;
  const auto add = [&sum](const void* device, std::size_t bytes) {
    std::vector<std::uint32_t> words(bytes / 4);
    TRISCOPE_CUDA_CHECK(cudaMemcpy(words.data(), device, bytes, cudaMemcpyDeviceToHost));
    for (const std::uint32_t word : words) sum = (sum ^ word) * 0x100000001B3;
  };
  add(arguments_.o, static_cast<std::size_t>(queries_) * 2);
  add(arguments_.lse, static_cast<std::size_t>(queries_ / problem_.head_dim) * 4);
  return sum;
}

std::vector<std::uint16_t> Device::values(int which) const {
  const std::int64_t count = queries_ / problem_.q_heads * problem_.kv_heads;
  std::vector<std::uint16_t> bits(static_cast<std::size_t>(count));
  TRISCOPE_CUDA_CHECK(
      cudaMemcpy(bits.data(), which == 3 ? arguments_.v1 : arguments_.v2, bits.size() * 2, cudaMemcpyDeviceToHost));
  return bits;
}

void Device::set_values(int which, const std::vector<std::uint16_t>& bits) {
  void* tensor = const_cast<void*>(which == 3 ? arguments_.v1 : arguments_.v2);  // the buffer is this object's own
  TRISCOPE_CUDA_CHECK(cudaMemcpy(tensor, bits.data(), bits.size() * 2, cudaMemcpyHostToDevice));
}

std::vector<float> Device::output() const {
  std::vector<std::uint16_t> bits(static_cast<std::size_t>(queries_));
  TRISCOPE_CUDA_CHECK(cudaMemcpy(bits.data(), arguments_.o, bits.size() * 2, cudaMemcpyDeviceToHost));
  std::vector<float> values;
  for (const std::uint16_t word : bits) values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(word) << 16));
  return values;
}

unsigned long long Device::not_finite() {
  TRISCOPE_CUDA_CHECK(cudaMemset(counter_, 0, 8));
  count_not_finite<<<1024, 256>>>(static_cast<const __nv_bfloat16*>(arguments_.o), queries_, counter_);
  return read_counter();
}

unsigned long long Device::differs_when_repeated() {
  const std::size_t o_bytes = static_cast<std::size_t>(queries_) * 2,
                    lse_bytes = static_cast<std::size_t>(queries_ / problem_.head_dim) * 4;
  const DeviceBuffer o(o_bytes), lse(lse_bytes);
  TRISCOPE_CUDA_CHECK(cudaMemcpy(o.data(), arguments_.o, o_bytes, cudaMemcpyDeviceToDevice));
  TRISCOPE_CUDA_CHECK(cudaMemcpy(lse.data(), arguments_.lse, lse_bytes, cudaMemcpyDeviceToDevice));
  poison();
  launch();
  TRISCOPE_CUDA_CHECK(cudaMemset(counter_, 0, 8));
  count_different<<<1024, 256>>>(o.as<std::uint32_t>(), static_cast<const std::uint32_t*>(arguments_.o), queries_ / 2,
                                 counter_);
  count_different<<<1024, 256>>>(lse.as<std::uint32_t>(), reinterpret_cast<const std::uint32_t*>(arguments_.lse),
                                 queries_ / problem_.head_dim, counter_);
  return read_counter();
}

Comparison Device::compare(Fold fold, int count) const {
  const Problem& problem = problem_;
  const Arguments& arguments = arguments_;
  const std::vector<SampledRow> rows = sample_rows(problem, count);
  const auto tensor = [](const void* x) { return static_cast<const __nv_bfloat16*>(x); };
  const ReferenceProblem reference{tensor(arguments.q),
                                   tensor(arguments.k1),
                                   tensor(arguments.k2),
                                   tensor(arguments.v1),
                                   tensor(arguments.v2),
                                   arguments.sink,
                                   static_cast<int>(problem.seq_len),
                                   static_cast<int>(problem.q_heads),
                                   static_cast<int>(problem.kv_heads),
                                   static_cast<int>(problem.head_dim),
                                   static_cast<int>(std::min(problem.window1, problem.seq_len)),
                                   static_cast<int>(std::min(problem.window2, problem.seq_len)),
                                   problem.effective_scale(),
                                   problem.k2_bias,
                                   problem.v2_bias,
                                   problem.form == Form::determinant,
                                   fold};
  const std::size_t dim = static_cast<std::size_t>(problem.head_dim);
  DeviceBuffer row_buffer(rows.size() * sizeof(SampledRow)), o_buffer(rows.size() * dim * 8),
      lse_buffer(rows.size() * 8);
  DeviceBuffer logits(rows.size() * static_cast<std::size_t>(reference.window1) *
                      static_cast<std::size_t>(reference.window2) * 8);
  TRISCOPE_CUDA_CHECK(
      cudaMemcpy(row_buffer.data(), rows.data(), rows.size() * sizeof(SampledRow), cudaMemcpyHostToDevice));
  reference_forward<<<static_cast<unsigned>(rows.size()), kReferenceThreads>>>(
      reference, row_buffer.as<SampledRow>(), logits.as<double>(), o_buffer.as<double>(), lse_buffer.as<double>());
  check_launch("reference");
  std::vector<double> o(rows.size() * dim), lse(rows.size());
  TRISCOPE_CUDA_CHECK(cudaMemcpy(o.data(), o_buffer.data(), o.size() * 8, cudaMemcpyDeviceToHost));
  TRISCOPE_CUDA_CHECK(cudaMemcpy(lse.data(), lse_buffer.data(), lse.size() * 8, cudaMemcpyDeviceToHost));
  constexpr double kNothing = 1e-24;  // where every v2 is 0, o may be 1e-18 of the other terms' scale (short_axis.cuh)
  Comparison result;
  double difference = 0, norm = 0;
  std::vector<__nv_bfloat16> row_o(dim);
  for (std::size_t n = 0; n < rows.size(); ++n) {
    const SampledRow& row = rows[n];
    const std::int64_t place =
        (static_cast<std::int64_t>(row.batch) * problem.seq_len + row.position) * problem.q_heads + row.head;
    TRISCOPE_CUDA_CHECK(
        cudaMemcpy(row_o.data(), tensor(arguments.o) + place * problem.head_dim, dim * 2, cudaMemcpyDeviceToHost));
    float row_lse = 0;
    const std::int64_t lse_place =
        (static_cast<std::int64_t>(row.batch) * problem.q_heads + row.head) * problem.seq_len + row.position;
    TRISCOPE_CUDA_CHECK(cudaMemcpy(&row_lse, arguments.lse + lse_place, 4, cudaMemcpyDeviceToHost));
    double row_difference = 0, row_norm = 0;
    for (std::size_t d = 0; d < dim; ++d) {
      const double expected = o[n * dim + d], got = static_cast<double>(__bfloat162float(row_o[d]));
      row_difference += (expected - got) * (expected - got);
      row_norm += expected * expected;
    }
    difference += row_difference;
    norm += row_norm;
    const double relative = std::sqrt(row_difference / std::max(row_norm, kNothing));
    if (!(relative <= result.worst_row)) result.worst_row = relative;
    const double error = std::abs(lse[n] - static_cast<double>(row_lse));
    result.largest_lse = std::max(result.largest_lse, std::abs(lse[n]));
    if (!(error <= result.lse)) result.lse = error;
  }
  result.o = std::sqrt(difference / std::max(norm, kNothing));
  return result;
}

}  // namespace triscope::bench
