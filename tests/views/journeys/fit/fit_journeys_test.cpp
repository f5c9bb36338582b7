// What must be seen whole in a window of 1280 x 800: what the next sweep measures, the sweeps there are, the table.
#include <gmock/gmock.h>
#include <implot.h>
#include <implot_internal.h>

#include <cfloat>

#include "tests/views/journeys/fit/fit_journey.hpp"
#include "tests/views/pictures/drawn_text.hpp"
#include "views/model/tables/compare_model.hpp"

namespace triscope {
namespace {

using fixture::child_of;
using fixture::Fit;
using fixture::kFitted;
using fixture::machine;
using fixture::table_of;

TEST_F(Fit, every_kernel_that_can_run_and_eight_sweeps_are_seen) {
  open_small(kFitted);
  travel([](ImGuiTestContext* c) {
    for (const bool gpu : {false, true}) {
      app().data().machine.catalog = machine(gpu);
      front(c, Panel::setup);
      const ImGuiWindow* fields = child_of("###setup", "fields");
      IM_CHECK(fields != nullptr);
      const std::vector<const char*> names = gpu ? std::vector{"Hopper", "Portable", "FA3", "cuDNN", "cuBLAS"}
                                                 : std::vector{"CPU", "cpu.two_stage", "CPU dot"};
      for (const char* name : names) {
        const ImGuiTestItemInfo chip = c->ItemInfo(fmt::format("//**/{}", name).c_str());
        IM_CHECK(chip.RectFull.GetHeight() > 10);
        IM_CHECK_LE(chip.RectFull.Max.y, fields->InnerClipRect.Max.y);
        IM_CHECK_LE(chip.RectFull.Max.x, fields->InnerClipRect.Max.x);
      }
    }
    const ImGuiWindow* list = child_of("###history", "sweeps");
    IM_CHECK(list != nullptr);
    constexpr float kGroup = 16, kSweep = 19;  // with the space between them
    IM_CHECK_GE(list->InnerRect.GetHeight(), 2 * kGroup + 8 * kSweep);
    const auto other = std::ranges::find_if(
        data().sweeps, [](const SweepInfo& sweep) { return sweep.id != ui().selection.shown_sweep; });
    IM_CHECK(other != data().sweeps.end());
    app().carry_out(ask::Compare{other->id});
    wait(c);
    IM_CHECK_GE(ui().selection.compared.size(), 2U);
    list = child_of("###history", "sweeps");
    IM_CHECK_GE(list->InnerRect.GetHeight(), 2 * kGroup + 8 * kSweep);  // also beside the button that compares them
  });
}

TEST_F(Fit, titles_of_nearly_all_recorded_sweeps_are_whole) {
  open_small(kFitted);
  travel([](ImGuiTestContext* c) {
    c->Yield();
    const float room = child_of("###history", "sweeps")->WorkRect.GetWidth() - 8;
    IM_CHECK(!app().models().history().has_twins(data().sweeps, app().models().maker));
    std::size_t whole = 0;
    for (const SweepInfo& sweep : data().sweeps) {
      const std::string& title = app().models().name(sweep).brief;
      const float star = sweep.starred ? 16 : 0;
      const float width = app().look().text->CalcTextSizeA(kSecondarySize, FLT_MAX, 0, title.c_str()).x;
      c->LogInfo("%.0f of %.0f: %s", width + star, room, title.c_str());
      whole += width + star <= room;
    }
    front(c, Panel::history);
    const std::string text = fixture::drawn_text(c);
    for (const SweepInfo& sweep : data().sweeps) {
      const auto& name = app().models().name(sweep);
      IM_CHECK(fixture::says(text, name.brief));
      IM_CHECK(name.title == name.brief || !fixture::says(text, name.title));
    }
    IM_CHECK_GE(whole + 3, data().sweeps.size());  // three vary almost everything; hovering shows all of a title
  });
}

TEST_F(Fit, the_table_of_one_pass_has_all_its_columns) {
  open_small(kFitted);
  travel([](ImGuiTestContext* c) {
    app().carry_out(ask::ShowSweep{1});
    wait(c);
    IM_CHECK_EQ(data().shown->info.id, 1);
    front(c, Panel::latency);
    const ImGuiTable* table = table_of(columns());
    IM_CHECK(table != nullptr);
    int shown = 0;
    for (const ImGuiTableColumn& column : table->Columns) {
      if (!column.IsEnabled) continue;
      ++shown;
      IM_CHECK_LE(column.WorkMaxX, table->InnerClipRect.Max.x + 1);
    }
    IM_CHECK_GE(shown, 8);  // window, kernel, time, interval, beside the reference, two rates, the paper's time
    IM_CHECK_EQ(ui().latency_beyond.columns, 0);
    IM_CHECK(fixture::says(fixture::drawn_text(c), "[ vs FA3  ▼ ] [ Columns ] [ Copy / Save ]"));
  });
}

TEST_F(Fit, both_times_of_two_sweeps_are_seen_beside_their_ratio) {
  open_small(kFitted);
  travel([](ImGuiTestContext* c) {
    app().carry_out(ask::ShowSweep{1});
    wait(c);
    app().carry_out(ask::Compare{4});  // its lengths, which have some of the windows again
    wait(c);
    front(c, Panel::compare);
    wait(c);
    const CompareModel& model = *app().models().compare(data(), 0);
    IM_CHECK_EQ(model.sweeps.size(), 2U);
    IM_CHECK(model.has_intervals && model.has_cycles);  // else there is room to spare
    constexpr int kShown = 8;  // window, kernel, verdict, ratio, in cycles, interval and the two times
    const ImGuiTable* table = nullptr;
    ImPool<ImGuiTable>& tables = ImGui::GetCurrentContext()->Tables;
    for (int n = 0; n < tables.GetMapSize(); ++n) {
      const ImGuiTable* one = tables.TryGetMapData(n);
      const bool drawn = one != nullptr && one->LastFrameActive >= ImGui::GetFrameCount() - 1;
      if (drawn && one->ColumnsCount >= kShown && one->OuterWindow == ImGui::FindWindowByName("###compare"))
        table = one;
    }
    IM_CHECK(table != nullptr);
    for (int n = 0; n < kShown; ++n) IM_CHECK_LE(table->Columns[n].WorkMaxX, table->InnerClipRect.Max.x + 1);
    IM_CHECK(fixture::says(fixture::drawn_text(c), "A not measured"));  // whole
  });
}

TEST_F(Fit, no_column_of_two_passes_is_cut_through_and_a_click_shows_the_others) {
  open_small(window->folder / "test.db");
  travel([](ImGuiTestContext* c) {
    front(c, Panel::latency);
    const ImGuiTable* table = table_of(columns());
    IM_CHECK(table != nullptr);
    const float edge = table->InnerClipRect.Max.x + 1;
    for (const ImGuiTableColumn& column : table->Columns) {
      if (column.IsEnabled) IM_CHECK(column.WorkMaxX <= edge || column.MinX >= edge - 14);
    }
    const int beyond = ui().latency_beyond.columns;
    IM_CHECK_GT(beyond, 0);
    c->ItemClick("//###latency/###beyond");
    c->Yield(4);
    IM_CHECK_LT(ui().latency_beyond.columns, beyond);
    IM_CHECK_GT(table->InnerWindow->Scroll.x, 0);
  });
}

TEST_F(Fit, the_table_uses_the_width_of_a_large_screen) {
  window->start(kFitted, 2560, 1440);
  travel([](ImGuiTestContext* c) {
    app().carry_out(ask::ShowSweep{1});
    wait(c);
    IM_CHECK_EQ(data().shown->info.id, 1);
    front(c, Panel::latency);
    c->Yield(8);
    const ImGuiTable* table = table_of(columns());
    IM_CHECK(table != nullptr);
    float right = 0;
    for (const ImGuiTableColumn& column : table->Columns)
      right = column.IsEnabled ? std::max(right, column.MaxX) : right;
    IM_CHECK_GT(right, table->InnerClipRect.Max.x - 40);
    IM_CHECK_EQ(ui().latency_beyond.columns, 0);
  });
}

TEST_F(Fit, the_curves_over_lengths_have_more_room_than_the_words_about_them) {
  open_small(kFitted);
  travel([](ImGuiTestContext* c) {
    app().carry_out(ask::ShowSweep{4});  // of many lengths
    wait(c);
    IM_CHECK_EQ(data().shown->info.id, 4);
    front(c, Panel::lengths);
    c->Yield(4);
    const ImGuiWindow* panel = ImGui::FindWindowByName("###lengths");
    IM_CHECK(panel != nullptr);
    IM_CHECK_EQ(panel->ScrollMax.y, 0);
    const auto curves = [c]() -> const ImPlotPlot& {
      auto& plots = ImPlot::GetCurrentContext()->Plots;
      const ImPlotPlot& newest = *plots.GetByIndex(plots.GetBufSize() - 1);
      c->MouseMoveToPos(newest.PlotRect.GetCenter());
      c->Yield(2);
      return newest;
    };
    IM_CHECK(curves().Hovered);  // else it is not drawn now
    IM_CHECK_GT(curves().PlotRect.GetHeight(), 0.5F * panel->InnerRect.GetHeight());
    world().stage->resize(1280, 1600);  // where words stand below them
    for (const LengthView view : {LengthView::latency, LengthView::budget}) {
      ui().length_view = view;
      c->Yield(8);
      const ImGuiWindow* words = child_of("###lengths", "sentences");
      IM_CHECK(words != nullptr);
      IM_CHECK(curves().Hovered && curves().FrameRect.GetHeight() > words->Size.y);
    }
  });
}

TEST_F(Fit, the_rates_follow_the_width_of_the_window) {
  open_small(kFitted);
  travel([](ImGuiTestContext* c) {
    front(c, Panel::latency);
    const auto widest = [] {
      float most = 0;
      for (const ImGuiTableColumn& column : table_of(columns())->Columns)
        most = column.IsEnabled ? std::max(most, column.WidthGiven) : most;
      return most;
    };
    const float before = widest();
    world().stage->resize(1600, 900);
    c->Yield(8);
    IM_CHECK_GT(widest(), before + 200);
    world().stage->resize(1280, 800);
    c->Yield(8);
    IM_CHECK(std::abs(widest() - before) < 2);
  });
}

TEST_F(Fit, where_a_sweep_runs_stands_beside_run_and_where_rows_come_from_above_them) {
  open_small(kFitted);
  travel([](ImGuiTestContext* c) {
    app().data().machine.catalog = machine(false);
    front(c, Panel::latency);
    const std::string text = fixture::drawn_text(c);
    IM_CHECK(fixture::says(text, "measured on H200 · "));
    const ImRect run = c->ItemInfo("//##MainMenuBar/**/▶ Run  F5").RectFull,
                 device = c->ItemInfo("//##MainMenuBar/**/###device").RectFull,
                 stop = c->ItemInfo("//##MainMenuBar/**/■ Stop").RectFull;
    const std::string label = c->ItemInfo("//##MainMenuBar/**/###device").DebugLabel;
    IM_CHECK(label.starts_with("on EPYC 9555"));
    IM_CHECK(device.Min.x >= run.Max.x && device.Min.x < run.Max.x + 10);
    IM_CHECK(stop.Min.x >= device.Max.x);
  });
}

TEST_F(Fit, the_attention_map_is_no_strip_at_200_percent) {
  open_small(window->folder / "test.db");
  travel([](ImGuiTestContext* c) {
    open(c);
    ui().settings.scale = 2;
    c->Yield(6);
    wait(c);
    const ImRect map = c->ItemInfo("//**/##cells").RectFull;
    IM_CHECK_GE(map.GetHeight(), 0.4F * 800);
    IM_CHECK_GE(map.GetWidth(), 0.6F * 1280);
    c->ItemClick("//**/###look");
    c->Yield(2);
    c->ItemClick("//**/determinant");
    c->KeyPress(ImGuiKey_Escape);
    c->Yield(2);
    wait(c);
    IM_CHECK(side().slice_of.query.problem.form == Form::determinant);
  });
}

TEST_F(Fit, a_banner_says_its_whole_sentence_at_200_percent) {
  open_small(window->folder / "test.db");
  travel([](ImGuiTestContext* c) {
    ui().settings.scale = 2;
    c->Yield(6);
    const char* text =
        "The worker died of signal 11 while it measured cuda.hopper forward 512x32; the sweep goes on with a new one.";
    app().messages().notify(Severity::warning, NoticeId::background, text, {{"Save a copy...", ask::FitCharts{}}});
    c->Yield(4);
    const ImGuiWindow* banner = ImGui::FindWindowByName("##notices");
    const float room = c->ItemInfo("//##notices/**/Save a copy...").RectFull.Min.x - banner->WorkRect.Min.x;
    IM_CHECK_GE(banner->WorkRect.GetHeight(), ImGui::CalcTextSize(text, nullptr, false, room).y);
  });
}

TEST_F(Fit, resume_is_in_the_toolbar_at_200_percent) {
  open_small(window->folder / "test.db");
  travel([](ImGuiTestContext* c) {
    world().sweep.stop_after = 2;
    app().carry_out(ask::Run{true});
    until(c, [] { return data().run.progress.done >= 2; });
    app().carry_out(ask::Stop{});
    wait(c);
    ui().settings.scale = 2;
    c->Yield(6);
    IM_CHECK(c->ItemInfo("//##MainMenuBar/**/Resume").RectFull.Max.x <= 1280);
    IM_CHECK(!c->ItemExists("//##MainMenuBar/**/■ Stop"));
    ui().settings.scale = 1;
    c->Yield(6);
    IM_CHECK(c->ItemExists("//##MainMenuBar/**/Resume") && c->ItemExists("//##MainMenuBar/**/■ Stop"));
  });
}

TEST_F(Fit, every_step_of_an_empty_panel_is_seen_at_200_percent) {
  open_small(kFitted);
  travel([](ImGuiTestContext* c) {
    ui().settings.scale = 2;
    c->Yield(6);
    front(c, Panel::compare);
    for (const char* step : {"Compare two versions of a kernel", "Compare with another database..."}) {
      const ImRect place = c->ItemInfo((std::string("//**/") + step).c_str()).RectFull;
      const ImRect panel = ImGui::FindWindowByName("###compare")->InnerRect;
      IM_CHECK(place.GetWidth() > 0 && panel.Contains(place));
    }
  });
}

TEST_F(Fit, skipped_is_whole_in_the_queue_and_what_is_not_known_yet_is_no_line_of_it) {
  open_small(window->folder / "test.db");
  travel([](ImGuiTestContext* c) {
    world().sweep.stop_after = 1;
    app().carry_out(ask::Run{true});
    front(c, Panel::queue);
    until(c, [] { return data().run.live.at.has_value(); });
    LiveSweep& live = app().data().run.live;
    live.waiting.insert(live.waiting.begin(), 1 << 20);  // added to the sweep, which has not told of it
    live.left_out.insert(*live.at);
    c->Yield(2);
    const ImGuiTestItemInfo button = c->ItemInfo("//###queue/**/Skipped");
    IM_CHECK(button.ID != 0 && button.RectFull.Max.x <= button.Window->WorkRect.Max.x + 1);
    app().carry_out(ask::Stop{});
    wait(c);
  });
}

TEST_F(Fit, the_names_of_values_at_an_axis_do_not_lie_on_each_other_at_200_percent) {
  write_synthetic_database(window->folder / "decades.db", 200, 20);
  open_small(window->folder / "decades.db");
  travel([](ImGuiTestContext* c) {
    ui().settings.scale = 2;
    c->Yield(6);
    app().select_first();
    for (const Panel panel : {Panel::explore, Panel::lengths, Panel::samples}) {
      front(c, panel);
      wait(c);
      int named = 0;
      ImPlotContext& plots = *ImPlot::GetCurrentContext();
      for (int n = 0; n < plots.Plots.GetBufSize(); ++n) {
        ImPlotPlot& plot = *plots.Plots.GetByIndex(n);
        float last = -1e9F;
        std::vector<float> places;
        const ImPlotAxis& axis = plot.YAxis(0);
        if (!axis.Enabled || plot.PlotRect.GetHeight() < 1) continue;
        for (const ImPlotTick& tick : axis.Ticker.Ticks) {
          if (tick.ShowLabel && tick.PixelPos > plot.PlotRect.Min.y && tick.PixelPos < plot.PlotRect.Max.y)
            places.push_back(tick.PixelPos);
        }
        std::ranges::sort(places);
        for (const float place : places) {
          IM_CHECK_GE(place - last, 0.9F * axis.Ticker.Ticks[0].LabelSize.y);
          last = place;
          ++named;
        }
      }
      IM_CHECK_GE(named, 2);
    }
  });
}

}  // namespace
}  // namespace triscope
