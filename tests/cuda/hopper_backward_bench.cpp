// The Hopper backward on its own on a GPU: checks against fp64 sums and against cuda.portable, and times of launches.
//
//   hopper_backward_bench check                every case against reference.hpp, with an exact LSE and with one whose
//                                              scores were rounded as the forward rounds them
//   hopper_backward_bench large SHAPE...       against cuda.portable's gradients, both given cuda.portable's forward
//   hopper_backward_bench time ROUNDS SHAPE... sustained rates in turns; cuda.portable's forward gives LSE and o
//   hopper_backward_bench small                small cases, for compute-sanitizer
//   hopper_backward_bench hold SECONDS SHAPE   the rate of each 200 ms, to see power settle
//   hopper_backward_bench ranges               scales of do, keys, values and q: the same error each
// SHAPE: window1xwindow2,q_heads/kv_heads,head_dim,seq_len,batch,form. Exit code 1: a result is wrong.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "kernels/attention/flops.hpp"
#include "kernels/base/error.hpp"
#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/cuda/hopper/backward/launch.hpp"
#include "kernels/cuda/portable/portable.hpp"
#include "tests/cuda/reference.hpp"

namespace triscope {
namespace {

using cuda::DeviceBuffer;
using cuda::EventTimer;
using reference::Kind;

constexpr double kGradientBound = 1e-2;
// Logits that rise to 1200: rounding k1 k2 to fp16 moves them by some 0.05, and p with them.
constexpr double kRisingBound = 3e-2;
constexpr const char* kNames[] = {"dq", "dk1", "dk2", "dv1", "dv2", "dsink"};

/// Of the inputs.
struct Factors {
  float q = 1, k1 = 1, k2 = 1, v1 = 1, v2 = 1, grad_o = 1;
};

struct Case {
  Problem problem;
  Kind kind = Kind::normal;
  Factors factors = {};
};

Problem make_problem(Form form, int batch, int n, int q_heads, int kv_heads, int dim, int w1, int w2) {
  Problem p;
  p.form = form;
  p.batch = batch;
  p.seq_len = n;
  p.q_heads = q_heads;
  p.kv_heads = kv_heads;
  p.head_dim = dim;
  p.window1 = w1;
  p.window2 = w2;
  return p;
}

Problem parse_shape(const std::string& text) {
  int w1, w2, q_heads, kv_heads, dim, n, batch;
  char form[32];
  if (std::sscanf(text.c_str(), "%dx%d,%d/%d,%d,%d,%d,%31s", &w1, &w2, &q_heads, &kv_heads, &dim, &n, &batch, form) !=
      8)
    throw Error("cannot read the shape", text, "512x32,128/1,128,8192,1,trilinear", ExitCode::usage);
  return make_problem(*parse_form(form), batch, n, q_heads, kv_heads, dim, w1, w2);
}

int multiprocessors() {
  int count = 0;
  TRISCOPE_CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
  return count;
}

std::vector<float> download_bf16(const DeviceBuffer& buffer) {
  std::vector<std::uint16_t> raw(buffer.bytes() / 2);
  TRISCOPE_CUDA_CHECK(cudaMemcpy(raw.data(), buffer.data(), buffer.bytes(), cudaMemcpyDeviceToHost));
  std::vector<float> values(raw.size());
  for (std::size_t n = 0; n < raw.size(); ++n) {
    const std::uint32_t bits = std::uint32_t{raw[n]} << 16;
    std::memcpy(&values[n], &bits, 4);
  }
  return values;
}

void scale_tensor(const DeviceBuffer& buffer, float factor) {
  if (factor == 1) return;
  std::vector<float> values = download_bf16(buffer);
  std::vector<__nv_bfloat16> scaled(values.size());
  for (std::size_t n = 0; n < values.size(); ++n) scaled[n] = __float2bfloat16(values[n] * factor);
  TRISCOPE_CUDA_CHECK(cudaMemcpy(buffer.data(), scaled.data(), buffer.bytes(), cudaMemcpyHostToDevice));
}

/// Inputs of a case on the device, and gradients of one kernel.
class Device {
 public:
  explicit Device(const Case& test)
      : problem_(test.problem),
        plan_(hopper::backward::make_backward_plan(test.problem)),
        portable_(make_cuda_portable()) {
    const Problem& p = problem_;
    const std::int64_t queries = p.batch * p.seq_len * p.q_heads * p.head_dim, keys = queries / p.group();
    const float factors[] = {test.factors.q,  test.factors.k1, test.factors.k2,
                             test.factors.v1, test.factors.v2, test.factors.grad_o};
    for (int t = 0; t < 6; ++t) {
      const bool query_like = t == 0 || t == 5;
      const std::int64_t count = query_like ? queries : keys;
      inputs_[t] = DeviceBuffer(static_cast<std::size_t>(count) * 2);
      if (t < 5) grads_[t] = DeviceBuffer(static_cast<std::size_t>(count) * 2);
      reference::fill(inputs_[t].data(), count, static_cast<InputStream>(t), 7, test.kind,
                      static_cast<int>((query_like ? p.q_heads : p.kv_heads) * p.head_dim),
                      static_cast<int>(p.seq_len));
      scale_tensor(inputs_[t], factors[t]);
    }
    o_ = DeviceBuffer(static_cast<std::size_t>(queries) * 2);
    lse_ = DeviceBuffer(static_cast<std::size_t>(queries / p.head_dim) * 4);
    if (p.sink) {
      const std::vector<float> sink(static_cast<std::size_t>(p.q_heads), static_cast<float>(*p.sink));
      sink_ = DeviceBuffer(sink.size() * 4);
      grad_sink_ = DeviceBuffer(sink.size() * 4);
      TRISCOPE_CUDA_CHECK(cudaMemcpy(sink_.data(), sink.data(), sink_.bytes(), cudaMemcpyHostToDevice));
    }
    workspace_ = DeviceBuffer(plan_.bytes);
    TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
  }

  reference::Inputs inputs() const {
    return {inputs_[0].data(), inputs_[1].data(), inputs_[2].data(), inputs_[3].data(),
            inputs_[4].data(), inputs_[5].data(), sink_.as<float>()};
  }
  void set_forward(const std::vector<double>& lse, const std::vector<double>& o) {
    const std::vector<float> lse32(lse.begin(), lse.end());
    std::vector<__nv_bfloat16> o16(o.size());
    for (std::size_t n = 0; n < o.size(); ++n) o16[n] = __float2bfloat16(static_cast<float>(o[n]));
    TRISCOPE_CUDA_CHECK(cudaMemcpy(lse_.data(), lse32.data(), lse_.bytes(), cudaMemcpyHostToDevice));
    TRISCOPE_CUDA_CHECK(cudaMemcpy(o_.data(), o16.data(), o_.bytes(), cudaMemcpyHostToDevice));
  }
  void poison(int byte) {
    for (DeviceBuffer& buffer : grads_) TRISCOPE_CUDA_CHECK(cudaMemset(buffer.data(), byte, buffer.bytes()));
    if (grad_sink_.bytes() > 0) TRISCOPE_CUDA_CHECK(cudaMemset(grad_sink_.data(), byte, grad_sink_.bytes()));
    TRISCOPE_CUDA_CHECK(cudaMemset(workspace_.data(), byte, workspace_.bytes()));
    TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
  }
  void backward() {
    for (int part = 0; part < 3; ++part) backward_part(part);
  }
  /// 0: prepare, 1: the kernel, 2: finish.
  void backward_part(int part) {
    const Arguments a = arguments(workspace_);
    const hopper::backward::Plan bound = hopper::backward::bind(plan_, a);
    if (part == 0) hopper::backward::launch_prepare(bound, a, nullptr);
    if (part == 1) hopper::backward::launch_main(bound, a, multiprocessors_, nullptr);
    if (part == 2) hopper::backward::launch_finish(bound, a, nullptr);
  }

  void portable_forward() {
    portable_->launch(problem_, Pass::forward, portable_->info().instances.front(), arguments(workspace_));
  }
  void portable_backward() {
    const std::string instance = portable_->info().instances.front();
    if (portable_workspace_.bytes() == 0)
      portable_workspace_ = DeviceBuffer(portable_->workspace_bytes(problem_, Pass::backward, instance));
    portable_->launch(problem_, Pass::backward, instance, arguments(portable_workspace_));
  }
  std::vector<float> gradient(int t) const {
    if (t < 5) return download_bf16(grads_[t]);
    std::vector<float> values(grad_sink_.bytes() / 4);
    if (!values.empty())
      TRISCOPE_CUDA_CHECK(cudaMemcpy(values.data(), grad_sink_.data(), grad_sink_.bytes(), cudaMemcpyDeviceToHost));
    return values;
  }
  const hopper::backward::Plan& plan() const { return plan_; }

 private:
  Arguments arguments(const DeviceBuffer& workspace) const {
    Arguments a;
    a.q = inputs_[0].data(), a.k1 = inputs_[1].data(), a.k2 = inputs_[2].data(), a.v1 = inputs_[3].data();
    a.v2 = inputs_[4].data(), a.grad_o = inputs_[5].data(), a.o = o_.data(), a.lse = lse_.as<float>();
    a.grad_q = grads_[0].data(), a.grad_k1 = grads_[1].data(), a.grad_k2 = grads_[2].data();
    a.grad_v1 = grads_[3].data(), a.grad_v2 = grads_[4].data(), a.sink = sink_.as<float>();
    a.grad_sink = grad_sink_.as<float>(), a.workspace = workspace.data(), a.lse_fold = portable_->fold(problem_);
    return a;
  }

  Problem problem_;
  int multiprocessors_ = multiprocessors();
  hopper::backward::Plan plan_;
  std::unique_ptr<Kernel> portable_;
  DeviceBuffer inputs_[6], grads_[5], o_, lse_, sink_, grad_sink_, workspace_, portable_workspace_;
};

double norm(const std::vector<double>& x) {
  double sum = 0;
  for (double v : x) sum += v * v;
  return std::sqrt(sum);
}

/// ||x - expected|| / max(||expected||, ||bound||); NaN stays NaN.
double relative_error(const std::vector<float>& x, const std::vector<double>& expected,
                      const std::vector<double>& bound = {}) {
  double sum = 0;
  for (std::size_t n = 0; n < x.size(); ++n) sum += (x[n] - expected[n]) * (x[n] - expected[n]);
  const double scale = std::max(norm(expected), norm(bound));
  return sum == 0 ? 0 : std::sqrt(sum) / scale;
}

const char* kind_name(Kind kind) {
  constexpr const char* kKinds[] = {"", " q*4", " q*8", " huge early", " huge late", " rising", " zeros"};
  return kKinds[static_cast<int>(kind)];
}

/// One line: plain relative errors and, behind them, the largest with score gradients over their scale before they
/// cancel.
bool report(Device& device, const Case& test, const reference::Outputs& expected, const char* lse, bool judged) {
  const std::vector<double>* values[] = {&expected.dq,  &expected.dk1, &expected.dk2,
                                         &expected.dv1, &expected.dv2, &expected.dsink};
  const std::vector<double> none;
  const std::vector<double>* bounds[] = {&expected.dq_bound,   &expected.dk1_bound, &expected.dk2_bound, &none, &none,
                                         &expected.dsink_bound};
  std::string text;
  double worst = 0, bound = test.kind == Kind::rising ? kRisingBound : kGradientBound;
  bool finite = true;
  for (int t = 0; t < (test.problem.sink ? 6 : 5); ++t) {
    const std::vector<float> got = device.gradient(t);
    const double plain = relative_error(got, *values[t]), scaled = relative_error(got, *values[t], *bounds[t]);
    for (float x : got) finite = finite && std::isfinite(x);
    text += fmt::format(" {} {:.2e}", kNames[t], plain);
    if (!(scaled <= worst)) worst = scaled;
  }
  const bool good = finite && worst <= bound;
  fmt::print("{} {:<14}{} | worst {:.2e} {}{}\n",
             good     ? "ok  "
             : judged ? "FAIL"
                      : "over",
             lse, text, worst, describe(test.problem), kind_name(test.kind));
  std::fflush(stdout);
  return good || !judged;
}

Fold forward_fold(const Problem& problem) {
  return problem.window1 < problem.window2 && problem.k2_bias == 0 && problem.v2_bias == 0 ? Fold::query_k1
                                                                                           : Fold::query_k2;
}

bool check(const Case& test) {
  if (const auto reason = hopper::backward::unsupported_backward(test.problem)) {
    fmt::print("FAIL {}: {}\n", describe(test.problem), *reason);
    return false;
  }
  Device device(test);
  const reference::Outputs exact = reference::compute(test.problem, Fold::none, device.inputs());
  bool good = true;
  device.set_forward(exact.lse, exact.o);
  for (int byte : {0xFF, 0x5A}) {
    device.poison(byte);
    device.backward();
    TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
    if (byte == 0xFF)
      good = report(device, test, exact, "exact LSE", true) && good;
    else if (test.problem.seq_len % 2 == 0)
      good = report(device, test, exact, "again", true) && good;
  }
  const reference::Outputs rounded = reference::compute(test.problem, forward_fold(test.problem), device.inputs());
  device.set_forward(rounded.lse, rounded.o);
  device.poison(0xFF);
  device.backward();
  TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
  good = report(device, test, exact, "bf16 LSE", test.kind == Kind::normal) && good;
  if (test.kind != Kind::normal) report(device, test, rounded, "bf16 LSE, ref", false);
  return good;
}

std::vector<Case> all_cases() {
  constexpr Form T = Form::trilinear, D = Form::determinant;
  std::vector<Case> cases;
  const auto add = [&](Problem p, Kind kind = Kind::normal) { cases.push_back({p, kind}); };
  for (Form form : {T, D}) {
    add(make_problem(form, 1, 200, 64, 1, 128, 64, 16));
    add(make_problem(form, 1, 300, 64, 1, 128, 512, 32));
    add(make_problem(form, 1, 301, 128, 1, 128, 256, 32));
    add(make_problem(form, 1, 233, 128, 1, 128, 100, 20));
    add(make_problem(form, 1, 333, 64, 1, 128, 200, 64));
    add(make_problem(form, 1, 300, 64, 1, 128, 128, 128));
    add(make_problem(form, 2, 150, 64, 2, 128, 64, 16));   // batch, kv heads
    add(make_problem(form, 1, 260, 32, 1, 128, 100, 33));  // two positions a tile
    add(make_problem(form, 3, 150, 32, 2, 128, 64, 16));   // sixteen heads
    add(make_problem(form, 2, 161, 16, 2, 128, 96, 24));   // eight
    add(make_problem(form, 1, 130, 12, 2, 128, 40, 24));   // six: padded to eight
    add(make_problem(form, 1, 110, 96, 1, 128, 40, 24));   // a head block that is half full
    add(make_problem(form, 1, 90, 70, 2, 128, 40, 9));     // thirty-five: padded to sixty-four
    add(make_problem(form, 2, 100, 4, 4, 128, 40, 9));     // no grouping
    add(make_problem(form, 1, 129, 16, 1, 128, 17, 90));   // axis 1 is the short one
    add(make_problem(form, 2, 100, 16, 2, 128, 1, 40));
    add(make_problem(form, 1, 100, 64, 1, 128, 40, 1));
    add(make_problem(form, 1, 100, 16, 1, 128, 1, 1));
    add(make_problem(form, 1, 60, 16, 1, 128, 500, 300));  // windows larger than the sequence
    add(make_problem(form, 1, 380, 8, 1, 128, 330, 200));  // edges of more than one tile
    for (int n : {1, 2}) add(make_problem(form, 16, n, 16, 1, 128, 32, 32));
    for (int n : {31, 32, 33}) add(make_problem(form, 1, n, 64, 1, 128, 32, 32));
    add(make_problem(form, 1, 300, 64, 1, 64, 200, 32));
    add(make_problem(form, 2, 161, 32, 2, 64, 96, 24));
    add(make_problem(form, 2, 150, 16, 2, 64, 20, 60));
    for (int dim : {64, 128}) {
      Problem p = make_problem(form, 2, 150, 16, 2, dim, 64, 16);
      p.k2_bias = 0.125, p.v2_bias = -0.5, p.sink = 0.75;
      add(p);
      std::swap(p.window1, p.window2);
      add(p);
    }
    Problem p = make_problem(form, 2, 90, 80, 1, 64, 20, 40);
    p.sink = 9.0, p.scale = -0.125;
    add(p);
    add(make_problem(form, 1, 130, 16, 1, 128, 64, 16), Kind::zeros);
    add(make_problem(form, 1, 400, 64, 1, 128, 128, 32), Kind::q4);
    add(make_problem(form, 1, 400, 64, 1, 128, 128, 32), Kind::q8);
  }
  for (Kind kind : {Kind::early, Kind::late, Kind::rising}) add(make_problem(T, 1, 400, 16, 1, 128, 400, 16), kind);
  return cases;
}

std::vector<Case> small_cases() {
  std::vector<Case> cases;
  for (Form form : {Form::trilinear, Form::determinant}) {
    for (int dim : {64, 128}) {
      Problem p = make_problem(form, 2, 40, 20, 2, dim, 33, 5);
      p.sink = 0.5, p.v2_bias = 0.25;
      cases.push_back({p});
      cases.push_back({make_problem(form, 1, 11, 70, 1, dim, 4, 8)});
    }
  }
  return cases;
}

std::vector<Case> range_cases() {
  const Problem p = make_problem(Form::trilinear, 1, 400, 64, 1, 128, 128, 32);
  std::vector<Case> cases;
  for (Factors f : {Factors{}, Factors{.grad_o = 1e-4f}, Factors{.grad_o = 1e4f}, Factors{.grad_o = 1e-10f},
                    Factors{.grad_o = 1e10f}, Factors{.k1 = 1e-3f, .k2 = 1e3f}, Factors{.q = 1e3f, .k1 = 1e-3f},
                    Factors{.q = 1e-3f, .k1 = 30, .k2 = 30}, Factors{.v1 = 1e-3f, .v2 = 1e-3f},
                    Factors{.v1 = 1e3f, .v2 = 1e3f}, Factors{.q = 1e6f, .k1 = 1e-3f, .k2 = 1e-3f}})
    cases.push_back({p, Kind::normal, f});
  return cases;
}

int check_all(const std::vector<Case>& cases) {
  int failed = 0;
  for (const Case& test : cases) {
    try {
      failed += check(test) ? 0 : 1;
    } catch (const std::exception& error) {
      fmt::print("FAIL {}: {}\n", describe(test.problem), error.what());
      ++failed;
    }
  }
  fmt::print("{} of {} cases failed\n", failed, cases.size());
  return failed == 0 ? 0 : 1;
}

bool check_large(const Problem& problem) {
  Device device({problem});
  device.portable_forward();
  device.portable_backward();
  TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
  std::vector<std::vector<double>> expected;
  for (int t = 0; t < 5; ++t) {
    const std::vector<float> values = device.gradient(t);
    expected.emplace_back(values.begin(), values.end());
  }
  device.poison(0xFF);
  device.backward();
  TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
  bool good = true;
  std::string text;
  for (int t = 0; t < 5; ++t) {
    const double error = relative_error(device.gradient(t), expected[static_cast<std::size_t>(t)]);
    text += fmt::format(" {} {:.2e}", kNames[t], error);
    good = good && error <= 1.5 * kGradientBound;
  }
  fmt::print("{} against cuda.portable:{} {}\n", good ? "ok  " : "FAIL", text, describe(problem));
  std::fflush(stdout);
  return good;
}

/// Of one backward: 200 ms that are not timed, then the median of eleven blocks of at least 40 ms. A single block can
/// fall into the dip of a tenth that the power cap makes about once a second.
double sustained_ms(Device& device) {
  constexpr int kBlocks = 11;
  EventTimer timer;
  device.backward();
  timer.start(nullptr);
  device.backward();
  timer.stop(nullptr);
  const double once = timer.elapsed_ms();
  for (int n = 0; n < static_cast<int>(200.0 / once); ++n) device.backward();
  const int launches = std::max(1, static_cast<int>(std::ceil(40.0 / once)));
  std::vector<EventTimer> timers(kBlocks);
  for (EventTimer& block : timers) {
    block.start(nullptr);
    for (int n = 0; n < launches; ++n) device.backward();
    block.stop(nullptr);
  }
  std::vector<double> ms;
  for (EventTimer& block : timers) ms.push_back(block.elapsed_ms() / launches);
  std::sort(ms.begin(), ms.end());
  return ms[kBlocks / 2];
}

int time_all(int rounds, const std::vector<std::string>& shapes) {
  struct Entry {
    std::unique_ptr<Device> device;
    Problem problem;
    std::vector<double> tflops = {};
    std::vector<double> ms[3] = {};
  };
  std::vector<Entry> entries;
  for (const std::string& shape : shapes) {
    const Problem problem = parse_shape(shape);
    entries.push_back({std::make_unique<Device>(Case{problem}), problem});
    entries.back().device->portable_forward();
  }
  TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
  EventTimer timer;
  for (int round = 0; round < rounds; ++round) {
    for (Entry& entry : entries) {
      entry.tflops.push_back(useful_flops(entry.problem, Pass::backward) / sustained_ms(*entry.device) / 1e9);
      for (int part = 0; part < 3; ++part) {
        timer.start(nullptr);
        entry.device->backward_part(part);
        timer.stop(nullptr);
        entry.ms[part].push_back(timer.elapsed_ms());
      }
    }
  }
  const auto median = [](std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  };
  for (const Entry& entry : entries) {
    const double main_tflops = useful_flops(entry.problem, Pass::backward) / median(entry.ms[1]) / 1e9;
    fmt::print("{:>66} {:6.1f} ({:.1f} .. {:.1f}) TFLOP/s; ms {:.3f} {:.3f} ({:.1f}) {:.3f}; workspace {} MiB\n",
               describe(entry.problem), median(entry.tflops),
               *std::min_element(entry.tflops.begin(), entry.tflops.end()),
               *std::max_element(entry.tflops.begin(), entry.tflops.end()), median(entry.ms[0]), median(entry.ms[1]),
               main_tflops, median(entry.ms[2]), entry.device->plan().bytes >> 20);
  }
  return 0;
}

int hold(double seconds, const Problem& problem) {
  Device device({problem});
  device.portable_forward();
  TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
  EventTimer timer;
  int launches = 1;
  for (double held_ms = 0, ms = 0; held_ms < 1e3 * seconds; held_ms += ms) {
    timer.start(nullptr);
    for (int n = 0; n < launches; ++n) device.backward();
    timer.stop(nullptr);
    ms = timer.elapsed_ms();
    fmt::print("{:.1f} ", useful_flops(problem, Pass::backward) * launches / ms / 1e9);
    launches = std::max(1, static_cast<int>(200.0 * launches / ms));
  }
  fmt::print("TFLOP/s {}\n", describe(problem));
  return 0;
}

int run(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "check";
  const std::vector<std::string> rest(argv + std::min(argc, 2), argv + argc);
  if (mode == "check") return check_all(all_cases());
  if (mode == "small") return check_all(small_cases());
  if (mode == "hold" && rest.size() == 2) return hold(std::atof(rest[0].c_str()), parse_shape(rest[1]));
  if (mode == "ranges") return check_all(range_cases());
  if (mode == "large") {
    bool good = true;
    for (const std::string& shape : rest) good = check_large(parse_shape(shape)) && good;
    return good ? 0 : 1;
  }
  if (mode == "time" && rest.size() > 1) return time_all(std::atoi(rest[0].c_str()), {rest.begin() + 1, rest.end()});
  throw Error("cannot run hopper_backward_bench", "there is no mode " + mode + " with these arguments",
              "see the head of hopper_backward_bench.cpp", ExitCode::usage);
}

}  // namespace
}  // namespace triscope

int main(int argc, char** argv) {
  try {
    return triscope::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
