// The algorithms of the paper and ours, run on a small problem: their stages, what one program covers, and the numbers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/paper/run_algorithm.hpp"
#include "profiler/report/html.hpp"
#include "profiler/report/sections.hpp"

namespace triscope::report {
namespace {

constexpr StepSizes kSizes{8, 4, 2, 2, 2};

const char* unit_of(StepKind kind) {
  switch (kind) {
    case StepKind::load:
      return "load";
    case StepKind::elementwise:
      return "elementwise";
    case StepKind::product:
      return "matrix product";
    case StepKind::store:
      return "store";
  }
  return "";
}

std::string cell(const std::string& text, const char* kind = "") {
  return fmt::format("<td{}>{}</td>", *kind == '\0' ? "" : fmt::format(" class=\"{}\"", kind), html_text(text));
}

/// Each line, how often `program` carries it out, and what its first time does.
std::string stages(const AlgorithmSteps& run, std::int64_t program) {
  std::string out =
      "<div class=\"wide\"><table>\n<thead><tr><th>line</th><th class=\"n\">times</th><th>unit</th>"
      "<th>its first time</th></tr></thead>\n<tbody>\n";
  for (std::size_t line = 0; line < run.listing.size(); ++line) {
    const AlgorithmStep* first = nullptr;
    std::int64_t times = 0;
    for (const AlgorithmStep& step : run.steps) {
      if (step.program != program || step.line != static_cast<int>(line)) continue;
      if (first == nullptr) first = &step;
      ++times;
    }
    out += "<tr>" + cell(run.listing[line], "code") + cell(first == nullptr ? "" : std::to_string(times), "n");
    out += cell(first == nullptr ? "" : unit_of(first->kind)) + cell(first == nullptr ? "" : first->says) + "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

/// The pairs of keys that the products of `program` compute, the darker the oftener, and the windows of its queries.
std::string plane(const AlgorithmSteps& run, std::int64_t program) {
  constexpr int kCell = 22, kLeft = 26, kTop = 20;
  const std::int64_t n = run.sizes.n;
  std::vector<int> times(static_cast<std::size_t>(n * n));
  std::vector<bool> queries(static_cast<std::size_t>(n));
  const auto inside = [n](std::int64_t key) { return std::clamp<std::int64_t>(key, 0, n); };
  for (const AlgorithmStep& step : run.steps) {
    if (step.program != program || step.kind != StepKind::product) continue;
    for (std::int64_t j = inside(step.keys1.first); j < inside(step.keys1.end); ++j) {
      for (std::int64_t k = inside(step.keys2.first); k < inside(step.keys2.end); ++k)
        ++times[static_cast<std::size_t>(j * n + k)];
    }
    for (std::int64_t i = inside(step.queries.first); i < inside(step.queries.end); ++i)
      queries[static_cast<std::size_t>(i)] = true;
  }
  const int side = kCell * static_cast<int>(n), most = std::max(1, *std::ranges::max_element(times));
  std::string out = fmt::format("<svg viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\">\n",
                                kLeft + side + 8, kTop + side + 38);
  out += "<title>Pairs of keys of one program</title>\n";
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t k = 0; k < n; ++k) {
      const int count = times[static_cast<std::size_t>(j * n + k)];
      out += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill-opacity=\"{:.2f}\" />\n",
                         count > 0 ? "a cell" : "empty cell", kLeft + kCell * j, kTop + kCell * (n - 1 - k), kCell,
                         kCell, count > 0 ? 0.2 + 0.5 * count / most : 0);
    }
    out += fmt::format("<text class=\"soft\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                       kLeft + kCell * j + kCell / 2, kTop + side + 15, j);
    out += fmt::format("<text class=\"soft\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", kLeft - 6,
                       kTop + kCell * (n - 1 - j) + 16, j);
  }
  for (std::int64_t i = 0; i < n; ++i) {
    if (!queries[static_cast<std::size_t>(i)]) continue;
    const std::int64_t j = inside(i - run.sizes.window1 + 1), k = inside(i - run.sizes.window2 + 1);
    out += fmt::format("<rect class=\"b frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" />\n", kLeft + kCell * j,
                       kTop + kCell * (n - 1 - i), kCell * (i + 1 - j), kCell * (i + 1 - k));
  }
  out += fmt::format("<text class=\"soft\" x=\"{}\" y=\"12\">key 2</text>\n", 2);
  return out + fmt::format("<text class=\"soft\" x=\"{}\" y=\"{}\" text-anchor=\"end\">key 1</text>\n</svg>\n",
                           kLeft + side, kTop + side + 32);
}

std::string shown_number(double value) {
  if (std::isnan(value)) return "·";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  if (value <= kMaskedLogit) return "masked";
  const std::string text = fmt::format("{:.3f}", value);
  return text == "-0.000" ? "0.000" : text;
}

/// One matrix as a small table.
std::string matrix(const StepGrid& grid) {
  std::string out = "<table class=\"grid\"><caption>" + html_text(grid.name) + "</caption><tbody>\n";
  if (!grid.columns.empty()) {
    out += "<tr><th>" + html_text(grid.rows + " / " + grid.columns) + "</th>";
    for (std::int64_t c = 0; c < grid.width; ++c) out += fmt::format("<th class=\"n\">{}</th>", grid.first_column + c);
    out += "</tr>\n";
  }
  for (std::int64_t r = 0; r < grid.height; ++r) {
    out += fmt::format("<tr><th>{}</th>", grid.first_row + r);
    for (std::int64_t c = 0; c < grid.width; ++c) out += cell(shown_number(grid.at(r, c)), "n");
    out += "</tr>\n";
  }
  return out + "</tbody></table>\n";
}

std::string matrices(const char* what, const std::vector<StepGrid>& grids) {
  std::string out = "<p>" + html_text(what) + "</p>\n<div class=\"grids\">\n";
  for (const StepGrid& grid : grids) out += matrix(grid);
  return out + "</div>\n";
}

/// What each program of the grid does, in their order.
std::string programs(const AlgorithmSteps& run) {
  std::vector<std::string> all;
  for (const AlgorithmStep& step : run.steps) {
    if (static_cast<std::int64_t>(all.size()) == step.program) all.push_back(step.where);
  }
  constexpr std::size_t kNamed = 5;
  if (all.size() <= kNamed + 1) return fmt::format("{} programs: {}.", all.size(), fmt::join(all, "; "));
  const std::string last = all.back();
  const std::size_t count = all.size();
  all.resize(kNamed);
  return fmt::format("{} programs: {}; and so on to {}.", count, fmt::join(all, "; "), last);
}

/// The first of those with most steps.
std::int64_t longest_program(const AlgorithmSteps& run) {
  std::vector<std::int64_t> steps(static_cast<std::size_t>(run.programs));
  for (const AlgorithmStep& step : run.steps) ++steps[static_cast<std::size_t>(step.program)];
  return std::ranges::max_element(steps) - steps.begin();
}

std::string one_algorithm(Algorithm algorithm) {
  const AlgorithmSteps run = run_algorithm(algorithm, kSizes);
  const std::int64_t shown = longest_program(run);
  const AlgorithmStep* product = nullptr;
  for (const AlgorithmStep& step : run.steps) {
    if (step.program == shown && step.kind == StepKind::product) product = &step;
  }
  if (product == nullptr) return "";
  std::string out = "<h3>" + html_text(algorithm_name(algorithm)) + "</h3>\n";
  out += paragraph(std::string(algorithm_note(algorithm)) + " " + programs(run));
  out += stages(run, shown);
  out += figure(plane(run, shown), fmt::format("Program {}, {}: pairs of its products, and the windows of its queries",
                                               shown + 1, product->where));
  out += matrices("Its registers after its last product:", product->registers);
  return out + matrices("Memory when all have ended:", run.steps.back().memory);
}

}  // namespace

std::string steps() {
  std::string body = paragraph(fmt::format(
      "Each algorithm was run in fp64 on {} tokens with windows of {} and {}, head dimension {}, and tiles of {}. "
      "\"Times\" counts the steps of the program that is drawn, the longest. Rounding, and what hides latency, is "
      "left out.",
      kSizes.n, kSizes.window1, kSizes.window2, kSizes.dim, kSizes.tile));
  for (int which = 0; which < kAlgorithms; ++which) body += one_algorithm(static_cast<Algorithm>(which));
  return section("Steps", body, "steps");
}

}  // namespace triscope::report
