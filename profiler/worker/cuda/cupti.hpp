// CUPTI's activity tracing, loaded at run time: which kernels ran when. One per process, made before the first CUDA
// call, never torn down (profiling design, "Activity tracing").
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "profiler/worker/device/gpu_records.hpp"

namespace triscope {

class ActivityTrace {
 public:
  /// Loads CUPTI, subscribes and enables kernel, copy and memset records. Throws `Error` (environment): as
  /// `CuptiLibrary`, driver too old, another profiler attached (by name).
  ActivityTrace();
  ~ActivityTrace();

  /// Everything that this thread enqueues between the two is attributed to `id` (not 0).
  void begin(std::uint64_t id);
  void end();
  /// Delivers what has finished: call after the stream was synchronised. Records of earlier calls are not repeated.
  std::vector<ActivityRecord> take();
  /// Records CUPTI had to drop since the start.
  std::int64_t dropped() const;
  /// "13.0.1".
  std::string version() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A C++ symbol in readable form; `symbol` itself when it is none.
std::string demangled(const char* symbol);

}  // namespace triscope
