// How cuda.hopper is launched, on a GPU.
//
//   hopper_launches_check        from two threads with different plans, from a thread that has called no CUDA yet
//   hopper_launches_check values    with NaN, infinity, very small and very large numbers in v1 and v2, and
//   cuda.portable
//                                   too: a row's result depends on what it sees alone
//   hopper_rests_check rests     with short-axis warps that fall far behind the consumers: this file with an instance
//                                of its own, compiled with TRISCOPE_SHORT_AXIS_RESTS (short_axis.cuh). It never ended
//                                while these warps waited for each pass of one step
#include <cuda_runtime.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "kernels/base/error.hpp"
#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/cuda/hopper/hopper.hpp"
#include "kernels/cuda/portable/portable.hpp"
#include "tests/cuda/hopper/hopper_case.hpp"
#include "tests/cuda/hopper/hopper_device.hpp"

namespace triscope::bench {
namespace {

int failures = 0;

void expect(bool right, const std::string& what) {
  fmt::print("{} {}\n", right ? "ok  " : "FAIL", what);
  std::fflush(stdout);
  if (!right) ++failures;
}

/// What `run` throws in a thread of its own; empty: nothing.
template <typename Run>
std::string in_a_thread(const Run& run) {
  std::string error;
  std::thread([&] {
    try {
      run();
    } catch (const std::exception& thrown) {
      error = thrown.what();
    }
  }).join();
  return error;
}

/// One instance, two rings of different length: the limit of shared memory is the kernel's, not the launch's. Of a half
/// instance both launches make operands, each in a workspace of its own, and need all multiprocessors for that.
void check_two_threads(const Kernel& kernel, const std::string& instance) {
  constexpr int kLaunches = 2000;
  const std::string shapes[] = {"64x8,2/2,128,200,1,trilinear," + instance,
                                "64x8,32/1,128,200,1,trilinear," + instance};
  std::vector<std::thread> threads;
  std::string errors[2];
  bool right[2] = {};
  for (int n = 0; n < 2; ++n) {
    threads.emplace_back([&, n] {
      try {
        const cuda::Stream stream;
        Device device(kernel, parse_shape(shapes[n]));
        TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
        device.launch(stream.get());
        TRISCOPE_CUDA_CHECK(cudaStreamSynchronize(stream.get()));
        const std::uint64_t alone = device.checksum();
        for (int launch = 0; launch < kLaunches; ++launch) device.launch(stream.get());
        TRISCOPE_CUDA_CHECK(cudaStreamSynchronize(stream.get()));
        right[n] = device.checksum() == alone && device.not_finite() == 0 && !device.in_bf16();
      } catch (const std::exception& error) {
        errors[n] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int n = 0; n < 2; ++n) expect(right[n], fmt::format("thread {} of two, {}: {}", n, shapes[n], errors[n]));
}

void check_new_thread(const Kernel& kernel) {
  for (const char* shape :
       {"64x8,2/2,128,200,1,trilinear,d128_split64_keys96_mixed",
        "64x8,2/2,128,200,1,determinant,d128_split64_keys96_mixed_cross",
        "64x8,2/2,128,200,1,trilinear,d128_split64_keys96_mixed_half", "64x8,2/2,128,200,1,trilinear,rows"}) {
    Device device(kernel, parse_shape(shape)), other(kernel, parse_shape(shape));
    TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
    const std::string error = in_a_thread([&] { device.launch(); });
    other.launch();
    const cudaError_t ended = cudaDeviceSynchronize();
    expect(error.empty() && ended == cudaSuccess && device.checksum() == other.checksum(),
           fmt::format("a thread that has called no CUDA launches {}: {}", shape, error));
  }
}

/// Items of one step and many passes.
void check_rests(const Kernel& kernel) {
  for (const char* shape : {"1024x1,4/4,128,4096,1,trilinear,d128_split64_keys96_mixed",
                            "1024x2,4/4,128,4096,1,trilinear,d128_split64_keys96_mixed",
                            "700x1,6/2,128,3000,1,trilinear,d128_split64_keys96_mixed",
                            "300x20,4/4,128,2000,1,trilinear,d128_split64_keys96_mixed"}) {
    const Case test = parse_shape(shape);
    Device device(kernel, test);
    device.launch();
    TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
    const Comparison compared = device.compare(device.fold(), 160);
    expect(compared.o < 2.5e-3 && compared.lse < 1e-4 && device.not_finite() == 0,
           fmt::format("short-axis warps that rest, {}: o {:.1e} lse {:.1e}", shape, compared.o, compared.lse));
  }
}

std::vector<float> output_of(Device& device) {
  device.launch();
  TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
  return device.output();
}

/// What a launch with bf16 bits `bad` at one position of v1 (3) or v2 (4), in the first dimension, does to the rows
/// that do not see it and to those that do.
void check_bad_value(const Kernel& kernel, const Case& test, int which, std::uint16_t bad) {
  const Problem& p = test.problem;
  Device device(kernel, test);
  const std::vector<float> clean = output_of(device);
  std::vector<std::uint16_t> values = device.values(which);
  const std::int64_t position = p.seq_len / 2, window = which == 3 ? p.window1 : p.window2;
  values[static_cast<std::size_t>(position * p.kv_heads * p.head_dim)] = bad;
  device.set_values(which, values);
  const std::vector<float> spoiled = output_of(device);
  std::int64_t poisoned = 0, cleared = 0;
  for (std::int64_t row = 0; row < p.seq_len * p.q_heads; ++row) {
    const std::int64_t query = row / p.q_heads, head = row % p.q_heads;
    const bool sees = head < p.q_heads / p.kv_heads && query >= position && query - position < window;
    bool finite = true;
    double difference = 0, norm = 0;
    for (std::int64_t d = 0; d < p.head_dim; ++d) {
      const auto n = static_cast<std::size_t>(row * p.head_dim + d);
      finite = finite && std::isfinite(spoiled[n]);
      difference += std::pow(static_cast<double>(spoiled[n]) - clean[n], 2);
      norm += std::pow(static_cast<double>(clean[n]), 2);
    }
    poisoned += !sees && !(difference <= 1e-4 * norm);
    cleared += sees && finite;
  }
  expect(poisoned == 0 && cleared == 0,
         fmt::format("bits {:04x} in v{}, {}: {} rows that do not see it changed, {} that see it are finite", bad,
                     which - 2, describe(p), poisoned, cleared));
}

/// v2 times a power of two gives o times that power. No kernel refuses values: an `Error` ends the check.
void check_scaled_values(const Kernel& kernel, const Case& test, int power) {
  Device device(kernel, test);
  const std::vector<float> clean = output_of(device);
  std::vector<std::uint16_t> values = device.values(4);
  for (std::uint16_t& bits : values) {
    if ((bits & 0x7FFF) != 0) bits = static_cast<std::uint16_t>(bits + power * 128);  // N(0,1): no exponent leaves bf16
  }
  device.set_values(4, values);
  const std::vector<float> scaled = output_of(device);
  double difference = 0, norm = 0;
  for (std::size_t n = 0; n < clean.size(); ++n) {
    difference += std::pow(std::ldexp(static_cast<double>(scaled[n]), -power) - clean[n], 2);
    norm += std::pow(static_cast<double>(clean[n]), 2);
  }
  expect(difference <= 1e-4 * norm,
         fmt::format("v2 x 2^{}, {}: o is off by {:.1e}", power, describe(test.problem), std::sqrt(difference / norm)));
}

void check_values(const Kernel& kernel) {
  for (const char* shape : {"512x32,8/1,128,1024,1,trilinear", "512x32,8/1,128,1024,1,determinant",
                            "36x689,8/1,128,1500,1,trilinear", "64x8,2/2,128,200,1,trilinear"}) {
    const Case test = parse_shape(shape);
    for (const int which : {3, 4}) {
      for (const std::uint16_t bad : {0x7FC0, 0x7F80}) check_bad_value(kernel, test, which, bad);  // NaN, infinity
    }
    for (const int power : {-70, 120}) check_scaled_values(kernel, test, power);
  }
}

int run(const std::string& mode) {
  const auto kernel = make_cuda_hopper();
  if (mode == "rests") {
    check_rests(*kernel);
  } else if (mode == "values") {
    check_values(*kernel);
    check_values(*make_cuda_portable());
  } else {
    check_new_thread(*kernel);
    for (const char* instance : {"d128_split64_keys96_mixed", "d128_split64_keys96_mixed_half"})
      check_two_threads(*kernel, instance);
  }
  fmt::print("{} failed\n", failures);
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace triscope::bench

int main(int count, char** arguments) {
  try {
    return triscope::bench::run(count > 1 ? arguments[1] : "");
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 3;
  }
}
