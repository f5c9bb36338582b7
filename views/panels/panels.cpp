#include "views/panels/panels.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "views/attention/attention_panels.hpp"
#include "views/charts/charts_panels.hpp"
#include "views/history/history_panels.hpp"
#include "views/model/attention/mean_words.hpp"
#include "views/model/attention/triple_hits.hpp"
#include "views/model/tables/compare_model.hpp"
#include "views/setup/setup_panels.hpp"
#include "views/tables/tables_panels.hpp"

namespace triscope {
namespace {

TextTable latency_panel_text(Context& context) {
  const WindowData& data = context.data;
  const UiState& ui = context.ui;
  const LatencyModel* model = context.models.latency(data);
  if (!model) return {};
  return latency_text(*model, context.models.order(data, ui.table_filter, ui.sort_column, ui.sort_descending),
                      shown_columns(*model, ui.visible_columns));
}

TextTable tflops_panel_text(Context& context) {
  const WindowData& data = context.data;
  const LatencyModel* model = context.models.latency(data);
  return model ? bars_text(*model) : TextTable{};
}

TextTable map_panel_text(Context& context) {
  const WindowData& data = context.data;
  const UiState& ui = context.ui;
  const Series* series = chosen_series(context.models.map_choices(data), ui.map_series);
  if (!series) return {};
  const LatencyModel* model = series->step ? context.models.step_table(data) : context.models.latency(data);
  return map_text(*model, *series, ui.map_metric);
}

TextTable scaling_panel_text(Context& context) {
  const WindowData& data = context.data;
  const LatencyModel* model = context.models.latency(data);
  if (!model) return {};
  TextTable text = scaling_text(*model);
  if (const LatencyModel* steps = context.models.step_table(data))
    std::ranges::move(scaling_text(*steps).rows, std::back_inserter(text.rows));
  return text;
}

TextTable lengths_panel_text(Context& context) {
  const WindowData& data = context.data;
  const LengthChart* chart = context.models.lengths_without(data, context.ui.lengths_left_out);
  return chart ? chart->text : TextTable{};
}

TextTable samples_panel_text(Context& context) {
  const WindowData& data = context.data;
  return data.selected ? samples_text(data.selected->measurement.samples) : TextTable{};
}

TextTable explore_panel_text(Context& context) {
  const auto& chart = context.data.explore.chart;
  return chart ? explore_text(*chart) : TextTable{};
}

TextTable compare_panel_text(Context& context) {
  const WindowData& data = context.data;
  const CompareModel* model = context.models.compare(data, context.now);
  return model ? compare_text(*model) : TextTable{};
}

TextTable paper_panel_text(Context& context) {
  const WindowData& data = context.data;
  const PaperUi& ui = context.ui.paper;
  if (ui.page == PaperPage::tiling && data.tiles.answer) return tiles_text(*data.tiles.answer);
  if (ui.page == PaperPage::lengths) return lengths_panel_text(context);
  if (ui.page == PaperPage::recipe) return recipe_text(ui.recipe, *context.models.recipe(data, ui.recipe));
  if (ui.page == PaperPage::results)
    return results_text(shown_results(ui.results, context.models.recomputed(model_sizes(ui.results))));
  if (ui.page == PaperPage::errata) return errata_text(ui.errata_kind);
  if (ui.page == PaperPage::laws && ui.losses.own) {
    std::string unread;
    return losses_text(context.models.own_losses(ui.losses), parse_sizes(ui.losses.sizes, unread));
  }
  const PaperModel* model = context.models.paper(data);
  return model ? paper_text(*model) : TextTable{};
}

TextTable attention_panel_text(Context& context) {
  const AttentionData& data = context.data.attention;
  if (context.ui.attention.flipped) return triples_text(data.sides[1]);
  const std::shared_ptr<const SourceReply>& source = data.sides[0].source;
  const bool searched = data.search.of && data.search.of->source == data.sides[0].asked;
  if (context.ui.attention.search.open && searched && source) return hits_text(data.search, *source);
  const AttentionUi& ui = context.ui.attention;
  const MeanMaps* means = ui.mean_of_queries && !ui.search.open ? shown_means(ui, data) : nullptr;
  if (means) return peaks_text(*means);
  return triples_text(data.sides[0]);
}

TextTable no_text(Context&) { return {}; }

struct PanelContent {
  Panel panel;
  void (*draw)(Context& context);
  TextTable (*text)(Context& context);
};
constexpr std::array kPanels{
    PanelContent{Panel::latency, draw_latency_panel, latency_panel_text},
    PanelContent{Panel::tflops, draw_tflops_panel, tflops_panel_text},
    PanelContent{Panel::map, draw_map_panel, map_panel_text},
    PanelContent{Panel::scaling, draw_scaling_panel, scaling_panel_text},
    PanelContent{Panel::lengths, draw_length_panel, lengths_panel_text},
    PanelContent{Panel::samples, draw_samples_panel, samples_panel_text},
    PanelContent{Panel::explore, draw_explore_panel, explore_panel_text},
    PanelContent{Panel::compare, draw_compare_panel, compare_panel_text},
    PanelContent{Panel::paper, draw_paper_panel, paper_panel_text},
    PanelContent{Panel::details, draw_details_panel, no_text},
    PanelContent{Panel::setup, draw_setup_panel, no_text},
    PanelContent{Panel::history, draw_history_panel, no_text},
    PanelContent{Panel::queue, draw_queue_panel, no_text},
    PanelContent{Panel::log, draw_log_panel, no_text},
    PanelContent{Panel::attention, draw_attention_panel, attention_panel_text},
    PanelContent{Panel::mean, draw_mean_panel, no_text},
};
static_assert(is_by_panel(kPanels));

const PanelContent& content_of(Panel panel) { return kPanels[static_cast<std::size_t>(panel)]; }

}  // namespace

void draw_panel(Context& context, Panel panel) { content_of(panel).draw(context); }

TextTable panel_text(Context& context, Panel panel) { return content_of(panel).text(context); }

}  // namespace triscope
