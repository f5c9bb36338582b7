// The sections that show what the paper prints, recomputed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "profiler/paper/laws/general_law.hpp"
#include "profiler/paper/laws/losses_file.hpp"
#include "profiler/paper/laws/reproduction.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/report/html.hpp"
#include "profiler/report/sections.hpp"
#include "profiler/report/svg_chart.hpp"

namespace triscope::report {
namespace {

std::string with_half(double value, const std::optional<double>& half) {
  return half ? fmt::format("{:.4f} ± {:.4f}", value, *half) : fmt::format("{:.4f}", value);
}

HtmlTable recomputed_table(const std::vector<Recomputed>& all) {
  HtmlTable table{{"table", "row", "column", "printed", "recomputed", "reproduced", "beyond rounding"},
                  {false, false, false, true, true, false, true},
                  {},
                  ""};
  for (const Recomputed& one : all) {
    table.rows.push_back({std::to_string(one.printed.table), row_name(one.printed), one.printed.column,
                          one.printed.printed, recomputed_text(one.printed, one.value), one.reproduced() ? "yes" : "no",
                          one.reproduced() ? "" : recomputed_text(one.printed, one.beyond_rounding)});
  }
  return table;
}

/// The law that the paper starts from, and the line that it makes of it.
std::string the_general_law() {
  return formula("L(N, D) = E + A / N^alpha + B / D^beta") +
         paragraph(
             "The paper starts from this loss of a model with N parameters that saw D tokens. E is what no model gets "
             "below, the second term what more parameters take away, the third what more tokens do. All its models saw "
             "as many tokens, so E′ = E + B / D^beta is one number:") +
         formula("−log L = alpha log N − log A − log(1 + E′ N^alpha / A) ≈ alpha log N + beta") +
         paragraph(
             "This is a straight line where E′ is small beside A / N^alpha. Elsewhere its slope is alpha (1 − E′ / L): "
             "a fitted alpha mixes the exponent with the part of the loss that more parameters can take away. The beta "
             "of the line is −log A, not that of D. Where training pays for N D, the least loss has D in proportion to "
             "N^(alpha / beta). The command triscope paper scaling --law evaluates the law for constants of your "
             "own.") +
         paragraph(chinchilla_text());
}

/// The exponents of a benchmark where a part of its least loss is taken off every loss.
void add_parts(HtmlTable& table, const char* benchmark) {
  const LossSeries a = paper_losses(benchmark, kModels[0]), b = paper_losses(benchmark, kModels[1]);
  const double least = std::min(std::ranges::min(a.losses), std::ranges::min(b.losses));
  for (const double part : {0.0, 0.25, 0.5}) {
    const double first = fit_above(a, part * least).alpha, second = fit_above(b, part * least).alpha;
    table.rows.push_back({part == 0 ? benchmark : "", fmt::format("{:.0f} %", 100 * part), fmt::format("{:.4f}", first),
                          fmt::format("{:.4f}", second), fmt::format("{:+.4f}", second - first)});
  }
}

/// -L over N, both logarithmic: the law is a line.
std::string law_chart(const char* benchmark) {
  SvgChart chart;
  chart.title = std::string(benchmark) + ": loss and the fitted law";
  chart.x_label = "active parameters (billions)";
  chart.y_label = "loss";
  chart.log_x = chart.log_y = true;
  for (const double n : {1.0, 2.0, 3.5, 7.0}) chart.x_ticks.push_back({n, fmt::format("{:g}", n)});
  for (std::size_t model = 0; model < kModels.size(); ++model) {
    const LossSeries series = paper_losses(benchmark, kModels.at(model));
    const ScalingLaw law = fit_scaling_law(series.sizes, series.losses);
    SvgSeries drawn;
    drawn.name = kModels.at(model);
    drawn.colour = model == 0 ? 'b' : 'a';
    for (const LossForecast& at : law_curve(law, 1e9, 7e9, 25)) {
      const double billions = at.size / 1e9;
      drawn.line.push_back({billions, at.loss});
      if (at.low) drawn.low.push_back({billions, *at.low});
      if (at.high) drawn.high.push_back({billions, *at.high});
    }
    for (std::size_t i = 0; i < series.sizes.size(); ++i)
      drawn.marks.push_back({series.sizes[i] / 1e9, series.losses[i]});
    chart.series.push_back(std::move(drawn));
  }
  return svg_chart(chart);
}

}  // namespace

std::string losses() {
  const std::vector<Recomputed> all = recompute_tables();
  const auto reproduced = std::ranges::count_if(all, [](const Recomputed& one) { return one.reproduced(); });
  const SolvedSizes solved = solve_sizes();
  HtmlTable table{{"active parameters", "in all", "model", "GSM8k", "MMLU", "MMLU-pro", "MBPP"},
                  {false, false, false, true, true, true, true},
                  {},
                  "Negative log-likelihoods as printed; changes recomputed"};
  for (int row = 1; row <= 9; ++row) {
    const bool delta = row % 3 == 0;
    std::vector<std::string> cells{delta ? "" : printed_value(2, row, "active parameters").printed,
                                   delta ? "" : printed_value(2, row, "total parameters").printed,
                                   delta ? "change" : kModels.at(row % 3 == 1 ? 0 : 1)};
    for (const char* benchmark : kBenchmarks) {
      const PrintedValue& cell = printed_value(2, row, benchmark);
      cells.push_back(delta ? recomputed_text(cell, printed_change(row, benchmark)) : cell.printed);
    }
    table.rows.push_back(std::move(cells));
  }
  std::vector<Recomputed> left = recompute_fits(solved.sizes);
  std::erase_if(left, [](const Recomputed& one) { return one.reproduced(); });
  HtmlTable misses = recomputed_table(left);
  misses.caption = "What those sizes do not explain";
  return section("Results",
                 html_table(table) +
                     paragraph(fmt::format(
                         "{} of {} printed values follow from the others, within rounding. Model sizes of {}, {} and "
                         "{} bring all 32 values of the fits nearest to the printed ones; {} of 32 are then "
                         "reproduced.",
                         reproduced, all.size(), parameters_text(solved.sizes[0]), parameters_text(solved.sizes[1]),
                         parameters_text(solved.sizes[2]), solved.reproduced)) +
                     html_table(recomputed_table(all)) + paragraph(alpha_changes_text()) + html_table(misses),
                 "results");
}

std::string scaling() {
  HtmlTable fits{{"benchmark", "model", "alpha, 95 %", "printed", "beta, 95 %", "printed", "R2", "residual", "printed"},
                 {false, false, true, true, true, true, true, true, true},
                 {},
                 "-log L = alpha log N + beta with N = 1, 2 and 3.5 billion, by least squares"};
  HtmlTable differences{
      {"benchmark", "difference of alpha, 95 %", "paired, 95 %", "decided", "runs of each size", "or sizes in all"},
      {false, true, true, false, true, true},
      {},
      "2-simplicial − Transformer. Decided: the first interval (Welch) is without 0. The last columns would decide it "
      "in 80 of 100 such experiments, if "
      "difference and scatter are what they seem now"};
  HtmlTable above{{"benchmark", "part E′ of the least loss", "alpha, Transformer", "2-simplicial", "difference"},
                  {false, true, true, true, true},
                  {},
                  "Alpha of −log(L − E′) where a part E′ of every loss stays. The parts are assumed, not known"};
  std::string charts;
  for (const char* benchmark : kBenchmarks) {
    add_parts(above, benchmark);
    std::vector<FittedSeries> laws;
    for (std::size_t model = 0; model < kModels.size(); ++model) {
      const LossSeries series = paper_losses(benchmark, kModels.at(model));
      laws.push_back({series, fit_scaling_law(series.sizes, series.losses)});
      const ScalingLaw& law = laws.back().law;
      const auto printed = [&](int of_table, const char* what) {
        return printed_value(of_table, static_cast<int>(model) + 1, fmt::format("{} {}", benchmark, what)).printed;
      };
      fits.rows.push_back({benchmark, kModels.at(model), with_half(law.alpha, half_width(law.alpha_error, law.degrees)),
                           printed(3, "alpha"), with_half(law.beta, half_width(law.beta_error, law.degrees)),
                           printed(3, "beta"), r_squared_text(law), residual_text(law), printed(4, "residual")});
    }
    const ComparedLaws compared = compare_laws(laws[0], laws[1]);
    const auto& [welch, paired, needed] = compared;
    const auto count = [&needed = needed](std::optional<int> PointsNeeded::*of) {
      if (!needed) return std::string();
      const std::optional<int> points = *needed.*of;
      return points ? fmt::format("{}", *points) : "over 1000";
    };
    differences.rows.push_back({benchmark, with_half(welch.value, welch.half),
                                paired ? with_half(paired->value, paired->half) : "", compared.decided() ? "yes" : "no",
                                count(&PointsNeeded::repeats), count(&PointsNeeded::sizes)});
    charts += "<figure>" + law_chart(benchmark) + "</figure>\n";
  }
  return section("Scaling laws",
                 the_general_law() + charts +
                     paragraph("Bands are 95 % intervals of the laws. Three points leave one degree of freedom.") +
                     html_table(fits) + html_table(differences) + paragraph(harder_benchmarks_text()) +
                     html_table(above),
                 "laws");
}

}  // namespace triscope::report
