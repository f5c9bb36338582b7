// The measurements that a section of `triscope paper` stands beside the paper.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/options/database_option.hpp"
#include "profiler/store/store.hpp"

namespace triscope {

/// `database`, which must be there when it is named; the usual one when it is empty, if that is there.
inline std::optional<Snapshot> snapshot_of(const std::string& database) {
  if (database.empty() && !std::filesystem::exists(database_path(database))) return std::nullopt;
  return Snapshot(existing_database(database));
}

/// The rows of it.
inline std::optional<std::vector<ResultRow>> database_rows(const std::string& database) {
  const std::optional<Snapshot> snapshot = snapshot_of(database);
  return snapshot ? std::optional(snapshot->results()) : std::nullopt;
}

}  // namespace triscope
