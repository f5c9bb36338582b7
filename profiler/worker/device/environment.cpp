#include "profiler/worker/device/environment.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "build_facts.hpp"

namespace triscope {
namespace {

// The text after "name :" of the first such line of /proc/cpuinfo; empty when there is none.
std::string cpuinfo(const std::string& name) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || line.compare(0, name.size(), name) != 0) continue;
    if (line.find_first_not_of(" \t", name.size()) != colon) continue;
    const std::size_t first = line.find_first_not_of(" \t", colon + 1);
    return first == std::string::npos ? "" : line.substr(first);
  }
  return "";
}

std::optional<std::string> first_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

std::string os_name() {
  std::string name = "Linux";
  std::ifstream file("/etc/os-release");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("PRETTY_NAME=")) continue;
    name = line.substr(12);
    name.erase(std::remove(name.begin(), name.end(), '"'), name.end());
  }
  utsname system{};
  if (uname(&system) == 0) name += std::string(", Linux ") + system.release;
  return name;
}

// CPUs this process may run on, no more than OMP_NUM_THREADS allows; the kernels use that many threads.
std::int64_t usable_threads() {
  cpu_set_t set;
  std::int64_t count = sched_getaffinity(0, sizeof(set), &set) == 0
                           ? CPU_COUNT(&set)
                           : static_cast<std::int64_t>(std::thread::hardware_concurrency());
  if (const char* limit = std::getenv("OMP_NUM_THREADS")) {
    const long threads = std::strtol(limit, nullptr, 10);
    if (threads > 0) count = std::min<std::int64_t>(count, threads);
  }
  return std::max<std::int64_t>(count, 1);
}

bool is_virtual_machine() { return cpuinfo("flags").find("hypervisor") != std::string::npos; }

}  // namespace

std::int64_t usable_memory_bytes() {
  std::int64_t bytes = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    const std::optional<std::string> limit = first_line(path);
    if (!limit || limit->empty() || *limit == "max") continue;
    const long long value = std::strtoll(limit->c_str(), nullptr, 10);
    if (value > 0) bytes = std::min<std::int64_t>(bytes, value);
  }
  return bytes;
}

std::optional<std::int64_t> last_level_cache_bytes() {
  std::optional<std::int64_t> largest;
  for (int index = 0; index < 8; ++index) {
    const auto size = first_line("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
    if (!size) break;
    char* unit = nullptr;
    std::int64_t bytes = std::strtoll(size->c_str(), &unit, 10);
    if (*unit == 'K') bytes <<= 10;
    if (*unit == 'M') bytes <<= 20;
    largest = std::max(largest.value_or(0), bytes);
  }
  return largest;
}

std::optional<double> cpu_clock_mhz() {
  if (const auto khz = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq")) {
    const double value = std::strtod(khz->c_str(), nullptr);
    if (value > 0) return value / 1000;
  }
  static const bool constant = is_virtual_machine();
  if (constant) return std::nullopt;
  const double mhz = std::strtod(cpuinfo("cpu MHz").c_str(), nullptr);
  return mhz > 0 ? std::optional(mhz) : std::nullopt;
}

Environment host_environment() {
  Environment environment;
  char host[256] = "";
  gethostname(host, sizeof(host) - 1);
  environment.host = host;
  environment.cpu_model = cpuinfo("model name");
  if (environment.cpu_model.empty()) environment.cpu_model = "unknown CPU";
  environment.cpu_threads = usable_threads();
  environment.os = os_name();
  environment.triscope_version = build_facts::kVersion;
  environment.git_commit = build_facts::kGitCommit;
  environment.compiler = build_facts::kCompiler;
  environment.compile_flags = build_facts::kCompileFlags;
  return environment;
}

Device cpu_device() {
  const Environment host = host_environment();
  Device device;
  device.id = "cpu";
  device.kind = DeviceKind::cpu;
  device.name = host.cpu_model;
  device.memory_bytes = usable_memory_bytes();
  device.multiprocessors = host.cpu_threads;
  if (const auto khz = first_line("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq")) {
    const double value = std::strtod(khz->c_str(), nullptr);
    if (value > 0) device.max_sm_clock_mhz = value / 1000;
  }
  if (!cpu_clock_mhz()) {
    device.limits.emplace_back(
        "the clock cannot be read (no cpufreq, and a virtual machine's /proc/cpuinfo is a constant): samples have "
        "none");
  }
  return device;
}

Environment environment_of(const Device& device) {
  Environment environment = host_environment();
  environment.device_id = device.id;
  environment.device_name = device.name;
  environment.device_uuid = device.uuid;
  environment.power_limit_w = device.power_limit_w;
  environment.max_sm_clock_mhz = device.max_sm_clock_mhz;
  environment.peak_tflops = device.peak_tflops_at_max_clock;
  return environment;
}

}  // namespace triscope
