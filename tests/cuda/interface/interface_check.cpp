// The CUDA kernels through include/triscope/attention.h, on a GPU (ctest: gpu_interface): against cpu.oracle, inside a
// CUDA graph, from threads of their own, and refused calls. The host time of a call is printed, not judged: it is the
// machine's.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "include/triscope/attention.h"
#include "kernels/base/half.hpp"
#include "kernels/base/stopwatch.hpp"
#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/plugin/c_problem.hpp"
#include "tests/cuda/interface/empty_launch.hpp"
#include "tests/kernels/attention/attention_case.hpp"

namespace triscope {
namespace {

using cuda::DeviceBuffer;
using test::attention_problem;
using test::AttentionCase;

std::vector<std::string> failures;

void expect(bool right, const std::string& what) {
  fmt::print("{} {}\n", right ? "ok  " : "FAIL", what);
  std::fflush(stdout);
  if (!right) failures.push_back(what);
}

triscope_problem with_element(const Problem& problem, triscope_element element) {
  triscope_problem c = c_problem(problem);
  c.element = element;
  return c;
}

/// A problem's tensors on the GPU, with a plan of each pass.
class OnGpu {
 public:
  OnGpu(const char* kernel, const AttentionCase& from) : from_(from) {
    const triscope_problem problem = with_element(from.problem, TRISCOPE_BF16);
    std::size_t most = 256;
    for (const int pass : {TRISCOPE_FORWARD, TRISCOPE_BACKWARD}) {
      plans_[pass].size = sizeof(triscope_plan);
      require(triscope_prepare(kernel, &problem, pass, &plans_[pass], reason_.data(), reason_.size()));
      most = std::max(most, plans_[pass].workspace_bytes);
    }
    const std::size_t queries = 2 * from.q.size(), keys = 2 * from.k1.size();
    tensors_.size = sizeof tensors_;
    tensors_.q = upload(from.q), tensors_.k1 = upload(from.k1), tensors_.k2 = upload(from.k2);
    tensors_.v1 = upload(from.v1), tensors_.v2 = upload(from.v2), tensors_.grad_o = upload(from.grad_o);
    tensors_.o = poisoned(queries), tensors_.lse = static_cast<float*>(poisoned(4 * from.lse.size()));
    tensors_.lse_state = static_cast<std::uint32_t*>(poisoned(4));
    tensors_.grad_q = poisoned(queries);
    tensors_.grad_k1 = poisoned(keys), tensors_.grad_k2 = poisoned(keys);
    tensors_.grad_v1 = poisoned(keys), tensors_.grad_v2 = poisoned(keys);
    if (from.problem.sink) {
      auto* sink = static_cast<float*>(poisoned(4 * from.sink.size()));
      TRISCOPE_CUDA_CHECK(cudaMemcpy(sink, from.sink.data(), 4 * from.sink.size(), cudaMemcpyHostToDevice));
      tensors_.sink = sink;
      tensors_.grad_sink = static_cast<float*>(poisoned(4 * from.sink.size()));
    }
    tensors_.workspace = poisoned(most);
    tensors_.workspace_bytes = most;
    TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
  }

  void run(int pass, cudaStream_t stream) {
    require(triscope_run(&plans_[pass], &tensors_, stream, reason_.data(), reason_.size()));
  }
  void both(cudaStream_t stream) { run(TRISCOPE_FORWARD, stream), run(TRISCOPE_BACKWARD, stream); }

  /// Outputs after all that was launched.
  AttentionCase outputs() const {
    TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
    AttentionCase to(from_.problem);
    download(tensors_.o, to.o), download(tensors_.grad_q, to.grad_q);
    download(tensors_.grad_k1, to.grad_k1), download(tensors_.grad_k2, to.grad_k2);
    download(tensors_.grad_v1, to.grad_v1), download(tensors_.grad_v2, to.grad_v2);
    TRISCOPE_CUDA_CHECK(cudaMemcpy(to.lse.data(), tensors_.lse, 4 * to.lse.size(), cudaMemcpyDeviceToHost));
    if (from_.problem.sink)
      TRISCOPE_CUDA_CHECK(
          cudaMemcpy(to.grad_sink.data(), tensors_.grad_sink, 4 * to.sink.size(), cudaMemcpyDeviceToHost));
    return to;
  }
  /// All of them: what a launch then leaves out is no number. Waits for it, since no other stream does.
  void poison_outputs() {
    const auto poison = [](void* tensor, std::size_t bytes) {
      if (tensor != nullptr) TRISCOPE_CUDA_CHECK(cudaMemset(tensor, 0xFF, bytes));
    };
    const std::size_t queries = 2 * from_.q.size(), keys = 2 * from_.k1.size();
    poison(tensors_.o, queries), poison(tensors_.grad_q, queries);
    for (void* gradient : {tensors_.grad_k1, tensors_.grad_k2, tensors_.grad_v1, tensors_.grad_v2})
      poison(gradient, keys);
    poison(tensors_.lse, 4 * from_.lse.size()), poison(tensors_.grad_sink, 4 * from_.sink.size());
    TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
  }
  triscope_tensors& tensors() { return tensors_; }
  const triscope_plan& plan(int pass) const { return plans_[pass]; }

 private:
  void require(triscope_status status) const {
    if (status != TRISCOPE_OK) throw std::runtime_error(reason_.data());
  }
  void* poisoned(std::size_t bytes) {
    memory_.push_back(std::make_unique<DeviceBuffer>(bytes));
    TRISCOPE_CUDA_CHECK(cudaMemset(memory_.back()->data(), 0xFF, bytes));
    return memory_.back()->data();
  }
  void* upload(const std::vector<float>& values) {
    std::vector<std::uint16_t> bits(values.size());
    std::transform(values.begin(), values.end(), bits.begin(), bfloat16_from_float);
    void* to = poisoned(2 * bits.size());
    TRISCOPE_CUDA_CHECK(cudaMemcpy(to, bits.data(), 2 * bits.size(), cudaMemcpyHostToDevice));
    return to;
  }
  static void download(const void* from, std::vector<float>& to) {
    std::vector<std::uint16_t> bits(to.size());
    TRISCOPE_CUDA_CHECK(cudaMemcpy(bits.data(), from, 2 * bits.size(), cudaMemcpyDeviceToHost));
    std::transform(bits.begin(), bits.end(), to.begin(), float_from_bfloat16);
  }

  const AttentionCase& from_;
  std::array<triscope_plan, 2> plans_{};
  triscope_tensors tensors_{};
  std::vector<std::unique_ptr<DeviceBuffer>> memory_;
  mutable std::array<char, TRISCOPE_REASON_SIZE> reason_{};
};

/// Both passes of `cpu.oracle` on the same numbers.
void run_oracle(AttentionCase& inputs) {
  const triscope_problem problem = with_element(inputs.problem, TRISCOPE_FP32);
  const Arguments a = inputs.arguments();
  triscope_tensors c{};
  c.size = sizeof c;
  c.q = a.q, c.k1 = a.k1, c.k2 = a.k2, c.v1 = a.v1, c.v2 = a.v2, c.sink = a.sink, c.o = a.o, c.lse = a.lse;
  c.grad_o = a.grad_o, c.grad_q = a.grad_q, c.grad_sink = a.grad_sink;
  c.grad_k1 = a.grad_k1, c.grad_k2 = a.grad_k2, c.grad_v1 = a.grad_v1, c.grad_v2 = a.grad_v2;
  for (const int pass : {TRISCOPE_FORWARD, TRISCOPE_BACKWARD}) {
    std::size_t bytes = 0;
    triscope_workspace("cpu.oracle", &problem, pass, &bytes, nullptr, 0);
    test::Workspace workspace(bytes);
    c.workspace = workspace.data(), c.workspace_bytes = bytes;
    if (triscope_launch("cpu.oracle", &problem, pass, &c, nullptr, nullptr, 0) != TRISCOPE_OK)
      throw std::runtime_error("cpu.oracle failed");
  }
}

double worst_gradient(const AttentionCase& a, const AttentionCase& b) {
  double worst = 0;
  const auto compare = [&](const std::vector<float>& x, const std::vector<float>& y) {
    const double error = test::relative_error(x, y);
    if (!(error <= worst) && !std::isnan(worst)) worst = error;
  };
  compare(a.grad_q, b.grad_q), compare(a.grad_k1, b.grad_k1), compare(a.grad_k2, b.grad_k2);
  compare(a.grad_v1, b.grad_v1), compare(a.grad_v2, b.grad_v2);
  if (a.problem.sink) compare(a.grad_sink, b.grad_sink);
  return worst;
}

/// "" or where the two are not the same bits: ", o differs at 12 of 25600, first at 7: nan beside 0.25".
std::string difference(const char* name, const std::vector<float>& a, const std::vector<float>& b) {
  const auto differs = [&](std::size_t n) { return std::memcmp(&a[n], &b[n], sizeof(float)) != 0; };
  std::size_t count = 0, first = 0;
  for (std::size_t n = a.size(); n-- > 0;) {
    if (differs(n)) ++count, first = n;
  }
  if (count == 0) return "";
  return fmt::format(", {} differs at {} of {}, first at {}: {} beside {}", name, count, a.size(), first, a[first],
                     b[first]);
}
std::string forward_difference(const AttentionCase& a, const AttentionCase& b) {
  return difference("o", a.o, b.o) + difference("lse", a.lse, b.lse);
}
std::string gradient_difference(const AttentionCase& a, const AttentionCase& b) {
  std::string text = difference("grad_q", a.grad_q, b.grad_q) + difference("grad_k1", a.grad_k1, b.grad_k1) +
                     difference("grad_k2", a.grad_k2, b.grad_k2) + difference("grad_v1", a.grad_v1, b.grad_v1) +
                     difference("grad_v2", a.grad_v2, b.grad_v2);
  if (a.problem.sink) text += difference("grad_sink", a.grad_sink, b.grad_sink);
  return text;
}
/// The forward bit for bit; the fast backward adds in no fixed order (docs/backward.md).
std::string notable_difference(const AttentionCase& a, const AttentionCase& b) {
  const double gradient = worst_gradient(a, b);
  return forward_difference(a, b) + (gradient <= 2e-3 ? "" : fmt::format(", gradients {:.1e} apart", gradient));
}

std::vector<Problem> problems() {
  std::vector<Problem> list = {attention_problem(Form::trilinear, 200, 64, 8, 4, 2, 64, 2),
                               attention_problem(Form::trilinear, 150, 8, 64, 8, 1, 128),
                               attention_problem(Form::determinant, 130, 32, 16, 4, 1, 128),
                               attention_problem(Form::determinant, 97, 20, 5, 3, 1, 72)};
  Problem all = attention_problem(Form::trilinear, 140, 48, 12, 6, 2, 64);
  all.scale = 0.1, all.k2_bias = 0.5, all.v2_bias = -0.25, all.sink = 0.3;
  list.push_back(all);
  all.form = Form::determinant;
  list.push_back(all);
  for (Problem& problem : list) problem.element = Element::bf16;
  return list;
}

void check_numbers() {
  for (const Problem& problem : problems()) {
    AttentionCase inputs(problem);
    OnGpu gpu("cuda", inputs);
    gpu.both(nullptr);
    const AttentionCase ours = gpu.outputs();
    run_oracle(inputs);
    const double o = test::relative_error(ours.o, inputs.o), lse = test::relative_error(ours.lse, inputs.lse);
    const double gradient = worst_gradient(ours, inputs);
    expect(o <= 6e-3 && lse <= 3e-3 && gradient <= 1.5e-2,
           fmt::format("{}: errors {:.1e} o, {:.1e} lse, {:.1e} gradients", describe(problem), o, lse, gradient));
  }
}

void check_graph(const cuda::Stream& stream) {
  for (const Problem& problem : problems()) {
    const AttentionCase inputs(problem);
    OnGpu gpu("cuda", inputs);
    gpu.both(stream.get());
    const AttentionCase direct = gpu.outputs();
    cudaGraph_t graph = nullptr;
    TRISCOPE_CUDA_CHECK(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal));
    gpu.both(stream.get());
    TRISCOPE_CUDA_CHECK(cudaStreamEndCapture(stream.get(), &graph));
    cudaGraphExec_t executable = nullptr;
    TRISCOPE_CUDA_CHECK(cudaGraphInstantiate(&executable, graph, 0));
    gpu.poison_outputs();
    TRISCOPE_CUDA_CHECK(cudaGraphLaunch(executable, stream.get()));
    const std::string differs = notable_difference(gpu.outputs(), direct);
    expect(differs.empty(), fmt::format("the same from a graph: {}{}", describe(problem), differs));
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
  }
}

/// The gradients of a deterministic backward are the same bits in each launch.
void check_deterministic(const cuda::Stream& stream) {
  for (Problem problem : problems()) {
    problem.deterministic = true;
    const AttentionCase inputs(problem);
    OnGpu gpu("cuda", inputs);
    gpu.both(stream.get());
    const AttentionCase first = gpu.outputs();
    std::string differs;
    for (int launch = 0; launch < 20 && differs.empty(); ++launch) {
      gpu.poison_outputs();
      gpu.both(stream.get());
      const AttentionCase again = gpu.outputs();
      differs = forward_difference(again, first) + gradient_difference(again, first);
      if (!differs.empty()) differs = fmt::format(", launch {}", launch) + differs;
    }
    expect(differs.empty(), fmt::format("bit-identical gradients: {}{}", describe(problem), differs));
  }
}

/// A launch that fails costs none that follows: the legacy stream may not be used while another one is captured.
void check_after_a_failure(const cuda::Stream& stream) {
  const AttentionCase inputs(problems()[0]);
  OnGpu gpu("cuda", inputs);
  gpu.both(stream.get());
  cudaStream_t captured = nullptr;  // one that the legacy stream would wait for
  TRISCOPE_CUDA_CHECK(cudaStreamCreate(&captured));
  std::array<char, TRISCOPE_REASON_SIZE> reason{};
  for (const int pass : {TRISCOPE_FORWARD, TRISCOPE_BACKWARD}) {
    TRISCOPE_CUDA_CHECK(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal));
    const triscope_status bad =
        triscope_run(&gpu.plan(pass), &gpu.tensors(), cudaStreamLegacy, reason.data(), reason.size());
    expect(bad == TRISCOPE_FAILED, fmt::format("a launch that cannot be: {}", reason.data()));
    const triscope_status good =
        triscope_run(&gpu.plan(pass), &gpu.tensors(), stream.get(), reason.data(), reason.size());
    expect(good == TRISCOPE_OK, fmt::format("the one after it: {}", good == TRISCOPE_OK ? "done" : reason.data()));
    cudaGraph_t graph = nullptr;
    cudaStreamEndCapture(captured, &graph);  // the launch has ended the capture; the error says so
    cudaGetLastError();
    if (graph != nullptr) cudaGraphDestroy(graph);
  }
  cudaStreamDestroy(captured);
}

/// Where the kernel rounds in one way only, a program of the header before `lse_state` goes on.
void check_without_the_state() {
  for (Problem problem : problems()) {
    const AttentionCase inputs(problem);
    OnGpu gpu("cuda.portable", inputs);
    gpu.both(nullptr);
    const AttentionCase direct = gpu.outputs();
    triscope_tensors tensors = gpu.tensors();
    tensors.size = offsetof(triscope_tensors, lse_state);
    std::array<char, TRISCOPE_REASON_SIZE> reason{};
    gpu.poison_outputs();
    const triscope_status status = triscope_run(&gpu.plan(0), &tensors, nullptr, reason.data(), reason.size());
    const std::string differs = status == TRISCOPE_OK ? forward_difference(gpu.outputs(), direct) : reason.data();
    expect(differs.empty(), fmt::format("without lse_state, {}: done{}", describe(problem), differs));
  }
}

void check_threads() {
  const std::vector<Problem> list = problems();
  std::vector<std::string> wrong(list.size());
  std::vector<std::thread> threads;
  for (std::size_t n = 0; n < list.size(); ++n) {
    threads.emplace_back([&, n] {
      try {
        const cuda::Stream stream;
        const AttentionCase inputs(list[n]);
        OnGpu gpu("cuda", inputs);
        gpu.both(stream.get());
        const AttentionCase first = gpu.outputs();
        for (int launch = 0; launch < 200; ++launch) gpu.both(stream.get());
        wrong[n] = notable_difference(gpu.outputs(), first);
      } catch (const std::exception& error) {
        wrong[n] = fmt::format(": {}", error.what());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t n = 0; n < list.size(); ++n)
    expect(wrong[n].empty(), fmt::format("thread {} of {}{}", n, list.size(), wrong[n]));
}

void check_refusals() {
  const AttentionCase inputs(problems()[0]);
  OnGpu gpu("cuda", inputs);
  std::array<char, TRISCOPE_REASON_SIZE> reason{};
  triscope_tensors tensors = gpu.tensors();
  tensors.q = static_cast<const char*>(tensors.q) + 8;
  triscope_status status = triscope_run(&gpu.plan(0), &tensors, nullptr, reason.data(), reason.size());
  expect(status == TRISCOPE_ARGUMENT && std::strstr(reason.data(), "q is not aligned to 16 bytes") != nullptr,
         reason.data());
  const triscope_problem fp32 = with_element(inputs.problem, TRISCOPE_FP32);
  status = triscope_supported("cuda", &fp32, TRISCOPE_FORWARD, reason.data(), reason.size());
  expect(status == TRISCOPE_UNSUPPORTED && std::strstr(reason.data(), "bf16") != nullptr, reason.data());
}

/// Median microseconds of one call of `action`, in bursts that the GPU's queue holds.
double host_us(const std::function<void()>& action) {
  constexpr int kBursts = 50, kCalls = 20;
  std::vector<double> times;
  for (int burst = 0; burst < kBursts; ++burst) {
    const Stopwatch watch;
    for (int call = 0; call < kCalls; ++call) action();
    times.push_back(static_cast<double>(watch.elapsed_ns()) * 1e-3 / kCalls);
    TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
  }
  std::nth_element(times.begin(), times.begin() + kBursts / 2, times.end());
  return times[kBursts / 2];
}

Launch empty_launch(const cuda::Stream& stream) { return {.kernel = "nothing", .threads = 32, .stream = stream.get()}; }

/// What of a launch costs the host: an empty one as the main kernels are enqueued, by one step more each.
void print_launch_times(const cuda::Stream& stream) {
  Launch how = empty_launch(stream);
  const auto print = [&](const char* what) {
    fmt::print("host us of an empty launch, {}: {:.1f}\n", what, host_us([&] { test::launch_nothing(how); }));
  };
  print("alone");
  how.blocks = 128;
  print("128 blocks");
  SharedLimit limit(std::size_t{160} << 10);
  how.shared_limit = &limit;
  print("and its most of shared memory told before");
  how.behind = true;
  print("and behind the one in front");
  how.together = true;
  print("and all blocks at once");
  int device = 0;
  TRISCOPE_CUDA_CHECK(cudaGetDevice(&device));
  fmt::print("host us of cudaGetDevice and cudaSetDevice: {:.2f}\n", host_us([&] {
               TRISCOPE_CUDA_CHECK(cudaGetDevice(&device));
               TRISCOPE_CUDA_CHECK(cudaSetDevice(device));
             }));
}

/// A reset forgets how much shared memory the kernels were told to take.
void check_after_a_reset() {
  Problem problem = attention_problem(Form::trilinear, 200, 64, 8, 4, 1, 128);
  problem.element = Element::bf16;
  const AttentionCase inputs(problem);
  const auto outputs = [&] {
    OnGpu gpu("cuda", inputs);
    gpu.both(nullptr);
    return gpu.outputs();
  };
  const AttentionCase before = outputs();
  TRISCOPE_CUDA_CHECK(cudaDeviceReset());
  const std::string difference = notable_difference(before, outputs());
  expect(difference.empty(), "both passes after the device was reset" + difference);
}

/// Beside each call stands an empty launch of the same moment: it tells a slow host from a slow call.
void print_host_times(const cuda::Stream& stream) {
  std::vector<Problem> list = {attention_problem(Form::trilinear, 1024, 128, 16, 16, 1, 128),
                               attention_problem(Form::determinant, 1024, 128, 16, 16, 1, 128),
                               attention_problem(Form::trilinear, 128, 32, 8, 8, 1, 64)};
  for (Problem& problem : list) {
    problem.element = Element::bf16;
    const AttentionCase inputs(problem);
    for (const char* kernel : {"cuda", "cuda.portable"}) {
      OnGpu gpu(kernel, inputs);
      gpu.both(stream.get());
      const triscope_problem c = with_element(problem, TRISCOPE_BF16);
      const double empty = host_us([&] { test::launch_nothing(empty_launch(stream)); });
      const double forward = host_us([&] { gpu.run(TRISCOPE_FORWARD, stream.get()); });
      const double backward = host_us([&] { gpu.run(TRISCOPE_BACKWARD, stream.get()); });
      triscope_status worst = TRISCOPE_OK;
      const double whole = host_us([&] {
        worst =
            std::max(worst, triscope_launch(kernel, &c, TRISCOPE_FORWARD, &gpu.tensors(), stream.get(), nullptr, 0));
      });
      if (worst != TRISCOPE_OK) throw std::runtime_error("triscope_launch failed while it was timed");
      fmt::print(
          "host us a call, {}, {}: forward {:.1f}, backward {:.1f}, forward without a plan {:.1f}, empty launch "
          "{:.1f}\n",
          kernel, describe(problem), forward, backward, whole, empty);
    }
  }
}

}  // namespace
}  // namespace triscope

/// With the argument "times" the host times alone.
int main(int argc, char** argv) {
  using namespace triscope;
  try {
    const bool times_alone = argc == 2 && std::string_view(argv[1]) == "times";
    if (!times_alone) check_after_a_reset();  // first: it takes streams and memory with it
    const cuda::Stream stream;
    if (times_alone) {
      print_launch_times(stream);
      print_host_times(stream);
      return failures.empty() ? 0 : 1;
    }
    check_numbers();
    check_graph(stream);
    check_deterministic(stream);
    check_after_a_failure(stream);
    check_without_the_state();
    check_threads();
    check_refusals();
    print_host_times(stream);
  } catch (const std::exception& error) {
    expect(false, error.what());
  }
  for (const std::string& failure : failures) fmt::print("FAIL {}\n", failure);  // again, where the end is read
  fmt::print("{} failures\n", failures.size());
  return failures.empty() ? 0 : 1;
}
