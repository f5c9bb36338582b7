// A folder that only this user may enter, for files on their way.
#pragma once

#include <filesystem>

namespace triscope {

/// Made in `parent` under a name of its own, and removed with all that it holds. Throws
/// `std::filesystem::filesystem_error`.
class PrivateFolder {
 public:
  explicit PrivateFolder(const std::filesystem::path& parent);
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Where the one database in it is, or comes.
  std::filesystem::path database() const { return path_ / "database"; }

 private:
  std::filesystem::path path_;
};

}  // namespace triscope
