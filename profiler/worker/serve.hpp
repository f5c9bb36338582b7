// The worker's life: say hello, do one job after another, end with stdin.
#pragma once

#include <optional>
#include <string>

#include "kernels/base/error.hpp"
#include "kernels/plugin/plugin_library.hpp"
#include "profiler/worker/channel.hpp"
#include "profiler/worker/device/backend.hpp"
#include "profiler/worker/jobs/verify.hpp"

namespace triscope {

/// Parsed command line of a worker.
struct WorkerArguments {
  std::string mode = "cpu";
  std::string device = "cpu";
  std::string plugin;         ///< library with further kernels; empty: none
  std::string plugin_sha256;  ///< of that file: another one is not loaded
};
/// Throws `Error` (usage).
WorkerArguments parse_worker_arguments(int argc, char** argv);

/// Answers the messages of `channel` until it is told to quit. What a job throws becomes an `ErrorReply`; with a
/// `refusal` every request is answered by it. `in_program`: the worker is a thread of another program, which it says.
void serve(Channel& channel, Backend& backend, KernelList kernels, const std::string& mode,
           const std::optional<Error>& refusal = std::nullopt, bool in_program = false);

/// A setting of the allocator for the whole process, before it has threads.
void keep_freed_memory();

/// The whole program: 0, or an `ExitCode` after one sentence on stderr. Kernels of a plug-in come behind `kernels`;
/// `given` are the functions of the plug-in when they are in this process already, and nothing is loaded then. With
/// `ends` the worker is a part of another program, which goes on behind it.
int run_worker(int argc, char** argv, KernelList kernels, const PluginLibrary* given = nullptr,
               const Channel::Ends* ends = nullptr);

}  // namespace triscope
