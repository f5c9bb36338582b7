// The section on Theorem 1.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernels/tensors/match3.hpp"
#include "profiler/match3/match3_findings.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/report/html.hpp"
#include "profiler/report/sections.hpp"
#include "profiler/report/svg_chart.hpp"

namespace triscope::report {
namespace {

constexpr std::int64_t kNumbers = 8, kModulus = 53, kInputsOfModulus = 12, kInputsOfSearch = 30;
constexpr std::uint64_t kSeed = 1;

std::string said(bool told, bool matches) {
  return std::string(told ? "match" : "none") + (told == matches ? "" : ", wrongly");
}

std::string tokens_table(const Match3Findings& all) {
  HtmlTable table{{"number", "matching pairs", "output", "head says", "dot-product head says"},
                  {true, true, true, false, false},
                  {},
                  fmt::format("{} numbers modulo {}, c = {}, by cpu.fast in fp32", kNumbers, kModulus,
                              significant_text(all.answer.c, 4))};
  for (std::size_t i = 0; i < all.answer.tokens.size(); ++i) {
    const Match3Token& token = all.answer.tokens[i];
    table.rows.push_back({std::to_string(token.number), std::to_string(token.matches),
                          fmt::format("{:.4f}", token.output), said(token.told, token.matches > 0),
                          said(all.dot_product[i], token.matches > 0)});
  }
  return html_table(table);
}

/// The c that are safe over the modulus, for one precision, with what was tried.
std::string bound_chart(Match3Precision precision, const std::vector<Match3Trial>& trials) {
  SvgChart chart;
  chart.title = fmt::format("{}: safe c for {} numbers", to_string(precision), kNumbers);
  chart.x_label = "modulus";
  chart.y_label = "c";
  chart.log_x = chart.log_y = true;
  for (const double modulus : {2.0, 10.0, 100.0, 1000.0})
    chart.x_ticks.push_back({modulus, fmt::format("{:g}", modulus)});
  SvgSeries range{"safe", 'a', {}, {}, {}, {}}, right{"tried, all right", 'c', {}, {}, {}, {}},
      wrong{"tried, some wrong", 'b', {}, {}, {}, {}};
  for (std::int64_t modulus = 2; modulus <= kMatch3LargestModulus; modulus += 1 + modulus / 25) {
    const Match3Bound bound = match3_bound(kNumbers, modulus, precision);
    if (!bound.possible()) break;
    range.low.push_back({static_cast<double>(modulus), bound.least_c});
    range.high.push_back({static_cast<double>(modulus), bound.most_c});
  }
  range.line = range.low;
  for (const Match3Trial& trial : trials) {
    if (trial.precision != precision) continue;
    (trial.wrong == 0 ? right : wrong).marks.push_back({static_cast<double>(trial.modulus), trial.c});
  }
  chart.series = {range, right, wrong};
  return "<figure>" + svg_chart(chart) + "</figure>\n";
}

std::string bounds(const std::vector<Match3Trial>& trials) {
  HtmlTable table{
      {"precision", "a logit is off by", "largest safe c", "largest safe modulus", "first wrong answer, modulus"},
      {false, true, true, true, true},
      {},
      fmt::format("For any {} numbers by the worst case of all roundings of q, k1 and k2; the last column: "
                  "every modulus beyond the safe ones tried, on {} inputs each",
                  kNumbers, kInputsOfSearch)};
  std::string charts;
  for (int i = 0; i < kMatch3Precisions; ++i) {
    const auto precision = static_cast<Match3Precision>(i);
    const Match3Bound bound = match3_bound(kNumbers, kModulus, precision);
    const std::int64_t largest = match3_largest_modulus(kNumbers, precision);
    const auto wrong = match3_first_wrong(kNumbers, precision, kInputsOfSearch, kSeed);
    const std::string first_wrong =
        wrong ? std::to_string(*wrong) : fmt::format("none up to {}", kMatch3LargestModulus);
    table.rows.push_back(
        {std::string(to_string(precision)), fmt::format("{:.2g} c", bound.rounding), significant_text(bound.most_c, 3),
         fmt::format("{}{}", largest, largest == kMatch3LargestModulus ? " or more" : ""), first_wrong});
    charts += bound_chart(precision, trials);
  }
  return html_table(table) + charts;
}

std::string dot_product(const Match3Findings& all) {
  const auto percent = [&](std::int64_t right) {
    return fmt::format("{:.1f} %", 100 * static_cast<double>(right) / static_cast<double>(all.beside.tokens));
  };
  std::string text = fmt::format(
      "A dot-product head whose output is one number beside a threshold decides by a sum over the tokens. Of all such "
      "functions, which a head of any width can compute, logistic regression found one that is right on {} of {} "
      "unseen tokens. The head of Theorem 1 is right on {}, the more frequent answer on {}.",
      percent(all.beside.dot_product), all.beside.tokens, percent(all.beside.determinant),
      percent(all.beside.larger_class));
  if (all.swap) {
    const auto& in = all.swap->inputs;
    text += fmt::format(
        " None is right on ({}), ({}), ({}) and ({}) together: the first number has a match in the first two only, and "
        "both halves hold the same numbers at the same places, so the sums over both are equal. This says nothing of a "
        "wider output with a larger network behind it; the work that the paper cites bounds the size of one such layer "
        "from below, nearly in proportion to the number of tokens.",
        fmt::join(in[0], " "), fmt::join(in[1], " "), fmt::join(in[2], " "), fmt::join(in[3], " "));
  }
  return paragraph(text);
}

}  // namespace

std::string match3_section() {
  const Match3Question question{match3_numbers(kNumbers, kModulus, kSeed), kModulus, Match3Precision::fp32, 0};
  const Match3Findings all = find_match3(question, kSeed);
  return section(
      "Theorem 1: Match3",
      paragraph(
          "One head of seven dimensions with determinants as logits tells for each number whether two of the list "
          "complete it to a multiple of the modulus. Its logits are c times a cosine: c must be large enough to "
          "part a match from many near misses, and small enough that rounding does not.") +
          written("theorem1") + tokens_table(all) + bounds(try_match3_moduli(kNumbers, kInputsOfModulus, kSeed)) +
          dot_product(all));
}

}  // namespace triscope::report
