// Charts as vector pictures for print: light, with a caption that says what was measured and how.
#pragma once

#include <string>

#include "views/model/chart_model.hpp"
#include "views/model/length_model.hpp"
#include "views/parts/context.hpp"

namespace triscope {

/// "NVIDIA H200, 1,706 MHz, sustained, timed by CUPTI; medians of 12 to 40 samples, 95 % intervals.": device, median
/// clock, regime, clock of the times, n and what the intervals are.
std::string print_caption(const SweepResults& sweep);

std::string bars_svg(const BarChart& chart, const std::string& title, const std::string& caption);
std::string scaling_svg(const ScalingChart& chart, const std::string& title, const std::string& caption);
/// Latency by sequence length.
std::string lengths_svg(const LengthPass& pass, const std::string& title, const std::string& caption);
/// Each cell is a box with its number.
std::string map_svg(const WindowMap& map, MapMetric metric, const std::string& title, const std::string& caption);

/// The chart of `panel` as it is chosen in the window. Throws `Error` (usage) for a panel that has no vector picture,
/// or while it shows nothing.
std::string panel_svg(Context& context, Panel panel);

}  // namespace triscope
