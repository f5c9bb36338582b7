#include "profiler/store/private_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

namespace triscope {

namespace fs = std::filesystem;

PrivateFolder::PrivateFolder(const fs::path& parent) {
  std::string pattern = (parent / ".triscope-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr)
    throw fs::filesystem_error("cannot make a folder", parent, std::error_code(errno, std::generic_category()));
  path_ = pattern;
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace triscope
