// Whatever goes wrong, the database keeps what was committed and the error says what to do.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <random>
#include <thread>

#include "kernels/base/error.hpp"
#include "profiler/store/store.hpp"
#include "tests/profiler/store/synthetic_database.hpp"
#include "tests/profiler/supervise/child_process.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;
namespace fs = std::filesystem;

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_bytes(const fs::path& file, const std::string& bytes) { std::ofstream(file, std::ios::binary) << bytes; }

// The sentence of the `Error` that `action` throws.
template <typename Action>
std::string failure_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_NE(error.why(), "");
    EXPECT_NE(error.fix(), "");
    return error.what();
  }
  return "no error";
}

// Whether a writer came as far as committing the schema.
bool has_schema(const fs::path& file) {
  if (!fs::exists(file)) return false;
  SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
  return database.execAndGet("SELECT count(*) FROM sqlite_schema").getInt() > 0;
}

class StoreFailures : public testing::Test {
 protected:
  StoreFailures() { fs::permissions(folder_.path(), fs::perms(0755)); }

  std::int64_t begin(Store& store) { return store.begin_sweep("triscope sweep", "{}", synthetic_environment(), 10); }
  // A closed database with `rows` measurements.
  void fill(const fs::path& file, std::int64_t rows, std::int64_t samples = 20) {
    write_synthetic_database(file, rows, samples);
  }
  // Both ways of opening `file` fail with a sentence that contains `words`, and leave its bytes alone.
  void expect_refused(const fs::path& file, const std::string& words) {
    const std::string before = bytes_of(file);
    EXPECT_THAT(failure_of([&] { Store store(file, 50ms); }), HasSubstr(words));
    EXPECT_THAT(failure_of([&] { Snapshot(file, 50ms).results(); }), HasSubstr(words));
    EXPECT_EQ(bytes_of(file), before);
  }

  TemporaryFolder folder_;
  fs::path file_ = folder_ / "results.db";
};

TEST_F(StoreFailures, a_killed_writer_loses_at_most_the_measurement_in_flight) {
  constexpr int kKills = 20;
  constexpr std::int64_t kSamples = 40;
  std::mt19937 random(20250901);
  std::size_t total = 0;
  for (int kill = 0; kill < kKills; ++kill) {
    ChildProcess writer([&](int write_end) {
      Store store(file_);
      const std::int64_t sweep = begin(store);
      for (std::int64_t n = 0; n < 10'000; ++n) {
        store.add(sweep, synthetic_measurement(10 * n, kSamples));
        if (::write(write_end, "x", 1) != 1) return;
      }
    });
    // Every other one at any moment, also while the file is being made; the rest somewhere after a few measurements, so
    // that a slow machine shows something too.
    std::size_t reported =
        kill % 2 == 0 ? 0 : writer.wait_for(std::uniform_int_distribution<std::size_t>(4, 8)(random));
    std::this_thread::sleep_for(std::chrono::microseconds(std::uniform_int_distribution(0, 60'000)(random)));
    writer.kill();
    reported += writer.read_all().size();
    if (total + reported == 0 && !has_schema(file_)) continue;  // killed before the file was made
    const Snapshot snapshot(file_);
    EXPECT_THAT(snapshot.damage(), IsEmpty());
    const std::vector<SweepInfo> sweeps = snapshot.sweeps();
    const std::vector<ResultRow> rows = snapshot.results();
    EXPECT_GE(rows.size(), total + reported);
    EXPECT_LE(rows.size(), total + reported + 1);
    total = rows.size();
    for (const ResultRow& row : rows) {
      EXPECT_THAT(snapshot.samples(row.measurement), SizeIs(row.samples > 0 ? kSamples : 0));
    }
    for (const SweepInfo& sweep : sweeps) EXPECT_EQ(sweep.finished, "");
  }
  EXPECT_GE(total, std::size_t{4} * kKills / 2) << "the kills came too early to show anything";
}

TEST_F(StoreFailures, a_reader_in_another_process_works_beside_a_writer) {
  { Store store(file_); }
  ChildProcess writer([&](int write_end) {
    Store store(file_);
    const std::int64_t sweep = begin(store);
    for (std::int64_t n = 0; n < 200; ++n) store.add(sweep, synthetic_measurement(n, 20));
    if (::write(write_end, "x", 1) != 1) return;
  });
  std::size_t last = 0;
  for (int read = 0; read < 50; ++read) {
    const std::vector<ResultRow> rows = Snapshot(file_).results();
    EXPECT_GE(rows.size(), last);
    last = rows.size();
  }
  EXPECT_EQ(writer.read_all(), "x");
  EXPECT_THAT(Snapshot(file_).results(), SizeIs(200));
}

TEST_F(StoreFailures, a_full_disk_costs_only_the_measurement_that_did_not_fit) {
  const std::string answer = in_child([&]() -> std::string {
    if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return "skip: no mount namespace";
    ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    if (::mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, "size=2m") != 0) return "skip: no rights to mount a tmpfs";
    write_bytes(folder_ / "ballast", std::string(200'000, 'b'));
    Store store(file_);
    const std::int64_t sweep = begin(store);
    std::size_t written = 0;
    const std::string error = failure_of([&] {
      for (std::int64_t n = 0; n < 10'000; ++n, ++written) store.add(sweep, synthetic_measurement(10 * n, 100));
    });
    const Snapshot snapshot(file_);
    if (snapshot.results().size() != written || written == 0) return "rows were lost";
    if (!snapshot.damage().empty()) return "the file is damaged";
    fs::remove(folder_ / "ballast");
    store.add(sweep, synthetic_measurement(10 * static_cast<std::int64_t>(written), 100));
    if (snapshot.results().size() != written + 1) return "writing did not go on once there was space";
    return error;
  });
  if (answer.starts_with("skip")) GTEST_SKIP() << answer;
  EXPECT_THAT(answer, AllOf(StartsWith("cannot write to the database"), HasSubstr("the disk is full")));
}

TEST_F(StoreFailures, a_disk_too_full_for_a_new_database_says_so) {
  const std::string answer = in_child([&]() -> std::string {
    if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return "skip: no mount namespace";
    ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    if (::mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, "size=16k") != 0)
      return "skip: no rights to mount a tmpfs";
    return failure_of([&] { Store store(file_); });
  });
  if (answer.starts_with("skip")) GTEST_SKIP() << answer;
  EXPECT_THAT(answer, HasSubstr("the disk is full"));
}

TEST_F(StoreFailures, a_write_the_system_refuses_leaves_what_was_there) {
  fill(file_, 20);
  const std::string answer = in_child([&]() -> std::string {
    ::signal(SIGXFSZ, SIG_IGN);
    Store store(file_);
    const std::int64_t sweep = begin(store);
    const rlimit limit{65'536, 65'536};  // stands for a quota: it also holds where nothing can be mounted
    ::setrlimit(RLIMIT_FSIZE, &limit);
    return failure_of([&] {
      for (std::int64_t n = 0; n < 1000; ++n) store.add(sweep, synthetic_measurement(10 * n, 100));
    });
  });
  EXPECT_THAT(answer, AllOf(StartsWith("cannot write to the database"),
                            HasSubstr("raise the limit on the size of files (`ulimit -f`)")));
  const Snapshot snapshot(file_);
  EXPECT_THAT(snapshot.damage(), IsEmpty());
  EXPECT_THAT(snapshot.results(1), SizeIs(20));
}

TEST_F(StoreFailures, a_read_only_file_is_read_but_not_written) {
  fill(file_, 5);
  fs::permissions(file_, fs::perms(0444));
  const std::string before = bytes_of(file_);
  const std::string answer = in_child([&] {
    if (!become_nobody()) return std::string("skip: cannot give up root");
    std::string error = failure_of([&] { Store store(file_); });
    return std::to_string(Snapshot(file_).results().size()) + " rows; " + error;
  });
  if (answer.starts_with("skip")) GTEST_SKIP() << answer;
  EXPECT_THAT(answer, AllOf(StartsWith("5 rows; cannot write to the database"), HasSubstr("the file is read-only")));
  EXPECT_EQ(bytes_of(file_), before);
}

TEST_F(StoreFailures, a_read_only_folder_is_read_but_not_written) {
  fill(file_, 5);
  fs::permissions(file_, fs::perms(0666));
  fs::permissions(folder_.path(), fs::perms(0555));
  const std::string answer = in_child([&] {
    if (!become_nobody()) return std::string("skip: cannot give up root");
    std::string error = failure_of([&] { Store store(file_); });
    std::string missing = failure_of([&] { Store store(folder_ / "new.db"); });
    const Snapshot snapshot(file_);
    const bool stable = snapshot.data_version() == snapshot.data_version();
    return std::to_string(snapshot.results().size()) + (stable ? " rows; " : " rows, unstable; ") + error + missing;
  });
  fs::permissions(folder_.path(), fs::perms(0755));
  if (answer.starts_with("skip")) GTEST_SKIP() << answer;
  EXPECT_THAT(answer, AllOf(StartsWith("5 rows; cannot write to the database"), HasSubstr("its folder is read-only"),
                            HasSubstr("new.db: its folder is read-only")));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 1) << "nothing was created beside the database";
}

TEST_F(StoreFailures, a_reader_without_rights_follows_a_writer_through_its_log) {
  Store store(file_);
  const std::int64_t sweep = begin(store);
  store.add(sweep, synthetic_measurement(0));
  for (const char* end : {"", "-wal", "-shm"}) fs::permissions(file_.string() + end, fs::perms(0644));
  ChildProcess reader([&](int write_end) {
    if (!become_nobody()) ::_exit(1);
    const std::string answer = std::to_string(Snapshot(file_).results().size());
    if (::write(write_end, answer.data(), answer.size()) < 0) ::_exit(1);
  });
  EXPECT_EQ(reader.read_all(), "1");
}

TEST_F(StoreFailures, a_log_left_behind_in_a_read_only_folder_is_never_ignored) {
  ChildProcess writer([&](int write_end) {
    Store store(file_);
    store.add(begin(store), synthetic_measurement(0));
    if (::write(write_end, "x", 1) != 1) ::_exit(1);
    ::kill(::getpid(), SIGKILL);
  });
  ASSERT_EQ(writer.read_all(), "x");
  ASSERT_GT(fs::file_size(folder_ / "results.db-wal"), 0u);
  fs::remove(folder_ / "results.db-shm");
  for (const char* end : {"", "-wal"}) fs::permissions(file_.string() + end, fs::perms(0644));
  fs::permissions(folder_.path(), fs::perms(0555));
  const TemporaryFolder data;  // where the file is one's own database
  fs::permissions(data.path(), fs::perms(0755));
  fs::create_directory_symlink(folder_.path(), data / "triscope");
  const std::string answer = in_child([&] {
    if (!become_nobody()) return std::string("skip: cannot give up root");
    const std::string rows = std::to_string(Snapshot(file_).results().size());
    ::setenv("XDG_DATA_HOME", data.path().c_str(), 1);
    return rows + " rows; " + failure_of([&] { Snapshot snapshot(file_); });
  });
  fs::permissions(folder_.path(), fs::perms(0755));
  if (answer.starts_with("skip")) GTEST_SKIP() << answer;
  EXPECT_THAT(answer, StartsWith("1 rows; ")) << "of a file of somebody else, in a copy";
  EXPECT_THAT(answer, AllOf(HasSubstr("are still in the log"), HasSubstr("copy results.db and results.db-wal")));
  EXPECT_THAT(Snapshot(file_).results(), SizeIs(1)) << "nothing was lost meanwhile";
}

TEST_F(StoreFailures, an_immutable_snapshot_notices_that_the_file_changed) {
  fill(file_, 3);
  fs::permissions(folder_.path(), fs::perms(0755));
  int to_child[2];
  ASSERT_EQ(::pipe(to_child), 0);
  ChildProcess reader([&](int write_end) {
    char go = 0;
    std::string answer = "threw";
    try {
      if (!become_nobody()) ::_exit(1);
      const Snapshot snapshot(file_);
      const std::int64_t version = snapshot.data_version();
      answer = std::to_string(snapshot.results().size());
      if (::write(write_end, "r", 1) != 1 || ::read(to_child[0], &go, 1) != 1) ::_exit(1);
      answer += snapshot.data_version() != version ? " changed " : " same ";
      answer += std::to_string(snapshot.results().size());
    } catch (const std::exception& exception) {
      answer = exception.what();
    }
    if (::write(write_end, answer.data(), answer.size()) < 0) ::_exit(1);
  });
  ASSERT_EQ(reader.wait_for(1), 1u);
  {
    Store store(file_);
    store.add(begin(store), synthetic_measurement(0));
  }
  ASSERT_EQ(::write(to_child[1], "g", 1), 1);
  EXPECT_EQ(reader.read_all(), "3 changed 4");
}

TEST_F(StoreFailures, a_locked_database_is_waited_for_and_then_named) {
  Store store(file_, 50ms);
  const std::int64_t sweep = begin(store);
  SQLite::Database other(file_.string(), SQLite::OPEN_READWRITE);
  other.exec("BEGIN IMMEDIATE");
  EXPECT_THAT(failure_of([&] { store.add(sweep, synthetic_measurement(0)); }),
              AllOf(HasSubstr("another program keeps it locked"), HasSubstr(file_.string())));
  EXPECT_THAT(failure_of([&] { Store(file_, 50ms).finish_sweep(sweep); }), HasSubstr("locked"));
  EXPECT_THAT(Snapshot(file_, 50ms).sweeps(), SizeIs(1)) << "reading is not locked out";
  EXPECT_THAT(failure_of([&] { require_unlocked(file_, 50ms); }), HasSubstr("another program keeps it locked"));
  other.exec("ROLLBACK");
  store.add(sweep, synthetic_measurement(0));
  EXPECT_THAT(Snapshot(file_).results(), SizeIs(1));
}

TEST_F(StoreFailures, a_short_lock_is_waited_out) {
  Store store(file_);
  const std::int64_t sweep = begin(store);
  SQLite::Database other(file_.string(), SQLite::OPEN_READWRITE);
  other.exec("BEGIN IMMEDIATE");
  std::thread release([&] {
    std::this_thread::sleep_for(200ms);
    other.exec("COMMIT");
  });
  EXPECT_NO_THROW(store.add(sweep, synthetic_measurement(0)));
  release.join();
}

// As between two programs that create one file: the schema is there, the log is not yet, and the other one writes.
TEST_F(StoreFailures, the_switch_to_a_write_ahead_log_waits_too) {
  { Store store(file_); }
  // With a rollback journal the commit waits for readers, and the store below reads each time it tries.
  SQLite::Database other(file_.string(), SQLite::OPEN_READWRITE, 60'000);
  ASSERT_EQ(other.execAndGet("PRAGMA journal_mode = DELETE").getString(), "delete");
  other.exec("BEGIN IMMEDIATE");
  EXPECT_THAT(failure_of([&] { Store(file_, 50ms); }), HasSubstr("another program keeps it locked"));
  std::jthread release([&] {
    std::this_thread::sleep_for(200ms);
    other.exec("COMMIT");
  });
  EXPECT_NO_THROW(Store{file_});
  release.join();
  other.execAndGet("SELECT count(*) FROM sweep");  // only now does this connection notice
  EXPECT_EQ(other.execAndGet("PRAGMA journal_mode").getString(), "wal");
}

TEST_F(StoreFailures, a_file_that_is_no_database_is_refused_and_left_alone) {
  write_bytes(file_, "hello");
  expect_refused(file_, "it is not an SQLite database");
  write_bytes(file_, std::string(100'000, 'x'));
  expect_refused(file_, "it is not an SQLite database");
  std::mt19937 random(1);
  std::string noise(20'000, '\0');
  for (char& c : noise) c = static_cast<char>(random());
  write_bytes(file_, noise);
  expect_refused(file_, "it is not an SQLite database");
}

TEST_F(StoreFailures, a_database_of_another_program_is_refused_and_left_alone) {
  SQLite::Database(file_.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("CREATE TABLE t(x)");
  expect_refused(file_, "not one of Triscope's");
  SQLite::Database(file_.string(), SQLite::OPEN_READWRITE).exec("DROP TABLE t; PRAGMA application_id = 7");
  expect_refused(file_, "not one of Triscope's");
}

TEST_F(StoreFailures, a_newer_schema_is_refused_and_left_alone) {
  fill(file_, 2);
  SQLite::Database(file_.string(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 99");
  expect_refused(file_, "it was written by a newer Triscope (schema 99");
}

TEST_F(StoreFailures, a_version_that_its_tables_are_not_of_is_refused_and_left_alone) {
  fill(file_, 5);
  SQLite::Database(file_.string(), SQLite::OPEN_READWRITE)
      .exec("PRAGMA journal_mode = DELETE; PRAGMA user_version = 4");
  expect_refused(file_, "it says that its schema is 4, and its tables are not of that one (");
  EXPECT_FALSE(fs::exists(file_.string() + ".schema4.bak"));
}

TEST_F(StoreFailures, a_truncated_database_is_refused_and_left_alone) {
  fill(file_, 20);
  fs::resize_file(file_, fs::file_size(file_) / 2);
  expect_refused(file_, "the file is damaged");
  fs::resize_file(file_, 1000);
  expect_refused(file_, "the file is damaged");
}

TEST_F(StoreFailures, damage_inside_the_file_is_found) {
  fill(file_, 50, 50);
  std::string bytes = bytes_of(file_);
  for (std::size_t n = bytes.size() / 2; n < bytes.size(); ++n) bytes[n] = static_cast<char>(0xA5);
  write_bytes(file_, bytes);
  EXPECT_THAT(failure_of([&] { Snapshot{file_}; }), HasSubstr("the file is damaged"));
  setenv("XDG_DATA_HOME", folder_.path().c_str(), 1);  // one's own is read as far as it can be
  fs::create_directories(default_database().parent_path());
  write_bytes(default_database(), bytes);
  EXPECT_THAT(Snapshot(default_database()).damage(), testing::Not(IsEmpty()));
  unsetenv("XDG_DATA_HOME");
}

TEST_F(StoreFailures, a_value_this_program_does_not_know_costs_its_row) {
  fill(file_, 2);
  SQLite::Database(file_.string(), SQLite::OPEN_READWRITE)
      .exec("PRAGMA ignore_check_constraints = ON; UPDATE measurement SET regime = 'lukewarm'");
  for (const ResultRow& row : Snapshot(file_).results()) {
    EXPECT_EQ(row.status, Status::failed);
    EXPECT_THAT(row.reason, HasSubstr("lukewarm"));
  }
}

int no_locks(int descriptor, int command, void* argument) {
  if (command == F_SETLK) return errno = ENOLCK, -1;
  return ::fcntl(descriptor, command, argument);
}

TEST_F(StoreFailures, a_file_system_without_locks_is_not_another_program) {
  fill(file_, 2);
  sqlite3_vfs* const system = sqlite3_vfs_find(nullptr);
  const auto usual = system->xGetSystemCall(system, "fcntl");
  system->xSetSystemCall(system, "fcntl", reinterpret_cast<sqlite3_syscall_ptr>(&no_locks));
  const std::string reading = failure_of([&] { Snapshot{file_}; });
  const std::string writing = failure_of([&] { Store{file_}; });
  system->xSetSystemCall(system, "fcntl", usual);
  EXPECT_THAT(reading, HasSubstr("no locks (ENOLCK)"));
  EXPECT_THAT(writing, HasSubstr("no locks (ENOLCK)"));
  EXPECT_THAT(Snapshot(file_).results(), SizeIs(2));
}

TEST_F(StoreFailures, folders_and_special_files_are_refused) {
  EXPECT_THAT(failure_of([&] { Store store(folder_.path()); }), HasSubstr("it is a folder"));
  EXPECT_THAT(failure_of([&] { Snapshot snapshot(folder_.path()); }), HasSubstr("it is a folder"));
  EXPECT_THAT(failure_of([&] { Store store("/dev/null"); }), HasSubstr("not a regular file"));
  ASSERT_EQ(::mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  EXPECT_THAT(failure_of([&] { Snapshot snapshot(folder_ / "fifo"); }), HasSubstr("not a regular file"));
  EXPECT_THAT(failure_of([&] { Store store(""); }), HasSubstr("its name is empty"));
}

TEST_F(StoreFailures, a_missing_folder_is_created_unless_a_file_is_in_the_way) {
  { Store store(folder_ / "a/b/c.db"); }
  EXPECT_TRUE(fs::exists(folder_ / "a/b/c.db"));
  EXPECT_THAT(failure_of([&] { Store store(folder_ / "a/b/c.db/d.db"); }), HasSubstr("cannot"));
}

TEST_F(StoreFailures, reading_what_is_missing_or_empty_creates_nothing) {
  EXPECT_THAT(failure_of([&] { Snapshot snapshot(file_); }), HasSubstr("there is no such file"));
  EXPECT_THAT(failure_of([&] { Snapshot snapshot(folder_ / "no/such/folder.db"); }),
              HasSubstr("there is no such file"));
  EXPECT_FALSE(fs::exists(file_));
  write_bytes(file_, "");
  EXPECT_THAT(failure_of([&] { Snapshot snapshot(file_); }), HasSubstr("it is empty"));
  Store store(file_);
  EXPECT_THAT(Snapshot(file_).sweeps(), IsEmpty());
}

TEST_F(StoreFailures, a_file_that_vanishes_while_it_is_open_is_noticed) {
  Store store(file_);
  const std::int64_t sweep = begin(store);
  store.add(sweep, synthetic_measurement(0));
  const Snapshot snapshot(file_);
  fs::rename(file_, folder_ / "moved.db");
  EXPECT_THAT(failure_of([&] { store.add(sweep, synthetic_measurement(1)); }), HasSubstr("moved, deleted or replaced"));
  EXPECT_THAT(failure_of([&] { snapshot.data_version(); }), HasSubstr("moved, deleted or replaced"));
  fs::rename(folder_ / "moved.db", file_);
  store.add(sweep, synthetic_measurement(1));
  EXPECT_THAT(snapshot.results(), SizeIs(2));
}

TEST_F(StoreFailures, an_import_that_fails_copies_nothing_and_names_its_source) {
  const fs::path source = folder_ / "source.db";
  fill(source, 100, 30);
  SQLite::Database(source.string(), SQLite::OPEN_READWRITE)
      .exec("PRAGMA foreign_keys = OFF; UPDATE measurement SET environment = 99 WHERE id = 2");
  fill(file_, 3);
  Store store(file_);
  std::stop_source stop;
  ImportRules rules;
  rules.left_out = [&stop](const std::string&) { stop.request_stop(); };  // in the middle of it
  rules.cancel = stop.get_token();
  EXPECT_THAT(failure_of([&] { store.import(source, rules); }),
              AllOf(HasSubstr("cannot import"), HasSubstr("source.db"), HasSubstr("it was cancelled")));
  EXPECT_THAT(Snapshot(file_).sweeps(), SizeIs(1));
  EXPECT_THAT(Snapshot(file_).results(), SizeIs(3));
  EXPECT_THAT(failure_of([&] { store.import(folder_ / "missing.db"); }), HasSubstr("missing.db"));
  write_bytes(folder_ / "text.db", "no database");
  EXPECT_THAT(failure_of([&] { store.import(folder_ / "text.db"); }), HasSubstr("text.db"));
}

}  // namespace
}  // namespace triscope
