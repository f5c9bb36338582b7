// What the window reads of a database, whichever thread reads it.
#include "app/window/database/database_reader.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <system_error>
#include <thread>
#include <vector>

#include "kernels/base/error.hpp"
#include "profiler/paper/layers/measured_crossing.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/statistics/row_that_counts.hpp"
#include "profiler/verdict/row_verdicts.hpp"
#include "profiler/verdict/step_verdicts.hpp"
#include "tests/paths.hpp"
#include "tests/profiler/store/synthetic_database.hpp"
#include "tests/temporary_folder.hpp"
#include "views/data/format.hpp"
#include "views/model/charts/length_budget.hpp"
#include "views/model/charts/length_model.hpp"
#include "views/model/charts/length_point.hpp"
#include "views/model/tables/beside_model.hpp"
#include "views/model/tables/selected_steps.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;

/// The rows of that step and of dot-product attention's.
std::vector<ResultRow> rows_of(const SelectedStep& step, const SelectedStep& baseline) {
  return {step.forward->row, step.backward->row, baseline.forward->row, baseline.backward->row};
}

/// What Same cost says of that comparison of the dot product with the windows.
std::string turns_words(const char* how, const Comparison& details) {
  return fmt::format("by {} (beside {} ms) {} times as long (95 % interval {} to {})", how,
                     significant_text(details.a_ms, 4), format_fixed(1 / details.ratio, 3),
                     format_fixed(1 / details.interval.high, 3), format_fixed(1 / details.interval.low, 3));
}

/// What Same cost says of each length, and what Details, the table and the command line say of the same rows.
TEST(DatabaseReader, one_ratio_is_said_of_two_rows_wherever_they_stand) {
  const std::filesystem::path file = recorded_file();
  DatabaseReader reader;
  const auto nothing = [](const ReadResult&) {};
  ReadRequest request{.file = file, .shown = 3};
  const ReadResult read = reader.read(request, nothing);
  LengthChart chart = make_length_chart(*read.shown, read.same_device);
  say_beside(chart, read.compare_pairs);
  int row_budgets = 0, steps = 0, two_gpus = 0;
  const Snapshot stored(file);
  for (const LengthPass* pass : {&chart.passes[0], &chart.passes[1], &chart.step}) {
    for (const SameBudget& budget : pass->budgets) {
      SCOPED_TRACE(budget.sentence);
      request.selected = budget.measurements;
      if (pass != &chart.step) request.selected = {budget.measurements.front(), budget.measurements.back()};
      const ReadResult chosen = reader.read(request, nothing);
      if (pass == &chart.step) {
        const std::vector<SelectedStep> selected = selected_steps(*chosen.figures);
        const Comparison details = beside_step(selected.front(), selected.back(), Pass::backward, 0.005);
        EXPECT_TRUE(details.paired);
        EXPECT_THAT(budget.sentence, HasSubstr(turns_words("the neighbouring turns of each pass", details)));
        EXPECT_NEAR(selected.back().ms.value / details.a_ms * details.ratio, 1, 0.01) << "a reader can divide them";
        EXPECT_THAT(step_text(selected.back()), HasSubstr(format_fixed(1 / details.ratio, 3) + "×"));
        const std::vector<ResultRow> rows = rows_of(selected.back(), selected.front());
        const std::vector<TrainingStep> all_shown = steps_in_turns(stored, addresses_of(rows), "auto");
        ASSERT_EQ(all_shown.size(), 1U);
        const TrainingStep& shown = all_shown.front();
        EXPECT_DOUBLE_EQ(shown.compared_ms, details.b_ms);
        EXPECT_DOUBLE_EQ(shown.compared_baseline_ms, details.a_ms);
        EXPECT_TRUE(shown.in_turns);
        EXPECT_DOUBLE_EQ(shown.over_baseline->value, 1 / details.ratio) << "`triscope show --step`";
        EXPECT_DOUBLE_EQ(*shown.over_baseline->low, 1 / details.interval.high);
        EXPECT_DOUBLE_EQ(*shown.over_baseline->high, 1 / details.interval.low);
        ++steps;
        continue;
      }
      const Comparison& details = chosen.beside->time;
      if (!details.paired) {
        EXPECT_EQ(details.verdict, Verdict::not_comparable);
        EXPECT_THAT(budget.sentence, HasSubstr("A and B were measured on two GPUs"));
        EXPECT_THAT(budget.headline, HasSubstr(", which is not comparable"));
        ++two_gpus;
        continue;
      }
      EXPECT_THAT(budget.sentence, HasSubstr(turns_words("neighbouring turns", details)));
      EXPECT_THAT(budget.headline, HasSubstr(format_fixed(1 / details.ratio, 2) + "× as long"));
      const ResultRow of_windows = *stored.result(budget.measurements.back());
      const Verdicts table = compare_with_baseline(stored, stored.results(of_windows.sweep), "auto");
      EXPECT_DOUBLE_EQ(table.by_measurement.at(of_windows.measurement).ratio, 1 / details.ratio) << "`triscope show`";
      StoredSamples samples(stored);
      EXPECT_DOUBLE_EQ(compare_rows(samples, of_windows, samples, *stored.result(budget.measurements.front())).ratio,
                       1 / details.ratio)
          << "`triscope compare`";
      ++row_budgets;
    }
  }
  EXPECT_GE(row_budgets, 8);
  EXPECT_GE(two_gpus, 1);
  EXPECT_GE(steps, 3);
}

TEST(DatabaseReader, same_cost_is_judged_alike_whichever_kernel_of_ours_is_the_reference) {
  const auto answers = [](const std::string& reference, std::int64_t shown = 1) {
    DatabaseReader reader;
    ReadRequest request{.file = recorded_file(), .shown = shown};
    request.reference = reference;
    const ReadResult read = reader.read(request, [](const ReadResult&) {});
    LengthChart chart = make_length_chart(*read.shown, read.same_device, read.beside_reference->baseline);
    say_beside(chart, read.compare_pairs);
    std::vector<std::string> said{read.beside_reference->baseline};
    for (const LengthPass* pass : {&chart.passes[0], &chart.passes[1], &chart.step}) {
      for (const SameBudget& budget : pass->budgets) said.push_back(budget.sentence);
    }
    return said;
  };
  std::vector<std::string> usual = answers("auto"), beside_ours = answers("cuda.portable");
  ASSERT_EQ(usual.front(), "baseline.fa3");
  ASSERT_EQ(beside_ours.front(), "cuda.portable");
  const auto in_turns = [](const std::string& text) { return text.find("neighbouring turns") != std::string::npos; };
  EXPECT_GE(std::ranges::count_if(usual, in_turns), 6);
  const std::vector<std::string> beside_none = answers("auto", 21);  // that sweep has Portable alone
  ASSERT_EQ(beside_none.front(), "");
  usual.erase(usual.begin());
  beside_ours.erase(beside_ours.begin());
  EXPECT_EQ(usual, beside_ours);
  const auto of_16k = [&](const std::vector<std::string>& all) {
    return std::ranges::count_if(all, [&](const std::string& text) {
      return in_turns(text) && text.find("256 × 32, the nearest measured pair, 26.17 ms") != std::string::npos;
    });
  };
  EXPECT_EQ(of_16k(usual), 1);
  EXPECT_EQ(of_16k(beside_none), 1) << "the step at 16k has its turns, whichever sweep is shown";
}

/// Windows and dot product of a step are of the sweeps in which they took turns, whichever sweep is shown.
TEST(DatabaseReader, a_step_costs_what_the_dot_product_does_where_the_command_line_says_so) {
  LayerMixRequest layer;
  layer.windows = {512, 32};
  layer.dot_kernel = "baseline.fa3";
  const std::vector<ResultRow> rows = Snapshot(recorded_file()).results();
  const std::vector<MeasuredCrossing> told = measured_crossings(rows, layer).step;
  ASSERT_FALSE(told.empty());
  const auto measured_dot_product = [&](std::int64_t sweep, std::int64_t seq_len) {
    return std::ranges::any_of(rows, [&](const ResultRow& row) {
      return row.sweep == sweep && row.kernel == layer.dot_kernel && row.problem.seq_len == seq_len;
    });
  };
  for (const std::int64_t shown : {1, 4}) {
    SCOPED_TRACE(shown);
    DatabaseReader reader;
    const ReadResult read = reader.read({.file = recorded_file(), .shown = shown}, [](const ReadResult&) {});
    const LengthChart chart = make_length_chart(*read.shown, read.same_device);
    const auto ours = std::ranges::find(chart.step.curves, std::string("512 × 32"), &LengthCurve::label);
    ASSERT_NE(ours, chart.step.curves.end());
    const auto curve = static_cast<std::size_t>(ours - chart.step.curves.begin());
    const auto crossing = std::ranges::find(chart.step.crossings, curve, &LengthCrossing::windows);
    ASSERT_NE(crossing, chart.step.crossings.end());
    const LengthCurve& baseline = chart.step.curves[crossing->baseline];
    for (const LengthPoint& point : ours->points) {
      const LengthPoint* there = reference_at(*ours, baseline, point.seq_len);
      ASSERT_NE(there, nullptr);
      EXPECT_EQ(there->sweep, point.sweep) << point.seq_len;
      if (measured_dot_product(point.backward_sweep, point.seq_len)) {
        EXPECT_EQ(there->backward_sweep, point.backward_sweep) << point.seq_len;
      }
    }
    // At a length that several sweeps have, this takes the rows that count, that one the sweep of most lengths. What
    // changed on the machine between those is in neither interval: they meet, and need not hold each other's middle.
    const LatencyCrossing &drawn = crossing->measured, &paper = told.front().crossing;
    EXPECT_TRUE(paper.low < drawn.high && drawn.low < paper.high)
        << fmt::format("drawn {} to {}, paper {} to {}", drawn.low, drawn.high, paper.low, paper.high);
    EXPECT_LT(std::abs(drawn.seq_len / paper.seq_len - 1), 0.02) << drawn.seq_len << " and " << paper.seq_len;
  }
}

TEST(DatabaseReader, a_sweep_of_too_many_samples_keeps_none_of_the_others_from_being_judged) {
  constexpr std::int64_t kFew = 20, kTooMany = 50'001;
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "large.db";
  {
    Store store(file);
    for (const std::int64_t samples : {kFew, kTooMany, kFew}) {
      const std::int64_t sweep = store.begin_sweep("triscope sweep", "{}", synthetic_environment(), 2);
      // cuda.hopper 1024x32 and baseline.fa3 of the same sizes.
      store.add(sweep, synthetic_measurement(0, samples));
      store.add(sweep, synthetic_measurement(14, kFew));
      store.finish_sweep(sweep);
    }
  }
  const Snapshot stored(file);
  const auto row_of = [&](std::int64_t sweep) { return stored.results(sweep).front().measurement; };
  DatabaseReader reader;
  const ReadResult read = reader.read({.file = file, .shown = 3}, [](const ReadResult&) {});
  ASSERT_TRUE(read.beside_reference);
  const auto& judged = read.beside_reference->by_measurement;
  EXPECT_TRUE(judged.contains(row_of(3)));
  EXPECT_FALSE(judged.contains(row_of(2))) << "it takes too long";
  EXPECT_TRUE(judged.contains(row_of(1)));
}

void run_sql(const std::filesystem::path& file, const std::string& statement) {
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE).exec(statement);
}

TEST(DatabaseReader, a_damage_of_the_open_file_is_not_the_references) {
  const TemporaryFolder folder;
  const std::filesystem::path other = folder / "other.db";
  write_synthetic_database(other, 60, 20);
  for (const std::string& reference : {std::string("auto"), "database:" + other.string()}) {
    const std::filesystem::path file = folder / "open.db";
    std::filesystem::remove(file);
    write_synthetic_database(file, 60, 20);
    DatabaseReader reader;
    ReadRequest request{.file = file};
    const auto nothing = [](const ReadResult&) {};
    request.reference = reference;
    ASSERT_FALSE(reader.read(request, nothing).beside_reference->by_measurement.empty()) << reference;
    run_sql(file, "DROP TABLE sample");
    EXPECT_THROW(reader.read(request, nothing), Error) << reference;
    EXPECT_THROW(reader.read(request, nothing), Error) << reference << ": what was said before is not said of it";
  }
}

TEST(DatabaseReader, another_database_is_not_read_again_while_this_one_is_written_to) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "open.db", other = folder / "other.db";
  write_synthetic_database(file, 60, 20);
  write_synthetic_database(other, 60, 20);
  DatabaseReader reader;
  ReadRequest request{.file = file};
  request.reference = "database:" + other.string();
  const auto nothing = [](const ReadResult&) {};
  const std::size_t before = reader.read(request, nothing).beside_reference->by_measurement.size();
  ASSERT_GE(before, 10U);
  // Whoever reads it anew finds no database; nothing else tells that it changed.
  const auto written = std::filesystem::last_write_time(other);
  std::fstream(other, std::ios::in | std::ios::out | std::ios::binary) << "no database any more";
  std::filesystem::last_write_time(other, written);
  run_sql(file, "DELETE FROM measurement WHERE id = 1");
  const ReadResult read = reader.read(request, nothing);
  EXPECT_EQ(read.beside_reference->problem, "");
  EXPECT_GE(read.beside_reference->by_measurement.size(), before - 1);
  std::filesystem::last_write_time(other, written + std::chrono::seconds(1));
  EXPECT_NE(reader.read(request, nothing).beside_reference->problem, "") << "it was written to";
}

/// Three sweeps of one device, of two together so many rows that they are read beside the shown one.
void write_three_sweeps(const std::filesystem::path& file) {
  constexpr std::int64_t kSweeps = 3, kRows = 2600;
  Store store(file);
  std::vector<Measurement> measurements;
  for (std::int64_t index = 0; index < kRows; ++index) measurements.push_back(synthetic_measurement(index, 1));
  for (std::int64_t n = 0; n < kSweeps; ++n) {
    const std::int64_t sweep = store.begin_sweep("triscope sweep", "{}", synthetic_environment(), kRows);
    store.add(sweep, measurements);
    store.finish_sweep(sweep);
  }
}

TEST(DatabaseReader, sweeps_of_one_device_are_the_same_by_a_thread_beside) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "many.db";
  write_three_sweeps(file);
  DatabaseReader reader;
  const auto nothing = [](const ReadResult&) {};
  ReadRequest request;
  request.file = file;
  const ReadResult first = reader.read(request, nothing);
  ASSERT_EQ(first.sweeps.size(), 3U);
  ASSERT_EQ(first.same_device.size(), 2U);
  const Snapshot stored(file);
  for (std::size_t n = 0; n < 2; ++n) {
    const SweepResults& sweep = *first.same_device[n];
    EXPECT_EQ(sweep.info.id, first.sweeps[n + 1].id) << "newest first, without the shown one";
    const std::vector<ResultRow> rows = stored.results(sweep.info.id);
    ASSERT_EQ(sweep.rows.size(), rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      ASSERT_EQ(sweep.rows[row].measurement, rows[row].measurement);
      ASSERT_EQ(sweep.rows[row].sweep, sweep.info.id);
      ASSERT_EQ(sweep.rows[row].median_ms, rows[row].median_ms);
    }
  }
  const ReadResult again = reader.read(request, nothing);
  EXPECT_EQ(again.same_device, first.same_device) << "what is as it was is not read again";
}

/// A sweep that went on in another place: its last two rows are of another card and another build.
std::int64_t write_two_places(Store& store) {
  Environment other = synthetic_environment();
  other.device_uuid = "GPU-of-the-second-place";
  other.triscope_version = "9.9";
  const std::int64_t sweep = store.begin_sweep("triscope sweep", "{}", synthetic_environment(), 4);
  store.add(sweep, synthetic_measurement(1, 20));
  store.add(sweep, synthetic_measurement(2, 20));
  store.resume_sweep(sweep, other);
  store.add(sweep, synthetic_measurement(3, 20));
  store.add(sweep, synthetic_measurement(4, 20));
  store.finish_sweep(sweep);
  return sweep;
}

TEST(DatabaseReader, a_row_is_shown_with_the_machine_that_it_was_measured_on) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "places.db";
  {
    Store store(file);
    write_two_places(store);
    write_two_places(store);
  }
  const Snapshot stored(file);
  DatabaseReader reader;
  for (const std::int64_t of : {1, 2}) {  // the shown sweep, and another
    const std::vector<ResultRow> rows = stored.results(of);
    ASSERT_EQ(rows.size(), 4U);
    const std::vector<std::int64_t> selected{rows.front().measurement, rows.back().measurement};
    const ReadResult read = reader.read({.file = file, .shown = 1, .selected = selected}, [](const ReadResult&) {});
    ASSERT_TRUE(read.selected && read.beside);
    const SelectedMeasurement &first = *read.selected, &last = *read.beside->of;
    EXPECT_EQ(first.environment.device_uuid, synthetic_environment().device_uuid);
    EXPECT_EQ(last.environment.device_uuid, "GPU-of-the-second-place");
    EXPECT_EQ(last.environment.triscope_version, "9.9");
    EXPECT_THAT(differing_facts(first, last),
                testing::Contains(testing::Field("what", &BesideFact::what, std::string("card"))));
  }
}

TEST(DatabaseReader, rows_of_two_sweeps_are_of_two_cards_where_those_rows_are) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "places.db";
  {
    Store store(file);
    write_two_places(store);
    const std::int64_t sweep = store.begin_sweep("triscope sweep", "{}", synthetic_environment(), 4);
    for (const std::int64_t index : {1, 2, 3, 4}) store.add(sweep, synthetic_measurement(index, 20));
    store.finish_sweep(sweep);
  }
  const Snapshot stored(file);
  DatabaseReader reader;
  const ReadResult read = reader.read({.file = file, .shown = 2, .compared = {1, 2}}, [](const ReadResult&) {});
  ASSERT_EQ(read.compared.size(), 2U);
  const std::vector<ResultRow> rows = stored.results(2);
  const auto is_judged = [&](std::size_t row) {
    return read.compared.back().against_first.at(rows.at(row).measurement).comparison.verdict !=
           Verdict::not_comparable;
  };
  EXPECT_TRUE(is_judged(0));
  EXPECT_FALSE(is_judged(3)) << "the other side went on elsewhere";
}

/// While it lives no thread can be started: there is no room for the stack that each would get.
class NoThreads {
 public:
  NoThreads() {
    pthread_getattr_default_np(&usual_);
    pthread_attr_t endless;
    pthread_attr_init(&endless);
    pthread_attr_setstacksize(&endless, std::size_t{1} << 60U);
    pthread_setattr_default_np(&endless);
    pthread_attr_destroy(&endless);
  }
  ~NoThreads() {
    pthread_setattr_default_np(&usual_);
    pthread_attr_destroy(&usual_);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

 private:
  pthread_attr_t usual_;
};

TEST(DatabaseReader, sweeps_of_one_device_are_read_where_there_is_no_thread_beside) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "many.db";
  write_three_sweeps(file);
  DatabaseReader reader;
  ReadResult read;
  {
    const NoThreads none;
    EXPECT_THROW(std::thread([] {}).join(), std::system_error);
    read = reader.read({.file = file}, [](const ReadResult&) {});
  }
  ASSERT_EQ(read.same_device.size(), 2U);
  for (const auto& sweep : read.same_device) EXPECT_EQ(sweep->rows.size(), read.shown->rows.size());
}

/// As if another program deleted the first of two sweeps between the list and its rows: the list reads all sweeps in
/// the order of their page, where the two are swapped; a search for the first by its number then ends at the second.
void hide_first_sweep(const std::filesystem::path& file) {
  std::int64_t page = 0, page_size = 0;
  {
    SQLite::Database database(file.string());
    page = database.execAndGet("SELECT rootpage FROM sqlite_schema WHERE name = 'sweep'").getInt64();
    page_size = database.execAndGet("PRAGMA page_size").getInt64();
  }
  constexpr std::int64_t kHeader = 8;  // of a leaf; then two bytes for each row, where it begins
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  std::array<char, 4> places{};
  bytes.seekg((page - 1) * page_size);
  ASSERT_EQ(bytes.get(), 13) << "a leaf";
  bytes.seekg((page - 1) * page_size + kHeader);
  bytes.read(places.data(), places.size());
  std::ranges::swap_ranges(std::span(places).first(2), std::span(places).last(2));
  bytes.seekp((page - 1) * page_size + kHeader);
  bytes.write(places.data(), places.size());
}

TEST(DatabaseReader, a_sweep_that_is_gone_when_its_rows_are_read_is_not_shown_and_not_listed) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "two.db";
  {
    Store store(file);
    for (int n = 0; n < 2; ++n) {
      const std::int64_t sweep = store.begin_sweep("triscope sweep", "{}", synthetic_environment(), 1);
      store.add(sweep, synthetic_measurement(n, 20));
      store.finish_sweep(sweep);
    }
  }
  DatabaseReader reader;
  const auto nothing = [](const ReadResult&) {};
  ASSERT_EQ(reader.read({.file = file}, nothing).sweeps.size(), 2U);  // a file that is opened is looked through
  hide_first_sweep(file);
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE).exec("UPDATE measurement SET error = 0.5");  // read it again
  const ReadResult read = reader.read({.file = file, .shown = 1}, nothing);
  ASSERT_EQ(read.sweeps.size(), 1U);
  ASSERT_TRUE(read.shown);
  EXPECT_EQ(read.shown->info.id, 2);
  EXPECT_EQ(read.shown->rows.size(), 1U);
  EXPECT_TRUE(read.same_device.empty()) << "the shown one does not stand beside itself";
}

}  // namespace
}  // namespace triscope
