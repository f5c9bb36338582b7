// Every panel drawn in every state with no display: nothing asserts, nothing crashes, something is drawn.
#include "views/panels/panels.hpp"

#include <gmock/gmock.h>
#include <imgui_internal.h>
#include <implot.h>
#include <implot_internal.h>

#include <cmath>
#include <limits>

#include "app/window/picture/picture.hpp"
#include "profiler/plan/request.hpp"
#include "tests/views/pictures/canvas.hpp"
#include "tests/views/sweep_fixture.hpp"
#include "tests/views/window_fixture.hpp"
#include "views/data/format.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/shell/shell.hpp"

namespace triscope {
namespace {

using fixture::Canvas;
using fixture::failed;
using fixture::row;
using fixture::small_sweep;
using fixture::sweep;

std::shared_ptr<SelectedMeasurement> selected(std::vector<Sample> samples, const ResultRow& of) {
  auto result = std::make_shared<SelectedMeasurement>();
  result->row = of;
  result->measurement.samples = std::move(samples);
  result->measurement.summary.median_ms = of.median_ms.value_or(0);
  result->measurement.summary.ci_low_ms = of.ci_low_ms.value_or(0);
  result->measurement.summary.ci_high_ms = of.ci_high_ms.value_or(0);
  result->measurement.status = of.status;
  result->measurement.reason = of.reason;
  return result;
}

std::vector<Sample> samples(std::size_t count) {
  std::vector<Sample> result(count);
  for (std::size_t i = 0; i < count; ++i) {
    result[i].started_ns = static_cast<std::int64_t>(i) * 1'000'000;
    result[i].duration_ns = 900'000 + static_cast<std::int64_t>(i * 7919 % 1000) * 100;
    result[i].sm_clock_mhz = 1700.0 + static_cast<double>(i % 50);
    if (i % 16 == 3) result[i].flag = "throttled: sw_power_cap";
  }
  return result;
}

struct State {
  std::string name;
  WindowData data;
};

std::vector<State> states() {
  std::vector<State> all(10);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  all[0].name = "empty";
  all[0].data.database = "/data/results.db";
  all[1].name = "one row";
  all[1].data.shown = sweep({row(1, 512, 32, Pass::forward, 24, 0.2)});
  all[1].data.selected = selected(samples(1), all[1].data.shown->rows[0]);
  all[2].name = "many rows";
  std::vector<ResultRow> many;
  for (std::int64_t i = 0; i < 1000; ++i)
    many.push_back(row(i + 1, 16 << (i % 7), 16 << (i / 7 % 5), i % 2 ? Pass::backward : Pass::forward,
                       1.0 + static_cast<double>(i), 0.1));
  for (std::size_t i = 0; i < many.size(); ++i)
    many[i].problem.seq_len = 1024 * (1 + static_cast<std::int64_t>(i) / 70);
  all[2].data.shown = sweep(many);
  all[2].data.selected = selected(samples(100'000), many[0]);
  all[3].name = "NaN";
  all[3].data.shown = sweep({row(1, 512, 32, Pass::forward, nan, nan),
                             row(2, 256, 64, Pass::forward, std::numeric_limits<double>::infinity(), nan)});
  all[3].data.selected = selected(samples(10), all[3].data.shown->rows[0]);
  all[4].name = "failed rows";
  all[4].data.shown =
      sweep({failed(row(1, 512, 32, Pass::forward, 1, 1), "the worker crashed (signal 11); the kernel is at fault"),
             failed(row(2, 256, 64, Pass::backward, 1, 1), "")});
  all[4].data.selected = selected({}, all[4].data.shown->rows[0]);
  all[5].name = "running";
  all[5].data.shown = small_sweep();
  all[5].data.run.running = true;
  all[5].data.run.progress = {3, 42, 100.0, "cpu.fast forward 512x32, block 9"};
  all[6].name = "running, nothing yet";
  all[6].data.run.running = true;
  all[7].name = "compared";
  all[7].data.shown = small_sweep();
  all[7].data.baseline = small_sweep();
  auto comparisons = std::make_shared<Comparisons>();
  for (std::int64_t id = 1; id <= 6; ++id)
    (*comparisons)[id] = {id, {static_cast<Verdict>(id % 5), 1.1, {1.0, 1.2}, 1.05, true, 0.005, "because"}};
  all[7].data.against_baseline = comparisons;
  all[7].data.compared = {{small_sweep(), {}}, {small_sweep(), *comparisons}};
  all[8].name = "unreadable";
  all[8].data.problem = "results.db was not opened: it is not a database; open another one.";
  all[9].name = "lengths";
  all[9].data.shown = fixture::length_sweep();
  for (State& state : all) {
    state.data.revision = 1;
    if (!state.data.shown) continue;
    SweepInfo interrupted = state.data.shown->info;
    interrupted.id = 2;
    interrupted.finished.clear();
    interrupted.planned = 42;
    interrupted.note = "a long note that does not fit into the narrow column of the history";
    state.data.sweeps = {state.data.shown->info, interrupted};
    state.data.log = {{"14:02:31", Severity::info, "Opened."}, {"14:02:32", Severity::error, "A worker died."}};
  }
  return all;
}

TEST(Panels, every_panel_draws_in_every_state) {
  for (const State& state : states()) {
    for (const PanelInfo& info : panels()) {
      SCOPED_TRACE(state.name + ", " + info.id);
      Canvas canvas;
      EXPECT_GT(canvas.draw(info.panel, state.data), 20);
      canvas.look.theme = light_theme();
      canvas.look.scale = 2;
      apply_look(canvas.look);
      EXPECT_GT(canvas.draw(info.panel, state.data), 20);
    }
  }
}

TEST(Panels, details_of_a_cpu_kernel_name_threads_and_times_in_milliseconds) {
  WindowData data;
  ResultRow fast = row(1, 512, 32, Pass::forward, 0.81234, 0.01);
  data.shown = sweep({fast});
  auto chosen = selected(samples(10), fast);
  LaunchRecord launch;
  launch.grid[0] = 8;
  launch.block[0] = launch.cluster[0] = 1;
  chosen->measurement.launches = {launch};
  chosen->measurement.key.timing_source = TimingSource::cpu_clock;
  data.selected = chosen;
  Canvas canvas;
  canvas.draw(Panel::details, data);
  EXPECT_THAT(canvas.text, testing::HasSubstr("threads"));
  for (const char* word : {"grid", "block", "cluster", " us"})
    EXPECT_THAT(canvas.text, testing::Not(testing::HasSubstr(word)));
  EXPECT_THAT(canvas.text, testing::HasSubstr("0.81"));
  chosen->measurement.key.timing_source = TimingSource::cupti;
  canvas.draw(Panel::details, data);
  EXPECT_THAT(canvas.text, testing::HasSubstr("grid")) << "of a GPU's kernel";
  LaunchRecord longer = launch;
  longer.name = "attention_kernel";
  longer.end_ns = 1000;
  chosen->measurement.launches.front().name = "memset";
  chosen->measurement.launches.push_back(longer);
  canvas.draw(Panel::details, data);
  EXPECT_THAT(canvas.text, testing::HasSubstr("attention_kernel"));
  EXPECT_THAT(canvas.text, testing::Not(testing::HasSubstr("memset")));
}

TEST(Panels, a_long_note_names_the_command_that_prints_it_with_its_database) {
  WindowData data;
  const ResultRow one = row(1, 512, 32, Pass::forward, 1, 0.01);
  data.shown = sweep({one});
  const auto chosen = selected(samples(10), one);
  chosen->note = std::string(300'000, 'x');
  data.selected = chosen;
  data.database_words = " --db other.db";
  Canvas canvas;
  canvas.draw(Panel::details, data);
  EXPECT_THAT(canvas.text, testing::HasSubstr("`triscope note --db other.db` prints all of it"));
}

TEST(Panels, the_chart_by_length_draws_every_view_of_both_passes) {
  for (const bool few : {false, true}) {
    WindowData data;
    data.database = "/data/results.db";
    const auto results = fixture::length_sweep();
    if (few) std::erase_if(results->rows, [](const ResultRow& row) { return is_baseline(row); });
    data.shown = results;
    for (const LengthView view : {LengthView::latency, LengthView::rate, LengthView::counted, LengthView::budget}) {
      for (const Pass pass : {Pass::forward, Pass::backward}) {
        Canvas canvas;
        canvas.ui.length_view = view;
        canvas.ui.length_pass = pass;
        canvas.ui.length_step = pass == Pass::backward && view != LengthView::counted;
        EXPECT_GT(canvas.draw(Panel::lengths, data), 200);
      }
    }
  }
}

TEST(Panels, the_table_says_where_its_rows_were_measured) {
  Canvas canvas;
  WindowData data;
  data.database = "/data/results.db";
  const auto results = small_sweep();
  results->info.environment.device_name = "NVIDIA H200";
  data.shown = results;
  canvas.draw(Panel::latency, data);
  EXPECT_THAT(canvas.text, testing::HasSubstr("measured on H200"));
}

TEST(Panels, a_chart_fits_new_results_until_it_is_zoomed) {
  Canvas canvas;
  WindowData data;
  data.database = "/data/results.db";
  std::vector<ResultRow> rows{row(1, 64, 32, Pass::forward, 1, 1), row(2, 128, 32, Pass::forward, 2, 1)};
  const auto draw = [&] {
    data.shown = sweep(rows);
    ++data.revision;
    canvas.draw(Panel::scaling, data);
    return ImPlot::GetCurrentContext()->Plots.GetByIndex(0)->Axes[ImAxis_X1].Range;
  };
  EXPECT_LT(draw().Max, 512 * 32);
  rows.push_back(row(3, 512, 32, Pass::forward, 8, 1));
  const ImPlotRange fitted = draw();
  EXPECT_GT(fitted.Max, 512 * 32);
  ImPlot::GetCurrentContext()->Plots.GetByIndex(0)->Axes[ImAxis_X1].SetRange(fitted.Min,
                                                                             fitted.Max / 2);  // what a wheel does
  rows.push_back(row(4, 1024, 32, Pass::forward, 16, 1));
  EXPECT_DOUBLE_EQ(draw().Max, fitted.Max / 2);
  canvas.ui.fit_charts = true;
  EXPECT_GT(draw().Max, 1024 * 32);
}

TEST(Panels, charts_show_the_setting_of_the_selected_row_or_the_chosen_one) {
  Canvas canvas;
  WindowData data;
  data.database = "/data/results.db";
  data.shown = fixture::length_sweep();
  data.revision = 1;
  const auto shown = [&] {
    canvas.draw(Panel::map, data);
    Context context{canvas.look, data, canvas.ui, canvas.models, canvas.requests, 0};
    return canvas.models.settings(data)[shown_setting(context)].text;
  };
  EXPECT_EQ(shown(), "131,072 tokens");
  const auto at_4k = std::find_if(data.shown->rows.begin(), data.shown->rows.end(),
                                  [](const ResultRow& one) { return one.problem.seq_len == 4096; });
  canvas.ui.selection.select(at_4k->measurement);
  EXPECT_EQ(shown(), "4,096 tokens");
  canvas.ui.chart_setting.text = "2,048 tokens";
  EXPECT_EQ(shown(), "2,048 tokens");
  canvas.ui.selection.select(0);
  EXPECT_EQ(shown(), "2,048 tokens");
}

TEST(Panels, the_queue_tells_forms_apart_and_knows_no_time_before_samples_are_summed_up) {
  Canvas canvas;
  WindowData data;
  data.run.running = true;
  auto queue = std::make_shared<SweepQueue>();
  MeasurementKey key;
  key.problem = row(1, 512, 32, Pass::forward, 24, 0.2).problem;
  key.problem.form = Form::trilinear;
  key.kernel = "cpu.fast";
  queue->parts = {{key}, {key}};
  queue->groups = {{0, 0, 3.0}, {0, 1, 3.0}, {1, 0, 3.0}};
  LiveRow live;
  live.row = row(-1, 512, 32, Pass::forward, 24, 0.2);
  live.row.median_ms = live.row.ci_low_ms = live.row.ci_high_ms = std::nullopt;
  live.samples = samples(3);
  live.summarized = false;
  data.run.live.queue = queue;
  data.run.live.rows = {live};
  data.run.live.at = 0;
  data.run.live.waiting = {1, 2};
  canvas.draw(Panel::queue, data);
  EXPECT_THAT(canvas.text, testing::HasSubstr("waits"));
  EXPECT_THAT(canvas.text, testing::Not(testing::HasSubstr("trilinear")));
  queue->parts[1][0].problem.form = Form::determinant;
  canvas.draw(Panel::queue, data);
  EXPECT_THAT(canvas.text, testing::HasSubstr("fwd, trilinear"));
  EXPECT_THAT(canvas.text, testing::HasSubstr("fwd, determinant"));
}

TEST(Panels, text_of_each_panel_has_as_many_cells_as_headers) {
  Canvas canvas;
  WindowData data = states()[7].data;
  data.selected = selected(samples(5), data.shown->rows[0]);
  for (Panel panel :
       {Panel::latency, Panel::tflops, Panel::map, Panel::scaling, Panel::samples, Panel::compare, Panel::paper}) {
    Context context{canvas.look, data, canvas.ui, canvas.models, canvas.requests, 0};
    const TextTable table = panel_text(context, panel);
    EXPECT_FALSE(table.rows.empty()) << panel_info(panel).id;
    EXPECT_EQ(table.numeric.size(), table.header.size()) << panel_info(panel).id;
    for (const auto& line : table.rows) EXPECT_EQ(line.size(), table.header.size()) << panel_info(panel).id;
  }
}

TEST(Window, draws_in_every_size_without_a_complaint_of_dear_imgui) {
  const auto complain = [](ImGuiContext*, void* to, const char* text) {
    static_cast<std::vector<std::string>*>(to)->emplace_back(text);
  };
  for (const ImVec2 size : {ImVec2(320, 240), ImVec2(640, 400), ImVec2(900, 600), ImVec2(2560, 1440)}) {
    for (const bool running : {false, true}) {
      fixture::WindowOnDatabase window(20, static_cast<int>(size.x), static_cast<int>(size.y));
      std::vector<std::string> complaints;
      ImGui::GetCurrentContext()->ErrorCallback = complain;
      ImGui::GetCurrentContext()->ErrorCallbackUserData = &complaints;
      window.stage->settle();
      if (running) {
        window.application().data().run = {
            true, false, "test.db", 1, {12, 42, 90.0, "cpu.fast forward 512x32, block 9"}, ""};
      }
      window.application().messages().notify(
          Severity::warning, NoticeId::request,
          "A long sentence that says what went wrong, why, and what a person can do about it now.",
          {{"Do it", ask::FitCharts{}}});
      for (const PanelInfo& info : panels()) {
        window.application().carry_out(ask::ShowPanel{info.panel});
        for (int i = 0; i < 4; ++i) window.stage->frame();
      }
      for (const Request& dialog : std::initializer_list<Request>{ask::OpenPalette{}, ask::OpenHelp{},
                                                                  ask::OpenSettings{}, ask::OpenDatabase{}}) {
        window.application().carry_out(dialog);
        for (int i = 0; i < 4; ++i) window.stage->frame();
      }
      window.application().data().run.running = false;
      EXPECT_THAT(complaints, testing::IsEmpty()) << size.x << " x " << size.y;
    }
  }
}

TEST(Panels, a_picture_of_a_panel_shows_nothing_to_press) {
  for (const bool printing : {false, true}) {
    WindowData data = states()[9].data;
    data.selected = selected(samples(5), data.shown->rows[0]);
    data.compared = states()[7].data.compared;
    Canvas canvas;
    canvas.ui.printing = printing;
    for (const Panel panel : {Panel::latency, Panel::tflops, Panel::map, Panel::scaling, Panel::lengths, Panel::samples,
                              Panel::compare, Panel::paper}) {
      canvas.draw(panel, data);
      const bool buttons = canvas.text.find("Copy") != std::string::npos;
      EXPECT_EQ(buttons, !printing) << panel_info(panel).id;
    }
    canvas.draw(Panel::map, data);
    EXPECT_EQ(canvas.text.find("[ Latency ]") != std::string::npos, !printing);
  }
}

TEST(Toolbar, the_bar_is_as_far_as_the_count_beside_it) {
  EXPECT_DOUBLE_EQ(progress_share({26, 84, 3.0, ""}), 26.0 / 84);
  EXPECT_DOUBLE_EQ(progress_share({0, 84, 3.0, ""}), 0);
  EXPECT_DOUBLE_EQ(progress_share({}), 0);
}

TEST(Application, what_a_picture_selects_is_the_fastest_kernel_at_the_longest_sequence) {
  TemporaryFolder folder;
  {
    Store store(folder / "lengths.db");
    const std::int64_t id = store.begin_sweep("triscope sweep", to_json(SweepRequest{}), synthetic_environment(), 3);
    const auto add = [&](const char* kernel, std::int64_t seq_len, double times) {
      Measurement measurement = synthetic_measurement(1, 20);
      measurement.key.problem.seq_len = seq_len;
      measurement.key.kernel = kernel;
      measurement.summary.median_ms *= times;
      store.add(id, measurement);
    };
    add("cuda.portable", 1024, 0.1);
    for (const auto& [kernel, times] : {std::pair{"cuda.portable", 3.0}, {"cuda.hopper", 1.0}, {"cpu.fast", 9.0}})
      add(kernel, 4096, times);
    add("cuda.hopper", 2048, 0.5);
    store.finish_sweep(id);
  }
  ApplicationOptions options;
  options.database = folder / "lengths.db";
  options.ask_machine = false;
  fixture::Stage stage(std::move(options), 1440, 900);
  stage.settle();
  stage.application().select_first();
  stage.settle();
  ASSERT_TRUE(stage.application().data().selected);
  EXPECT_EQ(stage.application().data().selected->row.problem.seq_len, 4096);
  EXPECT_EQ(stage.application().data().selected->row.kernel, "cuda.hopper");
}

TEST(Application, a_picture_of_baselines_alone_selects_the_fastest_of_them) {
  TemporaryFolder folder;
  {
    Store store(folder / "baselines.db");
    const std::int64_t id = store.begin_sweep("triscope sweep", to_json(SweepRequest{}), synthetic_environment(), 3);
    const auto add = [&](const char* kernel, Form form, double times) {
      Measurement measurement = synthetic_measurement(1, 20);
      measurement.key.problem.form = form;
      if (form == Form::dot_product) measurement.key.problem.window2 = 1;  // as stored rows have it
      measurement.key.kernel = kernel;
      measurement.summary.median_ms *= times;
      store.add(id, measurement);
    };
    add("baseline.cublas", Form::gemm, 0.1);
    add("baseline.cudnn", Form::dot_product, 2);
    add("baseline.fa3", Form::dot_product, 1);
    store.finish_sweep(id);
  }
  ApplicationOptions options;
  options.database = folder / "baselines.db";
  options.ask_machine = false;
  fixture::Stage stage(std::move(options), 1440, 900);
  stage.settle();
  stage.application().select_first();
  stage.settle();
  ASSERT_TRUE(stage.application().data().selected);
  EXPECT_EQ(stage.application().data().selected->row.kernel, "baseline.fa3");
}

TEST(Picture, a_filled_rectangle_covers_exactly_its_pixels) {
  Canvas canvas;
  ImGui::NewFrame();
  ImDrawList* list = ImGui::GetBackgroundDrawList();
  list->AddRectFilled(ImVec2(10, 20), ImVec2(30, 25), IM_COL32(255, 0, 0, 255));
  list->AddRectFilled(ImVec2(100, 100), ImVec2(102, 101), IM_COL32(0, 0, 255, 128));
  ImGui::Render();
  const Picture picture = rasterize(*ImGui::GetDrawData(), IM_COL32(0, 0, 0, 255));
  ASSERT_EQ(picture.width, 1280);
  const auto at = [&](int x, int y) {
    return picture.rgb.data() + (static_cast<std::size_t>(y) * 1280 + static_cast<std::size_t>(x)) * 3;
  };
  int red = 0;
  for (int y = 0; y < 50; ++y) {
    for (int x = 0; x < 60; ++x) red += at(x, y)[0] == 255;
  }
  EXPECT_EQ(red, 20 * 5);
  EXPECT_EQ(at(10, 20)[0], 255);
  EXPECT_EQ(at(9, 20)[0], 0);
  EXPECT_NEAR(at(100, 100)[2], 128, 1);
  EXPECT_EQ(encode_png(crop(picture, {10, 20, 20, 5}, 1))[1], 'P');
}

TEST(Panels, a_number_that_the_edge_of_its_table_cuts_is_not_shown_in_part) {
  Canvas canvas;
  WindowData data;
  data.shown = sweep({row(1, 512, 32, Pass::forward, 124.4, 701), row(2, 512, 32, Pass::backward, 224.4, 602)});
  canvas.draw(Panel::latency, data);
  EXPECT_THAT(canvas.text, testing::Not(testing::HasSubstr("| …"))) << "all have room";
  int cut = 0;
  for (int width = 240; width < 480; ++width) {
    ImGui::GetIO().DisplaySize = ImVec2(static_cast<float>(width), 600);
    canvas.draw(Panel::latency, data);
    cut += canvas.text.find("| …") != std::string::npos;
  }
  EXPECT_EQ(cut, 0) << "a column that has no room for all of a number is not shown";
}

}  // namespace
}  // namespace triscope
