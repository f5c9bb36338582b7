// Compares slices made on the GPU with those of the CPU and with the fp64 oracle, and times both (ctest:
// gpu_slices). Prints PASS and FAIL lines; exit 1 when something failed.
//   slice_check          every case, then the times
//   slice_check small    few cases and no times, for compute-sanitizer
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "kernels/base/error.hpp"
#include "kernels/base/stopwatch.hpp"
#include "kernels/inspect/cpu/slice.hpp"
#include "kernels/inspect/cuda/slice.hpp"
#include "kernels/reference/oracle.hpp"
#include "kernels/tensors/attention_source.hpp"
#include "kernels/tensors/match3.hpp"
#include "tests/kernels/attention/attention_case.hpp"

namespace triscope {
namespace {

using test::attention_problem;
using test::AttentionCase;

int failures = 0;
double worst_probability = 0, worst_logit = 0, worst_output = 0, worst_figure = 0;

void report(const std::string& what, bool passed, const std::string& why = {}) {
  if (!passed) ++failures;
  if (!passed || !why.empty()) fmt::print("{} {} {}\n", passed ? "PASS" : "FAIL", what, why);
}

std::shared_ptr<AttentionTensors> tensors_of(const AttentionCase& data) {
  const Problem& p = data.problem;
  return std::make_shared<AttentionTensors>(p.batch, p.seq_len, p.q_heads, p.kv_heads, p.head_dim,
                                            std::array{data.q, data.k1, data.k2, data.v1, data.v2},
                                            p.sink ? data.sink : std::vector<float>{});
}

/// Largest difference of two arrays; infinite when one is finite where the other is not, or their lengths differ.
double difference(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return INFINITY;
  double largest = 0;
  for (std::size_t n = 0; n < a.size(); ++n) {
    if (std::isfinite(a[n]) != std::isfinite(b[n]) || std::isnan(a[n]) != std::isnan(b[n])) return INFINITY;
    if (std::isfinite(a[n])) largest = std::max(largest, std::abs(static_cast<double>(a[n]) - b[n]));
  }
  return largest;
}

double probability_difference(std::vector<float> a, std::vector<float> b) {
  for (auto* values : {&a, &b}) {
    for (float& x : *values) x = std::isfinite(x) ? std::exp(x) : x;
  }
  return difference(a, b);
}

std::string faults_of(const Slice& gpu, const Slice& cpu) {
  std::string faults;
  const auto within = [&](const char* what, double value, double bound, double& worst) {
    worst = std::max(worst, value);
    if (!(value <= bound)) faults += fmt::format("{} {:.2e} ", what, value);
  };
  within("p", probability_difference(gpu.log_p, cpu.log_p), 1e-5, worst_probability);
  // fp32 holds log p to 2^-24 of itself.
  double scale = 1;
  for (float x : cpu.log_p) scale = std::isfinite(x) ? std::max(scale, static_cast<double>(std::abs(x))) : scale;
  within("log p", difference(gpu.log_p, cpu.log_p) / scale, 1e-6, worst_logit);
  within("lse", std::abs(gpu.lse - cpu.lse) / std::max(1.0, std::abs(cpu.lse)), 1e-9, worst_figure);
  within("entropy", std::abs(gpu.entropy - cpu.entropy), 1e-6, worst_figure);
  within("largest p", std::abs(gpu.largest_p - cpu.largest_p), 1e-9, worst_figure);
  within("sink", std::abs(gpu.sink_p - cpu.sink_p), 1e-9, worst_figure);
  within("distance", std::abs(gpu.distance1 - cpu.distance1) + std::abs(gpu.distance2 - cpu.distance2), 1e-6,
         worst_figure);
  within("marginals", difference(gpu.marginal1, cpu.marginal1) + difference(gpu.marginal2, cpu.marginal2), 1e-5,
         worst_probability);
  within("dot-product row", probability_difference(gpu.dot_log_p, cpu.dot_log_p), 1e-5, worst_probability);
  within("output", difference(gpu.output, cpu.output), 1e-5, worst_output);
  if (gpu.nan_count != cpu.nan_count || gpu.infinite_count != cpu.infinite_count) faults += "NaN counts ";
  if (gpu.top.size() != cpu.top.size()) return faults + "number of triples ";
  for (std::size_t n = 0; n < gpu.top.size(); ++n) {
    if (std::abs(gpu.top[n].logit - cpu.top[n].logit) > 1e-6 * std::max(1.0, std::abs(cpu.top[n].logit)))
      faults += fmt::format("triple {} ", n);
  }
  return faults;
}

void check_slices(SliceEngine& gpu, const AttentionTensors& tensors, SliceQuery query, const std::string& name) {
  std::string faults;
  for (std::int64_t position : {std::int64_t{0}, tensors.seq_len / 3, tensors.seq_len - 1}) {
    query.query = position;
    query.head = position % tensors.q_heads;
    query.batch = tensors.batch - 1;
    faults += faults_of(gpu.slice(tensors, query, 20), make_slice(tensors, query, 20));
  }
  report(name + " slice", faults.empty(), faults);
}

void check_survey(SliceEngine& gpu, const AttentionTensors& tensors, SliceQuery query, const std::string& name) {
  query.batch = tensors.batch - 1;
  query.query = tensors.seq_len - 1;
  std::string faults;
  for (std::int64_t step : {1, 7}) {
    const Overview a = gpu.overview(tensors, query, step), b = make_overview(tensors, query, step);
    const double scale = static_cast<double>(tensors.seq_len);
    const double largest = std::max({difference(a.entropy, b.entropy), difference(a.largest_p, b.largest_p),
                                     difference(a.sink_p, b.sink_p), difference(a.distance1, b.distance1) / scale,
                                     difference(a.distance2, b.distance2) / scale});
    worst_figure = std::max(worst_figure, largest);
    if (!(largest <= 1e-5)) faults += fmt::format("overview step {}: {:.2e} ", step, largest);
  }
  for (std::int64_t position : {tensors.seq_len / 4, tensors.seq_len - 1}) {
    query.query = position;
    const HeadSheet a = gpu.sheet(tensors, query, 20, 6), b = make_sheet(tensors, query, 20, 6);
    const double largest =
        a.width == b.width && a.height == b.height ? probability_difference(a.log_p, b.log_p) : INFINITY;
    if (!(largest <= 1e-5)) faults += fmt::format("sheet {:.2e} ", largest);
  }
  report(name + " overview, sheet", faults.empty(), faults);
}

void check_oracle(SliceEngine& gpu, const Problem& problem) {
  const AttentionCase data(problem);
  const Oracle oracle(problem, data.inputs());
  std::vector<double> o(static_cast<std::size_t>(problem.head_dim));
  const std::int64_t i = problem.seq_len - 1, head = problem.q_heads - 1;
  const double lse = oracle.row({0, i, head}, o);
  const Slice slice = gpu.slice(*tensors_of(data), {problem, Arithmetic::exact, 0, head, i}, 1);
  double error = std::abs(slice.lse - lse), norm = 0, off = 0;
  for (std::size_t d = 0; d < o.size(); ++d) {
    off += std::pow(slice.output[d] - o[d], 2);
    norm += o[d] * o[d];
  }
  error = std::max(error, std::sqrt(off / norm));
  report("oracle: " + describe(problem), error <= 1e-5, fmt::format("largest error {:.2e}", error));
}

void check_all(SliceEngine& gpu, bool small) {
  struct Shape {
    std::int64_t seq_len, window1, window2, q_heads, kv_heads, head_dim, batch;
  };
  std::vector<Shape> shapes{
      {50, 50, 9, 2, 1, 12, 1}, {130, 70, 65, 6, 2, 64, 2}, {1, 1, 1, 1, 1, 8, 1}, {90, 1, 40, 3, 3, 7, 1}};
  if (!small)
    shapes.insert(shapes.end(),
                  {{300, 200, 32, 64, 1, 128, 1}, {700, 513, 130, 2, 2, 200, 1}, {257, 64, 1, 4, 4, 16, 3}});
  for (const Shape& shape : shapes) {
    for (Form form : {Form::trilinear, Form::determinant, Form::dot_product}) {
      for (Mask mask : {Mask::causal, Mask::full}) {
        if (mask == Mask::full && shape.seq_len > 300) continue;
        Problem problem = attention_problem(form, shape.seq_len, shape.window1, shape.window2, shape.q_heads,
                                            shape.kv_heads, shape.head_dim, shape.batch);
        problem.mask = mask;
        const bool biased = form != Form::dot_product && shape.head_dim % 8 == 0;
        if (biased) problem.k2_bias = 0.3, problem.v2_bias = -0.2, problem.sink = 0.7;
        if (form == Form::dot_product) problem.window2 = 1;
        Problem made = problem;  // dot products have no k2 and v2; the tensors do
        made.form = Form::trilinear;
        const AttentionCase data(made);
        const auto tensors = tensors_of(data);
        for (Arithmetic arithmetic : {Arithmetic::exact, Arithmetic::bf16_kernel}) {
          const SliceQuery query{problem, arithmetic};
          const std::string name = fmt::format("{} {} {}", describe(problem), to_string(mask), to_string(arithmetic));
          check_slices(gpu, *tensors, query, name);
          if (arithmetic == Arithmetic::exact) check_survey(gpu, *tensors, query, name);
        }
      }
    }
  }
}

void check_odd(SliceEngine& gpu) {
  Problem problem = attention_problem(Form::trilinear, 80, 70, 40, 2, 1, 16);
  AttentionCase data(problem);
  data.k1[75 * 16 + 3] = std::numeric_limits<float>::quiet_NaN();
  data.k1[64 * 16 + 3] = std::numeric_limits<float>::infinity();
  check_slices(gpu, *tensors_of(data), {problem, Arithmetic::exact}, "NaN and Inf");
  check_survey(gpu, *tensors_of(data), {problem, Arithmetic::exact}, "NaN and Inf");
  problem.scale = 500.0;
  check_slices(gpu, *tensors_of(AttentionCase(problem)), {problem, Arithmetic::exact}, "logits of thousands");
  std::vector<std::int64_t> numbers;
  for (std::int64_t n = 0; n < 64; ++n) numbers.push_back(n * n * 7919 % 1009);
  const auto tensors = match3_tensors(numbers, 97, 0);
  SliceQuery query{match3_problem(64), Arithmetic::exact};
  check_slices(gpu, *tensors, query, "Match3");
  const Overview overview = gpu.overview(*tensors, query, 1);
  const std::vector<std::int64_t> counts = match3_counts(numbers, 97);
  int wrong = 0;
  for (std::size_t i = 0; i < counts.size(); ++i)
    wrong += (1 - overview.sink_p[i] > kMatch3Threshold) != (counts[i] > 0);
  report("Match3 mod 97, 64 numbers told rightly", wrong == 0, fmt::format("{} wrong", wrong));
  try {
    query.query = 64;
    gpu.slice(*tensors, query, 1);
    report("a query that is not there is refused", false);
  } catch (const Error&) {
  }
}

double median_ms(int runs, const std::function<void()>& run) {
  std::vector<double> times;
  for (int n = 0; n < runs; ++n) {
    const Stopwatch watch;
    run();
    times.push_back(static_cast<double>(watch.elapsed_ns()) * 1e-6);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

AttentionSource random_source(std::int64_t seq_len, std::int64_t heads, std::int64_t head_dim) {
  AttentionSource source;
  source.kind = SourceKind::random;
  source.seq_len = seq_len;
  source.q_heads = heads;
  source.head_dim = head_dim;
  return source;
}

void time_slices(SliceEngine& gpu) {
  for (const auto& [window1, window2, dim] : {std::tuple{1024, 1024, 64}, std::tuple{1024, 1024, 128},
                                              std::tuple{512, 32, 128}, std::tuple{4096, 4096, 64}}) {
    const auto tensors = open_source(random_source(4100, 1, dim));
    SliceQuery query;
    query.problem.window1 = window1;
    query.problem.window2 = window2;
    query.query = 4099;
    const double slow = median_ms(9, [&] { make_slice(*tensors, query); }),
                 fast = median_ms(21, [&] { gpu.slice(*tensors, query, 64); });
    report(fmt::format("slice {}x{} D{}", window1, window2, dim), true,
           fmt::format("GPU {:.3f} ms, CPU of this machine {:.3f} ms, {:.1f} x", fast, slow, slow / fast));
  }
}

void time_overviews(SliceEngine& gpu) {
  for (const auto& [dim, form] :
       {std::pair{128, Form::trilinear}, std::pair{128, Form::determinant}, std::pair{64, Form::trilinear}}) {
    const auto tensors = open_source(random_source(8192, 64, dim));
    SliceQuery query;
    query.problem.form = form;
    query.problem.window1 = 512;
    query.problem.window2 = 32;
    std::vector<double> times;
    for (int n = 0; n < 3; ++n)
      times.push_back(static_cast<double>(gpu.overview(*tensors, query, 1).elapsed_ns) * 1e-6);
    const double flops = 2.0 * 64 * 8192 * 512 * 32 * dim;
    report(fmt::format("overview of 64 heads x 8192 queries, 512x32 D{} {}", dim, to_string(form)), times.back() < 2000,
           fmt::format("first {:.1f} ms, then {:.1f} and {:.1f}: {:.2f} TFLOP/s of fp64 logits", times[0], times[1],
                       times[2], flops / times[2] * 1e-9));
  }
}

}  // namespace
}  // namespace triscope

int main(int argc, char** argv) {
  using namespace triscope;
  const bool small = argc > 1 && std::string(argv[1]) == "small";
  try {
    const std::unique_ptr<SliceEngine> gpu = make_cuda_slices();
    check_all(*gpu, small);
    check_odd(*gpu);
    for (Form form : {Form::trilinear, Form::determinant})
      check_oracle(*gpu, attention_problem(form, 600, 512, 32, 4, 2, 64));
    fmt::print(
        "largest differences from the CPU: p {:.2e}, log p {:.2e} of the largest, output {:.2e}, figures {:.2e}\n",
        worst_probability, worst_logit, worst_output, worst_figure);
    if (!small) {
      time_slices(*gpu);
      time_overviews(*gpu);
    }
  } catch (const std::exception& error) {
    fmt::print("FAIL {}\n", error.what());
    return 1;
  }
  fmt::print("{} slice_check: {} failures\n", failures ? "FAIL" : "PASS", failures);
  return failures ? 1 : 0;
}
