// Table 1 of the paper beside this device, as it is drawn.
#include <gmock/gmock.h>

#include "tests/views/pictures/canvas.hpp"
#include "tests/views/sweep_fixture.hpp"

namespace triscope {
namespace {

TEST(Table1Panel, has_bars_only_where_the_shape_is_the_papers) {
  ResultRow one = fixture::row(1, 512, 32, Pass::forward, 24, 0.2);
  const auto shown = [&one] {
    WindowData data;
    data.shown = fixture::sweep({one});
    data.revision = 1;
    fixture::Canvas canvas;
    ImGui::GetIO().DisplaySize = ImVec2(1600, 900);
    canvas.ui.paper.page = PaperPage::table1;
    canvas.draw(Panel::paper, data);
    return canvas.text;
  };
  // Where there is no bar for want of a time, its column says so.
  constexpr const char* kInPlaceOfABar = "not measured on this device";
  EXPECT_THAT(shown(), testing::Not(testing::HasSubstr(kInPlaceOfABar))) << "the bars would have two scales";
  one.problem.seq_len = 32768;
  one.problem.q_heads = 64;
  one.problem.head_dim = 128;
  EXPECT_THAT(shown(), testing::HasSubstr(kInPlaceOfABar));
}

TEST(Table1Panel, has_a_bar_below_it_only_where_a_column_lies_beyond_its_edge) {
  WindowData data;
  data.shown = fixture::sweep({fixture::row(1, 512, 32, Pass::forward, 24, 0.2)});
  data.revision = 1;
  fixture::Canvas canvas;
  canvas.ui.paper.page = PaperPage::table1;
  int whole = 0, cut = 0;
  for (float width = 700; width < 1100; width += 10) {
    ImGui::GetIO().DisplaySize = ImVec2(width, 900);
    canvas.draw(Panel::paper, data);
    ImPool<ImGuiTable>& tables = ImGui::GetCurrentContext()->Tables;
    for (int n = 0; n < tables.GetMapSize(); ++n) {
      const ImGuiTable* table = tables.TryGetMapData(n);
      if (table == nullptr || table->LastFrameActive < ImGui::GetFrameCount() || table->ColumnsCount < 10) continue;
      const bool fits = table->Columns[table->ColumnsCount - 1].MaxX <= table->InnerClipRect.Max.x + 1;
      EXPECT_EQ(table->InnerWindow->ScrollbarX, !fits) << width;
      (fits ? whole : cut) += 1;
    }
  }
  EXPECT_GT(whole, 3);
  EXPECT_GT(cut, 3);
}

}  // namespace
}  // namespace triscope
