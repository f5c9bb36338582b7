// Tables and maps for print: text and rules; of a map of attention its cells alone are raster.
#include <gmock/gmock.h>

#include <functional>
#include <string>

#include "kernels/base/error.hpp"
#include "tests/profiler/store/synthetic_database.hpp"
#include "tests/views/attention/attention_fixture.hpp"
#include "tests/views/sweep_fixture.hpp"
#include "views/model/attention/grid_plan.hpp"
#include "views/model/latency_columns.hpp"
#include "views/model/tables/beside_model.hpp"
#include "views/print/canvas/svg_canvas.hpp"
#include "views/print/chart_picture.hpp"

namespace triscope {
namespace {

using fixture::even_slice;
using fixture::row;
using fixture::sweep;
using testing::HasSubstr;
using testing::Not;

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// The SVG and the PDF have the same words, and `raster` pictures of pixels each.
std::string checked(const std::function<std::string(VectorFormat)>& picture, std::size_t raster) {
  std::string svg = picture(VectorFormat::svg);
  const std::string pdf = picture(VectorFormat::pdf);
  EXPECT_EQ(count_of(svg, "<image"), raster);
  EXPECT_EQ(count_of(pdf, "/Subtype /Image"), raster);
  EXPECT_EQ(count_of(pdf, " Do Q\n"), raster);
  EXPECT_EQ(count_of(pdf, " Tj ET\n"), count_of(svg, "<text"));
  EXPECT_GT(count_of(svg, "<text"), 5U);
  EXPECT_THAT(svg.substr(svg.find("</style>")), Not(HasSubstr("nan")));
  return svg;
}

std::shared_ptr<SweepResults> two_pairs() {
  return sweep({row(1, 512, 32, Pass::forward, 20, 700), row(2, 256, 64, Pass::forward, 24, 600),
                fixture::baseline(3, Pass::forward, 26, 650)});
}

TEST(PrintTable, latency_has_a_text_for_each_cell_and_rules_alone) {
  const LatencyModel model = make_latency_model(*two_pairs(), nullptr);
  const std::vector<LatencyColumn> columns = latency_columns(model);
  const auto picture = [&](double wide) {
    return [&, wide](VectorFormat format) {
      PrintStyle style{format};
      style.size.width_cm = wide;
      return latency_picture(model, {0, 1, 2}, columns, "Latency", "a caption", style);
    };
  };
  checked(picture(kColumnCm), 0);
  checked(picture(kTextCm), 0);
  const std::string svg = checked(picture(40), 0);
  std::size_t cells = 0;
  for (const LatencyLine& line : model.lines) {
    for (const LatencyColumn& column : columns) cells += cell_text(line, column).empty() ? 0 : 1;
  }
  EXPECT_GE(count_of(svg, "</text>"), cells + columns.size() + model.groups.size()) << "cells and heads";
  EXPECT_EQ(count_of(svg, "<path"), 1 + 3 + model.groups.size())
      << "the ground, three rules, one below each group's head";
  EXPECT_THAT(svg, Not(HasSubstr("Columns without room")));
  EXPECT_THAT(picture(kColumnCm)(VectorFormat::svg), HasSubstr("Columns"));
  EXPECT_THROW(picture(kLeastPrintCm)(VectorFormat::svg), Error);
}

TEST(PrintTable, details_are_text_and_bars_of_one_measurement_and_of_a_beside_b) {
  fixture::Canvas canvas;
  WindowData data;
  data.shown = two_pairs();
  auto selected = std::make_shared<SelectedMeasurement>();
  selected->row = data.shown->rows[0];
  selected->measurement = synthetic_measurement(1, 12);
  selected->measurement.counters = {{std::string(kTensorBusy), "%", 76}, {"sm__inst_executed.sum", "inst", 100}};
  data.selected = selected;
  Context context{canvas.look, data, canvas.ui, canvas.models, canvas.requests, 0};
  const auto picture = [&](VectorFormat format) { return panel_picture(context, Panel::details, format); };
  const auto bars = [](const std::string& svg, std::size_t series) {
    return count_of(svg, "fill=\"" + css_colour(light_theme().series[series]) + "\"");
  };
  EXPECT_GE(bars(checked(picture, 0), 0), 1U) << "the share";
  auto other = std::make_shared<SelectedMeasurement>(*selected);
  other->row = data.shown->rows[1];
  other->measurement.counters[0].value = 38;
  data.beside = std::make_shared<const MeasurementBeside>(MeasurementBeside{other, {}});
  const std::string svg = checked(picture, 0);
  for (const char* word : {">A beside B<", ">A<", ">B<", ">A / B<", ">median<", "76", "38"})
    EXPECT_THAT(svg, HasSubstr(word));
  EXPECT_GE(bars(svg, 0), 2U) << "its time and the share";
  EXPECT_EQ(bars(svg, 0), bars(svg, 1)) << "one of each";
}

using PrintAttention = fixture::AttentionPanel;

TEST_F(PrintAttention, the_cells_of_a_map_are_raster_and_all_else_is_lines_and_text) {
  Context context{canvas.look, data, canvas.ui, canvas.models, canvas.requests, 0};
  const auto picture = [&](VectorFormat format) { return panel_picture(context, Panel::attention, format); };
  const std::string one = checked(picture, 1);
  for (const char* word : {"j: first key, tokens from the query", "k: second key, tokens from the query", ">0<",
                           "p, logarithmic", "query 50"})
    EXPECT_THAT(one, HasSubstr(word));
  const std::string kept = css_colour(light_theme().kept);
  ui().pinned = AttentionCell{48, 49};
  EXPECT_EQ(count_of(picture(VectorFormat::svg), kept), count_of(one, kept) + 1) << "the framed pair";
  ui().pinned.reset();
  ui().show = AttentionShow::side_by_side;
  EXPECT_EQ(count_of(checked(picture, 2), "j: first key"), 2U);
  ui().show = AttentionShow::difference;
  EXPECT_THAT(checked(picture, 1), HasSubstr("pA - pB"));
  side().source = nullptr;
  EXPECT_THROW(picture(VectorFormat::svg), Error);
}

TEST_F(PrintAttention, a_grid_names_its_queries_and_heads) {
  Context context{canvas.look, data, canvas.ui, canvas.models, canvas.requests, 0};
  const auto picture = [&](VectorFormat format) { return panel_picture(context, Panel::attention, format); };
  ui().show = AttentionShow::grid;
  ui().grid = {"40,50", "0,1"};
  const GridPlan plan = planned_grid(ui(), data.attention);
  ASSERT_TRUE(plan.request) << plan.problem;
  data.attention.grid.of = plan.request;
  EXPECT_THROW(picture(VectorFormat::svg), Error) << "not there yet";
  for (const std::int64_t query : {40, 50}) {
    for (const std::int64_t head : {0, 1}) data.attention.grid.cells[{query, head}] = even_slice(query, 16, 8);
  }
  const std::string svg = checked(picture, 4);
  for (const char* word : {">40<", ">50<", ">head 0<", ">head 1<", ">query<", "p, logarithmic"})
    EXPECT_THAT(svg, HasSubstr(word));
}

}  // namespace
}  // namespace triscope
