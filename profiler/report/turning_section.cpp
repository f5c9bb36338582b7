// One chunk of q, k1 and k2 under rotations: the determinant stays, the trilinear form moves.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "profiler/paper/rotary.hpp"
#include "profiler/report/html.hpp"
#include "profiler/report/sections.hpp"
#include "profiler/report/svg_chart.hpp"

namespace triscope::report {
namespace {

constexpr std::int64_t kMostShift = 64;
constexpr Positions3 kPositions{40, 33, 12};
constexpr double kAngle = 0.1;

Chunk3 turned(double degrees) {
  const Vector3 axis{0.6, 0.8, 0};
  Chunk3 chunk = kExampleChunk;
  for (Vector3& v : chunk) v = rotated(v, axis, degrees * std::numbers::pi / 180);
  return chunk;
}

std::string turning_chart() {
  SvgChart chart;
  chart.title = "q, k1 and k2 turned together";
  chart.x_label = "degrees";
  chart.y_label = "logit";
  SvgSeries det{"determinant", 'a', {}, {}, {}, {}}, sum{"sum q k1 k2", 'b', {}, {}, {}, {}};
  for (int degrees = 0; degrees <= 360; degrees += 5) {
    const Chunk3 chunk = turned(degrees);
    det.line.push_back({static_cast<double>(degrees), determinant(chunk)});
    sum.line.push_back({static_cast<double>(degrees), trilinear(chunk)});
  }
  for (int degrees = 0; degrees <= 360; degrees += 90)
    chart.x_ticks.push_back({static_cast<double>(degrees), std::to_string(degrees)});
  chart.series = {det, sum};
  return svg_chart(chart);
}

std::string shift_chart(const ShiftedLogits& shared, const ShiftedLogits& different) {
  SvgChart chart;
  chart.title = "Rotary embedding, all positions moved on together";
  chart.x_label = "positions moved on";
  chart.y_label = "determinant";
  SvgSeries one{"one axis", 'a', {}, {}, {}, {}}, three{"an axis for each", 'b', {}, {}, {}, {}};
  for (std::size_t shift = 0; shift < shared.determinants.size(); ++shift) {
    one.line.push_back({static_cast<double>(shift), shared.determinants[shift]});
    three.line.push_back({static_cast<double>(shift), different.determinants[shift]});
  }
  chart.series = {one, three};
  return svg_chart(chart);
}

}  // namespace

std::string turning() {
  HtmlTable table{{"turned by", "determinant", "sum q k1 k2"}, {true, true, true}, {}, "About one axis, all three"};
  for (int degrees = 0; degrees < 360; degrees += 45) {
    const Chunk3 chunk = turned(degrees);
    table.rows.push_back({fmt::format("{}°", degrees), fmt::format("{:+.6f}", determinant(chunk)),
                          fmt::format("{:+.6f}", trilinear(chunk))});
  }
  const ShiftedLogits shared = shifted_logits(kExampleChunk, RotaryAxes::shared, kPositions, kAngle, kMostShift);
  const ShiftedLogits different = shifted_logits(kExampleChunk, RotaryAxes::different, kPositions, kAngle, kMostShift);
  return section(
      "Rotation",
      paragraph("The logit of the determinant is the signed volume of the body that three vectors span, so a rotation "
                "of all three leaves it as it is. The plain sum of products changes. With a rotation by position, the "
                "determinant depends on the differences of the positions only where q, k1 and k2 of a chunk turn "
                "about one axis.") +
          figure(turning_chart(), "One chunk of three elements, turned about one axis") +
          figure(shift_chart(shared, different),
                 fmt::format("{} radians a position, from positions {}, {} and {}. Largest change of the determinant: "
                             "{:.1e} about one axis, {:.2f} about an axis for each",
                             kAngle, kPositions[0], kPositions[1], kPositions[2], shared.worst_determinant,
                             different.worst_determinant)) +
          html_table(table));
}

}  // namespace triscope::report
