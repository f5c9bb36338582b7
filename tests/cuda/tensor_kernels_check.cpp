// Generated inputs, fingerprints and the search for NaN on a GPU beside those on the host, bit for bit, and how long
// they take: build/tests/tensor_kernels_check. Exit code 1 when anything differs.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <vector>

#include "profiler/worker/cuda/cuda_backend.hpp"

namespace triscope {
namespace {

int failures = 0;

void expect(bool right, const std::string& what) {
  if (right) return;
  ++failures;
  fmt::print("FAIL {}\n", what);
}

std::size_t bytes_of(Element element) { return element == Element::bf16 ? 2 : 4; }

/// The same calls of the base class go through copies on the host.
void compare(CudaBackend& gpu, Element element, std::size_t count, InputStream stream, std::uint64_t seed) {
  const std::string what = fmt::format("{} elements of {} bytes, stream {}, seed {}", count, bytes_of(element),
                                       static_cast<int>(stream), seed);
  const std::size_t bytes = count * bytes_of(element);
  BackendMemory by_gpu(gpu, bytes + 256), by_host(gpu, bytes + 256);
  by_gpu.poison(), by_host.poison();
  gpu.generate(stream, seed, element, by_gpu.data(), count);
  gpu.Backend::generate(stream, seed, element, by_host.data(), count);
  std::vector<std::uint8_t> a(bytes + 256), b(bytes + 256);
  gpu.copy_to_host(a.data(), by_gpu.data(), a.size());
  gpu.copy_to_host(b.data(), by_host.data(), b.size());
  expect(a == b, "generated: " + what);
  expect(gpu.fingerprint(by_gpu.data(), bytes) == gpu.Backend::fingerprint(by_gpu.data(), bytes),
         "fingerprint: " + what);
  if (bytes > 3)
    expect(gpu.fingerprint(by_gpu.data(), bytes - 3) == gpu.Backend::fingerprint(by_gpu.data(), bytes - 3),
           "fingerprint of part of a word: " + what);
  expect(gpu.first_not_finite(by_gpu.data(), element, count) == count, "all finite: " + what);
  for (const std::size_t bad : {count - 1, count / 2}) {
    const std::uint32_t infinity = element == Element::bf16 ? 0x7F80u : 0xFF800000u;
    gpu.copy_to_device(by_gpu.data<std::uint8_t>() + bad * bytes_of(element), &infinity, bytes_of(element));
    expect(gpu.first_not_finite(by_gpu.data(), element, count) == bad, fmt::format("infinite at {}: {}", bad, what));
  }
}

void time_all(CudaBackend& gpu) {
  constexpr std::size_t kCount = std::size_t{32768} * 64 * 128;  // q of 32k tokens and 64 heads
  BackendMemory memory(gpu, kCount * 2);
  const auto milliseconds = [](const auto& work) {
    work();
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  };
  fmt::print("{} elements of bf16: generated in {:.2f} ms, fingerprint {:.2f} ms, NaN looked for {:.2f} ms\n", kCount,
             milliseconds([&] { gpu.generate(InputStream::q, 1, Element::bf16, memory.data(), kCount); }),
             milliseconds([&] { gpu.fingerprint(memory.data(), kCount * 2); }),
             milliseconds([&] { gpu.first_not_finite(memory.data(), Element::bf16, kCount); }));
}

int run() {
  CudaBackend gpu(make_events_timer(), "0");
  for (const Element element : {Element::bf16, Element::fp32}) {
    std::uint64_t seed = 1;
    for (const std::size_t count : {std::size_t{1}, std::size_t{77}, std::size_t{100'003}, std::size_t{20'000'001}}) {
      for (const InputStream stream :
           {InputStream::q, InputStream::k1, InputStream::k2, InputStream::v1, InputStream::v2, InputStream::grad_o}) {
        if (count > 1'000'000 && stream != InputStream::v2) continue;  // the host takes its time
        compare(gpu, element, count, stream, seed);
        seed = seed * 0x9E3779B97F4A7C15ull + 1;
      }
    }
  }
  time_all(gpu);
  fmt::print("{} of what was compared differs\n", failures);
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace triscope

int main() {
  try {
    return triscope::run();
  } catch (const std::exception& e) {
    fmt::print("FAIL {}\n", e.what());
    return 1;
  }
}
