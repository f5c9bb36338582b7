#include "tests/profiler/store/synthetic_database.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kernels/attention/flops.hpp"
#include "kernels/base/philox.hpp"
#include "profiler/statistics/statistics.hpp"
#include "profiler/store/store.hpp"
#include "tests/profiler/record/kernel_cards.hpp"

namespace triscope {
namespace {

constexpr std::int64_t kSweepSize = 250;
constexpr double kMaxClockMhz = 1980;

MeasurementKey key_of(std::int64_t index) {
  constexpr Windows kWindows[] = {{1024, 32}, {512, 64}, {128, 128}, {256, 64}, {512, 32}, {1024, 16}, {256, 32}};
  constexpr const char* kKernels[] = {"cuda.hopper", "cuda.portable", "baseline.fa3"};
  MeasurementKey key;
  const Windows windows = kWindows[index % 7];
  key.kernel = kKernels[index / 7 % 3];
  key.pass = index / 21 % 2 == 0 ? Pass::forward : Pass::backward;
  key.regime = index / 42 % 2 == 0 ? Regime::sustained : Regime::burst;
  key.problem.seq_len = 1024 * (1 + index / 84);
  key.problem.window1 = windows.window1;
  key.problem.window2 = windows.window2;
  if (key.kernel == "baseline.fa3") {
    key.problem.form = Form::dot_product;
    key.problem.batch = 1 + index % 7;  // keeps the keys apart, which no longer differ in window2
    key.problem.window1 = key.problem.seq_len;
    key.problem.window2 = 1;
  }
  key.instance = "128x128";
  key.timing_source = TimingSource::cupti;
  key.device_id = "0";
  return key;
}

Sample sample_of(std::int64_t index, std::int64_t ordinal, double median_ns) {
  const double noise = unit_normal(static_cast<std::uint64_t>(ordinal), static_cast<std::uint32_t>(index), 7);
  Sample sample;
  sample.duration_ns = static_cast<std::int64_t>(median_ns * (1 + 0.002 * noise));
  sample.started_ns = ordinal * 50'000'000;
  sample.launches = 1 + 40'000'000 / sample.duration_ns;
  sample.block = ordinal;
  sample.sm_clock_mhz = 1650 + 15.0 * static_cast<int>(2 * noise);
  sample.power_w = 690 + 4 * noise;
  sample.temperature_c = 60 + ordinal % 5;
  sample.throttle_bits = ordinal % 16 == 3 ? 4u : 0u;
  if (ordinal % 16 == 3) sample.flag = "throttled: sw_power_cap";
  return sample;
}

Summary summary_of(const std::vector<Sample>& samples) {
  Summary summary = summarize(samples, StoppingRule{});
  if (samples.empty()) return summary;
  summary.converged = true;
  return summary;
}

LaunchRecord launch_of(const MeasurementKey& key, double median_ns) {
  LaunchRecord launch;
  launch.name = fmt::format("triscope::{}_{}<128, 128>", key.kernel, to_string(key.pass));
  launch.grid[0] = 132;
  launch.grid[1] = launch.grid[2] = 1;
  launch.block[0] = 384;
  launch.block[1] = launch.block[2] = 1;
  launch.cluster[0] = 2;
  launch.cluster[1] = launch.cluster[2] = 1;
  launch.registers_per_thread = 168;
  launch.static_shared_bytes = 1024;
  launch.dynamic_shared_bytes = 217'088;
  launch.start_ns = 1000;
  launch.end_ns = 1000 + static_cast<std::int64_t>(median_ns);
  return launch;
}

}  // namespace

Environment synthetic_environment() {
  Environment environment;
  environment.device_id = "0";
  environment.device_name = "NVIDIA H200";
  environment.device_uuid = "GPU-00000000-0000-0000-0000-000000000001";
  environment.driver_version = "580.159";
  environment.cuda_version = "13.0";
  environment.cupti_version = "130001";
  environment.power_limit_w = 700;
  environment.max_sm_clock_mhz = kMaxClockMhz;
  environment.max_memory_clock_mhz = 3201;
  environment.peak_tflops = 989.5;
  environment.host = "synthetic";
  environment.cpu_model = "Invented CPU";
  environment.cpu_threads = 16;
  environment.os = "Linux 6.1";
  environment.triscope_version = "0.1.0";
  environment.git_commit = "0123456789ab";
  environment.compiler = "GNU 12.2.0";
  environment.compile_flags = "Release -O3";
  return environment;
}

Measurement synthetic_measurement(std::int64_t index, std::int64_t samples) {
  Measurement measurement;
  measurement.key = key_of(index);
  measurement.source_hash = "5f31c2a90b7e";
  measurement.started_unix_ns = 1'760'000'000'000'000'000 + index * 1'000'000'000;
  measurement.group = index / 3;
  measurement.workspace_bytes = 1 << 20;
  const auto every = [index](std::int64_t n) { return index % n == n - 1; };
  if (every(50) || every(70)) {
    measurement.status = every(50) ? Status::failed : Status::skipped;
    measurement.reason = every(50) ? "the worker died of signal 11 while it measured this configuration"
                                   : "head_dim 80 is not supported: this kernel needs 128";
    return measurement;
  }
  const double rate = 500e12 + 1e12 * static_cast<double>(index % 200);
  const double median_ns = useful_flops(measurement.key.problem, measurement.key.pass) / rate * 1e9;
  for (std::int64_t n = 0; n < samples; ++n) measurement.samples.push_back(sample_of(index, n, median_ns));
  measurement.summary = summary_of(measurement.samples);
  if (every(90)) {
    measurement.status = Status::cancelled;
    measurement.reason = "stopped by the user";
    measurement.summary.converged = false;
  }
  measurement.error = 1.6e-3 + 1e-6 * static_cast<double>(index % 100);
  measurement.errors = {{"o", *measurement.error}, {"lse", 2e-7}};
  measurement.launches = {launch_of(measurement.key, median_ns)};
  measurement.counters = {{"sm__inst_executed_pipe_tensor.pct", "%", 71.5 + static_cast<double>(index % 10)},
                          {"dram__bytes.sum", "byte", 1e9}};
  return measurement;
}

void write_synthetic_database(const std::filesystem::path& file, std::int64_t measurements, std::int64_t samples_each) {
  Store store(file);
  store.know_kernels(known_kernels());
  std::int64_t sweep = 0;
  for (std::int64_t index = 0; index < measurements; ++index) {
    if (index % kSweepSize == 0) {
      if (sweep != 0) store.finish_sweep(sweep);
      sweep = store.begin_sweep("triscope sweep --windows table1", R"({"windows":"table1"})", synthetic_environment(),
                                std::min(kSweepSize, measurements - index));
      if (index == 0) store.set_note(sweep, "first run after the driver update");
    }
    store.add(sweep, synthetic_measurement(index, samples_each));
  }
  if (sweep != 0) store.finish_sweep(sweep);
}

}  // namespace triscope
