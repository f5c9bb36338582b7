#include "profiler/record/environment_difference.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "profiler/record/bounded_json.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/record/same_device.hpp"

namespace triscope {
namespace {

using nlohmann::json;

constexpr const char* kDevice = "device";

std::string number_text(const std::optional<double>& value, const char* unit) {
  return value ? fmt::format("{:.6g} {}", *value, unit) : std::string();
}

std::string or_unknown(const std::string& value) { return value.empty() ? "unknown" : value; }

}  // namespace

std::vector<PlaceFact> facts_of(const Environment& e) {
  return {{"device", kDevice, is_known_device(e) ? e.device_name : ""},
          {"device", "GPU", e.device_uuid},
          {"driver", "driver", e.driver_version},
          {"device", "power limit", number_text(e.power_limit_w, "W")},
          {"device", "highest SM clock", number_text(e.max_sm_clock_mhz, "MHz")},
          {"device", "highest memory clock", number_text(e.max_memory_clock_mhz, "MHz")},
          {"device", "peak", number_text(e.peak_tflops, "TFLOP/s")},
          {"device", "device id", e.device_id},
          {"commit", "commit", e.git_commit},
          {"commit", "Triscope", e.triscope_version},
          {"commit", "compiler", e.compiler},
          {"commit", "compile flags", e.compile_flags},
          {"driver", "CUDA", e.cuda_version},
          {"driver", "CUPTI", e.cupti_version},
          {"host", "host", e.host},
          {"host", "CPU", e.cpu_model},
          {"host", "CPU threads", fmt::format("{}", e.cpu_threads)},
          {"host", "system", e.os}};
}

std::vector<PlaceFact> settings_of(const SweepInfo& sweep) {
  std::vector<PlaceFact> settings;
  json request;
  try {
    request = parse_bounded(sweep.request_json);
  } catch (const json::exception&) {
    // not JSON, or nested so deep that writing a part of it would exhaust the stack
  }
  if (!request.is_object()) return settings;
  const auto note = [&settings](const std::string& name, std::string value) {
    settings.push_back({"settings", name, std::move(value)});
  };
  note("restarts", request.contains("restarts") ? request["restarts"].dump() : "1");
  if (request.contains("stopping") && request["stopping"].is_object()) {
    for (const auto& [name, value] : request["stopping"].items()) {
      const bool time = name.ends_with("_ns") && value.is_number();
      note(time ? name.substr(0, name.size() - 3) : name,
           time ? fmt::format("{} s", significant_text(value.get<double>() / 1e9)) : value.dump());
    }
  }
  for (const char* name : {"seed", "tensors"}) {
    if (request.contains(name)) note(name, request[name].dump());
  }
  return settings;
}

std::vector<EnvironmentDifference> fact_differences(const std::vector<PlaceFact>& here,
                                                    const std::vector<PlaceFact>& there) {
  std::vector<EnvironmentDifference> differences;
  for (const PlaceFact& fact : here) {
    const auto other = std::ranges::find(there, fact.name, &PlaceFact::name);
    if (other == there.end()) continue;
    if (fact.name == kDevice && fact.value.empty() && other->value.empty()) {
      differences.push_back({fact.group, "machines that cannot be read"});
    } else if (fact.value != other->value) {
      differences.push_back(
          {fact.group, fmt::format("{} {} (not {})", fact.name, or_unknown(fact.value), or_unknown(other->value))});
    }
  }
  return differences;
}

std::vector<EnvironmentDifference> environment_differences(const Environment& environment, const Environment& usual) {
  return fact_differences(facts_of(environment), facts_of(usual));
}

std::string environment_difference(const Environment& environment, const Environment& usual) {
  std::vector<std::string> words;
  for (const EnvironmentDifference& one : environment_differences(environment, usual)) words.push_back(one.text);
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace triscope
