#include "kernels/base/files/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "kernels/base/error.hpp"
#include "kernels/base/files/output_file.hpp"
#include "kernels/base/system_limit.hpp"

namespace triscope {
namespace fs = std::filesystem;

AtomicFile::AtomicFile(const fs::path& file) : file_(file), target_(end_of_links(file)) {
  static std::atomic<unsigned> counter{0};
  struct stat facts {};
  const bool exists = ::stat(target_.c_str(), &facts) == 0;
  if (exists && S_ISDIR(facts.st_mode)) fail(EISDIR);
  if (!is_descriptor(target_) && (!exists || S_ISREG(facts.st_mode))) refuse_database_files(file_, target_);
  if (exists && S_ISREG(facts.st_mode) && ::access(target_.c_str(), W_OK) != 0) fail(errno);
  if (is_descriptor(target_) || (exists && !S_ISREG(facts.st_mode))) {
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
  } else {
    temporary_ = target_.parent_path() /
                 fmt::format(".{}.{}-{}.tmp", target_.filename().string(), ::getpid(), counter.fetch_add(1));
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  if (descriptor_ < 0) fail(errno);
  if (exists && !temporary_.empty()) ::fchmod(descriptor_, facts.st_mode & 07777);  // else the new mode is the umask's
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
      case ENOENT:
        return "create the folder first";
      case EISDIR:
        return "name a file in it";
      default:
        return what_raises_the_limit(code, "choose a file in a folder you may write to");
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
