// What the Lengths panel says around its curves, and headings of panels, drawn with no display.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <implot.h>
#include <implot_internal.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/views/pictures/canvas.hpp"
#include "tests/views/sweep_fixture.hpp"
#include "views/model/styles/series_style.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/parts/widgets.hpp"
#include "views/print/chart_picture.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(LengthPanel, same_cost_says_the_ratio_of_turns_and_of_a_step_that_of_both_passes) {
  WindowData data;
  data.shown = fixture::length_sweep();
  data.compare_pairs = [](const std::set<MeasurementPair>& pairs) {
    PairVerdicts verdicts;
    for (const MeasurementPair& pair : pairs) {
      Comparison& one = verdicts[pair];
      one.ratio = 1.25, one.interval = {1.24, 1.26}, one.paired = true;
    }
    return verdicts;
  };
  fixture::Canvas canvas;
  canvas.ui.length_view = LengthView::budget;
  const auto draw = [&](bool step) {
    canvas.ui.length_step = step;
    canvas.draw(Panel::lengths, data);
    const LengthChart& chart = *canvas.models.lengths_without(data, canvas.ui.lengths_left_out);
    const LengthPass& pass = step ? chart.step : chart.passes[0];
    canvas.ui.length_chosen = std::ranges::find(pass.budgets, 16384, &SameBudget::seq_len)->measurements;
    canvas.draw(Panel::lengths, data);
  };
  const auto of_step = HasSubstr("by the neighbouring turns of each pass 1.250 times as long");
  draw(false);
  EXPECT_THAT(canvas.text, HasSubstr("by neighbouring turns 1.250 times as long"));
  EXPECT_THAT(canvas.text, Not(of_step));
  draw(true);
  EXPECT_THAT(canvas.text, of_step);
  canvas.ui.lengths_left_out = {"512 × 32"};
  draw(false);
  EXPECT_THAT(canvas.text, HasSubstr("by neighbouring turns 1.250 times as long")) << "also without some curves";
}

TEST(LengthPanel, a_length_is_chosen_only_while_it_means_what_was_clicked) {
  WindowData data;
  data.shown = fixture::length_sweep();
  fixture::Canvas canvas;
  canvas.ui.length_view = LengthView::budget;
  canvas.draw(Panel::lengths, data);
  const auto& budgets = canvas.models.lengths(data)->passes[0].budgets;
  canvas.ui.length_chosen = std::ranges::find(budgets, 16384, &SameBudget::seq_len)->measurements;
  const auto words = HasSubstr("Plan the neighbours at 16k");
  canvas.draw(Panel::lengths, data);
  EXPECT_THAT(canvas.text, AllOf(HasSubstr("beside FA3 64/1"), words));
  auto others = std::make_shared<Verdicts>();
  others->baseline = "baseline.cudnn";
  data.beside_reference = others;
  ++data.revision;
  canvas.draw(Panel::lengths, data);
  EXPECT_THAT(canvas.text, AllOf(HasSubstr("cuDNN 64/1"), Not(words))) << "it stands beside another reference";
}

TEST(LengthPanel, the_heading_says_which_problem_is_drawn_and_hollow_where_a_mark_is) {
  WindowData data;
  fixture::Canvas canvas;
  const auto heading = [&](LengthView view, bool other_heads) {
    auto results = fixture::length_sweep();
    if (other_heads) {
      for (ResultRow& row : results->rows) row.problem.head_dim = row.problem.window1 == 256 ? 64 : 128;
    }
    data.shown = results;
    ++data.revision;
    canvas.ui.length_view = view;
    canvas.draw(Panel::lengths, data);
    return canvas.text;
  };
  for (const LengthView view : {LengthView::latency, LengthView::rate, LengthView::budget})
    EXPECT_THAT(heading(view, false), HasSubstr("trilinear, 64/1 heads, head size 128, sustained; "));
  EXPECT_THAT(heading(LengthView::counted, false), HasSubstr("trilinear, 64/1 heads, head size 128; TFLOP a launch"));
  EXPECT_THAT(heading(LengthView::latency, true), HasSubstr("trilinear, 64/1 heads, sustained; "))
      << "the names of the curves say the rest";
  EXPECT_THAT(heading(LengthView::budget, false), HasSubstr("hollow: extrapolated"));
  auto results = fixture::length_sweep();  // without the lengths whose area lies beyond the measured ones
  for (const SameBudget& budget : canvas.models.lengths(data)->passes[0].budgets) {
    if (budget.windows && budget.windows->extrapolated())
      std::erase_if(results->rows, [&](const ResultRow& row) { return row.problem.seq_len == budget.seq_len; });
  }
  data.shown = results;
  ++data.revision;
  canvas.draw(Panel::lengths, data);
  const auto& left = canvas.models.lengths(data)->passes[0].budgets;
  ASSERT_TRUE(std::ranges::any_of(left, [](const SameBudget& budget) { return budget.windows.has_value(); }));
  EXPECT_THAT(canvas.text, Not(HasSubstr("hollow")));
}

TEST(LengthPanel, of_many_lengths_without_an_answer_the_first_are_named) {
  WindowData data;
  auto results = fixture::length_sweep();
  const ResultRow like = *std::ranges::find(results->rows, "baseline.fa3", &ResultRow::kernel);
  for (std::int64_t n = 1; n <= 20; ++n) {
    ResultRow row = like;
    row.measurement = 1000 + n;
    row.problem.kv_heads = 1;
    row.problem.seq_len = row.problem.window1 = 262144 + 1024 * n;
    results->rows.push_back(std::move(row));
  }
  data.shown = results;
  fixture::Canvas canvas;
  canvas.ui.length_view = LengthView::budget;
  canvas.draw(Panel::lengths, data);
  const std::size_t unanswered = canvas.models.lengths(data)->passes[0].unanswered.size();
  ASSERT_GE(unanswered, 20U);
  EXPECT_THAT(canvas.text, HasSubstr(fmt::format(" and {} more. No measured windows of at most half", unanswered - 8)));
}

TEST(LengthPanel, the_heading_says_why_marks_are_hollow) {
  WindowData data;
  const auto heading = [&](bool unknown, bool unconverged) {
    auto results = fixture::length_sweep();
    if (unknown) results->rows[0].ci_low_ms = results->rows[0].ci_high_ms = std::nullopt;
    if (unconverged) results->rows[2].reason = "not converged: +-2.1 % over 2 restarts, 1.0 % was asked for";
    data.shown = results;
    ++data.revision;
    fixture::Canvas canvas;
    canvas.draw(Panel::lengths, data);
    return canvas.text;
  };
  EXPECT_THAT(heading(false, false), Not(HasSubstr("hollow")));
  EXPECT_THAT(heading(true, false), HasSubstr("hollow: interval unknown; trilinear"));
  EXPECT_THAT(heading(false, true), HasSubstr("hollow: not converged; trilinear"));
  EXPECT_THAT(heading(true, true), HasSubstr("hollow: not converged or interval unknown; trilinear"));
}

TEST(LengthPanel, dot_product_attention_that_has_no_step_is_named) {
  WindowData data;
  data.shown = fixture::length_sweep();
  fixture::Canvas canvas;
  const auto words = HasSubstr("Not drawn as a step, though both passes were measured: FlashAttention-3 64/8");
  canvas.draw(Panel::lengths, data);
  EXPECT_THAT(canvas.text, Not(words));
  canvas.ui.length_step = true;
  canvas.draw(Panel::lengths, data);
  EXPECT_THAT(canvas.text, words);
}

TEST(TflopsPanel, what_failed_or_was_skipped_is_hatched_and_said) {
  WindowData data;
  auto results = fixture::small_sweep();
  fixture::Canvas canvas;
  const Theme& theme = canvas.look.theme;
  const ImU32 strokes = faded(theme.muted, 0.6F);
  std::map<ImU32, std::size_t> corners;  // by colour
  const auto draw = [&] {
    data.shown = results;
    ++data.revision;
    canvas.draw(Panel::tflops, data);
    corners.clear();
    for (const ImDrawList* list : ImGui::GetDrawData()->CmdLists) {
      for (const ImDrawVert& corner : list->VtxBuffer) ++corners[corner.col];
    }
  };
  draw();
  EXPECT_THAT(canvas.text, Not(HasSubstr("hatched")));
  for (const ImU32 colour : {theme.missing, strokes, theme.slower}) EXPECT_EQ(corners[colour], 0U);
  results = fixture::small_sweep();
  results->rows[0] = fixture::failed(results->rows[0], "it was skipped");
  results->rows[0].status = Status::skipped;
  draw();
  EXPECT_THAT(canvas.text, HasSubstr("hatched: skipped"));
  EXPECT_EQ(corners[theme.missing], 4U) << "one box";
  EXPECT_GT(corners[strokes], 3 * 4U) << "with several strokes";
  EXPECT_EQ(corners[theme.slower], 0U);
  results->rows[3] = fixture::failed(results->rows[3], "it crashed");
  draw();
  EXPECT_THAT(canvas.text, HasSubstr("hatched: failed (red) or skipped"));
  EXPECT_EQ(corners[theme.missing], 8U);
  EXPECT_GT(corners[theme.slower], 0U) << "the edge of what failed";
}

TEST(TflopsPanel, every_window_of_a_narrow_panel_has_its_name) {
  WindowData data;
  std::vector<ResultRow> rows;
  for (const auto& [w1, w2] : {std::pair(1024, 32), {512, 64}, {1024, 16}, {512, 32}, {256, 64}, {128, 128}, {256, 32}})
    rows.push_back(fixture::row(std::ssize(rows) + 1, w1, w2, Pass::forward, 20, 600));
  data.shown = fixture::sweep(rows);
  fixture::Canvas canvas;
  ImGui::GetIO().DisplaySize = ImVec2(250, 330);
  canvas.draw(Panel::tflops, data);
  ImPlotContext& plots = *ImPlot::GetCurrentContext();
  ASSERT_EQ(plots.Plots.GetBufSize(), 1);
  const ImPlotTicker& ticker = plots.Plots.GetByIndex(0)->Axes[ImAxis_X1].Ticker;
  std::size_t named = 0;
  for (int n = 0; n < ticker.TickCount(); ++n) named += std::string(ticker.GetText(n)).find("×") != std::string::npos;
  EXPECT_EQ(named, rows.size());
}

// The end of a subtitle is what is cut, and a sign that is not explained is a riddle.
TEST(ChartHeading, explains_the_signs_that_are_seen_first) {
  WindowData data;
  auto results = fixture::small_sweep();
  const auto heading = [&](Panel panel) {
    data.shown = results;
    ++data.revision;
    fixture::Canvas canvas;
    ImGui::GetIO().DisplaySize = ImVec2(640, 500);
    canvas.draw(panel, data);
    return canvas.text;
  };
  EXPECT_THAT(heading(Panel::tflops), Not(HasSubstr("%: of the peak")));
  for (ResultRow& row : results->rows) row.peak_fraction = 0.7;
  EXPECT_THAT(heading(Panel::tflops), HasSubstr("%: of the peak"));
  results->rows[0].reason = "not converged: +-2.1 % over 2 restarts, 1.0 % was asked for";
  for (ResultRow& row : results->rows) row.ci_low_ms = 0.99 * *row.median_ms, row.ci_high_ms = 1.01 * *row.median_ms;
  EXPECT_THAT(heading(Panel::scaling), HasSubstr("hollow: not converged"));
}

TEST(ChartHeading, explains_signs_also_behind_the_name_of_a_sweep) {
  WindowData data;
  auto results = fixture::small_sweep();
  results->rows[0] = fixture::failed(results->rows[0], "it crashed");
  data.shown = results;
  data.compared.resize(2);  // so the heading says which of them the chart is of
  data.revision = 1;
  fixture::Canvas canvas;
  for (const float width : {1280.0F, 640.0F, 420.0F, 300.0F}) {
    ImGui::GetIO().DisplaySize = ImVec2(width, 500);
    canvas.draw(Panel::tflops, data);
    EXPECT_THAT(canvas.text, HasSubstr("hatched: failed")) << width;
    EXPECT_EQ(canvas.text.find("hatched"), canvas.text.rfind("hatched")) << width << ": once";
    EXPECT_LE(ImGui::FindWindowByName("test")->ContentSize.x, width);
  }
}

TEST(ChartHeading, by_area_says_of_how_many_tokens_it_is) {
  WindowData data;
  auto results = fixture::small_sweep();
  const auto heading = [&] {
    data.shown = results;
    ++data.revision;
    fixture::Canvas canvas;
    canvas.draw(Panel::scaling, data);
    return canvas.text;
  };
  EXPECT_THAT(heading(), HasSubstr("Latency by window area, 2,048 tokens"));
  results->rows.push_back(fixture::row(90, 512, 32, Pass::forward, 60, 1));
  results->rows.back().problem.seq_len = 4096;
  EXPECT_THAT(heading(), Not(HasSubstr("area, 4,096 tokens"))) << "the choice beside it says it";
}

TEST(LengthPanel, the_heading_counts_the_sweeps_that_the_caption_names) {
  WindowData data;
  auto shown = fixture::length_sweep();
  auto other = fixture::sweep({}, 2);
  for (const ResultRow& row : shown->rows) {
    if (row.pass == Pass::backward) other->rows.push_back(row);
  }
  for (ResultRow& row : other->rows) row.sweep = 2;
  std::erase_if(shown->rows, [](const ResultRow& row) { return row.pass == Pass::backward; });
  data.shown = shown;
  data.same_device = {other};
  fixture::Canvas canvas;
  canvas.draw(Panel::lengths, data);
  EXPECT_THAT(canvas.text, Not(HasSubstr("2 sweeps"))) << "the forward is of one";
  canvas.ui.length_step = true;
  canvas.draw(Panel::lengths, data);
  EXPECT_THAT(canvas.text, HasSubstr("2 sweeps of"));
  Context context{canvas.look, data, canvas.ui, canvas.models, canvas.requests, 0};
  EXPECT_THAT(panel_words(context, Panel::lengths).caption.value_or(""), HasSubstr("measurements of sweeps 1 and 2."));
}

TEST(LengthPanel, same_cost_counts_the_sweeps_that_its_caption_names) {
  WindowData data;
  auto shown = fixture::length_sweep();
  auto other = fixture::sweep({}, 2);
  for (const ResultRow& row : shown->rows) {
    if (row.kernel == "baseline.cudnn") other->rows.push_back(row);
  }
  for (ResultRow& row : other->rows) row.sweep = 2;
  std::erase_if(shown->rows, [](const ResultRow& row) { return row.kernel == "baseline.cudnn"; });
  data.shown = shown;
  data.same_device = {other};
  fixture::Canvas canvas;
  canvas.draw(Panel::lengths, data);
  EXPECT_THAT(canvas.text, HasSubstr("2 sweeps of"));
  canvas.ui.length_view = LengthView::budget;
  canvas.draw(Panel::lengths, data);
  EXPECT_THAT(canvas.text, Not(HasSubstr("2 sweeps of"))) << "cuDNN is drawn among the curves and behind no answer";
  Context context{canvas.look, data, canvas.ui, canvas.models, canvas.requests, 0};
  EXPECT_THAT(panel_words(context, Panel::lengths).caption.value_or(""),
              AllOf(HasSubstr("13 measurements. "), Not(HasSubstr("sweep"))));
}

TEST(LengthPanel, words_about_dot_product_attention_that_is_left_out_say_what_to_click) {
  WindowData data;
  data.shown = fixture::length_sweep();
  fixture::Canvas canvas;
  const auto said = [&](bool step, std::set<std::string> left_out) {
    canvas.ui.length_step = step;
    canvas.ui.lengths_left_out = std::move(left_out);
    canvas.draw(Panel::lengths, data);
    return canvas.text;
  };
  const std::set<std::string> causal{"FlashAttention-3 64/8", "FlashAttention-3 64/1", "cuDNN 64/1"};
  const auto hint = HasSubstr("above shows it again");
  EXPECT_THAT(said(false, {"FlashAttention-3 64/1"}),
              AllOf(HasSubstr("| 512 × 32 | cuDNN 64/1 |"), Not(hint),
                    HasSubstr("Left out in the legend, and not counted here: FlashAttention-3 64/1.")));
  EXPECT_THAT(said(true, {"FlashAttention-3 64/1"}),
              HasSubstr("FlashAttention-3 64/1 is left out: a click on its name"));
  for (const bool step : {false, true}) {
    EXPECT_THAT(said(step, {}),
                AllOf(HasSubstr("| 512 × 32 | FA3 64/1 |"), Not(hint), Not(HasSubstr("not counted here"))));
    EXPECT_THAT(said(step, causal), hint) << step;
    EXPECT_THAT(said(step, {"512 × 32", "256 × 32"}), HasSubstr("All windows are left out: a click on a name")) << step;
  }
  canvas.ui.length_view = LengthView::budget;
  for (const std::set<std::string>& left_out : {causal, {"512 × 32", "256 × 32"}})
    EXPECT_THAT(said(false, left_out),
                AllOf(HasSubstr("What costs the same is of windows beside dot-product attention. "), hint));
}

TEST(LengthPanel, a_reference_that_is_no_kernel_is_not_what_its_answers_stand_beside) {
  WindowData data;
  data.shown = fixture::length_sweep();
  fixture::Canvas canvas;
  const auto said = [&](LengthView view, const std::string& reference, const std::string& name) {
    Verdicts beside;
    beside.baseline = reference, beside.short_label = name, beside.of_kernel = name.empty();
    data.beside_reference = std::make_shared<const Verdicts>(std::move(beside));
    canvas.ui.selection.reference = reference;
    canvas.ui.length_view = view;
    canvas.draw(Panel::lengths, data);
    return canvas.text;
  };
  for (const LengthView view : {LengthView::latency, LengthView::budget}) {
    EXPECT_THAT(said(view, "sweep:5", "sweep 5"), HasSubstr("beside dot-product attention, not sweep 5."));
    EXPECT_THAT(said(view, "none", ""), HasSubstr("need a kernel: here they are beside dot-product attention."));
    EXPECT_THAT(said(view, "baseline.fa3", ""), Not(HasSubstr("need a kernel")));
  }
}

TEST(LengthPanel, of_a_zoomed_chart_the_name_of_a_baseline_stands_where_what_is_seen_of_it_ends) {
  WindowData data;
  data.shown = fixture::length_sweep();
  const KernelCard card = std::ranges::find(data.shown->rows, "baseline.cudnn", &ResultRow::kernel)->card;
  fixture::Canvas canvas;
  const ImU32 colour = baseline_colour(canvas.look.theme, baseline_style(card));
  canvas.draw(Panel::lengths, data);
  ImPlotPlot& plot = *ImPlot::GetCurrentContext()->Plots.GetByIndex(0);
  const auto heights = [&](const ChartLimits& shown) {  // of the letters of its name
    plot.Axes[ImAxis_X1].SetRange(shown[0], shown[1]);
    plot.Axes[ImAxis_Y1].SetRange(shown[2], shown[3]);
    canvas.draw(Panel::lengths, data);
    std::vector<float> found;
    for (const ImDrawList* list : ImGui::GetDrawData()->CmdLists) {
      for (const ImDrawCmd& command : list->CmdBuffer) {
        const ImRect clip(command.ClipRect);
        for (unsigned int n = 0; n < command.ElemCount; ++n) {
          const ImDrawVert& corner = list->VtxBuffer[static_cast<int>(
              command.VtxOffset + list->IdxBuffer[static_cast<int>(command.IdxOffset + n)])];
          if (corner.col == colour && corner.pos.x > plot.PlotRect.Max.x + 10 && clip.Contains(corner.pos))
            found.push_back(corner.pos.y);
        }
      }
    }
    return found;
  };
  const auto seen = heights({8192, 32768, 2, 40});
  ASSERT_FALSE(seen.empty());
  const double ms = 32768.0 * 32768 / 37e6;
  const double y = plot.PlotRect.Max.y - std::log(ms / 2) / std::log(40.0 / 2) * plot.PlotRect.GetHeight();
  const auto [top, foot] = std::ranges::minmax(seen);
  EXPECT_NEAR((top + foot) / 2, y, 6);
  const auto cut_above = heights({8192, 131072, 2, 40});
  ASSERT_FALSE(cut_above.empty());
  EXPECT_LT(std::ranges::min(cut_above), plot.PlotRect.Min.y + 60) << "at the top, where it leaves the chart";
  EXPECT_TRUE(heights({8192, 32768, 100, 200}).empty()) << "nothing of it is seen";
}

TEST(PanelHeading, what_has_no_room_beside_the_title_is_said_over_it) {
  fixture::Canvas canvas;
  const WindowData data;
  const Context context{canvas.look, data, canvas.ui, canvas.models, canvas.requests, 0};
  ImGui::GetStyle().HoverStationaryDelay = ImGui::GetStyle().HoverDelayShort = 0;
  canvas.ui.pointer_moved = true;
  const auto is_said = [&](float width, const char* subtitle) {
    for (int frame = 0; frame < 6; ++frame) {
      ImGui::GetIO().AddMousePosEvent(30, 18);  // on the title
      ImGui::NewFrame();
      ImGui::SetNextWindowPos(ImVec2(0, 0));
      ImGui::SetNextWindowSize(ImVec2(width, 100));
      ImGui::Begin("heading", nullptr, ImGuiWindowFlags_NoDecoration);
      panel_heading(context, "By sequence length", subtitle, 0);
      ImGui::End();
      ImGui::Render();
      accept_textures(*ImGui::GetDrawData());
    }
    const ImGuiWindow* shown = ImGui::FindWindowByName("##Tooltip_00");
    return shown != nullptr && shown->Active && !shown->Hidden;
  };
  EXPECT_FALSE(is_said(900, "on H200")) << "it is read beside the title";
  EXPECT_TRUE(is_said(260, "a-first-word-that-is-wider-than-the-room-which-is-left on H200"));
  EXPECT_TRUE(is_said(190, "on H200")) << "there is hardly any room";
}

}  // namespace
}  // namespace triscope
