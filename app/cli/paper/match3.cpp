// `triscope paper match3`: the head of Theorem 1 on a list of numbers, its bound, and a dot-product head beside it.
#include "kernels/tensors/match3.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "app/cli/options/values.hpp"
#include "app/cli/paper/paper_sections.hpp"
#include "app/cli/text/terminal.hpp"
#include "app/cli/text/terminal_table.hpp"
#include "kernels/base/text/number_of.hpp"
#include "profiler/match3/match3_findings.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/record/json.hpp"

namespace triscope {
namespace {

void print_tokens(const Match3Findings& all) {
  TerminalTable table;
  table.columns = {{"number", Align::right, 100, false},
                   {"matching pairs", Align::right, 95, false},
                   {"output", Align::right, 90, false},
                   {"head says", Align::left, 98, false},
                   {"dot-product head says", Align::left, 80, false}};
  const auto said = [](bool told, bool matches) {
    return std::string(told ? "match" : "none") + (told == matches ? "" : ", wrongly");
  };
  for (std::size_t i = 0; i < all.answer.tokens.size(); ++i) {
    const Match3Token& token = all.answer.tokens[i];
    table.rows.push_back({std::to_string(token.number), std::to_string(token.matches),
                          fmt::format("{:.4f}", token.output), said(token.told, token.matches > 0),
                          said(all.dot_product[i], token.matches > 0)});
  }
  print_output("{}", render(table, terminal_width(stdout, kUnlimitedWidth)));
}

void print_bounds(const Match3Findings& all) {
  const auto n = static_cast<std::int64_t>(all.question.numbers.size());
  TerminalTable table;
  table.columns = {{"precision", Align::left, 100, false},
                   {"safe c, from", Align::right, 95, false},
                   {"to", Align::right, 95, false},
                   {"largest safe modulus", Align::right, 90, false},
                   {"c that was tried", Align::right, 70, false},
                   {"told wrongly", Align::left, 80, false}};
  for (const Match3Trial& trial : all.trials) {
    const Match3Bound bound = match3_bound(n, trial.modulus, trial.precision);
    const std::int64_t largest = match3_largest_modulus(n, trial.precision);
    table.rows.push_back(
        {std::string(to_string(trial.precision)), bound.possible() ? significant_text(bound.least_c, 4) : "none is",
         bound.possible() ? significant_text(bound.most_c, 4) : "",
         largest == kMatch3LargestModulus ? fmt::format("{} or more", largest) : std::to_string(largest),
         significant_text(trial.c, 4), fmt::format("{} of {}", trial.wrong, trial.tokens)});
  }
  print_output(
      "\nBy precision of q, k1 and k2, for any {} modulo {}:\n\n{}\nA safe c tells every input rightly, whatever the "
      "roundings are; others may still do. Tried on {} inputs, two thirds\nof them with as many nearest misses as "
      "possible.\n",
      number_of(n, "number"), all.question.modulus, render(table, terminal_width(stdout, kUnlimitedWidth)),
      all.trials.front().inputs);
}

void print_beside(const Match3Findings& all) {
  const auto percent = [&](std::int64_t right) {
    return fmt::format("{:.1f} %", 100 * static_cast<double>(right) / static_cast<double>(all.beside.tokens));
  };
  print_output(
      "\nA dot-product head whose output is one number beside a threshold, the best that a search found (logistic "
      "regression over\nall functions that such a head of any width can compute), on {} tokens of {} inputs that the "
      "search has not seen:\n  right: {}; the head of Theorem 1: {}; the more frequent answer: {}\n",
      all.beside.tokens, all.beside.inputs, percent(all.beside.dot_product), percent(all.beside.determinant),
      percent(all.beside.larger_class));
  if (!all.swap) return;
  const auto& in = all.swap->inputs;
  print_output(
      "None such is right on all of ({}), ({}), ({}) and ({}): the first number has a match in the first two only, and "
      "both halves\nhold the same numbers at the same places. A wider output and a larger network behind it are not "
      "covered by this.\n",
      fmt::join(in[0], " "), fmt::join(in[1], " "), fmt::join(in[2], " "), fmt::join(in[3], " "));
}

void print_json(const Match3Findings& all) {
  const auto n = static_cast<std::int64_t>(all.question.numbers.size());
  for (std::size_t i = 0; i < all.answer.tokens.size(); ++i) {
    const Match3Token& token = all.answer.tokens[i];
    write_json_line(dump_line({{"type", "match3_token"},
                               {"number", token.number},
                               {"matches", token.matches},
                               {"output", token.output},
                               {"told", token.told},
                               {"right", token.right()},
                               {"dot_product_told", static_cast<bool>(all.dot_product[i])}}));
  }
  write_json_line(dump_line({{"type", "match3"},
                             {"n", n},
                             {"modulus", all.question.modulus},
                             {"precision", to_string(all.question.precision)},
                             {"c", all.answer.c},
                             {"wrong", all.answer.wrong},
                             {"margin", all.answer.margin}}));
  for (const Match3Trial& trial : all.trials) {
    const Match3Bound bound = match3_bound(n, trial.modulus, trial.precision);
    nlohmann::json line{{"type", "match3_bound"},     {"precision", to_string(trial.precision)},
                        {"safe", bound.possible()},   {"rounding", bound.rounding},
                        {"most_c", bound.most_c},     {"largest_modulus", match3_largest_modulus(n, trial.precision)},
                        {"tried_c", trial.c},         {"tried_tokens", trial.tokens},
                        {"tried_wrong", trial.wrong}, {"tried_margin", trial.margin}};
    line["least_c"] = std::isfinite(bound.least_c) ? nlohmann::json(bound.least_c) : nlohmann::json();
    write_json_line(dump_line(line));
  }
  nlohmann::json line{{"type", "dot_product_head"},
                      {"wrong", all.dot_product_wrong},
                      {"unseen_tokens", all.beside.tokens},
                      {"unseen_right", all.beside.dot_product},
                      {"unseen_right_theorem1", all.beside.determinant},
                      {"unseen_right_more_frequent", all.beside.larger_class}};
  if (all.swap) line["never_all_right"] = all.swap->inputs;
  write_json_line(dump_line(line));
}

}  // namespace

void print_match3(const Match3Request& request, bool json) {
  constexpr double kLargestFp16 = 65504;
  Match3Question question = request.question;
  if (question.precision == Match3Precision::fp16 && question.c > kLargestFp16)
    refuse_value("--c", fmt::format("{:g}", question.c), "fp16 holds numbers up to 65504", "choose a smaller one");
  if (question.numbers.empty()) question.numbers = match3_numbers(request.tokens, question.modulus, request.seed);
  const Match3Findings all = find_match3(question, request.seed);
  if (json) return print_json(all);
  print_output("{} modulo {}, c = {} in {}: {}, margin {:.3f}\n\n", number_of(all.answer.tokens.size(), "number"),
               all.question.modulus, significant_text(all.answer.c, 4), to_string(all.question.precision),
               all.answer.wrong == 0 ? "all told rightly" : fmt::format("{} told wrongly", all.answer.wrong),
               all.answer.margin);
  print_tokens(all);
  if (request.question.c > 0)
    print_output("\n--c is of the list above alone. What follows takes the c that is used without it.\n");
  print_bounds(all);
  print_beside(all);
}

}  // namespace triscope
