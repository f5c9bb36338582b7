#include "profiler/worker/device/backend.hpp"

#include <cstdio>
#include <cstdlib>

#include "kernels/base/error.hpp"

namespace triscope {

std::vector<Counter> Backend::read_counters(CounterSet, const Launch&) {
  throw Error("hardware counters cannot be read", "this worker does not read counters",
              "start it with --mode counters");
}

void end_if_lost(Backend& backend, const char* what) {
  if (!backend.lost()) return;
  std::fprintf(stderr, "triscope-worker: %s\n", what);
  std::_Exit(static_cast<int>(ExitCode::environment));
}

}  // namespace triscope
