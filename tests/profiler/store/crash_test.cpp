// Crash safety as SQLite tests it: every write, sync, truncation and deletion in the life of a database fails once, or
// is the last thing the process does. What was acknowledged must be there, whole, and the database must go on.
// TRISCOPE_EVERY_POINT=1 build/bin/test_profiler --gtest_filter='Crash.*' tries every point instead of every seventh.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "kernels/base/error.hpp"
#include "profiler/store/store.hpp"
#include "tests/profiler/store/failing_vfs.hpp"
#include "tests/profiler/store/synthetic_database.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMeasurements = 3, kImported = 2, kSamples = 3;

/// One step; a fault happens once, so a second try must succeed. Acknowledges it with one byte.
template <typename Step>
void must_do(int acknowledge, char name, Step step) {
  for (int attempt = 1;; ++attempt) {
    try {
      step();
      if (::write(acknowledge, &name, 1) != 1) ::_exit(4);
      return;
    } catch (const std::exception& error) {
      if (attempt == 1) continue;
      std::fprintf(stderr, "step %c failed twice: %s\n", name, error.what());
      ::_exit(3);
    }
  }
}

/// The life of a database, from its creation to the import of another.
void live(const fs::path& file, const fs::path& other, int acknowledge) {
  std::optional<Store> store;
  std::int64_t sweep = 0;
  must_do(acknowledge, 'c', [&] { store.emplace(file); });
  must_do(acknowledge, 's',
          [&] { sweep = store->begin_sweep("triscope sweep", "{}", synthetic_environment(), kMeasurements); });
  for (std::int64_t n = 0; n < kMeasurements; ++n) {
    must_do(acknowledge, 'm', [&] { store->add(sweep, synthetic_measurement(n, kSamples)); });
  }
  must_do(acknowledge, 'f', [&] { store->finish_sweep(sweep); });
  must_do(acknowledge, 'i', [&] { store->import(other); });
  store.reset();
}

class Crash : public testing::Test {
 protected:
  Crash() {
    Store store(other_);
    const std::int64_t sweep = store.begin_sweep("triscope sweep", "{}", synthetic_environment(), kImported);
    for (std::int64_t n = 0; n < kImported; ++n) store.add(sweep, synthetic_measurement(100 + n, kSamples));
    store.finish_sweep(sweep);
  }

  /// The calls of a life without a fault.
  std::int64_t count_points() {
    int channel[2];
    EXPECT_EQ(::pipe(channel), 0);
    install_failing_vfs(Fault::none, -1);
    live(file_, other_, channel[1]);
    const std::int64_t points = remove_failing_vfs();
    ::close(channel[0]);
    ::close(channel[1]);
    remove_database();
    return points;
  }

  /// Lives in a child process with one fault; returns what was acknowledged.
  std::string live_with(Fault fault, std::int64_t point) {
    int channel[2];
    EXPECT_EQ(::pipe(channel), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      install_failing_vfs(fault, point);
      live(file_, other_, channel[1]);
      ::_exit(0);
    }
    ::close(channel[1]);
    std::string acknowledged;
    char byte = 0;
    while (::read(channel[0], &byte, 1) == 1) acknowledged += byte;
    ::close(channel[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    const bool ends = fault >= Fault::kill;
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), ends ? kKilledExitCode : 0);
    return acknowledged;
  }

  /// All that was acknowledged is there, whole; nothing is there by half; the database goes on.
  void expect_sound(const std::string& acknowledged) {
    if (!acknowledged.starts_with("c")) {
      std::error_code none;
      if (!fs::exists(file_) || fs::file_size(file_, none) == 0) return;  // not yet created
    } else {
      const Snapshot snapshot(file_);
      EXPECT_THAT(snapshot.damage(), testing::IsEmpty());
      std::int64_t own = 0, imported = 0;
      for (const ResultRow& row : snapshot.results()) {
        (row.sweep == 1 ? own : imported) += 1;
        EXPECT_EQ(snapshot.samples(row.measurement).size(), static_cast<std::size_t>(kSamples));
        EXPECT_EQ(snapshot.measurement(row.measurement)->errors.size(), 2u);
      }
      const std::int64_t promised = std::count(acknowledged.begin(), acknowledged.end(), 'm');
      EXPECT_GE(own, promised);
      EXPECT_LE(own, promised + 1) << "more than the one in flight";
      EXPECT_TRUE(imported == 0 || imported == kImported) << imported << ": an import is all or nothing";
      EXPECT_TRUE(imported == kImported || !acknowledged.ends_with("i"));
      const std::optional<SweepInfo> sweep = snapshot.sweep(1);
      EXPECT_TRUE(sweep || !acknowledged.starts_with("cs"));
      EXPECT_TRUE(acknowledged.find('f') == std::string::npos || !sweep->finished.empty());
    }
    Store store(file_);
    const std::int64_t next = store.begin_sweep("triscope sweep", "{}", synthetic_environment(), 1);
    EXPECT_GT(store.add(next, synthetic_measurement(50, kSamples)), 0);
  }

  void try_every(Fault fault) {
    const std::int64_t points = count_points();
    ASSERT_GT(points, 50);
    const std::int64_t step = std::getenv("TRISCOPE_EVERY_POINT") != nullptr ? 1 : 7;
    std::int64_t tried = 0;
    for (std::int64_t point = 0; point < points && !HasFailure(); point += step, ++tried) {
      SCOPED_TRACE("point " + std::to_string(point));
      expect_sound(live_with(fault, point));
      remove_database();
    }
    std::printf("%lld of %lld points\n", static_cast<long long>(tried), static_cast<long long>(points));
  }

  void remove_database() {
    for (const char* end : {"", "-wal", "-shm", "-journal"}) fs::remove(file_.string() + end);
  }

  TemporaryFolder folder_;
  fs::path file_ = folder_ / "results.db", other_ = folder_ / "other.db";
};

TEST_F(Crash, a_full_disk_loses_nothing) { try_every(Fault::disk_full); }
TEST_F(Crash, an_error_of_the_disk_loses_nothing) { try_every(Fault::io_error); }
TEST_F(Crash, a_short_write_loses_nothing) { try_every(Fault::short_write); }
TEST_F(Crash, an_error_that_comes_after_the_write_loses_nothing) { try_every(Fault::late_error); }
TEST_F(Crash, a_signal_amid_a_write_loses_nothing) { try_every(Fault::interrupted); }
TEST_F(Crash, a_kill_after_a_sync_loses_nothing_that_was_acknowledged) { try_every(Fault::kill_after); }
TEST_F(Crash, a_kill_amid_a_write_loses_nothing_that_was_acknowledged) { try_every(Fault::kill_amid); }
TEST_F(Crash, a_power_cut_after_a_sync_loses_nothing_that_was_acknowledged) { try_every(Fault::power_cut_after); }
TEST_F(Crash, a_power_cut_that_tears_otherwise_loses_nothing_that_was_acknowledged) {
  try_every(Fault::other_torn_cut);
}
TEST_F(Crash, a_kill_loses_nothing_that_was_acknowledged) { try_every(Fault::kill); }
TEST_F(Crash, a_power_cut_loses_nothing_that_was_acknowledged) { try_every(Fault::power_cut); }
TEST_F(Crash, a_power_cut_amid_the_writes_loses_nothing_that_was_acknowledged) { try_every(Fault::torn_cut); }

}  // namespace
}  // namespace triscope
