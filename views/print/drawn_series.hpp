// The measurements behind a chart that is drawn, by series, for its caption.
#pragma once

#include <memory>
#include <vector>

#include "views/model/charts/chart_model.hpp"
#include "views/model/charts/length_chart.hpp"
#include "views/model/charts/print_caption.hpp"
#include "views/model/tables/compare_model.hpp"

namespace triscope {

/// Of series and levels.
std::vector<DrawnSeries> drawn_series(const std::vector<SeriesPoints>& series, const std::vector<SeriesPoints>& levels,
                                      const SweepResults& sweep);
std::vector<DrawnSeries> drawn_series(const WindowMap& map, const Series& series, const SweepResults& sweep);
/// Of a step both passes.
std::vector<DrawnSeries> drawn_series(const LengthPass& pass, const SweepResults& shown,
                                      const std::vector<std::shared_ptr<const SweepResults>>& others);
/// Of one side of a comparison: kernels and passes whose times are beside another's.
std::vector<DrawnSeries> drawn_series(const CompareModel& model, const ComparedSweep& side);

}  // namespace triscope
