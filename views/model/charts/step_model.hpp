// Training steps, forward and backward together, of the windows of a sweep: what charts over windows show beside its
// passes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "profiler/export/text_table.hpp"
#include "profiler/statistics/training_step.hpp"
#include "profiler/statistics/verdicts.hpp"
#include "views/data/window_data.hpp"
#include "views/model/tables/latency_model.hpp"

namespace triscope {

/// The rows of all these sweeps that steps of two sweeps are made of (`rows_of_steps`). It does not depend on the sweep
/// that is shown, and is what `triscope advise` and the Paper pages go by.
std::vector<const ResultRow*> all_that_count(const std::vector<const SweepResults*>& sweeps, Regime regime);

/// Of these rows, beside the kernel `reference` where they hold it as dot-product attention, else beside the usual one.
std::vector<TrainingStep> steps_beside(const std::vector<const ResultRow*>& rows, const std::string& reference);

/// Steps of problems of which `shown` has a pass, beside `reference` as `steps_beside` has it: those of its own rows,
/// then those of the rows that count of it and `others` in these regimes. A problem may come twice: the first counts.
std::vector<TrainingStep> steps_of_shown(const SweepResults& shown,
                                         const std::vector<std::shared_ptr<const SweepResults>>& others,
                                         const std::string& reference);

/// A table of steps with one group of cells for each regime: of every problem of which `shown` has a pass. `others` are
/// the sweeps of its device (`steps_of_shown`). `table` is that of `shown`, and says the reference. No lines: no
/// problem has both passes.
LatencyModel make_step_model(const LatencyModel& table, const SweepResults& shown,
                             const std::vector<std::shared_ptr<const SweepResults>>& others);

/// The steps of `steps`, which `make_step_model` made, beside dot-product attention as `verdicts` say; null: without.
TextTable steps_text(const LatencyModel& steps, const Verdicts* verdicts);

}  // namespace triscope
