// What has no room in a list is counted: pairs of windows, panels, names of a legend, rows, configurations.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <imgui_internal.h>
#include <implot.h>
#include <implot_internal.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "tests/views/pictures/canvas.hpp"
#include "tests/views/sweep_fixture.hpp"
#include "views/model/charts/explore_chart.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

using fixture::Canvas;
using testing::HasSubstr;
using testing::Not;

TEST(CountedRest, problems_that_have_no_curve_by_length) {
  const auto said = [](std::int64_t pairs) {
    std::vector<ResultRow> rows;
    for (std::int64_t pair = 1; pair <= pairs; ++pair) {
      for (const std::int64_t tokens : {4096, 8192}) {
        rows.push_back(fixture::row(static_cast<std::int64_t>(rows.size()) + 1, 32 * pair, 32, Pass::forward,
                                    static_cast<double>(pair * tokens) / 1000, 1));
        rows.back().problem.seq_len = tokens;
      }
    }
    WindowData data;
    data.shown = fixture::sweep(std::move(rows));
    Canvas canvas;
    canvas.draw(Panel::lengths, data);
    return canvas.text;
  };
  EXPECT_THAT(said(7), Not(HasSubstr("no curve")));
  EXPECT_THAT(said(8), HasSubstr("1 more problem has no curve: of one length alone, or beyond as many"));
  EXPECT_THAT(said(10), HasSubstr("3 more problems have no curve: of one length alone, or beyond as many"));
}

TEST(CountedRest, panels_of_an_exploration) {
  std::vector<ResultRow> rows;
  for (int n = 0; n < static_cast<int>(kMostPlots) + 3; ++n) {
    rows.push_back(fixture::row(n + 1, 512, 32, Pass::forward, 10 + n, 0.2));
    rows.back().instance = fmt::format("tile {}", n);
  }
  const std::string name = "one.db";
  const ExploreSource source{name, rows};
  const ExploreQuery query{"seq", "ms", "", "instance", "", false};
  WindowData data;
  data.database = "/data/one.db";
  data.shown = fixture::small_sweep();
  data.sweeps.push_back(data.shown->info);
  data.explore.chart =
      std::make_shared<const ExploreChart>(explore_chart(explore({&source, 1}, query), query, {&source, 1}));
  Canvas canvas;
  canvas.ui.explore.query = query;
  canvas.draw(Panel::explore, data);
  EXPECT_THAT(canvas.text, HasSubstr("; 3 panels left out"));
}

/// Draws with what is given in a window of this size.
template <typename Draw>
void draw_in_window(ImVec2 size, Draw draw) {
  ImGui::NewFrame();
  ImGui::SetNextWindowPos(ImVec2(0, 0));
  ImGui::SetNextWindowSize(size);
  ImGui::Begin("test", nullptr, ImGuiWindowFlags_NoDecoration);
  draw();
  ImGui::End();
  ImGui::Render();
  accept_textures(*ImGui::GetDrawData());
}

TEST(CountedRest, names_of_a_legend_in_lines_which_stay_within_their_width) {
  Canvas canvas;
  const WindowData data;
  const Context context{canvas.look, data, canvas.ui, canvas.models, canvas.requests, 0};
  const std::vector<LegendName> entries(9, {"series", IM_COL32_WHITE});
  constexpr int kOfName = 4 + 4 * 6, kOfRest = 4 * 8;  // vertices: a mark and six letters; "and 5 more"
  for (const float width : {130.0F, 180.0F, 240.0F, 300.0F}) {
    for (int frame = 0; frame < 3; ++frame) {
      draw_in_window(ImVec2(width, 110), [&] {
        const ImDrawList* list = ImGui::GetWindowDrawList();
        const int before = list->VtxBuffer.Size;
        const float edge = ImGui::GetCurrentWindow()->WorkRect.Max.x;
        ImGui::LogToBuffer();
        draw_legend(context, nullptr, entries);
        const std::string text = ImGui::GetCurrentContext()->LogBuffer.c_str();
        ImGui::LogFinish();
        if (frame < 2) return;
        const int names = (list->VtxBuffer.Size - before - (text.empty() ? 0 : kOfRest)) / kOfName;
        EXPECT_EQ(text, names == 9 ? "" : fmt::format("and {} more", 9 - names)) << width;
        EXPECT_LE(ImGui::GetItemRectMax().x, edge) << width;
      });
    }
  }
}

TEST(CountedRest, configurations_that_cannot_run_here) {
  WindowData data;
  PlanPreview preview;
  preview.measurements = 5;
  preview.seconds = 60;
  data.preview = std::make_shared<const PlanPreview>(preview);
  Canvas canvas;
  canvas.draw(Panel::setup, data);
  EXPECT_THAT(canvas.text, Not(HasSubstr("cannot run here")));
  preview.skipped = 3;
  data.preview = std::make_shared<const PlanPreview>(preview);
  canvas.draw(Panel::setup, data);
  EXPECT_THAT(canvas.text, HasSubstr("; 3 more cannot run here"));
}

TEST(CountedRest, selected_rows_that_are_not_compared_or_not_listed) {
  WindowData data;
  data.shown = fixture::small_sweep();
  SelectedMeasurement first;
  first.row = data.shown->rows.front();
  data.selected = std::make_shared<const SelectedMeasurement>(first);
  SelectionFigures figures;
  for (std::int64_t n = 0; n < 1000; ++n) {
    figures.rows.push_back({first.row, {}});
    figures.rows.back().row.measurement = n + 1;
  }
  Canvas canvas;
  const auto said = [&](std::int64_t selected, bool all_compared) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(selected));
    std::iota(all.begin(), all.end(), 1);
    canvas.ui.selection.select_all(all);
    figures.all_compared = all_compared;
    data.figures = std::make_shared<const SelectionFigures>(figures);
    canvas.draw(Panel::details, data);
    return canvas.text;
  };
  const std::string all = said(1000, true);
  EXPECT_THAT(all, Not(HasSubstr("are compared with A")));
  EXPECT_THAT(all, Not(HasSubstr("are listed and copied")));
  EXPECT_THAT(said(1000, false), HasSubstr("Only the first 64 are compared with A."));
  EXPECT_THAT(said(1500, true), HasSubstr("The first 1,000 are listed and copied."));
}

}  // namespace
}  // namespace triscope
