// What a person filters in the Explore panel by typing and by clicks, and what stays in view.
#include <fmt/format.h>
#include <imgui_internal.h>
#include <imgui_te_context.h>
#include <imgui_te_engine.h>
#include <imgui_te_internal.h>

#include <string>
#include <tuple>

#include "tests/views/journeys/explore/explore_journey.hpp"

namespace triscope {
namespace {

class ExploreFilterJourney : public fixture::ExploreJourney {};

TEST_F(ExploreFilterJourney, another_number_of_panels_stays_fitted_and_keeps_a_zoom) {
  travel([](ImGuiTestContext* c) {
    show(c);
    IM_CHECK_EQ(chart().plots.size(), 2U);
    IM_CHECK(is_fitted());
    for (const char* filter : {"pass=forward", "pass=backward", "pass=forward seq<4096", "", "pass=backward"}) {
      type_filter(c, filter);
      IM_CHECK_EQ(chart().plots.size(), filter[0] == 0 ? 2U : 1U);
      IM_CHECK(is_fitted());
    }
    choose(c, "//###explore/##rows", "//##Combo_00/form##form");
    type_filter(c, "");
    IM_CHECK_GT(chart().plots.size(), 2U);
    IM_CHECK(is_fitted());
    c->MouseMoveToPos(plot().PlotRect.GetCenter());
    c->MouseWheelY(2);
    c->Yield(3);
    const ChartLimits zoomed = seen();
    IM_CHECK(!is_fitted());
    type_filter(c, "form=trilinear");
    IM_CHECK_EQ(chart().plots.size(), 2U);
    IM_CHECK(seen() == zoomed);
    c->KeyPress(ImGuiKey_Escape);
    c->KeyPress(ImGuiKey_F);
    c->Yield(3);
    IM_CHECK(is_fitted());
  });
}

TEST_F(ExploreFilterJourney, a_right_click_filters_by_a_series_a_name_of_the_axis_or_a_mark) {
  travel([](ImGuiTestContext* c) {
    show(c);
    choose(c, "//###explore/##x", "//##Combo_00/windows##window");
    const std::size_t all = chart().matched;
    std::string named;
    for (const ExploreLine& line : chart().plots[0].lines) {
      if (line.style >= 0 && !line.name.empty()) named = line.name;
    }
    c->ItemClick(fmt::format("//###explore/legend/ {}", named).c_str(), ImGuiMouseButton_Right);
    c->ItemClick("//$FOCUSED/###Not kernel");
    wait(c);
    IM_CHECK(ui().explore.filter.starts_with("kernel!="));
    IM_CHECK(chart().matched > 0 && chart().matched < all);
    ui().explore.filter.clear();
    wait(c);
    IM_CHECK_EQ(chart().matched, all);
    // A name below the last plot.
    const ImPlotPlot& last = plot();
    const auto& named_x = chart().x.named;
    const auto windows =
        std::ranges::find_if(named_x, [](const auto& one) { return one.second == "512 × 32"; });  // both passes
    IM_CHECK(windows != named_x.end());
    const double at = windows->first;
    const float along = static_cast<float>((at - last.Axes[ImAxis_X1].Range.Min) / last.Axes[ImAxis_X1].Range.Size());
    c->MouseMoveToPos(ImVec2(last.PlotRect.Min.x + along * last.PlotRect.GetWidth(), last.PlotRect.Max.y + 8));
    c->MouseClick(ImGuiMouseButton_Right);
    c->ItemClick("//$FOCUSED/###Only window");
    wait(c);
    IM_CHECK(ui().explore.filter.starts_with("window="));
    IM_CHECK(chart().matched > 0 && chart().matched < all);
    IM_CHECK_EQ(chart().x.names.size(), 1U);
    // A mark, beside what the filter says already.
    ui().explore.filter += " pass=backward seq=32k head_dim=128 heads=64/1 form=trilinear";  // few: none stands aside
    wait(c);
    const ExploreLine& line = chart().plots.at(0).lines.at(0);
    const ExploreMark& mark = line.marks.front();
    const std::string series = line.name;
    c->MouseMoveToPos(ImVec2(plot().Axes[ImAxis_X1].PlotToPixels(mark.x), plot().Axes[ImAxis_Y1].PlotToPixels(mark.y)));
    c->MouseClick(ImGuiMouseButton_Right);
    c->ItemClick("//$FOCUSED/###Only kernel");
    wait(c);
    IM_CHECK(ui().explore.filter.find(" form=trilinear kernel=") != std::string::npos);
    IM_CHECK_EQ(chart().plots.at(0).lines.size(), 1U);
    IM_CHECK_STR_EQ(chart().plots[0].lines[0].name.c_str(), series.c_str());
  });
}

TEST_F(ExploreFilterJourney, what_clicks_wrote_into_the_filter_is_taken_back_and_what_is_wrong_is_left_alone) {
  travel([](ImGuiTestContext* c) {
    show(c);
    type_filter(c, "pass=forward");
    c->KeyPress(ImGuiKey_Escape);
    IM_CHECK(!c->ItemExists("//###explore/Undo"));
    const std::string named = "//###explore/legend/ " + chart().plots.at(0).lines.at(0).name;
    for (const char* item : {"//$FOCUSED/###Only kernel", "//$FOCUSED/###Not kernel"}) {
      c->ItemClick(named.c_str(), ImGuiMouseButton_Right);
      c->ItemClick(item);
      c->Yield(3);  // of the second nothing is drawn, and nobody waits for that
    }
    IM_CHECK(ui().explore.filter.starts_with("pass=forward kernel="));
    IM_CHECK(ui().explore.filter.find(" kernel!=") != std::string::npos);
    wait(c);
    c->ItemClick("//###explore/Undo");
    IM_CHECK(ui().explore.filter.find(" kernel!=") == std::string::npos);
    c->ItemClick("//###explore/Undo");
    wait(c);
    IM_CHECK_STR_EQ(ui().explore.filter.c_str(), "pass=forward");
    IM_CHECK(!c->ItemExists("//###explore/Undo"));
    // Who types has left the way back.
    c->ItemClick(named.c_str(), ImGuiMouseButton_Right);
    c->ItemClick("//$FOCUSED/###Only kernel");
    wait(c);
    type_filter(c, "pass=forward colour=red");
    c->KeyPress(ImGuiKey_Escape);
    c->Yield(2);
    IM_CHECK(!c->ItemExists("//###explore/Undo"));
    c->ItemClick(named.c_str(), ImGuiMouseButton_Right);
    IM_CHECK((c->ItemInfo("//$FOCUSED/###Only kernel").ItemFlags & ImGuiItemFlags_Disabled) != 0);
  });
}

TEST_F(ExploreFilterJourney, a_rectangle_selects_also_where_its_end_and_the_release_are_one_frame) {
  travel([](ImGuiTestContext* c) {
    show(c);
    choose(c, "//###explore/##panels", "//##Combo_00/none");
    const ImRect area = plot().PlotRect;
    IM_CHECK(ui().selection.all().empty());
    c->MouseMoveToPos(ImVec2(area.Min.x + 4, area.Min.y + 4));
    c->KeyDown(ImGuiMod_Shift);
    c->MouseDown();
    c->Inputs->MousePosValue = ImVec2(area.Max.x - 4, area.Max.y - 4);
    c->Inputs->MouseButtonsValue = 0;
    c->Yield(2);
    c->KeyUp(ImGuiMod_Shift);
    wait(c);
    IM_CHECK_GT(ui().selection.all().size(), 1U);
  });
}

TEST_F(ExploreFilterJourney, a_chart_of_the_sweep_opens_here_with_its_rows) {
  travel([](ImGuiTestContext* c) {
    for (const auto& [panel, button, x] :
         {std::tuple(Panel::tflops, "//###tflops/###Copy", "window"), std::tuple(Panel::map, "//###map/###Copy", "w2"),
          std::tuple(Panel::scaling, "//###scaling/###Copy", "area"),
          std::tuple(Panel::lengths, "//###lengths/###Copy", "seq")}) {
      front(c, panel);
      wait(c);
      c->ItemClick(button);
      c->ItemClick("//$FOCUSED/Open in Explore");
      wait(c);
      IM_CHECK_STR_EQ(chart().query.x.c_str(), x);
      IM_CHECK(marks() > 0);
      const std::string sweep = fmt::format("sweep={}", ui().selection.shown_sweep);
      IM_CHECK_EQ(ui().explore.filter.starts_with(sweep), panel != Panel::lengths);
      IM_CHECK_EQ(ui().explore.filter, chart().query.where);
    }
  });
}

}  // namespace
}  // namespace triscope
