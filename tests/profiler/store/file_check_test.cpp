// What the process that looks through a stranger's file can still do: read what was open, and end.
#include "profiler/store/open/file_check.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/fs.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <thread>

#include "kernels/base/error.hpp"
#include "kernels/base/files/program_folder.hpp"
#include "profiler/store/check/confinement.hpp"
#include "profiler/store/store.hpp"
#include "tests/profiler/store/hostile_databases.hpp"
#include "tests/profiler/store/synthetic_database.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

/// The exit code of a child process that gives up its rights and then runs `action`; 100 and more: a signal ended it.
int confined(const std::function<int()>& action, const std::function<void()>& give_up = confine_process) {
  const pid_t child = ::fork();
  if (child == 0) {
    give_up();
    ::_exit(action());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

constexpr int kAllowed = 0, kRefused = 1;
int outcome(bool refused) { return refused ? kRefused : kAllowed; }

class Confined : public testing::Test {
 protected:
  void SetUp() override {
    if (!missing_confinement().empty()) GTEST_SKIP() << "this kernel lacks " << missing_confinement().front();
  }
};

TEST_F(Confined, no_file_is_opened_and_none_is_made) {
  const TemporaryFolder folder;
  const std::string other = folder / "other", fresh = folder / "new";
  std::ofstream(other) << "text";
  EXPECT_EQ(confined([&] { return outcome(::open(other.c_str(), O_RDONLY) < 0); }), kRefused);
  EXPECT_EQ(confined([&] { return outcome(::open(fresh.c_str(), O_WRONLY | O_CREAT, 0600) < 0); }), kRefused);
  EXPECT_EQ(confined([&] { return outcome(::unlink(other.c_str()) != 0); }), kRefused);
  EXPECT_EQ(confined([&] { return outcome(::rename(other.c_str(), fresh.c_str()) != 0); }), kRefused);
  EXPECT_EQ(confined([&] { return outcome(::chmod(other.c_str(), 0777) != 0); }), kRefused);
  EXPECT_TRUE(std::filesystem::exists(other));
}

TEST_F(Confined, no_program_no_process_no_socket_no_signal) {
  const char* const command[] = {"/bin/true", nullptr};
  EXPECT_EQ(confined([&] { return ::execv(command[0], const_cast<char* const*>(command)) != 0 ? kRefused : kAllowed; }),
            kRefused);
  EXPECT_EQ(confined([] { return outcome(::fork() < 0); }), kRefused);
  EXPECT_EQ(confined([] { return outcome(::socket(AF_INET, SOCK_STREAM, 0) < 0); }), kRefused);
  EXPECT_EQ(confined([] { return outcome(::socket(AF_UNIX, SOCK_STREAM, 0) < 0); }), kRefused);
  EXPECT_EQ(confined([] { return outcome(::kill(::getppid(), 0) != 0); }), kRefused);
}

TEST_F(Confined, no_memory_is_made_executable) {
  const auto map = [](int protection) {
    return ::mmap(nullptr, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
  };
  EXPECT_EQ(confined([&] { return outcome(map(PROT_READ | PROT_WRITE | PROT_EXEC)); }), kRefused);
  EXPECT_EQ(confined([&] { return outcome(map(PROT_READ | PROT_WRITE)); }), kAllowed);
}

TEST_F(Confined, what_was_open_is_read) {
  const TemporaryFolder folder;
  std::ofstream(folder / "file") << "text";
  const int descriptor = ::open((folder / "file").c_str(), O_RDONLY);
  char bytes[4];
  EXPECT_EQ(confined([&] { return outcome(::read(descriptor, bytes, sizeof bytes) != 4); }), kAllowed);
  ::close(descriptor);
}

TEST_F(Confined, a_reader_reads_all_and_writes_in_its_folders_alone) {
  const TemporaryFolder own, other;
  const std::string mine = own / "mine", theirs = other.write("theirs", "text"), moved = own / "moved";
  const auto reader = [&](const std::function<bool()>& refused) {
    return confined([&] { return outcome(refused()); }, [&] { confine_reader({own.path()}); });
  };
  EXPECT_EQ(reader([&] { return ::open(theirs.c_str(), O_RDONLY) < 0; }), kAllowed);
  EXPECT_EQ(reader([&] { return ::open(mine.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600) < 0; }), kAllowed);
  EXPECT_EQ(reader([&] { return ::rename(mine.c_str(), moved.c_str()) != 0 || ::unlink(moved.c_str()) != 0; }),
            kAllowed);
  EXPECT_EQ(reader([] { return ::open("/dev/null", O_WRONLY) < 0; }), kAllowed);
  EXPECT_EQ(reader([&] { return ::open(theirs.c_str(), O_WRONLY) < 0; }), kRefused);
  EXPECT_EQ(reader([&] { return ::open((other / "new").c_str(), O_WRONLY | O_CREAT, 0600) < 0; }), kRefused);
  EXPECT_EQ(reader([&] { return ::unlink(theirs.c_str()) != 0; }), kRefused);
  EXPECT_EQ(read_bytes(theirs), "text");
}

TEST_F(Confined, a_reader_starts_nothing_and_talks_to_nobody) {
  const TemporaryFolder own;
  const auto reader = [&](const std::function<bool()>& refused) {
    return confined([&] { return outcome(refused()); }, [&] { confine_reader({own.path()}); });
  };
  const char* const command[] = {"/bin/false", nullptr};
  EXPECT_EQ(reader([&] { return ::execv(command[0], const_cast<char* const*>(command)) != 0; }), kRefused);
  for (const int kind : {AF_INET, AF_UNIX})
    EXPECT_EQ(reader([kind] { return ::socket(kind, SOCK_STREAM, 0) < 0; }), kRefused);
  EXPECT_EQ(reader([] { return ::kill(::getppid(), 0) != 0; }), kRefused);
  const auto map = [](int protection) {
    return ::mmap(nullptr, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
  };
  EXPECT_EQ(reader([&] { return map(PROT_READ | PROT_WRITE | PROT_EXEC); }), kRefused);
  EXPECT_EQ(reader([&] { return map(PROT_READ | PROT_WRITE); }), kAllowed);
}

TEST_F(Confined, a_reader_changes_no_mode_owner_time_or_attribute) {
  const TemporaryFolder other;
  const std::string theirs = other.write("theirs", "text");
  const auto reader = [&](const std::function<bool()>& refused, FileModes modes = FileModes::fixed) {
    return confined([&] { return outcome(refused()); }, [&] { confine_reader({other.path()}, modes); });
  };
  const int descriptor = ::open(theirs.c_str(), O_RDONLY);
  EXPECT_EQ(reader([&] { return ::chmod(theirs.c_str(), 0777) != 0; }), kRefused);
  EXPECT_EQ(reader([&] { return ::fchmod(descriptor, 0777) != 0; }), kRefused);
  EXPECT_EQ(reader([&] { return ::fchmod(descriptor, 0600) != 0; }, FileModes::changeable), kAllowed);
  EXPECT_EQ(reader([&] { return ::chmod(theirs.c_str(), 0777) != 0; }, FileModes::changeable), kRefused);
  EXPECT_EQ(reader([&] { return ::chown(theirs.c_str(), ::getuid(), ::getgid()) != 0; }), kRefused);
  EXPECT_EQ(reader([&] { return ::fchown(descriptor, ::getuid(), ::getgid()) != 0; }), kRefused);
  EXPECT_EQ(reader([&] { return ::utimensat(AT_FDCWD, theirs.c_str(), nullptr, 0) != 0; }), kRefused);
  EXPECT_EQ(reader([&] { return ::setxattr(theirs.c_str(), "user.a", "b", 1, 0) != 0 && errno == EPERM; }), kRefused);
  ::close(descriptor);
}

/// Whether `attempt` (0: done, or an errno) is done without confinement, and answered by EPERM or, of a file, EACCES in
/// a reader whose folder is `folder`.
void expect_refused_to_readers(const char* what, const std::function<int()>& attempt,
                               const std::filesystem::path& folder = {}) {
  if (const int without = confined(attempt, [] {}); without != 0)
    std::printf("skipped: %s is refused here without a filter too (%s)\n", what, std::strerror(without));
  const int code = confined(attempt, [&] { confine_reader({folder.empty() ? "/nowhere" : folder}); });
  EXPECT_TRUE(code == EPERM || code == EACCES || code == ENOSYS) << what << ": " << std::strerror(code);
}

int errno_of(long result) { return result < 0 ? errno : 0; }

TEST_F(Confined, a_reader_starts_no_process_but_threads) {
  const auto ends = [](long child) {  // in the child: ended at once
    if (child == 0) ::_exit(0);
    return errno_of(child);
  };
  expect_refused_to_readers("fork", [&] { return ends(::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)); });
#if defined(SYS_fork)
  expect_refused_to_readers("fork of its own", [&] { return ends(::syscall(SYS_fork)); });
#endif
  expect_refused_to_readers("clone3", [&] {
    std::uint64_t arguments[8] = {};
    arguments[4] = SIGCHLD;
    return ends(::syscall(435 /* clone3 */, arguments, sizeof arguments));
  });
  const auto thread = [] {
    bool ran = false;
    std::thread([&] { ran = true; }).join();
    return outcome(!ran);
  };
  EXPECT_EQ(confined(thread, [] { confine_reader({}); }), kAllowed);
}

TEST_F(Confined, a_reader_gets_no_executable_memory_by_other_names) {
  void* const page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  expect_refused_to_readers("mprotect", [&] { return errno_of(::mprotect(page, 4096, PROT_READ | PROT_EXEC)); });
  expect_refused_to_readers(
      "pkey_mprotect", [&] { return errno_of(::syscall(SYS_pkey_mprotect, page, 4096, PROT_READ | PROT_EXEC, -1)); });
  expect_refused_to_readers("personality", [] { return errno_of(::personality(READ_IMPLIES_EXEC)); });
  const int shared = ::shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0700);
  ASSERT_GE(shared, 0);
  expect_refused_to_readers(
      "shmat", [&] { return ::shmat(shared, nullptr, SHM_EXEC) == reinterpret_cast<void*>(-1) ? errno : 0; });
  ::shmctl(shared, IPC_RMID, nullptr);
  ::munmap(page, 4096);
}

TEST_F(Confined, a_reader_leaves_other_processes_as_they_are) {
  const pid_t other = ::getpid();
  rlimit limit{};
  expect_refused_to_readers("prlimit", [&] { return errno_of(::prlimit(other, RLIMIT_NOFILE, nullptr, &limit)); });
  const int priority = ::getpriority(PRIO_PROCESS, static_cast<id_t>(other));
  expect_refused_to_readers("setpriority",
                            [&] { return errno_of(::setpriority(PRIO_PROCESS, static_cast<id_t>(other), priority)); });
  cpu_set_t processors;
  ASSERT_EQ(::sched_getaffinity(other, sizeof processors, &processors), 0);
  expect_refused_to_readers("sched_setaffinity",
                            [&] { return errno_of(::sched_setaffinity(other, sizeof processors, &processors)); });
  int channel[2];
  ASSERT_EQ(::pipe(channel), 0);
  expect_refused_to_readers("a signal by F_SETOWN", [&] { return errno_of(::fcntl(channel[0], F_SETOWN, other)); });
  const auto own = [&] {
    return outcome(::getrlimit(RLIMIT_NOFILE, &limit) != 0 || ::setrlimit(RLIMIT_NOFILE, &limit) != 0);
  };
  EXPECT_EQ(confined(own, [] { confine_reader({}); }), kAllowed);
  for (const int end : channel) ::close(end);
}

TEST_F(Confined, a_reader_writes_to_no_device_but_null_and_its_terminal) {
  const TemporaryFolder folder;
  const auto opens = [](const char* name, int flags) { return errno_of(::open(name, flags, 0600)); };
  expect_refused_to_readers(
      "/dev/zero", [&] { return opens("/dev/zero", O_WRONLY); }, folder.path());
  const std::string shared = "/dev/shm/triscope-test-" + std::to_string(::getpid());
  expect_refused_to_readers(
      "/dev/shm", [&] { return opens(shared.c_str(), O_WRONLY | O_CREAT); }, folder.path());
  ::unlink(shared.c_str());
  EXPECT_EQ(confined([&] { return opens("/dev/null", O_WRONLY); }, [&] { confine_reader({folder.path()}); }), 0);
}

TEST_F(Confined, a_reader_sets_no_flags_of_files) {
  const TemporaryFolder folder;
  const int descriptor = ::open(folder.write("file", "text").c_str(), O_RDWR);
  ASSERT_GE(descriptor, 0);
  int flags = 0;
  fsxattr attributes{};
  // What the file system does not know is refused as well, but not with these words.
  const auto refused = [&](unsigned long request, void* argument) {
    const auto attempt = [&] { return outcome(::ioctl(descriptor, request, argument) != 0 && errno == EPERM); };
    EXPECT_EQ(confined(attempt, [] {}), kAllowed);
    return confined(attempt, [] { confine_reader({}); });
  };
  EXPECT_EQ(refused(FS_IOC_SETFLAGS, &flags), kRefused);
  EXPECT_EQ(refused(FS_IOC_FSSETXATTR, &attributes), kRefused);
  ::close(descriptor);
}

/// Makes a new terminal that of this process, and returns what `request` on it then says: 0, or errno.
int ask_own_terminal(unsigned long request, const std::function<void()>& give_up) {
  const auto attempt = [&] {
    const int other_end = ::posix_openpt(O_RDWR | O_NOCTTY);
    if (other_end < 0 || ::unlockpt(other_end) != 0 || ::setsid() < 0) return errno;
    const int terminal = ::open(::ptsname(other_end), O_RDWR | O_NOCTTY);
    if (terminal < 0 || ::ioctl(terminal, TIOCSCTTY, 0) != 0) return errno;
    winsize size{24, 80, 0, 0};
    give_up();
    return errno_of(request == TIOCSTI ? ::ioctl(terminal, request, "x") : ::ioctl(terminal, request, &size));
  };
  return confined(attempt, [] {});
}

TEST_F(Confined, a_reader_types_nothing_into_its_terminal) {
  const auto reader = [] { confine_reader({}); };
  EXPECT_EQ(ask_own_terminal(TIOCSTI, reader), EPERM);
  const int unconfined = ask_own_terminal(TIOCSTI, [] {});
  // EIO: the kernel has switched it off (dev.tty.legacy_tiocsti); the next calls fall under the same rule.
  EXPECT_TRUE(unconfined == 0 || unconfined == EIO) << std::strerror(unconfined);
  EXPECT_EQ(ask_own_terminal(TIOCSWINSZ, [] {}), 0);
  EXPECT_EQ(ask_own_terminal(TIOCSWINSZ, reader), EPERM);
  EXPECT_EQ(ask_own_terminal(TIOCGWINSZ, reader), 0);
  // The kernel looks at the lower half of the number.
  EXPECT_EQ(ask_own_terminal(TIOCSWINSZ | 0x100000000UL, reader), EPERM);
}

TEST_F(Confined, a_reader_can_still_abort) {
  EXPECT_EQ(confined([]() -> int { std::abort(); }, [] { confine_reader({}); }), 100 + SIGABRT);
  EXPECT_EQ(confined([] { return outcome(::syscall(SYS_tgkill, ::getppid(), ::getppid(), 0) != 0); },
                     [] { confine_reader({}); }),
            kRefused);
}

std::string refusal_of(const std::filesystem::path& file) {
  const Patience patience{{}, std::chrono::seconds(5), {}};
  try {
    require_checked(file, "read", patience);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

class FileCheck : public testing::Test {
 protected:
  FileCheck() { Store(file_).begin_sweep("triscope sweep", "{}", synthetic_environment(), 1); }
  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "some.db";
};

TEST_F(FileCheck, the_program_that_looks_lies_beside_this_one) {
  EXPECT_TRUE(std::filesystem::exists(program_folder() / kFileChecker));
}

TEST_F(FileCheck, a_sound_file_passes_with_and_without_a_log) {
  EXPECT_EQ(refusal_of(file_), "");
  Store writing(file_);
  writing.add(writing.begin_sweep("triscope sweep", "{}", synthetic_environment(), 1), synthetic_measurement(1, 3));
  ASSERT_TRUE(std::filesystem::exists(file_.string() + "-wal"));
  EXPECT_EQ(refusal_of(file_), "");
  // As it is passed on by somebody who copies what there is: without the index of the log.
  const std::filesystem::path copy = folder_ / "copy.db";
  std::filesystem::copy_file(file_, copy);
  std::filesystem::copy_file(file_.string() + "-wal", copy.string() + "-wal");
  EXPECT_EQ(refusal_of(copy), "");
  EXPECT_EQ(Snapshot(copy).sweeps().size(), 2U);
}

/// Grows with every process that this one started and has seen end.
long work_of_children() {
  struct rusage used {};
  ::getrusage(RUSAGE_CHILDREN, &used);
  return used.ru_minflt;
}

/// Opening a file makes an empty log beside it, and each check of a large file takes a core 0.2 s.
TEST_F(FileCheck, a_file_that_is_open_is_not_looked_through_again) {
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // a later write gives it another time
  const long before = work_of_children();
  const Snapshot first(file_);
  const long after = work_of_children();
  ASSERT_GT(after, before) << "it is looked through once";
  ASSERT_TRUE(std::filesystem::exists(file_.string() + "-wal"));
  const Snapshot second(file_);
  EXPECT_EQ(work_of_children(), after);
  Store(file_).begin_sweep("triscope sweep", "{}", synthetic_environment(), 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const long written = work_of_children();
  EXPECT_EQ(Snapshot(file_).sweeps().size(), 2U);
  EXPECT_GT(work_of_children(), written) << "a file that was written to is looked through";
}

TEST_F(FileCheck, pages_that_repeat_are_damage) {
  std::filesystem::create_directory(folder_ / "made");
  for (const HostileDatabase& hostile : write_hostile_databases(folder_ / "made", folder_ / "mark")) {
    if (!hostile.name.starts_with("endless_")) continue;
    EXPECT_NE(refusal_of(hostile.file).find("the file is damaged"), std::string::npos) << refusal_of(hostile.file);
  }
}

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
  return bytes;
}

/// A rollback journal of `database` that SQLite takes for cut off, and that says that `named` joins its transaction
/// with others (https://www.sqlite.org/fileformat.html, "The Rollback Journal").
std::string journal_that_names(const std::filesystem::path& database, const std::string& named) {
  constexpr std::uint32_t kPageBytes = 4096, kSectorBytes = 512, kSeed = 12345, kLockPage = 0x40000000 / kPageBytes + 1;
  const std::string mark = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  std::string page(kPageBytes, '\0');
  std::ifstream(database, std::ios::binary).read(page.data(), kPageBytes);
  std::uint32_t page_sum = kSeed, name_sum = 0;
  for (std::size_t at = kPageBytes - 200; at > 0 && at < kPageBytes; at -= 200)
    page_sum += static_cast<unsigned char>(page[at]);
  for (const char c : named) name_sum += static_cast<unsigned char>(c);
  const auto pages = static_cast<std::uint32_t>(std::filesystem::file_size(database) / kPageBytes);
  std::string journal =
      mark + big_endian(1) + big_endian(kSeed) + big_endian(pages) + big_endian(kSectorBytes) + big_endian(kPageBytes);
  journal.resize(kSectorBytes);
  journal += big_endian(1) + page + big_endian(page_sum);
  return journal + big_endian(kLockPage) + named + big_endian(static_cast<std::uint32_t>(named.size())) +
         big_endian(name_sum) + mark;
}

TEST_F(FileCheck, a_journal_that_would_delete_another_file_is_refused) {
  const std::filesystem::path victim = folder_.write("precious.txt", "precious"), copy = folder_ / "copy.db";
  Snapshot(file_).save_copy(copy);
  { SQLite::Database(copy.string(), SQLite::OPEN_READWRITE).exec("PRAGMA journal_mode = DELETE"); }
  const std::string journal = journal_that_names(copy, victim.string());
  const auto attack = [&](const std::function<void()>& open) {
    std::ofstream(copy.string() + "-journal", std::ios::binary) << journal;
    EXPECT_THROW(open(), Error);
    EXPECT_TRUE(std::filesystem::exists(victim));
  };
  attack([&] { Snapshot{copy}; });
  attack([&] { Store{copy}; });
  attack([&] { Store(folder_ / "target.db").import(copy); });
  attack([&] { rebuild_view(copy); });
  // SQLite by itself does it: otherwise this test proves nothing.
  std::ofstream(copy.string() + "-journal", std::ios::binary) << journal;
  SQLite::Database(copy.string(), SQLite::OPEN_READWRITE).execAndGet("SELECT count(*) FROM sweep");
  EXPECT_FALSE(std::filesystem::exists(victim));
}

TEST_F(FileCheck, a_pipe_beside_it_keeps_nobody_waiting) {
  for (const char* end : {"-journal", "-wal", "-shm", ".sweep1.lock"}) {
    const std::filesystem::path copy = folder_ / (std::string("copy") + end + ".db");
    Snapshot(file_).save_copy(copy);
    ASSERT_EQ(::mkfifo((copy.string() + end).c_str(), 0600), 0);
    const auto read = [&] { return Snapshot(copy).sweeps().size(); };  // without the check it would wait for a writer
    if (std::string_view(end) == ".sweep1.lock") {
      EXPECT_EQ(read(), 1U);
    } else {
      EXPECT_THROW(read(), Error) << end;
      EXPECT_THROW(Store{copy}, Error) << end;
    }
  }
}

// Whoever starts a program may have left it so that the exit codes of its children are lost.
TEST_F(FileCheck, a_file_is_refused_also_where_exit_codes_are_lost) {
  const std::filesystem::path evil = folder_ / "evil.db";
  std::filesystem::copy_file(file_, evil);
  SQLite::Database(evil.string(), SQLite::OPEN_READWRITE)
      .exec("CREATE TRIGGER evil AFTER INSERT ON sweep BEGIN DELETE FROM note; END");
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const std::string good = refusal_of(file_), bad = refusal_of(evil);
  std::signal(SIGCHLD, before);
  EXPECT_EQ(good, "");
  EXPECT_NE(bad.find("a trigger"), std::string::npos) << bad;
}

TEST_F(FileCheck, damage_in_the_log_counts) {
  SQLite::Database other(file_.string(), SQLite::OPEN_READWRITE);
  other.exec("CREATE TRIGGER evil AFTER INSERT ON sweep BEGIN DELETE FROM note; END");
  ASSERT_TRUE(std::filesystem::exists(file_.string() + "-wal"));
  EXPECT_NE(refusal_of(file_).find("a trigger"), std::string::npos);
}

TEST_F(FileCheck, what_this_process_writes_to_is_looked_through_when_it_is_opened_and_after_it_is_closed) {
  {
    Store writing(file_);
    const Store twice(file_);
    { const Store closed(file_); }
    // The check would refuse this; a change by the Store itself is as new to it.
    SQLite::Database(file_.string(), SQLite::OPEN_READWRITE)
        .exec("CREATE TRIGGER evil AFTER INSERT ON sweep BEGIN DELETE FROM note; END");
    EXPECT_EQ(refusal_of(file_), "");
    EXPECT_THROW(Snapshot{file_}, Error) << "the connection that reads compares the schema all the same";
  }
  EXPECT_NE(refusal_of(file_).find("a trigger"), std::string::npos);
}

}  // namespace
}  // namespace triscope
