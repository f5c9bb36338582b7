// Times cpu.fast and baseline.cpu beside OpenBLAS sgemm, interleaved, on the same cores in the same minute: the ratio
// is the result, the absolute figures are by-products. Not built by default: ninja cpu_bench.
//   cpu_bench [threads] [seq_len] [rounds] [only figures whose name contains this]
// OpenBLAS is loaded at run time when it is installed (libopenblas.so.0); without it only GFLOP/s are printed.
// Each figure is the best of the rounds, by wall clock and by CPU time of the process (CPU time is the fairer one when
// other programs share the cores and one thread is used; with more threads it counts their waiting too).
#include <dlfcn.h>
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/attention/flops.hpp"
#include "kernels/attention/inputs.hpp"
#include "kernels/registry/registry.hpp"

namespace {

using namespace triscope;

double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Figure {
  std::string name;
  double flops = 0;
  std::function<void()> run;
  double wall = 1e30, cpu = 1e30;  // best seconds

  void measure() {
    const double cpu_start = seconds(CLOCK_PROCESS_CPUTIME_ID), start = seconds(CLOCK_MONOTONIC);
    run();
    wall = std::min(wall, seconds(CLOCK_MONOTONIC) - start);
    cpu = std::min(cpu, seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_start);
  }
};

using Sgemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int);

// A 1536^3 product; empty when OpenBLAS is not installed.
Figure sgemm_figure(int threads) {
  Figure figure;
  void* library = dlopen("libopenblas.so.0", RTLD_NOW);
  if (library == nullptr) return figure;
  const auto sgemm = reinterpret_cast<Sgemm>(dlsym(library, "cblas_sgemm"));
  const auto set_threads = reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads"));
  const auto core = reinterpret_cast<char* (*)()>(dlsym(library, "openblas_get_corename"));
  if (sgemm == nullptr || set_threads == nullptr) return figure;
  set_threads(threads);
  const int n = 1536, row_major = 101, plain = 111;
  auto a = std::make_shared<std::vector<float>>(n * n), b = std::make_shared<std::vector<float>>(n * n),
       c = std::make_shared<std::vector<float>>(n * n);
  fill_input(InputStream::q, 1, Element::fp32, *a);
  fill_input(InputStream::k1, 1, Element::fp32, *b);
  figure.name = fmt::format("OpenBLAS sgemm {}^3 ({})", n, core != nullptr ? core() : "?");
  figure.flops = 2.0 * n * n * n;
  figure.run = [=] { sgemm(row_major, plain, plain, n, n, n, 1.0f, a->data(), n, b->data(), n, 0.0f, c->data(), n); };
  return figure;
}

// Tensors and workspace of one problem and instance.
class Launch {
 public:
  Launch(const Kernel& kernel, const Problem& problem, std::string instance)
      : kernel_(kernel), problem_(problem), instance_(std::move(instance)) {
    const std::size_t rows = static_cast<std::size_t>(problem.batch * problem.seq_len * problem.q_heads);
    const std::size_t keys = static_cast<std::size_t>(problem.batch * problem.seq_len * problem.kv_heads);
    const std::size_t dim = static_cast<std::size_t>(problem.head_dim);
    const auto tensor = [&](std::size_t count) { return memory_.emplace_back(count).data(); };
    const auto input = [&](std::size_t count, InputStream stream) {
      fill_input(stream, 1, Element::fp32, memory_.emplace_back(count));
      return memory_.back().data();
    };
    memory_.reserve(16);
    arguments_.q = input(rows * dim, InputStream::q);
    arguments_.k1 = input(keys * dim, InputStream::k1);
    arguments_.k2 = input(keys * dim, InputStream::k2);
    arguments_.v1 = input(keys * dim, InputStream::v1);
    arguments_.v2 = input(keys * dim, InputStream::v2);
    arguments_.grad_o = input(rows * dim, InputStream::grad_o);
    arguments_.o = tensor(rows * dim);
    arguments_.lse = tensor(rows);
    arguments_.grad_q = tensor(rows * dim);
    arguments_.grad_k1 = tensor(keys * dim);
    arguments_.grad_k2 = tensor(keys * dim);
    arguments_.grad_v1 = tensor(keys * dim);
    arguments_.grad_v2 = tensor(keys * dim);
    const std::size_t bytes = std::max(kernel.workspace_bytes(problem, Pass::forward, instance_),
                                       kernel.workspace_bytes(problem, Pass::backward, instance_));
    workspace_.reset(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
    arguments_.workspace = workspace_.get();
    kernel.launch(problem, Pass::forward, instance_, arguments_);  // o and lse for the backward
  }
  void run(Pass pass) const { kernel_.launch(problem_, pass, instance_, arguments_); }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  const Kernel& kernel_;
  Problem problem_;
  std::string instance_;
  std::vector<std::vector<float>> memory_;
  std::unique_ptr<void, Free> workspace_;
  Arguments arguments_;
};

Problem problem_of(Form form, std::int64_t seq_len, std::int64_t window1, std::int64_t window2,
                   std::int64_t q_heads = 8) {
  Problem problem;
  problem.form = form;
  problem.element = Element::fp32;
  problem.seq_len = seq_len;
  problem.window1 = window1;
  problem.window2 = window2;
  problem.q_heads = q_heads;
  return problem;
}

void add(std::vector<Figure>& figures, const std::string& only, const char* id, const Problem& problem,
         const std::string& instance) {
  const Kernel& kernel = *find_kernel(id);
  if (kernel.unsupported(problem, Pass::forward, instance)) return;
  std::shared_ptr<Launch> launch;
  for (Pass pass : {Pass::forward, Pass::backward}) {
    Figure figure;
    figure.name = fmt::format("{} {} {} {}x{} {} heads n {} {}", id, instance, to_string(problem.form), problem.window1,
                              problem.window2, problem.q_heads, problem.seq_len, to_string(pass));
    if (figure.name.find(only) == std::string::npos) continue;
    if (!launch) launch = std::make_shared<Launch>(kernel, problem, instance);
    figure.flops = useful_flops(problem, pass);
    figure.run = [launch, pass] { launch->run(pass); };
    figures.push_back(std::move(figure));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : omp_get_max_threads();
  const std::int64_t seq_len = argc > 2 ? std::atoll(argv[2]) : 768;
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 5;
  const std::string only = argc > 4 ? argv[4] : "";
  omp_set_num_threads(threads);
  const std::string best = find_kernel("cpu.fast")->choose_instance({}, Pass::forward);
  std::vector<Figure> figures;
  Figure sgemm = sgemm_figure(threads);
  add(figures, only, "cpu.fast", problem_of(Form::trilinear, seq_len, 512, 32), best);
  add(figures, only, "cpu.fast", problem_of(Form::trilinear, seq_len, 256, 64), best);
  add(figures, only, "cpu.fast", problem_of(Form::trilinear, seq_len / 2, 512, 32), best);
  add(figures, only, "cpu.fast", problem_of(Form::determinant, seq_len / 2, 512, 32), best);
  add(figures, only, "cpu.fast", problem_of(Form::trilinear, seq_len / 2, 128, 128), best);
  add(figures, only, "cpu.fast", problem_of(Form::trilinear, seq_len, 512, 32, 1), best);
  add(figures, only, "cpu.fast", problem_of(Form::trilinear, seq_len / 2, 512, 32), "avx2");
  add(figures, only, "baseline.cpu", problem_of(Form::dot_product, seq_len * 4, seq_len * 4, 1), best);
  add(figures, only, "baseline.cpu", problem_of(Form::dot_product, seq_len * 4, 512, 1), best);
  for (int round = 0; round < rounds; ++round) {
    for (Figure& figure : figures) {
      if (sgemm.run) sgemm.measure();
      figure.measure();
    }
  }
  const auto print = [&](const Figure& figure) {
    fmt::print("{:<72} wall {:8.1f} GFLOP/s", figure.name, figure.flops / figure.wall * 1e-9);
    if (sgemm.run) fmt::print(" {:5.1f} %", 100 * figure.flops / figure.wall / (sgemm.flops / sgemm.wall));
    fmt::print("   cpu {:8.1f} GFLOP/s", figure.flops / figure.cpu * 1e-9);
    if (sgemm.run) fmt::print(" {:5.1f} %", 100 * figure.flops / figure.cpu / (sgemm.flops / sgemm.cpu));
    fmt::print("\n");
  };
  fmt::print("{} threads, best of {} rounds\n", threads, rounds);
  if (sgemm.run) print(sgemm);
  for (const Figure& figure : figures) print(figure);
  return 0;
}
