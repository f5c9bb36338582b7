#include "profiler/record/words/power_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "profiler/record/columns.hpp"

namespace triscope {
namespace {

std::string of(std::optional<double> value, std::optional<double> most, const char* unit) {
  if (!most) return fmt::format("{:.0f} {}", *value, unit);
  return fmt::format("{:.0f} of {:.0f} {}", *value, *most, unit);
}

}  // namespace

namespace {

std::string word_of(std::string_view limiter) {
  constexpr std::array<std::pair<const char*, const char*>, 5> kWords{{{"sw_power_cap", "power-capped"},
                                                                       {"sw_thermal_slowdown", "slowed by heat"},
                                                                       {"hw_thermal_slowdown", "slowed by heat"},
                                                                       {"hw_power_brake", "slowed by the power brake"},
                                                                       {"hw_slowdown", "slowed by the hardware"}}};
  for (const auto& [name, words] : kWords) {
    if (limiter == name) return words;
  }
  return std::string(limiter);
}

}  // namespace

std::string limiter_text(const std::string& limiter) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < limiter.size();) {
    constexpr std::string_view kBetween = ", ";
    const std::size_t end = std::min(limiter.find(kBetween, at), limiter.size());
    if (std::string word = word_of(std::string_view(limiter).substr(at, end - at));
        std::ranges::find(words, word) == words.end())
      words.push_back(std::move(word));
    at = end + kBetween.size();
  }
  return fmt::format("{}", fmt::join(words, " and "));
}

bool limited_throughout(const ResultRow& row) {
  return row.samples > 0 && row.flagged == row.samples && !row.limiter.empty();
}

std::string power_text(const ResultRow& row) {
  std::vector<std::string> facts;
  const bool pauses = row.regime == Regime::burst;  // lie between its launches, and in what was read
  if (row.power_w)
    facts.push_back(of(row.power_w, row.power_limit_w, "W") + (pauses ? " with the pauses between launches" : ""));
  if (row.sm_clock_mhz) {
    // Only a GPU's clock is NVML's.
    const bool cpu = row.timing_source == TimingSource::cpu_clock;
    facts.push_back((cpu ? "clock " : "NVML clock ") + of(row.sm_clock_mhz, row.max_sm_clock_mhz, "MHz"));
  }
  if (row.counted_clock_mhz) facts.push_back("counted clock " + of(row.counted_clock_mhz, std::nullopt, "MHz"));
  if (row.joules && !pauses) facts.push_back(significant_text(*row.joules) + " J a launch");
  if (row.joules_per_tflop && !pauses) facts.push_back(significant_text(*row.joules_per_tflop) + " J/TFLOP");
  const std::string text = fmt::format("{}", fmt::join(facts, ", "));
  if (row.limiter.empty() || text.empty()) return text;
  return limiter_text(row.limiter) + (pauses ? " during its launches: " : ": ") + text;
}

}  // namespace triscope
