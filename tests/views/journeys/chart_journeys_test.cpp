// What a person does with charts: zooms, hides a series, follows a curve into another sweep.
#include <gmock/gmock.h>
#include <implot.h>
#include <implot_internal.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "profiler/plan/request.hpp"
#include "tests/paths.hpp"
#include "tests/views/journeys/journey.hpp"
#include "tests/views/pictures/drawn_text.hpp"
#include "views/command/command.hpp"
#include "views/model/tables/selected_steps.hpp"
#include "views/parts/chart_tools.hpp"

namespace triscope {
namespace {

using fixture::Journey;

const std::string kRecorded = recorded_file();

/// The one plot that was drawn so far.
ImPlotPlot& only_plot() { return *ImPlot::GetCurrentContext()->Plots.GetByIndex(0); }
/// The one that was drawn for the first time last.
ImPlotPlot& newest_plot() {
  auto& plots = ImPlot::GetCurrentContext()->Plots;
  return *plots.GetByIndex(plots.GetBufSize() - 1);
}

ImVec2 pixels(ImPlotPlot& plot, double x, double y) {
  return {plot.Axes[ImAxis_X1].PlotToPixels(x), plot.Axes[ImAxis_Y1].PlotToPixels(y)};
}

/// Zooms and drags in the middle of `plot`; its values may change, their zero stays where it is.
void check_stands_on_zero(ImGuiTestContext* c, ImPlotPlot& plot) {
  const auto range = [&] { return plot.Axes[ImAxis_Y1].Range; };
  IM_CHECK_EQ(range().Min, 0.0);
  const double before = range().Max;
  c->MouseMoveToPos(plot.PlotRect.GetCenter());
  c->MouseWheelY(2);
  c->Yield(3);
  IM_CHECK_LT(range().Max, before);
  IM_CHECK_EQ(range().Min, 0.0);
  c->MouseWheelY(-5);
  c->Yield(3);
  IM_CHECK_GT(range().Max, before);
  IM_CHECK_EQ(range().Min, 0.0);
  c->MouseDragWithDelta(ImVec2(0, -40));
  c->Yield(3);
  IM_CHECK_EQ(range().Min, 0.0);
}

TEST_F(Journey, bars_stand_on_zero_whatever_the_wheel_does) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::tflops);
    check_stands_on_zero(c, only_plot());
    app().carry_out(ask::SelectMeasurement{data().shown->rows.front().measurement});
    wait(c);
    front(c, Panel::samples);
    const ImGuiID inside =
        ImGui::FindWindowByName("###samples")->GetID(static_cast<int>(data().selected->row.measurement));
    ImPlotPlot* histogram = ImPlot::GetCurrentContext()->Plots.GetByKey(ImHashStr("##histogram", 0, inside));
    IM_CHECK(histogram != nullptr);
    check_stands_on_zero(c, *histogram);
  });
}

TEST_F(Journey, the_bars_of_a_hidden_series_leave_no_gap) {
  window->stage.reset();
  {
    Store store(window->folder / "two.db");
    const std::int64_t sweep = store.begin_sweep("triscope sweep", to_json(SweepRequest{}), synthetic_environment(), 4);
    for (const char* kernel : {"cuda.hopper", "cuda.portable"}) {
      for (const std::int64_t window2 : {32, 64}) {
        Measurement measurement = synthetic_measurement(1, 20);
        measurement.status = Status::ok;
        measurement.key.kernel = kernel;
        measurement.key.pass = Pass::forward;
        measurement.key.problem.window2 = window2;
        store.add(sweep, measurement);
      }
    }
    store.finish_sweep(sweep);
  }
  window->start(window->folder / "two.db");
  travel([](ImGuiTestContext* c) {
    front(c, Panel::tflops);
    const BarChart& chart = *app().models().bars(data(), 0);
    IM_CHECK_EQ(chart.series.size(), 2U);
    const auto of = [&](std::size_t series) { return chart.series[series].points.front().measurement; };
    const double tenth = chart.series[0].points.front().y / 10;
    const auto under = [&](double x) {
      c->MouseMoveToPos(pixels(only_plot(), x, tenth));
      c->Yield(2);
      return ui().selection.hovered;
    };
    IM_CHECK_EQ(under(-0.2), of(0));
    IM_CHECK_EQ(under(0.2), of(1));
    IM_CHECK_EQ(under(0), 0);  // between the two
    const std::string first = "//###tflops/legend/" + legend_name(chart.series[0].series);
    c->ItemClick(first.c_str());
    for (const double x : {-0.3, -0.2, 0.0, 0.2, 0.3}) IM_CHECK_EQ(under(x), of(1));
    c->ItemClick(first.c_str());
    IM_CHECK_EQ(under(-0.2), of(0));
  });
}

TEST_F(Journey, curves_over_lengths_take_in_the_other_sweeps_of_the_device) {
  window->start(kRecorded);
  travel([](ImGuiTestContext* c) {
    app().carry_out(ask::ShowSweep{1});  // of one length
    wait(c);
    front(c, Panel::lengths);
    const LengthChart& chart = *app().models().lengths(data());
    const LengthPass& forward = chart.of(Pass::forward);
    IM_CHECK(!forward.curves.empty() && !forward.crossings.empty());
    IM_CHECK_GT(forward.sweeps, 1U);
    IM_CHECK(!app().text_of(Panel::lengths).rows.empty());
    std::int64_t elsewhere = 0;
    const auto is_shown = [](std::int64_t measurement) {
      return std::any_of(data().shown->rows.begin(), data().shown->rows.end(),
                         [&](const ResultRow& row) { return row.measurement == measurement; });
    };
    for (const LengthPoint& point : forward.curves.front().points) {
      if (!is_shown(point.measurement)) elsewhere = point.measurement;
    }
    IM_CHECK(elsewhere != 0);
    const std::size_t sweeps = forward.sweeps;
    app().carry_out(ask::SelectMeasurement{elsewhere});  // a click on the point
    wait(c);
    IM_CHECK(data().selected != nullptr && data().selected->row.measurement == elsewhere);
    IM_CHECK(!is_shown(elsewhere));  // looking changes neither what is shown nor what is drawn
    IM_CHECK_EQ(data().shown->info.id, 1);
    IM_CHECK_EQ(app().models().lengths(data())->of(Pass::forward).sweeps, sweeps);
    front(c, Panel::details);
    c->ItemClick("//###details/**/Show that sweep");
    wait(c);
    IM_CHECK(is_shown(elsewhere));
    IM_CHECK_EQ(ui().selection.shown_sweep, data().shown->info.id);
    IM_CHECK(data().selected != nullptr && data().selected->row.measurement == elsewhere);
  });
}

TEST_F(Journey, what_is_said_of_a_point_does_not_stand_on_it) {
  window->start(kRecorded);
  travel([](ImGuiTestContext* c) {
    int seen = 0;
    const auto look_at = [&](double x, double y) {
      const ImVec2 at = pixels(newest_plot(), x, y);
      if (!newest_plot().PlotRect.Contains(at)) return;
      const ImRect shown = tooltip_at(c, at, 0.1F);
      if (shown.GetWidth() == 0) return;
      const float mark = 8 * app().look().scale;
      IM_CHECK(!shown.Overlaps(ImRect(at.x - mark, at.y - mark, at.x + mark, at.y + mark)));
      ++seen;
    };
    app().carry_out(ask::ShowSweep{1});
    wait(c);
    front(c, Panel::scaling);
    const ScalingChart areas = *app().models().scaling(data(), 0);
    for (const SeriesPoints& series : areas.series)
      for (const ChartPoint& point : series.points) look_at(point.x, point.y);
    app().carry_out(ask::ShowSweep{4});  // of many lengths
    wait(c);
    for (const bool step : {false, true}) {
      ui().length_step = step;
      front(c, Panel::lengths);
      wait(c);
      const LengthChart& chart = *app().models().lengths(data());
      for (const LengthCurve& curve : (step ? chart.step : chart.of(ui().length_pass)).curves)
        for (const LengthPoint& point : curve.points) look_at(static_cast<double>(point.seq_len), point.ms);
    }
    IM_CHECK(seen >= 30);
  });
}

TEST_F(Journey, a_name_in_a_legend_says_what_a_click_does) {
  window->start(kRecorded);
  travel([](ImGuiTestContext* c) {
    app().carry_out(ask::ShowSweep{4});
    wait(c);
    front(c, Panel::lengths);
    wait(c);
    const ImVec2 name = c->ItemInfo("//###lengths/legend/ 512 × 32").RectFull.GetCenter();
    IM_CHECK(tooltip_at(c, name).GetWidth() > 0);
  });
}

TEST_F(Journey, a_click_in_the_legend_of_lengths_leaves_windows_or_a_baseline_out_by_name) {
  window->start(kRecorded);
  travel([](ImGuiTestContext* c) {
    app().carry_out(ask::ShowSweep{4});
    wait(c);
    front(c, Panel::lengths);
    wait(c);
    const std::string windows = "512 × 32", flash = "FlashAttention-3 64/1";
    const auto copied = [](const std::string& label) {
      return std::ranges::any_of(app().text_of(Panel::lengths).rows, [&](const auto& row) { return row[2] == label; });
    };
    const auto name = [](std::string label) {
      if (const std::size_t stroke = label.find('/'); stroke != std::string::npos) label.insert(stroke, "\\");
      return "//###lengths/legend/ " + label;
    };
    const auto click = [&](const std::string& label) {
      c->ItemClick(name(label).c_str());
      c->Yield(2);
    };
    const LengthPass& pass = app().models().lengths(data())->of(ui().length_pass);
    const LengthCurve curve = *std::ranges::find(pass.curves, windows, &LengthCurve::label);
    auto& plots = ImPlot::GetCurrentContext()->Plots;
    const int latencies = plots.GetBufSize() - 1;  // the plot of this view
    const auto under_its_end = [&] {
      const LengthPoint& end = curve.points.back();
      c->MouseMoveToPos(pixels(*plots.GetByIndex(latencies), static_cast<double>(end.seq_len), end.ms));
      c->Yield(2);
      return ui().selection.hovered;
    };
    IM_CHECK_EQ(under_its_end(), curve.points.back().measurement);
    for (const std::string& label : {windows, flash}) {
      IM_CHECK(copied(label));
      click(label);
      IM_CHECK(!copied(label));
    }
    IM_CHECK_NE(under_its_end(), curve.points.back().measurement);
    for (const LengthView view : {LengthView::rate, LengthView::counted, LengthView::budget, LengthView::latency}) {
      ui().length_view = view;
      c->Yield(2);
      IM_CHECK(c->ItemExists(name(flash).c_str()));
    }
    app().carry_out(ask::ShowSweep{3});
    wait(c);
    IM_CHECK(!copied(flash));
    app().carry_out(ask::ShowSweep{4});
    wait(c);
    click(windows);
    click(flash);
    IM_CHECK(copied(windows) && copied(flash));
    IM_CHECK_EQ(under_its_end(), curve.points.back().measurement);
    c->ItemDoubleClick(name(flash).c_str());  // alone
    c->Yield(2);
    IM_CHECK(copied(flash) && !copied(windows));
    c->ItemDoubleClick(name(flash).c_str());
    c->Yield(2);
    IM_CHECK(ui().lengths_left_out.empty());
  });
}

/// What a hover says of a step beside the reference.
std::string beside_words(const WindowData& data, std::int64_t forward, std::int64_t backward) {
  const StepVerdict* step = find_step(data.beside_reference.get(), forward, backward);
  return step == nullptr ? "no verdict" : marked(step->time, time_sentence(step->time, step->label));
}

TEST_F(Journey, a_click_on_a_training_step_by_area_or_in_the_map_selects_both_passes) {
  window->start(kRecorded);
  travel([](ImGuiTestContext* c) {
    app().carry_out(ask::ShowSweep{1});  // the forward alone: the backward is of another sweep
    wait(c);
    front(c, Panel::scaling);
    wait(c);
    const ImPlotAxis& area = newest_plot().Axes[ImAxis_X1];  // a count of pairs, no length
    IM_CHECK(area.HasLabel());
    IM_CHECK_STR_EQ(newest_plot().GetAxisLabel(area), "w1 × w2, pairs of keys");
    for (int n = 0; n < area.Ticker.TickCount(); ++n)
      IM_CHECK(std::string_view(area.Ticker.GetText(n)).find('k') == std::string_view::npos);
    const ScalingChart& chart = *app().models().scaling(data(), 0);
    const auto steps = std::ranges::find_if(chart.series, [](const SeriesPoints& one) { return one.series.step; });
    IM_CHECK(steps != chart.series.end());
    const ChartPoint first = steps->points.front();
    const ImVec2 at = pixels(newest_plot(), first.x, first.y);
    const auto hover_says = [](ImGuiTestContext* context, ImVec2 place, const std::string& words) {
      return tooltip_at(context, place).GetWidth() > 0 && fixture::says(fixture::drawn_text(context), words);
    };
    IM_CHECK(hover_says(c, at, beside_words(data(), first.measurement, first.backward)));
    c->MouseMoveToPos(at);
    c->Yield(2);
    c->MouseClick();
    wait(c);
    IM_CHECK(ui().selection.all() == (std::vector{first.measurement, first.backward}));
    IM_CHECK_EQ(selected_steps(*data().figures).size(), 1U);
    const std::vector<Series>& choices = app().models().map_choices(data());
    const auto step = std::ranges::find_if(choices, [](const Series& one) { return one.step; });
    IM_CHECK(step != choices.end());
    ui().map_series = *step;
    front(c, Panel::map);
    const WindowMap map = *app().models().map(data(), 0, ui().map_series, ui().map_metric);
    const auto other = std::ranges::find_if(
        map.cells, [&](const MapCell& one) { return one.backward != 0 && one.measurement != first.measurement; });
    IM_CHECK(other != map.cells.end());
    const ImRect grid = c->ItemInfo("//###map/##map").RectFull;
    for (int n = 0; n < 400 && ui().selection.hovered != other->measurement; ++n) {
      const int column = n % 20, row = n / 20;
      c->MouseMoveToPos(ImVec2(grid.Min.x + grid.GetWidth() * (static_cast<float>(column) + 0.5F) / 20,
                               grid.Min.y + grid.GetHeight() * (static_cast<float>(row) + 0.5F) / 20));
      c->Yield(2);
    }
    IM_CHECK_EQ(ui().selection.hovered, other->measurement);
    IM_CHECK(hover_says(c, ImGui::GetMousePos(), beside_words(data(), other->measurement, other->backward)));
    c->MouseClick();
    wait(c);
    IM_CHECK(ui().selection.all() == (std::vector{other->measurement, other->backward}));
  });
}

/// That of the first cell which the pointer finds in the Window map; null: none is of the shown sweep.
const ResultRow* row_of_map(ImGuiTestContext* c, const UiState& ui, const SweepResults& shown) {
  const ImRect grid = c->ItemInfo("//###map/##map").RectFull;
  for (int n = 0; n < 400; ++n) {
    const int column = n % 20, row = n / 20;
    c->MouseMoveToPos(ImVec2(grid.Min.x + grid.GetWidth() * (static_cast<float>(column) + 0.5F) / 20,
                             grid.Min.y + grid.GetHeight() * (static_cast<float>(row) + 0.5F) / 20));
    c->Yield(2);
    const auto found = std::ranges::find(shown.rows, ui.selection.hovered, &ResultRow::measurement);
    if (found != shown.rows.end()) return &*found;
  }
  return nullptr;
}

TEST_F(Journey, the_window_map_keeps_its_series_from_sweep_to_sweep) {
  window->start(kRecorded);
  travel([](ImGuiTestContext* c) {
    const auto show = [&](std::int64_t sweep) {
      app().carry_out(ask::ShowSweep{sweep});
      wait(c);
    };
    const auto check_shows = [&](Pass pass, const char* kernel, const char* title) {
      const ResultRow* row = row_of_map(c, ui(), *data().shown);
      IM_CHECK(row != nullptr && row->pass == pass && row->kernel == kernel);
      IM_CHECK(fixture::says(app().vectors_of(Panel::map, VectorFormat::svg), title));
      const double copied = std::stod(app().text_of(Panel::map).rows.front().back());
      IM_CHECK(std::ranges::any_of(data().shown->rows, [&](const ResultRow& one) {
        return one.pass == pass && one.kernel == kernel &&
               std::abs(one.tflops.value_or(0) / copied - 1) < 1e-3;  // its known digits
      }));
    };
    front(c, Panel::map);
    show(5);  // forward, backward, training step
    c->ItemClick("//###map/backward");
    c->Yield(2);
    check_shows(Pass::backward, "cuda.hopper", "by window, backward");
    show(2);  // backward, training step
    check_shows(Pass::backward, "cuda.hopper", "by window, backward");
    show(1);  // the forward of two kernels, and steps
    check_shows(Pass::forward, "cuda.hopper", "by window, Hopper forward");
    show(5);
    check_shows(Pass::backward, "cuda.hopper", "by window, backward");
  });
}

TEST_F(Journey, a_click_on_equal_cost_selects_what_it_stands_on_and_plans_its_neighbours) {
  window->start(kRecorded);
  travel([](ImGuiTestContext* c) {
    app().carry_out(ask::ShowSweep{4});  // of many lengths, forward
    wait(c);
    ui().length_view = LengthView::budget;
    ui().length_step = ui().length_words = true;  // in a low panel its sentences
    front(c, Panel::lengths);
    wait(c);
    const auto budget_at = [](std::int64_t seq_len) {
      const LengthChart& chart = *app().models().lengths(data());
      return *std::ranges::find(chart.step.budgets, seq_len, &SameBudget::seq_len);
    };
    const LengthPass& forward = app().models().lengths(data())->of(Pass::forward);
    const auto at_16k = std::ranges::find(forward.budgets, 16384, &SameBudget::seq_len);
    IM_CHECK(at_16k->sentence.find("by neighbouring turns") != std::string::npos);  // the samples were read
    c->ItemClick("//**/##at 16384");
    wait(c);
    IM_CHECK(ui().length_chosen == budget_at(16384).measurements);
    IM_CHECK(ui().selection.all() == budget_at(16384).measurements);
    IM_CHECK_EQ(ui().selection.all().size(), 6U);  // both passes of three: the line goes through 256 x 32 and 512 x 32
    IM_CHECK(data().figures != nullptr && data().figures->rows.size() == 6U);
    for (const SelectedRow& one : data().figures->rows) {
      if (!one.time) continue;  // the first
      const bool its_other_pass = one.row.measurement == data().figures->rows[1].row.measurement;
      IM_CHECK_EQ(one.time->verdict != Verdict::not_comparable, !its_other_pass);
      IM_CHECK_EQ(one.time->explanation.find("two passes") != std::string::npos, its_other_pass);
    }
    IM_CHECK_EQ(selected_steps(*data().figures).size(), 3U);
    const SetupForm before = ui().form;
    c->ItemClick("//**/###neighbours");
    wait(c);
    IM_CHECK(ui().form.needs_device == "NVIDIA H200");  // here there is a CPU
    IM_CHECK(ui().form.needs_kernels == (std::vector<std::string>{"cuda.hopper", "baseline.fa3"}));
    IM_CHECK(data().preview == nullptr);  // nothing that would take hours here
    c->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z);
    wait(c);
    IM_CHECK(ui().form == before);
    front(c, Panel::lengths);
    c->ItemClick("//**/###neighbours");
    wait(c);
    IM_CHECK_STR_EQ(ui().form.seq_lens.c_str(), "16384");
    IM_CHECK(ui().form.windows == budget_at(16384).neighbours);
    IM_CHECK(ui().form.forward && ui().form.backward && ui().form.trilinear);
    IM_CHECK_EQ(world().sweep.started.load(), 0);  // nothing is measured until a person starts it
    ui().length_words = false;
    front(c, Panel::lengths);
    c->MouseMoveToPos(pixels(newest_plot(), 32768, budget_at(32768).windows->area));
    c->MouseClick();
    wait(c);
    IM_CHECK(ui().length_chosen == budget_at(32768).measurements);
    IM_CHECK(ui().selection.all() == budget_at(32768).measurements);
  });
}

TEST_F(Journey, a_length_stays_chosen_in_the_other_pass_whose_details_begin_at_their_top) {
  window->start(kRecorded);
  travel([](ImGuiTestContext* c) {
    app().carry_out(ask::ShowSweep{4});
    wait(c);
    ui().length_view = LengthView::budget;
    ui().length_pass = Pass::forward;
    ui().length_step = false;
    ui().length_words = true;  // in a low panel its sentences
    front(c, Panel::lengths);
    wait(c);
    const auto rows_at_16k = [](Pass pass) {
      const LengthPass& part = app().models().lengths(data())->of(pass);
      return std::ranges::find(part.budgets, 16384, &SameBudget::seq_len)->measurements;
    };
    c->ItemClick("//**/##at 16384");
    wait(c);
    IM_CHECK(ui().selection.all() == rows_at_16k(Pass::forward));
    c->KeyPress(ImGuiMod_Ctrl | ImGuiKey_C);  // the table that was clicked
    wait(c);
    IM_CHECK(std::string(ImGui::GetClipboardText()).starts_with("tokens\tnearest measured\t"));
    ImGui::SetClipboardText("");
    c->WindowFocus("//###lengths");  // as after a click beside the table
    c->KeyPress(ImGuiMod_Ctrl | ImGuiKey_C);
    wait(c);
    IM_CHECK(std::string(ImGui::GetClipboardText()).starts_with("tokens\tnearest measured\t"));
    front(c, Panel::latency);
    c->KeyPress(ImGuiMod_Ctrl | ImGuiKey_C);
    wait(c);
    IM_CHECK(std::string(ImGui::GetClipboardText()).starts_with("window\t"));
    front(c, Panel::details);
    ImGuiWindow* details = c->GetWindowByRef("//###details");
    IM_CHECK(details != nullptr && details->ScrollMax.y > 100);
    ImGui::SetScrollY(details, 100);
    c->Yield(2);
    wait(c);
    IM_CHECK_EQ(details->Scroll.y, 100);  // the same rows
    front(c, Panel::lengths);
    c->ItemClick("//###lengths/Backward");
    wait(c);
    IM_CHECK(ui().selection.all() == rows_at_16k(Pass::backward));
    IM_CHECK(data().selected->row.pass == Pass::backward);
    front(c, Panel::details);
    c->Yield(2);
    IM_CHECK_EQ(details->Scroll.y, 0);
    const std::int64_t other = data().shown->rows.back().measurement;
    app().carry_out(ask::SelectMeasurement{other});
    wait(c);
    front(c, Panel::lengths);
    c->ItemClick("//###lengths/Forward");
    wait(c);
    IM_CHECK(ui().selection.all() == std::vector<std::int64_t>{other});  // not the length that was chosen before
  });
}

TEST_F(Journey, the_palette_leads_to_equal_cost_and_a_sweep_of_one_pass_opens_its_own) {
  window->start(kRecorded);
  travel([](ImGuiTestContext* c) {
    const auto sweep_of = [](Pass pass) {
      const auto found = std::ranges::find_if(data().sweeps, [&](const SweepInfo& one) {
        return one.command.find(pass == Pass::backward ? "--pass backward" : "--pass forward") != std::string::npos &&
               one.command.find("--seq 2048,") != std::string::npos;
      });
      return found == data().sweeps.end() ? std::int64_t{0} : found->id;
    };
    for (const Pass pass : {Pass::backward, Pass::forward}) {
      IM_CHECK_NE(sweep_of(pass), 0);
      app().carry_out(ask::ShowSweep{sweep_of(pass)});
      wait(c);
      front(c, Panel::lengths);
      wait(c);
      IM_CHECK(ui().length_pass == pass);
    }
    c->KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P);
    c->Yield(4);
    c->KeyChars("equal cost");
    c->KeyPress(ImGuiKey_Enter);
    wait(c);
    IM_CHECK(ui().length_view == LengthView::budget);
    IM_CHECK(!ui().length_step);
    for (const Command& command : commands()) {
      if (std::string_view(command.label) == "Lengths: training step") app().carry_out(command.request);
    }
    wait(c);
    IM_CHECK(ui().length_step && ui().length_view == LengthView::budget);
  });
}

}  // namespace
}  // namespace triscope
