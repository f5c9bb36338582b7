// Charts as vector pictures for print: light, with a caption that says what was measured and how.
#pragma once

#include <string>
#include <utility>

#include "views/model/charts/chart_model.hpp"
#include "views/model/charts/explore_chart.hpp"
#include "views/model/charts/length_model.hpp"
#include "views/model/charts/sample_chart.hpp"
#include "views/model/tables/compare_model.hpp"
#include "views/parts/context.hpp"
#include "views/print/make_canvas.hpp"

namespace triscope {

/// "NVIDIA H200, 1,706 MHz, sustained, timed by CUPTI; medians of 12 to 40 samples, 95 % intervals.": device, median
/// clock, regime, clock of the times, n and what the intervals are.
std::string print_caption(const SweepResults& sweep);

std::string bars_picture(const BarChart& chart, const std::string& title, const std::string& caption,
                         VectorFormat format = VectorFormat::svg);
std::string scaling_picture(const ScalingChart& chart, const std::string& title, const std::string& caption,
                            VectorFormat format = VectorFormat::svg);
/// Latency by sequence length.
std::string lengths_picture(const LengthPass& pass, const LengthUnit& unit, const std::string& title,
                            const std::string& caption, VectorFormat format = VectorFormat::svg);
/// Each cell is a box with its number.
std::string map_picture(const WindowMap& map, MapMetric metric, const std::string& title, const std::string& caption,
                        VectorFormat format = VectorFormat::svg);
/// Samples over time, lanes of what was read of the device, and the distribution.
std::string samples_picture(const SampleChart& chart, const Summary& summary, const std::string& title,
                            const std::string& caption, VectorFormat format = VectorFormat::svg);
/// "NVIDIA H200, 1,695 MHz, 688 W, sustained, timed by CUPTI; n = 21 samples, median 46.60 ms, ...".
std::string measurement_caption(const SelectedMeasurement& selected, const SampleChart& chart);
std::string explore_picture(const ExploreChart& chart, const std::string& title, const std::string& caption,
                            VectorFormat format = VectorFormat::svg);
/// The ratio of each row that has one, with its interval.
std::string compare_picture(const CompareModel& model, const std::string& title, const std::string& caption,
                            VectorFormat format = VectorFormat::svg);

/// The title that a person gave, or the chart's own.
inline std::string or_own(const std::string& title, std::string own) {
  if (title.empty()) return own;
  return title;
}

/// The chart of the paper's page that is shown, as it is set there, under `title` or, where that is empty, its own.
/// Throws `Error` (usage) for a page of tables or texts, or while it shows nothing.
std::string paper_picture(Context& context, VectorFormat format = VectorFormat::svg, const std::string& title = {});

/// The chart of `panel` as it is chosen in the window, under `title` or, where that is empty, its own. Throws `Error`
/// (usage) for a panel that has no vector picture, or while it shows nothing.
std::string panel_picture(Context& context, Panel panel, VectorFormat format = VectorFormat::svg,
                          const std::string& title = {});

}  // namespace triscope
