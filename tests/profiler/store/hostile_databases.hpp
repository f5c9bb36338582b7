// Databases as a stranger might pass them on: nothing in them may run, crash, hang, or change what is measured.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace triscope {

struct HostileDatabase {
  std::string name;
  std::filesystem::path file;
  bool refused = false;  ///< as a whole; otherwise it is read, and only what is bad is not used
};

/// Writes one file for each attack into `folder`. A command in one of them would create `mark`.
std::vector<HostileDatabase> write_hostile_databases(const std::filesystem::path& folder,
                                                     const std::filesystem::path& mark);

}  // namespace triscope
