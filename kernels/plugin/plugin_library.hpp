// A library of somebody else that exports include/triscope/attention.h, loaded by the worker that measures it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "include/triscope/attention.h"

namespace triscope {

/// The functions of the header that a plug-in must export. The library stays loaded as long as the process lives.
struct PluginLibrary {
  std::string file;
  std::string sha256;  ///< of the file that was loaded, as 64 hexadecimal digits
  decltype(&triscope_attention_version) version = nullptr;
  decltype(&triscope_kernel) kernel = nullptr;
  decltype(&triscope_kernel_device) device = nullptr;
  decltype(&triscope_kernel_version) kernel_version = nullptr;
  decltype(&triscope_supported) supported = nullptr;
  decltype(&triscope_workspace) workspace = nullptr;
  decltype(&triscope_launch) launch = nullptr;
};

/// Loads `file`, if its SHA-256 is `sha256`: what is hashed is what is loaded. Throws `Error`: (usage) no such file,
/// another hash, no library, a function is missing, another version of the header.
PluginLibrary load_plugin_library(const std::filesystem::path& file, const std::string& sha256);

}  // namespace triscope
