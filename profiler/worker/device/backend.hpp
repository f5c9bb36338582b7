// Where a worker measures: memory, launches, clocks and caches of one device. The CPU is one; CUDA events, CUPTI
// activity and counters are others behind the same interface. One per process, used on the worker's main thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/attention/problem.hpp"
#include "kernels/base/philox.hpp"
#include "kernels/inspect/slice_engine.hpp"
#include "profiler/record/gpu_counters.hpp"
#include "profiler/record/measurement.hpp"

namespace triscope {

/// Runs (CPU) or enqueues on `Backend::stream` (GPU) one operation.
using Launch = std::function<void()>;

/// What is allocated and not given back: on the heap of this process, and by it on the device; 0 where that is the
/// heap.
struct MemoryInUse {
  std::int64_t heap_bytes = 0, device_bytes = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;

  virtual const Device& device() const = 0;
  /// Every device of this machine, this one among them.
  virtual std::vector<Device> all_devices() const = 0;
  virtual Environment environment() const = 0;
  virtual TimingSource timing_source() const = 0;
  /// `Arguments::stream` of every launch; null on the CPU.
  virtual void* stream() const = 0;

  /// Memory of the device, aligned to 256 bytes. Throws `Error` with the size when there is not enough.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) noexcept = 0;
  virtual void copy_to_device(void* to, const void* from, std::size_t bytes) = 0;
  virtual void copy_to_host(void* to, const void* from, std::size_t bytes) = 0;
  /// Sets every byte to 0xFF: a NaN as fp32 and as bf16, so that an element nobody wrote is noticed.
  virtual void poison(void* memory, std::size_t bytes) = 0;

  /// Writes the first `count` elements of a generated tensor (`fill_input`) to memory of the device.
  virtual void generate(InputStream stream, std::uint64_t seed, Element element, void* to, std::size_t count);
  /// The sum of `word_fingerprint` over memory of the device; zeros fill up its last word.
  virtual std::uint64_t fingerprint(const void* memory, std::size_t bytes);
  /// The first of `count` elements in memory of the device that is NaN or infinite; `count`: none.
  virtual std::size_t first_not_finite(const void* memory, Element element, std::size_t count);

  /// Others who use the device may be counted as well.
  virtual MemoryInUse memory_in_use() const;

  /// Waits for all launches. Throws `Error` when one of them failed.
  virtual void synchronize() = 0;
  /// True when an error has made this process's device unusable: whoever finds it so ends the process.
  virtual bool lost() { return false; }
  /// Times `launches` launches back to back. `started_ns` is CLOCK_MONOTONIC_RAW, `duration_ns` per launch; clock,
  /// power and flags are those of the span; `block` is left to the caller.
  virtual Sample time_block(const Launch& launch, std::int64_t launches) = 0;
  /// Leaves the device idle and its caches without the operands: what the burst regime asks for before each launch.
  virtual void make_cold() = 0;
  /// How long after a change of load the clock is still that of the load before: so long a launch is repeated before it
  /// is timed when another one ran last. 0: not at all.
  virtual std::int64_t settle_ns() const { return 0; }
  /// Hardware counters of one launch, from replays of it. Throws `Error`: this backend reads none.
  virtual std::vector<Counter> read_counters(CounterSet set, const Launch& launch);
  /// What looks inside the attention tensor on this device.
  virtual std::unique_ptr<SliceEngine> make_slices() const = 0;
  /// Launches once and says what ran. `name` is used where the device does not name its kernels.
  virtual std::vector<LaunchRecord> record_launch(const std::string& name, const Launch& launch) = 0;
};

/// Ends the process, with `what` as its last words, when `backend` is lost; the supervisor then starts a fresh worker
/// and only the entry in flight has failed.
void end_if_lost(Backend& backend, const char* what);

/// Memory of a backend's device; empty when made with 0 bytes. With `guard` bytes on each side that nobody may write; a
/// multiple of 256, so that the memory between them is aligned as `allocate` aligns it.
class BackendMemory {
 public:
  BackendMemory() = default;
  BackendMemory(Backend& backend, std::size_t bytes, std::size_t guard = 0)
      : backend_(&backend),
        whole_(bytes == 0 ? nullptr : static_cast<std::byte*>(backend.allocate(bytes + 2 * guard))),
        bytes_(bytes),
        guard_(guard) {}
  ~BackendMemory() {
    if (whole_ != nullptr) backend_->release(whole_);
  }
  BackendMemory(BackendMemory&& other) noexcept { swap(other); }
  BackendMemory& operator=(BackendMemory&& other) noexcept {
    BackendMemory taken(std::move(other));
    swap(taken);
    return *this;
  }

  template <typename T = void>
  T* data() const {
    return whole_ == nullptr ? nullptr : static_cast<T*>(static_cast<void*>(whole_ + guard_));
  }
  std::size_t bytes() const { return bytes_; }
  void poison() {
    if (whole_ != nullptr) backend_->poison(whole_, bytes_ + 2 * guard_);
  }
  /// "before the beginning of", or "behind the end of": where a guard is not as `poison` left it. Null: nowhere.
  const char* overrun() const;

 private:
  void swap(BackendMemory& other) noexcept {
    std::swap(backend_, other.backend_);
    std::swap(whole_, other.whole_);
    std::swap(bytes_, other.bytes_);
    std::swap(guard_, other.guard_);
  }

  Backend* backend_ = nullptr;
  std::byte* whole_ = nullptr;  // guard, memory, guard
  std::size_t bytes_ = 0, guard_ = 0;
};

}  // namespace triscope
