#include "app/cli/text/forecast_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/text/configuration_json.hpp"
#include "app/cli/text/number_text.hpp"
#include "app/cli/text/terminal_table.hpp"
#include "kernels/base/text/number_of.hpp"
#include "profiler/record/json.hpp"
#include "profiler/record/words/problem_facts.hpp"

namespace triscope {

std::string forecast_table(const SweepForecast& forecast, std::size_t width) {
  TerminalTable table;
  table.columns = {
      {"in turns", Align::right, 60, false}, {"kernel", Align::left, 90, false}, {"instance", Align::left, 20, true},
      {"pass", Align::left, 85, false},      {"regime", Align::left, 50, false}, {"form", Align::left, 45, false},
      {"windows", Align::left, 95, false},   {"seq", Align::right, 80, false},   {"heads", Align::right, 40, false},
      {"dim", Align::right, 35, false},      {"about", Align::right, 100, false}};
  for (std::size_t n = 0; n < forecast.plan.groups.size(); ++n) {
    bool first = true;
    for (const PlanEntry& entry : forecast.plan.groups[n].entries) {
      const Problem& problem = entry.key.problem;
      table.rows.push_back(
          {fmt::format("{}", n + 1), entry.key.kernel, entry.key.instance, std::string(to_string(entry.key.pass)),
           std::string(to_string(entry.key.regime)), std::string(to_string(problem.form)), windows_text(problem),
           fmt::format("{}", problem.seq_len), fmt::format("{}/{}", problem.q_heads, problem.kv_heads),
           fmt::format("{}", problem.head_dim), first ? clock_text(forecast.groups[n].seconds) : std::string()});
      first = false;
    }
  }
  std::string text = render(table, width);
  for (const SkippedEntry& skipped : forecast.plan.skipped) {
    text += fmt::format("skipped: {} {}, {}: {}\n", skipped.entry.key.kernel, to_string(skipped.entry.key.pass),
                        describe(skipped.entry.key.problem), skipped.reason);
  }
  if (!forecast.refusal.empty()) text += fmt::format("nothing can be timed here: {}\n", forecast.refusal);
  return text +
         fmt::format(
             "{} on {}, about {} (from FLOP counts and an assumed rate{}), at most {} of memory; "
             "nothing was measured\n",
             number_of(forecast.plan.total() - static_cast<std::int64_t>(forecast.plan.skipped.size()), "measurement"),
             forecast.device.name, clock_text(forecast.total.seconds),
             forecast.load > kBusy ? ", on a processor that is busy with other programs: rows take their whole budget"
                                   : "",
             bytes_text(static_cast<double>(forecast.total.bytes)));
}

std::string forecast_json(const SweepForecast& forecast) {
  std::string text;
  for (std::size_t n = 0; n < forecast.plan.groups.size(); ++n) {
    for (const PlanEntry& entry : forecast.plan.groups[n].entries) {
      nlohmann::json object = configuration_json("planned", entry.key);
      object["group"] = n;
      object["group_seconds"] = forecast.groups[n].seconds;
      text += dump_line(object) + "\n";
    }
  }
  for (const SkippedEntry& skipped : forecast.plan.skipped) {
    nlohmann::json object = configuration_json("skipped", skipped.entry.key);
    object["reason"] = skipped.reason;
    text += dump_line(object) + "\n";
  }
  return text +
         dump_line({{"type", "forecast"},
                    {"measurements", forecast.plan.total() - static_cast<std::int64_t>(forecast.plan.skipped.size())},
                    {"groups", forecast.groups.size()},
                    {"skipped", forecast.plan.skipped.size()},
                    {"seconds", forecast.total.seconds},
                    {"bytes", forecast.total.bytes},
                    {"device", forecast.device.id},
                    {"device_name", forecast.device.name},
                    {"refusal", forecast.refusal}}) +
         "\n";
}

}  // namespace triscope
