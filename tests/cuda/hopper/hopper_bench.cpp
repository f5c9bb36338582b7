// cuda.hopper on its own on a GPU: checks against fp64 sums, and times of launches. Ratios to other libraries: triscope
// sweep.
//
//   hopper_bench check [SHAPE...]            those shapes, or every case of hopper_case.cpp
//                                            (TRISCOPE_SHARD=0/4: every fourth of them). Each line ends with a
//                                            checksum of o and lse
//   hopper_bench launch COUNT SHAPE...       COUNT launches of each, unchecked: for profilers
//   hopper_bench time ROUNDS SHAPE...        SHAPE: see parse_shape; instance `all`: every instance that can run the
//   shape.
//                                            Sustained: 200 ms that are not timed, then 400 (TRISCOPE_BENCH_MS), shapes
//                                            in turn
//   hopper_bench random COUNT SEED [CSV SPLIT]
//                                            random problems, checked, and every instance timed beside cuda.portable:
//                                            a launch of a graph of launches, so that the host's share does not count;
//                                            the kernel's choice in turns with cuda.portable. CSV: a file for all times
//                                            (tests/cuda/data/hopper_instances.csv is seed 2)
// Each exits with 1 when a result is wrong, or a choice slower than cuda.portable by more than 3 %.
#include <cuda_runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/attention/flops.hpp"
#include "kernels/base/error.hpp"
#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/cuda/hopper/choose/plan.hpp"
#include "kernels/cuda/hopper/hopper.hpp"
#include "kernels/cuda/portable/portable.hpp"
#include "kernels/reference/check.hpp"
#include "tests/cuda/hopper/hopper_case.hpp"
#include "tests/cuda/hopper/hopper_device.hpp"

namespace triscope::bench {
namespace {

using cuda::EventTimer;
using cuda::Stream;

// Few rows say little about the error of all of o when inputs are peaked: +-5 % (one deviation) with 24 of them. An
// error near its bound is therefore measured again on this many.
constexpr int kManyRows = 2000;
constexpr char kPortable[] = "cuda.portable";

/// Errors against the exact reference that a half fold is held to with peaked inputs too.
constexpr double kPeakedHalfBound = 4e-3;

/// Whether o and lse agree with the exact reference as well as they have to.
bool exact_enough(const Case& test, Fold fold, const Comparison& exact) {
  const Bounds bounds = bounds_of(test.problem, false, fold, exact.largest_lse);
  if (test.inputs == Inputs::peaked4 || test.inputs == Inputs::peaked8)
    return !is_half(fold) || exact.o <= kPeakedHalfBound;
  const bool unit_logits = test.inputs == Inputs::normal || test.inputs >= Inputs::scaled_channels;
  return !unit_logits || (exact.o <= bounds.o && exact.lse <= bounds.lse);
}

/// Whether the range of the inputs made the instance fall back to bf16 when it should, and only then.
bool right_range(const Kernel& kernel, const Case& test, const Device& device) {
  const bool tiles = device.instance() != hopper::kRowsName && device.instance() != hopper::kPortableName;
  const bool beyond = test.inputs == Inputs::tiny_keys;
  if (!is_half(kernel.fold(test.problem, device.instance()))) return true;
  if (test.inputs >= Inputs::rising_long && test.inputs <= Inputs::spikes) return true;  // either may be
  return device.in_bf16() == (tiles && beyond);
}

bool check(const Kernel& kernel, const Case& test, int rows) {
  const std::string name = describe(test.problem);
  try {
    Device device(kernel, test);
    device.launch();
    TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
    const Fold fold = device.fold();
    const bool other_inputs = test.inputs != Inputs::normal;
    Comparison rounded = device.compare(fold, rows);
    const double first = rounded.o, bound = bounds_of(test.problem, true, fold, rounded.largest_lse, other_inputs).o;
    if (first > 0.9 * bound && first < 1.2 * bound) rounded = device.compare(fold, rows = kManyRows);
    const Comparison exact = device.compare(Fold::none, std::min(rows, 160));
    const Bounds rounded_bounds = bounds_of(test.problem, true, fold, rounded.largest_lse, other_inputs);
    const std::uint64_t sum = device.checksum();
    const auto bad = device.not_finite(), differs = device.differs_when_repeated();
    const bool passed = exact_enough(test, fold, exact) && right_range(kernel, test, device) &&
                        rounded.o <= rounded_bounds.o && rounded.lse <= rounded_bounds.lse && bad == 0 && differs == 0;
    std::printf(
        "%s %s inputs %d [%s] %s: rounded o %.2e (row %.2e; %d rows, first %.2e) lse %.1e | exact o %.2e lse %.1e | "
        "not "
        "finite %llu differs %llu sum %016llx\n",
        passed ? "ok  " : "FAIL", name.c_str(), static_cast<int>(test.inputs), device.instance().c_str(),
        std::string(to_string(fold)).c_str(), rounded.o, rounded.worst_row, rows, first, rounded.lse, exact.o,
        exact.lse, bad, differs, static_cast<unsigned long long>(sum));
    std::fflush(stdout);
    return passed;
  } catch (const std::exception& error) {
    std::printf("FAIL %s: %s\n", name.c_str(), error.what());
    std::fflush(stdout);
    return false;
  }
}

/// Adds to each case, which the kernel may choose an instance for, the same case on the instance of the portable
/// forward, on the bf16 twin of the choice, and on the best one with tiles where that is not the choice.
void add_instances(const Kernel& kernel, std::vector<Case>& cases) {
  const std::size_t count = cases.size();
  for (std::size_t n = 0; n < count; ++n) {
    const std::string choice = kernel.choose_instance(cases[n].problem, Pass::forward);
    if (choice != hopper::kPortableName) cases.push_back({cases[n].problem, cases[n].inputs, hopper::kPortableName});
    const int bf16 = hopper::bf16_twin(hopper::find_instance(choice));
    if (bf16 >= 0 && choice != hopper::instance_name(bf16))
      cases.push_back({cases[n].problem, cases[n].inputs, hopper::instance_name(bf16)});
    if (choice != hopper::kPortableName && choice != hopper::kRowsName) continue;
    int best = -1;
    double cost = 0;
    for (int instance = 0; instance < hopper::kInstanceCount; ++instance) {
      const auto plan = hopper::make_plan(cases[n].problem, instance, hopper::kH200);
      if (plan && (best < 0 || plan->cost < cost)) best = instance, cost = plan->cost;
    }
    cases.push_back({cases[n].problem, cases[n].inputs, hopper::instance_name(best)});
  }
}

int check_all(const Kernel& kernel, std::vector<Case> cases) {
  if (cases.empty()) {
    cases = all_cases();
    add_instances(kernel, cases);
    for (Case& test : instance_cases(kernel)) cases.push_back(std::move(test));
    for (Case& test : range_cases()) cases.push_back(std::move(test));
  }
  if (const char* shard = std::getenv("TRISCOPE_SHARD")) {
    std::size_t part = 0, parts = 1;
    if (std::sscanf(shard, "%zu/%zu", &part, &parts) != 2 || part >= parts)
      throw Error(fmt::format("cannot read TRISCOPE_SHARD {}", shard), "it is no part of a whole",
                  "set it to 0/4, say");
    std::vector<Case> own;
    for (std::size_t n = part; n < cases.size(); n += parts) own.push_back(std::move(cases[n]));
    cases = std::move(own);
  }
  const auto failed =
      std::count_if(cases.begin(), cases.end(), [&](const Case& test) { return !check(kernel, test, 160); });
  std::printf("%d of %zu cases failed\n", static_cast<int>(failed), cases.size());
  return failed == 0 ? 0 : 1;
}

/// The shapes; `all` stands for every instance that can run the shape.
std::vector<Case> expand(const Kernel& kernel, const std::vector<std::string>& shapes) {
  std::vector<Case> cases;
  for (const std::string& shape : shapes) {
    const Case test = parse_shape(shape);
    if (test.instance != "all") cases.push_back(test);
    for (const std::string& instance : kernel.info().instances) {
      if (test.instance == "all" && !kernel.unsupported(test.problem, Pass::forward, instance))
        cases.push_back({test.problem, test.inputs, instance});
    }
  }
  return cases;
}

int launch_all(const Kernel& kernel, int count, const std::vector<Case>& cases) {
  for (const Case& test : cases) {
    Device device(kernel, test);
    for (int n = 0; n < count; ++n) device.launch();
    TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
    std::printf("%s [%s] x %d\n", describe(test.problem).c_str(), device.instance().c_str(), count);
  }
  return 0;
}

// --- sustained times
// ------------------------------------------------------------------------------------------------------

double sustained_tflops(Device& device, double flops) {
  EventTimer timer;
  device.launch();
  TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
  timer.start(nullptr);
  device.launch();
  timer.stop(nullptr);
  const char* block = std::getenv("TRISCOPE_BENCH_MS");
  const double block_ms = block != nullptr ? std::atof(block) : 400.0;
  const int launches = std::max(2, static_cast<int>(block_ms / timer.elapsed_ms()));
  for (int n = 0; n < launches / 2; ++n)
    device.launch();  // the power cap settles on this kernel, not on the one before
  timer.start(nullptr);
  for (int n = 0; n < launches; ++n) device.launch();
  timer.stop(nullptr);
  return flops * launches / timer.elapsed_ms() / 1e9;
}

int time_all(const Kernel& kernel, int rounds, const std::vector<std::string>& shapes) {
  struct Entry {
    std::unique_ptr<Device> device;
    std::string name;
    double flops;
    std::vector<double> tflops;
  };
  std::vector<Entry> entries;
  bool all_right = true;
  for (const Case& test : expand(kernel, shapes)) {
    const bool right = check(kernel, test, 24);
    if (!right) std::printf("FAIL: this shape is timed although it is wrong\n");
    all_right = all_right && right;
    auto device = std::make_unique<Device>(kernel, test);
    const std::string name = describe(test.problem) + " [" + device->instance() + "]";
    entries.push_back({std::move(device), name, useful_flops(test.problem, Pass::forward), {}});
  }
  for (int round = 0; round < rounds; ++round) {
    for (Entry& entry : entries) entry.tflops.push_back(sustained_tflops(*entry.device, entry.flops));
  }
  std::printf("useful TFLOP/s by round:\n");
  for (const Entry& entry : entries) {
    std::printf("%90s", entry.name.c_str());
    double sum = 0;
    for (const double rate : entry.tflops) std::printf(" %7.1f", rate), sum += rate;
    std::printf("  mean %.1f\n", sum / rounds);
  }
  return all_right ? 0 : 1;
}

// --- random problems
// ------------------------------------------------------------------------------------------------------

/// About 2 ms of launches of one problem, as a graph.
class LaunchGraph {
 public:
  LaunchGraph(Device& device, const Stream& stream) : stream_(stream) {
    device.launch(stream.get());
    timer_.start(stream.get());
    device.launch(stream.get());
    timer_.stop(stream.get());
    launches_ = std::clamp(static_cast<int>(2.0 / timer_.elapsed_ms()), 1, 100);
    cudaGraph_t graph = nullptr;
    TRISCOPE_CUDA_CHECK(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
    for (int n = 0; n < launches_; ++n) device.launch(stream.get());
    TRISCOPE_CUDA_CHECK(cudaStreamEndCapture(stream.get(), &graph));
    TRISCOPE_CUDA_CHECK(cudaGraphInstantiate(&executable_, graph, 0));
    TRISCOPE_CUDA_CHECK(cudaGraphDestroy(graph));
    launch_us();
  }
  ~LaunchGraph() { cudaGraphExecDestroy(executable_); }
  LaunchGraph(const LaunchGraph&) = delete;
  LaunchGraph& operator=(const LaunchGraph&) = delete;

  /// Time of a launch in one replay.
  double launch_us() {
    timer_.start(stream_.get());
    TRISCOPE_CUDA_CHECK(cudaGraphLaunch(executable_, stream_.get()));
    timer_.stop(stream_.get());
    return timer_.elapsed_ms() * 1e3 / launches_;
  }

 private:
  const Stream& stream_;
  EventTimer timer_;
  int launches_ = 1;
  cudaGraphExec_t executable_ = nullptr;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Median time of a launch.
double graph_us(Device& device, const Stream& stream) {
  LaunchGraph graph(device, stream);
  std::vector<double> times;
  for (int replay = 0; replay < 5; ++replay) times.push_back(graph.launch_us());
  return median(times);
}

/// Times of a random problem, us a launch.
struct RandomRow {
  std::string problem, choice;
  std::map<std::string, double> us;  ///< by instance; cuda.portable by its name
  double ratio = 0;                  ///< cuda.portable over the choice: median of pairs of replays in turns

  double best_us() const {
    return std::min_element(us.begin(), us.end(), [](const auto& a, const auto& b) { return a.second < b.second; })
        ->second;
  }
};

RandomRow time_random(const Kernel& kernel, const Kernel& portable, const Case& test) {
  constexpr int kPairs = 11;
  const Stream stream;
  RandomRow row{describe(test.problem), kernel.choose_instance(test.problem, Pass::forward), {}, 0};
  {
    Device own(kernel, {test.problem, test.inputs, row.choice}), other(portable, test);
    LaunchGraph own_graph(own, stream), other_graph(other, stream);
    std::vector<double> own_us, other_us, ratios;
    for (int pair = 0; pair < kPairs; ++pair) {
      own_us.push_back(own_graph.launch_us());
      other_us.push_back(other_graph.launch_us());
      ratios.push_back(other_us.back() / own_us.back());
    }
    row.us[row.choice] = median(own_us), row.us[kPortable] = median(other_us), row.ratio = median(ratios);
  }
  for (const std::string& instance : kernel.info().instances) {
    if (instance == row.choice || kernel.unsupported(test.problem, Pass::forward, instance)) continue;
    if (instance == hopper::kRowsName && useful_flops(test.problem, Pass::forward) > 2e11)
      continue;  // hopeless, and slow
    Device own(kernel, {test.problem, test.inputs, instance});
    row.us[instance] = graph_us(own, stream);
  }
  return row;
}

void write_csv(const std::string& path, const std::string& split, const std::string& source, int seed,
               const std::vector<RandomRow>& rows) {
  std::ofstream file(path);
  file << "# split: " << split << "\n# source: " << source << "\n";
  file << "seed,number,problem,instance,us\n";
  for (std::size_t n = 0; n < rows.size(); ++n) {
    for (const auto& [instance, us] : rows[n].us) {
      file << fmt::format("{},{},\"{}\",{},{:.2f}\n", seed, n, rows[n].problem, instance, us);
    }
  }
  if (!file.flush()) throw Error("the times were not kept", "cannot write " + path, "name another file");
}

int random_problems(const Kernel& kernel, int count, int seed, const std::string& csv, const std::string& split) {
  const auto portable = make_cuda_portable();
  std::vector<RandomRow> rows;
  int failed = 0;
  for (int n = 0; n < count; ++n) {
    const Case test = random_case(seed, n);
    if (!check(kernel, test, 24)) ++failed;
    rows.push_back(time_random(kernel, *portable, test));
    // Each time anew: whoever stops it keeps what was timed.
    if (!csv.empty()) write_csv(csv, split, kernel.info().source_hash.forward, seed, rows);
  }
  const auto slower = std::count_if(rows.begin(), rows.end(), [](const RandomRow& row) { return row.ratio < 1.0; });
  const auto clearly = std::count_if(rows.begin(), rows.end(), [](const RandomRow& row) { return row.ratio < 0.97; });
  std::printf("%d of %d wrong; %d slower than cuda.portable, %d by more than 3 %%\n", failed, count,
              static_cast<int>(slower), static_cast<int>(clearly));
  const auto print_worst = [&](const char* title, const auto& ratio) {
    std::sort(rows.begin(), rows.end(), [&](const RandomRow& a, const RandomRow& b) { return ratio(a) < ratio(b); });
    std::printf("%s:\n", title);
    for (std::size_t n = 0; n < std::min<std::size_t>(rows.size(), 10); ++n) {
      const RandomRow& row = rows[n];
      std::printf("  %.2f  %8.1f us, cuda.portable %8.1f  %s [%s]\n", ratio(row), row.us.at(row.choice),
                  row.us.at(kPortable), row.problem.c_str(), row.choice.c_str());
    }
  };
  print_worst("worst ratios to cuda.portable", [](const RandomRow& row) { return row.ratio; });
  print_worst("worst ratios to the best of all instances and cuda.portable",
              [](const RandomRow& row) { return row.best_us() / row.us.at(row.choice); });
  return failed == 0 && clearly == 0 ? 0 : 1;
}

int run(int argc, char** argv) {
  const auto kernel = make_cuda_hopper();
  const std::string mode = argc > 1 ? argv[1] : "check";
  const std::vector<std::string> rest(argv + std::min(argc, 2), argv + argc);
  if (mode == "launch" && rest.size() > 1)
    return launch_all(*kernel, std::atoi(rest[0].c_str()), expand(*kernel, {rest.begin() + 1, rest.end()}));
  if (mode == "time" && rest.size() > 1)
    return time_all(*kernel, std::atoi(rest[0].c_str()), {rest.begin() + 1, rest.end()});
  if (mode == "random" && (rest.size() == 2 || rest.size() == 4))
    return random_problems(*kernel, std::atoi(rest[0].c_str()), std::atoi(rest[1].c_str()),
                           rest.size() == 4 ? rest[2] : "", rest.size() == 4 ? rest[3] : "");
  if (mode != "check")
    throw Error("cannot run hopper_bench", "there is no mode " + mode + " with these arguments",
                "see the head of hopper_bench.cpp", ExitCode::usage);
  return check_all(*kernel, expand(*kernel, rest));
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
