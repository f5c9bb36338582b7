// The algorithms of the paper and ours, run on a small problem: their stages, what one program covers, and the numbers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/paper/run_algorithm.hpp"
#include "profiler/report/html.hpp"
#include "profiler/report/sections.hpp"
#include "profiler/report/step_stages.hpp"

namespace triscope::report {
namespace {

std::string cell(const std::string& text, const char* kind = "") {
  return fmt::format("<td{}>{}</td>", *kind == '\0' ? "" : fmt::format(" class=\"{}\"", kind), html_text(text));
}

/// Each line, how often `program` carries it out, and what its first time does.
std::string stages(const AlgorithmSteps& run, std::int64_t program) {
  std::string out =
      "<div class=\"wide\"><table>\n<thead><tr><th>line</th><th class=\"n\">times</th><th>unit</th>"
      "<th>its first time</th></tr></thead>\n<tbody>\n";
  for (const StepStage& stage : step_stages(run, program)) {
    out += "<tr>" + cell(stage.line, "code") + cell(stage.times == 0 ? "" : std::to_string(stage.times), "n");
    out += cell(stage.unit) + cell(stage.says) + "</tr>\n";
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

std::string one_algorithm(Algorithm algorithm) {
  const AlgorithmSteps run = run_algorithm(algorithm, kShownSteps);
  const std::int64_t shown = longest_program(run);
  const AlgorithmStep* product = nullptr;
  for (const AlgorithmStep& step : run.steps) {
    if (step.program == shown && step.kind == StepKind::product) product = &step;
  }
  if (product == nullptr) return "";
  std::string out = "<h3>" + html_text(algorithm_name(algorithm)) + "</h3>\n";
  out += paragraph(std::string(algorithm_note(algorithm)) + " " + programs_text(run));
  out += stages(run, shown);
  out += figure(plane(run, shown), fmt::format("Program {}, {}: pairs of its products, and the windows of its queries",
                                               shown + 1, product->where));
  out += matrices("Its registers after its last product:", product->registers);
  return out + matrices("Memory when all have ended:", run.steps.back().memory);
}

/// What the paper writes of an algorithm, before it is run; the formulas of the backward stand before the first of two.
std::string written_before(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::paper_forward:
      return written("algorithm1") + written("listing1");
    case Algorithm::paper_keys:
      return written("backward") + written("listing2");
    case Algorithm::paper_two_stage:
      return written("algorithm2") + written("listing3");
    case Algorithm::our_forward:
    case Algorithm::our_backward:
      break;
  }
  return "";
}

}  // namespace

std::string steps() {
  std::string body = paragraph(fmt::format(
      "Each algorithm was run in fp64 on {} tokens with windows of {} and {}, head dimension {}, and tiles of {}. "
      "\"Times\" counts the steps of the program that is drawn, the longest. Rounding, and what hides latency, is "
      "left out.",
      kShownSteps.n, kShownSteps.window1, kShownSteps.window2, kShownSteps.dim, kShownSteps.tile));
  for (int which = 0; which < kAlgorithms; ++which)
    body += written_before(static_cast<Algorithm>(which)) + one_algorithm(static_cast<Algorithm>(which));
  return section("Steps", body, "steps");
}

}  // namespace triscope::report
