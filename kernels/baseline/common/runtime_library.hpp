// A library of NVIDIA's that is found at run time, under one of several names and in one of many folders.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kernels/base/files/shared_library.hpp"

namespace triscope {

struct LibrarySearch {
  const char* variable;            ///< names the file or its folder; nothing else is tried when it is set; "": none
  std::vector<std::string> names;  ///< sonames, most wanted first
  std::vector<std::string> companions;  ///< of the same index: opened first when it lies in the same folder; "": none
  std::vector<std::filesystem::path> folders;  ///< looked through before the loader's own path
};

/// Opens the first that is found; a copy that the process has already comes before all. Empty when there is none, with
/// the reason in `why`.
SharedLibrary open_library(const LibrarySearch& search, std::string& why);

}  // namespace triscope
