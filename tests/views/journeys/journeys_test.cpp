// What a user does, done by imgui_test_engine's mouse and keyboard, on a whole application: without a display, and on
// one (tests/on_screen).
#include <implot.h>
#include <implot_internal.h>

#include <algorithm>
#include <functional>

#include "profiler/plan/request.hpp"
#include "tests/views/journeys/journey.hpp"
#include "tests/views/pictures/drawn_text.hpp"
#include "views/command/command.hpp"

namespace triscope {
namespace {

using fixture::Journey;

std::size_t copied_png = 0;  // bytes of the picture that was copied last

TEST_F(Journey, windows_are_chosen_by_dragging_in_the_grid) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::setup);
    ui().form.windows.clear();
    ui().form.windows_text.clear();
    c->Yield(2);
    const ImGuiTestItemInfo grid = c->ItemInfo("//**/##window_grid");
    const WindowGrid axes = make_grid(ui().form);
    const float left = app().look().px(32),
                width = (grid.RectFull.GetWidth() - left) / static_cast<float>(axes.axis1.size());
    const float height = (grid.RectFull.GetHeight() - app().look().px(18)) / static_cast<float>(axes.axis2.size());
    const auto centre = [&](std::size_t i1, std::size_t i2) {
      return ImVec2(grid.RectFull.Min.x + left + (static_cast<float>(i1) + 0.5F) * width,
                    grid.RectFull.Min.y + (static_cast<float>(axes.axis2.size() - 1 - i2) + 0.5F) * height);
    };
    c->MouseMoveToPos(centre(4, 1));
    c->MouseDragWithDelta(ImVec2(centre(6, 2).x - centre(4, 1).x, centre(6, 2).y - centre(4, 1).y));
    IM_CHECK_EQ(ui().form.windows.size(), 6U);
    IM_CHECK(ui().form.windows_text.find("512x64") != std::string::npos);
    c->MouseMoveToPos(centre(5, 1));
    c->MouseClick();
    IM_CHECK_EQ(ui().form.windows.size(), 5U);
  });
}

TEST_F(Journey, run_measures_what_the_form_says_and_shows_it) {
  travel([](ImGuiTestContext* c) {
    const std::size_t sweeps = data().sweeps.size();
    c->KeyPress(ImGuiKey_F5);
    c->Yield(2);
    wait(c);
    IM_CHECK_EQ(world().sweep.started.load(), 1);
    IM_CHECK_EQ(data().sweeps.size(), sweeps + 1);
    IM_CHECK_EQ(data().shown->info.id, data().sweeps.front().id);
    IM_CHECK_EQ(data().shown->rows.size(), 6U);
    IM_CHECK_EQ(world().sweep.last_request.windows.size(), ui().form.windows.size());
  });
}

TEST_F(Journey, stop_keeps_what_was_measured_and_resume_beside_it_or_its_key_finishes_it) {
  window->sweep.measurements = 30;
  window->sweep.stop_after = 2;
  travel([](ImGuiTestContext* c) {
    c->SetRef("##MainMenuBar");
    const std::size_t sweeps = data().sweeps.size();
    const auto stop_at = [&](std::int64_t done) {
      until(c, [&] { return data().run.running && data().run.progress.done >= done; });
      IM_CHECK(data().run.running);
      c->ItemClick("**/■ Stop");
      wait(c);
      IM_CHECK(!data().run.running);
      IM_CHECK_EQ(data().shown->rows.size(), static_cast<std::size_t>(done));
      IM_CHECK(data().shown->info.finished.empty());
    };
    c->ItemClick("**/▶ Run  F5");
    stop_at(2);
    world().sweep.stop_after = 5;
    c->ItemClick("**/Resume");
    stop_at(5);
    world().sweep.stop_after = 1 << 30;
    c->KeyPress(ImGuiMod_Ctrl | ImGuiKey_F5);
    c->Yield(2);
    wait(c);
    IM_CHECK_EQ(data().shown->rows.size(), 30U);
    IM_CHECK(!data().shown->info.finished.empty());
    IM_CHECK_EQ(data().sweeps.size(), sweeps + 1);  // it is one sweep from the first row to the last
  });
}

TEST_F(Journey, a_header_click_sorts_and_another_reverses_the_order) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::latency);
    const std::vector<LatencyColumn> columns = latency_columns(*app().models().latency(data()));
    ImGuiWindow* panel = ImGui::FindWindowByName("###latency");
    IM_CHECK(panel != nullptr);
    const ImGuiID table = panel->GetID(latency_table_name(columns).c_str());
    const auto time = std::ranges::find(columns, LatencyField::median, &LatencyColumn::field);
    const int column = static_cast<int>(time - columns.begin());
    const ImRect line = c->ItemInfo("//###latency/**/##line").RectFull;
    /// Of the rows as they are drawn: what the pointer finds on each.
    const auto medians = [&] {
      std::vector<double> found;
      for (int row = 0; row < 4; ++row) {
        c->MouseMoveToPos(ImVec2(line.Min.x + 30, line.GetCenter().y + static_cast<float>(row) * app().look().px(24)));
        c->Yield(2);
        const auto under = std::ranges::find(data().shown->rows, ui().selection.hovered, &ResultRow::measurement);
        IM_CHECK_RETV(under != data().shown->rows.end() && under->median_ms, found);
        found.push_back(*under->median_ms);
      }
      return found;
    };
    click_latency_header(c, table, column);
    c->Yield(2);
    IM_CHECK(ui().sort_column.starts_with("median/"));
    IM_CHECK(!ui().sort_descending);
    const std::vector<double> shortest = medians();
    IM_CHECK(std::ranges::is_sorted(shortest));
    click_latency_header(c, table, column);
    c->Yield(2);
    IM_CHECK(ui().sort_descending);
    const std::vector<double> longest = medians();
    IM_CHECK(std::ranges::is_sorted(longest, std::ranges::greater()));
    IM_CHECK_GT(longest.back(), shortest.back());
  });
}

TEST_F(Journey, the_filter_narrows_the_table_and_copy_takes_what_is_left) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::latency);
    c->KeyPress(ImGuiMod_Ctrl | ImGuiKey_F);
    c->Yield(2);
    c->KeyCharsReplace("512 ×");
    c->Yield(2);
    IM_CHECK_STR_EQ(ui().table_filter.c_str(), "512 ×");
    const LatencyModel model = make_latency_model(*data().shown, nullptr);
    const std::size_t matching = arrange(model, "512 ×", std::nullopt).size();
    IM_CHECK(matching > 0 && matching < model.lines.size());
    const ImRect line = c->ItemInfo("//###latency/**/##line").RectFull;
    const auto is_drawn = [&](std::size_t row) {
      c->MouseMoveToPos(ImVec2(line.Min.x + 30, line.GetCenter().y + static_cast<float>(row) * app().look().px(24)));
      c->Yield(2);
      return ui().selection.hovered != 0;
    };
    IM_CHECK(is_drawn(matching - 1));
    IM_CHECK(!is_drawn(matching));
    c->SetRef("//###latency");
    c->ItemClick("###Copy");
    c->ItemClick("//$FOCUSED/Tab-separated, for a spreadsheet");
    const std::string text = clipboard();
    IM_CHECK(text.find("window\t") == 0);
    IM_CHECK_EQ(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), matching + 1);
    c->ItemClick("###Copy");
    c->ItemClick("//$FOCUSED/Markdown");
    IM_CHECK(clipboard().find("| window |") == 0);
  });
}

TEST_F(Journey, clicking_a_row_pins_it_and_escape_unpins) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::latency);
    const ImRect line = c->ItemInfo("//**/##line").RectFull;  // as wide as all columns, seen or not
    c->MouseMoveToPos(ImVec2(line.Min.x + 30, line.GetCenter().y));
    c->MouseClick();
    wait(c);
    IM_CHECK(ui().selection.pinned() != 0);
    IM_CHECK(data().selected != nullptr);
    IM_CHECK_EQ(data().selected->row.measurement, ui().selection.pinned());
    c->KeyPress(ImGuiKey_Escape);
    wait(c);
    IM_CHECK_EQ(ui().selection.pinned(), 0);
    IM_CHECK(data().selected == nullptr);
  });
}

TEST_F(Journey, what_is_selected_elsewhere_comes_into_view_in_the_table) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::latency);
    const LatencyModel model = make_latency_model(*data().shown, nullptr);
    std::int64_t last = 0;
    for (const auto& cell : model.lines.back().cells) {
      if (cell) last = cell->row.measurement;
    }
    const auto scroll = [] {
      for (const ImGuiWindow* one : ImGui::GetCurrentContext()->Windows) {
        if (one->Active && std::string(one->Name).find("###latency/latency|") != std::string::npos)
          return one->Scroll.y;
      }
      return -1.0F;
    };
    IM_CHECK_EQ(scroll(), 0.0F);
    app().carry_out(ask::SelectMeasurement{last});
    wait(c);
    c->Yield(3);
    IM_CHECK(scroll() > 100);
  });
}

TEST_F(Journey, a_baseline_gives_every_row_a_verdict_and_compare_opens) {
  travel([](ImGuiTestContext* c) {
    c->KeyPress(ImGuiKey_F5);
    c->Yield(2);
    wait(c);
    c->KeyPress(ImGuiKey_B);
    wait(c);
    const std::int64_t baseline = ui().selection.baseline_sweep;
    IM_CHECK(baseline != 0);
    c->KeyPress(ImGuiKey_F5);
    c->Yield(2);
    wait(c);
    IM_CHECK(ui().selection.shown_sweep != baseline);
    IM_CHECK(data().against_baseline != nullptr);
    IM_CHECK(!data().against_baseline->empty());
    c->KeyPress(ImGuiKey_C);
    wait(c);
    IM_CHECK_EQ(data().compared.size(), 2U);
    IM_CHECK(!data().compared[1].against_first.empty());
    const ImGuiWindow* panel = ImGui::FindWindowByName("###compare");
    IM_CHECK(panel != nullptr && panel->Active && !panel->Hidden);
  });
}

TEST_F(Journey, a_row_of_compare_is_selected_everywhere) {
  travel([](ImGuiTestContext* c) {
    for (int i = 0; i < 2; ++i) {
      c->KeyPress(ImGuiKey_F5);
      c->Yield(2);
      wait(c);
      if (i == 0) c->KeyPress(ImGuiKey_B);
      wait(c);
    }
    const std::int64_t shown = data().shown->info.id;
    c->KeyPress(ImGuiKey_C);
    wait(c);
    c->ItemClick("//**/##line", 0, ImGuiTestOpFlags_NoCheckHoveredId);
    wait(c);
    IM_CHECK(ui().selection.pinned() != 0 && data().selected != nullptr);
    IM_CHECK_EQ(data().shown->info.id, shown);
    IM_CHECK_EQ(data().selected->row.sweep, shown);
    app().carry_out(ask::ShowSweep{data().sweeps.back().id});  // neither of the two
    wait(c);
    c->ItemClick("//**/##line", 0, ImGuiTestOpFlags_NoCheckHoveredId);
    wait(c);
    IM_CHECK_EQ(data().shown->info.id, shown);
    IM_CHECK(data().selected != nullptr);
  });
}

TEST_F(Journey, charts_show_the_setting_that_is_chosen_or_selected) {
  window->stage.reset();
  {
    Store store(window->folder / "lengths.db");
    const std::int64_t sweep = store.begin_sweep("triscope sweep", to_json(SweepRequest{}), synthetic_environment(), 3);
    for (const std::int64_t seq_len : {1024, 2048, 4096}) {
      Measurement measurement = synthetic_measurement(1, 20);
      measurement.status = Status::ok;
      measurement.key.problem.seq_len = seq_len;
      store.add(sweep, measurement);
    }
    store.finish_sweep(sweep);
  }
  window->start(window->folder / "lengths.db");
  travel([](ImGuiTestContext* c) {
    front(c, Panel::tflops);
    const auto points = [&] {
      Models models;
      const std::vector<ChartSetting>& settings = models.settings(data());
      const auto shown = std::find_if(settings.begin(), settings.end(),
                                      [](const ChartSetting& one) { return one.text == ui().chart_setting.text; });
      return shown == settings.end() ? 0 : shown->problem.seq_len;
    };
    /// Of the bar that is drawn, which is the only one.
    const auto bar = [&]() -> std::int64_t {
      const ImRect plot = ImPlot::GetCurrentContext()->Plots.GetByIndex(0)->PlotRect;
      c->MouseMoveToPos(ImVec2(plot.GetCenter().x, plot.Max.y - 6));
      c->Yield(2);
      const auto under = std::ranges::find(data().shown->rows, ui().selection.hovered, &ResultRow::measurement);
      return under == data().shown->rows.end() ? 0 : under->problem.seq_len;
    };
    c->ItemClick("//###tflops/##setting");
    c->ItemClick("//$FOCUSED/2,048 tokens");
    c->Yield(2);
    IM_CHECK_EQ(points(), 2048);
    IM_CHECK_EQ(bar(), 2048);
    c->ItemClick("//**/##line", 0, ImGuiTestOpFlags_NoCheckHoveredId);
    wait(c);
    c->Yield(2);
    IM_CHECK(data().selected != nullptr);
    IM_CHECK_EQ(points(), data().selected->row.problem.seq_len);
    IM_CHECK(points() != 2048);
    IM_CHECK_EQ(bar(), points());
  });
}

TEST_F(Journey, theme_and_scale_change_while_running) {
  travel([](ImGuiTestContext* c) {
    const bool dark = app().look().theme.dark;
    c->SetRef("##MainMenuBar");
    c->MenuClick("View/Light or dark");
    c->Yield(2);
    IM_CHECK(app().look().theme.dark != dark);
    c->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Equal);
    c->Yield(2);
    IM_CHECK(app().look().scale > 1.05F);
    c->KeyPress(ImGuiMod_Ctrl | ImGuiKey_0);
    c->Yield(2);
    IM_CHECK_EQ(app().look().scale, 1.0F);
  });
}

TEST_F(Journey, the_palette_runs_a_command_by_a_few_letters) {
  travel([](ImGuiTestContext* c) {
    c->KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P);
    c->Yield(3);
    c->KeyCharsReplaceEnter("paper");
    c->Yield(4);
    const ImGuiWindow* panel = ImGui::FindWindowByName("###paper");
    IM_CHECK(panel != nullptr && panel->Active && !panel->Hidden);
  });
}

TEST_F(Journey, help_opens_on_a_question_mark_and_closes_on_escape) {
  travel([](ImGuiTestContext* c) {
    c->KeyPress(ImGuiMod_Shift | ImGuiKey_Slash);
    c->Yield(3);
    const ImGuiWindow* help = ImGui::GetTopMostPopupModal();
    IM_CHECK(help != nullptr);
    IM_CHECK_STR_EQ(help->Name, "Keyboard and commands");
    const std::string text = fixture::drawn_text(c);
    for (const Command& command : commands())
      IM_CHECK(fixture::says(text, command.label) && fixture::says(text, command.shortcut));
    c->KeyPress(ImGuiKey_Escape);
    c->Yield(3);
    IM_CHECK(!ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel));
  });
}

TEST_F(Journey, licences_are_in_the_help_menu_and_copy_the_command_that_fetches_a_baseline) {
  travel([](ImGuiTestContext* c) {
    c->SetRef("##MainMenuBar");
    c->MenuClick("Help/Third-party parts and licences");
    c->Yield(3);
    c->SetRef(c->WindowInfo("//Third-party parts and licences/licences").Window);
    c->ItemClick("parts/.\\/run build --cuda --with-fa3/Copy command");
    c->Yield(3);
    IM_CHECK_STR_EQ(ImGui::GetClipboardText(), "./run build --cuda --with-fa3");
    c->KeyPress(ImGuiKey_Escape);
    c->Yield(3);
    IM_CHECK(!ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel));
  });
}

TEST_F(Journey, the_reason_why_a_sweep_was_not_started_is_shown_until_one_starts) {
  travel([](ImGuiTestContext* c) {
    const std::vector<Windows> windows = ui().form.windows;
    ui().form.windows.clear();
    c->KeyPress(ImGuiKey_F5);
    wait(c);
    IM_CHECK_EQ(data().notices.size(), 1U);
    IM_CHECK(data().notices.back().text.find("click in the grid; correct the fields") != std::string::npos);
    IM_CHECK(c->ItemExists("//##notices/**/Dismiss"));
    ui().form.windows = windows;
    c->KeyPress(ImGuiKey_F5);
    wait(c);
    IM_CHECK_EQ(world().sweep.started.load(), 1);
    IM_CHECK(data().notices.empty());
  });
}

TEST_F(Journey, an_interrupted_sweep_is_offered_for_resuming) {
  window->stage.reset();
  {
    Store store(window->folder / "broken.db");
    const std::int64_t sweep = store.begin_sweep("triscope sweep", to_json(SweepRequest{}), synthetic_environment(), 6);
    store.add(sweep, synthetic_measurement(1, 20));
  }
  window->start(window->folder / "broken.db");
  travel([](ImGuiTestContext* c) {
    IM_CHECK(!data().notices.empty());
    IM_CHECK(data().notices.back().text.find("interrupted after 1 of 6") != std::string::npos);
    c->ItemClick("//##notices/**/Resume");
    c->Yield(2);
    wait(c);
    IM_CHECK_EQ(data().shown->rows.size(), 6U);
    IM_CHECK(data().notices.empty());
  });
}

TEST_F(Journey, resuming_a_remote_sweep_asks_for_the_command) {
  window->stage.reset();
  {
    Store store(window->folder / "remote.db");
    SweepRequest request;
    request.worker_prefix = {"sh", "-c", "touch /tmp/never"};
    const std::int64_t sweep = store.begin_sweep("triscope sweep", to_json(request), synthetic_environment(), 6);
    store.add(sweep, synthetic_measurement(1, 20));
  }
  window->start(window->folder / "remote.db");
  travel([](ImGuiTestContext* c) {
    const auto ask = [&] {
      c->KeyPress(ImGuiMod_Ctrl | ImGuiKey_F5);
      c->Yield(3);
      wait(c);
      IM_CHECK(ui().prefix.sweep != 0);
      IM_CHECK(ui().prefix.text.empty());
      IM_CHECK_EQ(world().sweep.started.load(), 0);
    };
    ask();
    c->KeyPress(ImGuiKey_Escape);
    c->Yield(2);
    IM_CHECK_EQ(ui().prefix.sweep, 0);
    ask();
    c->KeyCharsReplaceEnter("ssh 'other host'");
    wait(c);
    IM_CHECK_EQ(world().sweep.started.load(), 1);
    IM_CHECK(world().sweep.last_request.worker_prefix == (std::vector<std::string>{"ssh", "other host"}));
    IM_CHECK_EQ(data().shown->rows.size(), 6U);
  });
}

TEST_F(Journey, a_chart_is_saved_as_a_picture_three_times_its_size) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::tflops);
    const std::string file = world().folder / "chart.png";
    const Area area = ui().chart_areas.at(Panel::tflops);
    app().carry_out(ask::SaveChart{Panel::tflops, file});
    wait(c);
    std::ifstream stream(file, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
    IM_CHECK(bytes.size() > 1000 && bytes.substr(1, 3) == "PNG");
    const auto big_endian = [&](std::size_t at) {
      return static_cast<unsigned char>(bytes[at + 2]) * 256 + static_cast<unsigned char>(bytes[at + 3]);
    };
    IM_CHECK(std::abs(static_cast<float>(big_endian(16)) - 3 * area.width) <= 2);
    IM_CHECK(std::abs(static_cast<float>(big_endian(20)) - 3 * area.height) <= 2);
  });
}

TEST_F(Journey, a_picture_is_of_what_is_shown_now) {
  window->application().camera().copy_image = [](const std::vector<std::uint8_t>& png) { copied_png = png.size(); };
  travel([](ImGuiTestContext* c) {
    front(c, Panel::tflops);
    c->KeyPress(ImGuiKey_A);
    c->Yield(3);
    app().carry_out(ask::CopyChart{});
    c->Yield(3);
    IM_CHECK(copied_png > 0);
    c->KeyPress(ImGuiKey_M);
    c->Yield(3);
    IM_CHECK(!ui().chart_areas.contains(Panel::attention));
    IM_CHECK(ui().chart_areas.contains(Panel::tflops));
    app().carry_out(ask::CopyChart{Panel::attention});
    c->Yield(3);
    IM_CHECK(!data().notices.empty() && data().notices.back().text.find("not shown") != std::string::npos);
    copied_png = 0;
    app().carry_out(ask::CopyChart{});
    c->Yield(3);
    IM_CHECK(copied_png > 0);
  });
}

TEST_F(Journey, the_database_has_the_words_that_name_it_in_a_command) {
  travel([](ImGuiTestContext*) {
    const std::string words = " --db " + (world().folder / "test.db").string();
    IM_CHECK_STR_EQ(data().database_words.c_str(), words.c_str());
  });
}

TEST_F(Journey, a_note_is_kept_with_its_measurement) {
  travel([](ImGuiTestContext* c) {
    const std::int64_t id = data().shown->rows.front().measurement;
    app().carry_out(ask::SelectMeasurement{id});
    wait(c);
    app().carry_out(ask::NoteMeasurement{id, "after the fan was cleaned"});
    wait(c);
    IM_CHECK_STR_EQ(Snapshot(world().folder / "test.db").note(id).c_str(), "after the fan was cleaned");
    IM_CHECK_STR_EQ(data().selected->note.c_str(), "after the fan was cleaned");
  });
}

}  // namespace
}  // namespace triscope
