// Reading where nothing can be written any more.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "kernels/base/error.hpp"
#include "profiler/store/open/default_database.hpp"
#include "profiler/store/store.hpp"
#include "tests/profiler/store/synthetic_database.hpp"
#include "tests/profiler/supervise/child_process.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

namespace fs = std::filesystem;
using testing::StartsWith;

class ReadOnFullDisk : public testing::Test {
 protected:
  std::string in_child(const std::function<std::string()>& body) const {
    return ChildProcess([&](int write_end) {
             const std::string answer = body();
             if (::write(write_end, answer.data(), answer.size()) < 0) ::_exit(1);
           })
        .read_all();
  }
  /// Runs `body` where the folder is a small disk of its own.
  std::string on_small_disk(const std::function<std::string()>& body) const {
    return in_child([&]() -> std::string {
      if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return "skip: no mount namespace";
      ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
      if (::mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, "size=1m") != 0)
        return "skip: no rights to mount a tmpfs";
      return body();
    });
  }
  void fill_disk() const { std::ofstream(folder_ / "ballast") << std::string(1 << 20, 'b'); }
  /// Lets SQLite try to read `file`, without our ways around a full disk.
  static std::string what_sqlite_says(const fs::path& file) {
    try {
      SQLite::Database(file.string(), SQLite::OPEN_READWRITE).execAndGet("SELECT count(*) FROM sweep");
    } catch (const SQLite::Exception& exception) {
      return exception.what();
    }
    return "nothing";
  }
  /// How many rows there are, and what lies in the folder afterwards.
  std::string what_is_read() const {
    std::string said;
    try {
      said = std::to_string(Snapshot(file_).results().size()) + " rows";
    } catch (const Error& error) {
      said = error.what();
    }
    for (const fs::directory_entry& one : fs::directory_iterator(folder_.path()))
      if (one.path() != folder_ / "ballast") said += ", " + one.path().filename().string();
    return said;
  }

  TemporaryFolder folder_;
  fs::path file_ = folder_ / "results.db";
};

TEST_F(ReadOnFullDisk, a_database_is_read_and_nothing_is_left_beside_it) {
  const std::string answer = on_small_disk([&] {
    write_synthetic_database(file_, 10, 3);
    fill_disk();
    return what_is_read();
  });
  if (answer.starts_with("skip")) GTEST_SKIP() << answer;
  EXPECT_EQ(answer, "10 rows, results.db");
}

TEST_F(ReadOnFullDisk, an_index_that_was_cut_short_is_none) {
  const std::string answer = on_small_disk([&] {
    write_synthetic_database(file_, 10, 3);
    fill_disk();
    const std::string said = what_sqlite_says(file_);
    return said + fmt::format(", {} bytes; ", fs::file_size(file_.string() + "-shm")) + what_is_read();
  });
  if (answer.starts_with("skip")) GTEST_SKIP() << answer;
  EXPECT_THAT(answer, StartsWith("disk I/O error, 3 bytes; 10 rows"));
}

TEST_F(ReadOnFullDisk, the_newest_writes_of_ones_own_database_are_read_from_its_log) {
  ::setenv("XDG_DATA_HOME", folder_.path().c_str(), 1);
  const fs::path own = default_database(), log = own.string() + "-wal";
  const std::string answer = on_small_disk([&]() -> std::string {
    ChildProcess writer([&](int write_end) {
      Store store(own);
      store.set_note(store.begin_sweep("triscope sweep", "{}", synthetic_environment(), 1), "the newest");
      if (::write(write_end, "x", 1) != 1) ::_exit(1);
      ::pause();
    });
    if (writer.wait_for(1) != 1) return "the writer did not begin";
    writer.kill();
    fs::remove(own.string() + "-shm");  // as after a restart of the machine that lost it
    fill_disk();
    const std::uintmax_t bytes = fs::file_size(log);
    const std::string said = what_sqlite_says(own), note = Snapshot(own).sweep(1)->note;
    return said + "; " + note + (bytes > 0 && fs::file_size(log) == bytes ? "; the log is whole" : "; it is not");
  });
  ::unsetenv("XDG_DATA_HOME");
  if (answer.starts_with("skip")) GTEST_SKIP() << answer;
  EXPECT_EQ(answer, "disk I/O error; the newest; the log is whole");
}

TEST_F(ReadOnFullDisk, a_log_with_its_index_needs_no_room_elsewhere) {
  ::setenv("XDG_DATA_HOME", folder_.path().c_str(), 1);
  const fs::path own = default_database();
  const std::string answer = on_small_disk([&]() -> std::string {
    ::setenv("TMPDIR", folder_.path().c_str(), 1);  // as where all is one disk
    ChildProcess writer([&](int write_end) {
      Store store(own);
      store.set_note(store.begin_sweep("triscope sweep", "{}", synthetic_environment(), 1), "the newest");
      if (::write(write_end, "x", 1) != 1) ::_exit(1);
      ::pause();
    });
    if (writer.wait_for(1) != 1) return "the writer did not begin";
    writer.kill();
    fill_disk();
    try {
      return Snapshot(own).sweep(1)->note;
    } catch (const Error& error) {
      return error.what();
    }
  });
  ::unsetenv("XDG_DATA_HOME");
  if (answer.starts_with("skip")) GTEST_SKIP() << answer;
  EXPECT_EQ(answer, "the newest");
}

TEST_F(ReadOnFullDisk, a_database_that_does_not_fit_is_not_begun) {
  const fs::path file = folder_ / "of/results/new.db";
  const std::string answer = on_small_disk([&] {
    std::string said;
    int begun = 0, refused = 0;
    for (std::size_t free = 0; free <= 400; free += 4) {  // KiB
      fs::remove_all(folder_ / "of");
      std::ofstream(folder_ / "ballast", std::ios::trunc) << std::string((1024 - free) << 10, 'b');
      try {
        Store(file).begin_sweep("triscope sweep", "{}", synthetic_environment(), 1);
        ++begun;
      } catch (const Error&) {
        ++refused;
        for (const fs::directory_entry& one : fs::recursive_directory_iterator(folder_.path()))
          if (one.path() != folder_ / "ballast") said += fmt::format("{} KiB: {}\n", free, one.path().string());
      }
    }
    return said.empty() && begun > 0 && refused > 0 ? "nothing is left" : fmt::format("{}{}", begun, said);
  });
  if (answer.starts_with("skip")) GTEST_SKIP() << answer;
  EXPECT_EQ(answer, "nothing is left");
}

TEST_F(ReadOnFullDisk, a_database_as_large_as_a_file_may_be_is_read_too) {
  write_synthetic_database(file_, 10, 3);
  const std::string answer = in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1024, 1024};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    return what_is_read();
  });
  EXPECT_EQ(answer, "10 rows, results.db");
}

TEST_F(ReadOnFullDisk, at_a_limit_on_files_it_is_read_with_locks_where_these_fit) {
  write_synthetic_database(file_, 10, 3);
  const std::string answer = in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit usual{};
    ::getrlimit(RLIMIT_FSIZE, &usual);
    const rlimit limit{100 * 1024, usual.rlim_max};  // the index of a log is smaller
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const Snapshot opened(file_);
    const std::size_t before = opened.results().size();
    ::setrlimit(RLIMIT_FSIZE, &usual);
    write_synthetic_database(file_, 5, 3);
    return fmt::format("{} rows, then {}", before, opened.results().size());
  });
  EXPECT_EQ(answer, "10 rows, then 15");
}

}  // namespace
}  // namespace triscope
