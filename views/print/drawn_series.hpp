// The measurements behind a chart that is drawn, by series, for its caption.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "views/model/charts/chart_model.hpp"
#include "views/model/charts/length_chart.hpp"
#include "views/model/charts/print_caption.hpp"
#include "views/model/tables/compare_model.hpp"
#include "views/model/tables/latency_model.hpp"

namespace triscope {

/// The other sweeps of the shown one's device: a training step may be of two of them.
using OtherSweeps = std::vector<std::shared_ptr<const SweepResults>>;

/// Of series and levels. Here and below: of a training step both passes.
std::vector<DrawnSeries> drawn_series(const std::vector<SeriesPoints>& series, const std::vector<SeriesPoints>& levels,
                                      const SweepResults& shown, const OtherSweeps& others);
std::vector<DrawnSeries> drawn_series(const WindowMap& map, const Series& series, const SweepResults& shown,
                                      const OtherSweeps& others);
std::vector<DrawnSeries> drawn_series(const LengthPass& pass, const SweepResults& shown, const OtherSweeps& others);
/// Of these measurements, one each.
std::vector<DrawnSeries> drawn_series(const std::vector<std::int64_t>& measurements, const SweepResults& shown,
                                      const OtherSweeps& others);
/// Of these lines of a table.
std::vector<DrawnSeries> drawn_series(const LatencyModel& model, const std::vector<std::size_t>& order,
                                      const SweepResults& shown, const OtherSweeps& others);
/// Of one side of a comparison: kernels and passes whose times are beside another's.
std::vector<DrawnSeries> drawn_series(const CompareModel& model, const ComparedSweep& side);

}  // namespace triscope
