// Checks and times cuda.portable on a GPU (ctest: gpu_portable).
//   cuda_portable_check            every case of the method page against an fp64 reference; exit 1 when one fails
//   cuda_portable_check small      few small cases without poison, for compute-sanitizer
//   cuda_portable_check hopper     those that cuda.hopper can run, the backward on its o and lse; compute
//   capability 9.0 cuda_portable_check serve      reads lines "forward|backward trilinear|determinant W1 W2 N Hq Hkv D
//   COUNT" and answers
//                                  each with the median milliseconds of COUNT launches (CUDA events) and useful TFLOP/s
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/attention/flops.hpp"
#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/cuda/hopper/hopper.hpp"
#include "kernels/cuda/portable/portable.hpp"
#include "kernels/reference/check.hpp"
#include "tests/cuda/reference.hpp"

namespace triscope {
namespace {

using cuda::DeviceBuffer;
using cuda::EventTimer;
using cuda::Stream;
using reference::Kind;

constexpr const char* kKindNames[] = {"", " q*4", " q*8", " huge early", " huge late", " rising", " zeros", " low"};

struct Case {
  Problem problem;
  Kind kind = Kind::normal;
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

/// Tensors of a problem on the device, and both passes run on them.
class Run {
 public:
  /// `forward`: the kernel whose o and lse the backward is given.
  Run(const Kernel& kernel, const Kernel& forward, const Problem& problem, Kind kind, bool poison)
      : kernel_(kernel), forward_(forward), problem_(problem), poison_(poison) {
    const std::int64_t queries = problem.batch * problem.seq_len * problem.q_heads * problem.head_dim;
    const std::int64_t keys = queries / problem.group();
    for (int t = 0; t < 6; ++t) {
      const bool query_like = t == 0 || t == 5;
      const std::int64_t count = query_like ? queries : keys;
      inputs_[t] = DeviceBuffer(static_cast<std::size_t>(count) * 2);
      outputs_[t] = DeviceBuffer(static_cast<std::size_t>(count) * 2);
      const int row_size = static_cast<int>((query_like ? problem.q_heads : problem.kv_heads) * problem.head_dim);
      reference::fill(inputs_[t].data(), count, static_cast<InputStream>(t), 7, kind, row_size,
                      static_cast<int>(problem.seq_len));
    }
    lse_ = DeviceBuffer(static_cast<std::size_t>(queries / problem.head_dim) * 4);
    in_bf16_ = DeviceBuffer(4);
    TRISCOPE_CUDA_CHECK(cudaMemset(in_bf16_.data(), 0, 4));
    if (problem.sink) {
      const std::vector<float> sink(static_cast<std::size_t>(problem.q_heads), static_cast<float>(*problem.sink));
      sink_ = DeviceBuffer(sink.size() * 4);
      grad_sink_ = DeviceBuffer(sink.size() * 4);
      TRISCOPE_CUDA_CHECK(cudaMemcpy(sink_.data(), sink.data(), sink_.bytes(), cudaMemcpyHostToDevice));
    }
    workspace_ = DeviceBuffer(
        std::max(kernel.workspace_bytes(problem, Pass::backward, instance()),
                 forward.workspace_bytes(problem, Pass::forward, forward.choose_instance(problem, Pass::forward))));
    TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
  }

  void forward() {
    forward_.launch(problem_, Pass::forward, forward_.choose_instance(problem_, Pass::forward), arguments());
  }
  void backward() { kernel_.launch(problem_, Pass::backward, instance(), arguments()); }

  /// Both passes, outputs and workspace filled with `byte` beforehand.
  void both(int byte) {
    if (poison_) {
      for (const DeviceBuffer* buffer : {&outputs_[0], &outputs_[1], &outputs_[2], &outputs_[3], &outputs_[4],
                                         &outputs_[5], &lse_, &grad_sink_, &workspace_}) {
        if (buffer->bytes() > 0) TRISCOPE_CUDA_CHECK(cudaMemset(buffer->data(), byte, buffer->bytes()));
      }
      TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
    }
    forward();
    backward();
    TRISCOPE_CUDA_CHECK(cudaStreamSynchronize(stream_.get()));
  }

  reference::Inputs inputs() const {
    return {inputs_[0].data(), inputs_[1].data(), inputs_[2].data(), inputs_[3].data(),
            inputs_[4].data(), inputs_[5].data(), sink_.as<float>()};
  }
  /// Output `t`: 0 dq, 1 dk1, 2 dk2, 3 dv1, 4 dv2, 5 o; 6 lse, 7 dsink.
  std::vector<float> output(int t) const {
    const DeviceBuffer& buffer = t < 6 ? outputs_[t] : t == 6 ? lse_ : grad_sink_;
    std::vector<std::uint8_t> raw(buffer.bytes());
    if (!raw.empty()) TRISCOPE_CUDA_CHECK(cudaMemcpy(raw.data(), buffer.data(), raw.size(), cudaMemcpyDeviceToHost));
    std::vector<float> values(raw.size() / (t < 6 ? 2 : 4));
    for (std::size_t n = 0; n < values.size(); ++n) {
      std::uint32_t bits = 0;
      if (t < 6) {
        std::uint16_t half;
        std::memcpy(&half, raw.data() + 2 * n, 2);
        bits = std::uint32_t{half} << 16;
      } else {
        std::memcpy(&bits, raw.data() + 4 * n, 4);
      }
      std::memcpy(&values[n], &bits, 4);
    }
    return values;
  }
  cudaStream_t stream() const { return stream_.get(); }
  Fold fold() const { return forward_.fold(problem_); }
  /// Of the LSE: `fold`, or what the forward had instead.
  Fold lse_fold() const {
    std::uint32_t word = 0;
    TRISCOPE_CUDA_CHECK(cudaMemcpy(&word, in_bf16_.data(), 4, cudaMemcpyDeviceToHost));
    return word != 0 ? bf16_fold(fold(), problem_.form) : fold();
  }

 private:
  std::string instance() const { return kernel_.info().instances.front(); }
  Arguments arguments() const {
    Arguments a;
    a.q = inputs_[0].data(), a.k1 = inputs_[1].data(), a.k2 = inputs_[2].data(), a.v1 = inputs_[3].data(),
    a.v2 = inputs_[4].data();
    a.grad_o = inputs_[5].data();
    a.grad_q = outputs_[0].data(), a.grad_k1 = outputs_[1].data(), a.grad_k2 = outputs_[2].data();
    a.grad_v1 = outputs_[3].data(), a.grad_v2 = outputs_[4].data(), a.o = outputs_[5].data();
    a.lse = lse_.as<float>(), a.sink = sink_.as<float>(), a.grad_sink = grad_sink_.as<float>();
    a.workspace = workspace_.data(), a.lse_fold = fold(), a.lse_in_bf16 = in_bf16_.as<std::uint32_t>(),
    a.stream = stream_.get();
    return a;
  }

  const Kernel& kernel_;
  const Kernel& forward_;
  Problem problem_;
  bool poison_;
  Stream stream_;
  DeviceBuffer inputs_[6], outputs_[6], lse_, in_bf16_, sink_, grad_sink_, workspace_;
};

double norm(const std::vector<double>& x) {
  double sum = 0;
  for (double v : x) sum += v * v;
  return std::sqrt(sum);
}

/// ||x - reference|| / max(||reference||, ||bound||); 0 when all are zero; NaN stays NaN.
double relative_error(const std::vector<float>& x, const std::vector<double>& expected,
                      const std::vector<double>& bound = {}) {
  double sum = 0;
  for (std::size_t n = 0; n < x.size(); ++n) sum += (x[n] - expected[n]) * (x[n] - expected[n]);
  const double scale = std::max(norm(expected), norm(bound));
  return sum == 0 ? 0 : std::sqrt(sum) / scale;
}

double largest_difference(const std::vector<float>& x, const std::vector<double>& expected) {
  double largest = 0;
  for (std::size_t n = 0; n < x.size(); ++n) {
    const double difference = std::abs(x[n] - expected[n]);
    if (!(difference <= largest)) largest = difference;  // NaN wins
  }
  return largest;
}

/// Compares with one reference; prints one line; true when within the bounds of the method page.
bool compare(const Run& run, const Case& test, Fold fold) {
  const reference::Outputs expected = reference::compute(test.problem, fold, run.inputs());
  const bool exact = fold == Fold::none;
  double largest_lse = 0;
  for (double v : expected.lse) largest_lse = std::max(largest_lse, std::abs(v));
  const double o = relative_error(run.output(5), expected.o);
  const double lse = largest_difference(run.output(6), expected.lse);
  const double gradients[] = {
      relative_error(run.output(0), expected.dq, expected.dq_bound),
      relative_error(run.output(1), expected.dk1, expected.dk1_bound),
      relative_error(run.output(2), expected.dk2, expected.dk2_bound),
      relative_error(run.output(3), expected.dv1),
      relative_error(run.output(4), expected.dv2),
      test.problem.sink ? relative_error(run.output(7), expected.dsink, expected.dsink_bound) : 0.0};
  const Bounds bounds = bounds_of(test.problem, !exact, run.lse_fold(), largest_lse, test.kind != Kind::normal);
  bool good = o <= bounds.o && lse <= bounds.lse;
  std::string text =
      fmt::format("{} o {:.1e} lse {:.1e} dq,dk1,dk2,dv1,dv2,dsink", exact ? "exact  " : "rounded", o, lse);
  for (double g : gradients) {
    text += fmt::format(" {:.1e}", g);
    good = good && g <= bounds.gradient;
  }
  fmt::print("{} {} {}{}\n", good ? "ok  " : "FAIL", text, describe(test.problem),
             kKindNames[static_cast<int>(test.kind)]);
  std::fflush(stdout);
  return good;
}

/// Runs twice over different poison; outputs must agree bit for bit, and with the references.
bool check(const Kernel& kernel, const Kernel& forward, const Case& test, bool poison) {
  if (const auto reason = kernel.unsupported(test.problem, Pass::backward)) {
    fmt::print("FAIL unsupported: {}\n", *reason);
    return false;
  }
  Run run(kernel, forward, test.problem, test.kind, poison);
  run.both(0xFF);
  std::vector<std::vector<float>> first;
  for (int t = 0; t < 8; ++t) first.push_back(run.output(t));
  run.both(0x5A);
  for (int t = 0; t < 8; ++t) {
    const std::vector<float> second = run.output(t);
    if (second.empty() || std::memcmp(first[static_cast<std::size_t>(t)].data(), second.data(), second.size() * 4) == 0)
      continue;
    fmt::print("FAIL output {} differs between two runs: {}\n", t, describe(test.problem));
    return false;
  }
  bool good = compare(run, test, run.lse_fold());
  // The exact reference is for logits of unit size: rounding q~ moves larger ones by more than its bounds allow.
  const bool unit_logits =
      (test.kind == Kind::normal && !test.problem.scale && test.problem.head_dim >= 64) || test.kind == Kind::zeros;
  if (unit_logits) good = compare(run, test, Fold::none) && good;
  return good;
}

std::vector<Case> all_cases() {
  constexpr Form T = Form::trilinear, D = Form::determinant;
  std::vector<Case> cases;
  const auto add = [&](Problem p, Kind kind = Kind::normal) { cases.push_back({p, kind}); };
  for (Form form : {T, D}) {
    // A lone row whose gradient happens to cancel says little about rounding, so the shortest sequences come in
    // batches.
    for (int n : {1, 2}) add(make_problem(form, 16, n, 2, 1, 64, 32, 32));
    for (int n : {31, 32, 33, 70}) add(make_problem(form, 1, n, 2, 1, 64, 32, 32));
    add(make_problem(form, 1, 300, 64, 1, 128, 100, 20));  // heads packed
    add(make_problem(form, 1, 700, 2, 1, 128, 512, 32));   // longer than both windows, 32 positions a tile
    add(make_problem(form, 1, 200, 128, 1, 128, 64, 16));  // two tiles a position
    add(make_problem(form, 3, 150, 16, 2, 128, 64, 16));   // batch, two kv heads
    add(make_problem(form, 2, 333, 2, 2, 64, 200, 64));    // no grouping
    add(make_problem(form, 1, 150, 6, 2, 72, 40, 24));     // odd group, padded head_dim
    add(make_problem(form, 1, 130, 10, 2, 8, 33, 7));
    add(make_problem(form, 1, 129, 8, 1, 120, 17, 90));  // folds k1
    add(make_problem(form, 2, 100, 4, 2, 128, 1, 40));
    add(make_problem(form, 1, 100, 4, 4, 128, 40, 1));
    add(make_problem(form, 1, 100, 4, 1, 64, 1, 1));
    add(make_problem(form, 1, 140, 8, 8, 128, 60, 60));
    add(make_problem(form, 1, 60, 8, 1, 128, 500, 300));  // windows larger than the sequence
    Problem p = make_problem(form, 2, 150, 8, 2, 128, 64, 16);
    p.k2_bias = 0.125, p.v2_bias = -0.5, p.sink = 0.75;
    add(p);
    std::swap(p.window1, p.window2);  // a bias keeps k2 folded
    add(p);
    p = make_problem(form, 2, 90, 4, 1, 64, 20, 40);
    p.sink = 9.0, p.scale = -0.3;
    add(p);
    p.scale = 1.0;
    p.sink = -3.0;
    add(p);
    add(make_problem(form, 1, 250, 16, 1, 128, 128, 16), Kind::q4);
    add(make_problem(form, 1, 250, 16, 1, 128, 128, 16), Kind::q8);
    add(make_problem(form, 1, 130, 4, 1, 128, 64, 16), Kind::zeros);
  }
  for (Kind kind : {Kind::early, Kind::late, Kind::rising}) {
    add(make_problem(T, 1, 400, 4, 1, 128, 400, 16), kind);
    add(make_problem(T, 1, 400, 2, 2, 64, 300, 16), kind);
    add(make_problem(T, 1, 300, 4, 1, 128, 16, 300), kind);
  }
  Problem p = make_problem(T, 1, 130, 4, 1, 64, 32, 8);
  p.scale = 0.0;
  add(p);
  return cases;
}

std::vector<Case> small_cases() {
  std::vector<Case> cases;
  for (Form form : {Form::trilinear, Form::determinant}) {
    Problem p = make_problem(form, 2, 75, 4, 2, 128, 33, 3);
    p.sink = 0.5;
    cases.push_back({p});
    cases.push_back({make_problem(form, 1, 10, 64, 1, 128, 8, 4)});
    p = make_problem(form, 1, 70, 3, 1, 40, 1, 5);
    p.k2_bias = 0.25;
    cases.push_back({p});
  }
  return cases;
}

int check_all(const Kernel& kernel, const std::vector<Case>& cases, bool poison) {
  int failures = 0;
  for (const Case& test : cases) failures += check(kernel, kernel, test, poison) ? 0 : 1;
  fmt::print("{} cases, {} failed\n", cases.size(), failures);
  return failures == 0 ? 0 : 1;
}

/// The backward with o and lse of cuda.hopper's forward, which rounds a determinant's products otherwise.
int check_hopper_lse(const Kernel& kernel) {
  const auto hopper = make_cuda_hopper();
  int failures = 0, checked = 0;
  for (const Case& test : all_cases()) {
    if (hopper->unsupported(test.problem, Pass::forward)) continue;
    ++checked;
    fmt::print("{}: ", to_string(hopper->fold(test.problem)));
    failures += check(kernel, *hopper, test, true) ? 0 : 1;
  }
  fmt::print("{} cases with the LSE of cuda.hopper, {} failed\n", checked, failures);
  return failures == 0 && checked > 0 ? 0 : 1;
}

int serve(const Kernel& kernel) {
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string pass_name, form_name;
    int w1, w2, n, q_heads, kv_heads, dim, count;
    words >> pass_name >> form_name >> w1 >> w2 >> n >> q_heads >> kv_heads >> dim >> count;
    const auto pass = parse_pass(pass_name);
    const auto form = parse_form(form_name);
    if (!words || !pass || !form) {
      fmt::print(stderr, "not understood: {}\n", line);
      return 2;
    }
    const Problem problem = make_problem(*form, 1, n, q_heads, kv_heads, dim, w1, w2);
    Run run(kernel, kernel, problem, Kind::normal, false);
    run.forward();
    std::vector<double> times;
    EventTimer timer;
    for (int launch = -2; launch < count; ++launch) {
      timer.start(run.stream());
      *pass == Pass::forward ? run.forward() : run.backward();
      timer.stop(run.stream());
      const double ms = timer.elapsed_ms();
      if (launch >= 0) times.push_back(ms);
    }
    std::sort(times.begin(), times.end());
    const double median = times[times.size() / 2];
    std::cout << fmt::format("{:.4f} {:.1f}", median, useful_flops(problem, *pass) / median * 1e-9) << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace triscope

int main(int count, char** arguments) {
  using namespace triscope;
  try {
    const auto kernel = make_cuda_portable();
    const std::string mode = count > 1 ? arguments[1] : "";
    if (mode == "serve") return serve(*kernel);
    if (mode == "hopper") return check_hopper_lse(*kernel);
    if (mode == "small") return check_all(*kernel, small_cases(), false);
    return check_all(*kernel, all_cases(), true);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 3;
  }
}
