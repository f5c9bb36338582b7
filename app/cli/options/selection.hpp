// Which stored measurements a command speaks about: "3", "latest", "m12", "kernel:cpu.fast", "kernel:cpu.fast@3",
// "kernel:cpu.fast@2c6a73".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/record/measurement.hpp"
#include "profiler/store/store.hpp"
#include "profiler/verdict/pairing.hpp"

namespace triscope {

/// Exactly one of the first three is set, or `kernel` with an optional sweep.
struct Selection {
  std::optional<std::int64_t> sweep;        ///< "3"
  bool latest = false;                      ///< "latest": the newest sweep
  std::optional<std::int64_t> measurement;  ///< "m12"
  std::string kernel;                       ///< "kernel:ID", or "kernel:ID@3" with `sweep`
  std::string version;                      ///< "kernel:ID@2c6a73": how the hash of its source begins
  std::string text;                         ///< as it was typed
};

/// Throws `Error` (usage) naming `text` when it is none of the above.
Selection parse_selection(std::string_view text);

/// The rows it names, in measurement order; a kernel without a sweep means the newest sweep that holds it, and a
/// version of one every sweep. Throws `Error` (usage) when the database holds none.
std::vector<ResultRow> select(const Snapshot& snapshot, const Selection& selection);

/// Why a sweep holds no row, and what to do about it. `database`: the value of --db.
std::string nothing_measured(const Snapshot& snapshot, const Selection& selection, const std::string& database);

/// The rows of one sweep of a database after another; the last sweep's stay, for a second selection from it.
class SweepRows {
 public:
  explicit SweepRows(const Snapshot& snapshot) : snapshot_(snapshot) {}
  const Snapshot& snapshot() const { return snapshot_; }
  /// Valid until it is called again.
  const std::vector<ResultRow>& of(std::int64_t sweep);

 private:
  const Snapshot& snapshot_;
  std::optional<std::int64_t> last_;
  std::vector<ResultRow> rows_;
};
std::vector<ResultRow> select(SweepRows& from, const Selection& selection);

}  // namespace triscope
