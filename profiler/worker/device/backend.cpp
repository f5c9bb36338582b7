#include "profiler/worker/device/backend.hpp"

#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "kernels/attention/inputs.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/half.hpp"
#include "profiler/worker/device/fingerprint.hpp"
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/allocator_interface.h>
#endif

namespace triscope {
namespace {

constexpr std::size_t kStagedElements = std::size_t{1} << 24;  // what a copy on the host holds at once

// Calls use(first, count) for all of `count` elements, part by part.
template <typename Use>
void in_parts(std::size_t count, Use use) {
  for (std::size_t first = 0; first < count; first += kStagedElements)
    use(first, std::min(kStagedElements, count - first));
}

// Copies elements to the host and calls use(index, element) for each.
template <typename T, typename Use>
void for_each_element(Backend& backend, const void* memory, std::size_t count, Use use) {
  std::vector<T> part(std::min(count, kStagedElements));
  in_parts(count, [&](std::size_t first, std::size_t some) {
    backend.copy_to_host(part.data(), static_cast<const T*>(memory) + first, some * sizeof(T));
    for (std::size_t n = 0; n < some; ++n) use(first + n, part[n]);
  });
}

}  // namespace

void Backend::generate(InputStream stream, std::uint64_t seed, Element element, void* to, std::size_t count) {
  std::vector<float> values(std::min(count, kStagedElements));
  std::vector<std::uint16_t> bits(element == Element::bf16 ? values.size() : 0);
  in_parts(count, [&](std::size_t first, std::size_t some) {
    fill_input(stream, seed, element, std::span(values).first(some), first);
    if (element == Element::fp32) {
      return copy_to_device(static_cast<float*>(to) + first, values.data(), some * sizeof(float));
    }
    std::transform(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(some), bits.begin(),
                   bfloat16_from_float);
    copy_to_device(static_cast<std::uint16_t*>(to) + first, bits.data(), some * sizeof(std::uint16_t));
  });
}

std::uint64_t Backend::fingerprint(const void* memory, std::size_t bytes) {
  std::uint64_t sum = 0;
  const std::size_t words = bytes / sizeof(std::uint32_t), rest = bytes % sizeof(std::uint32_t);
  for_each_element<std::uint32_t>(*this, memory, words,
                                  [&](std::size_t n, std::uint32_t word) { sum += word_fingerprint(n, word); });
  if (rest == 0) return sum;
  std::uint32_t last = 0;
  copy_to_host(&last, static_cast<const std::byte*>(memory) + words * sizeof last, rest);
  return sum + word_fingerprint(words, last);
}

std::size_t Backend::first_not_finite(const void* memory, Element element, std::size_t count) {
  std::size_t bad = count;
  const auto look = [&](std::size_t n, float value) {
    if (!std::isfinite(value)) bad = std::min(bad, n);
  };
  if (element == Element::fp32) {
    for_each_element<float>(*this, memory, count, look);
  } else {
    for_each_element<std::uint16_t>(*this, memory, count,
                                    [&](std::size_t n, std::uint16_t bits) { look(n, float_from_bfloat16(bits)); });
  }
  return bad;
}

std::vector<Counter> Backend::read_counters(CounterSet, const Launch&) {
  throw Error("hardware counters cannot be read", "this worker does not read counters",
              "start it with --mode counters");
}

MemoryInUse Backend::memory_in_use() const {
#ifdef __SANITIZE_ADDRESS__  // its allocator is another one
  return {static_cast<std::int64_t>(__sanitizer_get_current_allocated_bytes()), 0};
#else
  const struct mallinfo2 heap = ::mallinfo2();
  return {static_cast<std::int64_t>(heap.uordblks + heap.hblkhd), 0};
#endif
}

const char* BackendMemory::overrun() const {
  if (whole_ == nullptr) return nullptr;
  std::vector<std::byte> guard(guard_);
  const auto written = [&](const std::byte* from) {
    backend_->copy_to_host(guard.data(), from, guard_);
    return std::any_of(guard.begin(), guard.end(), [](std::byte byte) { return byte != std::byte{0xFF}; });
  };
  if (written(whole_ + guard_ + bytes_)) return "behind the end of";
  return written(whole_) ? "before the beginning of" : nullptr;
}

void end_if_lost(Backend& backend, const char* what) {
  if (!backend.lost()) return;
  std::fprintf(stderr, "triscope-worker: %s\n", what);
  std::_Exit(static_cast<int>(ExitCode::environment));
}

}  // namespace triscope
