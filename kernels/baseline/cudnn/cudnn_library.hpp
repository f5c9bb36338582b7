// libcudnn, found and loaded at run time. Needs none of its headers.
#pragma once

#include <string>

namespace triscope::cudnn {

struct Library {
  std::string version;  ///< "9.19.0"
  std::string file;
  void* handle = nullptr;  ///< of dlopen; never closed
};

/// Loads libcudnn.so.9, and the libraries that it opens by their names alone. Throws `Error`: not found, not cuDNN, or
/// older than 9.5.
Library load();

}  // namespace triscope::cudnn
