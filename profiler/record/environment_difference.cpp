#include "profiler/record/environment_difference.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "profiler/record/columns.hpp"
#include "profiler/record/same_device.hpp"

namespace triscope {
namespace {

std::string number_or_unknown(const std::optional<double>& value) {
  return value ? significant_text(*value, 6) : "unknown";
}

}  // namespace

std::vector<EnvironmentDifference> environment_differences(const Environment& environment, const Environment& usual) {
  std::vector<EnvironmentDifference> differences;
  const auto note = [&](const char* group, const char* name, const std::string& here, const std::string& there) {
    if (here != there)
      differences.push_back({group, fmt::format("{} {} (not {})", name, here.empty() ? "unknown" : here,
                                                there.empty() ? "unknown" : there)});
  };
  const auto note_number = [&](const char* name, const std::optional<double>& here,
                               const std::optional<double>& there) {
    if (here != there) note("device", name, number_or_unknown(here), number_or_unknown(there));
  };
  note("commit", "commit", environment.git_commit, usual.git_commit);
  note("commit", "version", environment.triscope_version, usual.triscope_version);
  if (!is_known_device(environment) && !is_known_device(usual)) {
    differences.push_back({"device", "machines that cannot be read"});
  } else {
    note("device", "device", environment.device_name, usual.device_name);
  }
  note("device", "GPU", environment.device_uuid, usual.device_uuid);
  note("host", "host", environment.host, usual.host);
  note("driver", "driver", environment.driver_version, usual.driver_version);
  note("driver", "CUDA", environment.cuda_version, usual.cuda_version);
  note("driver", "CUPTI", environment.cupti_version, usual.cupti_version);
  note("host", "CPU", environment.cpu_model, usual.cpu_model);
  note("host", "CPU threads", fmt::format("{}", environment.cpu_threads), fmt::format("{}", usual.cpu_threads));
  note("host", "system", environment.os, usual.os);
  note("commit", "compiler", environment.compiler, usual.compiler);
  note("commit", "compile flags", environment.compile_flags, usual.compile_flags);
  note_number("power limit", environment.power_limit_w, usual.power_limit_w);
  note_number("highest SM clock", environment.max_sm_clock_mhz, usual.max_sm_clock_mhz);
  note_number("highest memory clock", environment.max_memory_clock_mhz, usual.max_memory_clock_mhz);
  note_number("peak", environment.peak_tflops, usual.peak_tflops);
  note("device", "device id", environment.device_id, usual.device_id);
  return differences;
}

std::string environment_difference(const Environment& environment, const Environment& usual) {
  std::vector<std::string> words;
  for (const EnvironmentDifference& one : environment_differences(environment, usual)) words.push_back(one.text);
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace triscope
