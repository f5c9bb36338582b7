// What the tables say, and in which colour, drawn with no display.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>

#include "tests/views/pictures/canvas.hpp"
#include "tests/views/sweep_fixture.hpp"

namespace triscope {
namespace {

using fixture::Canvas;
using fixture::failed;
using fixture::row;
using fixture::small_sweep;
using fixture::sweep;
using testing::HasSubstr;
using testing::Not;

/// Letters of this colour in what was drawn last: four corners each, of text that is seen.
std::size_t letters_of(ImU32 colour) {
  std::size_t corners = 0;
  for (const ImDrawList* list : ImGui::GetDrawData()->CmdLists) {
    for (const ImDrawVert& corner : list->VtxBuffer) corners += corner.col == colour;
  }
  return corners / 4;
}

TEST(TableText, how_many_rows_failed_is_said_first_and_in_the_colour_of_what_failed) {
  WindowData data;
  data.shown = sweep({failed(row(1, 512, 32, Pass::forward, 1, 1), "the worker died"),
                      failed(row(2, 256, 64, Pass::forward, 1, 1), "the worker died")});
  Canvas canvas;
  canvas.draw(Panel::latency, data);
  EXPECT_THAT(canvas.text, HasSubstr("2 failed"));
  const std::string in_colour =
      "2failed"
      "failed"
      "failed";  // the line, and a cell each
  EXPECT_EQ(letters_of(canvas.look.theme.slower), in_colour.size());
  data.shown = small_sweep();
  data.revision = 1;
  canvas.draw(Panel::latency, data);
  EXPECT_THAT(canvas.text, Not(HasSubstr("failed")));
  EXPECT_EQ(letters_of(canvas.look.theme.slower), 0U);
}

TEST(TableText, a_sweep_that_is_its_own_baseline_is_called_so) {
  WindowData data;
  data.shown = data.baseline = small_sweep();
  data.against_baseline = std::make_shared<const Comparisons>();
  Canvas canvas;
  canvas.draw(Panel::latency, data);
  EXPECT_THAT(canvas.text, HasSubstr("this sweep is the baseline"));
  EXPECT_THAT(canvas.text, Not(HasSubstr("no row in common")));
}

TEST(TableText, a_comparison_of_sweeps_that_failed_does_not_say_that_they_differ) {
  WindowData data;
  auto broken = small_sweep();
  for (ResultRow& one : broken->rows) one = failed(one, "the worker died");
  data.shown = broken;
  data.compared = {{small_sweep(), {}}, {broken, {}}};
  Canvas canvas;
  canvas.draw(Panel::compare, data);
  EXPECT_THAT(canvas.text, HasSubstr("6 of 6 shared measurements failed"));
  EXPECT_THAT(canvas.text, Not(HasSubstr("below 1 A takes shorter"))) << "there is no ratio";
  auto one_failed = small_sweep();
  one_failed->rows[0] = failed(one_failed->rows[0], "the worker died");
  data.compared = {{small_sweep(), {}}, {one_failed, {}}};
  data.compared[1].against_first[2] = {2, {Verdict::same, 1.0, {0.99, 1.01}, {}, false, 0.02, ""}};
  data.revision = 1;
  canvas.draw(Panel::compare, data);
  EXPECT_THAT(canvas.text, HasSubstr("A failed"));
}

TEST(TableText, an_empty_comparison_says_what_it_needs) {
  WindowData data;
  data.database = "/data/results.db";
  Canvas canvas;
  canvas.draw(Panel::compare, data);
  EXPECT_THAT(canvas.text, HasSubstr("A comparison needs two sweeps"));
  data.shown = sweep({});
  data.sweeps = {data.shown->info, data.shown->info};
  canvas.draw(Panel::compare, data);
  EXPECT_THAT(canvas.text, HasSubstr("The shown sweep holds no measurements."));
  EXPECT_THAT(canvas.text, Not(HasSubstr("appears here"))) << "none will";
  data.compared = {{small_sweep(), {}}, {data.shown, {}}};
  data.revision = 1;
  canvas.draw(Panel::compare, data);
  EXPECT_THAT(canvas.text, HasSubstr("holds no measurement: there is nothing to compare"));
}

/// The table of Compare that was drawn last.
const ImGuiTable& compare_table() {
  const ImPool<ImGuiTable>& tables = ImGui::GetCurrentContext()->Tables;
  const ImGuiTable* widest = nullptr;
  for (int n = 0; n < tables.GetMapSize(); ++n) {
    const ImGuiTable* one = const_cast<ImPool<ImGuiTable>&>(tables).TryGetMapData(n);
    if (one != nullptr && (widest == nullptr || one->ColumnsCount > widest->ColumnsCount)) widest = one;
  }
  return *widest;
}

TEST(TableText, every_column_of_two_sweeps_is_seen_in_a_panel_of_a_small_window) {
  auto before = small_sweep(), after = small_sweep();
  for (ResultRow& one : after->rows) one.reason = "not converged: +-1.5 % over 3 restarts, 1.0 % was asked for";
  WindowData data;
  data.shown = after;
  data.compared = {{before, {}}, {after, {}}};
  for (const ResultRow& one : after->rows)
    data.compared[1].against_first[one.measurement] = {one.measurement,
                                                       {Verdict::unclear, 1.02, {0.98, 1.06}, 1.01, false, 0.02, ""}};
  Canvas canvas;
  for (const float width : {1280.0F, 720.0F}) {
    ImGui::GetIO().DisplaySize = ImVec2(width, 400);
    canvas.draw(Panel::compare, data);
    const ImGuiTable& table = compare_table();
    ASSERT_EQ(table.ColumnsCount, 10) << "window, kernel, verdict, ratio, interval, cycles, two times, doubts, pass";
    EXPECT_LE(table.Columns[9].WorkMaxX, table.InnerClipRect.Max.x + 1) << width;
  }
}

TEST(TableText, no_column_of_a_comparison_is_cut_in_half_by_the_edge) {
  WindowData data;
  data.shown = small_sweep();
  for (std::int64_t id = 1; id <= 4; ++id) {
    auto results = small_sweep();
    results->info.id = id;
    ComparedSweep side{results, {}};
    for (const ResultRow& one : results->rows)
      side.against_first[one.measurement] = {one.measurement,
                                             {Verdict::unclear, 1.02, {0.98, 1.06}, 1.01, false, 0.02, ""}};
    data.compared.push_back(side);
  }
  Canvas canvas;
  std::size_t beyond = 0;
  for (float width = 500; width <= 1300; width += 50) {
    ImGui::GetIO().DisplaySize = ImVec2(width, 400);
    canvas.draw(Panel::compare, data);
    const ImGuiTable& table = compare_table();
    const float edge = table.InnerClipRect.Max.x;
    for (int n = 1; n < table.ColumnsCount; ++n) {
      const ImGuiTableColumn& column = table.Columns[n];
      if (column.WorkMaxX <= edge + 1) continue;
      ++beyond;
      EXPECT_GT(column.MinX, edge - 30) << "column " << n << " at " << width;
    }
  }
  EXPECT_GT(beyond, 50U) << "else this shows nothing";
}

TEST(TableText, doubts_that_have_no_room_keep_the_words_that_matter) {
  auto before = small_sweep(), after = small_sweep();
  for (ResultRow& one : after->rows) {
    one.restarts = 1;
    one.reason = "not converged: +-1.5 % over 3 restarts, 1.0 % was asked for";
  }
  WindowData data;
  data.shown = after;
  data.compared = {{before, {}}, {after, {}}};
  for (const ResultRow& one : after->rows)
    data.compared[1].against_first[one.measurement] = {one.measurement,
                                                       {Verdict::unclear, 1.02, {0.98, 1.06}, 1.01, false, 0.02, ""}};
  Canvas canvas;
  const auto said = [&](float width) {
    ImGui::GetIO().DisplaySize = ImVec2(width, 400);
    canvas.draw(Panel::compare, data);
    return canvas.text;
  };
  EXPECT_THAT(said(1280), HasSubstr("A not converged, one process"));
  const std::string less = said(900);
  EXPECT_THAT(less, HasSubstr("not converged"));
  EXPECT_THAT(less, Not(HasSubstr("A not converged, one process")));
  EXPECT_THAT(said(600), Not(HasSubstr("not converged"))) << "no word is cut: which side it is has room";
}

}  // namespace
}  // namespace triscope
