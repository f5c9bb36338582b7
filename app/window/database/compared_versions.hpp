// Two versions of a kernel beside each other: what both measured, wherever it stands in the database.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "profiler/store/store.hpp"
#include "views/data/window_data.hpp"

namespace triscope {

/// What is asked, and what stays the same as long as the database does.
struct VersionsQuestion {
  VersionChoice choice;     ///< without hashes: the newest of that kernel and pass, or the two that share most
  std::int64_t hidden = 0;  ///< sweep that is left out
  double tolerance = 0.005;
  std::int64_t data_version = 0;
  bool operator==(const VersionsQuestion&) const = default;
};
struct VersionsAnswer {
  VersionChoice choice;
  std::vector<VersionChange> changes;   ///< that could be compared
  std::vector<ComparedSweep> compared;  ///< the older version and the newer one, row by row
};

/// Not thread-safe: lives on one thread.
class ComparedVersions {
 public:
  /// Throws `Error` when no kernel was measured in two versions, or the database cannot be read. `sweeps`: of the
  /// database.
  const VersionsAnswer& answer(const Snapshot& snapshot, const VersionsQuestion& question,
                               const std::vector<SweepInfo>& sweeps);
  void forget() { asked_.reset(); }

 private:
  std::optional<VersionsQuestion> asked_;  ///< that `answer_` answers
  VersionsAnswer answer_;
};

}  // namespace triscope
