#include "views/parts/panel_list.hpp"

#include <algorithm>

#include "views/parts/widgets.hpp"

namespace triscope {

void draw_panel(Context& context, Panel panel) {
  switch (panel) {
    case Panel::latency:
      return draw_latency_panel(context);
    case Panel::tflops:
      return draw_tflops_panel(context);
    case Panel::map:
      return draw_map_panel(context);
    case Panel::scaling:
      return draw_scaling_panel(context);
    case Panel::lengths:
      return draw_length_panel(context);
    case Panel::samples:
      return draw_samples_panel(context);
    case Panel::compare:
      return draw_compare_panel(context);
    case Panel::paper:
      return draw_paper_panel(context);
    case Panel::details:
      return draw_details_panel(context);
    case Panel::setup:
      return draw_setup_panel(context);
    case Panel::history:
      return draw_history_panel(context);
    case Panel::log:
      return draw_log_panel(context);
    case Panel::attention:
      return draw_attention_panel(context);
    case Panel::count:
      return;
  }
}

TextTable panel_text(Context& context, Panel panel) {
  const WindowData& data = context.data;
  const UiState& ui = context.ui;
  switch (panel) {
    case Panel::latency: {
      const LatencyModel* model = context.models.latency(data);
      if (!model) return {};
      std::vector<LatencyColumn> columns = latency_columns(*model);
      if (!ui.visible_columns.empty()) {
        std::erase_if(columns, [&](const LatencyColumn& column) {
          return std::find(ui.visible_columns.begin(), ui.visible_columns.end(), column.id) == ui.visible_columns.end();
        });
      }
      return latency_text(*model, context.models.order(data, ui.table_filter, ui.sort_column, ui.sort_descending),
                          columns);
    }
    case Panel::tflops: {
      const LatencyModel* model = context.models.latency(data);
      return model ? bars_text(*model) : TextTable{};
    }
    case Panel::map: {
      const std::vector<Series>& choices = context.models.map_choices(data);
      if (choices.empty()) return {};
      const std::size_t series = std::min(static_cast<std::size_t>(std::max(0, ui.map_series)), choices.size() - 1);
      return map_text(*context.models.latency(data), choices[series], ui.map_metric);
    }
    case Panel::scaling: {
      const LatencyModel* model = context.models.latency(data);
      return model ? scaling_text(*model) : TextTable{};
    }
    case Panel::lengths: {
      const LengthChart* chart = context.models.lengths(data);
      return chart ? chart->text : TextTable{};
    }
    case Panel::samples:
      return data.selected ? samples_text(data.selected->measurement.samples) : TextTable{};
    case Panel::compare: {
      const CompareModel* model = context.models.compare(data, context.now);
      return model ? compare_text(*model) : TextTable{};
    }
    case Panel::paper: {
      const PaperModel* model = context.models.paper(data);
      return model ? paper_text(*model) : TextTable{};
    }
    case Panel::attention:
      return triples_text(data.attention);
    default:
      return {};
  }
}

bool draw_data_state(Context& context, bool in_full) {
  const WindowData& data = context.data;
  if (!in_full && (!data.shown || data.shown->rows.empty())) {
    empty_state(context, data.measures_here() ? "The first measurement is being taken."
                                              : "This fills with the first measurement.");
    return false;
  }
  if (!data.problem.empty()) {
    empty_state(context, sentence(data.problem), {{"Open another database...", {CommandId::open_database}}});
    return false;
  }
  if (data.shown && !data.shown->rows.empty()) return true;
  if (data.loading) {
    empty_state(context, "Reading the database ...");
  } else if (data.measures_here()) {
    empty_state(context, "Measuring. The first result appears here in a moment.");
  } else if (data.sweeps.empty()) {
    if (data.recorded_database.empty()) {
      empty_state(context, "Nothing has been measured yet. Run measures what the sweep setup on the left says.",
                  {{"Run", {CommandId::run}}});
    } else {
      empty_state(context,
                  "Nothing has been measured yet. Run measures what the sweep setup on the left says; a recording from "
                  "an H200 is there to look at.",
                  {{"Run", {CommandId::run}}, {"Open the recorded H200 database", {CommandId::open_recorded}, false}});
    }
  } else {
    empty_state(context, "This sweep holds no measurements: it was stopped before the first one was done.",
                {{"Resume it", {CommandId::resume}}});
  }
  return false;
}

}  // namespace triscope
