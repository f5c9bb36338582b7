#include "kernels/base/files/library_folders.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace triscope {
namespace {

using std::filesystem::path;

path build_folder() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path().parent_path();
}

void add(std::vector<path>& list, const path& folder) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) return;
  if (std::find(list.begin(), list.end(), folder) == list.end()) list.push_back(folder);
}

// The folder that bin/python3 of the first PATH entry with one belongs to; links are left alone: a virtual
// environment's python3 is a link, and the packages lie beside the link.
path prefix_of_python() {
  const std::string list = environment_value("PATH");
  for (std::size_t first = 0; first < list.size();) {
    const std::size_t last = std::min(list.find(':', first), list.size());
    const path folder = list.substr(first, last - first);
    std::error_code ignored;
    if (std::filesystem::exists(folder / "python3", ignored)) return folder.parent_path();
    first = last + 1;
  }
  return {};
}

}  // namespace

std::string environment_value(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? std::string() : std::string(value);
}

std::vector<path> package_roots(std::string_view package_folder) {
  std::vector<path> roots;
  if (!package_folder.empty()) add(roots, build_folder() / package_folder);
  for (const path& prefix :
       {path(environment_value("VIRTUAL_ENV")), path(environment_value("CONDA_PREFIX")), prefix_of_python()}) {
    if (prefix.empty()) continue;
    std::error_code ignored;
    for (const auto& python : std::filesystem::directory_iterator(prefix / "lib", ignored)) {
      if (python.path().filename().string().starts_with("python3")) add(roots, python.path() / "site-packages");
    }
  }
  return roots;
}

std::vector<path> cuda_library_folders(std::string_view package_folder, std::string_view wheel_folder) {
  std::vector<path> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const std::string root = environment_value(variable); !root.empty()) add(folders, path(root) / "lib64");
  }
  add(folders, "/usr/local/cuda/lib64");
  add(folders, build_folder() / "cuda-toolkit/nvidia/cu13/lib");
  for (const path& root : package_roots(package_folder)) add(folders, root / wheel_folder);
  return folders;
}

}  // namespace triscope
