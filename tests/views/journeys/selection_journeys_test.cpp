// Several measurements are selected: in the table, in charts and maps, by mouse and keyboard, of one sweep and of two.
#include <gmock/gmock.h>
#include <implot.h>
#include <implot_internal.h>

#include <algorithm>

#include "profiler/plan/request.hpp"
#include "tests/paths.hpp"
#include "tests/views/journeys/journey.hpp"
#include "tests/views/pictures/drawn_text.hpp"
#include "views/model/tables/beside_model.hpp"
#include "views/model/tables/compare_model.hpp"

namespace triscope {
namespace {

using fixture::Journey;

class SelectionJourney : public Journey {
 protected:
  SelectionJourney() { window->start(recorded_file()); }

  static const std::vector<std::int64_t>& selected() { return ui().selection.all(); }
  static std::size_t count() { return selected().size(); }
  static void begin(ImGuiTestContext* c, Panel panel) {
    wait(c);
    app().carry_out(ask::ClearSelection{});
    front(c, panel);
    wait(c);
  }
  /// In the table, a row below its first one.
  static ImVec2 row(ImGuiTestContext* c, float rows, float right = 0) {
    const ImRect line = c->ItemInfo("//###latency/**/##line").RectFull;
    return {line.GetCenter().x + right, line.GetCenter().y + rows * app().look().px(24)};
  }
  static void click(ImGuiTestContext* c, ImVec2 at, ImGuiKeyChord with = 0) {
    c->MouseMoveToPos(at);
    if (with != 0) c->KeyDown(with);
    c->MouseClick();
    if (with != 0) c->KeyUp(with);
    wait(c);
    c->Yield(2);
  }
  static void drag(ImGuiTestContext* c, ImVec2 from, ImVec2 to, ImGuiKeyChord with = 0) {
    c->MouseMoveToPos(from);
    if (with != 0) c->KeyDown(with);
    c->MouseDown();
    c->MouseMoveToPos(ImVec2((from.x + to.x) / 2, (from.y + to.y) / 2));
    c->MouseMoveToPos(to);
    c->Yield(2);
    c->MouseUp();
    if (with != 0) c->KeyUp(with);
    wait(c);
    c->Yield(2);
  }
  static ImPlotPlot& plot() { return *ImPlot::GetCurrentContext()->Plots.GetByIndex(0); }
  static ImVec2 pixels(double x, double y) {
    return {plot().Axes[ImAxis_X1].PlotToPixels(x), plot().Axes[ImAxis_Y1].PlotToPixels(y)};
  }
};

TEST_F(SelectionJourney, shift_and_control_select_more_than_two_rows_of_the_table) {
  travel([](ImGuiTestContext* c) {
    begin(c, Panel::latency);
    click(c, row(c, 0));
    IM_CHECK_EQ(count(), 1U);
    const std::int64_t first = selected().front();
    click(c, row(c, 3), ImGuiMod_Shift);
    IM_CHECK_EQ(count(), 4U);
    IM_CHECK_EQ(ui().selection.pinned(), first);
    IM_CHECK(data().figures != nullptr && data().figures->rows.size() == 4U);
    IM_CHECK(data().beside != nullptr);
    IM_CHECK_EQ(data().beside->of->row.measurement, ui().selection.beside());
    click(c, row(c, 5), ImGuiMod_Ctrl);
    IM_CHECK_EQ(count(), 5U);
    click(c, row(c, 1), ImGuiMod_Ctrl);  // it was selected
    IM_CHECK_EQ(count(), 4U);
    IM_CHECK_EQ(ui().selection.pinned(), first);
    // The others stand beside the first: each ratio is that of the two medians.
    for (const SelectedRow& one : data().figures->rows) {
      if (one.row.measurement == first) {
        IM_CHECK(!one.time.has_value());
      } else {
        IM_CHECK(one.time.has_value());
        const double medians = *one.row.median_ms / *data().selected->row.median_ms;
        IM_CHECK_LT(std::abs(one.time->ratio / medians - 1), 0.2);
      }
    }
    click(c, row(c, 5));
    IM_CHECK_EQ(count(), 1U);
    IM_CHECK(data().figures == nullptr && data().beside == nullptr);
    click(c, row(c, 5));
    IM_CHECK_EQ(count(), 0U);
  });
}

TEST_F(SelectionJourney, selecting_makes_no_model_anew) {
  travel([](ImGuiTestContext* c) {
    begin(c, Panel::latency);
    const LatencyModel* model = app().models().latency(data());
    const std::uint64_t revision = data().revision;
    click(c, row(c, 0));
    click(c, row(c, 3), ImGuiMod_Shift);
    IM_CHECK_EQ(count(), 4U);
    IM_CHECK_EQ(data().revision, revision);
    IM_CHECK(app().models().latency(data()) == model);
    app().carry_out(ask::SetReference{"none"});
    wait(c);
    IM_CHECK_NE(data().revision, revision);
  });
}

TEST_F(SelectionJourney, what_is_read_beside_the_drawing_has_its_tables_ready) {
  travel([](ImGuiTestContext* c) {
    begin(c, Panel::latency);
    IM_CHECK(data().table.model != nullptr);
    IM_CHECK(app().models().latency(data()) == data().table.model.get());
    const std::vector<SweepInfo> sweeps = data().sweeps;
    app().carry_out(ask::SetBaseline{sweeps[1].id});
    wait(c);
    IM_CHECK(data().against_baseline != nullptr);
    IM_CHECK(app().models().latency(data()) == data().table.model.get());
    app().carry_out(ask::Compare{sweeps[2].id});
    wait(c);
    IM_CHECK(data().compare_table != nullptr);
    IM_CHECK(app().models().compare(data(), 0) == data().compare_table.get());
  });
}

TEST_F(SelectionJourney, escape_closes_a_menu_before_it_drops_the_selection) {
  travel([](ImGuiTestContext* c) {
    begin(c, Panel::latency);
    click(c, row(c, 0));
    IM_CHECK_EQ(count(), 1U);
    for (const char* button : {"//##MainMenuBar/**/View", "//##MainMenuBar/**/###device"}) {
      c->ItemClick(button);
      c->Yield(3);
      IM_CHECK(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
      c->KeyPress(ImGuiKey_Escape);
      c->Yield(3);
      IM_CHECK(!ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
      IM_CHECK_EQ(count(), 1U);
    }
    c->KeyPress(ImGuiKey_Escape);
    c->Yield(3);
    IM_CHECK_EQ(count(), 0U);
  });
}

TEST_F(SelectionJourney, a_click_on_the_toolbar_counts_while_a_menu_is_open) {
  travel([](ImGuiTestContext* c) {
    begin(c, Panel::latency);
    const ImVec2 paper = c->ItemInfo("//##MainMenuBar/**/Paper").RectFull.GetCenter(),
                 view = c->ItemInfo("//##MainMenuBar/**/View").RectFull.GetCenter();
    c->MouseMoveToPos(view);
    c->MouseClick();
    c->Yield(3);
    IM_CHECK(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
    c->MouseMoveToPos(paper);
    c->MouseClick();
    c->Yield(3);
    IM_CHECK(!ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
    IM_CHECK(ui().workspace == Workspace::paper);
    // The menu's own name still closes it.
    c->MouseMoveToPos(view);
    c->MouseClick();
    c->Yield(3);
    IM_CHECK(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
    c->MouseClick();
    c->Yield(3);
    IM_CHECK(!ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
  });
}

TEST_F(SelectionJourney, a_rectangle_over_rows_selects_them) {
  travel([](ImGuiTestContext* c) {
    begin(c, Panel::latency);
    drag(c, row(c, 1), row(c, 4));
    IM_CHECK_EQ(count(), 4U);
    drag(c, row(c, 6), row(c, 7), ImGuiMod_Ctrl);
    IM_CHECK_EQ(count(), 6U);
    drag(c, row(c, 2), row(c, 3));
    IM_CHECK_EQ(count(), 2U);
  });
}

TEST_F(SelectionJourney, arrow_keys_walk_over_rows_and_shift_extends) {
  travel([](ImGuiTestContext* c) {
    begin(c, Panel::latency);
    click(c, row(c, 1));
    const std::int64_t clicked = selected().front();
    c->KeyPress(ImGuiKey_DownArrow);
    wait(c);
    IM_CHECK_EQ(count(), 1U);
    IM_CHECK_NE(selected().front(), clicked);
    c->KeyPress(ImGuiKey_UpArrow);
    wait(c);
    IM_CHECK_EQ(selected().front(), clicked);
    for (int n = 0; n < 3; ++n) c->KeyPress(ImGuiMod_Shift | ImGuiKey_DownArrow);
    wait(c);
    IM_CHECK_EQ(count(), 4U);
    IM_CHECK_EQ(ui().selection.pinned(), clicked);
    c->KeyPress(ImGuiMod_Ctrl | ImGuiKey_A);
    wait(c);
    IM_CHECK_EQ(count(), app().models().latency(data())->lines.size());
    c->KeyPress(ImGuiKey_Escape);
    wait(c);
    IM_CHECK_EQ(count(), 0U);
  });
}

TEST_F(SelectionJourney, the_column_that_was_clicked_says_which_pass_is_meant) {
  window->start(window->folder / "test.db", 2560, 1440);  // with room for the columns of both passes
  travel([](ImGuiTestContext* c) {
    begin(c, Panel::latency);
    const LatencyModel& model = *app().models().latency(data());
    IM_CHECK_GE(model.groups.size(), 2U);
    const std::vector<LatencyColumn> columns = latency_columns(model);
    const ImGuiTable* table =
        ImGui::TableFindByID(ImGui::FindWindowByName("###latency")->GetID(latency_table_name(columns).c_str()));
    IM_CHECK(table != nullptr);
    const auto time_of = [&](std::size_t group, float rows) {
      const auto column = std::ranges::find_if(
          columns, [&](const LatencyColumn& one) { return one.field == LatencyField::median && one.group == group; });
      const ImGuiTableColumn& drawn = table->Columns[static_cast<int>(column - columns.begin())];
      return ImVec2((drawn.WorkMinX + drawn.WorkMaxX) / 2, row(c, rows).y);
    };
    for (const std::size_t group : {1U, 0U, 1U}) {
      IM_CHECK(model.lines[0].cells[group] != nullptr);
      click(c, time_of(group, 0));
      IM_CHECK_EQ(ui().selection.pinned(), model.lines[0].cells[group]->row.measurement);
    }
    click(c, time_of(1, 2), ImGuiMod_Shift);
    IM_CHECK_EQ(count(), 3U);
    for (const SelectedRow& one : data().figures->rows) IM_CHECK(one.row.pass == model.groups[1].pass);
  });
}

TEST_F(SelectionJourney, a_rectangle_and_keys_select_bars) {
  window->stage.reset();
  {
    Store store(window->folder / "bars.db");  // of one series, so that each bar's place is known
    const std::int64_t sweep = store.begin_sweep("triscope sweep", to_json(SweepRequest{}), synthetic_environment(), 4);
    for (const int window2 : {16, 32, 64, 128}) {
      Measurement measurement = synthetic_measurement(1, 20);
      measurement.status = Status::ok;
      measurement.key.kernel = "cuda.hopper";
      measurement.key.pass = Pass::forward;
      measurement.key.problem.window2 = window2;
      store.add(sweep, measurement);
    }
    store.finish_sweep(sweep);
  }
  window->start(window->folder / "bars.db");
  travel([](ImGuiTestContext* c) {
    begin(c, Panel::tflops);
    const BarChart chart = *app().models().bars(data(), 0);
    IM_CHECK_EQ(chart.series.size(), 1U);
    IM_CHECK_EQ(chart.series[0].points.size(), 4U);
    const ImRect area = plot().PlotRect;
    const ImVec2 low(area.Min.x + 2, area.Max.y - 4), high(area.Max.x - 2, area.Max.y - 12);
    const double before = plot().Axes[ImAxis_X1].Range.Min;
    drag(c, low, high, ImGuiMod_Shift);
    IM_CHECK_EQ(count(), chart.series[0].points.size());
    IM_CHECK_EQ(plot().Axes[ImAxis_X1].Range.Min, before);  // it did not pan
    const auto bar = [&](std::size_t n) {
      return pixels(chart.series[0].points[n].x, chart.series[0].points[n].y / 10);
    };
    click(c, bar(0));
    IM_CHECK_EQ(count(), 1U);
    click(c, bar(2), ImGuiMod_Shift);
    IM_CHECK_EQ(count(), 3U);
    click(c, bar(1), ImGuiMod_Ctrl);
    IM_CHECK_EQ(count(), 2U);
    click(c, bar(0));
    c->KeyPress(ImGuiKey_RightArrow);
    wait(c);
    IM_CHECK_EQ(count(), 1U);
    IM_CHECK_EQ(selected().front(), chart.series[0].points[1].measurement);
    c->KeyPress(ImGuiMod_Shift | ImGuiKey_RightArrow);
    wait(c);
    IM_CHECK_EQ(count(), 2U);
    IM_CHECK_EQ(ui().selection.beside(), chart.series[0].points[2].measurement);
  });
}

TEST_F(SelectionJourney, cells_of_the_map_are_selected_by_rectangle_range_and_keys) {
  travel([](ImGuiTestContext* c) {
    begin(c, Panel::map);
    const ImRect area = c->ItemInfo("//###map/##map").RectFull;
    const auto steps = [&](auto visit) {
      for (float y = area.Min.y + 20; y < area.Max.y - 50; y += 16) {
        for (float x = area.Min.x + 60; x < area.Max.x - 100; x += 24) {
          c->MouseMoveToPos(ImVec2(x, y));
          c->Yield();
          if (ui().selection.hovered != 0 && visit(ImVec2(x, y))) return;
        }
      }
    };
    std::vector<std::pair<std::int64_t, ImVec2>> cells;  // where they stand
    steps([&](ImVec2 at) {
      const std::int64_t id = ui().selection.hovered;
      if (std::ranges::none_of(cells, [&](const auto& one) { return one.first == id; })) cells.emplace_back(id, at);
      return false;
    });
    IM_CHECK(cells.size() >= 4);
    drag(c, ImVec2(area.Min.x + 50, area.Min.y + 14), ImVec2(area.Max.x - 100, area.Max.y - 50), ImGuiMod_Shift);
    IM_CHECK_EQ(count(), cells.size());
    click(c, cells[0].second);
    IM_CHECK_EQ(count(), 1U);
    IM_CHECK_EQ(selected().front(), cells[0].first);
    drag(c, cells[1].second, ImVec2(cells[1].second.x + 8, cells[1].second.y + 8), ImGuiMod_Ctrl);
    IM_CHECK_EQ(count(), 2U);
    click(c, cells[0].second);
    click(c, cells[0].second);
    click(c, cells[1].second);
    for (const ImGuiKey key : {ImGuiKey_LeftArrow, ImGuiKey_RightArrow}) c->KeyPress(ImGuiMod_Shift | key);
    wait(c);
    IM_CHECK(count() >= 2U);
    IM_CHECK_EQ(ui().selection.pinned(), cells[1].first);
  });
}

TEST_F(SelectionJourney, a_row_of_compare_selects_its_measurements_of_both_sweeps) {
  travel([](ImGuiTestContext* c) {
    // Two sweeps that measured a row in common.
    std::int64_t other = 0;
    wait(c);
    const auto shares = [&](std::int64_t sweep) {
      app().carry_out(ask::ShowSweep{data().sweeps.front().id});
      app().carry_out(ask::Compare{sweep});
      wait(c);
      const CompareModel* model = app().models().compare(data(), 0);
      return model != nullptr && std::ranges::any_of(model->lines, [](const CompareLine& line) {
               return line.cells[0] && line.cells[1] && line.cells[0]->ms && line.cells[1]->ms;
             });
    };
    for (const SweepInfo& sweep : std::vector<SweepInfo>(data().sweeps.begin() + 1, data().sweeps.end())) {
      app().carry_out(ask::ClearSelection{});
      if (!shares(sweep.id)) continue;
      other = sweep.id;
      break;
    }
    IM_CHECK_NE(other, 0);
    front(c, Panel::compare);
    c->ItemClick("//###compare/**/##line", 0, ImGuiTestOpFlags_NoCheckHoveredId);
    wait(c);
    IM_CHECK_EQ(count(), 2U);
    IM_CHECK(data().selected != nullptr && data().beside != nullptr);
    IM_CHECK_EQ(data().selected->row.sweep, ui().selection.shown_sweep);
    IM_CHECK_EQ(data().beside->of->row.sweep, other);
    IM_CHECK(data().beside->of->row.problem == data().selected->row.problem);
    IM_CHECK_EQ(data().figures->rows.size(), 2U);
    const auto text = figures_text(*data().figures);
    IM_CHECK_EQ(text.rows.size(), 2U);
    IM_CHECK(!text.rows[1].back().empty());
  });
}

TEST_F(SelectionJourney, the_time_of_a_second_row_explains_itself_while_the_pointer_rests) {
  travel([](ImGuiTestContext* c) {
    begin(c, Panel::latency);
    click(c, row(c, 0));
    click(c, row(c, 2), ImGuiMod_Ctrl);
    front(c, Panel::details);
    const ImRect line = c->ItemInfo("//###details/**/##line").RectFull;
    const float second = line.GetCenter().y + line.GetHeight();
    const auto tooltip = [&](float x) {
      c->MouseMoveToPos(ImVec2(x, second - 40));
      c->Yield(2);
      c->MouseMoveToPos(ImVec2(x, second));
      c->SleepNoSkip(1.0F, 1.0F / 30);
      const ImGuiWindow* shown = ImGui::FindWindowByName("##Tooltip_00");
      return shown != nullptr && shown->Active && !shown->Hidden ? fixture::drawn_text(c) : std::string();
    };
    // Each part of the line has its own words, and they are of the second row.
    const auto of_row = [](const std::string& text) {
      const auto row = std::ranges::find(data().shown->rows, selected().back(), &ResultRow::measurement);
      return fixture::says(text, fmt::format(" tokens, {}, sweep ", row->card.label));
    };
    const auto of_time = [](const std::string& text) { return fixture::says(text, "In clock cycles: "); };
    const std::string time = tooltip(line.Max.x - 40), row = tooltip(line.Min.x + 60);
    IM_CHECK(of_time(time) && !of_row(time));
    IM_CHECK(of_row(row) && !of_time(row));
  });
}

TEST_F(SelectionJourney, the_history_finds_sweeps_by_the_words_of_its_list) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::history);
    for (const char* words : {"hopper bwd", "counters", "h200"}) {
      ui().history_filter = words;
      c->Yield(2);
      IM_CHECK(c->ItemExists("//###history/**/##sweep"));
    }
    ui().history_filter = "no such sweep";
    c->Yield(2);
    IM_CHECK(!c->ItemExists("//###history/**/##sweep"));
  });
}

TEST_F(SelectionJourney, the_history_counts_the_sweeps_that_its_filter_finds) {
  travel([](ImGuiTestContext* c) {
    wait(c);
    front(c, Panel::history);
    const std::vector<SweepInfo>& sweeps = data().sweeps;
    const std::string of_all = fmt::format(" of {} sweeps", sweeps.size());
    const std::string listed = fixture::drawn_text(c);
    IM_CHECK(!fixture::says(listed, of_all));
    IM_CHECK(fixture::says(listed, fmt::format("#{}", sweeps.front().id)));  // by which captions and Details name it
    const auto backward = std::ranges::count_if(sweeps, [](const SweepInfo& sweep) {
      const auto& name = app().models().name(sweep);
      return fixture::says(name.title + name.brief, "bwd");
    });
    IM_CHECK(backward > 0 && backward < std::ssize(sweeps));
    for (const auto& [words, found] : {std::pair("bwd", backward), std::pair("h200", std::ssize(sweeps)),
                                       std::pair("no such sweep", std::ptrdiff_t{0})}) {
      ui().history_filter = words;
      c->Yield(2);
      IM_CHECK(fixture::says(fixture::drawn_text(c), fmt::format("{}{}", found, of_all)));
    }
  });
}

TEST_F(SelectionJourney, details_compare_the_first_row_with_any_other_one) {
  travel([](ImGuiTestContext* c) {
    begin(c, Panel::latency);
    click(c, row(c, 0));
    click(c, row(c, 2), ImGuiMod_Shift);
    const std::vector<std::int64_t> all = selected();
    IM_CHECK_EQ(all.size(), 3U);
    front(c, Panel::details);
    const ImRect line = c->ItemInfo("//###details/**/##line").RectFull;
    click(c, ImVec2(line.GetCenter().x, line.GetCenter().y + line.GetHeight()));  // the second
    IM_CHECK_EQ(ui().selection.pinned(), all[0]);
    IM_CHECK_EQ(ui().selection.beside(), all[1]);
    IM_CHECK_EQ(data().beside->of->row.measurement, all[1]);
    c->ItemClick("//###details/**/Swap A and B");
    wait(c);
    IM_CHECK_EQ(ui().selection.pinned(), all[1]);
    IM_CHECK_EQ(ui().selection.beside(), all[0]);
    IM_CHECK_EQ(data().selected->row.measurement, all[1]);
    c->ItemClick("//###details/**/Copy");
    IM_CHECK(clipboard().find("time / first") != std::string::npos);
    IM_CHECK_EQ(std::ranges::count(clipboard(), '\n'), 4);
  });
}

TEST_F(SelectionJourney, the_history_begins_with_a_whole_line_wherever_it_is_scrolled) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::history);
    const auto& windows = ImGui::GetCurrentContext()->Windows;
    const auto of_list = [](const ImGuiWindow* one) {
      return one->WasActive && std::string_view(one->Name).find("###history/sweeps") != std::string_view::npos;
    };
    const auto found = std::ranges::find_if(windows, of_list);
    IM_CHECK(found != windows.end());
    ImGuiWindow* list = *found;
    IM_CHECK_GT(list->ScrollMax.y, 40);
    const float line = 19 * app().look().scale;
    for (const float scroll : {0.0F, 7.0F, 30.0F, list->ScrollMax.y}) {
      ImGui::SetScrollY(list, scroll);
      c->Yield(4);
      IM_CHECK_LT(std::abs(std::remainder(list->Scroll.y, line)), 1);
      IM_CHECK_LT(std::abs(list->Scroll.y - scroll), line);
    }
  });
}

TEST_F(SelectionJourney, a_filtered_sweep_says_what_was_found_in_it_that_its_line_lacks) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::history);
    ui().history_filter = "--seq";  // stands in the commands alone
    c->Yield(2);
    const std::string text = fixture::drawn_text(c);
    int found = 0;
    for (std::size_t at = text.find("--seq"); at != text.npos; at = text.find("--seq", at + 1)) ++found;
    IM_CHECK_GT(found, 3);
  });
}

TEST_F(SelectionJourney, compare_leads_from_two_selected_rows_to_details) {
  travel([](ImGuiTestContext* c) {
    begin(c, Panel::latency);
    click(c, row(c, 0));
    click(c, row(c, 2), ImGuiMod_Ctrl);
    front(c, Panel::details);
    IM_CHECK(fixture::says(fixture::drawn_text(c), " TFLOP/s."));  // of both, below each other's times
    front(c, Panel::compare);
    IM_CHECK(fixture::says(fixture::drawn_text(c), "2 rows are selected"));
    c->ItemClick("//###compare/**/Show them in Details");
    c->Yield(4);
    IM_CHECK(ImGui::FindWindowByName("###details")->DockNode->VisibleWindow == ImGui::FindWindowByName("###details"));
    IM_CHECK_EQ(selected().size(), 2U);
  });
}

}  // namespace
}  // namespace triscope
