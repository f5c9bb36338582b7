// Models of many rows are made beside the drawing; those of few, and those that are copied, at once.
#include <gmock/gmock.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/views/sweep_fixture.hpp"
#include "views/model/models.hpp"

namespace triscope {
namespace {

/// Runs what is made when the test says so, as the window's thread does: of one name only the newest.
class LaterModels : public testing::Test {
 protected:
  LaterModels() {
    models.maker.beside = [this](const std::string& name, std::function<ModelMaker::Take()> make) {
      if (name.empty()) {
        to_free.push_back(std::move(make));
      } else {
        waiting[name] = std::move(make);
      }
    };
    data.shown = many_rows(1);
  }
  /// The same question again and again.
  static std::shared_ptr<SweepResults> many_rows(std::int64_t id) {
    auto all = fixture::length_sweep();
    all->info.id = id;
    const std::vector<ResultRow> rows = all->rows;
    while (all->rows.size() <= 2000) all->rows.insert(all->rows.end(), rows.begin(), rows.end());
    return all;
  }
  /// What waits is made, and taken as the next frame does.
  void next_frame() {
    to_free.clear();
    for (auto& [name, make] : std::exchange(waiting, {})) {
      if (const ModelMaker::Take take = make()) take();
    }
  }

  WindowData data;
  std::vector<std::function<ModelMaker::Take()>> to_free;  // beside the drawing
  std::map<std::string, std::function<ModelMaker::Take()>> waiting;
  Models models;
};

TEST_F(LaterModels, a_chart_of_many_rows_is_not_made_by_the_frame_that_shows_it) {
  EXPECT_EQ(models.lengths(data), nullptr);
  EXPECT_TRUE(models.lengths_wait());
  EXPECT_TRUE(waiting.contains("lengths"));
  EXPECT_EQ(models.lengths(data), nullptr);
  next_frame();
  const LengthChart* made = models.lengths(data);
  ASSERT_NE(made, nullptr);
  EXPECT_FALSE(models.lengths_wait());
  EXPECT_EQ(made->passes[0].curves.size(), make_length_chart(*data.shown).passes[0].curves.size());
  EXPECT_EQ(models.lengths(data), made) << "made once";
}

TEST_F(LaterModels, a_chart_without_some_curves_is_made_once_and_not_by_the_frame_that_shows_it) {
  (void)models.lengths(data);
  next_frame();
  const LengthChart* whole = models.lengths(data);
  ASSERT_NE(whole, nullptr);
  const std::size_t curves = whole->passes[0].curves.size();
  const auto without = [&](std::size_t n) {
    return models.lengths_without(data, {models.lengths(data)->passes[0].curves[n].label});
  };
  EXPECT_EQ(without(0), whole) << "that stands until it is made";
  EXPECT_TRUE(waiting.contains("lengths without"));
  next_frame();
  const LengthChart* made = without(0);
  EXPECT_EQ(made->passes[0].curves.size(), curves - 1);
  for (int frame = 0; frame < 5; ++frame) EXPECT_EQ(without(0), made);
  EXPECT_TRUE(waiting.empty()) << "made once";
  EXPECT_EQ(without(1), made) << "what stood stays";
  next_frame();
  EXPECT_NE(without(1)->passes[0].curves[0].label, made->passes[0].curves[0].label);
  data.database = "another.db";
  ++data.revision;
  EXPECT_EQ(models.lengths_without(data, {"a label"}), nullptr);
  next_frame();
  EXPECT_EQ(without(1), models.lengths(data)) << "what was made of another file does not stand";
}

TEST_F(LaterModels, samples_behind_a_chart_are_read_by_no_frame_and_once) {
  data.shown = fixture::length_sweep();  // of so few rows a chart is made at once
  ++data.revision;
  int reads = 0;
  data.compare_pairs = [&](const std::set<MeasurementPair>& pairs) {
    ++reads;
    PairVerdicts verdicts;
    for (const MeasurementPair& pair : pairs) {
      Comparison& one = verdicts[pair];
      one.ratio = 1.25, one.interval = {1.24, 1.26}, one.paired = true;
    }
    return verdicts;
  };
  const auto by_turns = [](const LengthChart& chart) {
    return chart.passes[0].budgets.front().sentence.find("by neighbouring turns") != std::string::npos;
  };
  ASSERT_NE(models.lengths(data), nullptr);
  EXPECT_FALSE(by_turns(*models.lengths(data)));
  EXPECT_TRUE(models.lengths_wait());
  EXPECT_EQ(reads, 0);
  next_frame();
  EXPECT_TRUE(by_turns(*models.lengths(data)));
  EXPECT_FALSE(models.lengths_wait());
  const auto without = [&](const std::string& label) -> const LengthChart& {
    return *models.lengths_without(data, {label});
  };
  EXPECT_TRUE(by_turns(without("512 × 32"))) << "what is left of it is known";
  next_frame();
  EXPECT_EQ(reads, 1);
  EXPECT_FALSE(by_turns(without("FlashAttention-3 64/1"))) << "beside another one";
  EXPECT_EQ(reads, 1);
  next_frame();
  EXPECT_TRUE(by_turns(without("FlashAttention-3 64/1")));
  EXPECT_EQ(reads, 2);
}

TEST_F(LaterModels, without_some_curves_nothing_of_another_sweep_stands_and_what_waits_says_so) {
  (void)models.lengths(data);
  next_frame();
  const std::string first = models.lengths(data)->passes[0].curves[0].label,
                    second = models.lengths(data)->passes[0].curves[1].label;
  EXPECT_FALSE(models.lengths_wait());
  (void)models.lengths_without(data, {first});
  EXPECT_TRUE(models.lengths_wait());
  next_frame();
  (void)models.lengths_without(data, {first});
  EXPECT_FALSE(models.lengths_wait());
  EXPECT_NE(models.lengths_without(data, {second}), models.lengths(data)) << "that of the first label stands";
  EXPECT_TRUE(models.lengths_wait());
  next_frame();
  data.shown = many_rows(2);
  ++data.revision;
  (void)models.lengths(data);
  next_frame();
  EXPECT_EQ(models.lengths_without(data, {second}), models.lengths(data)) << "and not the other sweep's";
  EXPECT_EQ(models.lengths(data)->sweep, 2);
  EXPECT_TRUE(models.lengths_wait());
  EXPECT_EQ(models.lengths_without(data, {}), models.lengths(data));
  EXPECT_FALSE(models.lengths_wait()) << "nothing is left out any more";
  next_frame();
  EXPECT_FALSE(models.lengths_wait()) << "what was on its way is no answer";
}

TEST_F(LaterModels, what_stood_stays_until_the_newer_one_is_made) {
  (void)models.lengths(data);
  next_frame();
  const LengthChart* before = models.lengths(data);
  ++data.revision;
  EXPECT_EQ(models.lengths(data), before);
  EXPECT_TRUE(models.lengths_wait());
  const auto older = std::exchange(waiting, {});
  ++data.revision;
  EXPECT_EQ(models.lengths(data), before);
  older.at("lengths")()();  // it was on its way
  EXPECT_EQ(models.lengths(data), before) << "an answer to an older question is none";
  next_frame();
  EXPECT_FALSE(models.lengths_wait());
  EXPECT_NE(models.lengths(data), nullptr);
}

TEST_F(LaterModels, what_is_made_of_a_table_stays_while_samples_of_another_sweep_come) {
  const auto set_table = [&] {
    data.table = {data.shown, nullptr, nullptr,
                  std::make_shared<const LatencyModel>(make_latency_model(*data.shown, nullptr))};
    ++data.revision;
  };
  set_table();
  const LatencyModel* const table = models.latency(data);
  EXPECT_EQ(table, data.table.model.get());
  const_cast<BarChart*>(models.bars(data, 0))->categories = {"made once"};
  ++data.revision;
  EXPECT_EQ(models.latency(data), table);
  EXPECT_EQ(models.bars(data, 0)->categories, std::vector<std::string>{"made once"});
  set_table();
  EXPECT_EQ(models.latency(data), data.table.model.get());
  EXPECT_NE(models.bars(data, 0)->categories, std::vector<std::string>{"made once"}) << "of another table";
}

TEST_F(LaterModels, table_and_steps_of_another_sweep_are_freed_beside_the_drawing) {
  (void)models.step_table(data);
  next_frame();
  ASSERT_NE(models.step_table(data), nullptr);
  EXPECT_TRUE(to_free.empty());
  data.shown = many_rows(2);
  ++data.revision;
  (void)models.step_table(data);
  EXPECT_EQ(to_free.size(), 2U);
}

TEST_F(LaterModels, a_table_that_was_filtered_is_freed_beside_the_drawing) {
  data.table = {data.shown, nullptr, nullptr,
                std::make_shared<const LatencyModel>(make_latency_model(*data.shown, nullptr))};
  ++data.revision;
  const auto filter = [&] { (void)models.order(data, "512", "", false); };
  filter();
  next_frame();
  filter();
  const std::weak_ptr<const LatencyModel> table = data.table.model;
  data.table = {};
  data.shown = many_rows(2);
  ++data.revision;
  filter();
  to_free.clear();
  for (auto& [name, make] : std::exchange(waiting, {})) {
    if (const ModelMaker::Take take = make()) take();
  }
  EXPECT_FALSE(table.expired()) << "not by the frame that takes the texts of the new one";
  to_free.clear();
  EXPECT_TRUE(table.expired());
}

TEST_F(LaterModels, nothing_of_another_database_stands_for_this_one) {
  (void)models.lengths(data);
  next_frame();
  ASSERT_NE(models.lengths(data), nullptr);
  ++data.revision;
  data.database = "another.db";
  EXPECT_EQ(models.lengths(data), nullptr);
}

TEST_F(LaterModels, who_copies_gets_it_at_once_and_of_few_rows_all_do) {
  models.maker.at_once = true;
  EXPECT_NE(models.lengths(data), nullptr);
  EXPECT_NE(models.paper(data), nullptr);
  EXPECT_NE(models.recipe(data, {}), nullptr);
  models.maker.at_once = false;
  data.shown = fixture::length_sweep();
  ++data.revision;
  EXPECT_NE(models.lengths(data), nullptr);
  EXPECT_FALSE(models.lengths_wait());
  next_frame();  // what is freed
}

TEST_F(LaterModels, pages_of_the_paper_wait_for_their_rows_and_then_for_their_answers) {
  const RecipeUi ui;
  EXPECT_EQ(models.paper(data), nullptr);
  EXPECT_EQ(models.device_rows(data), nullptr);
  EXPECT_EQ(models.recipe(data, ui), nullptr);
  next_frame();
  EXPECT_NE(models.paper(data), nullptr);
  ASSERT_NE(models.device_rows(data), nullptr);
  EXPECT_EQ(models.recipe(data, ui), nullptr);
  EXPECT_EQ(models.crossings(data, {512, 32}), nullptr);
  EXPECT_EQ(models.windows_cost(data, {}), nullptr);
  next_frame();
  ASSERT_NE(models.recipe(data, ui), nullptr);
  EXPECT_NE(models.crossings(data, {512, 32}), nullptr);
  EXPECT_NE(models.windows_cost(data, {}), nullptr);
  RecipeUi other = ui;
  ++other.layers;
  ASSERT_NE(models.recipe(data, other), nullptr);
  EXPECT_EQ(models.recipe(data, other)->asked, ui) << "a plot that is dragged stands meanwhile";
  EXPECT_EQ(models.crossings(data, {300, 32}), nullptr) << "a sentence would be wrong";
  next_frame();
  EXPECT_EQ(models.recipe(data, other)->asked, other);
}

TEST_F(LaterModels, rows_are_looked_through_once_for_the_counters_of_two_selected_ones) {
  const auto select = [&](std::size_t a, std::size_t b) {
    const std::vector<ResultRow>& rows = data.shown->rows;
    data.selected = std::make_shared<SelectedMeasurement>(SelectedMeasurement{rows[a], {}, {}, {}});
    auto other = std::make_shared<SelectedMeasurement>(SelectedMeasurement{rows[b], {}, {}, {}});
    data.beside = std::make_shared<MeasurementBeside>(MeasurementBeside{std::move(other), {}});
  };
  EXPECT_EQ(models.counted_elsewhere(data), nullptr) << "nothing is selected";
  EXPECT_TRUE(waiting.empty());
  select(0, 1);
  for (int frame = 0; frame < 5; ++frame) EXPECT_EQ(models.counted_elsewhere(data), nullptr);
  EXPECT_EQ(waiting.size(), 1U);
  next_frame();
  const CountedElsewhere* found = models.counted_elsewhere(data);
  ASSERT_NE(found, nullptr);
  EXPECT_FALSE(found->pass_counted);
  for (int frame = 0; frame < 5; ++frame) EXPECT_EQ(models.counted_elsewhere(data), found);
  EXPECT_TRUE(waiting.empty()) << "frames look at no row";
  ++data.revision;
  EXPECT_EQ(models.counted_elsewhere(data), found) << "a sweep streams: the words stay";
  EXPECT_EQ(waiting.size(), 1U);
  select(1, 2);
  EXPECT_EQ(models.counted_elsewhere(data), nullptr) << "that is of another pair";
}

TEST(CountedElsewhere, the_other_pass_of_both_is_found_in_the_shown_sweep_or_one_of_its_device) {
  using fixture::row;
  const auto counted_row = [](ResultRow of) {
    of.counted_clock_mhz = 1600;
    return of;
  };
  const ResultRow a = row(1, 512, 32, Pass::backward, 2, 1), b = row(2, 256, 64, Pass::backward, 2, 1);
  const ResultRow fwd_a = row(3, 512, 32, Pass::forward, 1, 1), fwd_b = row(4, 256, 64, Pass::forward, 1, 1);
  WindowData data;
  data.shown = fixture::sweep({a, b, counted_row(fwd_a), fwd_b});
  EXPECT_TRUE(find_counted(data, a, b).measurements.empty()) << "only one of them was counted";
  data.same_device = {fixture::sweep({counted_row(fwd_a)}, 2),
                      fixture::sweep({counted_row(fwd_b), counted_row(fwd_a)}, 3)};
  const CountedElsewhere found = find_counted(data, a, b);
  EXPECT_EQ(found.measurements, (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(found.sweep, 3);
  EXPECT_EQ(found.pass, Pass::forward);
  EXPECT_FALSE(found.pass_counted);
  data.same_device.push_back(fixture::sweep({counted_row(row(5, 128, 64, Pass::backward, 2, 1))}, 4));
  EXPECT_TRUE(find_counted(data, a, b).pass_counted);
}

TEST_F(LaterModels, match3_is_searched_beside_the_drawing) {
  const Match3Fields fields;
  EXPECT_EQ(models.match3(fields), nullptr);
  EXPECT_TRUE(waiting.contains("match3"));
  next_frame();
  const Match3Shown* made = models.match3(fields);
  ASSERT_NE(made, nullptr);
  ASSERT_TRUE(made->findings.has_value());
  EXPECT_EQ(made->findings->answer.wrong, 0);
  EXPECT_EQ(models.match3(fields), made) << "made once";
  Match3Fields other = fields;
  other.numbers = "1 2 x";
  EXPECT_EQ(models.match3(other), made) << "what stood stays";
  next_frame();
  EXPECT_EQ(models.match3(other)->problem, "Type whole numbers, separated by spaces.");
}

TEST_F(LaterModels, the_search_looks_through_all_rows_once_and_beside_the_drawing) {
  auto many = many_rows(1);
  const std::vector<ResultRow> rows = many->rows;
  while (many->rows.size() <= 12'000) many->rows.insert(many->rows.end(), rows.begin(), rows.end());
  for (std::size_t n = 0; n < many->rows.size(); ++n) many->rows[n].measurement = static_cast<std::int64_t>(n + 1);
  data.shown = many;
  ++data.revision;
  const std::string last = "m" + std::to_string(many->rows.size());
  const auto find = [&](std::vector<std::string> words) -> const std::vector<RowSearch::Row>& {
    return models.row_search().find(data.shown, data.revision, words, 8, models.maker);
  };
  EXPECT_TRUE(find({last}).empty());
  EXPECT_TRUE(models.row_search().kernels().empty());
  EXPECT_TRUE(waiting.contains("row texts"));
  next_frame();
  ASSERT_EQ(find({last}).size(), 1U);
  EXPECT_EQ(find({last})[0].measurement, static_cast<std::int64_t>(many->rows.size()));
  EXPECT_FALSE(models.row_search().kernels().empty());
  EXPECT_EQ(models.row_search().looked(), 1U) << "not in each frame";
  EXPECT_EQ(find({"tokens"}).size(), 8U);
  EXPECT_TRUE(find({last, "nothing"}).empty());
  ++data.revision;
  EXPECT_EQ(find({last}).size(), 1U) << "as it was before, while a sweep that runs is read anew";
  many = many_rows(2);
  data.shown = many;
  ++data.revision;
  EXPECT_TRUE(find({"tokens"}).empty()) << "places of other rows";
}

/// So many pairs of windows.
std::shared_ptr<SweepResults> many_lines(std::int64_t id, std::int64_t lines = 2100) {
  auto all = fixture::length_sweep();
  all->info.id = id;
  const ResultRow like = all->rows.front();
  all->rows.clear();
  for (std::int64_t n = 1; n <= lines; ++n) {
    ResultRow& row = all->rows.emplace_back(like);
    row.measurement = n;
    row.problem.window1 = n;
  }
  return all;
}

TEST_F(LaterModels, what_a_filter_looks_in_is_not_written_by_the_frame_that_filters) {
  data.shown = many_lines(1);
  const auto found = [&](const char* filter) { return models.order(data, filter, "", false).size(); };
  EXPECT_EQ(found(""), 2100U);
  EXPECT_FALSE(waiting.contains("filter"));
  EXPECT_EQ(found("2099x32"), 2100U) << "all, as before";
  EXPECT_TRUE(waiting.contains("filter"));
  next_frame();
  EXPECT_EQ(found("2099x32"), 1U);
  EXPECT_EQ(found("9x32"), 210U);
  EXPECT_FALSE(waiting.contains("filter")) << "written once";
  data.shown = many_lines(2);
  ++data.revision;
  EXPECT_EQ(found("9x32"), 210U) << "a running sweep's table does not show all of its lines now and then";
  EXPECT_TRUE(waiting.contains("filter"));
  data.shown = many_lines(4, 2050);
  ++data.revision;
  EXPECT_EQ(found("9x32"), 205U) << "only lines that there are";
  models.maker.at_once = true;
  data.shown = many_lines(3);
  ++data.revision;
  EXPECT_EQ(found("2098x32"), 1U);
  EXPECT_EQ(found(""), 2100U);
}

}  // namespace
}  // namespace triscope
