#include "kernels/base/files/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "kernels/base/error.hpp"

namespace triscope {
namespace {

struct Descriptor {
  int number = -1;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

std::string reading(const std::filesystem::path& file) { return fmt::format("cannot read '{}'", file.string()); }

[[noreturn]] void fail_with_errno(const std::filesystem::path& file, int code) {
  if (code == ENOENT || code == ENOTDIR) {
    throw Error(reading(file), "there is no such file", "check the path", ExitCode::usage);
  }
  throw Error(reading(file), std::strerror(code), "check the file and its permissions");
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& file) {
  // O_NONBLOCK: opening a pipe must not wait for its writer.
  const Descriptor descriptor{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (descriptor.number < 0) fail_with_errno(file, errno);
  struct stat status {};
  if (::fstat(descriptor.number, &status) != 0) fail_with_errno(file, errno);
  if (!S_ISREG(status.st_mode)) {
    throw Error(reading(file), S_ISDIR(status.st_mode) ? "it is a folder" : "it is not a regular file", "name a file",
                ExitCode::usage);
  }
  if (status.st_size == 0) throw Error(reading(file), "it is empty", "write it again", ExitCode::usage);
  const auto size = static_cast<std::size_t>(status.st_size);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor.number, 0);
  if (address == MAP_FAILED) fail_with_errno(file, errno);
  bytes_ = {static_cast<const std::byte*>(address), size};
}

MappedFile::~MappedFile() { ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size()); }

}  // namespace triscope
