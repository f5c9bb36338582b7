// What the samples of a stored measurement say of its times.
#pragma once

#include "profiler/record/measurement.hpp"

namespace triscope {

/// Puts the summary of the samples in the place of a stored one that does not follow from them: another median, or an
/// interval that leaves it out or is less than half as wide. `reason` then says so. `pooled`: of its sweep.
void correct_by_samples(Measurement& measurement, const Spread& pooled);

}  // namespace triscope
