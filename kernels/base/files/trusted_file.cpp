#include "kernels/base/files/trusted_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>

namespace triscope {
namespace {

// In a user namespace, as in a container without privileges, the files of the host's root seem to belong to this user.
constexpr uid_t kUnmappedUser = 65534;
bool unmapped_is_root() {
  std::ifstream map("/proc/self/uid_map");
  std::uint64_t inside = 0, outside = 0, count = 0;
  map >> inside >> outside >> count;
  return !map || outside != 0 || count < 0xffffffffU;
}

bool is_keeper(uid_t user) { return user == 0 || user == geteuid() || (user == kUnmappedUser && unmapped_is_root()); }

}  // namespace

std::string why_not_trusted(const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(file, error);
  if (error) return {};
  std::filesystem::path part;
  bool in_sticky_folder = false;
  for (const std::filesystem::path& name : real) {
    part /= name;
    struct stat facts {};
    if (stat(part.c_str(), &facts) != 0) return {};
    if (!is_keeper(facts.st_uid)) {
      return fmt::format("{} belongs to another user{}", part.string(),
                         in_sticky_folder ? " and lies where everybody may write" : "");
    }
    const bool by_group = (facts.st_mode & S_IWGRP) != 0 && facts.st_gid != 0 && facts.st_gid != geteuid();
    const bool by_others = by_group || (facts.st_mode & S_IWOTH) != 0;
    in_sticky_folder = by_others && S_ISDIR(facts.st_mode) && (facts.st_mode & S_ISVTX) != 0;
    if (by_others && !in_sticky_folder)
      return fmt::format("others may write to {0} (mode {1:04o}; `chmod go-w {0}` ends that)", part.string(),
                         facts.st_mode & 07777U);
  }
  return {};
}

}  // namespace triscope
