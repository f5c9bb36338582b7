#include "profiler/record/environment_difference.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "profiler/record/bounded_json.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/record/same_device.hpp"

namespace triscope {
namespace {

using nlohmann::json;

constexpr const char* kDevice = "device";
constexpr std::size_t kMostOfAPath = 200;

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
  // Of known names alone, and numbers alone: a request from elsewhere may hold any number of others, of any length.
  const auto note = [&settings](const json& from, const char* name, const char* key) {
    const auto found = from.find(key);
    if (found == from.end() || !found->is_number()) return;
    const bool time = std::string_view(key).ends_with("_ns");
    settings.push_back(
        {"settings", name, time ? fmt::format("{} s", significant_text(found->get<double>() / 1e9)) : found->dump()});
  };
  note(request, "restarts", "restarts");
  if (settings.empty()) settings.push_back({"settings", "restarts", "1"});
  if (const auto stopping = request.find("stopping"); stopping != request.end() && stopping->is_object()) {
    note(*stopping, "precision", "precision");
    note(*stopping, "budget", "budget_ns");
    note(*stopping, "min_blocks", "min_blocks");
    note(*stopping, "max_blocks", "max_blocks");
  }
  note(request, "seed", "seed");
  if (const auto tensors = request.find("tensors"); tensors != request.end() && tensors->is_string())
    settings.push_back({"settings", "tensors", tensors->get<std::string>().substr(0, kMostOfAPath)});
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
