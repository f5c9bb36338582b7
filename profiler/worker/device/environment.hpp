// Facts about this host and this build that are stored with every number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// Host and build: host, cpu_model, cpu_threads, os, version, commit, compiler, flags. Device fields are left empty.
Environment host_environment();

/// The CPU as a device ("cpu").
Device cpu_device();

/// `host_environment` with the device fields of `device`.
Environment environment_of(const Device& device);

/// Size of the last-level cache in bytes; nullopt where the kernel does not say.
std::optional<std::int64_t> last_level_cache_bytes();

/// Memory this process may use: the machine's, or its cgroup's limit when that is smaller.
std::int64_t usable_memory_bytes();

/// Clock of the CPU now, where cpufreq or a bare-metal /proc/cpuinfo says it (a virtual machine's is a constant that
/// means nothing: nullopt).
std::optional<double> cpu_clock_mhz();

}  // namespace triscope
