// The section on rotations: one chunk of q, k1 and k2 turned together, then by positions, and what a rotary prologue
// costs.
#include <fmt/format.h>

#include "profiler/paper/rotary.hpp"
#include "profiler/paper/rotary_cost.hpp"
#include "profiler/report/html.hpp"
#include "profiler/report/rotation_example.hpp"
#include "profiler/report/sections.hpp"
#include "profiler/report/svg_chart.hpp"

namespace triscope::report {
namespace {

std::string turning_chart() {
  SvgChart chart;
  chart.title = "q, k1 and k2 turned together";
  chart.x_label = "degrees";
  chart.y_label = "logit";
  SvgSeries det{"determinant", 'a', {}, {}, {}, {}}, sum{"sum q k1 k2", 'b', {}, {}, {}, {}};
  for (int degrees = 0; degrees <= 360; degrees += 5) {
    const TurnedLogits at = turned_logits(degrees);
    det.line.push_back({at.degrees, at.determinant});
    sum.line.push_back({at.degrees, at.trilinear});
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

HtmlTable turned_table() {
  HtmlTable table{{"turned by", "determinant", "sum q k1 k2"}, {true, true, true}, {}, "About one axis, all three"};
  for (int degrees = 0; degrees < 360; degrees += 45) {
    const TurnedLogits at = turned_logits(degrees);
    table.rows.push_back(
        {fmt::format("{}°", degrees), fmt::format("{:+.6f}", at.determinant), fmt::format("{:+.6f}", at.trilinear)});
  }
  return table;
}

HtmlTable worst_table(const ShiftedLogits& shared, const ShiftedLogits& different) {
  return {{"form of the logit", "one axis for q, k1 and k2", "an axis for each"},
          {false, true, true},
          {{"determinant", fmt::format("{:.1e}", shared.worst_determinant),
            fmt::format("{:.1e}", different.worst_determinant)},
           {"sum q k1 k2", fmt::format("{:.1e}", shared.worst_trilinear),
            fmt::format("{:.1e}", different.worst_trilinear)}},
          fmt::format("Largest change of the logit when all positions move on by up to {}", kExampleShift)};
}

}  // namespace

std::string rotation_section() {
  const ShiftedLogits shared = example_shift(RotaryAxes::shared), different = example_shift(RotaryAxes::different);
  std::string body = paragraph(
      "The logit of the determinant is the signed volume of the body that three vectors span, so a rotation of all "
      "three leaves it as it is. The plain sum of products changes.");
  body += figure(turning_chart(), "One chunk of three elements, turned about one axis") + html_table(turned_table());
  body += paragraph(
      "Rotary embedding turns q, k1 and k2 of a chunk by their positions. The determinant then depends on the "
      "differences of the positions only where all three turn about one axis.");
  body += figure(shift_chart(shared, different),
                 fmt::format("{} radians a position, from positions {}, {} and {}", kExampleAngle, kExamplePositions[0],
                             kExamplePositions[1], kExamplePositions[2]));
  body += html_table(worst_table(shared, different));
  for (const std::string& sentence : rotary_cost_sentences(rotary_costs())) body += paragraph(sentence);
  return section("Rotation", body);
}

}  // namespace triscope::report
