#include "kernels/baseline/common/runtime_library.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernels/base/files/library_folders.hpp"

namespace triscope {
namespace {

using std::filesystem::path;

bool is_there(const path& file) {
  std::error_code ignored;
  return std::filesystem::exists(file, ignored);
}

// A soname that is loaded already satisfies the library's own need of it, whatever the loader's path is.
void open_companion(const path& folder, const std::string& name) {
  if (name.empty() || !is_there(folder / name)) return;
  SharedLibrary companion;
  std::string ignored;
  if (companion.open(folder / name, ignored)) companion.keep();
}

}  // namespace

SharedLibrary open_library(const LibrarySearch& search, std::string& why) {
  SharedLibrary library;
  const auto companion = [&](std::size_t n) {
    return n < search.companions.size() ? search.companions[n] : std::string();
  };
  if (const path named = *search.variable == 0 ? std::string() : environment_value(search.variable); !named.empty()) {
    std::error_code ignored;
    const bool folder = std::filesystem::is_directory(named, ignored);
    why = fmt::format("{} names {}, which does not exist", search.variable, named.string());
    for (std::size_t n = 0; n < search.names.size(); ++n) {
      const path file = folder ? named / search.names[n] : named;
      if (!is_there(file)) continue;
      open_companion(file.parent_path(), companion(n));
      if (library.open(file, why)) return library;
    }
    return library;
  }
  for (const std::string& name : search.names) {
    if (library.adopt(name)) return library;
  }
  std::string refused;
  for (std::size_t n = 0; n < search.names.size(); ++n) {
    for (const path& folder : search.folders) {
      if (!is_there(folder / search.names[n])) continue;
      open_companion(folder, companion(n));
      if (library.open(folder / search.names[n], refused)) return library;
    }
    std::string ignored;
    if (library.open(search.names[n], ignored)) return library;
  }
  why = refused.empty() ? fmt::format("{} is not on this machine", fmt::join(search.names, " or ")) : refused;
  return library;
}

}  // namespace triscope
