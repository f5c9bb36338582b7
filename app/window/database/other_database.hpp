// Another database than the open one, whose sweep the compared sweeps are judged against.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>

#include "profiler/store/store.hpp"
#include "views/data/window_data.hpp"

namespace triscope {

/// The whole path of `file`. Throws `Error` of what was `refused`, with its `advice`, when that is the `open` database.
std::filesystem::path other_than_open(const std::filesystem::path& file, const std::string& open, const char* refused,
                                      const char* advice);

/// Not thread-safe: lives on one thread. Nothing is written to the file.
class OtherDatabase {
 public:
  /// Opens the file. Throws `Error` when it is no database; after a stop of `cancel` a read ends with one.
  OtherDatabase(const std::filesystem::path& file, std::stop_token cancel);

  const std::filesystem::path& file() const { return file_; }
  /// Whether the file is still the one that was opened. Written to, it is the same.
  bool in_place() const;
  /// The sweep that shares most rows with `ours`, the newest of those. Throws `Error` when it cannot be read, or when
  /// no sweep has a row in common.
  std::shared_ptr<const SweepResults> nearest(const SweepResults& ours);
  const Snapshot& snapshot() const { return snapshot_; }

 private:
  std::filesystem::path file_;
  Snapshot snapshot_;
  std::stop_token cancel_;
  std::string nearest_to_;  ///< what `nearest_` was chosen for
  std::shared_ptr<const SweepResults> nearest_;
};

}  // namespace triscope
