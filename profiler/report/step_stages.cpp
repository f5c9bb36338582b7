#include "profiler/report/step_stages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace triscope {
namespace {

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

}  // namespace

std::vector<StepStage> step_stages(const AlgorithmSteps& run, std::int64_t program) {
  std::vector<StepStage> all;
  for (const std::string& line : run.listing) all.push_back({line, 0, "", ""});
  for (const AlgorithmStep& step : run.steps) {
    if (step.program != program) continue;
    StepStage& stage = all.at(static_cast<std::size_t>(step.line));
    if (stage.times++ == 0) stage.unit = unit_of(step.kind), stage.says = step.says;
  }
  return all;
}

std::int64_t longest_program(const AlgorithmSteps& run) {
  std::vector<std::int64_t> steps(static_cast<std::size_t>(run.programs));
  for (const AlgorithmStep& step : run.steps) ++steps[static_cast<std::size_t>(step.program)];
  return std::ranges::max_element(steps) - steps.begin();
}

std::string programs_text(const AlgorithmSteps& run) {
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

}  // namespace triscope
