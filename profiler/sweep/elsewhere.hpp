// What a resumed sweep holds of other environments than the one that measures now, or of kernels that have changed
// since, and what a person is told of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "profiler/record/catalog.hpp"
#include "profiler/record/measurement.hpp"
#include "profiler/store/stored_measurement.hpp"

namespace triscope {

/// The restarts of a row, its cross-check and its counters come from one environment (docs/method.md).
class Elsewhere {
 public:
  explicit Elsewhere(std::function<void(const std::string&)> tell) : tell_(std::move(tell)) {}

  /// Reads where the rows of `sweep` were measured. Returns those that were not measured in `here`.
  std::set<std::int64_t> read(const std::filesystem::path& database, std::int64_t sweep, const Environment& here);

  /// These rows are measured anew, and a person is told.
  void begin_anew(const std::set<std::int64_t>& rows);
  /// These rows stay as they are, and a person is told.
  void leave_changed(const std::set<std::int64_t>& rows);
  /// Row `row` is of this environment now.
  void remove(std::int64_t row) { rows_.erase(row); }
  /// Tells to which of `asked` no restart is added.
  void tell_no_restart(const std::set<std::int64_t>& asked) const;
  /// Of `stored`, which lack a `noun` ("cross-check"), those that get one in this run: measured in this environment by
  /// kernels of `catalog` (one that has changed since is measured again, and followed up then). Tells of the others,
  /// once.
  std::vector<StoredMeasurement> to_follow_up(std::vector<StoredMeasurement> stored, const Catalog& catalog,
                                              const char* noun);

 private:
  /// "measured in another environment (host a (not b))", of the first of `rows`.
  std::string words(const std::set<std::int64_t>& rows) const;

  std::function<void(const std::string&)> tell_;
  std::vector<std::pair<std::string, std::set<std::int64_t>>> places_;  // in what each differs, its rows
  std::set<std::int64_t> rows_, begun_;                                 // of other environments; measured anew
  std::set<std::int64_t> changed_;                                      // of kernels that have changed since; they stay
  std::set<std::string> told_;
};

}  // namespace triscope
