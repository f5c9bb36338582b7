#include "profiler/store/check/confinement.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace triscope {
namespace {

// <linux/landlock.h> of the build machine may be older than the kernel: its numbers and structure are fixed.
constexpr long kLandlockCreate = 444, kLandlockAddRule = 445, kLandlockRestrict = 446;
constexpr int kBeneath = 1;
constexpr unsigned kLandlockVersion = 1;
struct LandlockRules {
  std::uint64_t files = 0, network = 0, scope = 0;
};

struct [[gnu::packed]] LandlockBeneath {
  std::uint64_t files = 0;
  std::int32_t folder = -1;
};
// Rights to files, as landlock numbers them.
constexpr std::uint64_t kWrite = 1U << 1, kRead = 1U << 2, kList = 1U << 3, kRemoveFolder = 1U << 4, kRemove = 1U << 5,
                        kMakeFolder = 1U << 7, kMakeFile = 1U << 8, kTruncate = 1U << 14, kControlDevice = 1U << 15;
constexpr std::uint64_t kChange = kWrite | kRemoveFolder | kRemove | kMakeFolder | kMakeFile | kTruncate;

long landlock_version() {
  return ::syscall(kLandlockCreate, nullptr, std::size_t{0}, kLandlockVersion);  // -1: there is none
}

void grant(int ruleset, const std::filesystem::path& folder, std::uint64_t files) {
  const int descriptor = ::open(folder.c_str(), O_PATH | O_CLOEXEC);
  if (descriptor < 0) return;
  const LandlockBeneath rule{files, descriptor};
  ::syscall(kLandlockAddRule, ruleset, kBeneath, &rule, 0U);
  ::close(descriptor);
}

// Of the rights that this version knows all but `kept` are given up, but for changes beneath `folders`.
void give_up_files(std::uint64_t kept, const std::vector<std::filesystem::path>& folders) {
  const long version = landlock_version();
  if (version < 1) return;
  LandlockRules rules;
  const unsigned rights = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13;
  rules.files = ((std::uint64_t{1} << rights) - 1) & ~kept;
  if (version >= 4) rules.network = 3;
  if (version >= 6) rules.scope = 3;
  const std::size_t bytes = version >= 6 ? sizeof rules : version >= 4 ? 16 : 8;
  const long ruleset = ::syscall(kLandlockCreate, &rules, bytes, 0U);
  if (ruleset < 0) return;
  for (const std::filesystem::path& folder : folders) grant(ruleset, folder, kChange & rules.files);
  if (!folders.empty()) {
    for (const char* const device : {"/dev/null", "/dev/full"}) grant(ruleset, device, kWrite);
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO})  // `-o /dev/stdout` in a terminal
      if (const char* const terminal = ::ttyname(stream)) grant(ruleset, terminal, kWrite);
  }
  ::syscall(kLandlockRestrict, ruleset, 0U);
  ::close(static_cast<int>(ruleset));
}

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "name the architecture for seccomp here"
#endif

// What SQLite, malloc and the end of a process take. Names that tell of files (stat) stay: they show no contents.
constexpr int kAllowed[] = {
    SYS_read,        SYS_write,         SYS_pread64,        SYS_pwrite64,     SYS_lseek,       SYS_close,
    SYS_fstat,       SYS_newfstatat,    SYS_statx,          SYS_faccessat,    SYS_readlinkat,  SYS_getcwd,
    SYS_fcntl,       SYS_ftruncate,     SYS_fallocate,      SYS_munmap,       SYS_mremap,      SYS_brk,
    SYS_madvise,     SYS_futex,         SYS_getpid,         SYS_gettid,       SYS_getuid,      SYS_geteuid,
    SYS_getrandom,   SYS_clock_gettime, SYS_gettimeofday,   SYS_nanosleep,    SYS_sched_yield, SYS_clock_nanosleep,
    SYS_exit,        SYS_exit_group,    SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sysinfo,     SYS_restart_syscall,
    SYS_sigaltstack, SYS_fsync,         SYS_fdatasync,
#if defined(__x86_64__)
    SYS_stat,        SYS_lstat,         SYS_access,         SYS_readlink,     SYS_time,
#endif
};
// The same, unless the memory may then be executed.
constexpr int kAllowedWithoutExec[] = {SYS_mmap, SYS_mprotect};

sock_filter load(std::size_t offset) { return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)); }
sock_filter jump_if(std::uint16_t test, std::uint32_t value, std::size_t yes, std::size_t no) {
  return BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), value, static_cast<std::uint8_t>(yes),
                  static_cast<std::uint8_t>(no));
}
sock_filter answer(std::uint32_t action) { return BPF_STMT(BPF_RET | BPF_K, action); }

// Of a reader, which may do the rest: what starts, reaches or watches something else, or does so unseen by a filter.
constexpr int kRefusedToReaders[] = {
    SYS_execve,
    SYS_execveat,
    SYS_socket,
    SYS_socketpair,
    SYS_connect,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_userfaultfd,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_setns,
    SYS_unshare,
    SYS_kill,
    SYS_tkill,
    SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo,
    424 /* pidfd_send_signal */,
    438 /* pidfd_getfd */,
    425 /* io_uring_setup */,
    // Processes of the same user: how they run, and what they share with this one.
    SYS_setpriority,
    SYS_sched_setscheduler,
    SYS_sched_setparam,
    SYS_sched_setattr,
    SYS_sched_setaffinity,
    SYS_ioprio_set,
    SYS_migrate_pages,
    SYS_move_pages,
    440 /* process_madvise */,
    SYS_shmat,
    SYS_shmctl,
    SYS_msgsnd,
    SYS_semop,
    SYS_semtimedop,
    SYS_mq_open,
    SYS_add_key,
    SYS_request_key,
    SYS_keyctl,
    // Executable memory by other names.
    SYS_pkey_mprotect,
    SYS_personality,
    // The machine, where this is root.
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_open_by_handle_at,
    SYS_init_module,
    SYS_finit_module,
    SYS_kexec_load,
    SYS_reboot,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_adjtimex,
    SYS_clock_adjtime,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_quotactl,
    // Changes to files that landlock knows nothing of.
    SYS_fchmodat,
    SYS_fchownat,
    SYS_fchown,
    SYS_utimensat,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
    452 /* fchmodat2 */,
    463 /* setxattrat */,
    466 /* removexattrat */,
    469 /* file_setattr */,
#if defined(__x86_64__)
    SYS_fork,
    SYS_vfork,
    SYS_iopl,
    SYS_ioperm,
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_utime,
    SYS_utimes,
    SYS_futimesat,
#endif
};

// Calls in `listed` get one answer, all others the other; those of another architecture end the process.
std::vector<sock_filter> make_filter(std::span<const int> listed, bool allow_listed) {
  const sock_filter refuse = answer(SECCOMP_RET_ERRNO | EPERM), allow = answer(SECCOMP_RET_ALLOW);
  std::vector<sock_filter> filter = {load(offsetof(seccomp_data, arch)), jump_if(BPF_JEQ, kArchitecture, 1, 0),
                                     answer(SECCOMP_RET_KILL_PROCESS), load(offsetof(seccomp_data, nr))};
  constexpr std::uint32_t kOtherNumbers = 0x40000000;  // the same calls by other numbers, on x86
  filter.push_back(jump_if(BPF_JGE, kOtherNumbers, 0, 1));
  filter.push_back(refuse);
  for (const int call : listed) {
    filter.push_back(jump_if(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 1));
    filter.push_back(allow_listed ? allow : refuse);
  }
  for (const int call : kAllowedWithoutExec) {
    filter.push_back(jump_if(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 4));
    filter.push_back(load(offsetof(seccomp_data, args) + 2 * sizeof(std::uint64_t)));  // the protection
    filter.push_back(jump_if(BPF_JSET, PROT_EXEC, 1, 0));
    filter.push_back(allow);
    filter.push_back(refuse);
  }
  filter.push_back(allow_listed ? refuse : allow);
  return filter;
}

// What one argument of a call decides: `listed` values get one answer, all others the other.
struct ByArgument {
  int call;
  std::size_t argument;
  std::uint16_t test;  // BPF_JEQ: is the value; BPF_JSET: has one of its bits
  std::vector<std::uint32_t> listed;
  bool allow_listed;
};

std::vector<ByArgument> rules_of_a_reader() {
  const auto self = static_cast<std::uint32_t>(::getpid());
  constexpr std::uint32_t kTcgets2 = 0x802c542a;  // isatty() of newer C libraries
  return {
      // What a terminal and a stream are asked. No other: words typed into a terminal (TIOCSTI) would be run by the
      // shell there, and files have flags that are set this way.
      {SYS_ioctl, 1, BPF_JEQ, {TCGETS, kTcgets2, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX}, true},
      {SYS_clone, 0, BPF_JSET, {CLONE_THREAD}, true},
      {SYS_prlimit64, 0, BPF_JEQ, {0, self}, true},
      {SYS_tgkill, 0, BPF_JEQ, {self}, true},  // of another process it would be a signal to that
      {SYS_fcntl, 1, BPF_JEQ, {F_SETOWN, F_SETOWN_EX, F_SETSIG}, false},  // the kernel would send the signal
  };
}

// Put before the last answer, which allows the rest.
void refuse_by_arguments(std::vector<sock_filter>& filter) {
  const sock_filter refuse = answer(SECCOMP_RET_ERRNO | EPERM), allow = filter.back();
  filter.pop_back();
  constexpr std::uint32_t kClone3 = 435;  // its flags are in memory; without it the C library calls clone
  filter.push_back(jump_if(BPF_JEQ, kClone3, 0, 1));
  filter.push_back(answer(SECCOMP_RET_ERRNO | ENOSYS));
  for (const ByArgument& rule : rules_of_a_reader()) {
    filter.push_back(jump_if(BPF_JEQ, static_cast<std::uint32_t>(rule.call), 0, 2 * rule.listed.size() + 2));
    filter.push_back(load(offsetof(seccomp_data, args) + rule.argument * sizeof(std::uint64_t)));
    for (const std::uint32_t value : rule.listed) {
      filter.push_back(jump_if(rule.test, value, 0, 1));
      filter.push_back(rule.allow_listed ? allow : refuse);
    }
    filter.push_back(rule.allow_listed ? refuse : allow);
  }
  filter.push_back(allow);
}

void give_up_calls(std::vector<sock_filter> filter) {
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

void bound(int what, rlim_t most) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource>(what), &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max = std::min(limit.rlim_max, most);
  ::setrlimit(static_cast<__rlimit_resource>(what), &limit);
}

}  // namespace

void confine_process() {
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);  // both ask for it
  give_up_files(0, {});
  give_up_calls(make_filter(kAllowed, true));
}

void confine_reader(const std::vector<std::filesystem::path>& folders, FileModes modes) {
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  give_up_files(kRead | kList | kControlDevice, folders);
  std::vector<int> refused(std::begin(kRefusedToReaders), std::end(kRefusedToReaders));
  if (modes == FileModes::fixed) refused.push_back(SYS_fchmod);
  std::vector<sock_filter> filter = make_filter(refused, false);
  refuse_by_arguments(filter);
  give_up_calls(std::move(filter));
}

void bound_process(std::int64_t seconds, std::int64_t bytes) {
  bound(RLIMIT_CORE, 0);
  bound(RLIMIT_CPU, static_cast<rlim_t>(seconds));
  bound(RLIMIT_FSIZE, std::max(rlim_t{64} << 20, static_cast<rlim_t>(bytes)));
#if !defined(__SANITIZE_ADDRESS__)  // it takes terabytes of addresses
  bound(RLIMIT_AS, rlim_t{1} << 30);
#endif
}

std::vector<std::string> missing_confinement() {
  std::vector<std::string> missing;
  if (landlock_version() < 1) missing.emplace_back("landlock");
  const std::uint32_t action = SECCOMP_RET_ERRNO;
  if (::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0U, &action) != 0) missing.emplace_back("seccomp");
  return missing;
}

}  // namespace triscope
