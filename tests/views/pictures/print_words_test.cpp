// Words of vector pictures: the captions that charts have of their own, and the fonts that an SVG carries.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/views/pictures/canvas.hpp"
#include "tests/views/sweep_fixture.hpp"
#include "views/data/format.hpp"
#include "views/model/charts/explore_axis.hpp"
#include "views/model/charts/explore_chart.hpp"
#include "views/model/charts/length_model.hpp"
#include "views/print/canvas/web_font.hpp"
#include "views/print/chart_picture.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t times_in(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// The caption that a chart has of its own, of these sweeps: the shown one, and others of its device.
std::string own_caption(Panel panel, std::shared_ptr<SweepResults> shown,
                        std::vector<std::shared_ptr<const SweepResults>> others = {}, bool step = false) {
  fixture::Canvas canvas;
  WindowData data;
  data.database = "/data/results.db";
  data.shown = std::move(shown);
  data.same_device = std::move(others);
  data.revision = 1;
  canvas.ui.length_step = step;
  Context context{canvas.look, data, canvas.ui, canvas.models, canvas.requests, 0};
  return panel_words(context, panel).caption.value_or("");
}

/// Of an exploration of times by length, a line for each kernel.
std::string caption_of(const std::vector<ResultRow>& rows, bool best) {
  const std::string name = "one.db";
  const ExploreSource source{name, rows};
  const ExploreQuery query{"seq", "ms", "kernel", "", "", best};
  return explore_caption(explore_chart(explore({&source, 1}, query), query, {&source, 1}));
}

/// Of ours two windows, whose clocks differ; the baseline was at the power limit.
std::shared_ptr<SweepResults> two_clocks() {
  auto results =
      fixture::sweep({fixture::row(1, 512, 32, Pass::forward, 20, 700),
                      fixture::row(2, 256, 64, Pass::forward, 24, 600), fixture::baseline(3, Pass::forward, 26, 650)});
  for (ResultRow& row : results->rows) {
    row.device = "NVIDIA H200";
    row.started = "2026-11-21T14:02:31Z";
  }
  results->rows[0].sm_clock_mhz = 1700;
  results->rows[1].sm_clock_mhz = 1750;
  results->rows[1].samples = 12;
  results->rows[2].sm_clock_mhz = 1500;
  results->rows[2].limiter = "sw_power_cap";
  return results;
}

TEST(PrintWords, the_caption_says_of_each_series_its_clock_n_and_what_held_it_down) {
  const std::string caption = own_caption(Panel::tflops, two_clocks());
  EXPECT_THAT(caption, testing::StartsWith(
                           "2-simplicial and dot-product attention, forward. NVIDIA H200, sustained, timed by CPU "
                           "clock. Bars are medians, whiskers 95 % intervals"));
  EXPECT_THAT(caption, HasSubstr("n = 100, 12 samples, 1,700 to 1,750 MHz. ")) << "ours, not held down";
  EXPECT_THAT(caption, HasSubstr("n = 100 samples, 1,500 MHz, at the power limit. ")) << "the baseline's own";
  EXPECT_THAT(caption, testing::EndsWith("2026-11-21."));
  for (const Panel panel : {Panel::scaling, Panel::map}) {
    const std::string other = own_caption(panel, two_clocks());
    EXPECT_THAT(other, HasSubstr("n = 100, 12 samples, 1,700 to 1,750 MHz. ")) << panel_info(panel).id;
    EXPECT_THAT(other, Not(HasSubstr("median of"))) << panel_info(panel).id;
  }
  EXPECT_THAT(own_caption(Panel::map, two_clocks()), Not(HasSubstr("power limit"))) << "the baseline is not drawn";
}

TEST(PrintWords, a_series_that_was_also_too_warm_is_not_called_at_its_power_limit) {
  auto results = two_clocks();
  for (ResultRow& row : results->rows) row.limiter = "sw_power_cap";
  EXPECT_THAT(own_caption(Panel::tflops, results), HasSubstr(" NVIDIA H200 at its power limit, "));
  results->rows[0].limiter = "sw_thermal";  // the other row of its series is at the power limit
  const std::string caption = own_caption(Panel::tflops, results);
  EXPECT_THAT(caption, Not(HasSubstr("at its power limit")));
  EXPECT_THAT(caption, HasSubstr("throttled (power limit, too warm)"));
  EXPECT_THAT(caption, HasSubstr("1,500 MHz, at the power limit. ")) << "the baseline's own";
  results->rows[0].limiter = "";
  EXPECT_THAT(own_caption(Panel::tflops, results), Not(HasSubstr("at its power limit"))) << "of one nothing is known";
}

TEST(PrintWords, the_caption_by_length_tells_of_each_curve_also_those_of_other_sweeps) {
  auto shown = fixture::length_sweep();
  for (ResultRow& row : shown->rows) {
    row.sm_clock_mhz = is_baseline(row) ? 1500 : 1700;
    if (is_baseline(row)) row.limiter = "sw_power_cap";
  }
  const std::string caption = own_caption(Panel::lengths, shown);
  EXPECT_THAT(caption, HasSubstr("512 × 32: "));
  EXPECT_THAT(caption, HasSubstr("1,700 MHz. "));
  EXPECT_THAT(caption, HasSubstr("1,500 MHz, at the power limit. "));
  EXPECT_THAT(own_caption(Panel::lengths, shown, {}, true), HasSubstr("1,500 MHz, at the power limit. "))
      << "of a step both passes";
}

TEST(PrintWords, a_caption_of_rates_says_how_operations_are_counted_and_one_of_times_does_not) {
  const auto shown = fixture::sweep({fixture::row(1, 512, 32, Pass::forward, 20, 700)});
  constexpr const char* kCount = "Operations: 4 d per attended triple (in the paper 6 d or more), d the head size. ";
  EXPECT_THAT(own_caption(Panel::tflops, shown), HasSubstr(kCount));
  EXPECT_THAT(own_caption(Panel::scaling, shown), Not(HasSubstr("Operations")));
  EXPECT_THAT(own_caption(Panel::lengths, fixture::length_sweep()), Not(HasSubstr("Operations")));
}

TEST(PrintWords, the_caption_of_charts_over_windows_tells_of_both_passes_of_a_step_also_of_another_sweep) {
  auto shown = fixture::sweep({fixture::row(1, 512, 32, Pass::forward, 20, 700)});
  auto other = fixture::sweep({fixture::row(2, 512, 32, Pass::backward, 50, 500)}, 2);
  other->rows[0].sweep = 2;
  other->rows[0].sm_clock_mhz = 1234;
  const std::string caption = own_caption(Panel::scaling, shown, {other});
  EXPECT_THAT(caption, HasSubstr("forward and backward. "));
  EXPECT_THAT(caption, HasSubstr("1,234 MHz"));
  EXPECT_THAT(caption, HasSubstr("sweeps 1 and 2"));
  EXPECT_THAT(caption, HasSubstr("The time of a training step is the sum of the medians of its passes"));
  EXPECT_THAT(own_caption(Panel::scaling, shown), Not(HasSubstr("training step")));
  EXPECT_THAT(own_caption(Panel::map, shown, {other}), Not(HasSubstr("backward"))) << "the map shows one pass";
}

TEST(PrintWords, a_dot_product_of_the_oracle_is_told_as_that_of_a_baseline) {
  auto shown = two_clocks();
  shown->rows[2].kernel = "cpu.oracle";
  shown->rows[2].card.kind = KernelKind::oracle;
  EXPECT_THAT(own_caption(Panel::tflops, shown), testing::StartsWith("2-simplicial and dot-product attention, "));
}

TEST(PrintWords, the_caption_of_samples_calls_a_full_mask_no_windows) {
  SelectedMeasurement one;
  one.row = fixture::row(1, 512, 32, Pass::forward, 20, 700);
  EXPECT_THAT(measurement_caption(one, {}), testing::StartsWith("2-simplicial attention, 512 × 32, forward. "));
  one.row.problem.mask = Mask::full;
  EXPECT_THAT(measurement_caption(one, {}), Not(HasSubstr("512 × 32")));
}

TEST(PrintWords, the_caption_is_of_what_is_drawn_and_says_what_has_no_interval) {
  auto results = two_clocks();
  EXPECT_THAT(own_caption(Panel::tflops, results), Not(HasSubstr("hollow")));
  results->rows[0].ci_low_ms = results->rows[0].ci_high_ms = std::nullopt;
  EXPECT_THAT(own_caption(Panel::tflops, results), HasSubstr("hollow where the interval is unknown"));
  // What stands at another setting, or in another regime, is not drawn.
  auto others = fixture::length_sweep();
  const std::string before = own_caption(Panel::lengths, others);
  others->rows.push_back(others->rows.front());
  others->rows.back().measurement = 10'000;
  others->rows.back().regime = Regime::burst;
  others->rows.back().samples = 2;
  EXPECT_EQ(own_caption(Panel::lengths, others), before);
  EXPECT_THAT(before, Not(HasSubstr("of baselines not drawn"))) << "they have bars too";
  EXPECT_THAT(own_caption(Panel::map, two_clocks()), Not(HasSubstr("95 %"))) << "a map has no bars";
}

TEST(PrintWords, the_caption_names_the_windows_of_each_series) {
  std::vector<ResultRow> rows{fixture::row(1, 512, 32, Pass::forward, 20, 700, "cuda.hopper"),
                              fixture::row(2, 512, 32, Pass::forward, 40, 700, "cuda.hopper")};
  rows[1].problem.seq_len *= 2;
  EXPECT_THAT(caption_of(rows, false), testing::StartsWith("2-simplicial attention, 512 × 32, forward. "));
  std::vector<ResultRow> passes = rows;
  passes[1].pass = Pass::backward;
  EXPECT_THAT(caption_of(passes, false),
              testing::StartsWith("2-simplicial attention, 512 × 32, forward and backward. "));
  rows.push_back(fixture::row(3, 256, 64, Pass::forward, 20, 700, "cpu.fast"));
  EXPECT_THAT(caption_of(rows, false), testing::StartsWith("2-simplicial attention, forward. "));
  EXPECT_THAT(caption_of(rows, false), HasSubstr("@abc123, 512 × 32, trilinear"));
  EXPECT_THAT(caption_of(rows, false), HasSubstr("@abc123, 256 × 64, trilinear"));
}

TEST(PrintWords, the_caption_of_the_best_says_which_of_them_is_drawn) {
  std::vector<ResultRow> rows{fixture::row(1, 512, 32, Pass::backward, 24, 700),
                              fixture::row(2, 512, 32, Pass::backward, 12, 1400)};
  rows[0].problem.deterministic = true;
  rows[1].source_hash = "c47666be00112233";
  EXPECT_THAT(
      caption_of(rows, true),
      HasSubstr("Each mark is of the shortest time over 2 kinds of gradients, 2 versions; drawn: version c47666be."));
  EXPECT_THAT(caption_of(rows, true), HasSubstr(", gradients in any order; "));
  std::vector<ResultRow> many = rows;  // each version is the best of a length
  for (std::int64_t n = 0; n < 4; ++n) {
    many.push_back(rows[1]);
    many.back().measurement = 10 + n, many.back().problem.seq_len <<= n + 1;
    many.back().source_hash = fmt::format("{}ab1234567", n);
  }
  EXPECT_THAT(caption_of(many, true), HasSubstr("over 2 kinds of gradients, 2 versions. "));
  rows[0].problem.seq_len *= 2;  // where nothing is better than the deterministic one
  rows.push_back(rows[1]);
  rows[2].measurement = 3, rows[2].median_ms = 30, rows[2].problem = rows[0].problem;
  rows[2].problem.deterministic = false;
  EXPECT_THAT(caption_of(rows, true), HasSubstr("the shortest time over 2 kinds of gradients"));
  EXPECT_THAT(caption_of(rows, true), Not(HasSubstr("in any order"))) << "that one says its own";
}

TEST(PrintWords, baselines_by_length_have_their_intervals) {
  LengthPass pass = make_length_chart(*fixture::length_sweep(), {}).of(Pass::forward);
  std::size_t points = 0;
  const auto paths = [&](double width) {
    points = 0;
    for (LengthCurve& curve : pass.curves) {
      for (LengthPoint& point : curve.points) {
        if (!curve.baseline) continue;
        ++points;
        point.low_ms = point.ms * (1 - width), point.high_ms = point.ms * (1 + width);
      }
    }
    return times_in(lengths_picture(pass, {}, "Lengths", ""), "<path");
  };
  const std::size_t without = paths(1e-9);
  EXPECT_EQ(paths(0.2) - without, 3 * points) << "a bar and its two ends";
  EXPECT_GT(points, 0U);
}

TEST(PrintWords, a_mark_of_a_baseline_by_length_is_hollow_where_its_interval_is_unknown_and_the_caption_says_so) {
  const auto all = fixture::length_sweep();
  for (ResultRow& row : all->rows) row.ci_low_ms = 0.99 * *row.median_ms, row.ci_high_ms = 1.01 * *row.median_ms;
  EXPECT_THAT(own_caption(Panel::lengths, all, {}), Not(HasSubstr("hollow")));
  for (ResultRow& row : all->rows) {
    if (row.problem.form == Form::dot_product) row.ci_low_ms = row.ci_high_ms = std::nullopt;
  }
  EXPECT_THAT(own_caption(Panel::lengths, all, {}), HasSubstr("; hollow where the interval is unknown"));
}

TEST(PrintWords, the_caption_says_of_which_sweeps_a_curve_is) {
  const auto all = fixture::length_sweep();
  auto one = fixture::sweep({}, 1), two = fixture::sweep({}, 2);
  for (ResultRow& row : all->rows) {
    const bool longer = row.problem.seq_len > 32768;
    row.sweep = longer ? 2 : 1;
    if (longer) row.started = "2026-11-23T14:02:31Z";
    (longer ? two : one)->rows.push_back(row);
  }
  const std::string caption = own_caption(Panel::lengths, one, {two});
  EXPECT_THAT(caption, HasSubstr(" Our kernel: cuda.hopper@abc123, trilinear")) << "which no curve's name tells";
  EXPECT_THAT(caption, HasSubstr("measurements of sweeps 1 and 2."));
  EXPECT_THAT(caption, testing::EndsWith("2026-11-21 to 2026-11-23."));
}

TEST(PrintWords, the_caption_counts_what_is_too_much_to_be_named) {
  const auto of_lengths = [](std::size_t unconverged, std::int64_t sweeps) {
    auto all = fixture::length_sweep();
    std::erase_if(all->rows, [](const ResultRow& row) { return row.pass == Pass::backward || is_baseline(row); });
    for (std::size_t n = 0; n < all->rows.size(); ++n) {
      all->rows[n].sweep = 1 + static_cast<std::int64_t>(n) % sweeps;
      if (n < unconverged) all->rows[n].reason = "not converged: +-2.1 % over 2 restarts, 1.0 % was asked for";
    }
    return own_caption(Panel::lengths, all);
  };
  const std::string few = of_lengths(3, 4);
  EXPECT_THAT(few, HasSubstr("; hollow: 2 of 16 points did not reach the precision asked for, or have too few"));
  EXPECT_THAT(few, Not(HasSubstr("was not reached"))) << "the marks say where";
  EXPECT_THAT(few, HasSubstr("of sweeps 1, 2, 3 and 4."));
  const std::string many = of_lengths(99, 5);
  EXPECT_THAT(many, HasSubstr("of 5 sweeps."));
}

TEST(PrintWords, where_no_mark_says_what_did_not_converge_the_caption_names_it) {
  auto results = two_clocks();
  results->rows[0].reason = results->rows[2].reason = "not converged: +-2.1 % over 2 restarts, 1.0 % was asked for";
  const std::string map = own_caption(Panel::map, results);
  EXPECT_THAT(map, HasSubstr("The precision asked for was not reached, or samples are too few: "));
  EXPECT_THAT(map, Not(HasSubstr("hollow")));
  const std::string bars = own_caption(Panel::tflops, results);
  EXPECT_THAT(bars, HasSubstr("; hollow: 1 of 2 points did not reach")) << "the baseline is a line";
  EXPECT_THAT(bars, HasSubstr("The precision asked for was not reached, or samples are too few: ")) << "of the level";
}

TEST(PrintWords, of_a_step_the_caption_counts_no_hollow_points) {
  auto results = fixture::length_sweep();
  results->rows[0].reason = "not converged: +-2.1 % over 2 restarts, 1.0 % was asked for";
  EXPECT_THAT(own_caption(Panel::lengths, results, {}, true), HasSubstr("; hollow: points that did not reach"));
}

TEST(PrintWords, an_svg_has_the_glyphs_of_its_words_inside) {
  const LatencyModel model = make_latency_model(*two_clocks(), nullptr);
  const std::string svg = bars_picture(make_bar_chart(model, chart_settings(model).front()), "Bars", "a caption");
  for (const char* family : {"Inter", "'JetBrains Mono'"})
    EXPECT_EQ(times_in(svg, fmt::format("@font-face{{font-family:{};src:url(data:font/woff;base64,d09GR", family)), 1U)
        << family << ", whose file begins with wOFF";
  EXPECT_LT(svg.size(), 90'000U) << "not the whole fonts, of 460 kB";
  EXPECT_EQ(base64("Man"), "TWFu");
  EXPECT_EQ(base64("Ma"), "TWE=");
  // A letter's glyph is found where a browser looks: each segment of neighbours, then its difference.
  const std::string table = letter_table({{U'a', 10}, {U'b', 11}, {U'd', 40}});
  EXPECT_EQ(number_at(table, 12, 2), 4U) << "format";
  EXPECT_EQ(number_at(table, 12 + 6, 2), 2U * 3) << "a to b, d, and the last";
  EXPECT_EQ(number_at(table, 12 + 14, 2), static_cast<std::uint32_t>('b'));
  EXPECT_EQ((number_at(table, 12 + 14, 2) + number_at(table, 12 + 14 + 6 + 2 + 6, 2)) & 0xFFFFU, 11U);
  EXPECT_EQ(number_at(table, 14, 2) + 12, table.size());
}

TEST(PrintWords, a_long_note_is_cut_in_pictures_and_whole_in_data) {
  const std::string start = "A note that somebody wrote about the nightly sweep", one = start + " on Monday",
                    other = start + " on Tuesday";
  std::vector<ResultRow> rows;
  for (std::int64_t n = 0; n < 2; ++n) {
    rows.push_back(fixture::row(n + 1, 512, 3, Pass::forward, 20.0 + static_cast<double>(n), 0.2, "cuda.hopper"));
    rows.back().sweep = n + 1;
  }
  const std::map<std::int64_t, std::string> notes{{1, one}, {2, other}};
  const std::string name = "one.db";
  const ExploreSource source{name, rows, nullptr, &notes};
  const ExploreQuery query{"seq", "tflops", "note", "", "", false};
  const ExploreChart chart = explore_chart(explore({&source, 1}, query), query, {&source, 1});
  const std::string shown = start.substr(0, 39) + "…";
  EXPECT_EQ(drawn_name("note", one), shown);
  EXPECT_EQ(drawn_name("kernel", one), one) << "a name of ours is whole";
  const std::string svg = explore_picture(chart, "", "");
  EXPECT_EQ(times_in(svg, ">" + shown + "<"), 2U) << "two lines, told apart by their marks";
  EXPECT_THAT(svg, Not(HasSubstr("Monday")));
  EXPECT_THAT(explore_caption(chart), Not(HasSubstr("Monday")));
  EXPECT_THAT(write_table(explore_text(chart), TableFormat::csv), testing::AllOf(HasSubstr(one), HasSubstr(other)));
}

}  // namespace
}  // namespace triscope
