// Exploring the recorded database: what is expected is asked of SQLite over the view `result`, in other words.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "kernels/base/error.hpp"
#include "profiler/explore/exploration.hpp"
#include "profiler/explore/explore_filter.hpp"
#include "profiler/store/store.hpp"
#include "profiler/verdict/row_verdicts.hpp"
#include "tests/paths.hpp"

namespace triscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kRecorded = recorded_file();

const std::vector<ResultRow>& recorded_rows() {
  static const std::vector<ResultRow> rows = Snapshot(kRecorded).results();
  return rows;
}

Exploration explore_recorded(const ExploreQuery& query) {
  const ExploreSource source{"h200", recorded_rows(), nullptr};
  return explore({&source, 1}, query);
}

/// The first column of a query on the recorded database.
std::vector<std::int64_t> ask_sql(const std::string& query) {
  const SQLite::Database database(kRecorded, SQLite::OPEN_READONLY);
  SQLite::Statement statement(database, query);
  std::vector<std::int64_t> numbers;
  while (statement.executeStep()) numbers.push_back(statement.getColumn(0).getInt64());
  return numbers;
}

std::vector<std::int64_t> matching(const std::string& where) {
  const ExploreFilter filter(where);
  const std::string name = "h200";
  std::vector<std::int64_t> found;
  for (const ResultRow& row : recorded_rows()) {
    if (filter.matches({row, name, nullptr})) found.push_back(row.measurement);
  }
  return found;
}

TEST(ExploreFilter, finds_what_sql_finds) {
  const std::vector<std::pair<std::string, std::string>> same{
      {"", "1"},
      {"form=trilinear", "form = 'trilinear'"},
      {"window=512x32,256x32",
       "form != 'dot_product' AND form != 'gemm' AND ((window1 = 512 AND window2 = 32) OR "
       "(window1 = 256 AND window2 = 32))"},
      {"seq>=8k", "seq_len >= 8192"},
      {"seq<8k", "seq_len < 8192"},
      {"kernel~hopper", "kernel LIKE '%hopper%'"},
      {"kernel!~hopper,portable", "kernel NOT LIKE '%hopper%' AND kernel NOT LIKE '%portable%'"},
      {"form!=trilinear,gemm", "form NOT IN ('trilinear', 'gemm')"},
      {"form=trilinear window=512x32,256x32 seq>=8k kernel~HOPPER",
       "form = 'trilinear' AND window2 = 32 AND window1 IN (256, 512) AND seq_len >= 8192 AND kernel LIKE '%hopper%'"},
      {"ms<1.5 pass=forward", "median_ms < 1.5 AND pass = 'forward'"},
      {"heads=64/1", "q_heads = 64 AND kv_heads = 1"},
      {"heads=64", "q_heads = 64"},
      {"heads!=64,32", "q_heads NOT IN (64, 32)"},
      {"device=\"NVIDIA H200\"", "device = 'NVIDIA H200'"},
      {"hopper", "kernel LIKE '%hopper%'"},
      {"tflops>400", "tflops > 400"},
      {"date<2026-01-01", "started < '2026-01-01'"},
      {"date>=2024-02-29 date~2026-11", "started >= '2024-02-29' AND started LIKE '2026-11%'"},
  };
  for (const auto& [filter, sql] : same)
    EXPECT_EQ(matching(filter), ask_sql("SELECT measurement FROM result WHERE " + sql + " ORDER BY measurement"))
        << filter;
  EXPECT_FALSE(matching("form=trilinear window=512x32,256x32 seq>=8k kernel~hopper").empty());
}

TEST(ExploreFilter, finds_a_kernel_by_the_names_that_are_shown) {
  const std::vector<std::int64_t> all = matching("kernel=baseline.fa3");
  ASSERT_FALSE(all.empty());
  for (const char* filter : {"kernel~flash", "kernel=fa3", "kernel=FlashAttention-3", "flashattention"})
    EXPECT_EQ(matching(filter), all) << filter;
  EXPECT_EQ(matching("kernel!~flash").size() + all.size(), recorded_rows().size());
}

TEST(ExploreFilter, names_the_term_that_is_wrong) {
  const auto fault = [](const std::string& text) -> std::string {
    try {
      const ExploreFilter filter(text);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(fault("form=trilinear kernl=x"), HasSubstr("'kernl'"));
  EXPECT_THAT(fault("form=trilinear kernl=x"), HasSubstr("did you mean kernel"));
  EXPECT_THAT(fault("seq>=lots"), HasSubstr("'lots' is no number"));
  EXPECT_THAT(fault("kernel<3"), HasSubstr("kernel is a word"));
  EXPECT_THAT(fault("seq="), HasSubstr("a value is missing"));
  EXPECT_THAT(fault("seq>=4k,8k"), HasSubstr("several values"));
  EXPECT_THAT(fault("device=\"NVIDIA"), HasSubstr("quote is not closed"));
  EXPECT_THAT(fault("seq!8k"), HasSubstr("'!' is no operator"));
  EXPECT_THAT(fault("=8k"), HasSubstr("no such field"));
  for (const char* none : {"2026-13-45", "2026-02-29", "2026-11-00", "2026-11", "26-11-21", "yesterday", "2026-11-2x"})
    EXPECT_THAT(fault(std::string("date>") + none), HasSubstr(std::string("'") + none + "' is no date"));
  EXPECT_THAT(fault("date=2026-11-21,2026-11-31"), HasSubstr("'2026-11-31' is no date"));
}

TEST(Explore, a_matrix_product_does_not_stand_among_tokens) {
  const auto drawn = [](const char* x) {
    return explore_recorded({x, "tflops", "kernel", "pass", "kernel=baseline.cublas", false}).drawn;
  };
  EXPECT_GT(drawn("window"), 0U);
  for (const char* size : {"seq", "w1", "w2", "area", "head_dim"}) EXPECT_EQ(drawn(size), 0U) << size;
}

TEST(Explore, an_area_is_of_pairs_of_windows_alone) {
  const auto made = [](const char* where) { return explore_recorded({"area", "ms", "window", "pass", where, false}); };
  EXPECT_EQ(made("form=dot_product").drawn, 0U);
  const Exploration pairs = made("window=512x32,256x64,1024x32 kernel=cuda.hopper pass=forward");
  ASSERT_FALSE(pairs.panels.empty());
  for (const ExploreSeries& series : pairs.panels.at(0).series) {
    for (const ExplorePoint& point : series.points) EXPECT_EQ(point.x, series.name == "1024x32" ? 32768 : 16384);
  }
  EXPECT_EQ(made("area=16k kernel=cuda.hopper").matched, made("area=16384 kernel=cuda.hopper").matched);
  EXPECT_GT(made("area>16k kernel=cuda.hopper").matched, 0U);
}

TEST(Explore, of_a_burst_there_is_no_energy) {
  const auto drawn = [](const char* y, const char* where) {
    return explore_recorded({"ms", y, "kernel", "pass", where, false}).drawn;
  };
  for (const char* y : {"joules", "per_tflop"}) {
    EXPECT_GT(drawn(y, "regime=sustained"), 0U) << y;
    EXPECT_EQ(drawn(y, "regime=burst"), 0U) << y << ": its power has the pauses in it";
  }
  EXPECT_GT(drawn("watts", "regime=burst"), 0U);
}

TEST(Explore, every_point_is_a_row_of_the_view) {
  const Exploration made = explore_recorded({"seq", "tflops", "kernel", "pass", "form=trilinear window=512x32", false});
  std::multiset<std::tuple<std::string, std::string, double, std::int64_t, double>> drawn, expected;
  for (const ExplorePanel& panel : made.panels) {
    for (const ExploreSeries& series : panel.series) {
      for (const ExplorePoint& point : series.points) {
        for (const ExploreRepeat& repeat : point.repeats)
          drawn.emplace(panel.name, series.name, point.x, recorded_rows()[repeat.row].measurement, repeat.y);
      }
    }
  }
  const SQLite::Database database(kRecorded, SQLite::OPEN_READONLY);
  SQLite::Statement rows(database,
                         "SELECT pass, kernel, seq_len, measurement, tflops FROM result WHERE status = 'ok' AND form = "
                         "'trilinear' AND window1 = 512 AND window2 = 32");
  while (rows.executeStep())
    expected.emplace(rows.getColumn(0).getString(), rows.getColumn(1).getString(), rows.getColumn(2).getDouble(),
                     rows.getColumn(3).getInt64(), rows.getColumn(4).getDouble());
  EXPECT_EQ(drawn, expected);
  EXPECT_EQ(made.drawn, expected.size());
  EXPECT_FALSE(expected.empty());
}

TEST(Explore, the_best_of_each_took_the_shortest_time) {
  const Exploration made = explore_recorded({"seq", "ms", "kernel", "pass", "regime=sustained sweep=4,5", true});
  std::map<std::tuple<std::string, std::string, double>, double> drawn, expected;
  for (const ExplorePanel& panel : made.panels) {
    for (const ExploreSeries& series : panel.series) {
      EXPECT_FALSE(series.mixed);
      for (const ExplorePoint& point : series.points)
        EXPECT_TRUE(drawn.try_emplace({panel.name, series.name, point.x}, point.ms).second) << "one of each";
    }
  }
  const SQLite::Database database(kRecorded, SQLite::OPEN_READONLY);
  SQLite::Statement rows(database,
                         "SELECT pass, kernel, seq_len, min(median_ms) FROM result WHERE status = 'ok' AND regime = "
                         "'sustained' AND sweep IN (4, 5) GROUP BY pass, kernel, seq_len");
  while (rows.executeStep())
    expected[{rows.getColumn(0).getString(), rows.getColumn(1).getString(), rows.getColumn(2).getDouble()}] =
        rows.getColumn(3).getDouble();
  EXPECT_EQ(drawn, expected);
  EXPECT_GT(expected.size(), 16U);
}

/// The first recorded row, of these windows, regime and time.
ResultRow one_row(std::int64_t window1, Regime regime, double ms, std::int64_t measurement) {
  ResultRow row =
      *std::ranges::find(recorded_rows(), Form::trilinear, [](const ResultRow& one) { return one.problem.form; });
  row.problem.window1 = window1;
  row.regime = regime;
  row.median_ms = ms;
  row.measurement = measurement;
  return row;
}

TEST(Explore, the_best_of_each_has_the_highest_rate_where_y_is_one) {
  ExploreQuery query{"seq", "tflops", "kernel", "", "kernel=cuda.hopper pass=forward", false};
  const Exploration all = explore_recorded(query);
  query.best = true;
  const Exploration best = explore_recorded(query);
  std::map<double, double> highest;
  for (const ExplorePoint& point : all.panels.at(0).series.at(0).points)
    highest[point.x] = std::max(highest[point.x], point.y);
  std::map<double, double> chosen;
  for (const ExplorePoint& point : best.panels.at(0).series.at(0).points)
    chosen[point.x] = std::max(chosen[point.x], point.y);
  EXPECT_EQ(chosen, highest);
}

TEST(Explore, the_best_of_each_stays_within_a_regime_and_says_what_it_was_chosen_over) {
  const std::vector<ResultRow> rows{one_row(512, Regime::sustained, 3, 1), one_row(256, Regime::sustained, 2, 2),
                                    one_row(128, Regime::sustained, 4, 3), one_row(512, Regime::burst, 1, 4)};
  const ExploreSource source{"four", rows, nullptr};
  const Exploration made = explore({&source, 1}, {"seq", "ms", "kernel", "pass", "", true});
  ASSERT_EQ(made.panels.size(), 1U);
  const ExploreSeries& series = made.panels[0].series.at(0);
  ASSERT_EQ(series.points.size(), 2U) << "a burst is no better sustained time";
  EXPECT_TRUE(series.mixed);
  EXPECT_THAT(made.mixed, ElementsAre("regime"));
  const ExplorePoint& sustained = series.points[0].ms == 2 ? series.points[0] : series.points[1];
  EXPECT_EQ(sustained.ms, 2);
  EXPECT_EQ(sustained.chosen_from, 3U);
  EXPECT_THAT(sustained.chosen_over, ElementsAre("windows"));
  EXPECT_THAT(made.chosen_over, ElementsAre(ExploreChoice{"windows", 3}));
  EXPECT_EQ(choice_text(made), "3 windows");
  std::vector<std::string> telling;
  for (const ExploreField* field : telling_fields(made)) telling.emplace_back(field->id);
  EXPECT_THAT(telling, ElementsAre("window", "regime"));
  const Exploration alone = explore({&source, 1}, {"window", "ms", "kernel", "pass", "regime=sustained", true});
  EXPECT_THAT(alone.chosen_over, IsEmpty()) << "nothing was left out";
  EXPECT_THAT(telling_fields(alone), IsEmpty());
}

TEST(Explore, a_line_joins_points_that_are_alike_in_all_but_x) {
  const auto made_of = [](const std::vector<ResultRow>& rows, const ExploreQuery& query) {
    const ExploreSource source{"rows", rows, nullptr};
    return explore({&source, 1}, query);
  };
  const auto differs_in = [&](const std::vector<ResultRow>& rows, const ExploreQuery& query) {
    const Exploration made = made_of(rows, query);
    EXPECT_EQ(made.panels.at(0).series.at(0).mixed, !made.mixed.empty());
    return made.mixed;
  };
  const ExploreQuery by_length{"seq", "ms", "kernel", "", ""};
  std::vector<ResultRow> rows{one_row(512, Regime::sustained, 3, 1), one_row(512, Regime::sustained, 2, 2)};
  rows[0].problem.seq_len = 1024;
  rows[1].problem.seq_len = 2048;
  EXPECT_THAT(differs_in(rows, by_length), IsEmpty());
  rows[1].instance = "another";
  EXPECT_THAT(differs_in(rows, by_length), IsEmpty()) << "the kernel chose it for this length";
  rows[1].problem.window1 = 256;
  EXPECT_THAT(differs_in(rows, by_length), ElementsAre("windows"));
  EXPECT_THAT(differs_in(rows, {"w1", "ms", "kernel", "", ""}), ElementsAre("tokens"));
  EXPECT_THAT(differs_in(rows, {"window", "ms", "seq", "", ""}), IsEmpty());
  ExploreQuery best = by_length;
  best.best = true;
  EXPECT_THAT(differs_in(rows, best), ElementsAre("windows")) << "nothing was chosen";
  rows.push_back(one_row(512, Regime::sustained, 9, 3));
  rows.back().problem.seq_len = 2048;
  EXPECT_THAT(differs_in(rows, best), IsEmpty()) << "it is said of the choice";
  ExploreQuery by_date = best;
  by_date.x = "date";
  rows[1].started = rows[2].started = "2026-11-30T00:00:00Z";
  EXPECT_THAT(differs_in(rows, by_date), ElementsAre("windows", "tokens")) << "that is no trend";
  rows[2].problem.seq_len = rows[0].problem.seq_len = rows[1].problem.seq_len;
  rows[2].median_ms = 1;
  EXPECT_THAT(differs_in(rows, by_date), IsEmpty()) << "the best of both days is of one problem";
  rows[2].median_ms = 9;
  rows[0].problem.seq_len = 1024;
  rows[2].problem.seq_len = 2048;
  for (ResultRow& row : rows) row.problem.window1 = 512;
  rows[1].source_hash = "another version";
  rows.pop_back();
  EXPECT_THAT(differs_in(rows, by_length), ElementsAre("version"));

  std::vector<ResultRow> causal{*std::ranges::find(recorded_rows(), "baseline.fa3", &ResultRow::kernel)};
  causal.push_back(causal.front());
  causal[1].problem.seq_len = causal[1].problem.window1 = 2 * causal[0].problem.seq_len;
  EXPECT_THAT(differs_in(causal, by_length), IsEmpty());
  causal[1].instance = "another version of the library";
  EXPECT_THAT(differs_in(causal, by_length), ElementsAre("instance"));
}

TEST(Explore, measurements_of_one_configuration_are_repeats_with_their_median) {
  std::vector<ResultRow> rows;
  for (const double ms : {3.0, 1.0, 8.0}) {
    rows.push_back(*std::ranges::find(recorded_rows(), "cuda.hopper", &ResultRow::kernel));
    rows.back().measurement = 100 + static_cast<std::int64_t>(rows.size());
    rows.back().started = fmt::format("2026-01-0{}T00:00:00Z", rows.size());
    rows.back().median_ms = ms;
  }
  const ExploreSource source{"three", rows, nullptr};
  const Exploration made = explore({&source, 1}, {});
  ASSERT_EQ(made.panels.size(), 1U);
  ASSERT_EQ(made.panels[0].series.size(), 1U);
  ASSERT_EQ(made.panels[0].series[0].points.size(), 1U);
  const ExplorePoint& point = made.panels[0].series[0].points[0];
  EXPECT_EQ(point.y, 3.0);
  ASSERT_EQ(point.repeats.size(), 3U);
  EXPECT_EQ(point.repeats[1].y, 1.0);
  EXPECT_FALSE(made.panels[0].series[0].mixed);
  rows[2].source_hash = "another version";
  const Exploration changed = explore({&source, 1}, {});
  EXPECT_TRUE(changed.panels[0].series[0].mixed);
  EXPECT_THAT(changed.mixed, ElementsAre("version"));
  rows[2].status = Status::failed;
  EXPECT_EQ(explore({&source, 1}, {}).drawn, 2U);
}

TEST(Explore, several_databases_stand_side_by_side_and_a_copied_row_counts_once) {
  std::vector<ResultRow> slower = recorded_rows();
  for (ResultRow& row : slower) row.median_ms = 2 * row.median_ms.value_or(0);
  const std::vector<ExploreSource> sources{{"old.db", recorded_rows(), nullptr}, {"new.db", slower, nullptr}};
  const ExploreQuery query{"seq", "ms", "database", "", "kernel=cuda.hopper form=trilinear window=512x32 sweep=4"};
  const Exploration made = explore(sources, query);
  ASSERT_EQ(made.panels.size(), 1U);
  ASSERT_EQ(made.panels[0].series.size(), 2U);
  const ExploreSeries &fast = made.panels[0].series[1], &slow = made.panels[0].series[0];
  EXPECT_EQ(fast.name, "old.db");
  ASSERT_EQ(fast.points.size(), slow.points.size());
  for (std::size_t n = 0; n < fast.points.size(); ++n) EXPECT_EQ(slow.points[n].y, 2 * fast.points[n].y);
  EXPECT_EQ(made.rows, 2 * recorded_rows().size());

  const std::vector<ExploreSource> twice{{"a.db", recorded_rows(), nullptr}, {"b.db", recorded_rows(), nullptr}};
  ExploreQuery both = query;
  both.color = "kernel";
  for (const ExplorePoint& point : explore(twice, both).panels[0].series[0].points) EXPECT_EQ(point.repeats.size(), 1U);
}

TEST(Explore, words_along_x_are_sorted_by_what_they_mean) {
  const Exploration made =
      explore_recorded({"window", "ms", "kernel", "", "sweep=1 form=trilinear kernel~hopper", false});
  EXPECT_THAT(made.x_names, ElementsAre("256x32", "1024x16", "128x128", "256x64", "512x32", "1024x32", "512x64"));
  ASSERT_EQ(made.panels[0].series.size(), 1U);
  EXPECT_EQ(made.panels[0].series[0].points.size(), 7U);
  EXPECT_EQ(made.panels[0].series[0].points[3].x, 3.0);
  EXPECT_THAT(made.mixed, IsEmpty());
}

TEST(Explore, ours_stand_before_baselines_and_forward_before_backward) {
  const Exploration made = explore_recorded({"seq", "ms", "kernel", "pass", "sweep=4,17", true});
  std::vector<std::string> names;
  for (const ExplorePanel& panel : made.panels) {
    names.push_back(panel.name);
    for (const ExploreSeries& series : panel.series) names.push_back(series.name + (series.baseline ? " dashed" : ""));
  }
  EXPECT_THAT(names, ElementsAre("forward", "cuda.hopper", "baseline.cudnn dashed", "baseline.fa3 dashed", "backward",
                                 "cuda.portable"));
}

TEST(Explore, a_baseline_is_what_computed_dot_product_attention_whichever_kernel_that_is) {
  const auto first = std::ranges::find_if(recorded_rows(), [](const ResultRow& row) {
    return row.kernel == "baseline.fa3" && row.status == Status::ok && row.problem.form == Form::dot_product;
  });
  ASSERT_NE(first, recorded_rows().end());
  std::vector<ResultRow> rows{*first, *first};
  for (ResultRow& row : rows) row.kernel = "cpu.oracle", row.card.kind = KernelKind::oracle;
  rows[1].problem.form = Form::trilinear;
  const ExploreSource source{"oracle", rows, nullptr};
  const Exploration made = explore({&source, 1}, {"seq", "ms", "form", "", "", false});
  ASSERT_EQ(made.panels[0].series.size(), 2U);
  for (const ExploreSeries& series : made.panels[0].series)
    EXPECT_EQ(series.baseline, series.name == "dot_product") << series.name;
}

TEST(Explore, intervals_are_those_of_the_times) {
  for (const ExplorePanel& panel : explore_recorded({"seq", "tflops", "kernel", "pass", "sweep=4", false}).panels) {
    for (const ExploreSeries& series : panel.series) {
      for (const ExplorePoint& point : series.points) {
        const ExploreRepeat& repeat = point.repeats.front();
        const ResultRow& row = recorded_rows()[repeat.row];
        ASSERT_TRUE(repeat.interval.has_value());
        EXPECT_NEAR(repeat.interval->low, *row.tflops * *row.median_ms / *row.ci_high_ms, 1e-9 * repeat.y);
        EXPECT_LE(repeat.interval->low, repeat.y);
        EXPECT_GE(repeat.interval->high, repeat.y);
      }
    }
  }
}

TEST(Explore, the_ratio_is_that_of_the_verdict) {
  const Snapshot snapshot(kRecorded);
  const std::vector<ResultRow> rows = snapshot.results(4);
  const Verdicts verdicts = compare_with_baseline(snapshot, rows, "auto");
  ASSERT_EQ(verdicts.baseline, "baseline.fa3");
  const ExploreSource source{"h200", rows, &verdicts.by_measurement};
  const ExploreQuery query{"seq", "ratio", "kernel", "pass", "form=trilinear window=512x32 seq=8k"};
  EXPECT_TRUE(needs_reference(query));
  EXPECT_FALSE(needs_reference({}));
  const Exploration made = explore({&source, 1}, query);
  ASSERT_EQ(made.panels.size(), 1U);
  const ExplorePoint& point = made.panels[0].series[0].points[0];
  const std::vector<std::int64_t> ids = ask_sql(
      "SELECT measurement FROM result WHERE sweep = 4 AND form = 'trilinear' AND window1 = 512 AND seq_len = 8192");
  ASSERT_EQ(ids.size(), 1U);
  EXPECT_DOUBLE_EQ(point.y, verdicts.by_measurement.at(ids[0]).ratio);
  const double of_medians = 5.884 / 1.669;  // as `show 4` prints them
  EXPECT_NEAR(point.y, of_medians, 0.05) << "the ratio in turns is a few per cent apart from that";
}

TEST(Explore, every_hardware_counter_can_be_drawn_and_filtered_by) {
  const Snapshot snapshot(kRecorded);
  const ExploreQuery query{"tflops", "tensor_busy", "", "", "dram_read<700", false};
  EXPECT_THAT(needed_counters(query),
              ElementsAre("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", "dram__bytes_read.sum"));
  EXPECT_THAT(needed_counters({}), IsEmpty());
  CounterValues counters;
  for (const std::string& name : needed_counters(query)) counters.emplace(name, snapshot.counter_values(name));
  const ExploreSource source{"h200", recorded_rows(), nullptr, nullptr, &counters};
  std::multiset<double> drawn, expected;
  for (const ExplorePanel& panel : explore({&source, 1}, query).panels) {
    for (const ExploreSeries& series : panel.series) {
      for (const ExplorePoint& point : series.points) {
        for (const ExploreRepeat& repeat : point.repeats) drawn.insert(repeat.y);
      }
    }
  }
  const SQLite::Database database(kRecorded, SQLite::OPEN_READONLY);
  SQLite::Statement rows(
      database,
      "SELECT busy.value FROM counter AS busy JOIN counter AS bytes ON bytes.measurement = busy.measurement JOIN "
      "result ON result.measurement = busy.measurement WHERE busy.name = (SELECT id FROM text WHERE value = "
      "'sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active') AND bytes.name = (SELECT id FROM text WHERE "
      "value = 'dram__bytes_read.sum') AND bytes.value < 700e6 AND status = 'ok'");
  while (rows.executeStep()) expected.insert(rows.getColumn(0).getDouble());
  EXPECT_EQ(drawn, expected);
  EXPECT_FALSE(expected.empty());
  const ExploreField* field = find_explore_field("dram_read");
  ASSERT_NE(field, nullptr);
  EXPECT_EQ(find_explore_field("dram__bytes_read.sum"), field) << "its whole name is known, too";
  EXPECT_EQ(field->unit, "MB");
  std::set<std::string_view> ids;
  for (const ExploreField& one : explore_fields()) EXPECT_TRUE(ids.insert(one.id).second) << one.id;
}

TEST(Explore, a_filter_that_matches_nothing_says_which_term_is_to_blame) {
  const auto blamed = [](const std::string& where) {
    return blamed_terms(explore_recorded({"seq", "ms", "", "", where}));
  };
  const std::vector<ExploreBlame> unknown = blamed("kernel~hopper seq>=8m pass=forward");
  ASSERT_EQ(unknown.size(), 1U);
  EXPECT_EQ(unknown[0].sentence, "No measurement matches seq>=8m.");
  EXPECT_EQ(unknown[0].others, "kernel~hopper pass=forward");
  const std::vector<ExploreBlame> apart = blamed("kernel=cuda.hopper form=dot_product");
  ASSERT_EQ(apart.size(), 2U);
  EXPECT_THAT(apart[0].sentence,
              testing::MatchesRegex("Without kernel=cuda.hopper [0-9]+ measurements would match\\."));
  EXPECT_EQ(apart[0].others, "form=dot_product");
  EXPECT_THAT(blamed("kernel=cuda.hopper"), IsEmpty());
}

TEST(Explore, refuses_what_it_cannot_draw) {
  EXPECT_THROW(explore_recorded({"seqq"}), Error);
  EXPECT_THROW(explore_recorded({"seq", "kernel"}), Error);
  EXPECT_THROW(explore_recorded({"seq", "ms", "colour"}), Error);
  EXPECT_THAT(explore_recorded({"seq", "ms", "", "", "form=none"}).panels, IsEmpty());
}

}  // namespace
}  // namespace triscope
