#include "kernels/base/files/program_folder.hpp"

#include <sys/auxv.h>

#include <system_error>

#include "kernels/base/error.hpp"

namespace triscope {

std::filesystem::path program_folder() {
  std::error_code error;
  const std::filesystem::path running = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) return running.parent_path();
  const auto* started_as = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  const std::filesystem::path found = std::filesystem::canonical(started_as == nullptr ? "" : started_as, error);
  if (error)
    throw Error("the folder of this program cannot be found", error.message(), "start it again with its full path");
  return found.parent_path();
}

}  // namespace triscope
