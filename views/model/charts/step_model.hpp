// Training steps, forward and backward together, of the windows of a sweep: what charts over windows show beside its
// passes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "profiler/statistics/training_step.hpp"
#include "views/data/window_data.hpp"
#include "views/model/tables/latency_model.hpp"

namespace triscope {

/// The rows of all these sweeps that steps of two sweeps are made of (`rows_of_steps`). It does not depend on the sweep
/// that is shown, and is what `triscope advise` and the Paper pages go by.
std::vector<const ResultRow*> all_that_count(const std::vector<const SweepResults*>& sweeps, Regime regime);

/// Of these rows, beside the kernel `reference` where they hold it as dot-product attention, else beside the usual one.
std::vector<TrainingStep> steps_beside(const std::vector<const ResultRow*>& rows, const std::string& reference);

/// A table of steps with one group of cells for each regime: of every problem of which `shown` has a pass. A step of
/// the shown sweep's own rows goes before one of the rows that count of it and `others`, the sweeps of its device.
/// `table` is that of `shown`, and says the reference. No lines: no problem has both passes.
LatencyModel make_step_model(const LatencyModel& table, const SweepResults& shown,
                             const std::vector<std::shared_ptr<const SweepResults>>& others);

}  // namespace triscope
