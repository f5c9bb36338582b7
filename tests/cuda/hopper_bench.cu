// cuda.hopper on its own: checks against an fp64 reference on the GPU, and interleaved timings beside cuBLAS.
//
//   hopper_bench check [SHAPE...]            those shapes, or every case of the table below; exit code 1 when one fails
//   hopper_bench time ROUNDS SHAPE...        SHAPE = window1xwindow2,q_heads/kv_heads,head_dim,seq_len,batch,form[,instance]
//                                            instance `all`: every instance that can run the shape
//   hopper_bench random COUNT SEED           random problems, checked, and timed against cuda.portable; the ten worst
//
// Timings are CUDA events around back-to-back launches of TRISCOPE_BENCH_MS (400) milliseconds, after half as many that are
// not timed: shorter blocks inherit the clock that the kernel before them left. TRISCOPE_BENCH_PLUGIN may
// name shared libraries with baselines (a:b): `extern "C" double bench_plugin(void* stream)` runs one once, returns its FLOPs.
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/cuda/cuda_error.hpp"
#include "kernels/cuda/cuda_kernels.hpp"
#include "kernels/cuda/hopper/plan.hpp"
#include "kernels/error.hpp"
#include "kernels/flops.hpp"
#include "kernels/philox.hpp"
#include "tests/cuda/hopper_reference.cuh"

namespace triscope::bench {
namespace {

using cuda::DeviceBuffer;
using cuda::EventTimer;
using cuda::Stream;

/// What is special about the inputs of a case. Logit shapes are made with dimensions 0 and 1, where q is 1.
enum class Inputs { normal, peaked4, peaked8, rising_long, falling_long, rising_short, spikes, zero_values, tiny_values };

struct Case {
  Problem problem;
  Inputs inputs = Inputs::normal;
  std::string instance = {};   // empty: the kernel's choice
};

__global__ void fill(__nv_bfloat16* values, std::int64_t count, std::uint32_t stream, float factor) {
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < count; i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
    values[i] = __float2bfloat16(factor * round_to_bf16(unit_normal(static_cast<std::uint64_t>(i), stream, 7)));
  }
}

/// Rewrites some elements of one tensor; `which`: 0 q, 1 k1, 2 k2, 3 v2.
__global__ void shape_inputs(__nv_bfloat16* values, std::int64_t count, int heads, int head_dim, int seq_len, int which, Inputs inputs) {
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < count; i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
    const int d = static_cast<int>(i % head_dim);
    const int row = static_cast<int>(i / head_dim / heads % seq_len);
    const float unit = sqrtf(static_cast<float>(head_dim));   // a factor `unit` in one dimension is one nat
    float x = __bfloat162float(values[i]);
    if (which == 3) {
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
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < count; i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
    if (!isfinite(__bfloat162float(values[i]))) atomicAdd(found, 1ull);
  }
}
__global__ void count_different(const std::uint32_t* a, const std::uint32_t* b, std::int64_t count, unsigned long long* found) {
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < count; i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
    if (a[i] != b[i]) atomicAdd(found, 1ull);
  }
}
__global__ void count_marks(const std::uint8_t* marks, std::int64_t count, unsigned long long* found) {
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < count; i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
    if (marks[i] != 0) atomicAdd(found, 1ull);
  }
}

/// Tensors of a case on the device, and the kernel's arguments.
class Device {
 public:
  Device(const Kernel& kernel, const Case& test) : kernel_(kernel), problem_(test.problem) {
    instance_ = test.instance.empty() ? kernel.choose_instance(problem_, Pass::forward) : test.instance;
    const std::int64_t rows = problem_.batch * problem_.seq_len;
    queries_ = rows * problem_.q_heads * problem_.head_dim;
    const std::int64_t keys = rows * problem_.kv_heads * problem_.head_dim;
    const float factor = test.inputs == Inputs::peaked4 ? 4.0f : test.inputs == Inputs::peaked8 ? 8.0f : 1.0f;
    arguments_.q = tensor(queries_, 0, factor, 0, test.inputs, static_cast<int>(problem_.q_heads));
    arguments_.k1 = tensor(keys, 1, 1.0f, 1, test.inputs, static_cast<int>(problem_.kv_heads));
    arguments_.k2 = tensor(keys, 2, 1.0f, 2, test.inputs, static_cast<int>(problem_.kv_heads));
    arguments_.v1 = tensor(keys, 3, 1.0f, -1, test.inputs, static_cast<int>(problem_.kv_heads));
    arguments_.v2 = tensor(keys, 4, 1.0f, 3, test.inputs, static_cast<int>(problem_.kv_heads));
    arguments_.o = buffer(static_cast<std::size_t>(queries_) * 2);
    arguments_.lse = static_cast<float*>(buffer(static_cast<std::size_t>(rows * problem_.q_heads) * 4));
    workspace_bytes_ = kernel.workspace_bytes(problem_, Pass::forward, instance_);
    arguments_.workspace = buffer(workspace_bytes_);
    if (problem_.sink) {
      std::vector<float> sinks(static_cast<std::size_t>(problem_.q_heads), static_cast<float>(*problem_.sink));
      void* memory = buffer(sinks.size() * 4);
      TRISCOPE_CUDA_CHECK(cudaMemcpy(memory, sinks.data(), sinks.size() * 4, cudaMemcpyHostToDevice));
      arguments_.sink = static_cast<const float*>(memory);
    }
    counter_ = static_cast<unsigned long long*>(buffer(8));
    poison();
  }

  void poison() {
    TRISCOPE_CUDA_CHECK(cudaMemset(arguments_.o, 0xFF, static_cast<std::size_t>(queries_) * 2));
    TRISCOPE_CUDA_CHECK(cudaMemset(arguments_.lse, 0xFF, static_cast<std::size_t>(queries_ / problem_.head_dim) * 4));
    TRISCOPE_CUDA_CHECK(cudaMemset(arguments_.workspace, 0xFF, workspace_bytes_));
  }
  void launch() { kernel_.launch(problem_, Pass::forward, instance_, arguments_); }
  const std::string& instance() const { return instance_; }
  const Arguments& arguments() const { return arguments_; }

  unsigned long long not_finite() {
    return counted([&] { count_not_finite<<<1024, 256>>>(static_cast<const __nv_bfloat16*>(arguments_.o), queries_, counter_); });
  }
  unsigned long long marked() {
    return counted([&] {
      const auto plan = hopper::make_plan(problem_, hopper::find_instance(instance_));
      count_marks<<<256, 256>>>(static_cast<const std::uint8_t*>(arguments_.workspace), static_cast<std::int64_t>(plan->suspect_bytes), counter_);
    });
  }
  /// Words of o and lse that a second launch writes differently.
  unsigned long long differs_when_repeated() {
    const std::size_t o_bytes = static_cast<std::size_t>(queries_) * 2, lse_bytes = static_cast<std::size_t>(queries_ / problem_.head_dim) * 4;
    DeviceBuffer o(o_bytes), lse(lse_bytes);
    TRISCOPE_CUDA_CHECK(cudaMemcpy(o.data(), arguments_.o, o_bytes, cudaMemcpyDeviceToDevice));
    TRISCOPE_CUDA_CHECK(cudaMemcpy(lse.data(), arguments_.lse, lse_bytes, cudaMemcpyDeviceToDevice));
    poison();
    launch();
    return counted([&] {
      count_different<<<1024, 256>>>(o.as<std::uint32_t>(), static_cast<const std::uint32_t*>(arguments_.o), queries_ / 2, counter_);
      count_different<<<1024, 256>>>(lse.as<std::uint32_t>(), reinterpret_cast<const std::uint32_t*>(arguments_.lse), queries_ / problem_.head_dim, counter_);
    });
  }

 private:
  void* buffer(std::size_t bytes) {
    buffers_.emplace_back(std::max<std::size_t>(bytes, 256));
    return buffers_.back().data();
  }
  void* tensor(std::int64_t count, std::uint32_t stream, float factor, int which, Inputs inputs, int heads) {
    auto* values = static_cast<__nv_bfloat16*>(buffer(static_cast<std::size_t>(count) * 2));
    fill<<<1024, 256>>>(values, count, stream, factor);
    if (which >= 0) {
      shape_inputs<<<1024, 256>>>(values, count, heads, static_cast<int>(problem_.head_dim), static_cast<int>(problem_.seq_len), which, inputs);
    }
    check_launch("fill");
    return values;
  }
  template <typename Count>
  unsigned long long counted(const Count& count) {
    TRISCOPE_CUDA_CHECK(cudaMemset(counter_, 0, 8));
    count();
    unsigned long long found = 0;
    TRISCOPE_CUDA_CHECK(cudaMemcpy(&found, counter_, 8, cudaMemcpyDeviceToHost));
    return found;
  }

  const Kernel& kernel_;
  Problem problem_;
  std::string instance_;
  std::vector<DeviceBuffer> buffers_;
  Arguments arguments_;
  std::int64_t queries_ = 0;
  std::size_t workspace_bytes_ = 0;
  unsigned long long* counter_ = nullptr;
};

std::vector<SampledRow> sample_rows(const Problem& problem, int count) {
  std::vector<SampledRow> rows;
  const std::int64_t total = problem.batch * problem.seq_len * problem.q_heads;
  const auto add = [&](std::int64_t n) {
    rows.push_back({static_cast<int>(n / problem.q_heads / problem.seq_len), static_cast<int>(n / problem.q_heads % problem.seq_len),
                    static_cast<int>(n % problem.q_heads)});
  };
  if (total <= count) {
    for (std::int64_t n = 0; n < total; ++n) add(n);
    return rows;
  }
  add(0);
  add(total - 1);
  for (int n = 2; n < count; ++n) add(static_cast<std::int64_t>(philox(static_cast<std::uint64_t>(n), 0, 99).x[0] * static_cast<std::uint64_t>(total) >> 32));
  return rows;
}

struct Comparison {
  double o = 0, worst_row = 0, lse = 0;
};

Comparison compare(const Problem& problem, const Arguments& arguments, Fold fold, const std::vector<SampledRow>& rows) {
  const auto tensor = [](const void* x) { return static_cast<const __nv_bfloat16*>(x); };
  const ReferenceProblem reference{tensor(arguments.q), tensor(arguments.k1), tensor(arguments.k2), tensor(arguments.v1), tensor(arguments.v2),
                                   arguments.sink, static_cast<int>(problem.seq_len), static_cast<int>(problem.q_heads),
                                   static_cast<int>(problem.kv_heads), static_cast<int>(problem.head_dim),
                                   static_cast<int>(std::min(problem.window1, problem.seq_len)),
                                   static_cast<int>(std::min(problem.window2, problem.seq_len)), problem.effective_scale(),
                                   problem.k2_bias, problem.v2_bias, problem.form == Form::determinant, fold};
  const std::size_t dim = static_cast<std::size_t>(problem.head_dim);
  DeviceBuffer row_buffer(rows.size() * sizeof(SampledRow)), o_buffer(rows.size() * dim * 8), lse_buffer(rows.size() * 8);
  DeviceBuffer logits(rows.size() * static_cast<std::size_t>(reference.window1) * static_cast<std::size_t>(reference.window2) * 8);
  TRISCOPE_CUDA_CHECK(cudaMemcpy(row_buffer.data(), rows.data(), rows.size() * sizeof(SampledRow), cudaMemcpyHostToDevice));
  reference_forward<<<static_cast<unsigned>(rows.size()), kReferenceThreads>>>(reference, row_buffer.as<SampledRow>(), logits.as<double>(),
                                                                               o_buffer.as<double>(), lse_buffer.as<double>());
  check_launch("reference");
  std::vector<double> o(rows.size() * dim), lse(rows.size());
  TRISCOPE_CUDA_CHECK(cudaMemcpy(o.data(), o_buffer.data(), o.size() * 8, cudaMemcpyDeviceToHost));
  TRISCOPE_CUDA_CHECK(cudaMemcpy(lse.data(), lse_buffer.data(), lse.size() * 8, cudaMemcpyDeviceToHost));
  constexpr double kNothing = 1e-24;   // where every v2 is 0, o may be 1e-18 of the other terms' scale (short_axis.cuh)
  Comparison result;
  double difference = 0, norm = 0;
  std::vector<__nv_bfloat16> row_o(dim);
  for (std::size_t n = 0; n < rows.size(); ++n) {
    const SampledRow& row = rows[n];
    const std::int64_t place = (static_cast<std::int64_t>(row.batch) * problem.seq_len + row.position) * problem.q_heads + row.head;
    TRISCOPE_CUDA_CHECK(cudaMemcpy(row_o.data(), tensor(arguments.o) + place * problem.head_dim, dim * 2, cudaMemcpyDeviceToHost));
    float row_lse = 0;
    TRISCOPE_CUDA_CHECK(cudaMemcpy(&row_lse, arguments.lse + (static_cast<std::int64_t>(row.batch) * problem.q_heads + row.head) * problem.seq_len + row.position, 4, cudaMemcpyDeviceToHost));
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
    const double error = std::abs(lse[n] - static_cast<double>(row_lse)) / (1.0 + 0.01 * std::abs(lse[n]));  // fp32 lse: 1e-6 of it is its own rounding
    if (!(error <= result.lse)) result.lse = error;
  }
  result.o = std::sqrt(difference / std::max(norm, kNothing));
  return result;
}

bool check(const Kernel& kernel, const Case& test, int samples) {
  const bool exact_counts = test.inputs == Inputs::normal;
  try {
    Device device(kernel, test);
    device.launch();
    TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
    const auto rows = sample_rows(test.problem, samples);
    const Comparison exact = compare(test.problem, device.arguments(), Fold::none, rows);
    const Comparison rounded = compare(test.problem, device.arguments(), kernel.fold(test.problem), rows);
    const auto bad = device.not_finite();
    const auto marks = device.marked();
    const auto differs = device.differs_when_repeated();
    const bool passed = (!exact_counts || (exact.o <= 4e-3 && exact.lse <= 1e-2)) && rounded.o <= 2.5e-3 && rounded.lse <= 1e-4 && bad == 0 && differs == 0;
    std::printf("%s %s inputs %d [%s]: rounded o %.2e (row %.2e) lse %.1e | exact o %.2e lse %.1e | not finite %llu differs %llu repaired %llu\n",
                passed ? "ok  " : "FAIL", describe(test.problem).c_str(), static_cast<int>(test.inputs), device.instance().c_str(), rounded.o,
                rounded.worst_row, rounded.lse, exact.o, exact.lse, bad, differs, marks);
    std::fflush(stdout);
    return passed;
  } catch (const std::exception& error) {
    std::printf("FAIL %s: %s\n", describe(test.problem).c_str(), error.what());
    std::fflush(stdout);
    return false;
  }
}

Problem problem_of(std::int64_t w1, std::int64_t w2, std::int64_t hq, std::int64_t hkv, std::int64_t d, std::int64_t n, std::int64_t b = 1,
                   Form form = Form::trilinear) {
  Problem problem;
  problem.window1 = w1, problem.window2 = w2, problem.q_heads = hq, problem.kv_heads = hkv, problem.head_dim = d;
  problem.seq_len = n, problem.batch = b, problem.form = form;
  return problem;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const Form form : {Form::trilinear, Form::determinant}) {
    for (const std::int64_t d : {128, 64}) {
      for (const std::int64_t group : {128, 64, 32, 16, 8, 5, 2, 1}) {
        const std::int64_t kv = group >= 64 ? 1 : 2;
        cases.push_back({problem_of(300, 20, group * kv, kv, d, 601, 1, form)});
      }
      cases.push_back({problem_of(20, 300, 64, 1, d, 450, 1, form)});      // axis 1 is short
      cases.push_back({problem_of(128, 128, 128, 1, d, 300, 1, form)});
      cases.push_back({problem_of(33, 33, 96, 1, d, 200, 3, form)});
      cases.push_back({problem_of(40, 9, 256, 1, d, 100, 1, form)});
      cases.push_back({problem_of(70, 7, 200, 1, d, 100, 1, form)});
    }
  }
  for (const std::int64_t n : {1, 2, 31, 32, 33, 511, 512, 513}) {
    for (const std::int64_t group : {128, 64, 8, 1}) cases.push_back({problem_of(512, 32, group, 1, 128, n)});
  }
  for (const std::int64_t group : {128, 64, 8, 1}) {
    for (const auto& [w1, w2] : {std::pair{1, 1}, {1, 50}, {50, 1}, {1000, 1000}, {2, 3}, {513, 31}, {385, 5}}) {
      cases.push_back({problem_of(w1, w2, group, 1, 128, 130)});
    }
    for (const Inputs inputs : {Inputs::peaked4, Inputs::peaked8, Inputs::rising_long, Inputs::falling_long, Inputs::rising_short, Inputs::spikes,
                                Inputs::zero_values, Inputs::tiny_values}) {
      cases.push_back({problem_of(512, 32, group, 1, 128, 700), inputs});
      cases.push_back({problem_of(200, 16, group, 1, 64, 300), inputs});
    }
    Problem extras = problem_of(300, 20, group, 1, 128, 400, 2);
    extras.sink = 1.5;
    cases.push_back({extras});
    extras.sink = 60.0;
    cases.push_back({extras});
    extras.sink.reset();
    extras.k2_bias = 0.5, extras.v2_bias = -0.25;
    cases.push_back({extras});
    extras.window1 = 12;
    cases.push_back({extras});
    extras.form = Form::determinant;
    cases.push_back({extras});
    extras = problem_of(300, 20, group, 1, 128, 400);
    extras.scale = -0.05;
    cases.push_back({extras});
    extras.scale = 0.0;
    cases.push_back({extras});
  }
  return cases;
}

/// Every instance that can run a few problems, not only the one the rule chooses.
std::vector<Case> instance_cases(const Kernel& kernel) {
  std::vector<Case> cases;
  for (const std::string& instance : kernel.info().instances) {
    for (const std::int64_t d : {128, 64}) {
      for (const std::int64_t group : {128, 64, 16, 3}) {
        const Problem problem = problem_of(260, 11, group, 1, d, 420, 2);
        if (!kernel.unsupported(problem, Pass::forward, instance)) cases.push_back({problem, Inputs::normal, instance});
      }
    }
  }
  return cases;
}

// --- timing ---------------------------------------------------------------------------------------------------------------

Case parse_shape(const std::string& text) {
  int w1 = 0, w2 = 0, hq = 0, hkv = 0, d = 0, n = 0, b = 0;
  char form[32] = {}, instance[64] = {};
  const int fields = std::sscanf(text.c_str(), "%dx%d,%d/%d,%d,%d,%d,%31[^,],%63s", &w1, &w2, &hq, &hkv, &d, &n, &b, form, instance);
  if (fields < 8) throw Error("cannot read the shape " + text, "it has too few fields", "see the head of hopper_bench.cu", ExitCode::usage);
  return {problem_of(w1, w2, hq, hkv, d, n, b, parse_form(form).value_or(Form::trilinear)), Inputs::normal, instance};
}

struct Timed {
  std::string name;
  std::function<double()> launch;   // one launch; returns its useful FLOPs
  std::vector<double> tflops;
};

double time_once(const Timed& timed) {
  EventTimer timer;
  const double flops = timed.launch();
  TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
  timer.start(nullptr);
  timed.launch();
  timer.stop(nullptr);
  const char* block = std::getenv("TRISCOPE_BENCH_MS");
  const double block_ms = block != nullptr ? std::atof(block) : 400.0;
  const int launches = std::max(2, static_cast<int>(block_ms / timer.elapsed_ms()));
  for (int n = 0; n < launches / 2; ++n) timed.launch();   // the power cap settles on this kernel, not on the one before
  timer.start(nullptr);
  for (int n = 0; n < launches; ++n) timed.launch();
  timer.stop(nullptr);
  return flops * launches / timer.elapsed_ms() / 1e9;
}

/// The shapes as cases; `all` stands for every instance that can run the shape.
std::vector<Case> expand(const Kernel& kernel, const std::vector<std::string>& shapes) {
  std::vector<Case> cases;
  for (const std::string& shape : shapes) {
    const Case test = parse_shape(shape);
    if (test.instance != "all") cases.push_back(test);
    for (const std::string& instance : kernel.info().instances) {
      if (test.instance == "all" && !kernel.unsupported(test.problem, Pass::forward, instance)) cases.push_back({test.problem, test.inputs, instance});
    }
  }
  return cases;
}

// --- random problems ------------------------------------------------------------------------------------------------------

/// Numbers for problem `n`, one after another.
class Draw {
 public:
  Draw(int seed, int n) : seed_(static_cast<std::uint32_t>(seed)), n_(static_cast<std::uint64_t>(n)) {}
  double uniform() { return philox(n_, count_++, seed_).x[0] / 4294967296.0; }
  /// Log-uniform integer of [1, limit].
  std::int64_t size(double limit) { return static_cast<std::int64_t>(std::exp(uniform() * std::log(limit + 0.999))); }
  template <typename T, std::size_t kCount>
  T pick(const T (&values)[kCount]) {
    return values[static_cast<std::size_t>(uniform() * kCount)];
  }

 private:
  std::uint32_t seed_;
  std::uint64_t n_;
  std::uint32_t count_ = 0;
};

/// A problem of the supported range that takes at most some 5 ms.
Case random_case(Draw& draw) {
  constexpr std::int64_t kGroups[] = {1, 2, 3, 4, 5, 8, 12, 16, 24, 32, 48, 64, 64, 96, 128, 128, 200, 256};
  constexpr std::int64_t kKvHeads[] = {1, 1, 2, 4, 8};
  constexpr std::int64_t kDims[] = {64, 128, 128};
  constexpr std::int64_t kBatches[] = {1, 1, 2, 3};
  constexpr Form kForms[] = {Form::trilinear, Form::trilinear, Form::determinant};
  constexpr Inputs kInputs[] = {Inputs::normal, Inputs::normal, Inputs::peaked4, Inputs::zero_values};
  for (;;) {
    const std::int64_t kv_heads = draw.pick(kKvHeads), group = draw.pick(kGroups);
    Case test{problem_of(draw.size(1024), draw.size(1024), group * kv_heads, kv_heads, draw.pick(kDims), draw.size(16384),
                         draw.pick(kBatches), draw.pick(kForms)), draw.pick(kInputs)};
    if (draw.uniform() < 0.15) test.problem.k2_bias = 0.25;
    if (draw.uniform() < 0.15) test.problem.v2_bias = -0.5;
    if (draw.uniform() < 0.15) test.problem.sink = 1.0;
    if (draw.uniform() < 0.1) test.problem.scale = -0.05;
    if (useful_flops(test.problem, Pass::forward) < 2e12 && validate(test.problem).empty()) return test;
  }
}

/// Median time of a launch, from five blocks of about 2 ms.
double median_ms(const std::function<void()>& launch) {
  EventTimer timer;
  launch();
  timer.start(nullptr);
  launch();
  timer.stop(nullptr);
  const int launches = std::clamp(static_cast<int>(2.0 / timer.elapsed_ms()), 1, 50);
  std::vector<double> times;
  for (int block = 0; block < 5; ++block) {
    timer.start(nullptr);
    for (int n = 0; n < launches; ++n) launch();
    timer.stop(nullptr);
    times.push_back(timer.elapsed_ms() / launches);
  }
  std::sort(times.begin(), times.end());
  return times[2];
}

int random_problems(const Kernel& kernel, int count, int seed) {
  struct Row {
    double ratio, tflops;   // ratio: cuda.portable's time / cuda.hopper's
    std::string name;
  };
  const auto portable = make_cuda_portable();
  std::vector<Row> rows;
  int failed = 0;
  for (int n = 0; n < count; ++n) {
    Draw draw(seed, n);
    const Case test = random_case(draw);
    if (!check(kernel, test, 24)) ++failed;
    Device own(kernel, test), other(*portable, {test.problem, test.inputs, {}});
    const double own_ms = median_ms([&] { own.launch(); }), other_ms = median_ms([&] { other.launch(); });
    rows.push_back({other_ms / own_ms, useful_flops(test.problem, Pass::forward) / own_ms / 1e9, describe(test.problem) + " [" + own.instance() + "]"});
    std::printf("%4d %9.4f ms, portable %9.4f ms, ratio %.2f\n", n, own_ms, other_ms, rows.back().ratio);
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.ratio < b.ratio; });
  std::printf("%d of %d wrong; %d slower than cuda.portable; worst ratios to it:\n", failed, count,
              static_cast<int>(std::count_if(rows.begin(), rows.end(), [](const Row& row) { return row.ratio < 1.0; })));
  for (std::size_t n = 0; n < std::min<std::size_t>(rows.size(), 10); ++n) std::printf("  %.2f  %7.1f TFLOP/s  %s\n", rows[n].ratio, rows[n].tflops, rows[n].name.c_str());
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.tflops < b.tflops; });
  std::printf("lowest rates:\n");
  for (std::size_t n = 0; n < std::min<std::size_t>(rows.size(), 10); ++n) std::printf("  %7.1f TFLOP/s  %.2f  %s\n", rows[n].tflops, rows[n].ratio, rows[n].name.c_str());
  return failed == 0 ? 0 : 1;
}

int time_all(const Kernel& kernel, int rounds, const std::vector<std::string>& shapes) {
  std::vector<Timed> entries;
  constexpr int kSize = 8192;
  DeviceBuffer a(2ull * kSize * kSize), b(2ull * kSize * kSize), c(2ull * kSize * kSize);
  fill<<<1024, 256>>>(a.as<__nv_bfloat16>(), static_cast<std::int64_t>(kSize) * kSize, 11, 1.0f);
  fill<<<1024, 256>>>(b.as<__nv_bfloat16>(), static_cast<std::int64_t>(kSize) * kSize, 12, 1.0f);
  cublasHandle_t handle = nullptr;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
  entries.push_back({"cuBLAS 8192^3", [&] {
                       const float one = 1.0f, zero = 0.0f;
                       cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, kSize, kSize, kSize, &one, a.data(), CUDA_R_16BF, kSize, b.data(), CUDA_R_16BF,
                                    kSize, &zero, c.data(), CUDA_R_16BF, kSize, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
                       return 2.0 * kSize * kSize * static_cast<double>(kSize);
                     }, {}});
  if (const char* list = std::getenv("TRISCOPE_BENCH_PLUGIN"); list != nullptr) {
    std::stringstream files(list);
    for (std::string file; std::getline(files, file, ':');) {
      void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (library == nullptr) {
        std::printf("no plugin: %s\n", dlerror());
      } else {
        const auto run = reinterpret_cast<double (*)(void*)>(dlsym(library, "bench_plugin"));
        entries.push_back({file.substr(file.rfind('/') + 1), [run] { return run(nullptr); }, {}});
      }
    }
  }
  std::vector<std::unique_ptr<Device>> devices;
  for (const Case& test : expand(kernel, shapes)) {
    const std::string shape = describe(test.problem);
    if (!check(kernel, test, 24)) std::printf("FAIL: this shape is timed although it is wrong\n");
    devices.push_back(std::make_unique<Device>(kernel, test));
    Device* device = devices.back().get();
    const double flops = useful_flops(test.problem, Pass::forward);
    entries.push_back({shape + " [" + device->instance() + "]", [device, flops] {
                         device->launch();
                         return flops;
                       }, {}});
  }
  for (int round = 0; round < rounds; ++round) {
    for (Timed& entry : entries) {
      entry.tflops.push_back(time_once(entry));
      std::printf("round %d %s %.1f\n", round, entry.name.c_str(), entry.tflops.back());
      std::fflush(stdout);
    }
  }
  std::printf("useful TFLOP/s by round:\n");
  for (Timed& entry : entries) {
    std::printf("%70s", entry.name.c_str());
    for (const double rate : entry.tflops) std::printf(" %7.1f", rate);
    std::sort(entry.tflops.begin(), entry.tflops.end());
    std::printf("  median %.1f\n", entry.tflops[entry.tflops.size() / 2]);
  }
  cublasDestroy(handle);
  return 0;
}

int run(int argc, char** argv) {
  const auto kernel = make_cuda_hopper();
  const std::string mode = argc > 1 ? argv[1] : "check";
  if (mode == "time" && argc > 3) return time_all(*kernel, std::atoi(argv[2]), {argv + 3, argv + argc});
  if (mode == "random" && argc == 4) return random_problems(*kernel, std::atoi(argv[2]), std::atoi(argv[3]));
  int failed = 0, count = 0;
  std::vector<Case> cases;
  for (int n = 2; n < argc; ++n) cases.push_back(parse_shape(argv[n]));
  if (cases.empty()) {
    cases = all_cases();
    for (Case& test : instance_cases(*kernel)) cases.push_back(std::move(test));
  }
  for (const Case& test : cases) {
    ++count;
    if (!check(*kernel, test, 160)) ++failed;
  }
  std::printf("%d of %d cases failed\n", failed, count);
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace triscope::bench

int main(int argc, char** argv) {
  try {
    return triscope::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
