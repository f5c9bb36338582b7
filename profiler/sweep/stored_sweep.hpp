// A sweep that is in the database already: what it asked for, and what is left of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "profiler/plan/request.hpp"
#include "profiler/sweep/measurer.hpp"
#include "profiler/sweep/sweep_observer.hpp"
#include "profiler/sweep/sweep_outcome.hpp"

namespace triscope {

/// The stored request of the sweep that is resumed; of `given` what a database never says. Throws `Error` (usage).
SweepRequest stored_request(const std::filesystem::path& database, std::int64_t sweep, const SweepRequest& given);

/// `start_measurer`, for the sweep that is resumed where there is one. Throws `Error` (usage) when that was measured on
/// another device: before its database is opened to be written to, so that not a byte of it changes.
Measurer start_accepted(const SweepRequest& request, const SweepObserver& observer,
                        const std::filesystem::path& database, std::optional<std::int64_t> resumed);

/// What the database holds of `sweep`.
SweepOutcome outcome_of(const std::filesystem::path& database, std::int64_t sweep);

/// True when nothing of `sweep` is left to measure or to add, and no kernel of this build has changed since. Needs no
/// device: a worker is asked for the catalog alone.
bool nothing_is_left(const std::filesystem::path& database, std::int64_t sweep, const SweepRequest& request,
                     const SweepObserver& observer);

/// Whether a row of `samples` in `restarts` may come to as many blocks as a verdict needs by `kMostLooks` further
/// restarts of the same length: of long launches each holds one.
bool can_reach_verdict(std::int64_t samples, std::int64_t restarts);
/// Rows of `sweep` whose time beside `reference` (`parse_reference`) is unclear, but those that
/// further restarts cannot decide.
std::set<std::int64_t> unclear_rows(const std::filesystem::path& database, std::int64_t sweep,
                                    const std::string& reference);

}  // namespace triscope
