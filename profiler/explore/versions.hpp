// Versions of a kernel: what was measured of each text that one of its passes was compiled from, and what two of them
// share.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// One text of a kernel's pass.
struct KernelVersion {
  std::string hash;         ///< of the text: `ResultRow::source_hash`
  std::string first, last;  ///< when it was measured: the first and the last time, ISO 8601
  std::size_t measurements = 0;
};

/// The versions of one pass of a kernel, the oldest first.
struct KernelHistory {
  std::string kernel, label;
  Pass pass = Pass::forward;
  std::vector<KernelVersion> versions;
};

/// Which two versions are compared. Hashes may be cut to their beginnings.
struct VersionChoice {
  std::string kernel;  ///< empty: the two that share most measurements
  Pass pass = Pass::forward;
  std::string before, after;
  bool operator==(const VersionChoice&) const = default;
};

/// Two versions of a kernel's pass that share measurements.
struct VersionChange {
  VersionChoice choice;
  std::string label;  ///< of the kernel
  KernelVersion before, after;
  std::size_t shared = 0;  ///< `chosen_pairs` of the two
};

/// Of our kernels that were measured in two or more versions: those whose newest version is the newest first.
std::vector<KernelHistory> kernel_histories(std::span<const ResultRow> rows);
/// All pairs of versions that share something: those that share most first, of equals the newer.
std::vector<VersionChange> version_changes(std::span<const ResultRow> rows, std::span<const KernelHistory> histories);
/// "2c6a73": as many digits as a person reads.
std::string short_hash(std::string_view hash);

}  // namespace triscope
