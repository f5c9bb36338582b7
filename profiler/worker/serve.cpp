#include "profiler/worker/serve.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "build_facts.hpp"
#include "kernels/base/error.hpp"
#include "kernels/plugin/plugin_kernel.hpp"
#include "kernels/plugin/plugin_library.hpp"
#include "kernels/plugin/plugin_names.hpp"
#include "profiler/worker/jobs/check_job.hpp"
#include "profiler/worker/jobs/eval_job.hpp"
#include "profiler/worker/jobs/inspect_job.hpp"
#include "profiler/worker/jobs/measure_job.hpp"
#include "profiler/worker/machine.hpp"

namespace triscope {
namespace {

Catalog make_catalog(const Backend& backend, KernelList kernels) {
  Catalog catalog;
  catalog.environment = backend.environment();
  catalog.devices = backend.all_devices();
  for (const Kernel* kernel : kernels) catalog.kernels.push_back(kernel->info());
  catalog.gpu_problem = machine_gpu_problem();
  return catalog;
}

InstanceSupport support_of(const Kernel& kernel, const Problem& problem, Pass pass, const std::string& instance) {
  InstanceSupport support;
  support.instance = instance;
  const auto& names = kernel.info().instances;
  if (std::find(names.begin(), names.end(), instance) == names.end()) {
    support.unsupported = fmt::format("{} has no instance called {}", kernel.info().id, instance);
    return support;
  }
  support.unsupported = kernel.unsupported(problem, pass, instance);
  if (support.unsupported) return support;
  try {
    support.workspace_bytes = static_cast<std::int64_t>(kernel.workspace_bytes(problem, pass, instance));
  } catch (const Error& error) {
    if (is_own_id(kernel.info().id)) throw;
    support.unsupported = error.why();  // a plug-in that cannot say it costs its own rows
  }
  return support;
}

SupportAnswer answer(const SupportQuestion& question, KernelList kernels) {
  require_valid(question.problem);
  const Kernel& kernel = require_kernel(kernels, question.kernel);
  const std::vector<std::string>& names = kernel.info().instances;
  SupportAnswer result;
  if (question.instance == "all") {
    for (const std::string& name : names)
      result.instances.push_back(support_of(kernel, question.problem, question.pass, name));
  } else if (question.instance != "auto") {
    result.instances.push_back(support_of(kernel, question.problem, question.pass, question.instance));
  } else if (const auto reason = kernel.unsupported(question.problem, question.pass)) {
    result.instances.push_back({names.front(), reason, 0});
  } else {
    result.instances.push_back(
        support_of(kernel, question.problem, question.pass, kernel.choose_instance(question.problem, question.pass)));
  }
  return result;
}

PluginLibrary plugin_of(const WorkerArguments& arguments, const PluginLibrary* given) {
  if (given == nullptr) return load_plugin_library(arguments.plugin, arguments.plugin_sha256);
  PluginLibrary library = *given;
  library.file = arguments.plugin, library.sha256 = arguments.plugin_sha256;
  return library;
}

ErrorReply reply_of(const Error& error) {
  return {error.summary(), error.why(), error.fix(), static_cast<int>(error.code())};
}

// Does one job; false when the worker shall end.
class Jobs {
 public:
  Jobs(Channel& channel, Backend& backend, KernelList kernels)
      : channel_(channel),
        backend_(backend),
        kernels_(kernels),
        measure_(backend, kernels),
        inspect_(backend, kernels) {
    port_.send = [&channel](const Message& message) { channel.send(message); };
    port_.cancelled = [&channel] { return channel.cancelled(); };
  }

  bool run(const Message& message) {
    try {
      return std::visit([this](const auto& request) { return run_one(request); }, message);
    } catch (const Error& e) {
      channel_.send(reply_of(e));
    } catch (const std::exception& e) {
      channel_.send(ErrorReply{"the worker could not do its job", e.what(), "try a smaller problem",
                               static_cast<int>(ExitCode::environment)});
    }
    return true;
  }

 private:
  bool run_one(const CatalogRequest&) {
    channel_.send(CatalogReply{make_catalog(backend_, kernels_)});
    return true;
  }
  bool run_one(const SupportRequest& request) {
    SupportReply reply;
    for (const SupportQuestion& question : request.questions) reply.answers.push_back(answer(question, kernels_));
    channel_.send(reply);
    return true;
  }
  bool run_one(const MeasureRequest& request) {
    measure_.run(request, port_);
    channel_.send(Done{});
    return true;
  }
  bool run_one(const CheckRequest& request) {
    run_check_job(request, backend_, kernels_, port_);
    channel_.send(Done{});
    return true;
  }
  bool run_one(const EvalRequest& request) {
    channel_.send(run_eval_job(request, backend_, kernels_));
    return true;
  }
  bool run_one(const SourceRequest& request) {
    channel_.send(inspect_.run(request));
    return true;
  }
  bool run_one(const SliceRequest& request) {
    channel_.send(inspect_.run(request));
    return true;
  }
  bool run_one(const OverviewRequest& request) {
    channel_.send(inspect_.run(request));
    return true;
  }
  bool run_one(const SheetRequest& request) {
    channel_.send(inspect_.run(request));
    return true;
  }
  bool run_one(const KernelRowRequest& request) {
    channel_.send(inspect_.run(request));
    return true;
  }
  bool run_one(const QuitRequest&) { return false; }
  template <typename Other>
  bool run_one(const Other&) {
    throw Error("the worker cannot do this", fmt::format("\"{}\" is not a request", Other::kType),
                "use a supervisor of the same build");
  }

  Channel& channel_;
  Backend& backend_;
  KernelList kernels_;
  MeasureJob measure_;
  InspectJob inspect_;
  JobPort port_;
};

}  // namespace

WorkerArguments parse_worker_arguments(int argc, char** argv) {
  WorkerArguments arguments;
  const std::map<std::string_view, std::string*> options = {{"--mode", &arguments.mode},
                                                            {"--device", &arguments.device},
                                                            {"--plugin", &arguments.plugin},
                                                            {"--plugin-sha256", &arguments.plugin_sha256}};
  for (int n = 1; n < argc; ++n) {
    const std::string_view name = argv[n];
    const auto option = options.find(name);
    if (option == options.end() || n + 1 == argc) {
      throw Error("the worker cannot start",
                  fmt::format("\"{}\" is not one of its options, or its value is missing", name),
                  "start it through triscope; by hand: triscope-worker [--mode cpu] [--device cpu]", ExitCode::usage);
    }
    *option->second = argv[++n];
  }
  return arguments;
}

void serve(Channel& channel, Backend& backend, KernelList kernels, const std::string& mode,
           const std::optional<Error>& refusal, bool in_program) {
  channel.send(Hello{kProtocolVersion, build_facts::kVersion, mode, in_program});
  Jobs jobs(channel, backend, kernels);
  for (;;) {
    const Message message = channel.receive();
    if (refusal && !std::holds_alternative<QuitRequest>(message)) {
      channel.send(reply_of(*refusal));
    } else if (!jobs.run(message)) {
      return;
    }
  }
}

void keep_freed_memory() {
  // Slices take and give back tens of megabytes many times a second: the process keeps them, or the system would hand
  // out and clear each page anew.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that is allowed
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
}

int run_worker(int argc, char** argv, KernelList kernels, const PluginLibrary* given, const Channel::Ends* ends) {
  try {
    omp_set_num_threads(
        std::min(omp_get_max_threads(), omp_get_num_procs()));  // so many that none starts end a process
    const WorkerArguments arguments = parse_worker_arguments(argc, argv);
    const auto channel = ends == nullptr ? std::make_unique<Channel>() : std::make_unique<Channel>(*ends);
    std::vector<std::unique_ptr<Kernel>> further;
    std::optional<Error> refusal;  // of the plug-in: said to whoever asks
    try {
      if (!arguments.plugin.empty()) further = make_plugin_kernels(plugin_of(arguments, given));
    } catch (const Error& e) {
      refusal = e;
    }
    std::vector<const Kernel*> all(kernels.begin(), kernels.end());
    for (const auto& kernel : further) all.push_back(kernel.get());
    const std::unique_ptr<Backend> backend = make_backend(arguments.mode, arguments.device);
    serve(*channel, *backend, all, arguments.mode, refusal, ends != nullptr);
    return static_cast<int>(ExitCode::done);
  } catch (const Channel::Gone&) {
    return static_cast<int>(ExitCode::done);
  } catch (const Error& e) {
    std::fprintf(stderr, "triscope-worker: %s\n", e.what());
    return static_cast<int>(e.code());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "triscope-worker: %s\n", e.what());
    return static_cast<int>(ExitCode::environment);
  }
}

}  // namespace triscope
