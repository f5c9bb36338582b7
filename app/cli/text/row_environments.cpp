#include "app/cli/text/row_environments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "profiler/record/same_device.hpp"

namespace triscope {
namespace {

/// An order of environments in which equal ones are equal.
struct ByFields {
  static auto fields(const Environment& e) {
    return std::tie(e.device_id, e.device_name, e.device_uuid, e.driver_version, e.cuda_version, e.cupti_version,
                    e.power_limit_w, e.max_sm_clock_mhz, e.max_memory_clock_mhz, e.peak_tflops, e.host, e.cpu_model,
                    e.cpu_threads, e.os, e.triscope_version, e.git_commit, e.compiler, e.compile_flags);
  }
  bool operator()(const Environment& a, const Environment& b) const { return fields(a) < fields(b); }
};

struct Place {
  Environment environment;
  std::vector<std::int64_t> rows;
};

}  // namespace

OtherEnvironments other_environments(const Snapshot& snapshot, const std::vector<ResultRow>& rows) {
  std::set<std::int64_t> shown, sweeps;
  for (const ResultRow& row : rows) {
    shown.insert(row.measurement);
    sweeps.insert(row.sweep);
  }
  std::vector<Place> places;
  std::map<Environment, std::size_t, ByFields> known;  // in `places`
  for (const std::int64_t sweep : sweeps) {
    for (auto& [environment, measurements] : snapshot.environments(sweep)) {
      std::erase_if(measurements, [&](std::int64_t measurement) { return !shown.contains(measurement); });
      if (measurements.empty()) continue;
      const auto [place, is_new] = known.try_emplace(environment, places.size());
      const bool another = is_new || !is_known_device(environment);
      if (another) {
        place->second = places.size();
        places.push_back({environment, {}});
      }
      std::vector<std::int64_t>& of_place = places[place->second].rows;
      of_place.insert(of_place.end(), measurements.begin(), measurements.end());
    }
  }
  OtherEnvironments others;
  const auto usual = std::max_element(places.begin(), places.end(),
                                      [](const Place& a, const Place& b) { return a.rows.size() < b.rows.size(); });
  for (const Place& place : places) {
    if (&place == &*usual) continue;
    others.rows.insert(place.rows.begin(), place.rows.end());
    others.remark +=
        fmt::format("m{}: measured in another environment than most rows: {}\n", fmt::join(place.rows, ", m"),
                    environment_difference(place.environment, usual->environment));
  }
  return others;
}

}  // namespace triscope
