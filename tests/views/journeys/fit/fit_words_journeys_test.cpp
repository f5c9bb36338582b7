// Words and numbers that must not be cut through, nor left out, where there is little room.
#include <gmock/gmock.h>
#include <implot.h>
#include <implot_internal.h>

#include <algorithm>
#include <string>

#include "profiler/plan/request.hpp"
#include "profiler/store/store.hpp"
#include "tests/profiler/store/synthetic_database.hpp"
#include "tests/views/journeys/fit/fit_journey.hpp"
#include "tests/views/pictures/drawn_text.hpp"
#include "views/model/charts/explore_chart.hpp"
#include "views/model/tables/compare_model.hpp"

namespace triscope {
namespace {

using fixture::child_of;
using fixture::Fit;
using fixture::kFitted;

/// Of a panel, the one that was drawn last.
const ImGuiTable* drawn_table(const char* panel) {
  ImPool<ImGuiTable>& tables = ImGui::GetCurrentContext()->Tables;
  for (int n = 0; n < tables.GetMapSize(); ++n) {
    const ImGuiTable* one = tables.TryGetMapData(n);
    if (one != nullptr && one->LastFrameActive >= ImGui::GetFrameCount() - 1 &&
        one->OuterWindow == ImGui::FindWindowByName(panel))
      return one;
  }
  return nullptr;
}

/// How many values along x have a name, in the plot of this area where they are fewest.
int fewest_names(const Area& area) {
  int fewest = 1000;
  auto& plots = ImPlot::GetCurrentContext()->Plots;
  for (int n = 0; n < plots.GetBufSize(); ++n) {
    ImPlotPlot& plot = *plots.GetByIndex(n);
    const ImVec2 middle = plot.PlotRect.GetCenter();
    if (middle.x < area.x || middle.x > area.x + area.width || middle.y < area.y || middle.y > area.y + area.height)
      continue;
    ImPlotTicker& ticker = plot.XAxis(0).Ticker;
    int named = 0;
    for (int tick = 0; tick < ticker.TickCount(); ++tick) named += ticker.GetText(tick)[0] != '\0';
    fewest = std::min(fewest, named);
  }
  return fewest;
}

TEST_F(Fit, each_version_that_explore_draws_is_named_below_its_points) {
  {
    Store store(window->folder / "versions.db");
    for (const char* hash : {"63ca6c000000", "2c6a73000000", "7ca50e000000", "9adb8e000000"}) {
      const std::int64_t sweep = store.begin_sweep("triscope sweep", "{}", synthetic_environment(), 1);
      Measurement measurement = synthetic_measurement(1, 20);
      measurement.key.kernel = "cuda.hopper";
      measurement.source_hash = hash;
      store.add(sweep, measurement);
      store.finish_sweep(sweep);
    }
  }
  open_small(window->folder / "versions.db");
  travel([](ImGuiTestContext* c) {
    ui().explore.query = {"version", "ms", "window", "pass", "kernel~hopper", false};
    ui().explore.filter = "kernel~hopper";
    front(c, Panel::explore);
    wait(c);
    ImPlot::GetCurrentContext()->Plots.Clear();  // of the chart that was drawn until this one came
    c->Yield(4);
    const ExploreChart& chart = *data().explore.chart;
    IM_CHECK_GE(chart.x.names.size(), 4U);
    IM_CHECK_EQ(fewest_names(ui().chart_areas[Panel::explore]), static_cast<int>(chart.x.names.size()));
  });
}

TEST_F(Fit, each_window_is_named_below_its_bars_beside_a_legend_of_eight_series) {
  write_synthetic_database(window->folder / "series.db", 500, 20);
  open_small(window->folder / "series.db");
  travel([](ImGuiTestContext* c) {
    front(c, Panel::tflops);
    wait(c);
    app().select_first();
    c->Yield(4);
    IM_CHECK_EQ(fewest_names(ui().chart_areas[Panel::tflops]), 7);
  });
}

TEST_F(Fit, the_status_bar_says_what_held_the_clock_down_before_what_says_less) {
  open_small(kFitted);
  travel([](ImGuiTestContext* c) {
    app().carry_out(ask::ShowSweep{1});
    wait(c);
    app().select_first();
    wait(c);
    ui().settings.scale = 2;
    c->Yield(6);
    IM_CHECK(fixture::says(fixture::drawn_text(c), "⚠ throttled"));
  });
}

TEST_F(Fit, sentences_of_charts_end_within_their_panels_at_200_percent) {
  open_small(kFitted);
  travel([](ImGuiTestContext* c) {
    app().carry_out(ask::ShowSweep{1});
    wait(c);
    const std::vector<ResultRow>& rows = data().shown->rows;
    app().carry_out(ask::SelectMeasurements{{rows[0].measurement, rows[1].measurement}});
    ui().settings.scale = 2;
    c->Yield(6);
    for (const auto& [panel, name, words] : {std::tuple{Panel::samples, "###samples", "Of 2 rows that are selected"},
                                             std::tuple{Panel::map, "###map", "w1 across, w2 up"}}) {
      front(c, panel);
      wait(c);
      c->Yield(4);
      IM_CHECK(fixture::says(fixture::drawn_text(c), words));
      const ImGuiWindow* drawn = ImGui::FindWindowByName(name);
      IM_CHECK(drawn != nullptr);
      IM_CHECK_LE(drawn->ContentSize.x, drawn->WorkRect.GetWidth() + 1);
      IM_CHECK_EQ(drawn->ScrollMax.y, 0);
    }
  });
}

TEST_F(Fit, lengths_of_the_table_are_not_shown_in_part_either) {
  write_synthetic_database(window->folder / "lengths.db", 500, 20);
  open_small(window->folder / "lengths.db");
  travel([](ImGuiTestContext* c) {
    ui().settings.scale = 2;
    front(c, Panel::latency);
    int cut = 0, whole = 0;
    for (int width = 1200; width < 1760; width += 16) {
      world().stage->resize(width, 800);
      c->Yield(6);
      const ImGuiTable* table = drawn_table("###latency");
      IM_CHECK(table != nullptr);
      const float edge = table->InnerClipRect.Max.x;
      for (int n = 0; n < table->ColumnsCount; ++n) {
        const ImGuiTableColumn& column = table->Columns[n];
        if (std::string(ImGui::TableGetColumnName(table, n)) != "tokens" || !column.IsEnabled) continue;
        if (column.WorkMaxX <= edge) {
          ++whole;
          IM_CHECK(fixture::says(fixture::drawn_text(c), "| 4,096"));
        }
        const bool in_part = column.WorkMinX + 8 < edge && column.WorkMinX + 50 > edge;
        if (!in_part) continue;
        ++cut;
        IM_CHECK(!fixture::says(fixture::drawn_text(c), "| 4,096"));
      }
    }
    IM_CHECK_GT(cut, 1);
    IM_CHECK_GT(whole, 0);
  });
}

TEST_F(Fit, a_ratio_that_the_edge_cuts_is_not_shown_in_part) {
  open_small(kFitted);
  travel([](ImGuiTestContext* c) {
    app().carry_out(ask::ShowSweep{1});
    wait(c);
    ui().settings.scale = 2;
    front(c, Panel::latency);
    int cut = 0, whole = 0;
    for (int width = 1200; width < 2000; width += 16) {
      world().stage->resize(width, 800);
      c->Yield(6);
      const ImGuiTable* table = drawn_table("###latency");
      IM_CHECK(table != nullptr);
      const float edge = table->InnerClipRect.Max.x;
      for (int n = 0; n < table->ColumnsCount; ++n) {
        const ImGuiTableColumn& column = table->Columns[n];
        const bool ratio = fixture::says(ImGui::TableGetColumnName(table, n), ", in turns");
        if (!ratio || !column.IsEnabled) continue;
        if (column.WorkMaxX <= edge) {
          ++whole;
          IM_CHECK(fixture::says(fixture::drawn_text(c), "▼ 1.80×"));
        }
        if (column.WorkMinX + 8 > edge || column.WorkMinX + 100 < edge) continue;  // "▼ 1.80× longer" is wider
        ++cut;
        const std::string text = fixture::drawn_text(c);
        IM_CHECK(!fixture::says(text, "▼ 1.80×") && !fixture::says(text, "▼ …"));
      }
    }
    IM_CHECK_GT(cut, 2);
    IM_CHECK_GT(whole, 0);
  });
}

/// How often `words` stand in the text.
int times_said(const std::string& text, const std::string& words) {
  int times = 0;
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++times;
  return times;
}

/// How many columns of this title are seen whole, and how many the table's edge cuts.
std::pair<int, int> whole_and_cut(const ImGuiTable& table, const std::string& title) {
  int whole = 0, cut = 0;
  for (int n = 0; n < table.ColumnsCount; ++n) {
    const ImGuiTableColumn& column = table.Columns[n];
    if (!column.IsEnabled || !fixture::says(ImGui::TableGetColumnName(&table, n), title)) continue;
    whole += column.WorkMaxX <= table.InnerClipRect.Max.x + 1;
    cut += column.WorkMaxX > table.InnerClipRect.Max.x + 1;
  }
  return {whole, cut};
}

TEST_F(Fit, a_heading_goes_with_the_numbers_that_the_edge_cuts) {
  open_small(kFitted);
  travel([](ImGuiTestContext* c) {
    app().carry_out(ask::ShowSweep{1});
    wait(c);
    app().carry_out(ask::Compare{4});
    wait(c);
    ui().settings.scale = 2;
    for (const auto& [panel, name, title, heading] :
         {std::tuple{Panel::latency, "###latency", "TFLOP/s", "| TFLOP/s |"},
          std::tuple{Panel::compare, "###compare", ", ms", ", ms |"}}) {
      front(c, panel);
      int cuts = 0;
      for (int width = 1200; width < 2000; width += 20) {
        world().stage->resize(width, 800);
        c->Yield(6);
        const std::string text = fixture::drawn_text(c);
        const auto [whole, cut] = whole_and_cut(*drawn_table(name), title);
        cuts += cut;
        IM_CHECK_EQ(times_said(text, heading), whole);
      }
      IM_CHECK_GT(cuts, 2);
    }
  });
}

TEST_F(Fit, the_word_of_a_verdict_is_whole_in_a_narrow_table) {
  {
    Store store(window->folder / "slower.db");
    for (const std::int64_t percent : {100, 108}) {
      const std::int64_t sweep =
          store.begin_sweep("triscope sweep", to_json(SweepRequest{}), synthetic_environment(), 14);
      for (std::int64_t n = 0; n < 14; ++n) {
        Measurement measurement = synthetic_measurement(n, 40);
        for (Sample& sample : measurement.samples) sample.duration_ns = sample.duration_ns * percent / 100;
        store.add(sweep, measurement);
      }
      store.finish_sweep(sweep);
    }
  }
  open_small(window->folder / "slower.db");
  travel([](ImGuiTestContext* c) {
    app().carry_out(ask::ShowSweep{2});
    wait(c);
    app().carry_out(ask::Compare{1});
    wait(c);
    ui().settings.scale = 2;
    c->Yield(6);
    front(c, Panel::compare);
    wait(c);
    const std::string text = fixture::drawn_text(c);
    IM_CHECK(fixture::says(text, "▼ longer"));
    IM_CHECK(!fixture::says(text, "× …"));
  });
}

TEST_F(Fit, compare_brings_columns_that_have_no_room_into_view) {
  open_small(kFitted);
  travel([](ImGuiTestContext* c) {
    app().carry_out(ask::ShowSweep{1});
    wait(c);
    compare_twice_as_large(c);
    front(c, Panel::compare);
    wait(c);
    const int beyond = ui().compare_beyond.columns;
    IM_CHECK_GT(beyond, 0);
    IM_CHECK(fixture::says(fixture::drawn_text(c), fmt::format("[ {} more", beyond)));
    c->ItemClick("//###compare/###beyond");
    c->Yield(4);
    IM_CHECK_LT(ui().compare_beyond.columns, beyond);
    IM_CHECK_GT(drawn_table("###compare")->InnerWindow->Scroll.x, 0);
  });
}

TEST_F(Fit, the_pass_of_a_compared_row_stands_beside_its_kernel) {
  open_small(kFitted);
  travel([](ImGuiTestContext* c) {
    app().carry_out(ask::ShowSweep{2});
    wait(c);
    compare_twice_as_large(c);
    front(c, Panel::compare);
    wait(c);
    IM_CHECK(app().models().compare(data(), 0)->has_passes);
    const ImGuiTable* table = drawn_table("###compare");
    IM_CHECK(fixture::says(ImGui::TableGetColumnName(table, 1), "kernel"));
    IM_CHECK(fixture::says(ImGui::TableGetColumnName(table, 2), "pass"));
    const std::string text = fixture::drawn_text(c);
    IM_CHECK(fixture::says(text, "| bwd") || fixture::says(text, "| backward"));
  });
}

TEST_F(Fit, the_axis_of_latencies_by_area_has_its_unit) {
  open_small(kFitted);
  travel([](ImGuiTestContext* c) {
    front(c, Panel::scaling);
    wait(c);
    c->Yield(4);
    const Area& area = ui().chart_areas[Panel::scaling];
    int named = 0;
    auto& plots = ImPlot::GetCurrentContext()->Plots;
    for (int n = 0; n < plots.GetBufSize(); ++n) {
      ImPlotPlot& plot = *plots.GetByIndex(n);
      const ImVec2 middle = plot.PlotRect.GetCenter();
      if (middle.x > area.x && middle.x < area.x + area.width && middle.y > area.y && middle.y < area.y + area.height)
        named += plot.YAxis(0).HasLabel() && std::string(plot.GetAxisLabel(plot.YAxis(0))) == "ms";
    }
    IM_CHECK_EQ(named, 1);
  });
}

TEST_F(Fit, every_answer_of_same_cost_is_read_without_scrolling) {
  open_small(kFitted);
  travel([](ImGuiTestContext* c) {
    app().carry_out(ask::ShowSweep{4});  // of many lengths
    wait(c);
    front(c, Panel::lengths);
    ui().length_view = LengthView::budget;
    for (const auto& [width, height] : {std::pair(1440, 900), {1600, 900}, {1920, 1080}, {2560, 1440}}) {
      world().stage->resize(width, height);
      for (const bool step : {false, true}) {
        ui().length_step = step;
        ui().length_words = false;
        c->MouseMoveToPos(ImVec2(4, 300));  // a tooltip is no part of the table
        c->Yield(8);
        const ImGuiWindow* answers = child_of("###lengths", "sentences");
        IM_CHECK(answers != nullptr);
        IM_CHECK_EQ(answers->ScrollMax.y, 0.0F);
        const std::string text = fixture::drawn_text(c);
        const LengthChart& chart = *app().models().lengths(data());
        const LengthPass& part = step ? chart.step : chart.passes[0];
        IM_CHECK_GT(part.budgets.size(), 3U);
        for (const SameBudget& budget : part.budgets) IM_CHECK(fixture::says(text, "| " + budget.row[0] + " |"));
        IM_CHECK_EQ(fixture::says(text, "Without an answer"), !part.unanswered.empty());
        const Area& area = ui().chart_areas[Panel::lengths];
        IM_CHECK_GT(answers->Pos.y, area.y + 200);  // the plot keeps its room
        c->ItemClick(("//**/##at " + std::to_string(part.budgets.front().seq_len)).c_str());
        wait(c);
        const std::string sentence = part.budgets.front().sentence.substr(0, 20);
        if (!fixture::says(fixture::drawn_text(c), sentence)) c->ItemClick("//###lengths/In words");
        c->Yield(4);
        IM_CHECK(fixture::says(fixture::drawn_text(c), sentence));
      }
    }
  });
}

}  // namespace
}  // namespace triscope
