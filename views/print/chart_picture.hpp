// Charts as vector pictures for print: light unless asked for, with a caption that says what was measured and how.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "views/model/charts/chart_model.hpp"
#include "views/model/charts/explore_chart.hpp"
#include "views/model/charts/length_model.hpp"
#include "views/model/charts/sample_chart.hpp"
#include "views/model/latency_columns.hpp"
#include "views/model/tables/compare_model.hpp"
#include "views/parts/context.hpp"
#include "views/print/canvas/make_canvas.hpp"

namespace triscope {

std::string bars_picture(const BarChart& chart, const std::string& title, const std::string& caption,
                         const PrintStyle& style = {});
std::string scaling_picture(const ScalingChart& chart, const std::string& title, const std::string& caption,
                            const PrintStyle& style = {});
/// Latency by sequence length.
std::string lengths_picture(const LengthPass& pass, const LengthUnit& unit, const std::string& title,
                            const std::string& caption, const PrintStyle& style = {});
/// Work of one launch by sequence length; without `which` of both passes together.
std::string work_picture(const LengthPass& pass, std::optional<Pass> which, const std::string& title,
                         const std::string& caption, const PrintStyle& style = {});
/// The window areas that cost as much as dot-product attention, by sequence length.
std::string budget_picture(const LengthPass& pass, const std::string& title, const std::string& caption,
                           const PrintStyle& style = {});
/// Each cell is a box with its number.
std::string map_picture(const WindowMap& map, MapMetric metric, const std::string& title, const std::string& caption,
                        const PrintStyle& style = {});
/// Samples over time, lanes of what was read of the device, and the distribution.
std::string samples_picture(const SampleChart& chart, const Summary& summary, const std::string& title,
                            const std::string& caption, const PrintStyle& style = {});
/// "NVIDIA H200, 1,695 MHz, 688 W, sustained, timed by CUPTI; n = 21 samples, median 46.60 ms, ...".
std::string measurement_caption(const SelectedMeasurement& selected, const SampleChart& chart);
std::string explore_picture(const ExploreChart& chart, const std::string& title, const std::string& caption,
                            const PrintStyle& style = {});
/// The ratio of each row that has one, with its interval.
std::string compare_picture(const CompareModel& model, const std::string& title, const std::string& caption,
                            const PrintStyle& style = {});
/// The table with these columns, its lines in this order.
std::string latency_picture(const LatencyModel& model, const std::vector<std::size_t>& order,
                            const std::vector<LatencyColumn>& columns, const std::string& title,
                            const std::string& caption, const PrintStyle& style = {});
/// What Details says of the selected measurement, or of A beside B where two are. Fills `choice` in. Throws `Error`
/// (usage) while nothing is selected.
std::string details_picture(Context& context, VectorFormat format, PrintChoice& choice);

/// Gives `choice` the chart's own title and caption where it has none.
void fill_in(PrintChoice& choice, std::string title, std::string caption);

/// The chart by sequence length, and that of the paper's page that is shown, as they are set. They fill `choice` in.
/// Throw `Error` (usage) for a page of tables or texts, or while it shows nothing.
std::string lengths_now(Context& context, VectorFormat format, PrintChoice& choice);
std::string paper_picture(Context& context, VectorFormat format, PrintChoice& choice);

/// The mean over queries of the head that the attention panel shows, as a map by distance. Fills `choice` in. Throws
/// `Error` (usage) while it is not there.
std::string mean_picture(Context& context, VectorFormat format, PrintChoice& choice);

/// The maps of attention that the panel shows: one, A and B, their difference, or a grid. Fills `choice` in. Throws
/// `Error` (usage) while they are not there.
std::string attention_picture(Context& context, VectorFormat format, PrintChoice& choice);

/// The chart of `panel` as it is set in the window. Throws `Error` (usage) for a panel that has no vector picture,
/// while it shows nothing, or where the size leaves no room for it.
std::string panel_picture(Context& context, Panel panel, VectorFormat format = VectorFormat::svg,
                          PrintChoice choice = {});
/// The title and the caption that it has of its own; empty where there is no such picture. Of one that has pixels alone
/// the caption that may stand beside it. `whole`: of all of a chart that is zoomed.
PrintChoice panel_words(Context& context, Panel panel, bool whole = false);

}  // namespace triscope
