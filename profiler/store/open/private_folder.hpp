// A folder that only this user may enter, for files on their way.
#pragma once

#include <filesystem>

namespace triscope {

/// Made in `parent` under a name of its own, and removed with all that it holds. Those that programs of this user left
/// in `parent` when they were killed are removed first. Throws `std::filesystem::filesystem_error`.
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
  int lock_ = -1;  ///< the folder itself, locked: it has an owner as long as this process lives
};

/// Removes the folders that programs of this user left in `parent`: each that is nobody's, and holds no more than a
/// database and its companions. Follows no links. What cannot be removed stays.
void remove_abandoned_folders(const std::filesystem::path& parent);

}  // namespace triscope
