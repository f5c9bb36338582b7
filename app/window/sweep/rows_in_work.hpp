// The rows that are measured right now, beside what the database holds of their sweep.
#pragma once

#include <memory>
#include <vector>

#include "profiler/plan/sweep_queue.hpp"
#include "profiler/record/catalog.hpp"
#include "views/data/window_data.hpp"

namespace triscope {

/// The rows that `stage` begins, without samples. Those that are not stored yet get negative ids of their own.
std::vector<LiveRow> rows_of(const SweepStage& stage, const Catalog* catalog);

/// Adds samples of this restart to the row in work that `key` names; others are passed over.
/// What they say together is not known before `summarize_new_samples`.
void add_samples(LiveSweep& live, const MeasurementKey& key, const std::vector<Sample>& samples);

/// Brings `row` and `summary` of the rows in work up to their samples: before they are drawn, not at each message.
void summarize_new_samples(LiveSweep& live);

/// True when `row` is a measurement of what `live` measures.
bool is_same_row(const ResultRow& row, const ResultRow& live);

/// Gives rows in work the number of the row in `stored` that they replace: one that was cancelled or failed.
void take_stored_numbers(LiveSweep& live, const SweepResults& stored);

/// `stored` with the rows in work of which there are samples: those that it does not hold yet, and in the place of
/// those that it does the figures of the restart in work, without a verdict.
std::shared_ptr<const SweepResults> with_rows_in_work(std::shared_ptr<const SweepResults> stored, const RunState& run);

/// The selected measurement with the samples that were taken since it was stored. With nothing selected, or a row that
/// is not stored yet, what is in work stands in its place.
std::shared_ptr<const SelectedMeasurement> with_samples_in_work(std::shared_ptr<const SelectedMeasurement> stored,
                                                                std::int64_t pinned, const SweepResults& shown,
                                                                const RunState& run);

}  // namespace triscope
