// In what compared sides differ besides their times.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>

#include "profiler/record/environment_difference.hpp"
#include "profiler/record/same_device.hpp"
#include "views/data/brief_label.hpp"
#include "views/data/format.hpp"
#include "views/model/tables/compare_model.hpp"

namespace triscope {
namespace {

/// What stands once per row in the results but must not differ silently: each distinct value, joined; of our kernels,
/// or of the baselines.
std::string distinct(const SweepResults& results, std::string (*text)(const ResultRow&), bool baselines = false) {
  std::set<std::string> values;
  for (const ResultRow& row : results.rows) {
    if (is_baseline(row) == baselines) values.insert(text(row));
  }
  std::string joined;
  for (const std::string& value : values) joined += (joined.empty() ? "" : ", ") + value;
  return joined;
}

std::string median_clock(const SweepResults& results) {
  std::vector<double> clocks;
  for (const ResultRow& row : results.rows) {
    if (row.sm_clock_mhz) clocks.push_back(*row.sm_clock_mhz);
  }
  return clocks.empty() ? "unknown" : fmt::format("{:.0f} MHz", median(clocks));
}

struct Aspect {
  const char* what;
  std::string (*text)(const SweepResults&);
};
/// Of what was measured, rather than of where, in order of importance for a time: its conditions, how it was timed.
const Aspect kConditions[] = {
    {"clock while measuring", median_clock},
    {"regime",
     [](const SweepResults& s) {
       return distinct(s, [](const ResultRow& row) { return std::string(to_string(row.regime)); });
     }},
    {"timed by",
     [](const SweepResults& s) {
       return distinct(s, [](const ResultRow& row) { return timing_label(row.timing_source); });
     }},
};
/// The same of the program.
const Aspect kPrograms[] = {
    {"kernel sources",
     [](const SweepResults& s) {
       return distinct(s, [](const ResultRow& row) {
         return fmt::format("{} {} {}", brief_label(row.card), to_string(row.pass), row.source_hash);
       });
     }},
    {"instances", [](const SweepResults& s) { return distinct(s, [](const ResultRow& row) { return row.instance; }); }},
    {"baselines",
     [](const SweepResults& s) {
       return distinct(
           s, [](const ResultRow& row) { return brief_label(row.card) + " " + row.instance; }, true);
     }},
    {"sources of baselines",
     [](const SweepResults& s) {
       return distinct(
           s, [](const ResultRow& row) { return brief_label(row.card) + " " + row.source_hash; }, true);
     }},
};

/// Of long texts of words only the words that not all of them have: "... -O3 ..." of the flags of a compiler.
void keep_what_differs(std::vector<std::string>& values) {
  constexpr std::size_t kLong = 60;
  if (std::ranges::none_of(values, [](const std::string& value) { return value.size() > kLong; })) return;
  std::vector<std::vector<std::string>> words;
  std::map<std::string, std::size_t> found_in;
  for (const std::string& value : values) {
    std::istringstream text(value);
    words.emplace_back(std::istream_iterator<std::string>(text), std::istream_iterator<std::string>());
    for (const std::string& word : std::set<std::string>(words.back().begin(), words.back().end())) ++found_in[word];
  }
  for (std::size_t v = 0; v < values.size(); ++v) {
    std::erase_if(words[v], [&](const std::string& word) { return found_in.at(word) == values.size(); });
    values[v] = words[v].empty() ? "none of them" : fmt::format("{}", fmt::join(words[v], " "));
  }
}

/// By name the values of each side, those of several places or sweeps once each, in the order in which they are known.
class FactsOfSides {
 public:
  explicit FactsOfSides(std::size_t sides) : sides_(sides) {}
  void add(std::size_t side, const std::vector<PlaceFact>& facts) {
    for (const PlaceFact& fact : facts) {
      auto found = std::ranges::find(facts_, fact.name, &Fact::name);
      if (found == facts_.end()) found = facts_.insert(found, {fact.name, fact.group, Values(sides_)});
      found->values[side].insert(fact.value);
    }
  }
  /// Those that differ, and `always`; a side that lacks a fact is not known to differ in it.
  std::vector<Difference> differences(std::string_view always = {}) const {
    std::vector<Difference> differences;
    for (const Fact& fact : facts_) {
      const auto known = std::ranges::find_if_not(fact.values, &std::set<std::string>::empty);
      const bool differ = std::ranges::any_of(
          fact.values, [&](const std::set<std::string>& one) { return !one.empty() && one != *known; });
      if (!differ && fact.name != always) continue;
      Difference& difference = differences.emplace_back(Difference{fact.name, {}, fact.group});
      for (const std::set<std::string>& one : fact.values) difference.values.push_back(joined(one));
    }
    return differences;
  }

 private:
  static std::string joined(const std::set<std::string>& values) {
    if (values.size() < 2) return values.empty() ? "" : *values.begin();
    std::string text;
    for (const std::string& value : values) text += (text.empty() ? "" : ", ") + (value.empty() ? "unknown" : value);
    return text;
  }
  using Values = std::vector<std::set<std::string>>;
  struct Fact {
    std::string name, group;
    Values values;
  };
  std::size_t sides_;
  std::vector<Fact> facts_;
};

/// The sweeps that the rows of a side are of.
std::vector<SweepInfo> sweeps_of(const ComparedSweep& side) {
  return side.sweeps.empty() ? std::vector{side.results->info} : side.sweeps;
}

/// Where the rows of each side were measured.
std::vector<Difference> place_differences(const std::vector<ComparedSweep>& compared) {
  FactsOfSides facts(compared.size());
  for (std::size_t side = 0; side < compared.size(); ++side) {
    for (const Environment& place : compared[side].places) facts.add(side, facts_of(place));
    if (!compared[side].places.empty()) continue;
    for (const SweepInfo& sweep : sweeps_of(compared[side])) facts.add(side, facts_of(sweep.environment));
  }
  return facts.differences(on_several_devices(compared) ? "device" : "");
}

std::vector<Difference> setting_differences(const std::vector<ComparedSweep>& compared) {
  FactsOfSides facts(compared.size());
  for (std::size_t side = 0; side < compared.size(); ++side) {
    for (const SweepInfo& sweep : sweeps_of(compared[side])) facts.add(side, settings_of(sweep));
  }
  return facts.differences();
}

void add_aspects(std::span<const Aspect> aspects, const std::vector<ComparedSweep>& compared,
                 std::vector<Difference>& differences) {
  for (const Aspect& aspect : aspects) {
    Difference difference{aspect.what, {}};
    for (const ComparedSweep& sweep : compared) difference.values.push_back(aspect.text(*sweep.results));
    if (std::ranges::any_of(difference.values,
                            [&](const std::string& value) { return value != difference.values.front(); }))
      differences.push_back(std::move(difference));
  }
}

}  // namespace

std::string device_text(const SweepResults& results) {
  const Environment& environment = results.info.environment;
  return is_known_device(environment) ? environment.device_name : "unknown device";
}

bool on_several_devices(const std::vector<ComparedSweep>& compared) {
  return compared.size() > 1 && std::any_of(compared.begin() + 1, compared.end(), [&](const ComparedSweep& sweep) {
           return !on_same_device(sweep.results->info.environment, compared.front().results->info.environment);
         });
}

std::vector<Difference> differences_of(const std::vector<ComparedSweep>& compared, std::int64_t now) {
  std::vector<Difference> differences;
  if (!compared.empty() && !compared.front().database.empty()) {
    Difference& which = differences.emplace_back(Difference{"sweep", {}});
    for (const ComparedSweep& sweep : compared) {
      const SweepInfo& info = sweep.results->info;
      which.values.push_back(fmt::format("{}, {}", info.id, format_started(info.started, now)));
    }
  }
  std::vector<Difference> places = place_differences(compared);
  const auto software = std::ranges::find_if_not(
      places, [](const Difference& one) { return one.group == "device" || one.what == "driver"; });
  std::move(places.begin(), software, std::back_inserter(differences));
  add_aspects(kConditions, compared, differences);
  std::ranges::move(setting_differences(compared), std::back_inserter(differences));
  add_aspects(kPrograms, compared, differences);
  std::move(software, places.end(), std::back_inserter(differences));
  for (Difference& difference : differences) {
    if (difference.what != "compile flags") continue;
    keep_what_differs(difference.values);
    difference.what += " of one";
  }
  return differences;
}

}  // namespace triscope
