#include "app/cli/doctor/doctor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "app/cli/text/number_text.hpp"
#include "kernels/base/files/wheel.hpp"
#include "kernels/base/third_party.hpp"
#include "profiler/record/columns.hpp"

namespace triscope {
namespace {

constexpr double kLittleSpace = 1024.0 * 1024 * 1024;  ///< a large sweep with all samples takes some 100 MiB

Finding worker_finding(const SystemFacts& facts) {
  if (!facts.catalog) {
    return {Health::broken, "worker", "the measuring process does not start: " + facts.worker_error,
            fmt::format("{}; triscope-worker must be in the same folder as triscope",
                        facts.in_wheel ? "install the wheel again" : "build with ./run build")};
  }
  std::vector<std::string> names;
  for (const Device& device : facts.catalog->devices) names.push_back(fmt::format("{} ({})", device.id, device.name));
  return {Health::works, "worker", fmt::format("starts and answers; devices: {}", fmt::join(names, ", ")), ""};
}

Finding database_finding(const SystemFacts& facts) {
  const std::string file = facts.database.string();
  if (!facts.database_error.empty()) {
    return {Health::broken, "database", facts.database_error,
            "name another file with --db, or move this one away; to save what can still be read: sqlite3 FILE "
            ".recover | sqlite3 SAVED.db"};
  }
  if (!facts.missing_folder.empty()) {
    return {Health::broken, "database",
            fmt::format("{} cannot be created: there is no folder {}", file, facts.missing_folder.string()),
            "create the folder first, or name another file with --db"};
  }
  if (!facts.database_writable) {
    const Health health = facts.database_exists ? Health::limited : Health::broken;
    const std::string found =
        facts.database_exists ? "can be read, not written" : "cannot be created: the folder is not writable";
    return {health, "database", fmt::format("{} {}", file, found),
            "change the permissions, or name another file with --db"};
  }
  if (!facts.database_lock.empty()) {
    return {Health::broken, "database",
            fmt::format("{} can be read, but not written now: {}", file, facts.database_lock),
            "let that program finish or close it, or name another file with --db"};
  }
  return {Health::works, "database",
          fmt::format("{} {}", file, facts.database_exists ? "can be read and written" : "will be created"), ""};
}

Finding space_finding(const SystemFacts& facts) {
  const double bytes = static_cast<double>(facts.free_bytes);
  const std::string found = fmt::format("{} free on the disk of the database", bytes_text(bytes));
  if (facts.free_bytes == 0)
    return {Health::broken, "disk space", found, "free some space, or name a file on another disk with --db"};
  if (bytes < kLittleSpace)
    return {Health::limited, "disk space", found, "long sweeps may not fit: free some space, or use --db"};
  return {Health::works, "disk space", found, ""};
}

Finding cpu_finding(const SystemFacts& facts) {
  if (!facts.x86)
    return {Health::limited, "CPU", facts.cpu_model, "cpu.fast is tuned for AVX2 and AVX-512 and runs slower here"};
  if (!facts.has_avx2 || !facts.has_fma) {
    return {Health::limited, "CPU", facts.cpu_model + " without AVX2 and FMA",
            "cpu.fast runs much slower here; software cannot change that"};
  }
  return {Health::works, "CPU", fmt::format("{}, {}", facts.cpu_model, facts.has_avx512 ? "AVX-512" : "AVX2"), ""};
}

Finding threads_finding(const SystemFacts& facts) {
  const std::int64_t allowed = std::max<std::int64_t>(facts.cpus_allowed, 1);
  std::string found = fmt::format("{} CPUs may be used", allowed);
  if (allowed < facts.cpus_online) found += fmt::format(" of {}", facts.cpus_online);
  if (!facts.omp_num_threads.empty()) {
    std::int64_t threads = 0;
    const std::string& text = facts.omp_num_threads;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
    found += fmt::format(", OMP_NUM_THREADS is {}", text);
    if (error == std::errc() && end == text.data() + text.size() && threads != allowed) {
      return {Health::limited, "threads", found,
              threads > allowed ? "the CPU kernels use no more threads than CPUs: unset OMP_NUM_THREADS"
                                : "unset OMP_NUM_THREADS to use all"};
    }
  }
  if (facts.cpu_quota && *facts.cpu_quota < static_cast<double>(allowed)) {
    return {
        Health::limited, "threads",
        found + fmt::format(", but the control group allows only the time of {}", significant_text(*facts.cpu_quota)),
        fmt::format("set OMP_NUM_THREADS={} or raise the limit; otherwise threads are stopped in the middle of samples",
                    std::max<std::int64_t>(1, static_cast<std::int64_t>(*facts.cpu_quota)))};
  }
  return {Health::works, "threads", found, ""};
}

Finding driver_finding(const SystemFacts& facts) {
  const std::string subject = "GPU driver";
  if (facts.nvidia_driver_version.empty()) {
    if (facts.nvidia_device_on_pci) {
      return {Health::limited, subject, "an NVIDIA GPU is there, its driver is not loaded",
              "install the NVIDIA driver, then restart"};
    }
    const std::string elsewhere = "sweeps run on the CPU; with --worker-prefix they run on another machine";
    return {Health::absent, subject, "no NVIDIA GPU found",
            facts.recording.empty() ? elsewhere : elsewhere + "; " + facts.recording};
  }
  std::string found = fmt::format("NVIDIA driver {}", facts.nvidia_driver_version);
  if (!facts.libcuda_in_loader_cache) {
    return {Health::limited, subject, found + ", but the loader does not know libcuda.so.1",
            "install the driver's user-space libraries (in a container: run it with the NVIDIA container toolkit), "
            "then run ldconfig"};
  }
  if (!facts.nvidia_device_nodes) {
    return {Health::limited, subject, found + ", but /dev/nvidia0 cannot be opened",
            "give this user (or container) access to the device files"};
  }
  if (!facts.nvidia_smi_on_path) found += " (nvidia-smi is not on the PATH)";
  return {Health::works, subject, found, ""};
}

Finding cuda_finding(const SystemFacts& facts) {
  if (facts.cuda_build) return {Health::works, "GPU kernels", "built", ""};
  const bool gpu = !facts.nvidia_driver_version.empty() || facts.nvidia_device_on_pci;
  return {gpu ? Health::limited : Health::absent, "GPU kernels", "not in this build",
          facts.in_wheel ? kWheelWithCuda
          : gpu          ? "build them with ./run build --cuda"
                         : "./run build --cuda adds them"};
}

// What the GPU workers said when they were started.
void add_gpu_findings(std::vector<Finding>& findings, const SystemFacts& facts) {
  if (facts.catalog && !facts.catalog->gpu_problem.empty()) {
    findings.push_back({Health::limited, "GPU", "cannot be used: " + facts.catalog->gpu_problem,
                        "until then sweeps run on the CPU, or elsewhere with --worker-prefix"});
  }
  if (facts.cupti_error && facts.cupti_error->empty()) {
    findings.push_back({Health::works, "CUPTI", "times kernels", ""});
  } else if (facts.cupti_error) {
    findings.push_back({Health::limited, "CUPTI", *facts.cupti_error,
                        "without it the rows of a sweep fail; --timing-source cuda_events measures with events"});
  }
  if (facts.counters_error && facts.counters_error->empty()) {
    findings.push_back({Health::works, "counters", "can be read", ""});
  } else if (facts.counters_error) {
    findings.push_back(
        {Health::limited, "counters", *facts.counters_error, "only --counters needs them; timing does not"});
  }
}

// Which libraries of others can be measured beside ours: where they are, their versions and licences.
void add_baseline_findings(std::vector<Finding>& findings, const SystemFacts& facts) {
  const auto on_gpu = [](const Device& device) { return device.kind == DeviceKind::cuda; };
  const bool gpu = facts.catalog && std::any_of(facts.catalog->devices.begin(), facts.catalog->devices.end(), on_gpu);
  for (const BaselineFact& baseline : facts.baselines) {
    const ThirdPartyPart* part = find_third_party_part(baseline.kernel.id);
    if (part == nullptr) continue;
    const std::string subject(part->name);
    if (!gpu) {
      findings.push_back({Health::absent, subject, "it runs on GPUs only, and none can be used here",
                          fmt::format("nothing to do here; its licence: {}", part->licence)});
    } else if (baseline.problem.empty()) {
      findings.push_back(
          {Health::works, subject,
           fmt::format("version {}, {}{}; {}", fmt::join(baseline.kernel.instances, ", "), baseline.kernel.library,
                       baseline.sha256.empty() ? "" : fmt::format(" (SHA-256 {})", baseline.sha256), part->licence),
           ""});
    } else {
      const std::string where = baseline.kernel.library.empty() ? "" : baseline.kernel.library + " is there, but ";
      findings.push_back({Health::absent, subject, where + baseline.problem,
                          fmt::format("until then a sweep skips its rows; its licence: {}", part->licence)});
    }
  }
}

// Who reads a database of somebody else first.
Finding strangers_files_finding(const SystemFacts& facts) {
  const std::string subject = "others' files";
  if (!facts.checker_built) {
    return {Health::limited, subject, "the program that looks through them first, triscope-check-file, is not here",
            fmt::format("{}; until then open only files of people you trust",
                        facts.in_wheel ? "install the wheel again" : "build or install Triscope anew")};
  }
  if (!facts.missing_confinement.empty()) {
    return {Health::limited, subject,
            fmt::format("a process looks through them first, but this kernel lacks {}, which would take its rights",
                        fmt::join(facts.missing_confinement, " and ")),
            "a newer kernel has it; until then open only files of people you trust"};
  }
  return {Health::works, subject, "a process that may do nothing else looks through them first (landlock, seccomp)",
          ""};
}

Finding window_finding(const SystemFacts& facts) {
  if (!facts.window_built) {
    return {Health::absent, "window", "not in this build",
            facts.in_wheel ? "install a wheel of a build with TRISCOPE_WINDOW=ON for the window"
                           : "build with TRISCOPE_WINDOW=ON for the window"};
  }
  if (facts.display.empty()) {
    return {Health::absent, "window", "built, but there is no display",
            "start it in a desktop session, or with `ssh -X`"};
  }
  return {Health::works, "window", fmt::format("built, display {}", facts.display), ""};
}

}  // namespace

std::vector<Finding> diagnose(const SystemFacts& facts) {
  std::vector<Finding> findings{worker_finding(facts), database_finding(facts), space_finding(facts),
                                cpu_finding(facts),    threads_finding(facts),  driver_finding(facts),
                                cuda_finding(facts)};
  add_gpu_findings(findings, facts);
  add_baseline_findings(findings, facts);
  findings.push_back(strangers_files_finding(facts));
  findings.push_back(window_finding(facts));
  if (facts.catalog) {
    for (const Device& device : facts.catalog->devices) {
      for (const std::string& limit : device.limits)
        findings.push_back({Health::limited, "device " + device.id, limit, ""});
    }
  }
  return findings;
}

std::string_view to_string(Health health) {
  switch (health) {
    case Health::works:
      return "ok";
    case Health::limited:
      return "limited";
    case Health::absent:
      return "absent";
    case Health::broken:
      return "BROKEN";
  }
  return "?";
}

bool has_cpu_flag(std::string_view cpuinfo, std::string_view word) {
  const std::size_t start = cpuinfo.find("\nflags");
  if (start == std::string_view::npos) return false;
  const std::string_view line = cpuinfo.substr(start + 1, cpuinfo.find('\n', start + 1) - start - 1);
  for (std::size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if (line[at - 1] == ' ' && (end == line.size() || line[end] == ' ')) return true;
  }
  return false;
}

std::optional<double> parse_cpu_quota(std::string_view cpu_max) {
  double quota = 0, period = 0;
  const char* end = cpu_max.data() + cpu_max.size();
  const auto first = std::from_chars(cpu_max.data(), end, quota);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != ' ') return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, period);
  if (second.ec != std::errc() || quota <= 0 || period <= 0) return std::nullopt;
  return quota / period;
}

std::string parse_nvidia_driver_version(std::string_view text) {
  // "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build ..."
  const std::size_t line_end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, line_end);
  for (std::size_t start = 0; (start = line.find_first_not_of(' ', start)) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find(' ', start), line.size());
    const std::string_view word = line.substr(start, end - start);
    const bool numeric = word.find_first_not_of("0123456789.") == std::string_view::npos;
    if (numeric && word.find('.') != std::string_view::npos) return std::string(word);
    start = end;
  }
  return "";
}

}  // namespace triscope
