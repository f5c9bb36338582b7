// A folder for copies is removed also after a kill, by who comes next; what is somebody else's stays.
#include "profiler/store/open/private_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <set>

#include "profiler/store/store.hpp"
#include "tests/profiler/store/synthetic_database.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

/// Leaves a folder with a copy and its companions in `parent`, as a kill does; its name.
std::string leave_behind(const fs::path& parent) {
  const auto before = names_in(parent);
  const pid_t child = ::fork();
  if (child == 0) {
    const PrivateFolder folder(parent);
    for (const char* end : {"", "-journal", "-wal", "-shm"}) std::ofstream(folder.database().string() + end) << "pages";
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  for (const std::string& name : names_in(parent))
    if (!before.contains(name)) return name;
  return "";
}

TEST(PrivateFolder, of_a_killed_program_is_removed_by_the_next) {
  const TemporaryFolder parent;
  ASSERT_THAT(leave_behind(parent.path()), testing::StartsWith(".triscope-"));
  const PrivateFolder next(parent.path());
  EXPECT_THAT(names_in(parent.path()), ElementsAre(next.path().filename()));
}

TEST(PrivateFolder, of_a_program_that_runs_stays) {
  const TemporaryFolder parent;
  const PrivateFolder first(parent.path());
  std::ofstream(first.database()) << "pages";
  const PrivateFolder second(parent.path());
  remove_abandoned_folders(parent.path());
  EXPECT_EQ(read_bytes(first.database()), "pages");
  EXPECT_TRUE(fs::exists(second.path()));
}

TEST(PrivateFolder, is_gone_with_all_that_it_holds) {
  const TemporaryFolder parent;
  { std::ofstream(PrivateFolder(parent.path()).database()) << "pages"; }
  EXPECT_THAT(names_in(parent.path()), IsEmpty());
}

TEST(PrivateFolder, what_only_looks_like_one_stays) {
  const TemporaryFolder parent, elsewhere;
  const auto make = [&](const char* name) {
    fs::create_directory(parent / name);
    fs::permissions(parent / name, fs::perms::owner_all);
    std::ofstream(parent / name / "database") << "precious";
  };
  for (const char* name : {".triscope-others", ".triscope-7chars7", ".triscope-"}) make(name);
  fs::permissions(parent / ".triscope-others", fs::perms(0777));  // somebody else may have put something there
  make(".triscope-mixed1");
  std::ofstream(parent / ".triscope-mixed1" / "notes") << "my own";
  fs::permissions(elsewhere.path(), fs::perms::owner_all);
  elsewhere.write("database", "precious");
  fs::create_directory_symlink(elsewhere.path(), parent / ".triscope-linked");
  parent.write(".triscope-afile1", "precious");
  const auto before = names_in(parent.path());
  remove_abandoned_folders(parent.path());
  EXPECT_EQ(names_in(parent.path()), before);
  for (const std::string& name : before) {
    const fs::path one = parent / name;
    EXPECT_EQ(read_bytes(fs::is_directory(one) ? one / "database" : one), "precious") << name;
  }
}

TEST(PrivateFolder, a_link_in_one_is_removed_and_not_what_it_leads_to) {
  const TemporaryFolder parent, elsewhere;
  const fs::path victim = elsewhere.write("precious.txt", "precious");
  const fs::path left = parent / leave_behind(parent.path());
  fs::remove(left / "database");
  fs::create_symlink(victim, left / "database");
  remove_abandoned_folders(parent.path());
  EXPECT_THAT(names_in(parent.path()), IsEmpty());
  EXPECT_EQ(read_bytes(victim), "precious");
}

TEST(PrivateFolder, of_another_user_stays) {
  if (::geteuid() != 0) GTEST_SKIP() << "cannot make a file of another user";
  const TemporaryFolder parent;
  const std::string left = leave_behind(parent.path());
  constexpr uid_t kNobody = 65534;
  ASSERT_EQ(::chown((parent / left).c_str(), kNobody, kNobody), 0);
  remove_abandoned_folders(parent.path());
  EXPECT_THAT(names_in(parent.path()), ElementsAre(left));
}

TEST(PrivateFolder, one_that_was_left_is_removed_when_any_strangers_database_is_opened) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "copies");
  leave_behind(folder / "copies");
  const fs::path file = folder / "x.db";
  write_synthetic_database(file, 3, 4);
  ::setenv("TMPDIR", (folder / "copies").c_str(), 1);
  { Snapshot{file}; }
  ::unsetenv("TMPDIR");
  EXPECT_THAT(names_in(folder / "copies"), IsEmpty());
}

}  // namespace
}  // namespace triscope
