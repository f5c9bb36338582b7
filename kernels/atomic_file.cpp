#include "kernels/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "kernels/error.hpp"

namespace triscope {

AtomicFile::AtomicFile(const std::filesystem::path& file) : file_(file) {
  static std::atomic<unsigned> counter{0};
  temporary_ =
      file_.parent_path() / fmt::format(".{}.{}-{}.tmp", file_.filename().string(), ::getpid(), counter.fetch_add(1));
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(errno);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(temporary_.c_str());
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
  if (::fsync(descriptor_) != 0 && errno != EINVAL) fail(errno);  // EINVAL: a file system that cannot
  if (::rename(temporary_.c_str(), file_.c_str()) != 0) fail(errno);
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
      default:
        return "choose a file in a folder you may write to";
    }
  }();
  throw Error(fmt::format("cannot write '{}'", file_.string()), std::strerror(code), fix);
}

}  // namespace triscope
