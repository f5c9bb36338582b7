#include "kernels/base/files/wheel.hpp"

#include <system_error>

#include "kernels/base/files/program_folder.hpp"

namespace triscope {

bool came_in_a_wheel() {
  std::error_code error;
  return std::filesystem::exists(program_folder() / "../__init__.py", error);
}

}  // namespace triscope
