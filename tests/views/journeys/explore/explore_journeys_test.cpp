// What a person does with the Explore panel: chooses fields, filters, opens a point in another sweep, keeps a view.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <implot.h>
#include <implot_internal.h>

#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "kernels/base/error.hpp"
#include "profiler/plan/request.hpp"
#include "tests/paths.hpp"
#include "tests/views/journeys/explore/explore_journey.hpp"
#include "views/parts/chart_tools.hpp"

namespace triscope {
namespace {

using fixture::ExploreJourney;

const std::string kOther = recorded_file("h100.db");

TEST_F(ExploreJourney, a_list_opens_beside_its_box_with_what_was_chosen_in_view_and_its_hints_beside_it) {
  travel([](ImGuiTestContext* c) {
    show(c);
    for (const auto& [box, chosen] : {std::pair("//###explore/##y", "//##Combo_00/time##ms"),
                                      std::pair("//###explore/##panels", "//##Combo_00/pass##pass")}) {
      c->ItemClick(box);
      c->Yield(3);
      const ImGuiWindow* list = ImGui::FindWindowByName("##Combo_00");
      IM_CHECK(list != nullptr && list->Active);
      IM_CHECK_SILENT(!list->Rect().Contains(ImGui::GetMousePos()));
      IM_CHECK(list->Rect().GetHeight() > 100);
      c->MouseMove(chosen);
      c->SleepNoSkip(1.5F, 0.1F);
      for (const ImGuiWindow* shown : ImGui::GetCurrentContext()->Windows) {
        if ((shown->Flags & ImGuiWindowFlags_Tooltip) != 0 && shown->Active && !shown->Hidden)
          IM_CHECK(!shown->Rect().Overlaps(list->Rect()));
      }
      c->KeyPress(ImGuiKey_Escape);
    }
  });
}

TEST_F(ExploreJourney, fields_and_a_filter_choose_what_is_drawn) {
  travel([](ImGuiTestContext* c) {
    show(c);
    IM_CHECK_EQ(chart().plots.size(), 2U);  // the passes
    IM_CHECK_EQ(chart().matched, chart().rows);
    choose(c, "//###explore/##y", "//##Combo_00/TFLOP\\/s##tflops");
    choose(c, "//###explore/##x", "//##Combo_00/windows##window");
    choose(c, "//###explore/##colour", "//##Combo_00/form##form");
    choose(c, "//###explore/##panels", "//##Combo_00/none");
    IM_CHECK_STR_EQ(chart().y.label.c_str(), "TFLOP/s");
    IM_CHECK(!chart().x.names.empty());
    IM_CHECK_EQ(chart().plots.size(), 1U);
    const auto is_a_form = [](const ExploreLine& line) { return line.name == "trilinear"; };
    IM_CHECK(std::ranges::any_of(chart().plots[0].lines, is_a_form));
    type_filter(c, "kernel=cuda.hopper");  // of many lengths
    IM_CHECK_LT(chart().matched, chart().rows);
    const std::size_t all = marks();
    c->ItemClick("//**/Best of each");
    wait(c);
    IM_CHECK_LT(marks(), all);
    IM_CHECK_EQ(app().text_of(Panel::explore).rows.size(), marks());
  });
}

TEST_F(ExploreJourney, a_filter_that_is_wrong_says_why_and_leaves_the_chart) {
  travel([](ImGuiTestContext* c) {
    show(c);
    type_filter(c, "pass=forward");
    const std::size_t matched = chart().matched;
    type_filter(c, "pass=forward colour=red");
    IM_CHECK(filter_problem(ui().explore.filter).find("colour") != std::string::npos);
    IM_CHECK_EQ(chart().matched, matched);
    IM_CHECK(data().explore.problem.empty());
    const std::size_t drawn = marks();
    type_filter(c, "windw");  // a word, which nothing has: on the way to a term that is wrong
    IM_CHECK_EQ(chart().matched, 0U);
    type_filter(c, "windw=512x32");
    IM_CHECK_EQ(chart().matched, matched);
    IM_CHECK_EQ(marks(), drawn);
    type_filter(c, "fa");  // a word that some have
    IM_CHECK(chart().matched > 0 && chart().matched != matched);
    type_filter(c, "fa=3");
    IM_CHECK_EQ(chart().matched, matched);
    type_filter(c, "seq=77");  // a whole term that none has
    IM_CHECK_EQ(chart().matched, 0U);
    type_filter(c, "seq=77 colour=red");
    IM_CHECK_EQ(chart().matched, matched);
    type_filter(c, "pass=forward colour=red");
    c->KeyPress(ImGuiKey_Escape);  // leaves it
    wait(c);
    IM_CHECK(!ImGui::GetIO().WantTextInput);
    IM_CHECK_STR_EQ(ui().explore.filter.c_str(), "pass=forward colour=red");
    type_filter(c, "window=512x32");
    IM_CHECK(!chart().hints.empty());
    c->ItemClick("//###explore/Add ,causal");
    wait(c);
    IM_CHECK_STR_EQ(ui().explore.filter.c_str(), "window=512x32,causal");
  });
}

TEST_F(ExploreJourney, a_filter_that_matches_nothing_names_its_term_and_takes_it_out) {
  travel([](ImGuiTestContext* c) {
    show(c);
    type_filter(c, "kernel=cuda.hopper seq>=8m pass=forward");
    IM_CHECK_EQ(chart().matched, 0U);
    IM_CHECK_EQ(chart().blamed.size(), 1U);
    c->ItemClick("//###explore/Remove seq>=8m");
    wait(c);
    IM_CHECK_STR_EQ(ui().explore.filter.c_str(), "kernel=cuda.hopper pass=forward");
    IM_CHECK_GT(chart().matched, 0U);
  });
}

TEST_F(ExploreJourney, hardware_counters_are_a_list_of_their_own) {
  travel([](ImGuiTestContext* c) {
    show(c);
    c->ItemClick("//###explore/##y");
    c->ItemClick("//##Combo_00/hardware counters");
    c->ItemClick("//###Menu_00/tensor cores busy##tensor_busy");
    wait(c);
    IM_CHECK_STR_EQ(chart().y.label.c_str(), "tensor cores busy, %");
    IM_CHECK_GT(marks(), 0U);
  });
}

TEST_F(ExploreJourney, a_click_on_a_point_selects_it_and_leaves_the_shown_sweep) {
  travel([](ImGuiTestContext* c) {
    show(c);
    choose(c, "//###explore/##panels", "//##Combo_00/none");
    type_filter(c, "kernel=cuda.hopper window=512x32 form=trilinear pass=forward heads=64/1 head_dim=128");
    const ExploreMark* elsewhere = nullptr;
    for (const ExploreMark& mark : chart().plots.at(0).lines.at(0).marks) {
      if (mark.sweep != ui().selection.shown_sweep) elsewhere = &mark;
    }
    IM_CHECK(elsewhere != nullptr);
    const std::int64_t sweep = ui().selection.shown_sweep, measurement = elsewhere->measurements.back();
    c->MouseMoveToPos(
        ImVec2(plot().Axes[ImAxis_X1].PlotToPixels(elsewhere->x), plot().Axes[ImAxis_Y1].PlotToPixels(elsewhere->y)));
    c->Yield(2);
    IM_CHECK_EQ(ui().selection.hovered, measurement);
    c->MouseClick();
    wait(c);
    IM_CHECK_EQ(ui().selection.shown_sweep, sweep);
    IM_CHECK_EQ(data().shown->info.id, sweep);
    IM_CHECK(data().selected != nullptr && data().selected->row.measurement == measurement);
  });
}

TEST_F(ExploreJourney, a_double_click_in_the_legend_shows_one_series_alone_and_all_again) {
  travel([](ImGuiTestContext* c) {
    show(c);
    choose(c, "//###explore/##panels", "//##Combo_00/none");
    type_filter(c, "kernel~hopper,fa3,cudnn pass=forward");
    ImPlotContext& plots = *ImPlot::GetCurrentContext();
    ImPlotItemGroup* items = nullptr;
    for (int n = 0; n < plots.Subplots.GetBufSize(); ++n) {
      ImPlotItemGroup& one = plots.Subplots.GetByIndex(n)->Items;
      if (one.GetItemCount() >= 3) items = &one;
    }
    IM_CHECK(items != nullptr);
    const auto shown = [&] {
      int count = 0;
      for (int n = 0; n < items->GetItemCount(); ++n) count += items->GetItemByIndex(n)->Show ? 1 : 0;
      return count;
    };
    const int all = shown();
    IM_CHECK_GE(all, 3);
    const std::string last = "//###explore/legend/" + legend_of(app().look().theme, *data().explore.chart).back().name;
    c->ItemDoubleClick(last.c_str());
    c->Yield(2);
    IM_CHECK_EQ(shown(), 1);
    c->ItemDoubleClick(last.c_str());
    c->Yield(2);
    IM_CHECK_EQ(shown(), all);
  });
}

TEST_F(ExploreJourney, a_list_without_a_choice_opens_at_none) {
  travel([](ImGuiTestContext* c) {
    show(c);
    for (const char* chosen : {"//##Combo_00/windows##window", "//##Combo_00/none", "//##Combo_00/sweep##sweep"}) {
      choose(c, "//###explore/##panels", chosen);
      c->ItemClick("//###explore/##panels");
      c->Yield(3);
      const ImGuiWindow* list = ImGui::FindWindowByName("##Combo_00");
      IM_CHECK(list != nullptr && list->Active);
      IM_CHECK_EQ(list->Scroll.y, 0);  // what is chosen stands on the first page, below none
      c->KeyPress(ImGuiKey_Escape);
    }
  });
}

TEST_F(ExploreJourney, a_chip_shows_the_open_sweep_only_and_all_again) {
  travel([](ImGuiTestContext* c) {
    show(c);
    type_filter(c, "kernel=cuda.hopper");
    const std::size_t all = chart().matched;
    c->ItemClick("//**/###one_sweep");
    wait(c);
    IM_CHECK_EQ(ui().explore.filter, fmt::format("kernel=cuda.hopper sweep={}", ui().selection.shown_sweep));
    IM_CHECK_EQ(chart().conditions.sweeps.size(), 1U);
    IM_CHECK_LT(chart().matched, all);
    c->ItemClick("//**/###one_sweep");
    wait(c);
    IM_CHECK_STR_EQ(ui().explore.filter.c_str(), "kernel=cuda.hopper");
    IM_CHECK_EQ(chart().matched, all);
  });
}

TEST_F(ExploreJourney, measurements_of_another_database_stand_beside_those_of_the_open_one) {
  travel([](ImGuiTestContext* c) {
    show(c);
    const std::size_t own = chart().rows;
    app().carry_out(FileRequest(ask::ExploreDatabase{kOther}));
    wait(c);
    IM_CHECK(chart().left_out.empty());
    IM_CHECK_EQ(chart().databases.size(), 2U);
    IM_CHECK(chart().rows > own);
    choose(c, "//###explore/##colour", "//##Combo_00/database##database");
    choose(c, "//###explore/##panels", "//##Combo_00/none");
    // Windows whose times lie apart on the two GPUs: those of 1024x32 are one point.
    type_filter(c, "kernel=cuda.hopper window=256x32 seq=32k pass=forward heads=64/1 head_dim=128 form=trilinear");
    const auto& lines = chart().plots.at(0).lines;
    IM_CHECK_EQ(lines.size(), 2U);
    IM_CHECK_STR_EQ(lines[0].name.c_str(), "h100.db");
    IM_CHECK_STR_EQ(lines[1].name.c_str(), "h200.db");
    const ExploreMark mark = lines[0].marks.at(0);
    IM_CHECK(mark.elsewhere);
    const std::int64_t pinned = ui().selection.pinned(), sweep = ui().selection.shown_sweep;
    c->MouseMoveToPos(ImVec2(plot().Axes[ImAxis_X1].PlotToPixels(mark.x), plot().Axes[ImAxis_Y1].PlotToPixels(mark.y)));
    c->Yield(2);
    IM_CHECK_EQ(ui().selection.hovered, 0);  // another measurement has its number here
    c->MouseClick();
    wait(c);
    IM_CHECK(ui().selection.pinned() == pinned && ui().selection.shown_sweep == sweep);
    type_filter(c, "database=h100.db");
    IM_CHECK_EQ(chart().plots.at(0).lines.size(), 1U);
    c->ItemClick("//**/###databases");
    c->ItemUncheck("//**/##shown");
    wait(c);
    IM_CHECK_EQ(chart().rows, own);
    IM_CHECK(chart().databases.empty());
    IM_CHECK_EQ(chart().matched, 0U);
  });
}

TEST_F(ExploreJourney, the_open_database_stands_once_whatever_it_is_called) {
  const std::filesystem::path link = window->folder / "linked", there = window->folder / "there";
  std::filesystem::create_directory(there);
  std::filesystem::create_directory_symlink(there, link);
  std::filesystem::copy_file(window->folder / "test.db", there / "test.db");
  window->application().ui().settings.recent_databases = {link / "test.db"};
  window->application().ui().settings.explore_databases = {link / "test.db"};
  window->start(there / "test.db");  // as a relative path is opened: links are followed
  travel([](ImGuiTestContext* c) {
    show(c);
    IM_CHECK(chart().databases.empty());
    IM_CHECK_EQ(ui().settings.recent_databases.size(), 1U);
    IM_CHECK(!app().data().also_called.empty());
    c->ItemClick("//**/###databases");
    c->Yield(2);
    ImGuiTestItemList listed;
    c->GatherItems(&listed, "//$FOCUSED", 2);
    int files = 0;
    for (const ImGuiTestItemInfo& item : listed) files += std::string_view(item.DebugLabel) == "##shown" ? 1 : 0;
    IM_CHECK_EQ(files, 0);
  });
}

TEST_F(ExploreJourney, a_database_that_cannot_be_read_is_left_out_and_says_why) {
  std::ofstream(window->folder / "bad.db") << "this is no database, whatever its name says";
  travel([](ImGuiTestContext* c) {
    show(c);
    const std::size_t own = chart().rows, before = marks();
    for (const std::string& file : {(world().folder / "bad.db").string(), (world().folder / "none.db").string()}) {
      app().carry_out(FileRequest(ask::ExploreDatabase{file}));
      wait(c);
      IM_CHECK_EQ(chart().rows, own);
      IM_CHECK_EQ(marks(), before);
      IM_CHECK(chart().left_out.back().starts_with("without "));
    }
    IM_CHECK_EQ(chart().left_out.size(), 2U);
    IM_CHECK(data().explore.problem.empty());
    bool refused = false;
    try {
      app().carry_out(FileRequest(ask::ExploreDatabase{data().database}));
    } catch (const Error& error) {
      refused = error.why() == "it is the open one";
    }
    IM_CHECK(refused);
  });
}

TEST_F(ExploreJourney, what_is_written_to_another_database_is_read_with_the_next_question) {
  window->start(window->folder / "test.db");
  std::filesystem::copy_file(kOther, window->folder / "test2.db");
  travel([](ImGuiTestContext* c) {
    show(c);
    app().carry_out(FileRequest(ask::ExploreDatabase{(world().folder / "test2.db").string()}));
    wait(c);
    const std::size_t before = chart().rows;
    {
      Store store(world().folder / "test2.db");
      const std::int64_t sweep =
          store.begin_sweep("triscope sweep", to_json(SweepRequest{}), synthetic_environment(), 1);
      store.add(sweep, synthetic_measurement(1, 20));
      store.finish_sweep(sweep);
    }
    type_filter(c, "ms>0");
    IM_CHECK_EQ(chart().rows, before + 1);
    std::filesystem::remove(world().folder / "test2.db");
    type_filter(c, "ms>1");
    IM_CHECK_EQ(chart().left_out.size(), 1U);
    IM_CHECK(chart().databases.empty());
  });
}

TEST_F(ExploreJourney, a_point_of_another_device_is_found_too) {
  window->stage.reset();
  {
    Store store(window->folder / "two.db");
    for (const char* device : {"NVIDIA A", "NVIDIA B"}) {
      Environment environment = synthetic_environment();
      environment.device_name = device;
      const std::int64_t sweep = store.begin_sweep("triscope sweep", to_json(SweepRequest{}), environment, 1);
      store.add(sweep, synthetic_measurement(1, 20));
      store.finish_sweep(sweep);
    }
  }
  window->start(window->folder / "two.db");
  travel([](ImGuiTestContext* c) {
    show(c);
    type_filter(c, "device~B");
    IM_CHECK_EQ(marks(), 1U);
    const ExploreMark mark = chart().plots.at(0).lines.at(0).marks.at(0);
    app().carry_out(ask::ShowSweep{data().sweeps.back().id});  // the first that was measured
    wait(c);
    IM_CHECK(data().shown->info.id != mark.sweep);
    app().carry_out(ask::SelectMeasurement{mark.measurements.back(), mark.sweep});  // a click on the point
    wait(c);
    IM_CHECK_EQ(data().shown->info.id, mark.sweep);
    IM_CHECK(data().selected != nullptr && data().selected->row.measurement == mark.measurements.back());
  });
}

TEST_F(ExploreJourney, a_view_is_saved_and_comes_back_in_place_of_another) {
  travel([](ImGuiTestContext* c) {
    show(c);
    choose(c, "//###explore/##y", "//##Combo_00/energy##joules");
    type_filter(c, "kernel=cuda.hopper");
    c->ItemClick("//**/Views");
    c->ItemInput("//$FOCUSED/##view_name");
    std::string longest = "a";
    for (int n = 0; n < 30; ++n) longest += "é";
    c->KeyCharsReplace(longest.c_str());
    IM_CHECK_EQ(ui().explore.view_name, longest.substr(0, 59));  // 60 bytes would end with half a letter
    c->KeyCharsReplace("Joules of Hopper");
    c->ItemClick("//$FOCUSED/Save");
    IM_CHECK_EQ(ui().settings.explore_views.size(), 1U);
    c->ItemClick("//**/Views");
    c->ItemClick("//$FOCUSED/TFLOP\\/s by windows");
    wait(c);
    IM_CHECK_STR_EQ(chart().query.y.c_str(), "tflops");
    IM_CHECK(ui().explore.filter.empty());
    c->ItemClick("//**/Views");
    c->ItemClick("//$FOCUSED/$$0/Joules of Hopper");
    wait(c);
    IM_CHECK_STR_EQ(chart().query.y.c_str(), "joules");
    IM_CHECK_STR_EQ(chart().query.where.c_str(), "kernel=cuda.hopper");
  });
}

TEST_F(ExploreJourney, a_view_of_the_last_start_is_there) {
  const ExploreView view{"Joules", {"seq", "joules", "kernel", "", "kernel=cuda.hopper", true}};
  window->application().ui().settings.explore_views = {view};
  window->start(recorded_file());  // the settings are written at the end
  travel([](ImGuiTestContext* c) {
    show(c);
    c->ItemClick("//**/Views");
    c->ItemClick("//$FOCUSED/$$0/Joules");
    wait(c);
    const ExploreQuery wanted{"seq", "joules", "kernel", "", "kernel=cuda.hopper", true};
    IM_CHECK(chart().query == wanted);
  });
}

TEST_F(ExploreJourney, what_is_measured_meanwhile_appears_when_the_sweep_has_ended) {
  window->start(window->folder / "test.db");
  travel([](ImGuiTestContext* c) {
    show(c);
    const std::size_t before = chart().rows;
    c->KeyPress(ImGuiKey_F5);
    c->Yield(2);
    wait(c);
    until(c, [&] { return chart().rows == before + 6; });
  });
}

}  // namespace
}  // namespace triscope
