// The model of the Compare panel.
#include "views/model/tables/compare_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiler/statistics/comparison_facts.hpp"
#include "tests/views/sweep_fixture.hpp"
#include "views/model/tables/version_words.hpp"

namespace triscope {
namespace {

using fixture::row;
using fixture::small_sweep;
using fixture::sweep;
using testing::HasSubstr;

TEST(Compare, an_unknown_interval_of_a_ratio_has_no_numbers) {
  Comparison comparison;
  comparison.ratio = 1.2;
  comparison.interval = {0, std::numeric_limits<double>::infinity()};
  EXPECT_EQ(interval_text(comparison), "unknown");
  comparison.interval = {1.1, 1.3};
  EXPECT_EQ(interval_text(comparison), "1.100 .. 1.300");
}

/// Two versions of cpu.fast: of its rows the first became `ratio` times as slow; and as many unchanged baselines, of
/// which the average became `middle` times as slow.
std::vector<ComparedSweep> two_versions(double ratio, std::size_t unchanged, double middle = 1) {
  auto before = small_sweep(), after = small_sweep();
  std::erase_if(before->rows, [](const ResultRow& one) { return one.kernel != "cpu.fast"; });
  before->rows.resize(1);
  for (std::size_t n = 0; n < unchanged; ++n) {
    ResultRow one = before->rows.front();
    one.measurement = 100 + static_cast<std::int64_t>(n);
    one.kernel = one.card.label = "cpu.other";
    one.problem.seq_len = 4096 << n;
    before->rows.push_back(one);
  }
  after->rows = before->rows;
  after->rows[0].source_hash = "def456";
  ComparedSweep a{before, {}}, b{after, {}};
  a.aligned = b.aligned = true;
  a.name = "63ca6c", b.name = "2c6a73";
  for (std::size_t n = 0; n < after->rows.size(); ++n) {
    Comparison one;
    one.verdict = Verdict::not_comparable;
    one.ratio = n == 0 ? ratio : middle * (1 + 0.01 * (static_cast<double>(n % 3) - 1));
    one.interval = {one.ratio * 0.998, one.ratio * 1.002};
    one.explanation = "A and B were measured on two GPUs: two cards differ.";
    b.against_first[after->rows[n].measurement] = {after->rows[n].measurement, one};
    if (n > 0) b.unchanged.add(after->rows[n], one);
  }
  return {a, b};
}

TEST(Compare, rows_of_two_versions_are_judged_beside_what_did_not_change) {
  const CompareModel slower = make_compare_model(two_versions(1.2, 6), 0);
  ASSERT_EQ(slower.lines.size(), 1U) << "what did not change stands apart";
  EXPECT_EQ(slower.unchanged_lines.size(), 6U);
  EXPECT_EQ(slower.not_comparable, 1) << "only what changed is counted";
  ASSERT_TRUE(slower.band.has_value());
  ASSERT_TRUE(slower.lines[0].cells[1]->band.has_value());
  EXPECT_EQ(slower.lines[0].cells[1]->band->is, BesideUnchanged::slower);
  EXPECT_EQ(slower.band_tally.slower, 1U);
  EXPECT_THAT(beside_text(slower.lines[0], *slower.lines[0].cells[1]), testing::StartsWith("longer, +20"));
  const CompareModel inside = make_compare_model(two_versions(1.02, 6), 0);
  EXPECT_EQ(inside.lines[0].cells[1]->band->is, BesideUnchanged::inside);
  EXPECT_TRUE(inside.has_intervals) << "of two GPUs too";
  const CompareModel few = make_compare_model(two_versions(1.2, 4), 0);
  EXPECT_FALSE(few.band.has_value());
  EXPECT_FALSE(few.lines[0].cells[1]->band.has_value());
}

TEST(Compare, unchanged_rows_of_versions_have_settings_as_the_others) {
  std::vector<ComparedSweep> versions = two_versions(1.2, 6);
  for (ComparedSweep& side : versions) {
    auto results = std::make_shared<SweepResults>(*side.results);
    ResultRow longer = results->rows[0];
    longer.measurement = 50;
    longer.problem.seq_len = 65536;
    results->rows.insert(results->rows.begin() + 1, longer);
    for (std::size_t n = 2; n < results->rows.size(); ++n) results->rows[n].problem.form = Form::dot_product;
    side.results = results;
  }
  const CompareModel model = make_compare_model(versions, 0);
  ASSERT_EQ(model.lines.size(), 2U);
  ASSERT_EQ(model.unchanged_lines.size(), 6U);
  for (const CompareLine& line : model.unchanged_lines) EXPECT_THAT(line.setting, HasSubstr(" tokens"));
}

TEST(Compare, a_narrow_column_says_first_what_is_unusual_of_a_row_and_leaves_out_what_is_usual) {
  auto results = sweep({row(1, 128, 128, Pass::backward, 10, 1), row(2, 128, 128, Pass::backward, 9, 1),
                        row(3, 128, 128, Pass::backward, 8, 1), row(4, 128, 128, Pass::backward, 7, 1),
                        row(5, 128, 128, Pass::backward, 6, 1)});
  for (ResultRow& one : results->rows) one.problem.seq_len = 8192;
  results->rows[1].problem.seq_len = 32768;
  results->rows[2].problem.form = Form::determinant;
  results->rows[3].problem.deterministic = true;
  results->rows[4].problem.head_dim = 128;
  const CompareModel model = make_compare_model({{results, {}}, {results, {}}}, 0);
  ASSERT_EQ(model.lines.size(), 5U);
  EXPECT_EQ(model.lines[0].setting, "trilinear, 8,192 tokens, head size 64");
  std::vector<std::string> brief;
  for (const CompareLine& line : model.lines) brief.push_back(brief_setting(line));
  EXPECT_THAT(brief, testing::ElementsAre("8k", "32k", "determinant, 8k", "deterministic, 8k", "head size 128, 8k"));
  EXPECT_EQ(model.longest_brief_setting, "deterministic, 8k");
  EXPECT_EQ(model.lines[1].tokens, 32768);
  EXPECT_EQ(model.usual, "trilinear, head size 64");
  std::ranges::reverse(results->rows);
  EXPECT_EQ(make_compare_model({{results, {}}, {results, {}}}, 0).usual, model.usual) << "whichever row comes first";
  std::ranges::reverse(results->rows);
  for (ResultRow& one : results->rows) one.problem.seq_len = 8192, one.problem.deterministic = true;
  results->rows[0].problem.deterministic = false;
  const CompareModel orders = make_compare_model({{results, {}}, {results, {}}}, 0);
  EXPECT_EQ(brief_setting(orders.lines[0]), "") << "nothing is unusual";
  EXPECT_EQ(brief_setting(orders.lines[1]), "deterministic") << "its absence has no words, so that it is said";
  EXPECT_FALSE(orders.lines[0].tokens) << "all have the same";
}

TEST(Compare, the_first_line_of_versions_names_the_largest_change) {
  const std::string slower = versions_headline(make_compare_model(two_versions(1.2, 6), 0));
  EXPECT_THAT(slower, testing::StartsWith("1 of 1 longer, 0 shorter. Largest +20.0 %, 512 × 32 at "));
  EXPECT_THAT(slower, HasSubstr(" %. A and B were measured on two GPUs: less than "));
  EXPECT_THAT(slower, testing::ContainsRegex(
                          "outside \\+-[0-9]\\.[0-9] %\\. .*: less than [0-9]\\.[0-9] % cannot be told\\.$"));
  EXPECT_THAT(versions_headline(make_compare_model(two_versions(1.02, 6), 0)),
              HasSubstr("0 of 1 longer, 0 shorter, 1 inside the noise. Largest +2.0 %, 512 × 32 at 2,048 tokens, "));
  EXPECT_EQ(versions_headline(make_compare_model(two_versions(1.2, 4), 0)), "") << "too few did not change";
}

TEST(Compare, the_largest_change_is_the_farthest_either_way_from_what_did_not_change) {
  CompareModel model = make_compare_model(two_versions(1.05 * 1.003, 6, 1.05), 0);
  ASSERT_TRUE(model.band.has_value());
  EXPECT_NEAR(model.band->middle, 1.05, 0.001);
  CompareLine shorter = model.lines[0];
  shorter.window = "64 × 64";
  shorter.cells.back()->band->change = -0.12;
  shorter.cells.back()->band->is = BesideUnchanged::faster;
  model.lines.push_back(shorter);
  const std::string headline = versions_headline(model);
  EXPECT_THAT(headline, HasSubstr("Largest -12.0 %, 64 × 64 at 2,048 tokens, outside"));
}

TEST(Compare, the_first_line_of_versions_names_the_row_and_its_doubt_and_the_largest_without_one) {
  CompareModel model = make_compare_model(two_versions(1.2, 6), 0);
  CompareLine sure = model.lines[0];
  sure.window = "64 × 64";
  sure.cells.back()->band->change = 0.15;
  model.lines[0].unusual = "deterministic";
  model.lines[0].cells.back()->doubts = "A not converged";
  model.lines.push_back(sure);
  EXPECT_THAT(versions_headline(model),
              testing::ContainsRegex(
                  "Largest \\+20.0 %, 512 × 32, deterministic, at 2,048 tokens, outside \\+-[0-9.]+ % "
                  "\\(A not converged\\); of rows with no \"doubts\" \\+15.0 %, 64 × 64 at 2,048 tokens, outside "
                  "it\\. A"));
  model.lines.back().cells.back()->band->is = BesideUnchanged::unclear;
  EXPECT_THAT(versions_headline(model), HasSubstr("64 × 64 at 2,048 tokens, unclear beside it. A"));
}

TEST(Compare, what_became_of_each_window_is_one_sentence) {
  CompareModel model = make_compare_model(two_versions(1.2, 6), 0);
  EXPECT_EQ(by_window_text(model), "") << "there is one window";
  const auto add = [&model](const char* window, double change, BesideUnchanged is) {
    CompareLine line = model.lines[0];
    line.window = window;
    line.cells.back()->band->change = change;
    line.cells.back()->band->is = is;
    model.lines.push_back(line);
  };
  add("1024 × 16", 0.02, BesideUnchanged::inside);
  add("64 × 64", -0.3, BesideUnchanged::faster);
  add("512 × 32", 0.24, BesideUnchanged::slower);
  EXPECT_EQ(by_window_text(model),
            "64 × 64 -30 % (1 shorter), 512 × 32 +20 to +24 % (2 longer), 1024 × 16 inside the noise.");
  add("256 × 32", 0.04, BesideUnchanged::unclear);
  add("512 × 32", 0.06, BesideUnchanged::unclear);
  add("512 × 32", 0.01, BesideUnchanged::inside);
  EXPECT_EQ(
      by_window_text(model),
      "64 × 64 -30 % (1 shorter), 512 × 32 +1 to +24 % (4: 2 longer, 1 unclear, 1 inside the noise), 256 × 32 +4 % (1 "
      "unclear), 1024 × 16 inside the noise.");
  for (const char* window : {"128 × 16", "128 × 32", "128 × 64", "128 × 128"})
    add(window, 0.03, BesideUnchanged::slower);
  for (const char* window : {"32 × 16", "32 × 32"}) add(window, 0, BesideUnchanged::inside);
  EXPECT_THAT(by_window_text(model),
              testing::EndsWith(" (1 longer), 1 other, 1024 × 16 and 32 × 16 and 32 × 32 inside the noise."));
  add("128 × 256", 0.03, BesideUnchanged::slower);
  add("32 × 64", 0, BesideUnchanged::inside);
  EXPECT_THAT(by_window_text(model), testing::EndsWith(" (1 longer), 2 others, 4 windows inside the noise."));
}

TEST(Compare, the_doubts_of_a_row_that_is_unclear_begin_with_why_it_is) {
  auto versions = two_versions(1.2, 6);
  versions[1].against_first.begin()->second.comparison.interval = {0.9, 1.6};
  const CompareModel model = make_compare_model(versions, 0);
  EXPECT_THAT(model.lines[0].cells[1]->doubts, testing::StartsWith("its own interval is +-"));
  EXPECT_TRUE(model.has_doubts) << "there is a column for it";
}

TEST(Compare, two_modes_of_both_rows_are_doubts_of_both) {
  auto versions = two_versions(1.2, 6);
  for (ComparedSweep& one : versions) {
    auto results = std::make_shared<SweepResults>(*one.results);
    for (ResultRow& row : results->rows) row.reason = "two modes: 10 ms and 15 ms (50 % of the blocks)";
    one.results = results;
  }
  const CompareCell cell = *make_compare_model(versions, 0).lines[0].cells[1];
  EXPECT_THAT(cell.doubts, testing::StartsWith("A has two modes that are 50.0 % apart; B two modes"));
}

TEST(Compare, what_did_not_change_is_told_by_the_base_of_the_changes) {
  CompareModel model = make_compare_model(two_versions(1.2, 6, 1.05), 0);
  EXPECT_THAT(unchanged_words(model),
              testing::StartsWith(
                  "6 unchanged measurements (cpu.other forward): -1.0 % to +1.0 % beside their average, time A / "
                  "B 1.050. One more would lie within "));
  model.unchanged.cycles = {1.02, 0.97};
  EXPECT_THAT(unchanged_words(model), testing::ContainsRegex(", in cycles 0.970 to 1.020\\. One more would lie within "
                                                             "[1-9]\\.[0-9] % of that average in 99 of 100 cases\\.$"));
  EXPECT_THAT(unchanged_words(make_compare_model(two_versions(1.2, 4), 0)), HasSubstr("time A / B 0.990 to 1.010"));
}

TEST(Compare, the_first_line_of_versions_is_one_sentence) {
  EXPECT_THAT(versions_summary(make_compare_model(two_versions(1.2, 6), 0), Pass::backward),
              testing::MatchesRegex("[^.:]* backward: 1 of 1 longer, .*"));
  EXPECT_THAT(versions_summary(make_compare_model(two_versions(1.2, 4), 0), Pass::backward),
              testing::MatchesRegex("[^.:]* backward: 1 shared measurement: .*"));
}

TEST(Compare, a_pair_of_versions_has_a_verdict_whichever_is_a) {
  CompareModel model = make_compare_model(two_versions(1.2, 6), 0);
  model.lines[0].cells[0]->measurement = 60, model.lines[0].cells[1]->measurement = 61;
  model.unchanged_lines[0].cells[0]->measurement = 70, model.unchanged_lines[0].cells[1]->measurement = 71;
  const std::optional<VersionVerdict> newer = version_verdict(model, 61, 60), older = version_verdict(model, 60, 61);
  ASSERT_TRUE(newer && older);
  EXPECT_EQ(newer->text, model.sweeps[1] + " takes 20.0 % longer than " + model.sweeps[0] + ".");
  EXPECT_EQ(older->text, newer->text) << "swapped it holds too";
  EXPECT_EQ(older->is, BesideUnchanged::slower);
  EXPECT_THAT(newer->meaning, HasSubstr("longer than unchanged kernels on average"));
  for (const auto& [a, b] : {std::pair(70, 71), std::pair(71, 70)}) {
    const std::optional<VersionVerdict> unchanged = version_verdict(model, a, b);
    EXPECT_TRUE(unchanged && unchanged->text == "As versions: unchanged.");
  }
  EXPECT_FALSE(version_verdict(model, 61, 70).has_value()) << "no pair of the comparison";
  EXPECT_FALSE(version_verdict(make_compare_model(two_versions(1.2, 4), 0), 1, 1).has_value());
}

TEST(Compare, what_is_not_comparable_and_why_is_one_sentence) {
  const Comparison time = not_judged_on_two_gpus({});
  EXPECT_EQ(not_comparable_words(time, "512 × 32 Hopper fwd", false),
            "Not comparable with 512 × 32 Hopper fwd: A and B were measured on two GPUs.");
  EXPECT_EQ(not_comparable_words(time, "512 × 32 Hopper fwd", true),
            "Their times alone are not comparable: A and B were measured on two GPUs.");
}

TEST(Compare, unchanged_rows_stand_above_the_others_where_they_are_asked_for) {
  const CompareModel model = make_compare_model(two_versions(1.005, 6), 0);
  EXPECT_THAT(sorted_lines(model, std::nullopt), testing::ElementsAre(0));
  const std::vector<std::size_t> places = sorted_lines(model, std::nullopt, true);
  ASSERT_EQ(places.size(), 7U);
  EXPECT_EQ(places.back(), 0U) << "what changed comes last";
  std::vector<double> ratios;
  for (const std::size_t place : places) ratios.push_back(line_at(model, place).cells[1]->comparison->ratio);
  EXPECT_TRUE(std::is_sorted(ratios.begin(), ratios.end() - 1, std::greater())) << "by their ratio";
  const TextTable copied = compare_text(model);
  ASSERT_EQ(copied.rows.size(), 7U);
  for (const auto& row : copied.rows) EXPECT_EQ(row.size(), copied.header.size());
  EXPECT_THAT(copied.rows[1], testing::Contains("unchanged"));
}

TEST(Compare, a_line_marks_what_makes_its_times_doubtful) {
  std::vector<ComparedSweep> versions = two_versions(1.02, 6);
  EXPECT_FALSE(make_compare_model(versions, 0).has_doubts);
  auto results = std::make_shared<SweepResults>(*versions[0].results);
  results->rows[0].reason = "not converged: +-1.5 % over 3 restarts, 1.0 % was asked for";
  versions[0].results = results;
  const CompareModel model = make_compare_model(versions, 0);
  EXPECT_TRUE(model.has_doubts);
  EXPECT_EQ(model.lines[0].cells[1]->doubts, "B not converged");
}

TEST(Compare, what_takes_longer_stands_first_and_none_slower_is_said) {
  auto first = small_sweep(), second = small_sweep();
  ComparedSweep a{first, {}}, b{second, {}};
  for (const auto& [row, ratio] : {std::pair{1, 0.9}, std::pair{2, 1.01}, std::pair{3, 0.95}})
    b.against_first[row] = {row, {Verdict::faster, ratio, {ratio - 0.01, ratio + 0.01}, {}, false, 0.02, ""}};
  const CompareModel model = make_compare_model({a, b}, 0);
  std::vector<double> ratios;
  for (const CompareLine& line : model.lines) {
    if (line.cells[1]->comparison) ratios.push_back(line.cells[1]->comparison->ratio);
  }
  EXPECT_THAT(ratios, testing::ElementsAre(1.01, 0.95, 0.9));
  EXPECT_TRUE(model.lines[2].cells[1]->comparison) << "lines without a ratio stand last";
  EXPECT_THAT(compare_summary(model), testing::StartsWith("0 longer, 3 shorter"));
  EXPECT_THAT(compare_explanation(model), testing::StartsWith("Same: the whole interval within 2 % of 1."));
  EXPECT_THAT(compare_explanation(model), HasSubstr("2,048 tokens"));
}

Comparison compared(double ratio, std::optional<double> cycles) {
  return {Verdict::slower, ratio, {ratio - 0.01, ratio + 0.01}, cycles, false, 0.02, ""};
}

TEST(Compare, lines_are_sorted_by_their_ratio_in_cycles_and_what_has_none_stands_last) {
  auto first = small_sweep(), second = small_sweep();
  ComparedSweep a{first, {}}, b{second, {}};
  b.against_first[1] = {1, compared(1.02, 0.99)};
  b.against_first[2] = {2, compared(1.03, 1.0184)};
  b.against_first[3] = {3, compared(1.05, 1.004)};
  b.against_first[4] = {4, compared(1.04, {})};
  const CompareModel model = make_compare_model({a, b}, 0);
  EXPECT_TRUE(model.has_cycles);
  const auto in_order = [&](std::optional<CompareSort> sort) {
    std::vector<std::string> cycles;
    for (const std::size_t line : sorted_lines(model, sort)) {
      const auto& cell = model.lines[line].cells[1];
      if (cell && cell->comparison) cycles.push_back(cycle_ratio_text(*cell->comparison));
    }
    return cycles;
  };
  EXPECT_THAT(in_order(std::nullopt), testing::ElementsAre("1.004", "", "1.018", "0.990"))
      << "by time, the table's own";
  EXPECT_THAT(in_order(CompareSort{CompareField::cycles, 1, true}),
              testing::ElementsAre("1.018", "1.004", "0.990", ""));
  EXPECT_THAT(in_order(CompareSort{CompareField::cycles, 1, false}),
              testing::ElementsAre("0.990", "1.004", "1.018", ""));
  const TextTable copied = compare_text(model);
  const auto column = std::ranges::find(copied.header, std::string("ratio in cycles")) - copied.header.begin();
  ASSERT_LT(static_cast<std::size_t>(column), copied.header.size());
  EXPECT_EQ(copied.rows[0][static_cast<std::size_t>(column)], "1.004");
  const CompareModel without = make_compare_model({{first, {}}, {second, {}}}, 0);
  EXPECT_FALSE(without.has_cycles || without.has_intervals);
}

TEST(Compare, two_sides_are_a_and_b_and_what_all_rows_share_is_said_though_nothing_is_comparable) {
  auto first = small_sweep(), second = small_sweep();
  ComparedSweep a{first, {}}, b{second, {}};
  a.name = "63ca6c", b.name = "2c6a73";
  Comparison two_gpus = compared(1.03, 1.02);
  two_gpus.verdict = Verdict::not_comparable;
  two_gpus.explanation = "A and B were measured on two GPUs: two cards differ.";
  b.against_first[1] = {1, two_gpus};
  const CompareModel model = make_compare_model({a, b}, 0);
  EXPECT_EQ(side_name(model, 0), "B 63ca6c") << "which A is judged against";
  EXPECT_EQ(side_name(model, 1), "A 2c6a73");
  EXPECT_EQ(
      unjudged_text(model.unjudged),
      "Not comparable: A and B were measured on two GPUs. By time A takes longer in 1 and shorter in 0, in cycles "
      "longer in 1 and shorter in 0.");
  EXPECT_THAT(compare_explanation(model), HasSubstr("2,048 tokens"));
  EXPECT_THAT(compare_explanation(model), testing::Not(HasSubstr("Same:"))) << "no verdict is";
  const CompareModel three = make_compare_model({a, b, b}, 0);
  EXPECT_STREQ(side_letter(three, 1), "") << "letters are for two";
  EXPECT_EQ(side_name(three, 0), "B 63ca6c") << "what each is judged against";
  EXPECT_THAT(compare_summary(three), testing::EndsWith(", each beside B, 63ca6c."));
  EXPECT_THAT(compare_summary(model), testing::Not(HasSubstr("beside B")));
}

TEST(Compare, a_ratio_that_was_not_computed_is_copied_as_none) {
  auto first = small_sweep(), second = small_sweep();
  ComparedSweep a{first, {}}, b{second, {}};
  b.against_first[1] = {1, Comparison{}};
  b.against_first[1].comparison.verdict = Verdict::not_comparable;
  const TextTable table = compare_text(make_compare_model({a, b}, 0));
  const auto ratio = std::ranges::find(table.header, "ratio") - table.header.begin();
  const auto verdict = std::ranges::find(table.header, "verdict") - table.header.begin();
  ASSERT_EQ(table.rows[0][static_cast<std::size_t>(verdict)], "not comparable");
  EXPECT_EQ(table.rows[0][static_cast<std::size_t>(ratio)], "");
}

TEST(Compare, kernels_that_did_not_change_are_told_where_others_did) {
  auto first = small_sweep(), second = small_sweep();
  ComparedSweep a{first, {}}, b{second, {}};
  for (const ResultRow& row : second->rows) b.against_first[row.measurement] = {row.measurement, compared(1.02, 1.0)};
  EXPECT_TRUE(make_compare_model({a, b}, 0).unchanged.times.empty()) << "nothing changed";
  for (ResultRow& row : second->rows) {
    if (row.kernel == "cpu.fast") row.source_hash = "def456";
  }
  const CompareModel model = make_compare_model({a, b}, 0);
  ASSERT_FALSE(model.unchanged.times.empty());
  EXPECT_THAT(unchanged_text(model.unchanged),
              testing::AllOf(HasSubstr("time A / B 1.020"), HasSubstr("in cycles 1.000")));
  EXPECT_EQ(model.unchanged.labels.size(), 1U) << "the baseline";
}

TEST(Compare, a_time_says_where_it_stands_and_from_how_many_it_was_chosen) {
  auto first = small_sweep(), second = small_sweep();
  ComparedSweep a{first, {}}, b{second, {}};
  b.newest_of[2] = 3;
  const CompareModel model = make_compare_model({a, b}, 0);
  for (const CompareLine& line : model.lines) {
    const bool of_several = line.window == "512 × 32" && line.pass == "backward";
    EXPECT_THAT(line.cells[1]->from, testing::StartsWith("sweep 1, "));
    EXPECT_EQ(line.of_after, of_several ? 3U : 1U);
    EXPECT_EQ(line.of_before, 1U);
  }
}

TEST(Compare, of_long_flags_only_what_differs_is_listed) {
  auto first = small_sweep(), second = small_sweep();
  const std::string flags =
      "Release -O3 -DNDEBUG | cuda: -std=c++20 -lineinfo --generate-code=arch=compute_90a,code=sm_90a";
  first->info.environment.compile_flags = flags;
  second->info.environment.compile_flags = flags + " --use_fast_math";
  const CompareModel model = make_compare_model({{first, {}}, {second, {}}}, 0);
  ASSERT_EQ(model.differences.size(), 1U);
  EXPECT_EQ(model.differences[0].what, "compile flags of one");
  EXPECT_THAT(model.differences[0].values, testing::ElementsAre("none of them", "--use_fast_math"));
}

TEST(Compare, sides_of_several_sweeps_stand_row_by_row_and_name_what_any_of_them_differs_in) {
  auto before = small_sweep(), after = small_sweep();
  for (const auto& side : {before, after}) {  // two answers to one question
    const std::int64_t measurement = side->rows[1].measurement;
    side->rows[1] = side->rows[0];
    side->rows[1].measurement = measurement;
    side->rows[1].instance = "another";
  }
  after->rows[1].instance = "renamed";
  after->rows[1].sweep = 7;
  for (ResultRow& one : after->rows) one.source_hash = "def456";
  ComparedSweep a{before, {}}, b{after, {}};
  a.aligned = b.aligned = true;
  a.name = "63ca6c", b.name = "2c6a73";
  b.sweeps = {after->info, after->info};
  b.sweeps.back().environment.driver_version = "580";
  const CompareModel model = make_compare_model({a, b}, 0);
  EXPECT_THAT(model.sweeps, testing::ElementsAre("63ca6c", "2c6a73"));
  EXPECT_EQ(model.lines.size(), before->rows.size());
  EXPECT_EQ(model.missing, 0);
  EXPECT_EQ(model.lines[1].cells[1]->sweep, 7);
  const auto driver = std::ranges::find(model.differences, std::string("driver"), &Difference::what);
  ASSERT_NE(driver, model.differences.end());
  EXPECT_THAT(driver->values[1], HasSubstr("580"));
}

TEST(Compare, devices_that_cannot_be_read_are_not_the_same) {
  for (const char* const name : {"?", ""}) {
    auto first = small_sweep(), second = small_sweep();
    first->info.environment.device_name = second->info.environment.device_name = name;
    const CompareModel model = make_compare_model({{first, {}}, {second, {}}}, 0);
    ASSERT_EQ(model.differences.size(), 1U);
    EXPECT_EQ(model.differences[0].what, "device");
    EXPECT_THAT(model.differences[0].values, testing::Each(""));
    EXPECT_THAT(model.sweeps[1], HasSubstr("unknown device"));
  }
}

TEST(Compare, lines_that_differ_in_length_say_their_length) {
  auto results = sweep({row(1, 512, 32, Pass::forward, 10, 1), row(2, 512, 32, Pass::forward, 20, 1)});
  results->rows[1].problem.seq_len = 4096;
  const CompareModel model = make_compare_model({{results, {}}, {results, {}}}, 0);
  ASSERT_EQ(model.lines.size(), 2U);
  EXPECT_EQ(model.lines[0].setting, "2,048 tokens");
  EXPECT_EQ(model.lines[1].setting, "4,096 tokens");
  EXPECT_EQ(compare_text(model).rows[1][3], "4,096 tokens");
  results->rows[1].problem.seq_len = 65536;
  EXPECT_EQ(make_compare_model({{results, {}}, {results, {}}}, 0).longest_setting, "65,536 tokens")
      << "what the column is as wide as, without a look at each line in each frame";
  EXPECT_FALSE(make_compare_model({{small_sweep(), {}}, {small_sweep(), {}}}, 0).has_settings);
}

TEST(Compare, sweeps_have_the_numbers_in_their_names_that_history_shows) {
  const auto results = [](std::int64_t id, const char* started) {
    auto made = small_sweep();
    made->info.id = id;
    made->info.started = started;
    return ComparedSweep{made, {}};
  };
  const CompareModel model = make_compare_model(
      {results(3, "2026-11-21T14:02:05Z"), results(7, "2026-11-21T14:02:50Z"), results(8, "2026-11-24T15:00:00Z")}, 0);
  EXPECT_THAT(model.sweeps[0], testing::StartsWith("#3, ")) << "first: the end is cut in a narrow column";
  EXPECT_THAT(model.sweeps[1], testing::StartsWith("#7, "));
  EXPECT_THAT(model.sweeps[2], testing::StartsWith("#8, ")) << "also of another day";
  const std::int64_t now = 1795269600;  // 2026-11-21 14:00 UTC
  const CompareModel one_day =
      make_compare_model({results(3, "2026-11-11T12:02:05Z"), results(7, "2026-11-11T12:44:50Z")}, now);
  EXPECT_THAT(one_day.sweeps[0], HasSubstr("11 Nov ")) << "also where it is the day of both";
  const CompareModel two_days =
      make_compare_model({results(3, "2026-11-11T12:02:05Z"), results(7, "2026-11-14T12:44:50Z")}, now);
  EXPECT_THAT(two_days.sweeps[0], HasSubstr("11 Nov "));
}

}  // namespace
}  // namespace triscope
