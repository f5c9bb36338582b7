// The backward of cuda.hopper on a GPU: its gradients beside fp64 sums and beside cuda.portable's, and its times.
//
//   hopper_backward_bench check                every case: virtual_keys and virtual_queries with an exact LSE and o,
//                                              twice, and all instances
//                                              with the LSE and o of cuda.hopper's forward
//   hopper_backward_bench ranges               scales of do, keys, values and q: the same error each
//   hopper_backward_bench small                small cases, for compute-sanitizer
//                                              (of these three TRISCOPE_SHARD=0/4: every fourth case)
//   hopper_backward_bench large SHAPE...       against cuda.portable's gradients
//   hopper_backward_bench time ROUNDS SHAPE... sustained rates of virtual_keys in turns
//   hopper_backward_bench instances SHAPE...  sustained rates of each instance, and which one is chosen
//   hopper_backward_bench hold SECONDS SHAPE   its rate of each 200 ms, to see power settle
//   hopper_backward_bench random COUNT SEED CSV SPLIT
//                                              times of both instances on random problems, and gradients of
//                                              virtual_keys
//   hopper_backward_bench orders               deterministic gradients beside other work: the same bits; and of inputs
//                                              that are not finite
// SHAPE: window1xwindow2,q_heads/kv_heads,head_dim,seq_len,batch,form[,deterministic]. Exit code 1: a result is wrong.
#include <cuda_runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "kernels/attention/flops.hpp"
#include "kernels/base/error.hpp"
#include "kernels/cuda/hopper/backward/backward.hpp"
#include "kernels/cuda/hopper/backward/plan/parameters.hpp"
#include "kernels/cuda/hopper/hopper.hpp"
#include "kernels/cuda/portable/portable.hpp"
#include "tests/cuda/hopper/hopper_case.hpp"
#include "tests/cuda/hopper_backward/hopper_backward_cases.hpp"
#include "tests/cuda/hopper_backward/hopper_backward_orders.hpp"

namespace triscope::backward_bench {
namespace {

using cuda::EventTimer;
using hopper::backward::kPortable;
using hopper::backward::kVirtualKeys;
using hopper::backward::kVirtualQueries;
using reference::Kind;

// Of virtual_keys; of the portable instance, as everywhere, 1e-2.
constexpr double kNormalBound = 5e-3, kPeakedBound = 1e-2;
// One pair has nearly all the mass: the bound of section 7 of the design.
constexpr double kHugeBound = 1e-2;
// Logits that rise to 1200, or lie at -340: rounding k1 k2 to fp16 moves them by some hundredths, and p with them.
constexpr double kRisingBound = 3e-2;

const Kernel& hopper_kernel() {
  static const std::unique_ptr<Kernel> kernel = make_cuda_hopper();
  return *kernel;
}
const Kernel& portable_kernel() {
  static const std::unique_ptr<Kernel> kernel = make_cuda_portable();
  return *kernel;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double norm(const std::vector<double>& x) {
  double sum = 0;
  for (double v : x) sum += v * v;
  return std::sqrt(sum);
}

/// ||x - expected|| / max(||expected||, ||bound||); NaN stays NaN.
template <typename Expected>
double relative_error(const std::vector<float>& x, const Expected& expected, const std::vector<double>& bound = {}) {
  double sum = 0, square = 0;
  for (std::size_t n = 0; n < x.size(); ++n) {
    const double value = expected[n], difference = x[n] - value;
    sum += difference * difference, square += value * value;
  }
  return sum == 0 ? 0 : std::sqrt(sum) / std::max(std::sqrt(square), norm(bound));
}

double bound_of(Kind kind) {
  if (kind == Kind::q4 || kind == Kind::q8) return kPeakedBound;
  if (kind == Kind::early || kind == Kind::late) return kHugeBound;
  if (kind == Kind::low) return kRisingBound;
  return kind == Kind::rising ? kRisingBound : kNormalBound;
}

const char* kind_name(Kind kind) {
  constexpr const char* kKinds[] = {"", " q*4", " q*8", " huge early", " huge late", " rising", " zeros", " low"};
  return kKinds[static_cast<int>(kind)];
}

/// One line: plain relative errors and, behind them, the largest with score gradients over their scale before they
/// cancel, which is what is judged.
bool report(const Device& device, const Case& test, const reference::Outputs& expected, const std::string& what,
            double bound) {
  const std::vector<double>* values[] = {&expected.dq,  &expected.dk1, &expected.dk2,
                                         &expected.dv1, &expected.dv2, &expected.dsink};
  const std::vector<double> none;
  const std::vector<double>* bounds[] = {&expected.dq_bound,   &expected.dk1_bound, &expected.dk2_bound, &none, &none,
                                         &expected.dsink_bound};
  std::string text;
  double worst = 0;
  bool finite = true;
  for (int t = 0; t < (test.problem.sink ? kGradients : kGradients - 1); ++t) {
    const std::vector<float> got = device.gradient(t);
    const double plain = relative_error(got, *values[t]), scaled = relative_error(got, *values[t], *bounds[t]);
    for (float x : got) finite = finite && std::isfinite(x);
    text += fmt::format(" {} {:.2e}", kGradientNames[t], plain);
    if (!(scaled <= worst)) worst = scaled;
  }
  const bool good = finite && worst <= bound;
  fmt::print("{} {:<24}{} | worst {:.2e} {}{}\n", good ? "ok  " : "FAIL", what, text, worst, describe(test.problem),
             kind_name(test.kind));
  std::fflush(stdout);
  return good;
}

/// Two launches differ by the order of their sums alone, and not at all where the order is fixed.
bool repeats(Device& device, const Case& test, const std::string& instance) {
  const std::vector<std::vector<float>> before = all_gradients(device);
  device.poison(0x5A);
  device.backward(hopper_kernel(), instance);
  TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<std::vector<float>> after = all_gradients(device);
  double worst = 0;
  for (std::size_t t = 0; t < before.size(); ++t) {
    const double error = relative_error(after[t], before[t]);
    if (!(error <= worst)) worst = error;
  }
  const double bound = instance == kPortable || device.problem().deterministic ? 0 : 2e-3;
  if (worst <= bound) return true;
  fmt::print("FAIL {} repeated: differs by {:.2e} {}{}\n", instance, worst, describe(device.problem()),
             kind_name(test.kind));
  return false;
}

/// Deterministic gradients on few multiprocessors have the bits of those on all.
bool same_on_few(Device& device, const Case& test) {
  const std::vector<std::vector<float>> before = all_gradients(device);
  for (const int multiprocessors : {1, 5, 66}) {
    device.poison(0x5A);
    device.backward_on(multiprocessors);
    TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
    if (same_bits(all_gradients(device), before)) continue;
    fmt::print("FAIL other bits on {} multiprocessors {}{}\n", multiprocessors, describe(device.problem()),
               kind_name(test.kind));
    return false;
  }
  return true;
}

/// virtual_keys with sums of integers, where it can.
bool check_deterministic(Device& device, const Case& test, const reference::Outputs& exact) {
  device.set_deterministic(true);
  bool good = true;
  if (!hopper::backward::unsupported_instance(device.problem(), kVirtualKeys, Fold::none)) {
    device.backward(hopper_kernel(), kVirtualKeys);
    device.poison(0xFF);
    device.backward(hopper_kernel(), kVirtualKeys);
    TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
    good = report(device, test, exact, "deterministic, exact LSE", bound_of(test.kind));
    good = repeats(device, test, kVirtualKeys) && good;
    good = same_on_few(device, test) && good;
  }
  device.set_deterministic(false);
  return good;
}

/// Launches with the LSE and o of cuda.hopper's forward, by the instances that take them.
bool check_own_forward(Device& device, const Case& test, const reference::Outputs& exact) {
  device.forward(hopper_kernel());
  const Fold fold = device.lse_fold(), made = device.lse_in_bf16() ? bf16_fold(fold, test.problem.form) : fold;
  const bool portable_behind = made != fold || device.largest_lse() > hopper::backward::kLargestLse;
  bool good = true;
  for (const char* instance : {kVirtualKeys, kVirtualQueries, kPortable}) {
    if (hopper::backward::unsupported_instance(test.problem, instance, fold)) continue;
    device.poison(0xFF);
    device.backward(hopper_kernel(), instance);
    TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
    const std::string what = fmt::format("{}, {}", instance, to_string(fold));
    if (instance != std::string(kPortable) && !portable_behind) {
      good = report(device, test, exact, what, bound_of(test.kind)) && good;
    } else {
      const reference::Outputs alike = reference::compute(test.problem, made, device.inputs());
      good = report(device, test, alike, fmt::format("{}, alike in {}", what, to_string(made)), kPeakedBound) && good;
      good = repeats(device, test, instance) && good;
    }
  }
  return good;
}

bool check(const Case& test) {
  const Kernel& kernel = hopper_kernel();
  if (const auto reason = hopper::backward::unsupported_instance(test.problem, kVirtualKeys, Fold::none)) {
    fmt::print("FAIL {}: {}\n", describe(test.problem), *reason);
    return false;
  }
  Device device(test);
  const reference::Outputs exact = reference::compute(test.problem, Fold::none, device.inputs());
  device.set_forward(exact, Fold::none);
  bool good = true;
  for (const char* instance : {kVirtualKeys, kVirtualQueries}) {
    if (hopper::backward::unsupported_instance(test.problem, instance, Fold::none)) continue;
    device.backward(kernel, instance);  // takes its workspace
    device.poison(0xFF);
    device.backward(kernel, instance);
    TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
    good = report(device, test, exact, fmt::format("{}, exact LSE", instance), bound_of(test.kind)) && good;
    good = repeats(device, test, instance) && good;
  }
  good = check_deterministic(device, test, exact) && good;
  return check_own_forward(device, test, exact) && good;
}

/// TRISCOPE_SHARD=0/4: every fourth case.
std::vector<Case> own_cases(const std::vector<Case>& cases) {
  std::size_t part = 0, parts = 1;
  const char* shard = std::getenv("TRISCOPE_SHARD");
  if (shard != nullptr && (std::sscanf(shard, "%zu/%zu", &part, &parts) != 2 || part >= parts))
    throw Error(fmt::format("cannot read TRISCOPE_SHARD {}", shard), "it is no part of a whole", "set it to 0/4, say",
                ExitCode::usage);
  std::vector<Case> own;
  for (std::size_t n = part; n < cases.size(); n += parts) own.push_back(cases[n]);
  return own;
}

int check_all(const std::vector<Case>& all) {
  const std::vector<Case> cases = own_cases(all);
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

/// Largest error of the device's gradients against `expected`, which has the first and the last values of each.
constexpr std::int64_t kCompared = 1 << 21;
std::vector<std::vector<float>> ends_of_gradients(const Device& device) {
  constexpr int kFirstValue = 3, kFirstSink = 5;
  const bool short_one = std::min({device.problem().seq_len, device.problem().window1 * device.problem().window2}) < 8;
  std::vector<std::vector<float>> ends;
  for (int t = short_one ? kFirstValue : 0; t < (short_one ? kFirstSink : kGradients); ++t) {
    ends.push_back(device.gradient(t, 0, kCompared));
    ends.push_back(device.gradient(t, std::max<std::int64_t>(0, device.gradient_count(t) - kCompared), kCompared));
  }
  return ends;
}
double largest_error(const Device& device, const std::vector<std::vector<float>>& expected) {
  const std::vector<std::vector<float>> got = ends_of_gradients(device);
  double worst = 0;
  for (std::size_t n = 0; n < got.size(); ++n) {
    const double error = relative_error(got[n], expected[n]);
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

/// virtual_keys against cuda.portable, both with cuda.portable's forward (near enough for N(0, 1) inputs). Score
/// gradients of a few keys cancel to nothing, so that relative errors say nothing about them: of short sequences those
/// of values alone are compared.
bool check_large(const Problem& problem) {
  const Kernel &kernel = hopper_kernel(), &portable = portable_kernel();
  Device device({problem});
  device.forward(portable);
  device.backward(portable, portable.info().instances.front());
  TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<std::vector<float>> expected = ends_of_gradients(device);
  device.call_lse_exact();
  device.backward(kernel, kVirtualKeys);
  device.poison(0xFF);
  device.backward(kernel, kVirtualKeys);
  TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
  const double error = largest_error(device, expected);
  const bool good = error <= kNormalBound + kPeakedBound;
  if (!good) fmt::print("FAIL against cuda.portable: {:.2e} {}\n", error, describe(problem));
  std::fflush(stdout);
  return good;
}

// --- times -----------------------------------------------------------------------------------------------------------

/// Of one backward: 200 ms that are not timed, then the median of eleven blocks of at least 40 ms. A single block can
/// fall into the dip of a tenth that the power cap makes about once a second.
double sustained_ms(Device& device, const std::string& instance = kVirtualKeys) {
  constexpr int kBlocks = 11;
  EventTimer timer;
  device.backward(hopper_kernel(), instance);
  timer.start(nullptr);
  device.backward(hopper_kernel(), instance);
  timer.stop(nullptr);
  const double once = timer.elapsed_ms();
  for (int n = 0; n < static_cast<int>(200.0 / once); ++n) device.backward(hopper_kernel(), instance);
  const int launches = std::max(1, static_cast<int>(std::ceil(40.0 / once)));
  std::vector<EventTimer> timers(kBlocks);
  for (EventTimer& block : timers) {
    block.start(nullptr);
    for (int n = 0; n < launches; ++n) device.backward(hopper_kernel(), instance);
    block.stop(nullptr);
  }
  std::vector<double> ms;
  for (EventTimer& block : timers) ms.push_back(block.elapsed_ms() / launches);
  return median(ms);
}

/// With the LSE and o of cuda.portable's forward, said to be exact: times do not depend on it.
std::unique_ptr<Device> device_to_time(const Problem& problem) {
  auto device = std::make_unique<Device>(Case{problem});
  device->forward(portable_kernel());
  device->call_lse_exact();
  return device;
}

int time_all(int rounds, const std::vector<std::string>& shapes) {
  struct Entry {
    std::unique_ptr<Device> device;
    std::vector<double> tflops = {};
    std::vector<double> ms[2] = {};
  };
  std::vector<Entry> entries;
  for (const std::string& shape : shapes) entries.push_back({device_to_time(parse_shape(shape))});
  EventTimer timer;
  for (int round = 0; round < rounds; ++round) {
    for (Entry& entry : entries) {
      const double flops = useful_flops(entry.device->problem(), Pass::backward);
      entry.tflops.push_back(flops / sustained_ms(*entry.device) / 1e9);
      for (int part = 0; part < 2; ++part) {
        timer.start(nullptr);
        entry.device->virtual_keys_part(part);
        timer.stop(nullptr);
        entry.ms[part].push_back(timer.elapsed_ms());
      }
    }
  }
  for (const Entry& entry : entries) {
    const Problem& problem = entry.device->problem();
    const double main_tflops = useful_flops(problem, Pass::backward) / median(entry.ms[0]) / 1e9;
    fmt::print("{:>66} {:6.1f} ({:.1f} .. {:.1f}) TFLOP/s; ms {:.3f} ({:.1f}) {:.3f}; workspace {} MiB\n",
               describe(problem), median(entry.tflops), *std::min_element(entry.tflops.begin(), entry.tflops.end()),
               *std::max_element(entry.tflops.begin(), entry.tflops.end()), median(entry.ms[0]), main_tflops,
               median(entry.ms[1]), hopper_kernel().workspace_bytes(problem, Pass::backward, kVirtualKeys) >> 20);
  }
  return 0;
}

/// Sustained rates of every instance that runs each shape behind cuda.hopper's own forward, and the one that is chosen.
int instance_rates(const std::vector<std::string>& shapes) {
  for (const std::string& shape : shapes) {
    const Problem problem = parse_shape(shape);
    Device device({problem});
    device.forward(hopper_kernel());
    fmt::print("{}:", describe(problem));
    for (const char* instance : {kVirtualKeys, kVirtualQueries, kPortable}) {
      if (hopper::backward::unsupported_instance(problem, instance, device.lse_fold())) continue;
      const double ms = sustained_ms(device, instance);
      fmt::print(" {} {:.3f} ms {:.1f} TFLOP/s;", instance, ms, useful_flops(problem, Pass::backward) / ms / 1e9);
      std::fflush(stdout);
    }
    fmt::print(" chosen: {}\n", hopper_kernel().choose_instance(problem, Pass::backward));
    std::fflush(stdout);
  }
  return 0;
}

int hold(double seconds, const Problem& problem) {
  const std::unique_ptr<Device> device = device_to_time(problem);
  EventTimer timer;
  int launches = 1;
  for (double held_ms = 0, ms = 0; held_ms < 1e3 * seconds; held_ms += ms) {
    timer.start(nullptr);
    for (int n = 0; n < launches; ++n) device->backward(hopper_kernel(), kVirtualKeys);
    timer.stop(nullptr);
    ms = timer.elapsed_ms();
    fmt::print("{:.1f} ", useful_flops(problem, Pass::backward) * launches / ms / 1e9);
    launches = std::max(1, static_cast<int>(200.0 * launches / ms));
  }
  fmt::print("TFLOP/s {}\n", describe(problem));
  return 0;
}

/// Of a launch among launches, us: the median of three batches of some 3 ms.
double batch_us(Device& device, const std::string& instance) {
  EventTimer timer;
  device.backward(hopper_kernel(), instance);
  timer.start(nullptr);
  device.backward(hopper_kernel(), instance);
  timer.stop(nullptr);
  const int launches = std::clamp(static_cast<int>(3.0 / timer.elapsed_ms()), 1, 100);
  std::vector<double> us;
  for (int batch = 0; batch < 3; ++batch) {
    timer.start(nullptr);
    for (int n = 0; n < launches; ++n) device.backward(hopper_kernel(), instance);
    timer.stop(nullptr);
    us.push_back(1e3 * timer.elapsed_ms() / launches);
  }
  return median(us);
}

int random_problems(int count, int seed, const std::string& path, const std::string& split) {
  std::ofstream csv(path);
  csv << "# split: " << split << "\n# source: " << hopper_kernel().info().source_hash.backward << "\n";
  csv << "seed,number,problem,virtual_keys_us,portable_us\n";
  int wrong = 0, slower = 0;
  for (int n = 0; n < count; ++n) {
    const Problem problem = bench::random_backward(seed, n);
    if (!check_large(problem)) ++wrong;
    Device device({problem});
    device.forward(portable_kernel());
    const double portable_us = batch_us(device, hopper::backward::kPortable);
    device.call_lse_exact();
    const double us = batch_us(device, kVirtualKeys);
    if (us > 1.03 * portable_us) ++slower;
    csv << fmt::format("{},{},\"{}\",{:.2f},{:.2f}\n", seed, n, describe(problem), us, portable_us) << std::flush;
    fmt::print("{:3} {:10.1f} {:10.1f} us {:5.2f} {}\n", n, us, portable_us, portable_us / us, describe(problem));
    std::fflush(stdout);
  }
  fmt::print("{} of {} wrong; {} slower than cuda.portable by more than 3 %\n", wrong, count, slower);
  return wrong == 0 && csv.good() ? 0 : 1;
}

int run(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "check";
  const std::vector<std::string> rest(argv + std::min(argc, 2), argv + argc);
  if (mode == "check") return check_all(all_cases());
  if (mode == "small") return check_all(small_cases());
  if (mode == "ranges") return check_all(range_cases());
  if (mode == "hold" && rest.size() == 2) return hold(std::atof(rest[0].c_str()), parse_shape(rest[1]));
  if (mode == "orders") return check_orders(hopper_kernel());
  if (mode == "large") {
    bool good = true;
    for (const std::string& shape : rest) good = check_large(parse_shape(shape)) && good;
    return good ? 0 : 1;
  }
  if (mode == "time" && rest.size() > 1) return time_all(std::atoi(rest[0].c_str()), {rest.begin() + 1, rest.end()});
  if (mode == "instances") return instance_rates(rest);
  if (mode == "random" && rest.size() == 4)
    return random_problems(std::atoi(rest[0].c_str()), std::atoi(rest[1].c_str()), rest[2], rest[3]);
  throw Error("cannot run hopper_backward_bench", "there is no mode " + mode + " with these arguments",
              "see the head of hopper_backward_bench.cpp", ExitCode::usage);
}

}  // namespace
}  // namespace triscope::backward_bench

int main(int argc, char** argv) {
  try {
    return triscope::backward_bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
