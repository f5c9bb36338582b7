// The worker's life: say hello, do one job after another, end with stdin.
#pragma once

#include <string>

#include "profiler/worker/channel.hpp"
#include "profiler/worker/device/backend.hpp"
#include "profiler/worker/jobs/verify.hpp"

namespace triscope {

/// Parsed command line of a worker.
struct WorkerArguments {
  std::string mode = "cpu";
  std::string device = "cpu";
};
/// Throws `Error` (usage).
WorkerArguments parse_worker_arguments(int argc, char** argv);

/// Answers the messages of `channel` until it is told to quit. What a job throws becomes an `ErrorReply`.
void serve(Channel& channel, Backend& backend, KernelList kernels, const std::string& mode);

/// The whole program: 0, or an `ExitCode` after one sentence on stderr.
int run_worker(int argc, char** argv, KernelList kernels);

}  // namespace triscope
