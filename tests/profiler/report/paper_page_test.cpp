// The paper's page: well formed, and nothing in it is loaded from elsewhere.
#include "profiler/report/paper_page.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <regex>
#include <set>

#include "kernels/paper/listing_tiles.hpp"
#include "profiler/paper/laws/general_law.hpp"
#include "profiler/paper/laws/reproduction.hpp"
#include "profiler/paper/layers/measured_crossing.hpp"
#include "profiler/paper/rotary.hpp"
#include "profiler/paper/rotary_cost.hpp"
#include "profiler/paper/table1.hpp"
#include "profiler/report/html.hpp"
#include "profiler/report/svg_chart.hpp"
#include "profiler/store/store.hpp"
#include "tests/paths.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Where the elements of a page do not close each other, in words; empty: they do. The pages are written as XML, with
/// every element closed, except for the doctype.
std::string fault_of(const std::string& page) {
  std::vector<std::string> open;
  static const std::regex tag("<(/?)([a-zA-Z][a-zA-Z0-9]*)((?:\\s+[a-zA-Z0-9:-]+=\"[^\"<]*\")*)\\s*(/?)>");
  std::size_t at = page.find('>') + 1;  // behind the doctype
  while (true) {
    const std::size_t next = page.find('<', at);
    if (next == std::string::npos) return open.empty() ? "" : "<" + open.back() + "> is not closed";
    std::smatch found;
    const std::size_t end = std::min(page.size(), page.find('>', next) + 1);
    const std::string text = page.substr(next, end - next);
    if (!std::regex_match(text, found, tag)) return "no tag: " + text.substr(0, 60);
    if (found[1].length() != 0) {
      if (open.empty() || open.back() != found[2]) return "</" + found[2].str() + "> closes nothing";
      open.pop_back();
    } else if (found[4].length() == 0) {
      open.push_back(found[2]);
    }
    at = end;
    if (!open.empty() && open.back() == "style") at = page.find("</style>", at);
  }
}

PaperPageInput recorded_page() {
  PaperPageInput input;
  input.database = "h200.db";
  input.rows = Snapshot(recorded_file()).results();
  input.tiled.seq_len = 32'768;
  input.tiles = listing_tile_uses(input.tiled);
  return input;
}

void expect_page(const std::string& page) {
  EXPECT_EQ(fault_of(page), "");
  for (const char* loading :
       {"http:", "https:", "src=", "url(", "@import", "<link", "<script", "<img", "<iframe", "//"})
    EXPECT_THAT(page, Not(HasSubstr(loading)));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, HasSubstr("@media print"));
  EXPECT_FALSE(std::regex_search(page, std::regex("[^a-z]nan[^a-z]"))) << "a number that is none";
}

/// Headings and links say which table, figure, algorithm or listing of the paper they are about.
TEST(PaperPage, has_the_paper_s_own_numbers_in_its_headings) {
  const std::string page = paper_page(recorded_page());
  for (const char* heading :
       {"<h2>Operator <small>Figure 1</small></h2>", "<h2>Tiles <small>Figure 2</small></h2>",
        "<h2>Latency and rate by length <small>Figure 3</small></h2>", "<h2>Table 1</h2>",
        "<h2>Results <small>Table 2</small></h2>", "<h2>Scaling laws <small>Tables 3 and 4</small></h2>",
        "<h2>Steps <small>Algorithms 1 and 2, Listings 1 to 3</small></h2>", "<h2>Theorem 1: Match3</h2>",
        "<a href=\"#tiles\">Tiles <small>Figure 2</small></a>", "<a href=\"#table-1\">Table 1</a>"})
    EXPECT_THAT(page, HasSubstr(heading));
  for (const char* told : {"to C^0.49 and the best D to C^0.5", "harder, less saturated benchmarks"})
    EXPECT_THAT(page, HasSubstr(told));
}

TEST(PaperPage, names_the_sweep_that_would_tell_its_windows) {
  PaperPageInput input = recorded_page();
  EXPECT_THAT(paper_page(input), Not(HasSubstr("a sweep tells:")));
  input.layer.form = Form::determinant;
  EXPECT_THAT(paper_page(input), HasSubstr("triscope sweep --pass forward,backward --form determinant --windows"));
}

TEST(PaperPage, of_the_recorded_database_is_well_formed_and_loads_nothing) {
  const std::string page = paper_page(recorded_page());
  expect_page(page);
  for (const char* there : {"Table 1", "55.1", "cuda.hopper", "Latency and rate by length", "TFLOP/s", "0.3277",
                            "reproduced", "Scaling laws", "MMLU-pro: loss", "Tiles", "every fourth", "Rotation",
                            "Theorem 1: Match3", "bf16: safe c", "Errata", "h200.db"})
    EXPECT_THAT(page, HasSubstr(there));
  EXPECT_GE(std::ranges::count(page, '\n'), 300);
}

TEST(PaperPage, a_chart_shows_a_second_kernel_that_was_measured_at_fewer_lengths) {
  const PaperPageInput input = recorded_page();
  std::map<std::string, std::set<std::int64_t>> lengths;  // of the backward of 512x32
  for (const ResultRow& row : input.rows) {
    const Problem& p = row.problem;
    if (row.pass == Pass::backward && row.median_ms && p.window1 == 512 && p.window2 == 32 && p.q_heads == 64)
      lengths[row.kernel].insert(p.seq_len);
  }
  ASSERT_NE(lengths["cuda.hopper"].size(), lengths["cuda.portable"].size());
  const std::string page = paper_page(input);
  const std::size_t chart = page.find("512x32, backward");
  ASSERT_NE(chart, std::string::npos);
  const std::string svg = page.substr(chart, page.find("</svg>", chart) - chart);
  for (const char* kernel : {"cuda.portable", "cuda.hopper", "baseline."}) EXPECT_THAT(svg, HasSubstr(kernel));
}

/// A page of 512x32 beside FlashAttention-3, at 8k and 16k tokens.
PaperPageInput two_lengths() {
  PaperPageInput input;
  for (const std::int64_t n : {8192, 16'384}) {
    for (const bool ours : {true, false}) {
      ResultRow row;
      row.kernel = ours ? "cuda.hopper" : "baseline.fa3";
      row.card.kind = ours ? KernelKind::simplicial : KernelKind::dot_product;
      row.device = "GPU";
      row.status = Status::ok;
      row.source_hash = "new";
      row.started = "2026-11-02";
      row.problem.form = ours ? Form::trilinear : Form::dot_product;
      row.problem.seq_len = n;
      row.problem.q_heads = 64;
      row.problem.kv_heads = 1;
      row.problem.head_dim = 128;
      row.problem.window1 = ours ? 512 : n;
      row.problem.window2 = ours ? 32 : 1;
      row.median_ms = 1e-3 * static_cast<double>(n);
      input.rows.push_back(row);
    }
  }
  return input;
}

/// A row of 64k tokens beside them, changed so that it belongs to no curve.
TEST(PaperPage, a_curve_is_of_one_version_of_a_kernel_and_of_the_layer_s_rows) {
  const auto reaches_64k = [](auto change) {
    PaperPageInput input = two_lengths();
    for (ResultRow row : two_lengths().rows) {
      if (row.problem.form == Form::dot_product) row.problem.window1 = 65'536;
      row.problem.seq_len = 65'536;
      change(row);
      input.rows.push_back(row);
    }
    const std::string page = paper_page(input);
    const std::size_t from = page.find("512x32, forward");
    return page.substr(from, page.find("</svg>", from) - from).find(">64k<") != std::string::npos;
  };
  EXPECT_TRUE(reaches_64k([](ResultRow&) {}));
  EXPECT_FALSE(reaches_64k([](ResultRow& row) { row.source_hash = "old", row.started = "2026-11-01"; }));
  EXPECT_FALSE(reaches_64k([](ResultRow& row) { row.problem.sink = true; }));
  EXPECT_FALSE(reaches_64k([](ResultRow& row) { row.problem.mask = Mask::full; }));
  EXPECT_FALSE(reaches_64k([](ResultRow& row) { row.regime = Regime::burst; }));
}

/// What stands between a heading and the next one of its rank.
std::string section_of(const std::string& page, const std::string& heading) {
  std::size_t begin = page.find("<h2>" + heading + "</h2>");
  if (begin == std::string::npos) begin = page.find("<h2>" + heading + " <small>");
  return begin == std::string::npos ? "" : page.substr(begin, page.find("<h2>", begin + 1) - begin);
}

TEST(PaperPage, shows_the_operator_with_its_crossings_by_count_and_by_clock) {
  const PaperPageInput input = recorded_page();
  const std::string section = section_of(paper_page(input), "Operator");
  for (const char* there : {"1-simplex", "2-simplex", "6 n w1 w2", "512x32", "49,152", "32,768", "by the clock"})
    EXPECT_THAT(section, HasSubstr(there));
  const Crossings all = measured_crossings(input.rows, input.layer);
  for (const std::vector<MeasuredCrossing>& one : {all.forward, all.backward, all.step}) {
    const std::string told = crossings_text(one);
    EXPECT_THAT(told, HasSubstr("(")) << "a number with its kernel";
    EXPECT_THAT(section, HasSubstr(told)) << "as the command line says it";
  }
  EXPECT_THAT(section_of(paper_page({}), "Operator"), HasSubstr("not measured"));
}

TEST(PaperPage, the_recorded_h100_stands_once_where_its_rows_are_the_measured_ones) {
  PaperPageInput input;
  const auto path = recorded_file("h100.db");
  take_rows(input, Snapshot(path).results());
  const std::string own = section_of(paper_page(input), "Table 1"),
                    other = section_of(paper_page(recorded_page()), "Table 1");
  EXPECT_THAT(other, HasSubstr("recorded on H100, ms"));
  EXPECT_THAT(own, Not(HasSubstr("ecorded on")));
  EXPECT_THAT(own, HasSubstr("Measured on NVIDIA H100 80GB HBM3: of all sweeps there"));
}

TEST(PaperPage, shows_the_determinant_as_two_einsums_and_the_relatives) {
  const std::string section = section_of(paper_page({}), "Operator");
  for (const char* there : {"a1 b2 c3 + a2 b3 c1 + a3 b1 c2 − a1 b3 c2 − a2 b1 c3 − a3 b2 c1", "Strassen attention",
                            "triangular attention", "cross network", "einsum(Q, turn(K, 1), turn(K′, 2))"})
    EXPECT_THAT(section, HasSubstr(there));
  EXPECT_THAT(section, HasSubstr(fmt::format("= {:.6f}.", determinant(kExampleChunk))));
}

TEST(PaperPage, says_at_which_length_the_windows_are_comparable) {
  const std::string section = section_of(paper_page(recorded_page()), "Recipe and layers");
  for (const char* there : {"49,152 (48k) tokens by the paper&#39;s count", "over 32,768 by two products",
                            "By the clock, forward: ", "<a href=\"#operator\">Operator</a>"})
    EXPECT_THAT(section, HasSubstr(there));
}

TEST(PaperPage, states_the_law_that_the_paper_starts_from) {
  const std::string section = section_of(paper_page({}), "Scaling laws");
  EXPECT_THAT(section, HasSubstr("L(N, D) = E + A / N^alpha + B / D^beta"));
  EXPECT_THAT(section, HasSubstr(fmt::format("<td class=\"n\">50 %</td><td class=\"n\">{:.4f}</td>",
                                             fit_above(paper_losses("GSM8k", kModels[0]), 0.5 * 0.2718).alpha)));
}

TEST(PaperPage, links_to_each_of_its_sections) {
  const std::string page = paper_page({});
  std::set<std::string> links, sections;
  const std::regex link("<a href=\"#([a-z0-9-]+)\""), name("<section id=\"([a-z0-9-]+)\"");
  for (std::sregex_iterator one(page.begin(), page.end(), link), end; one != end; ++one) links.insert((*one)[1]);
  for (std::sregex_iterator one(page.begin(), page.end(), name), end; one != end; ++one)
    EXPECT_TRUE(sections.insert((*one)[1]).second) << "two sections of one name";
  EXPECT_EQ(links, sections);
  EXPECT_GE(sections.size(), 10U);
}

TEST(PaperPage, shows_the_steps_of_five_algorithms_with_their_numbers) {
  const std::string section = section_of(paper_page({}), "Steps");
  for (const char* there : {"Paper: forward", "Paper: dK, dV", "Paper: two-stage", "Ours: forward", "Ours: backward",
                            "even tile: queries 0 to 1", "odd tile: queries 2 to 3", "Memory when all have ended"})
    EXPECT_THAT(section, HasSubstr(there));
  EXPECT_THAT(section, Not(HasSubstr("AlgorithmStep")));
  std::size_t grids = 0;
  for (std::size_t at = 0; (at = section.find("<table class=\"grid\"", at)) != std::string::npos; ++at) ++grids;
  EXPECT_GE(grids, 30U);
}

TEST(PaperPage, has_what_the_paper_writes_where_it_is_shown) {
  const std::string page = paper_page({});
  for (const char* there :
       {"o_i = sum_j S_ij v_j", "S_ijk = exp(A_ijk) / sum_mp exp(A_imp)", "o_i = sum_jk S_ijk (v_j * v&#39;_k)",
        "The determinant has the counts of the trilinear form"})
    EXPECT_THAT(section_of(page, "Operator"), HasSubstr(there));
  for (const char* there :
       {"attention = softmax(logits + causal-mask, axis=[-1, -2])", "dK_jl = (1/sqrt(d)) sum_ik Q_il dS_ijk K&#39;_kl",
        "for q_start in range(stage * w2, seq_len, w2 * 2):", "COMPUTE_DQ", "num_warps = 4", "is_flipped"})
    EXPECT_THAT(section_of(page, "Steps"), HasSubstr(there));
  for (const char* there : {"cos(t1 + t2 + t3) = det(M1) + det(-M2)", "k_blank = (0, 0, 0, 0, 0, 0, 1)"})
    EXPECT_THAT(section_of(page, "Theorem 1: Match3"), HasSubstr(there));
  for (const char* section : {"Results", "Scaling laws"})
    EXPECT_THAT(section_of(page, section), HasSubstr("A change of alpha is recomputed in two ways")) << section;
}

TEST(PaperPage, shows_that_the_determinant_stays_and_the_trilinear_form_moves) {
  const std::string section = section_of(paper_page({}), "Rotation");
  std::set<std::string> determinants, trilinears;
  const std::regex row("<tr><td class=\"n\">[0-9]+°</td><td class=\"n\">([^<]+)</td><td class=\"n\">([^<]+)</td></tr>");
  for (std::sregex_iterator one(section.begin(), section.end(), row), end; one != end; ++one) {
    determinants.insert((*one)[1]);
    trilinears.insert((*one)[2]);
  }
  EXPECT_EQ(determinants.size(), 1U);
  EXPECT_EQ(trilinears.size(), 8U);
}

TEST(PaperPage, has_one_section_on_rotation_with_its_deviations_and_its_cost) {
  const std::string page = paper_page({}), section = section_of(page, "Rotation");
  EXPECT_THAT(section, HasSubstr("an axis for each"));
  EXPECT_THAT(section, HasSubstr("Largest change of the logit"));
  for (const std::string& cost : rotary_cost_sentences(rotary_costs()))
    EXPECT_THAT(section, HasSubstr(html_text(cost)));
  std::vector<std::string> headings;
  static const std::regex heading("<h2>([^<]*?)(?: <small>[^<]*</small>)?</h2>");
  for (std::sregex_iterator one(page.begin(), page.end(), heading), end; one != end; ++one)
    headings.push_back((*one)[1]);
  EXPECT_EQ(std::set(headings.begin(), headings.end()).size(), headings.size());
  EXPECT_EQ(std::ranges::count_if(headings, [](const std::string& one) { return one.starts_with("Rotation"); }), 1);
}

TEST(PaperPage, has_an_h100_beside_the_papers_milliseconds_and_says_that_their_gpu_is_unknown) {
  const std::string section = section_of(paper_page({}), "Table 1");
  for (const char* there : {kPaperTimesCaveat, "NVIDIA H100 80GB HBM3", "47.07 ± 0.59 %", "24.07 ± 0.77 %",
                            "12.467 ± 0.72 %", "507 TFLOP/s", "333 by two"})
    EXPECT_THAT(section, HasSubstr(there));
}

TEST(PaperPage, names_the_model_size_of_each_change) {
  const std::string section = section_of(paper_page({}), "Results");
  for (const char* there : {"Delta, ~1B", "Delta, ~2B", "Delta, ~3.5B", "~57B", "~100B", "~176B"})
    EXPECT_THAT(section, HasSubstr(there));
  EXPECT_THAT(section, Not(HasSubstr(">reproduced</td>"))) << "a word in a column of numbers";
  for (const char* change : {"+0.763%", "+0.000%", "-2.265%"}) {  // in Table 2, and below it with its printed one
    const std::string cell = fmt::format("<td class=\"n\">{}</td>", change);
    EXPECT_NE(section.find(cell), section.rfind(cell)) << change;
  }
}

/// The paper's windows on a small machine.
TEST(PaperPage, shows_windows_of_another_shape_without_a_ratio) {
  PaperPageInput input;
  ResultRow row;
  row.kernel = "cpu.fast";
  row.device = "a small CPU";
  row.status = Status::ok;
  row.card.kind = KernelKind::simplicial;
  row.problem.q_heads = 2;
  row.problem.head_dim = 128;
  row.problem.seq_len = 1024;
  row.problem.window1 = 512;
  row.problem.window2 = 32;
  row.median_ms = 12.5;
  input.rows = {row};
  const std::string section = section_of(paper_page(input), "Table 1");
  EXPECT_THAT(section, HasSubstr("another shape"));
  EXPECT_THAT(section, HasSubstr("<td class=\"n\">12.50</td>"));
  EXPECT_THAT(section, HasSubstr("a small CPU"));
  input.rows.front().problem = recorded_page().tiled;
  input.rows.front().problem.q_heads = 64;
  EXPECT_TRUE(has_paper_shape(input.rows.front().problem));
  EXPECT_THAT(section_of(paper_page(input), "Table 1"), Not(HasSubstr("another shape")));
}

TEST(PaperPage, shows_one_device_and_names_the_others) {
  const std::string h100 = "NVIDIA H100 80GB HBM3";
  std::vector<ResultRow> rows = Snapshot(recorded_file("h100.db")).results();
  std::ranges::copy(recorded_page().rows, std::back_inserter(rows));
  PaperPageInput input = recorded_page();
  take_rows(input, rows);
  EXPECT_EQ(input.device, "NVIDIA H200") << "it has more rows";
  const std::string page = paper_page(input), alone = paper_page(recorded_page());
  for (const char* heading : {"Operator", "Table 1", "Latency and rate by length", "Recipe and layers"}) {
    ASSERT_NE(section_of(alone, heading), "");
    EXPECT_EQ(section_of(page, heading), section_of(alone, heading)) << "a row of another device";
  }
  EXPECT_THAT(page, HasSubstr("h200.db on NVIDIA H200."));
  EXPECT_THAT(page, HasSubstr("also has rows of " + h100 + "."));
  EXPECT_THAT(alone, Not(HasSubstr("also has rows of")));
  take_rows(input, rows, h100);
  EXPECT_THAT(section_of(paper_page(input), "Table 1"), HasSubstr("Measured on " + h100 + ": of all sweeps"));
  EXPECT_THAT(paper_page(input), HasSubstr("also has rows of NVIDIA H200."));
  take_rows(input, rows, "a GPU whose sweep measured on the CPU only");
  EXPECT_EQ(input.device, "NVIDIA H200") << "rather than no row at all";
}

TEST(PaperPage, of_an_empty_database_says_what_is_missing) {
  const std::string page = paper_page({});
  expect_page(page);
  EXPECT_THAT(page, HasSubstr("not measured"));
  EXPECT_THAT(page, HasSubstr("was not measured"));
  EXPECT_THAT(page, HasSubstr("in Triton, without measurements."));
}

TEST(PaperPage, shows_strange_names_as_text) {
  PaperPageInput input = recorded_page();
  input.database = "<script>alert(1)</script>\x1b[31m";
  for (ResultRow& row : input.rows) row.device = "a\"><b onload='x'>&";
  const std::string page = paper_page(input);
  EXPECT_EQ(fault_of(page), "");
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("\x1b")));
}

TEST(PaperPage, the_check_of_its_form_finds_faults) {
  EXPECT_EQ(fault_of("<!DOCTYPE html><html><p>a</p></html>"), "");
  EXPECT_NE(fault_of("<!DOCTYPE html><html><p>a</html>"), "");
  EXPECT_NE(fault_of("<!DOCTYPE html><html><p>a</p>"), "");
  EXPECT_NE(fault_of("<!DOCTYPE html><html><p x=1>a</p></html>"), "");
}

TEST(SvgChart, leaves_out_what_has_no_place) {
  SvgChart chart;
  chart.log_y = true;
  chart.series = {{"s", 'a', {{1, 1}, {2, -3}, {3, NAN}, {4, 10}}, {}, {}, {}}};
  const std::string svg = svg_chart(chart);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, HasSubstr("<polyline"));
  EXPECT_EQ(fault_of("<!DOCTYPE html>" + svg), "");
  EXPECT_EQ(fault_of("<!DOCTYPE html>" + svg_chart({})), "");
}

/// 32k and 36k lie beside each other on an axis of lengths.
TEST(SvgChart, names_of_ticks_do_not_stand_on_each_other) {
  SvgChart chart;
  chart.log_x = true;
  SvgSeries series;
  for (const double length : {2048.0, 32'768.0, 36'864.0, 131'072.0}) {
    series.line.push_back({length, 1 + length});
    chart.x_ticks.push_back({length, fmt::format("{:g}k", length / 1024)});
  }
  chart.series = {series};
  const std::string svg = svg_chart(chart);
  for (const char* name : {">2k<", ">32k<", ">128k<"}) EXPECT_THAT(svg, HasSubstr(name));
  EXPECT_THAT(svg, Not(HasSubstr(">36k<")));
}

TEST(SvgChart, ticks_are_round_and_inside) {
  for (const bool logarithmic : {false, true}) {
    for (const auto& [low, high] : {std::pair{0.27, 0.34}, {1.0, 7.0}, {0.03, 430.0}, {1024.0, 131072.0}}) {
      const std::vector<SvgTick> ticks = round_ticks(low, high, logarithmic);
      EXPECT_GE(ticks.size(), 2U) << low;
      EXPECT_LE(ticks.size(), 11U) << low;
      for (const SvgTick& tick : ticks) {
        EXPECT_GE(tick.at, low);
        EXPECT_LE(tick.at, high);
      }
    }
  }
}

TEST(Html, escapes_what_a_browser_would_act_on) {
  EXPECT_EQ(html_text("a<b>&\"c'"), "a&lt;b&gt;&amp;&quot;c&#39;");
  EXPECT_EQ(html_text("512x32 ± 1"), "512x32 ± 1");
}

}  // namespace
}  // namespace triscope
