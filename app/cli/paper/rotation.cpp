// `triscope paper rotation`: what rotations do to the determinant and to the trilinear form.
#include <fmt/format.h>

#include "app/cli/paper/paper_sections.hpp"
#include "app/cli/text/terminal.hpp"
#include "app/cli/text/terminal_table.hpp"
#include "profiler/paper/rotary_cost.hpp"
#include "profiler/record/json.hpp"
#include "profiler/report/rotation_example.hpp"

namespace triscope {
namespace {

void print_turned(bool json) {
  TerminalTable table;
  table.columns = {{"turned by", Align::right, 100, false},
                   {"determinant", Align::right, 100, false},
                   {"sum q k1 k2", Align::right, 100, false}};
  for (int degrees = 0; degrees < 360; degrees += 45) {
    const TurnedLogits at = turned_logits(degrees);
    if (json) {
      write_json_line(dump_line(
          {{"type", "turned"}, {"degrees", at.degrees}, {"determinant", at.determinant}, {"trilinear", at.trilinear}}));
      continue;
    }
    table.rows.push_back({fmt::format("{} degrees", degrees), fmt::format("{:+.6f}", at.determinant),
                          fmt::format("{:+.6f}", at.trilinear)});
  }
  if (!json)
    print_output(
        "One chunk of q, k1 and k2, all three turned about one axis: the determinant, a signed volume, stays.\n\n{}\n",
        render(table, terminal_width(stdout, kUnlimitedWidth)));
}

void print_shifts(bool json) {
  TerminalTable table;
  table.columns = {{"form of the logit", Align::left, 100, false},
                   {"one axis for q, k1 and k2", Align::right, 100, false},
                   {"an axis for each", Align::right, 100, false}};
  const ShiftedLogits shared = example_shift(RotaryAxes::shared), different = example_shift(RotaryAxes::different);
  const auto add = [&](const char* form, double one, double three) {
    if (json)
      write_json_line(dump_line({{"type", "shifted"}, {"form", form}, {"one_axis", one}, {"an_axis_for_each", three}}));
    table.rows.push_back({form, fmt::format("{:.1e}", one), fmt::format("{:.1e}", three)});
  };
  add("determinant", shared.worst_determinant, different.worst_determinant);
  add("sum q k1 k2", shared.worst_trilinear, different.worst_trilinear);
  if (json) return;
  print_output(
      "Rotary embedding turns each vector by its position, {} radians each, from positions {}, {} and {}. Largest "
      "change of\nthe logit when all three move on by up to {}:\n\n{}\n",
      kExampleAngle, kExamplePositions[0], kExamplePositions[1], kExamplePositions[2], kExampleShift,
      render(table, terminal_width(stdout, kUnlimitedWidth)));
  for (const std::string& sentence : rotary_cost_sentences(rotary_costs())) print_output("{}\n", sentence);
}

}  // namespace

void print_rotation(bool json) {
  print_turned(json);
  print_shifts(json);
}

}  // namespace triscope
