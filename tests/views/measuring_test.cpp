// The window beside other things that measure or write: its own sweep, sweeps of other processes, threads that fail.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <mutex>

#include "app/window/database/database_reader.hpp"
#include "kernels/base/error.hpp"
#include "profiler/plan/request.hpp"
#include "profiler/store/open/sweep_lock.hpp"
#include "tests/paths.hpp"
#include "tests/views/window_fixture.hpp"
#include "views/data/long_note.hpp"
#include "views/shell/shell.hpp"

namespace triscope {
namespace {

using fixture::WindowOnDatabase;

class Measuring : public testing::Test {
 protected:
  /// Draws frames until `done`, which must come.
  template <typename Done>
  void draw_until(Done done) {
    EXPECT_TRUE(fixture::draw_until(done, [this] { window.stage->frame(); }));
  }
  void draw_until_settled() {
    draw_until([&] { return window.application().settled(); });
    window.stage->frame();
  }
  /// Measures until `finish`.
  void start() {
    window.sweep.stop_after = 2;
    window.application().carry_out(ask::Run{});
    draw_until([&] {
      return data().run.sweep != 0 && data().shown && data().shown->info.id == data().run.sweep &&
             data().run.progress.done == 2;
    });
  }
  void finish() {
    window.sweep.stop_after = 1 << 30;
    draw_until([&] { return !data().run.running; });
    draw_until_settled();
  }
  const WindowData& data() { return window.application().data(); }
  UiState& ui() { return window.application().ui(); }
  template <typename Kind>
  bool enabled() {
    std::vector<Request> requests;
    Models models;
    const Context context{window.application().look(), window.application().data(), ui(), models, requests, 0};
    return is_enabled(context, command_for<Kind>());
  }
  bool noticed(NoticeId id) {
    for (const Notice& notice : data().notices) {
      if (notice.id == id) return true;
    }
    return false;
  }
  std::int64_t measure_elsewhere() {
    Store store(window.folder / "test.db");
    const std::int64_t sweep = store.begin_sweep("triscope sweep", to_json(SweepRequest{}), synthetic_environment(), 6);
    store.add(sweep, synthetic_measurement(1, 20));
    return sweep;
  }

  WindowOnDatabase window;
};

/// The row in work, as the table and the charts have it; null: it has no samples yet.
const ResultRow* row_in_work(const WindowData& data) {
  for (const ResultRow& row : data.shown->rows) {
    if (row.measurement < 0) return &row;
  }
  return nullptr;
}

TEST_F(Measuring, samples_of_the_row_in_work_stream_into_table_chart_and_samples) {
  window.stage->settle();
  start();
  draw_until([&] { return row_in_work(data()) && row_in_work(data())->samples >= 3; });
  const std::int64_t id = row_in_work(data())->measurement, first = row_in_work(data())->samples;
  ASSERT_TRUE(data().selected) << "nothing is selected: what is in work stands there";
  EXPECT_EQ(data().selected->row.measurement, id);
  EXPECT_NE(find_live(data().run, id), nullptr);
  const LatencyModel* model = window.application().models().latency(data());
  EXPECT_TRUE(std::ranges::any_of(model->lines, [&](const LatencyLine& line) {
    return std::ranges::any_of(line.cells, [&](const auto& cell) { return cell && cell->row.measurement == id; });
  }));
  draw_until([&] { return row_in_work(data())->samples > first; });
  EXPECT_EQ(data().selected->measurement.samples.size(), static_cast<std::size_t>(row_in_work(data())->samples));
  EXPECT_TRUE(row_in_work(data())->ci_low_ms && row_in_work(data())->tflops);
  finish();
  EXPECT_EQ(row_in_work(data()), nullptr) << "stored rows have taken its place";
  EXPECT_FALSE(data().selected);
}

TEST_F(Measuring, a_row_selected_while_it_is_measured_stays_selected) {
  window.stage->settle();
  start();
  draw_until([&] { return row_in_work(data()); });
  const ResultRow chosen = *row_in_work(data());
  window.application().carry_out(ask::SelectMeasurement{chosen.measurement});
  draw_until_settled();
  EXPECT_EQ(ui().selection.pinned(), chosen.measurement);
  window.sweep.stop_after = 4;
  draw_until([&] { return ui().selection.pinned() > 0; });
  finish();
  ASSERT_TRUE(data().selected);
  EXPECT_EQ(data().selected->row.problem, chosen.problem);
  EXPECT_EQ(data().selected->row.kernel, chosen.kernel);
}

TEST_F(Measuring, a_database_that_is_full_is_a_notice_that_stays_until_it_is_read) {
  window.stage->settle();
  window.sweep.unstored = {"cannot write to the database a.db: the disk is full; free some space.",
                           "What is measured waits in memory alone and is tried again."};
  start();
  const auto notice = [&]() -> const Notice* {
    const auto found = std::ranges::find(data().notices, NoticeId::unstored, &Notice::id);
    return found == data().notices.end() ? nullptr : &*found;
  };
  ASSERT_NE(notice(), nullptr);
  EXPECT_EQ(notice()->severity, Severity::error);
  for (const char* said : {"the disk is full", "waits in memory alone", "Resume"})
    EXPECT_THAT(notice()->text, testing::HasSubstr(said));
  finish();
  ASSERT_NE(notice(), nullptr);
  EXPECT_FALSE(notice()->passes());
  window.application().carry_out(ask::DismissNotice{NoticeId::unstored});
  EXPECT_EQ(notice(), nullptr);
  window.sweep.unstored = {"", "The database takes measurements again; 1 measurement that waited is in it."};
  start();
  ASSERT_NE(notice(), nullptr);
  EXPECT_EQ(notice()->severity, Severity::info);
  finish();
}

TEST_F(Measuring, what_waits_can_be_left_out_with_its_restarts) {
  window.stage->settle();
  start();
  draw_until([&] { return data().run.live.queue != nullptr; });
  window.application().carry_out(ask::SkipGroup{1});
  EXPECT_EQ(data().run.live.left_out, (std::set<std::size_t>{1, 4, 7}));
  window.application().carry_out(ask::SkipGroup{0});
  draw_until([&] { return data().run.progress.done > 2 || !data().run.running; });
  finish();
  EXPECT_EQ(data().run.live.queue, nullptr);
}

TEST_F(Measuring, a_row_is_measured_again_by_resuming_its_sweep) {
  window.stage->settle();
  start();
  finish();
  EXPECT_FALSE(enabled<ask::MeasureAgain>()) << "nothing is selected";
  window.application().carry_out(ask::SelectMeasurement{data().shown->rows.front().measurement});
  draw_until_settled();
  ASSERT_TRUE(enabled<ask::MeasureAgain>());
  window.application().carry_out(ask::MeasureAgain{});
  EXPECT_TRUE(data().run.running);
  EXPECT_EQ(data().run.sweep, data().shown->info.id);
  draw_until([&] { return !data().run.running; });
  EXPECT_EQ(window.sweep.asked_again, 1);
}

TEST_F(Measuring, a_row_of_another_file_or_sweep_is_not_measured_again) {
  const auto measure_again = [&] {
    EXPECT_FALSE(enabled<ask::MeasureAgain>());
    EXPECT_FALSE(enabled<ask::MeasureUnclear>());
    EXPECT_THROW(window.application().carry_out(ask::MeasureAgain{}), Error);
    EXPECT_THROW(window.application().carry_out(ask::MeasureUnclear{}), Error);
  };
  window.stage->settle();
  const std::int64_t first = data().shown->rows.front().measurement;
  start();
  const std::int64_t ours = data().run.sweep;
  write_synthetic_database(window.folder / "other.db", 60, 20);
  {
    Store other(window.folder / "other.db");
    std::int64_t same = 0;
    while (same < ours) same = other.begin_sweep("triscope sweep", "{}", synthetic_environment(), 1);
    other.add(ours, synthetic_measurement(0, 20));
    other.finish_sweep(ours);
  }
  window.application().carry_out(ask::OpenDatabase{window.folder / "other.db"});
  draw_until([&] { return data().database == window.folder / "other.db" && data().shown; });
  window.application().carry_out(ask::ShowSweep{ours});
  draw_until([&] { return data().shown->info.id == ours; });
  window.application().carry_out(ask::SelectMeasurement{data().shown->rows.front().measurement});
  draw_until_settled();
  ASSERT_TRUE(data().selected);
  measure_again();
  finish();
  window.application().carry_out(ask::OpenDatabase{window.folder / "test.db"});
  draw_until([&] { return data().database == window.folder / "test.db" && data().shown; });
  window.application().carry_out(ask::ShowSweep{ours});
  draw_until_settled();
  window.application().carry_out(ask::SelectMeasurement{first});  // as a chart of several sweeps does
  draw_until_settled();
  ASSERT_TRUE(data().selected && data().selected->row.sweep != data().shown->info.id);
  EXPECT_FALSE(enabled<ask::MeasureAgain>());
  const int before = window.sweep.started;
  EXPECT_THROW(window.application().carry_out(ask::MeasureAgain{}), Error);
  EXPECT_EQ(window.sweep.started, before);
}

TEST_F(Measuring, a_sweep_of_another_process_is_not_taken_for_ours) {
  window.stage->settle();
  start();
  const std::int64_t ours = data().run.sweep, theirs = measure_elsewhere();
  draw_until([&] { return data().sweeps.front().id == theirs; });
  EXPECT_EQ(data().run.sweep, ours);
  EXPECT_EQ(ui().selection.shown_sweep, ours);
  window.application().carry_out(ask::DeleteSweep{ours});
  EXPECT_TRUE(noticed(NoticeId::delete_sweep));
  finish();
  const std::int64_t pinned = data().shown->rows.front().measurement;
  window.application().carry_out(ask::SelectMeasurement{pinned});
  const std::int64_t later = measure_elsewhere();
  draw_until([&] { return data().sweeps.front().id == later; });
  draw_until_settled();
  EXPECT_EQ(ui().selection.shown_sweep, ours);
  EXPECT_EQ(ui().selection.pinned(), pinned);
}

TEST_F(Measuring, a_sweep_that_another_process_measures_is_not_offered_for_resuming_or_deleting) {
  const std::int64_t theirs = measure_elsewhere();
  auto lock = std::make_unique<SweepLock>(window.folder / "test.db", theirs);
  window.start(window.folder / "test.db");
  window.stage->settle();
  ASSERT_EQ(data().shown->info.id, theirs);
  EXPECT_FALSE(noticed(NoticeId::resume));
  EXPECT_FALSE(enabled<ask::Resume>());
  EXPECT_FALSE(enabled<ask::AskToDelete>());
  window.application().carry_out(ask::DeleteSweep{theirs});
  EXPECT_TRUE(noticed(NoticeId::delete_sweep));
  EXPECT_EQ(data().sweeps.front().id, theirs);
  lock.reset();  // it ends without a word in the database
  draw_until([&] { return enabled<ask::Resume>(); });
  EXPECT_TRUE(enabled<ask::AskToDelete>());
}

TEST_F(Measuring, what_is_timed_has_the_machine_to_itself_but_for_slices_that_are_asked_for) {
  std::atomic<int> previews = 0;
  ApplicationOptions options;
  options.database = window.folder / "test.db";
  options.engine = window.sweep.engine();
  options.engine.preview = [&](const SweepRequest&, const Catalog&) {
    ++previews;
    return PlanPreview();
  };
  window.stage.reset();
  window.stage = std::make_unique<fixture::Stage>(std::move(options), 1440, 900);
  window.stage->settle();
  start();
  const int before = previews;
  ui().form.batches = "2";
  window.application().carry_out(ask::PreviewPlan{});
  window.application().carry_out(ask::ShowPanel{Panel::attention});
  ui().attention.playing = true;
  const AttentionData& attention = data().attention;
  draw_until([&] { return attention.sides[0].slice != nullptr; });
  draw_until_settled();
  EXPECT_FALSE(ui().attention.playing);
  EXPECT_EQ(attention.overview.answer, nullptr);
  EXPECT_EQ(attention.sheet.answer, nullptr);
  EXPECT_EQ(previews, before);
  finish();
  draw_until([&] { return attention.overview.answer && attention.sheet.answer; });
  EXPECT_EQ(previews, before + 1);
  EXPECT_NE(data().preview, nullptr);
}

TEST_F(Measuring, a_sweep_begins_when_the_preview_that_is_being_made_is_there) {
  std::atomic<bool> planning = false, planned = false;
  ApplicationOptions options;
  options.database = window.folder / "test.db";
  options.engine = window.sweep.engine();
  options.engine.preview = [&](const SweepRequest&, const Catalog&) {
    planning = true;
    while (!planned) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return PlanPreview();
  };
  window.stage.reset();
  window.stage = std::make_unique<fixture::Stage>(std::move(options), 1440, 900);
  draw_until([&] { return planning.load() && !data().database.empty(); });
  window.application().carry_out(ask::Run{true});
  for (int n = 0; n < 50; ++n) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    window.stage->frame();
  }
  EXPECT_TRUE(data().run.running);
  EXPECT_EQ(window.sweep.started, 0);
  planned = true;
  draw_until([&] { return window.sweep.started == 1 && !data().run.running; });
  draw_until_settled();
}

TEST_F(Measuring, closing_waits_for_no_worker) {
  const std::filesystem::path program = window.folder / "worker";
  std::ofstream(program) << "#!/bin/sh\nsleep 1 | " << build_file("bin/triscope-worker")
                         << " \"$@\" | head -1\nhead -c 1 >\"$0.asked\"\nexec sleep 1000\n";  // greets, and answers
                                                                                              // nothing
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  std::mutex mutex;
  std::string said;
  ApplicationOptions options;
  options.database = window.folder / "test.db";
  options.engine = window.sweep.engine();
  options.engine.inspector = [&](const std::string&) {
    WorkerOptions worker;
    worker.program = program;
    worker.time_limit = std::chrono::minutes(2);
    worker.log = [&](const std::string& line) {
      const std::lock_guard lock(mutex);
      said += line + "\n";
    };
    return Supervisor(worker);
  };
  window.stage.reset();
  window.stage = std::make_unique<fixture::Stage>(std::move(options), 1440, 900);
  draw_until([&] { return data().shown != nullptr; });
  window.application().carry_out(ask::ShowPanel{Panel::attention});
  const std::filesystem::path asked = window.folder / "worker.asked";
  draw_until([&] { return std::filesystem::exists(asked) && std::filesystem::file_size(asked) == 1; });
  window.stage.reset();
  EXPECT_EQ(said, "");  // else it gave up after its limit
}

TEST_F(Measuring, a_database_whose_name_is_no_utf8_opens_and_is_remembered) {
  const std::filesystem::path file = window.folder / "r\xe9.db";
  write_synthetic_database(file, 6, 20);
  window.stage->settle();
  window.application().carry_out(ask::OpenDatabase{file});
  draw_until([&] { return data().database == file.string(); });
  ImGui::GetIO().WantSaveIniSettings = true;
  draw_until_settled();
  EXPECT_FALSE(noticed(NoticeId::settings));
  window.stage.reset();
  EXPECT_EQ(load_settings(window.folder / "config").settings.last_database, file.string());
}

TEST(BackgroundThread, tells_what_a_job_threw_and_goes_on) {
  std::string why;
  bool done = false;
  {
    BackgroundThread thread([&](const std::string& text) { why = text; });
    thread.add([] { throw std::runtime_error("no memory"); });
    thread.add([&] { done = true; });
  }
  EXPECT_EQ(why, "no memory");
  EXPECT_TRUE(done);
}

TEST(DatabaseReader, tells_once_of_a_replacement_that_cannot_be_read) {
  TemporaryFolder folder;
  const std::filesystem::path file = folder / "a.db";
  write_synthetic_database(file, 6, 20);
  DatabaseReader reader;
  const auto read = [&] { return reader.read({.file = file}, [](const ReadResult&) {}); };
  using Change = DatabaseReader::Change;
  const std::size_t sweeps = read().sweeps.size();
  EXPECT_EQ(reader.poll(), Change::none);
  std::filesystem::rename(file, folder / "kept.db");
  EXPECT_EQ(reader.poll(), Change::gone);
  EXPECT_EQ(reader.poll(), Change::none);
  std::ofstream(file) << std::string(200, 'x');
  EXPECT_EQ(reader.poll(), Change::replaced);
  EXPECT_ANY_THROW(read());
  EXPECT_EQ(reader.poll(), Change::none);
  std::ofstream(file, std::ios::app) << std::string(200, 'x');  // a copy under way
  EXPECT_EQ(reader.poll(), Change::replaced);
  EXPECT_EQ(reader.poll(), Change::none);
  std::filesystem::rename(folder / "kept.db", file);
  EXPECT_EQ(reader.poll(), Change::replaced);
  EXPECT_EQ(read().sweeps.size(), sweeps);
  EXPECT_EQ(reader.poll(), Change::none);
}

TEST(DatabaseReader, long_texts_of_a_stranger_are_cut_before_they_are_drawn) {
  TemporaryFolder folder;
  const std::filesystem::path file = folder / "a.db";
  const std::string text(1'000'000, 'x');
  std::int64_t row = 0;
  {
    Store store(file);
    Environment environment = synthetic_environment();
    environment.compile_flags = text;  // a name of that length costs its row: ForeignValues
    const std::int64_t sweep = store.begin_sweep(text, "{}", environment, 1);
    Measurement measurement = synthetic_measurement(0, 20);
    measurement.reason = text;
    row = store.add(sweep, measurement);
    store.set_note(sweep, text);
    store.set_measurement_note(row, text);
  }
  const ReadResult read = DatabaseReader().read({.file = file, .selected = {row}}, [](const ReadResult&) {});
  ASSERT_TRUE(read.shown && read.selected);
  for (const SweepInfo& sweep : {read.sweeps.at(0), read.shown->info}) {
    for (const std::string& one : {sweep.command, sweep.note, sweep.environment.compile_flags})
      EXPECT_LT(one.size(), 300'000U);
    EXPECT_TRUE(is_long_note(sweep.note)) << "the window would let a person lose the rest";
  }
  EXPECT_TRUE(is_long_note(read.selected->note));
  EXPECT_LT(read.selected->note.size(), 300'000U);
  const Measurement& selected = read.selected->measurement;
  for (const std::string& one : {read.shown->rows.at(0).reason, selected.reason}) EXPECT_LT(one.size(), 20'000U);
}

TEST(DatabaseReader, compares_again_what_has_had_another_restart) {
  TemporaryFolder folder;
  const std::filesystem::path file = folder / "a.db";
  Store store(file);
  Measurement measured = synthetic_measurement(0, 20);
  std::vector<std::int64_t> sweeps, rows;
  for (int n = 0; n < 2; ++n) {
    sweeps.push_back(store.begin_sweep("triscope sweep", "{}", synthetic_environment(), 1));
    rows.push_back(store.add(sweeps.back(), measured));
  }
  DatabaseReader reader;
  const auto ratio = [&] {
    const ReadResult read = reader.read({.file = file, .compared = {sweeps[0], sweeps[1]}}, [](const ReadResult&) {});
    return read.compared.at(1).against_first.at(rows[1]).comparison.ratio;
  };
  const double before = ratio();
  std::vector<Sample> slower = measured.samples;
  for (Sample& sample : slower) {
    sample.duration_ns *= 2;
    sample.restart = 1;
  }
  measured.summary.samples += static_cast<std::int64_t>(slower.size());
  measured.summary.restarts = 2;
  store.update(sweeps[1], std::vector{MeasurementUpdate{rows[1], slower, measured.summary, Status::ok, ""}}, {});
  EXPECT_GT(std::abs(ratio() / before - 1), 0.1);
}

TEST(DatabaseReader, no_verdict_against_the_former_baseline_stands_under_a_new_one) {
  TemporaryFolder folder;
  const std::filesystem::path file = folder / "a.db";
  std::vector<std::int64_t> sweeps;
  {
    Store store(file);
    for (int n = 0; n < 3; ++n) {
      sweeps.push_back(store.begin_sweep("triscope sweep", "{}", synthetic_environment(), 1));
      store.add(sweeps.back(), synthetic_measurement(0, 20));
      store.finish_sweep(sweeps.back());
    }
  }
  DatabaseReader reader;
  const auto first_told = [&](std::int64_t baseline) {
    std::shared_ptr<const Comparisons> told;
    const ReadResult read = reader.read({.file = file, .shown = sweeps[2], .baseline = baseline},
                                        [&](const ReadResult& rows) { told = rows.against_baseline; });
    EXPECT_EQ(read.against_baseline != nullptr, baseline != 0);
    return told;
  };
  EXPECT_EQ(first_told(sweeps[0]), nullptr) << "they are not made yet";
  EXPECT_NE(first_told(sweeps[0]), nullptr);
  Store(file).set_note(sweeps[1], "every sweep is read again");
  EXPECT_NE(first_told(sweeps[0]), nullptr) << "the same sweep: its verdicts stay until they are made anew";
  EXPECT_EQ(first_told(sweeps[1]), nullptr);
  EXPECT_NE(first_told(sweeps[1]), nullptr);
  EXPECT_EQ(first_told(0), nullptr);
}

TEST(DatabaseReader, opens_on_the_newest_sweep_with_a_star_or_else_on_the_newest) {
  TemporaryFolder folder;
  const std::filesystem::path file = folder / "a.db";
  Store store(file);
  for (int n = 0; n < 4; ++n) store.finish_sweep(store.begin_sweep("triscope sweep", "{}", synthetic_environment(), 0));
  const auto shown = [&] { return DatabaseReader().read({.file = file}, [](const ReadResult&) {}).shown->info.id; };
  const std::vector<SweepInfo> sweeps = Snapshot(file).sweeps();
  EXPECT_EQ(shown(), sweeps.front().id);
  for (std::size_t n : {2U, 1U, 3U}) store.set_starred(sweeps[n].id, true);
  EXPECT_EQ(shown(), sweeps[1].id);
}

}  // namespace
}  // namespace triscope
