// What works on this machine, what does not, and what to do about it: facts first, then plain rules over them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "profiler/record/catalog.hpp"

namespace triscope {

/// A third-party library that is measured beside our kernels.
struct BaselineFact {
  KernelInfo kernel;    ///< with the version, and the file where it was found
  std::string problem;  ///< why it cannot be measured here, with what to do; empty: it can
  std::string sha256;   ///< of that file; empty: there is none, or it cannot be read
};

/// What was found; gathering it changes nothing on the machine.
struct SystemFacts {
  std::optional<Catalog> catalog;          ///< what the worker said; unset when it could not be asked
  std::string worker_error;                ///< why not
  std::optional<std::string> cupti_error;  ///< why the first GPU cannot be timed by CUPTI; empty: it can; unset: no GPU
  std::optional<std::string> counters_error;  ///< the same of its hardware counters
  std::vector<BaselineFact> baselines;        ///< for GPUs, as far as this build has them
  std::filesystem::path database;
  bool database_exists = false;
  std::string database_error;            ///< why it cannot be read, or what is damaged; empty: sound, or not there yet
  std::string database_lock;             ///< why nothing can be stored in it now; empty: it can
  bool database_writable = false;        ///< file and folder, or the nearest folder that exists
  std::filesystem::path missing_folder;  ///< that nobody makes: one that was named; empty: none
  std::int64_t free_bytes = 0;           ///< where the database lies
  std::string cpu_model;
  bool has_avx2 = false, has_fma = false, has_avx512 = false;
  bool x86 = true;
  std::int64_t cpus_online = 0;
  std::int64_t cpus_allowed = 0;    ///< by the affinity mask
  std::optional<double> cpu_quota;  ///< CPUs the control group grants; unset: no limit
  std::string omp_num_threads;      ///< the environment variable; empty: not set
  bool nvidia_device_on_pci = false;
  std::string nvidia_driver_version;  ///< of the kernel module; empty: not loaded
  bool nvidia_smi_on_path = false;
  bool libcuda_in_loader_cache = false;
  bool nvidia_device_nodes = false;  ///< /dev/nvidia0 exists and may be opened
  bool cuda_build = false;           ///< this build holds GPU kernels
  bool in_wheel = false;             ///< it came in a Python wheel: nothing can be built here
  std::string recording;             ///< how to see what a GPU measured elsewhere; empty: no recording is shipped
  std::string display;               ///< DISPLAY
  bool window_built = false;         ///< triscope-window lies beside triscope
  bool checker_built = true;         ///< triscope-check-file lies beside triscope
  std::vector<std::string> missing_confinement;  ///< see profiler/store/check/confinement.hpp
};

enum class Health {
  works,
  limited,  ///< works, with a loss that is named
  absent,   ///< not here, and not needed for the rest
  broken,   ///< the main job does not work
};

struct Finding {
  Health health = Health::works;
  std::string subject;  ///< "worker", "database", "GPU driver"
  std::string found;    ///< what is the case
  std::string advice;   ///< what to do; empty when nothing is
};

SystemFacts gather_facts(const std::filesystem::path& database, const std::vector<std::string>& worker_prefix);

/// One finding a subject, in the order in which a sweep needs them.
std::vector<Finding> diagnose(const SystemFacts& facts);

std::string_view to_string(Health);

/// True when `word` stands alone in the "flags" line of /proc/cpuinfo.
bool has_cpu_flag(std::string_view cpuinfo, std::string_view word);

/// CPUs that cgroup v2's "cpu.max" grants ("200000 100000" is 2); nullopt for "max" or text that is neither.
std::optional<double> parse_cpu_quota(std::string_view cpu_max);

/// "580.95.05" of /proc/driver/nvidia/version; empty when the text names none.
std::string parse_nvidia_driver_version(std::string_view text);

}  // namespace triscope
