// A lock that one process holds at a time and no death leaves behind.
#include "profiler/store/open/sweep_lock.hpp"

#include <gmock/gmock.h>

#include <memory>

#include "kernels/base/error.hpp"
#include "tests/profiler/supervise/child_process.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

TEST(SweepLock, is_held_by_one_and_ends_with_it) {
  TemporaryFolder folder;
  const std::filesystem::path database = folder / "results.db";
  EXPECT_FALSE(is_being_measured(database, 3));
  auto lock = std::make_unique<SweepLock>(database, 3);
  EXPECT_TRUE(is_being_measured(database, 3));
  EXPECT_FALSE(is_being_measured(database, 4));
  EXPECT_THROW(SweepLock(database, 3), Error);
  EXPECT_NO_THROW(SweepLock(database, 4));
  lock.reset();
  EXPECT_FALSE(is_being_measured(database, 3));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_NO_THROW(SweepLock(database, 3));
}

TEST(SweepLock, is_the_same_through_a_link_to_the_database) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder / "real");
  std::filesystem::create_symlink(folder / "real", folder / "link");
  const SweepLock lock(folder / "real" / "results.db", 1);
  EXPECT_TRUE(is_being_measured(folder / "link" / "results.db", 1));
}

TEST(SweepLock, does_not_follow_a_link_that_somebody_put_in_its_place) {
  TemporaryFolder folder;
  std::filesystem::create_symlink("elsewhere", folder / "results.db.sweep3.lock");
  EXPECT_THROW(SweepLock(folder / "results.db", 3), Error);
  EXPECT_FALSE(is_being_measured(folder / "results.db", 3));
  EXPECT_FALSE(std::filesystem::exists(folder / "elsewhere"));
}

TEST(SweepLock, ends_with_a_process_that_is_killed) {
  TemporaryFolder folder;
  const std::filesystem::path database = folder / "results.db";
  ChildProcess child([&](int write_end) {
    const SweepLock lock(database, 1);
    [[maybe_unused]] const ssize_t ignored = write(write_end, "l", 1);
    pause();
  });
  ASSERT_EQ(child.wait_for(1), 1u);
  EXPECT_TRUE(is_being_measured(database, 1));
  EXPECT_THROW(SweepLock(database, 1), Error);
  child.kill();
  EXPECT_FALSE(is_being_measured(database, 1));
  EXPECT_NO_THROW(SweepLock(database, 1));
}

TEST(SweepLock, a_folder_that_cannot_be_written_to_is_named) { EXPECT_THROW(SweepLock("/proc/results.db", 1), Error); }

TEST(SweepLock, a_lock_that_cannot_be_read_is_not_called_free) {
  const TemporaryFolder folder;
  const std::filesystem::path database = folder / "results.db";
  EXPECT_FALSE(is_being_measured(database, 1));
  std::filesystem::create_symlink("results.db.sweep1.lock", folder / "results.db.sweep1.lock");  // leads to itself
  EXPECT_TRUE(is_being_measured(database, 1));
}

}  // namespace
}  // namespace triscope
