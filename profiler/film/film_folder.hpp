// The folder of a film: a new or an empty one.
#pragma once

#include <filesystem>
#include <system_error>

#include "kernels/base/files/made_folder.hpp"

namespace triscope {

class FilmFolder {
 public:
  /// Makes `folder`, whose parent is there. Throws `Error`: (usage) when it holds something, (environment) when it
  /// cannot be made or written to. One that it made goes again, unless it is kept.
  explicit FilmFolder(const std::filesystem::path& folder);

  void keep() { made_.keep(); }

 private:
  std::error_code error_;
  MadeFolder made_;
};

}  // namespace triscope
