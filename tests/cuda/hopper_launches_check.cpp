// How cuda.hopper is launched, on a GPU.
//
//   hopper_launches_check        from two threads with different plans, from a thread that has called no CUDA yet
//   hopper_rests_check rests     with short-axis warps that fall far behind the consumers: this file with an instance
//                                of its own, compiled with TRISCOPE_SHORT_AXIS_RESTS (short_axis.cuh). It never ended
//                                while these warps waited for each pass of one step
#include <cuda_runtime.h>
#include <fmt/format.h>

#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/cuda/hopper/hopper.hpp"
#include "tests/cuda/hopper_case.hpp"
#include "tests/cuda/hopper_device.hpp"

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

/// One instance, two rings of different length: the limit of shared memory is the kernel's, not the launch's.
void check_two_threads(const Kernel& kernel) {
  constexpr int kLaunches = 2000;
  const char* shapes[] = {"64x8,2/2,128,200,1,trilinear,d128_split64_keys96_mixed",
                          "64x8,32/1,128,200,1,trilinear,d128_split64_keys96_mixed"};
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
        right[n] = device.checksum() == alone && device.not_finite() == 0;
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
        "64x8,2/2,128,200,1,determinant,d128_split64_keys96_mixed_cross", "64x8,2/2,128,200,1,trilinear,rows"}) {
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
    const Comparison compared = device.compare(kernel.fold(test.problem), 160);
    expect(compared.o < 2.5e-3 && compared.lse < 1e-4 && device.not_finite() == 0,
           fmt::format("short-axis warps that rest, {}: o {:.1e} lse {:.1e}", shape, compared.o, compared.lse));
  }
}

int run(const std::string& mode) {
  const auto kernel = make_cuda_hopper();
  if (mode == "rests") {
    check_rests(*kernel);
  } else {
    check_new_thread(*kernel);
    check_two_threads(*kernel);
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
