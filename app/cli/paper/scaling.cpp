// `triscope paper scaling`: fits, what their intervals say, and what would decide them. The law that the paper starts
// from is in general_law.cpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/cli/paper/general_law.hpp"
#include "app/cli/paper/paper_sections.hpp"
#include "app/cli/text/terminal.hpp"
#include "app/cli/text/terminal_table.hpp"
#include "kernels/base/error.hpp"
#include "profiler/paper/laws/losses_file.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/record/json.hpp"

namespace triscope {
namespace {

std::string plus_minus(double value, const std::optional<double>& half, int decimals) {
  if (!half) return fmt::format("{:.{}f}, interval unknown", value, decimals);
  return fmt::format("{:.{}f} +- {:.{}f}", value, decimals, *half, decimals);
}

nlohmann::json as_json(const FittedSeries& fit) {
  const ScalingLaw& law = fit.law;
  return {{"type", "scaling_law"},
          {"benchmark", fit.losses.benchmark},
          {"model", fit.losses.model},
          {"sizes", fit.losses.sizes},
          {"losses", fit.losses.losses},
          {"alpha", law.alpha},
          {"alpha_half", half_width(law.alpha_error, law.degrees)},
          {"beta", law.beta},
          {"beta_half", half_width(law.beta_error, law.degrees)},
          {"r_squared", law.r_squared},
          {"residual_sum", law.residual_sum},
          {"residuals", law.residuals},
          {"degrees", law.degrees}};
}

nlohmann::json as_json(const LossForecast& forecast, const LossSeries& series) {
  return {{"type", "forecast"},          {"benchmark", series.benchmark}, {"model", series.model},
          {"parameters", forecast.size}, {"loss", forecast.loss},         {"low", forecast.low},
          {"high", forecast.high},       {"run_low", forecast.run_low},   {"run_high", forecast.run_high}};
}

/// Two models of one benchmark.
struct Pair {
  const FittedSeries* a;
  const FittedSeries* b;
  ComparedLaws laws;
};

std::vector<Pair> pairs_of(const std::vector<FittedSeries>& fits) {
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < fits.size(); ++i) {
    for (std::size_t j = i + 1; j < fits.size(); ++j) {
      if (fits[i].losses.benchmark == fits[j].losses.benchmark)
        pairs.push_back({&fits[i], &fits[j], compare_laws(fits[i], fits[j])});
    }
  }
  return pairs;
}

nlohmann::json as_json(const Pair& pair) {
  const auto& [welch, paired, needed] = pair.laws;
  nlohmann::json j{{"type", "alpha_difference"},
                   {"benchmark", pair.a->losses.benchmark},
                   {"from", pair.a->losses.model},
                   {"to", pair.b->losses.model},
                   {"value", welch.value},
                   {"half", welch.half},
                   {"degrees", welch.degrees},
                   {"probability", welch.probability},
                   {"significant", welch.significant()},
                   {"decided", pair.laws.decided()}};
  if (paired) {
    j["paired_half"] = paired->half;
    j["paired_probability"] = paired->probability;
    j["paired_significant"] = paired->significant();
  }
  if (needed) {
    j["runs_of_each_size"] = needed->repeats;
    j["sizes_in_all"] = needed->sizes;
  }
  return j;
}

std::string needed_text(const std::optional<int>& count) { return count ? std::to_string(*count) : "over 1000"; }

void print_pairs(const std::vector<Pair>& pairs) {
  if (pairs.empty()) return;
  TerminalTable table;
  table.columns = {{"benchmark", Align::left, 100, true},
                   {"from", Align::left, 95, true},
                   {"to", Align::left, 95, true},
                   {"difference of alpha, 95 %", Align::right, 100, false},
                   {"p", Align::right, 70, false},
                   {"paired, 95 %", Align::right, 60, false},
                   {"p paired", Align::right, 50, false},
                   {"decided", Align::left, 90, false},
                   {"runs of each size", Align::right, 80, false},
                   {"or sizes in all", Align::right, 80, false}};
  const auto probability = [](const std::optional<double>& p) { return p ? significant_text(*p) : std::string("?"); };
  for (const Pair& pair : pairs) {
    const auto& [welch, paired, needed] = pair.laws;
    table.rows.push_back({pair.a->losses.benchmark, pair.a->losses.model, pair.b->losses.model,
                          plus_minus(welch.value, welch.half, 4), probability(welch.probability),
                          paired ? plus_minus(paired->value, paired->half, 4) : "",
                          paired ? probability(paired->probability) : "", pair.laws.decided() ? "yes" : "no",
                          needed ? needed_text(needed->repeats) : "", needed ? needed_text(needed->sizes) : ""});
  }
  print_output("\n{}", render(table, terminal_width(stdout, kUnlimitedWidth)));
  print_output(
      "\n\"decided\": the 95 % interval of the difference (Welch) is without 0; the paired one is shown beside it."
      "\nThe last two columns say how many points would decide it in 80 of 100 such experiments, if the difference "
      "and\nthe scatter are what they seem now: runs of every size, or sizes that go on by their mean ratio. "
      "Three points know\ntheir scatter badly, so these are rough numbers.\n");
}

void print_forecasts(const std::vector<FittedSeries>& fits, const std::vector<double>& sizes) {
  if (sizes.empty()) return;
  TerminalTable table;
  table.columns = {{"benchmark", Align::left, 100, true},   {"model", Align::left, 100, true},
                   {"parameters", Align::right, 90, false}, {"loss", Align::right, 100, false},
                   {"law, 95 %", Align::right, 60, false},  {"one more run, 95 %", Align::right, 80, false}};
  const auto range = [](const std::optional<double>& low, const std::optional<double>& high) {
    return low ? fmt::format("{} to {}", significant_text(*low, 4), significant_text(*high, 4)) : "unknown";
  };
  for (const FittedSeries& fit : fits) {
    for (const double size : sizes) {
      const LossForecast at = forecast_loss(fit.law, size);
      table.rows.push_back({fit.losses.benchmark, fit.losses.model, parameters_text(size), significant_text(at.loss, 4),
                            range(at.low, at.high), range(at.run_low, at.run_high)});
    }
  }
  print_output("\n{}", render(table, terminal_width(stdout, kUnlimitedWidth)));
}

void print_fits(const std::vector<FittedSeries>& fits) {
  TerminalTable table;
  table.columns = {{"benchmark", Align::left, 100, true},   {"model", Align::left, 100, true},
                   {"points", Align::right, 60, false},     {"alpha, 95 %", Align::right, 95, false},
                   {"beta, 95 %", Align::right, 80, false}, {"R2", Align::right, 70, false},
                   {"residual", Align::right, 65, false}};
  for (const FittedSeries& fit : fits) {
    const ScalingLaw& law = fit.law;
    table.rows.push_back({fit.losses.benchmark, fit.losses.model, std::to_string(law.points),
                          plus_minus(law.alpha, half_width(law.alpha_error, law.degrees), 4),
                          plus_minus(law.beta, half_width(law.beta_error, law.degrees), 3), r_squared_text(law),
                          residual_text(law)});
  }
  print_output("-log L = alpha log N + beta by least squares; intervals are Student's t with points - 2 degrees.\n\n{}",
               render(table, terminal_width(stdout, kUnlimitedWidth)));
}

void print_left_out(const FittedLosses& fitted) {
  for (const Unfitted& one : fitted.left_out) print_output("\nNot fitted: {}.\n", one.text());
}

[[noreturn]] void refuse_all(const FittedLosses& fitted) {
  std::vector<std::string> reasons;
  for (const Unfitted& one : fitted.left_out) reasons.push_back(one.text());
  throw Error("no scaling law can be fitted", fmt::format("{}", fmt::join(reasons, "; ")),
              "give one positive loss for each of at least two sizes", ExitCode::usage);
}

}  // namespace

std::vector<LossSeries> all_paper_losses(const ModelSizes& sizes) {
  std::vector<LossSeries> all;
  for (const char* benchmark : kBenchmarks) {
    for (const char* model : kModels) all.push_back(paper_losses(benchmark, model, sizes));
  }
  return all;
}

void print_scaling_laws(const std::vector<LossSeries>& all, const ScalingQuestion& question, bool json) {
  const FittedLosses fitted = fit_each(all);
  const std::vector<FittedSeries>& fits = fitted.series;
  if (fits.empty()) refuse_all(fitted);
  std::vector<LossSeries> series;
  for (const FittedSeries& fit : fits) {
    series.push_back(fit.losses);
    if (question.irreducible) fit_above(fit.losses, *question.irreducible);  // refuses before anything is printed
  }
  if (question.law) require_losses(*question.law, law_sizes(series, question), question.tokens);  // likewise
  const std::vector<Pair> pairs = pairs_of(fits);
  if (!json) {
    print_fits(fits);
    print_left_out(fitted);
    print_pairs(pairs);
    print_forecasts(fits, question.forecasts);
    print_general_law(series, question, false);
    return;
  }
  for (const FittedSeries& fit : fits) write_json_line(dump_line(as_json(fit)));
  for (const Unfitted& one : fitted.left_out)
    write_json_line(
        dump_line({{"type", "not_fitted"}, {"benchmark", one.benchmark}, {"model", one.model}, {"why", one.why}}));
  for (const Pair& pair : pairs) write_json_line(dump_line(as_json(pair)));
  for (const FittedSeries& fit : fits) {
    for (const double size : question.forecasts)
      write_json_line(dump_line(as_json(forecast_loss(fit.law, size), fit.losses)));
  }
  print_general_law(series, question, true);
}

}  // namespace triscope
