// Runs workers: starts, watches, kills and restarts them. A kernel that hangs, crashes or is wrong costs its own
// configuration and nothing else. Links no CUDA.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "profiler/protocol/jobs.hpp"
#include "profiler/protocol/messages.hpp"
#include "profiler/record/catalog.hpp"
#include "profiler/supervise/job_observer.hpp"

namespace triscope {

/// How a worker is started and how long it may be silent.
struct WorkerOptions {
  std::vector<std::string> prefix;       ///< command before the worker's own: {"ssh", "host"}; empty: a local process
  std::filesystem::path program;         ///< empty: `find_worker()`, or "triscope-worker" on the PATH behind a prefix
  std::vector<std::string> environment;  ///< variables beside our own: "NAME=value"; a prefix may not pass them on
  std::string mode = "cpu";              ///< worker_mode(device)
  std::string device = "cpu";
  std::filesystem::path plugin;                       ///< library with further kernels; empty: none
  std::string plugin_sha256;                          ///< of that file
  std::chrono::milliseconds handshake_limit{20'000};  ///< from start to hello
  std::chrono::milliseconds time_limit{120'000};      ///< per configuration, beyond its sampling budget; also the
                                                      ///< longest silence
  std::chrono::milliseconds cancel_grace{10'000};     ///< from cancel to the answer, then it is killed
  std::stop_token
      closing{};  ///< the program ends: no answer is waited for, and a cancel has no more than half a second
  std::function<void(const std::string&)> log = [](const std::string&) {};  ///< lines of its stderr, and what was done
};

/// $TRISCOPE_WORKER, or triscope-worker beside this executable. Throws `Error` when it is not there.
std::filesystem::path find_worker();

/// One worker and its restarts. Use on one thread only: a local worker dies with the thread that started it.
class Supervisor {
 public:
  explicit Supervisor(WorkerOptions options);
  ~Supervisor();  ///< asks the worker to quit, then kills it
  Supervisor(Supervisor&&) noexcept;
  Supervisor& operator=(Supervisor&&) noexcept;

  /// Throw `Error` when no worker can be started or it fails the job.
  Catalog catalog();
  std::vector<SupportAnswer> support(const std::vector<SupportQuestion>& questions);

  /// Measures a group and reports each entry exactly once through `observer.measured`. Worker failures become `failed`
  /// entries (the one in flight; the others are measured again by a fresh worker) and a stop `cancelled` ones; throws
  /// `Error` only when no worker can be started.
  void measure(const MeasureRequest& request, const JobObserver& observer, std::stop_token stop);

  /// Rows as they come; a crash or hang is a failed row and ends the job. Returns true when all rows passed.
  bool check(const CheckRequest& request, const std::function<void(const CheckRow&)>& row, std::stop_token stop);
  EvalReply eval(const EvalRequest& request, std::stop_token stop);

  /// Looks inside the attention tensor; the worker keeps the sources it has opened. A stop ends the worker at once, and
  /// the next question starts another. Throw `Error` as `eval`.
  SourceReply source(const SourceRequest& request, std::stop_token stop = {});
  Slice slice(const SliceRequest& request, std::stop_token stop = {});
  Overview overview(const OverviewRequest& request, std::stop_token stop = {});
  HeadSheet sheet(const SheetRequest& request, std::stop_token stop = {});
  KernelRow kernel_row(const KernelRowRequest& request, std::stop_token stop = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace triscope
