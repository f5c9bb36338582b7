// Verdicts on the training steps of the shown sweep.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "app/window/database/database_reader.hpp"
#include "profiler/statistics/verdicts.hpp"
#include "profiler/store/store.hpp"
#include "views/data/window_data.hpp"

namespace triscope {

/// Samples that are read of other sweeps: all of a database of years take seconds.
inline constexpr std::int64_t kMostSamplesOfOthers = 50'000;

/// Training steps of the shown sweep's problems, beside dot-product attention. Of those whose samples are not known
/// only as many are judged as can be read soon; none where nothing is to stand beside a reference.
void judge_shown_steps(Verdicts& verdicts, const SweepResults& shown,
                       const std::vector<std::shared_ptr<const SweepResults>>& others, const Snapshot& from,
                       const ReadRequest& request);

}  // namespace triscope
