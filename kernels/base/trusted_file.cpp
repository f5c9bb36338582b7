#include "kernels/base/trusted_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace triscope {

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
    const bool ours = facts.st_uid == 0 || facts.st_uid == geteuid();
    if (in_sticky_folder && !ours)
      return fmt::format("{} belongs to another user and lies where everybody may write", part.string());
    const bool by_group = (facts.st_mode & S_IWGRP) != 0 && facts.st_gid != 0 && facts.st_gid != geteuid();
    const bool by_others = by_group || (facts.st_mode & S_IWOTH) != 0;
    in_sticky_folder = by_others && S_ISDIR(facts.st_mode) && (facts.st_mode & S_ISVTX) != 0;
    if (by_others && !in_sticky_folder)
      return fmt::format("others may write to {} (mode {:04o})", part.string(), facts.st_mode & 07777U);
  }
  return {};
}

}  // namespace triscope
