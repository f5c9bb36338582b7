// Reading where nothing can be written any more.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "kernels/base/error.hpp"
#include "profiler/store/store.hpp"
#include "tests/profiler/store/synthetic_database.hpp"
#include "tests/profiler/supervise/child_process.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

namespace fs = std::filesystem;

class ReadOnFullDisk : public testing::Test {
 protected:
  std::string in_child(const std::function<std::string()>& body) const {
    return ChildProcess([&](int write_end) {
             const std::string answer = body();
             if (::write(write_end, answer.data(), answer.size()) < 0) ::_exit(1);
           })
        .read_all();
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
  const std::string answer = in_child([&]() -> std::string {
    if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return "skip: no mount namespace";
    ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    if (::mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, "size=1m") != 0) return "skip: no rights to mount a tmpfs";
    write_synthetic_database(file_, 10, 3);
    std::ofstream(folder_ / "ballast") << std::string(1 << 20, 'b');
    return what_is_read();
  });
  if (answer.starts_with("skip")) GTEST_SKIP() << answer;
  EXPECT_EQ(answer, "10 rows, results.db");
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
