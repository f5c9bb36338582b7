#include "app/cli/paper/general_law.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "app/cli/text/terminal.hpp"
#include "app/cli/text/terminal_table.hpp"
#include "profiler/paper/laws/losses_file.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/record/json.hpp"

namespace triscope {
namespace {

/// At blanks, in lines as wide as the texts beside it.
std::string in_lines(const std::string& text) {
  constexpr std::size_t kWide = 118;
  std::string lines;
  std::size_t used = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (used > 0 && used + 1 + end - at > kWide) lines += '\n', used = 0;
    if (used > 0) lines += ' ', ++used;
    lines.append(text, at, end - at);
    used += end - at;
    at = end + 1;
  }
  return lines;
}

void print_statement() {
  print_output(
      "\nThe paper starts from L(N, D) = E + A / N^alpha + B / D^beta, N parameters and D tokens: E is what no model "
      "gets\n"
      "below, the second term what more parameters take away, the third what more tokens do. All its models saw as "
      "many\n"
      "tokens, so E' = E + B / D^beta is one number. Then -log L = alpha log N - log A - log(1 + E' N^alpha / A), a "
      "straight\n"
      "line where E' is small beside A / N^alpha. Elsewhere its slope is alpha (1 - E' / L). (The beta of the line is "
      "not\n"
      "that of D.) `--law E,A,ALPHA,B,BETA --trained-on D` evaluates it; `--irreducible L` fits what lies above "
      "E'.\n{}\n",
      in_lines(chinchilla_text()));
}

/// The line through the law's own losses at the sizes that have losses.
std::optional<ScalingLaw> line_through(const GeneralLaw& law, const LossSeries& sizes, double tokens) {
  if (sizes.sizes.size() < 2) return std::nullopt;
  LossSeries made = sizes;
  for (std::size_t n = 0; n < made.sizes.size(); ++n) made.losses[n] = law_terms(law, made.sizes[n], tokens).loss();
  return fit_above(made, 0);
}

nlohmann::json as_json(const GeneralLaw& law, double size, double tokens) {
  const LawTerms terms = law_terms(law, size, tokens);
  return {{"type", "law"},
          {"parameters", size},
          {"tokens", std::isfinite(tokens) ? nlohmann::json(tokens) : nlohmann::json()},
          {"irreducible", terms.irreducible},
          {"size_term", terms.size},
          {"token_term", terms.tokens},
          {"loss", terms.loss()},
          {"slope", law.size_alpha * terms.slope_share()}};
}

void print_law(const std::vector<LossSeries>& series, const ScalingQuestion& question, bool json) {
  const GeneralLaw& law = *question.law;
  const BalancedGrowth growth = balanced_growth(law);
  const std::optional<ScalingLaw> line = line_through(law, series.front(), question.tokens);
  TerminalTable table;
  table.columns = {{"parameters", Align::right, 100, false}, {"E", Align::right, 80, false},
                   {"A / N^alpha", Align::right, 80, false}, {"B / D^beta", Align::right, 80, false},
                   {"L", Align::right, 100, false},          {"slope of -log L", Align::right, 100, false}};
  for (const double size : law_sizes(series, question)) {
    if (json) write_json_line(dump_line(as_json(law, size, question.tokens)));
    const LawTerms terms = law_terms(law, size, question.tokens);
    table.rows.push_back({parameters_text(size), significant_text(terms.irreducible, 4),
                          significant_text(terms.size, 4), significant_text(terms.tokens, 4),
                          significant_text(terms.loss(), 4),
                          fmt::format("{:.4f}", law.size_alpha * terms.slope_share())});
  }
  if (json) {
    write_json_line(dump_line({{"type", "balanced_growth"},
                               {"tokens_by_parameters", growth.tokens_by_parameters},
                               {"parameters_by_budget", growth.parameters_by_budget},
                               {"tokens_by_budget", growth.tokens_by_budget},
                               {"line_alpha", line ? nlohmann::json(line->alpha) : nlohmann::json()}}));
    return;
  }
  print_output("\nThe law that was given, {}:\n\n{}",
               std::isfinite(question.tokens) ? "on " + parameters_text(question.tokens) + " tokens"
                                              : "without a number of tokens (--trained-on)",
               render(table, terminal_width(stdout, kUnlimitedWidth)));
  if (line)
    print_output(
        "\nA straight line through it at the sizes of the first losses has the slope {:.4f}; its alpha is {:.4f}.\n",
        line->alpha, law.size_alpha);
  print_output(
      "The least loss for a given N D has D in proportion to N^(alpha / beta) = N^{:.3f}: N grows as its power {:.3f}, "
      "D as {:.3f}.\n",
      growth.tokens_by_parameters, growth.parameters_by_budget, growth.tokens_by_budget);
}

void print_above(const std::vector<LossSeries>& series, double irreducible, bool json) {
  TerminalTable table;
  table.columns = {{"benchmark", Align::left, 100, true},
                   {"model", Align::left, 100, true},
                   {"alpha of L", Align::right, 90, false},
                   {"alpha of L - E', 95 %", Align::right, 100, false},
                   {"R2", Align::right, 60, false}};
  for (const LossSeries& one : series) {
    const ScalingLaw plain = fit_scaling_law(one.sizes, one.losses), above = fit_above(one, irreducible);
    const std::optional<double> half = half_width(above.alpha_error, above.degrees);
    if (json)
      write_json_line(dump_line({{"type", "law_above"},
                                 {"benchmark", one.benchmark},
                                 {"model", one.model},
                                 {"irreducible", irreducible},
                                 {"alpha", above.alpha},
                                 {"alpha_half", half},
                                 {"beta", above.beta},
                                 {"r_squared", above.r_squared},
                                 {"alpha_plain", plain.alpha}}));
    table.rows.push_back(
        {one.benchmark, one.model, fmt::format("{:.4f}", plain.alpha),
         half ? fmt::format("{:.4f} +- {:.4f}", above.alpha, *half) : fmt::format("{:.4f}", above.alpha),
         r_squared_text(above)});
  }
  if (!json)
    print_output("\nFitted above E' = {:g}, -log(L - E') = alpha log N + beta:\n\n{}", irreducible,
                 render(table, terminal_width(stdout, kUnlimitedWidth)));
}

}  // namespace

std::vector<double> law_sizes(const std::vector<LossSeries>& series, const ScalingQuestion& question) {
  std::set<double> sizes(question.forecasts.begin(), question.forecasts.end());
  for (const LossSeries& one : series) sizes.insert(one.sizes.begin(), one.sizes.end());
  return {sizes.begin(), sizes.end()};
}

void print_general_law(const std::vector<LossSeries>& series, const ScalingQuestion& question, bool json) {
  if (!json && question.of_the_paper) print_output("\n{}\n", in_lines(harder_benchmarks_text(*question.of_the_paper)));
  if (!json) print_statement();
  if (question.irreducible) print_above(series, *question.irreducible, json);
  if (question.law) print_law(series, question, json);
}

}  // namespace triscope
