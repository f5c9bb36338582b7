// Measurements that the database does not take: they wait, in memory and beside it, and come in later.
#include "profiler/sweep/row_keeper.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <stop_token>
#include <vector>

#include "kernels/base/error.hpp"
#include "profiler/protocol/messages.hpp"
#include "profiler/statistics/statistics.hpp"
#include "tests/profiler/store/synthetic_database.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class RowKeeperTest : public testing::Test {
 protected:
  RowKeeperTest() { sweep_ = store_.begin_sweep("triscope sweep", "{}", synthetic_environment(), 10); }

  RowKeeper keeper() { return keeper(database_); }
  RowKeeper keeper(const std::filesystem::path& database, const std::string& host = synthetic_environment().host) {
    Environment environment = synthetic_environment();
    environment.host = host;
    return RowKeeper(store_, {.id = sweep_,
                              .database = database,
                              .reopen = [this] { store_ = Store(database_, std::chrono::milliseconds(10)); },
                              .tell = [this](const std::string& text) { told_.push_back(text); },
                              .kept = [this](const Measurement& one, std::int64_t) { kept_.push_back(one.key); },
                              .summarize = [](Measurement& one) { one.summary = summarize(one.samples, {}); },
                              .environment = environment,
                              .unstored =
                                  [this](const Unstored& one) {
                                    unstored_.push_back(one);
                                    if (stop_at_ == unstored_.size()) stop_.request_stop();
                                  }});
  }
  /// Until it ends, the database takes nothing.
  struct Lock {
    explicit Lock(const std::filesystem::path& file) : database(file.string(), SQLite::OPEN_READWRITE) {
      database.exec("BEGIN IMMEDIATE");
    }
    SQLite::Database database;
  };
  std::filesystem::path spool() const {
    return database_.string() + "." + Snapshot(database_).sweep(sweep_)->uuid + ".spool";
  }
  std::vector<ResultRow> rows() const { return Snapshot(database_).results(sweep_); }
  static Measurement one(std::int64_t number) { return synthetic_measurement(number, 20); }

  TemporaryFolder folder_;
  const std::filesystem::path database_ = folder_ / "a.db";
  Store store_{database_, std::chrono::milliseconds(10)};
  std::int64_t sweep_ = 0;
  std::vector<std::string> told_;
  std::vector<Unstored> unstored_;
  std::size_t stop_at_ = 0;  // a person presses Stop at this one of them
  std::stop_source stop_;
  std::vector<MeasurementKey> kept_;
};

TEST_F(RowKeeperTest, what_a_locked_database_refuses_waits_beside_it_and_comes_in_with_the_next) {
  RowKeeper keeper = this->keeper();
  {
    const Lock lock(database_);
    keeper.add(one(1));
    keeper.add(one(2));
    EXPECT_EQ(keeper.waiting(), 2U);
    EXPECT_TRUE(std::filesystem::exists(spool()));
    EXPECT_THAT(told_, ElementsAre(HasSubstr("waits in memory and in " + spool().string())));
    EXPECT_THAT(told_.front(), HasSubstr("another program keeps it locked"));
  }
  EXPECT_THAT(kept_, IsEmpty());
  keeper.add(one(3));
  EXPECT_THAT(kept_, ElementsAre(one(1).key, one(2).key, one(3).key));
  EXPECT_THAT(rows(), SizeIs(3));
  EXPECT_EQ(Snapshot(database_).samples(rows().front().measurement).size(), one(1).samples.size());
  EXPECT_FALSE(std::filesystem::exists(spool()));
}

TEST_F(RowKeeperTest, turns_that_a_locked_database_refuses_come_in_at_the_end_or_are_said_to_be_lost) {
  const std::int64_t row = store_.add(sweep_, one(1));
  TurnKeeper turns(store_, [this](const std::string& text) { told_.push_back(text); });
  const auto stored = [&] { return Snapshot(database_).series_of_sweep(sweep_).at(row).turns.size(); };
  {
    const Lock lock(database_);
    turns.add(row, 7, std::vector<Sample>(2));
    turns.add(row, 8, std::vector<Sample>(2));
  }
  EXPECT_EQ(stored(), 0U);
  EXPECT_THAT(told_, ElementsAre(HasSubstr("tried again at the end")));
  turns.finish();
  EXPECT_EQ(stored(), 2U);
  EXPECT_THAT(told_, SizeIs(1));
  const Lock lock(database_);
  turns.add(row, 9, std::vector<Sample>(2));
  turns.finish();
  EXPECT_THAT(told_.back(), HasSubstr("with 1 group are lost"));
  EXPECT_THAT(told_.back(), HasSubstr("\"not in turns\""));
}

TEST_F(RowKeeperTest, resuming_adds_what_a_program_left_that_was_killed) {
  {
    RowKeeper keeper = this->keeper();
    const Lock lock(database_);
    keeper.add(one(1));
    keeper.add(one(2));
  }
  store_.add(sweep_, one(1));                                      // it came as far as this
  std::ofstream(spool(), std::ios::app) << R"({"type":"result")";  // and was killed in the middle of a third
  RowKeeper keeper = this->keeper();
  EXPECT_THAT(rows(), SizeIs(2));
  const std::optional<Measurement> added = Snapshot(database_).measurement(rows()[1].measurement);
  EXPECT_EQ(added->samples.size(), one(2).samples.size());
  EXPECT_EQ(added->summary.samples, 20);
  EXPECT_EQ(added->summary.restarts, 1);
  EXPECT_FALSE(std::filesystem::exists(spool()));
}

TEST_F(RowKeeperTest, what_waits_is_of_the_environment_that_measured_it) {
  {
    RowKeeper keeper = this->keeper(database_, "node 7");  // which had resumed the sweep of another host
    const Lock lock(database_);
    keeper.add(one(1));
  }
  this->keeper(database_, "node 8");
  ASSERT_THAT(rows(), SizeIs(1));
  EXPECT_EQ(Snapshot(database_).environment(rows()[0].measurement)->host, "node 7");
}

TEST_F(RowKeeperTest, what_stands_twice_in_the_file_is_added_once) {
  {
    RowKeeper keeper = this->keeper();
    const Lock lock(database_);
    keeper.add(one(1));
  }
  std::ifstream in(spool(), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  std::ofstream(spool(), std::ios::binary | std::ios::app) << bytes;
  RowKeeper keeper = this->keeper();
  EXPECT_THAT(rows(), SizeIs(1));
  EXPECT_FALSE(std::filesystem::exists(spool()));
}

TEST_F(RowKeeperTest, the_file_is_found_by_every_name_of_the_database) {
  std::filesystem::create_symlink(database_, folder_ / "link.db");
  {
    RowKeeper keeper = this->keeper(folder_ / "link.db");
    const Lock lock(database_);
    keeper.add(one(1));
  }
  EXPECT_TRUE(std::filesystem::exists(spool()));
  RowKeeper keeper = this->keeper();
  EXPECT_THAT(rows(), SizeIs(1));
}

TEST_F(RowKeeperTest, a_file_that_holds_no_measurement_is_set_aside) {
  std::ofstream(spool()) << "a letter without a line feed";
  RowKeeper keeper = this->keeper();
  EXPECT_THAT(told_, ElementsAre(HasSubstr("holds no whole measurement")));
  EXPECT_FALSE(std::filesystem::exists(spool()));
  EXPECT_TRUE(std::filesystem::exists(spool().string() + ".unread"));
}

TEST_F(RowKeeperTest, what_was_set_aside_before_stays) {
  for (const char* text : {"the first letter", "the second letter"}) {
    std::ofstream(spool()) << text;
    RowKeeper keeper = this->keeper();
  }
  EXPECT_EQ(read_bytes(spool().string() + ".unread"), "the first letter");
  EXPECT_EQ(read_bytes(spool().string() + ".unread2"), "the second letter");
  EXPECT_THAT(told_.back(), HasSubstr(".unread2"));
}

TEST_F(RowKeeperTest, what_no_measurement_can_be_costs_itself_and_the_rest_comes_in) {
  Measurement empty = one(1), huge = one(2), negative = one(3);
  empty.samples.clear();
  huge.key.problem.seq_len = std::int64_t{1} << 62;
  negative.key.problem.window1 = -1;
  std::string bytes;
  for (const Measurement& each : {empty, huge, one(5), negative}) bytes += to_bytes(ResultReply{sweep_, each});
  std::ofstream(spool(), std::ios::binary) << bytes;
  RowKeeper keeper = this->keeper();
  ASSERT_THAT(rows(), SizeIs(1));
  EXPECT_EQ(rows().front().status, Status::ok) << rows().front().reason;
  EXPECT_EQ(rows().front().problem, one(5).key.problem);
  EXPECT_THAT(told_, ElementsAre(testing::AllOf(HasSubstr("3 measurements in " + spool().string() + " cannot be used"),
                                                HasSubstr("window1 is -1"), HasSubstr("measured again")),
                                 HasSubstr("1 measurement of an earlier run added")));
  EXPECT_FALSE(std::filesystem::exists(spool()));
  EXPECT_EQ(read_bytes(spool().string() + ".unread"), bytes) << "nothing is thrown away";
}

TEST_F(RowKeeperTest, where_no_file_can_be_written_memory_keeps_it) {
  RowKeeper keeper = this->keeper();
  std::filesystem::create_directory(spool());
  {
    const Lock lock(database_);
    keeper.add(one(1));
    EXPECT_THAT(told_, ElementsAre(HasSubstr("waits in memory alone")));
  }
  keeper.finish({});
  EXPECT_THAT(rows(), SizeIs(1));
}

/// Until it ends no file takes another byte, as on a full disk.
struct FullDisk {
  FullDisk() {
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit none{0, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &none);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
  }
  rlimit before{};
  void (*handler)(int) = std::signal(SIGXFSZ, SIG_IGN);
};

TEST_F(RowKeeperTest, a_full_disk_leaves_no_empty_file_and_what_was_in_one_stays) {
  RowKeeper keeper = this->keeper();
  const Lock lock(database_);
  {
    const FullDisk full;
    keeper.add(one(1));
  }
  EXPECT_THAT(told_, ElementsAre(HasSubstr("waits in memory alone")));
  EXPECT_FALSE(std::filesystem::exists(spool()));
  keeper.add(one(2));
  const std::string both = read_bytes(spool());
  {
    const FullDisk full;
    keeper.add(one(3));
  }
  EXPECT_EQ(read_bytes(spool()), both);
  EXPECT_EQ(keeper.waiting(), 3U);
}

TEST_F(RowKeeperTest, trouble_is_said_when_it_begins_when_the_sweep_waits_for_it_and_when_it_ends) {
  RowKeeper keeper = this->keeper();
  stop_at_ = 2;
  {
    const Lock lock(database_);
    keeper.add(one(1));
    keeper.add(one(2));
    ASSERT_THAT(unstored_, SizeIs(1)) << "once, not with each measurement";
    EXPECT_THAT(unstored_[0].why, HasSubstr("another program keeps it locked"));
    EXPECT_THAT(unstored_[0].kept, HasSubstr("memory and in " + spool().string()));
    EXPECT_THROW(keeper.finish(stop_.get_token()), Error);
    ASSERT_THAT(unstored_, SizeIs(2));
    EXPECT_THAT(unstored_[1].kept, HasSubstr("The sweep waits: what was measured is in memory and in "));
    EXPECT_THROW(keeper.finish(stop_.get_token()), Error);
    EXPECT_THAT(unstored_, SizeIs(2)) << "who has stopped it waits for nothing";
  }
  keeper.finish({});
  ASSERT_THAT(unstored_, SizeIs(3));
  EXPECT_EQ(unstored_[2].why, "");
  EXPECT_THAT(unstored_[2].kept, HasSubstr("2 measurements that waited are in it"));
}

TEST_F(RowKeeperTest, a_stop_leaves_the_file_and_says_how_to_add_it) {
  RowKeeper keeper = this->keeper();
  const Lock lock(database_);
  keeper.add(one(1));
  std::stop_source stop;
  stop.request_stop();
  try {
    keeper.finish(stop.get_token());
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the database lacks 1 measurement of sweep 1"));
    EXPECT_THAT(error.fix(), HasSubstr("`triscope sweep --resume 1 --db " + database_.string() + "` adds it"));
  }
  EXPECT_TRUE(std::filesystem::exists(spool()));
}

TEST_F(RowKeeperTest, another_database_in_its_place_gets_nothing) {
  RowKeeper keeper = this->keeper();
  std::filesystem::rename(database_, folder_ / "away.db");
  for (const char* log : {"a.db-wal", "a.db-shm"}) std::filesystem::remove(folder_ / log);
  {
    Store other(database_);
    other.begin_sweep("triscope sweep", "{}", synthetic_environment(), 10);
  }
  keeper.add(one(1));
  keeper.add(one(2));
  EXPECT_EQ(keeper.waiting(), 2U);
  EXPECT_THAT(rows(), IsEmpty());
}

TEST_F(RowKeeperTest, a_sweep_that_is_deleted_ends_with_the_next_measurement_and_while_it_waits) {
  RowKeeper adding = this->keeper(), waiting = this->keeper();
  const std::string file = spool();
  {
    const Lock lock(database_);
    waiting.add(one(1));
  }
  SQLite::Database(database_.string(), SQLite::OPEN_READWRITE).exec("PRAGMA foreign_keys = ON; DELETE FROM sweep");
  std::stop_source stop;
  stop.request_stop();
  for (const auto& end :
       std::vector<std::function<void()>>{[&] { adding.add(one(2)); }, [&] { waiting.finish(stop.get_token()); }}) {
    try {
      end();
      ADD_FAILURE() << "it goes on";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("it was deleted meanwhile"));
      EXPECT_THAT(error.fix(), HasSubstr("the samples taken since are in " + file));
    }
  }
}

TEST_F(RowKeeperTest, a_damaged_file_is_refused_and_stays) {
  std::ofstream(spool()) << "not a message\n";
  EXPECT_THAT([&] { keeper(); }, testing::ThrowsMessage<Error>(HasSubstr("cannot be read")));
  EXPECT_TRUE(std::filesystem::exists(spool()));
}

}  // namespace
}  // namespace triscope
