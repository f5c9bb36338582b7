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

}  // namespace
}  // namespace triscope
