// Gathers what `doctor` judges: /proc, /sys, the environment, one start of the worker. Opens no GPU library.
#include <fmt/format.h>
#include <sched.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "app/cli/doctor/doctor.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/files/mapped_file.hpp"
#include "kernels/base/files/program_folder.hpp"
#include "kernels/base/files/wheel.hpp"
#include "kernels/base/sha256.hpp"
#include "profiler/plan/plan.hpp"
#include "profiler/record/recorded_database.hpp"
#include "profiler/store/check/confinement.hpp"
#include "profiler/store/open/file_check.hpp"
#include "profiler/store/store.hpp"
#include "profiler/supervise/supervisor.hpp"
#include "profiler/supervise/worker_jobs.hpp"

namespace triscope {
namespace {

namespace fs = std::filesystem;

/// A sweep waits longer for a lock; but one that lasts this long is no short write.
constexpr std::chrono::milliseconds kLockPatience{1000};

std::string read_text(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool on_path(const std::string& program) {
  const std::string path = environment_variable("PATH");
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find(':', start), path.size());
    const fs::path file = fs::path(path.substr(start, end - start)) / program;
    if (access(file.c_str(), X_OK) == 0) return true;
    start = end + 1;
  }
  return false;
}

std::string cpu_model(const std::string& cpuinfo) {
  const std::size_t start = cpuinfo.find("model name");
  if (start == std::string::npos) return "unknown CPU";
  const std::size_t colon = cpuinfo.find(':', start);
  return cpuinfo.substr(colon + 2, cpuinfo.find('\n', colon) - colon - 2);
}

/// An NVIDIA display or 3D controller among the PCI devices.
bool nvidia_on_pci() {
  std::error_code error;
  for (const auto& device : fs::directory_iterator("/sys/bus/pci/devices", error)) {
    if (read_text(device.path() / "vendor").starts_with("0x10de") &&
        read_text(device.path() / "class").starts_with("0x03"))
      return true;
  }
  return false;
}

void gather_database(SystemFacts& facts) {
  std::error_code error;
  facts.database_exists = fs::exists(facts.database, error);
  fs::path folder = fs::absolute(facts.database, error).parent_path();
  if (!fs::exists(folder, error) && facts.database != default_database()) facts.missing_folder = folder;
  while (!fs::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
  facts.database_writable =
      access(folder.c_str(), W_OK | X_OK) == 0 && (!facts.database_exists || access(facts.database.c_str(), W_OK) == 0);
  struct statvfs space {};
  if (statvfs(folder.c_str(), &space) == 0) {
    facts.free_bytes = static_cast<std::int64_t>(space.f_bavail) * static_cast<std::int64_t>(space.f_frsize);
  }
  // A sweep makes a database of an empty file, as of none.
  if (facts.database_exists && fs::file_size(facts.database, error) == 0) facts.database_exists = false;
  if (!facts.database_exists) return;
  try {
    const Snapshot snapshot(facts.database);
    (void)snapshot.sweeps();
    if (const std::vector<std::string> damage = snapshot.damage(); !damage.empty()) {
      facts.database_error = fmt::format("{} is damaged: {}", facts.database.string(), damage.front());
    }
    if (facts.database_writable) {
      try {
        require_unlocked(facts.database, kLockPatience);
      } catch (const Error& failure) {
        facts.database_lock = failure.why();
      }
    }
  } catch (const std::exception& failure) {
    facts.database_error = failure.what();
  }
}

void gather_cpu(SystemFacts& facts) {
  const std::string cpuinfo = read_text("/proc/cpuinfo");
  facts.cpu_model = cpu_model(cpuinfo);
#if defined(__x86_64__)
  facts.x86 = true;
#else
  facts.x86 = false;
#endif
  facts.has_avx2 = has_cpu_flag(cpuinfo, "avx2");
  facts.has_fma = has_cpu_flag(cpuinfo, "fma");
  facts.has_avx512 = has_cpu_flag(cpuinfo, "avx512f");
  facts.cpus_online = sysconf(_SC_NPROCESSORS_ONLN);
  facts.cpus_allowed = facts.cpus_online;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) facts.cpus_allowed = CPU_COUNT(&set);
  facts.cpu_quota = parse_cpu_quota(read_text("/sys/fs/cgroup/cpu.max"));
  facts.omp_num_threads = environment_variable("OMP_NUM_THREADS");
}

void gather_gpu(SystemFacts& facts) {
  facts.nvidia_device_on_pci = nvidia_on_pci();
  facts.nvidia_driver_version = parse_nvidia_driver_version(read_text("/proc/driver/nvidia/version"));
  facts.nvidia_smi_on_path = on_path("nvidia-smi");
  facts.libcuda_in_loader_cache = read_text("/etc/ld.so.cache").find("libcuda.so.1") != std::string::npos;
  facts.nvidia_device_nodes = access("/dev/nvidia0", R_OK | W_OK) == 0;
}

/// Why a worker of `mode` does not start on `device`; empty: it does.
std::string start_problem(WorkerOptions options, const std::string& mode, const std::string& device) {
  options.mode = mode;
  options.device = device;
  try {
    (void)Supervisor(options).catalog();
    return "";
  } catch (const Error& error) {
    return error.why();
  }
}

/// A problem that `kernel`, a baseline, should be able to run.
Problem usual_problem(const KernelInfo& kernel) {
  Problem problem;
  problem.element = Element::bf16;
  problem.seq_len = 1024;
  if (kernel.card.kind != KernelKind::gemm) return baseline_problem(problem);
  problem.form = Form::gemm;
  problem.q_heads = problem.kv_heads = problem.head_dim = problem.window1 = problem.window2 = 1;
  return problem;
}

/// Why `kernel` cannot be measured by `worker`, which a broken library may end; empty: it can.
std::string baseline_problem_of(Supervisor& worker, const KernelInfo& kernel) {
  try {
    const SupportAnswer answer = worker.support({{kernel.id, usual_problem(kernel), Pass::forward, "auto"}}).at(0);
    return answer.instances.at(0).unsupported.value_or("");
  } catch (const Error& error) {
    return error.what();
  }
}

std::string digest_of(const std::string& file) {
  if (file.empty()) return "";
  try {
    return sha256_hex(MappedFile(file).bytes());
  } catch (const Error&) {
    return "";
  }
}

/// Asks the worker that would measure them, on the GPU if there is one: that loads each library.
void gather_baselines(SystemFacts& facts, const WorkerOptions& options) {
  try {
    Supervisor worker(worker_for(options, *facts.catalog, "auto"));
    for (const KernelInfo& kernel : worker.catalog().kernels) {
      if (!is_baseline(kernel.card.kind) || kernel.device != DeviceKind::cuda) continue;
      facts.baselines.push_back({kernel, baseline_problem_of(worker, kernel), digest_of(kernel.library)});
    }
  } catch (const Error&) {
    // No worker starts on the GPU: `cupti_error` says why.
  }
}

void gather_gpu_modes(SystemFacts& facts, const WorkerOptions& options) {
  for (const Device& device : facts.catalog->devices) {
    if (device.kind != DeviceKind::cuda) continue;
    facts.cupti_error = start_problem(options, "activity", device.id);
    facts.counters_error = start_problem(options, "counters", device.id);
    return;
  }
}

}  // namespace

SystemFacts gather_facts(const fs::path& database, const std::vector<std::string>& worker_prefix) {
  SystemFacts facts;
  facts.database = database;
  gather_database(facts);
  gather_cpu(facts);
  gather_gpu(facts);
  WorkerOptions options;
  options.prefix = worker_prefix;
  try {
    facts.catalog = query_catalog(options);
  } catch (const std::exception& failure) {
    facts.worker_error = failure.what();
  }
  if (facts.catalog) {
    for (const KernelInfo& kernel : facts.catalog->kernels) facts.cuda_build |= kernel.device == DeviceKind::cuda;
    gather_gpu_modes(facts, options);
    gather_baselines(facts, options);
  }
  facts.recording = recorded_database_hint();
  facts.in_wheel = came_in_a_wheel();
  facts.display = environment_variable("DISPLAY");
  facts.window_built = access((program_folder() / "triscope-window").c_str(), X_OK) == 0;
  facts.checker_built = access((program_folder() / kFileChecker).c_str(), X_OK) == 0;
  facts.missing_confinement = missing_confinement();
  return facts;
}

}  // namespace triscope
