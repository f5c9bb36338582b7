// The section on rotations of the determinant form.
#include <fmt/format.h>

#include "profiler/paper/rotary.hpp"
#include "profiler/paper/rotary_cost.hpp"
#include "profiler/report/html.hpp"
#include "profiler/report/sections.hpp"

namespace triscope::report {
namespace {

constexpr Chunk3 kChunk{Vector3{1.0, 0.25, 0.1}, Vector3{-0.2, 0.95, 0.35}, Vector3{0.3, -0.3, 0.9}};
constexpr Positions3 kPositions{40, 37, 12};
constexpr std::int64_t kMostShift = 64;
constexpr double kAngle = 0.1;

}  // namespace

std::string rotation_section() {
  HtmlTable table{{"form of the logit", "one axis for q, k1 and k2", "an axis for each"},
                  {false, true, true},
                  {},
                  fmt::format("Worst change of one chunk's logit when all positions move on by up to {}", kMostShift)};
  const ShiftedLogits shared = shifted_logits(kChunk, RotaryAxes::shared, kPositions, kAngle, kMostShift);
  const ShiftedLogits different = shifted_logits(kChunk, RotaryAxes::different, kPositions, kAngle, kMostShift);
  table.rows.push_back({"determinant", fmt::format("{:.1e}", shared.worst_determinant),
                        fmt::format("{:.1e}", different.worst_determinant)});
  table.rows.push_back(
      {"sum q k1 k2", fmt::format("{:.1e}", shared.worst_trilinear), fmt::format("{:.1e}", different.worst_trilinear)});
  std::string body = paragraph(
      "Rotary embedding on chunks of three turns q, k1 and k2 by their positions. With determinants the logit then "
      "depends on relative positions only, if all rotations of a chunk share one axis.");
  body += html_table(table);
  for (const std::string& sentence : rotary_cost_sentences(rotary_costs())) body += paragraph(sentence);
  return section("Rotations", body);
}

}  // namespace triscope::report
