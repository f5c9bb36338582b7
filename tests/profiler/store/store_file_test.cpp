// A database as a file: imported, written by several at once, oddly named, tidied away.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <chrono>
#include <latch>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "kernels/base/error.hpp"
#include "profiler/statistics/statistics.hpp"
#include "profiler/store/open/sweep_lock.hpp"
#include "tests/profiler/store/store_fixture.hpp"

namespace triscope {
namespace {

using fixture::expect_same;
using fixture::StoreTest;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(StoreTest, how_a_kernel_is_shown_is_stored_with_its_first_measurement_and_imported) {
  const KernelCard card{"A kernel of mine", "mine", KernelKind::dot_product, 1, 4};
  {
    Store source(folder_ / "source.db");
    const std::int64_t sweep = begin(source);
    Measurement m = synthetic_measurement(0);
    m.key.kernel = "not.known";
    source.add(sweep, m);
    source.know_kernels({{.id = "mine", .card = card}, {.id = "never.measured", .card = card}});
    m.key.kernel = "mine";
    source.add(sweep, m);
    source.know_kernels({{.id = "mine", .card = {.label = "Renamed"}}});
    m.key.problem.batch = 7;
    source.add(sweep, m);
  }
  Store(file_).import(folder_ / "source.db");
  for (const std::filesystem::path& file : {folder_ / "source.db", file_}) {
    const std::vector<ResultRow> rows = Snapshot(file).results();
    ASSERT_THAT(rows, SizeIs(3));
    EXPECT_EQ(rows[0].card, (KernelCard{"not.known", "not.known", KernelKind::simplicial, {}, {}}));
    EXPECT_EQ(rows[1].card, card);
    EXPECT_EQ(rows[2].card, card) << "a kernel with another label has another source hash";
    EXPECT_EQ(SQLite::Database(file.string()).execAndGet("SELECT count(*) FROM kernel").getInt(), 2);
  }
}

TEST_F(StoreTest, the_papers_own_kernel_has_a_name_where_the_database_holds_its_id) {
  Store store(file_);
  const std::int64_t sweep = begin(store);
  store.know_kernels({{.id = "paper.triton", .card = {"paper.triton", "paper.triton"}}});
  Measurement m = synthetic_measurement(0);
  m.key.kernel = "paper.triton";
  store.add(sweep, m);
  const ResultRow row = Snapshot(file_).results().front();
  EXPECT_EQ(row.kernel, "paper.triton");
  EXPECT_EQ(row.card.label, "Paper's Triton");
  EXPECT_EQ(row.card.short_label, "Triton");
}

TEST_F(StoreTest, importing_copies_everything_once) {
  const std::filesystem::path source = folder_ / "source.db";
  write_synthetic_database(source, 120, 3);
  {
    Store writer(source);
    writer.set_measurement_note(1, "a note");
    writer.set_starred(1, true);
  }
  Store store(file_);
  store.add(begin(store), synthetic_measurement(7));
  EXPECT_EQ(store.import(source), 120);
  EXPECT_EQ(store.import(source), 0);
  const Snapshot copy(file_), original(source);
  ASSERT_THAT(copy.sweeps(), SizeIs(2));
  const SweepInfo sweep = copy.sweep(2).value(), of_source = original.sweep(1).value();
  EXPECT_EQ(sweep.uuid, of_source.uuid);
  EXPECT_EQ(sweep.started, of_source.started);
  EXPECT_EQ(sweep.finished, of_source.finished);
  EXPECT_EQ(sweep.note, of_source.note);
  EXPECT_EQ(sweep.request_json, of_source.request_json);
  EXPECT_TRUE(sweep.starred);
  EXPECT_EQ(sweep.environment, of_source.environment);
  EXPECT_EQ(copy.note(2), "a note");
  const std::vector<ResultRow> rows = copy.results(2), source_rows = original.results(1);
  ASSERT_EQ(rows.size(), source_rows.size());
  for (std::size_t n = 0; n < rows.size(); ++n) {
    expect_same(*copy.measurement(rows[n].measurement), *original.measurement(source_rows[n].measurement));
    EXPECT_EQ(rows[n].tflops, source_rows[n].tflops);
    EXPECT_EQ(rows[n].peak_fraction, source_rows[n].peak_fraction);
  }
  EXPECT_THAT(copy.damage(), IsEmpty());
}

TEST_F(StoreTest, importing_completes_a_sweep_that_was_partly_copied) {
  const std::filesystem::path source = folder_ / "source.db";
  Store writer(source);
  const std::int64_t sweep = begin(writer);
  Measurement cancelled = synthetic_measurement(1);
  cancelled.status = Status::cancelled;
  writer.add(sweep, synthetic_measurement(0));
  writer.add(sweep, cancelled);
  Store store(file_);
  EXPECT_EQ(store.import(source), 2);
  writer.add(sweep, synthetic_measurement(1));  // resumed at the source
  writer.add(sweep, synthetic_measurement(2));
  writer.finish_sweep(sweep);
  EXPECT_EQ(store.import(source), 2);
  EXPECT_EQ(store.import(source), 0);
  const Snapshot snapshot(file_);
  ASSERT_THAT(snapshot.sweeps(), SizeIs(1));
  EXPECT_EQ(snapshot.sweeps()[0].ok, 3);
  EXPECT_NE(snapshot.sweeps()[0].finished, "");
}

// A sweep that was stopped after the first restart, in a copy made then; and whole, in `source`.
class PartialCopy : public StoreTest {
 protected:
  PartialCopy() {
    sweep_ = begin(writer_);
    for (const std::int64_t n : {0, 1}) rows_.push_back(writer_.add(sweep_, with_restarts(n, 1)));
    store_.add(begin(store_), synthetic_measurement(7));  // so that ids differ
    store_.import(source_);
    store_.set_measurement_note(2, "mine");
  }
  static Measurement with_restarts(std::int64_t number, std::int64_t restarts) {
    Measurement m = synthetic_measurement(number, 4);
    m.cross_check.reset();
    const std::vector<Sample> once = m.samples;
    for (std::int64_t restart = 1; restart < restarts; ++restart) {
      for (Sample sample : once) {
        sample.restart = restart;
        m.samples.push_back(sample);
      }
    }
    m.summary = summarize(m.samples, StoppingRule{}, spread().times);
    m.reason = restarts < 3 ? std::to_string(restarts) + " of 3 restarts" : "";
    return m;
  }
  static SweepSpread spread() { return {{1e-4, 12}, {1e-6, 4}}; }
  void complete(std::int64_t number) {
    const Measurement whole = with_restarts(number, 3);
    const MeasurementUpdate update{rows_.at(static_cast<std::size_t>(number)),
                                   {whole.samples.begin() + 4, whole.samples.end()},
                                   whole.summary,
                                   Status::ok,
                                   ""};
    writer_.update(sweep_, std::span(&update, 1), spread());
  }
  SweepInfo copied() const { return *Snapshot(file_).sweep(2); }

  const std::filesystem::path source_ = folder_ / "source.db";
  Store writer_{source_};
  Store store_{file_};
  std::int64_t sweep_ = 0;
  std::vector<std::int64_t> rows_;
};

TEST_F(PartialCopy, importing_completes_rows_that_lack_restarts) {
  complete(0);
  complete(1);
  writer_.finish_sweep(sweep_);
  EXPECT_EQ(store_.import(source_), 2);
  EXPECT_EQ(store_.import(source_), 0);
  for (const std::int64_t row : {2, 3})
    expect_same(*Snapshot(file_).measurement(row), *Snapshot(source_).measurement(row - 1));
  EXPECT_EQ(Snapshot(file_).note(2), "mine");
  EXPECT_EQ(copied().spread, spread());
  EXPECT_NE(copied().finished, "");
}

TEST_F(PartialCopy, importing_an_older_copy_takes_nothing_away) {
  complete(0);
  Store whole(folder_ / "whole.db");
  whole.import(source_);
  const Measurement before = *Snapshot(folder_ / "whole.db").measurement(1);
  EXPECT_EQ(whole.import(file_), 1) << "the sweep that it does not hold";
  expect_same(*Snapshot(folder_ / "whole.db").measurement(1), before);
}

TEST_F(PartialCopy, importing_completes_the_turns_and_checks_of_rows_that_are_here) {
  complete(0);
  complete(1);
  store_.import(source_);
  writer_.set_turns(rows_[0], 77, with_restarts(0, 3).samples);
  EXPECT_EQ(store_.import(source_), 1);
  writer_.set_cross_check(rows_[1], {.timing_source = TimingSource::cuda_events, .samples = 0, .reason = "no driver"});
  EXPECT_EQ(store_.import(source_), 1);
  EXPECT_EQ(store_.import(source_), 0);
  for (const std::int64_t row : {2, 3})
    expect_same(*Snapshot(file_).measurement(row), *Snapshot(source_).measurement(row - 1));
}

TEST_F(PartialCopy, a_sweep_that_an_import_leaves_behind_stays_interrupted) {
  complete(0);
  complete(1);
  writer_.finish_sweep(sweep_);
  Measurement changed = with_restarts(0, 1);  // resumed here with another kernel, and stopped again
  changed.source_hash = "changed since";
  changed.started_unix_ns += 1'000'000'000;
  store_.add(2, changed);
  std::vector<std::string> left_out;
  EXPECT_EQ(store_.import(source_, {.left_out = [&](const std::string& why) { left_out.push_back(why); }}), 1);
  expect_same(*Snapshot(file_).measurement(2), changed);
  EXPECT_EQ(copied().finished, "");
  EXPECT_THAT(left_out, testing::ElementsAre(HasSubstr("measured later, from another version of the kernel")));
}

TEST_F(PartialCopy, a_sweep_that_is_being_measured_is_not_completed) {
  complete(0);
  std::vector<std::string> left_out;
  const SweepLock lock(file_, 2);
  EXPECT_EQ(store_.import(source_, {.left_out = [&](const std::string& why) { left_out.push_back(why); }}), 0);
  EXPECT_EQ(Snapshot(file_).measurement(2)->summary.restarts, 1);
  EXPECT_THAT(left_out, testing::ElementsAre(HasSubstr("is being measured right now")));
}

TEST_F(StoreTest, importing_the_database_itself_is_refused) {
  Store store(file_);
  begin(store);
  EXPECT_THROW(store.import(file_), Error);
  std::filesystem::create_symlink(file_, folder_ / "link.db");
  EXPECT_THROW(store.import(folder_ / "link.db"), Error);
}

constexpr std::chrono::minutes kDiskIsBusy{2};  // what writers may wait for each other

TEST_F(StoreTest, two_stores_create_and_fill_one_file_at_once) {
  constexpr std::int64_t kEach = 30;
  const auto fill = [&](std::int64_t first) {
    Store store(file_, kDiskIsBusy);
    const std::int64_t sweep = begin(store, kEach);
    for (std::int64_t n = 0; n < kEach; ++n) store.add(sweep, synthetic_measurement(first + n, 20));
  };
  std::thread one(fill, 0), two(fill, 1000);
  one.join();
  two.join();
  const Snapshot snapshot(file_);
  EXPECT_THAT(snapshot.results(1), SizeIs(kEach));
  EXPECT_THAT(snapshot.results(2), SizeIs(kEach));
  EXPECT_THAT(snapshot.damage(), IsEmpty());
}

// What each of `kWriters` that create the same file at the same moment was told, over many files.
TEST_F(StoreTest, of_many_that_create_one_file_at_once_none_is_refused) {
  constexpr int kFiles = 16, kWriters = 8;
  for (int n = 0; n < kFiles; ++n) {
    const std::filesystem::path file = folder_ / fmt::format("{}.db", n);
    std::vector<std::string> refusals(kWriters);
    std::latch all_are_here(kWriters);
    const auto create = [&](std::string& refusal) {
      all_are_here.arrive_and_wait();
      try {
        Store store(file, kDiskIsBusy);
        begin(store);
      } catch (const Error& error) {
        refusal = error.what();
      }
    };
    {
      std::vector<std::jthread> writers;
      for (std::string& refusal : refusals) writers.emplace_back(create, std::ref(refusal));
    }
    EXPECT_THAT(refusals, testing::Each("")) << file;
    EXPECT_THAT(Snapshot(file).sweeps(), SizeIs(kWriters));
  }
}

TEST_F(StoreTest, a_snapshot_sees_what_was_committed_and_tells_that_something_changed) {
  Store store(file_);
  const std::int64_t sweep = begin(store);
  const Snapshot snapshot(file_);
  const std::int64_t version = snapshot.data_version();
  EXPECT_EQ(snapshot.data_version(), version);
  store.add(sweep, synthetic_measurement(0));
  EXPECT_NE(snapshot.data_version(), version);
  EXPECT_THAT(snapshot.results(), SizeIs(1));
}

TEST_F(StoreTest, the_log_is_tidied_away_when_the_last_connection_closes) {
  {
    Store store(file_);
    begin(store);
    const Snapshot snapshot(file_);
  }
  EXPECT_THAT(Snapshot(file_).sweeps(), SizeIs(1));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "results.db-wal"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "results.db-shm"));
}

TEST_F(StoreTest, odd_file_names_work) {
  for (const char* name : {"with space.db", "100%.db", "what?.db", "a#b.db", "file:x.db", ":memory:", "ümlaut.db"}) {
    const std::filesystem::path file = folder_ / name;
    {
      Store store(file);
      begin(store);
    }
    EXPECT_TRUE(std::filesystem::is_regular_file(file)) << name;
    EXPECT_THAT(Snapshot(file).sweeps(), SizeIs(1)) << name;
  }
}

TEST(DefaultDatabase, lies_in_the_users_data_folder) {
  ::setenv("XDG_DATA_HOME", "/data", 1);
  EXPECT_EQ(default_database(), "/data/triscope/results.db");
  ::setenv("XDG_DATA_HOME", "relative", 1);  // the XDG rules say to ignore it
  ::setenv("HOME", "/invented", 1);
  EXPECT_EQ(default_database(), "/invented/.local/share/triscope/results.db");
  ::unsetenv("XDG_DATA_HOME");
}

}  // namespace
}  // namespace triscope
