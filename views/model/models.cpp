#include "views/model/models.hpp"

#include <algorithm>
#include <set>

#include "kernels/paper/run_algorithm.hpp"
#include "profiler/paper/layers/measured_layer.hpp"
#include "profiler/plan/sweep_title.hpp"

namespace triscope {

void Models::refresh(const WindowData& data) {
  if (revision_ == data.revision) return;
  revision_ = data.revision;
  latency_.reset();
  settings_.reset();
  bars_.clear();
  scaling_.clear();
  lengths_.reset();
  maps_.clear();
  map_choices_.reset();
  paper_.reset();
  compare_.reset();
  order_.reset();
  names_.clear();
  has_twins_.reset();
  recipe_.reset();
}

const LatencyModel* Models::latency(const WindowData& data) {
  refresh(data);
  if (!data.shown) return nullptr;
  if (!latency_) latency_ = make_latency_model(*data.shown, data.against_baseline.get(), data.beside_reference.get());
  return &*latency_;
}

const std::vector<ChartSetting>& Models::settings(const WindowData& data) {
  const LatencyModel* model = latency(data);
  if (!settings_) settings_ = model ? chart_settings(*model) : std::vector<ChartSetting>{};
  return *settings_;
}

const BarChart* Models::bars(const WindowData& data, std::size_t setting) {
  if (setting >= settings(data).size()) return nullptr;
  const auto found = bars_.find(setting);
  return found != bars_.end()
             ? &found->second
             : &bars_.emplace(setting, make_bar_chart(*latency(data), settings(data)[setting])).first->second;
}

const ScalingChart* Models::scaling(const WindowData& data, std::size_t setting) {
  if (setting >= settings(data).size()) return nullptr;
  const auto found = scaling_.find(setting);
  return found != scaling_.end()
             ? &found->second
             : &scaling_.emplace(setting, make_scaling_chart(*latency(data), settings(data)[setting])).first->second;
}

const LengthChart* Models::lengths(const WindowData& data) {
  refresh(data);
  if (!data.shown) return nullptr;
  if (!lengths_) lengths_ = make_length_chart(*data.shown, data.same_device);
  return &*lengths_;
}

const std::vector<Series>& Models::map_choices(const WindowData& data) {
  const LatencyModel* model = latency(data);
  if (!map_choices_) map_choices_ = model ? ::triscope::map_series(*model) : std::vector<Series>{};
  return *map_choices_;
}

const WindowMap* Models::map(const WindowData& data, std::size_t setting, int series, MapMetric metric) {
  const auto& choices = map_choices(data);
  if (choices.empty() || setting >= settings(data).size()) return nullptr;
  series = std::clamp(series, 0, static_cast<int>(choices.size()) - 1);
  const auto [found, missing] = maps_.try_emplace({setting, series, metric});
  if (missing)
    found->second =
        make_window_map(*latency(data), settings(data)[setting], choices[static_cast<std::size_t>(series)], metric);
  return &found->second;
}

const PaperModel* Models::paper(const WindowData& data) {
  refresh(data);
  if (!data.shown) return nullptr;
  if (!paper_) paper_ = make_paper_model(rows_on_device(data), data.shown->info.environment.device_name);
  return &*paper_;
}

const CompareModel* Models::compare(const WindowData& data, std::int64_t now) {
  refresh(data);
  if (data.compared.size() < 2) return nullptr;
  if (!compare_) compare_ = make_compare_model(data.compared, now);
  return &*compare_;
}

const SampleChart* Models::samples(const WindowData& data) {
  if (!data.selected) return nullptr;
  if (sampled_ != data.selected) {
    sampled_ = data.selected;
    samples_ = make_sample_chart(sampled_->measurement.samples);
  }
  return &samples_;
}

const AlgorithmSteps& Models::steps(Algorithm algorithm, const StepSizes& sizes) {
  if (!steps_ || steps_->algorithm != algorithm || steps_->sizes != clamped(sizes))
    steps_ = run_algorithm(algorithm, sizes);
  return *steps_;
}

Models::Recipe& Models::recipe_of(const WindowData& data) {
  refresh(data);
  if (!recipe_) {
    recipe_.emplace();
    recipe_->rows = rows_on_device(data);
    recipe_->shapes = measured_shapes(recipe_->rows);
    recipe_->layer = measured_layer(recipe_->rows);
  }
  return *recipe_;
}

const RecipeAnswer& Models::recipe(const WindowData& data, const RecipeUi& ui) {
  Recipe& recipe = recipe_of(data);
  if (!recipe.answer || recipe.asked != ui || recipe.work != data.work.table) {
    recipe.asked = ui;
    recipe.work = data.work.table;
    recipe.answer = make_recipe_answer(recipe.rows, ui, *recipe.work);
  }
  return *recipe.answer;
}

const OperatorCrossings& Models::crossings(const WindowData& data, const Windows& windows) {
  Recipe& recipe = recipe_of(data);
  if (!recipe.crossings || recipe.crossings->first != windows || recipe.crossed_with != data.work.table) {
    recipe.crossed_with = data.work.table;
    recipe.crossings = {windows, operator_crossings(recipe.rows, windows, *recipe.crossed_with)};
  }
  return recipe.crossings->second;
}

const WindowsCost& Models::windows_cost(const WindowData& data, const TilesUi& ui) {
  Recipe& recipe = recipe_of(data);
  const LayerMixRequest layer = layer_request(ui);
  if (!recipe.windows_cost || recipe.windows_cost->first != layer || recipe.tiled_with != data.work.table) {
    recipe.tiled_with = data.work.table;
    recipe.windows_cost = {layer, ::triscope::windows_cost(recipe.rows, ui, *recipe.tiled_with)};
  }
  return recipe.windows_cost->second;
}

const std::vector<MeasuredShape>& Models::recipe_shapes(const WindowData& data) { return recipe_of(data).shapes; }

const LayerMixRequest& Models::recipe_layer(const WindowData& data) { return recipe_of(data).layer; }

const std::vector<Recomputed>& Models::recomputed(const ModelSizes& sizes) {
  if (!recomputed_ || recomputed_->first != sizes) recomputed_ = {sizes, recompute_tables(sizes)};
  return recomputed_->second;
}

const OwnLosses& Models::own_losses(const LossesUi& ui) {
  if (!losses_ || losses_edits_ != ui.edits) {
    losses_edits_ = ui.edits;
    losses_ = make_own_losses(ui.text);
  }
  return *losses_;
}

const Models::SweepName& Models::name(const WindowData& data, const SweepInfo& sweep) {
  refresh(data);
  const auto [found, is_new] = names_.try_emplace(sweep.uuid);
  if (is_new) found->second = {sweep_title(sweep), short_title(sweep)};
  return found->second;
}

bool Models::has_twins(const WindowData& data) {
  refresh(data);
  if (!has_twins_) {
    std::set<std::string> briefs;
    for (const SweepInfo& sweep : data.sweeps) briefs.insert(name(data, sweep).brief);
    has_twins_ = briefs.size() < data.sweeps.size();
  }
  return *has_twins_;
}

const std::vector<std::size_t>& Models::order(const WindowData& data, const std::string& filter,
                                              const std::string& sort_column, bool descending) {
  static const std::vector<std::size_t> none;
  const LatencyModel* model = latency(data);
  if (!model) return none;
  if (!order_ || order_->filter != filter || order_->sort_column != sort_column || order_->descending != descending) {
    std::optional<LatencySort> sort;
    for (LatencyColumn& column : latency_columns(*model)) {
      if (!sort_column.empty() && column.id == sort_column) sort = LatencySort{std::move(column), descending};
    }
    order_ = Order{filter, sort_column, descending, arrange(*model, filter, sort)};
  }
  return order_->lines;
}

}  // namespace triscope
