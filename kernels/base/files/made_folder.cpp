#include "kernels/base/files/made_folder.hpp"

#include <algorithm>
#include <ranges>

namespace triscope {
namespace fs = std::filesystem;

MadeFolder::MadeFolder(const fs::path& folder, Parents parents, std::error_code& error) {
  std::vector<fs::path> missing;  // innermost first
  std::error_code ignored;
  for (fs::path one = folder; !one.empty() && !fs::exists(fs::symlink_status(one, ignored)); one = one.parent_path()) {
    if (one.has_filename()) missing.push_back(one);
    if (parents == Parents::there) break;
  }
  for (const fs::path& one : missing | std::views::reverse) {
    if (fs::create_directory(one, error)) made_.push_back(one);
    if (error) return;
  }
  error.clear();
  if (!fs::is_directory(folder, error) && !error) error = std::make_error_code(std::errc::not_a_directory);
}

MadeFolder::~MadeFolder() {
  if (made_.empty()) return;
  std::error_code ignored;
  for (const fs::path& file : files_) fs::remove(file, ignored);
  for (const fs::path& folder : made_ | std::views::reverse) fs::remove(folder, ignored);
}

}  // namespace triscope
