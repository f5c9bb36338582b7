#include "profiler/film/film_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <string>

#include "kernels/base/error.hpp"

namespace triscope {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& folder, const std::string& why, const char* fix, ExitCode code) {
  throw Error(fmt::format("the folder '{}' cannot hold a film", folder.string()), why, fix, code);
}

const std::filesystem::path& named(const std::filesystem::path& folder) {
  if (folder.empty()) refuse(folder, "the name is empty", "name a folder", ExitCode::usage);
  return folder;
}

}  // namespace

FilmFolder::FilmFolder(const std::filesystem::path& folder) : made_(named(folder), MadeFolder::Parents::there, error_) {
  if (error_) refuse(folder, error_.message(), "name a folder that you may make", ExitCode::environment);
  const bool empty = std::filesystem::is_empty(folder, error_);
  if (error_ || ::access(folder.c_str(), W_OK | X_OK) != 0)
    refuse(folder, "you may not read it and write to it", "name another one", ExitCode::environment);
  if (!empty) refuse(folder, "there is something in it", "name a new folder, or empty this one", ExitCode::usage);
}

}  // namespace triscope
