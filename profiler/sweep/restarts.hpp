// What the restarts of a sweep's rows say together.
#pragma once

#include <cstdint>
#include <filesystem>

#include "kernels/base/error.hpp"
#include "profiler/plan/request.hpp"
#include "profiler/record/measurement.hpp"
#include "profiler/store/store.hpp"

namespace triscope {

/// `stored` (status ok) with what one more restart of it brought; its interval is pooled with `pooled`. A restart that
/// failed makes it fail, and its samples stay.
Measurement with_restart(Measurement stored, const Measurement& restart, const SweepRequest& request,
                         const Spread& pooled);

/// Summary and remark of a measurement from all its samples; what its kernel said stays in the remark.
void summarize_restarts(Measurement& measurement, const SweepRequest& request, const Spread& pooled);

/// Pools the spread between restarts over the rows of `sweep`, and stores it with the intervals that follow from it.
/// Returns it. Rows with one restart stay as they are.
SweepSpread pool_restarts(Store& store, const std::filesystem::path& database, std::int64_t sweep,
                          const SweepRequest& request);

/// What a run ends with whose restarts the database did not let it pool: a sweep that is finished is never pooled.
Error not_pooled(const std::filesystem::path& database, std::int64_t sweep);

}  // namespace triscope
