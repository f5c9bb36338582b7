#include "kernels/base/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "kernels/base/error.hpp"

namespace triscope {
namespace {

namespace fs = std::filesystem;

// Links of /proc/PID/fd (where /dev/stdout leads) stand for open descriptors, not for the files they name.
bool is_descriptor(const fs::path& file) {
  std::error_code error;
  const fs::path folder = fs::canonical(file.parent_path(), error);
  return !error && folder.filename() == "fd" && folder.string().starts_with("/proc/");
}

// The end of a chain of symbolic links, which need not exist; a descriptor is an end.
fs::path follow_links(fs::path file) {
  constexpr int kMostLinks = 40;  // Linux's own limit
  std::error_code error;
  for (int links = 0; links < kMostLinks && fs::is_symlink(fs::symlink_status(file, error)); ++links) {
    if (is_descriptor(file)) break;
    const fs::path target = fs::read_symlink(file, error);
    file = target.is_absolute() ? target : file.parent_path() / target;
  }
  return file;
}

// A database holds measurements, so no file that is written whole may replace one.
void refuse_database(const fs::path& given, const fs::path& target) {
  constexpr std::string_view kSqliteHeader("SQLite format 3\0", 16);
  const int descriptor = ::open(target.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) return;
  std::array<char, kSqliteHeader.size()> head{};
  const ssize_t count = ::pread(descriptor, head.data(), head.size(), 0);
  ::close(descriptor);
  if (count != static_cast<ssize_t>(head.size()) || std::string_view(head.data(), head.size()) != kSqliteHeader) return;
  throw Error(fmt::format("cannot write '{}'", given.string()), "it is a database, and writing would destroy it",
              "name another file", ExitCode::usage);
}

}  // namespace

AtomicFile::AtomicFile(const fs::path& file) : file_(file), target_(follow_links(file)) {
  static std::atomic<unsigned> counter{0};
  struct stat facts {};
  const bool exists = ::stat(target_.c_str(), &facts) == 0;
  if (exists && S_ISDIR(facts.st_mode)) fail(EISDIR);
  if (exists && S_ISREG(facts.st_mode)) refuse_database(file_, target_);
  if (is_descriptor(target_) || (exists && !S_ISREG(facts.st_mode))) {
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
  } else {
    temporary_ = target_.parent_path() /
                 fmt::format(".{}.{}-{}.tmp", target_.filename().string(), ::getpid(), counter.fetch_add(1));
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  if (descriptor_ < 0) fail(errno);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  if (!temporary_.empty()) {
    if (::fsync(descriptor_) != 0 && errno != EINVAL) fail(errno);  // EINVAL: a file system that cannot
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  }
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0) fail(errno);
}

void AtomicFile::fail(int code) const {
  const auto fix = [code] {
    switch (code) {
      case ENOSPC:
      case EDQUOT:
        return "free some space or write elsewhere";
      case ENOENT:
        return "create the folder first";
      case EISDIR:
        return "name a file in it";
      default:
        return "choose a file in a folder you may write to";
    }
  }();
  throw Error(fmt::format("cannot write '{}'", file_.string()), std::strerror(code), fix);
}

void write_whole_file(const fs::path& file, std::string_view bytes) {
  AtomicFile output(file);
  output.write(std::as_bytes(std::span(bytes.data(), bytes.size())));
  output.commit();
}

}  // namespace triscope
