// A sweep that is in the database already: what it asked for, and what is left of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

#include "profiler/plan/request.hpp"
#include "profiler/record/measurement.hpp"
#include "profiler/sweep/sweep_observer.hpp"
#include "profiler/sweep/sweep_outcome.hpp"

namespace triscope {

/// The stored request of the sweep that is resumed; of `given` what a database never says. Throws `Error` (usage).
SweepRequest stored_request(const std::filesystem::path& database, std::int64_t sweep, const SweepRequest& given);

/// Throws `Error` (usage) when `sweep` was measured on another device than `now`'s.
void refuse_other_device(const std::filesystem::path& database, std::int64_t sweep, const Environment& now);

/// What the database holds of `sweep`.
SweepOutcome outcome_of(const std::filesystem::path& database, std::int64_t sweep);

/// True when nothing of `sweep` is left to measure or to add, and no kernel of this build has changed since. Needs no
/// device: a worker is asked for the catalog alone.
bool nothing_is_left(const std::filesystem::path& database, std::int64_t sweep, const SweepRequest& request,
                     const SweepObserver& observer);

/// Rows of `sweep` whose time beside that of kernel `reference` ("auto": the usual one) is unclear.
std::set<std::int64_t> unclear_rows(const std::filesystem::path& database, std::int64_t sweep,
                                    const std::string& reference);

}  // namespace triscope
