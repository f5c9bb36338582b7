// A folder for what a command writes, which goes again when the command fails.
#pragma once

#include <filesystem>
#include <system_error>
#include <vector>

namespace triscope {

class MadeFolder {
 public:
  enum class Parents { there, made };

  /// Makes `folder` where it is missing; with `Parents::made` also what it lies in. `error` says why it could not.
  MadeFolder(const std::filesystem::path& folder, Parents parents, std::error_code& error);
  /// Unless it is kept: removes the folders that it made, with the files that they were said to hold. One with anything
  /// else in it stays.
  ~MadeFolder();
  MadeFolder(const MadeFolder&) = delete;
  MadeFolder& operator=(const MadeFolder&) = delete;

  void will_hold(const std::filesystem::path& file) { files_.push_back(file); }
  void keep() { made_.clear(); }

 private:
  std::vector<std::filesystem::path> made_;  ///< outermost first
  std::vector<std::filesystem::path> files_;
};

}  // namespace triscope
