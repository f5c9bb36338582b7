#include "profiler/worker/device/backend.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "kernels/base/error.hpp"

namespace triscope {

std::vector<Counter> Backend::read_counters(CounterSet, const Launch&) {
  throw Error("hardware counters cannot be read", "this worker does not read counters",
              "start it with --mode counters");
}

bool BackendMemory::overrun() const {
  if (data_ == nullptr || guard_ == 0) return false;
  std::vector<std::byte> behind(guard_);
  backend_->copy_to_host(behind.data(), static_cast<const std::byte*>(data_) + bytes_, guard_);
  return std::any_of(behind.begin(), behind.end(), [](std::byte byte) { return byte != std::byte{0xFF}; });
}

void end_if_lost(Backend& backend, const char* what) {
  if (!backend.lost()) return;
  std::fprintf(stderr, "triscope-worker: %s\n", what);
  std::_Exit(static_cast<int>(ExitCode::environment));
}

}  // namespace triscope
