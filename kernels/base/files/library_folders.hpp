// Where libraries may lie that are loaded at run time: beside the program, in Python's packages, in the CUDA toolkit.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace triscope {

/// The value of an environment variable; empty when it is not set.
std::string environment_value(const char* variable);

/// Folders of Python packages: what `./run build --with-...` put beside the programs' folder (`package_folder`, "fa3"),
/// then the site-packages of $VIRTUAL_ENV, of $CONDA_PREFIX and of the python3 on the PATH. Only folders that exist.
std::vector<std::filesystem::path> package_roots(std::string_view package_folder);

/// Folders that may hold a library of CUDA: lib64 of $CUDA_HOME, $CUDA_PATH and /usr/local/cuda, the toolkit in the
/// build folder, and `wheel_folder` ("nvidia/cu13/lib") in each of `package_roots(package_folder)`. Only folders that
/// exist.
std::vector<std::filesystem::path> cuda_library_folders(std::string_view package_folder, std::string_view wheel_folder);

}  // namespace triscope
