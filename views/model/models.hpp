// View models of the shown data, made once per revision and shared by the panels.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "views/model/attention/attention_model.hpp"
#include "views/model/charts/chart_model.hpp"
#include "views/model/charts/length_model.hpp"
#include "views/model/charts/sample_chart.hpp"
#include "views/model/latency_columns.hpp"
#include "views/model/paper/match3_model.hpp"
#include "views/model/paper/paper_model.hpp"
#include "views/model/paper/paper_ui.hpp"
#include "views/model/tables/compare_model.hpp"

namespace triscope {

class Models {
 public:
  /// Null when no sweep is shown.
  const LatencyModel* latency(const WindowData& data);
  /// What charts over windows show one of; empty when no sweep is shown. `setting` below is an index into it.
  const std::vector<ChartSetting>& settings(const WindowData& data);
  const BarChart* bars(const WindowData& data, std::size_t setting);
  const ScalingChart* scaling(const WindowData& data, std::size_t setting);
  const LengthChart* lengths(const WindowData& data);
  const WindowMap* map(const WindowData& data, std::size_t setting, int series, MapMetric metric);
  const std::vector<Series>& map_choices(const WindowData& data);
  const PaperModel* paper(const WindowData& data);
  /// Null when fewer than two sweeps are compared.
  const CompareModel* compare(const WindowData& data, std::int64_t now);
  /// Null when nothing is selected.
  const SampleChart* samples(const WindowData& data);
  /// What a sweep measures, in a few words, and in fewer.
  struct SweepName {
    std::string title, brief;
  };
  const SweepName& name(const WindowData& data, const SweepInfo& sweep);
  /// Some sweeps have the same brief name.
  bool has_twins(const WindowData& data);
  /// Lines of the latency model in the order of filter and sort.
  const std::vector<std::size_t>& order(const WindowData& data, const std::string& filter,
                                        const std::string& sort_column, bool descending);

  AttentionModel& attention() { return attention_; }
  /// The steps of an algorithm of the paper's page.
  const AlgorithmSteps& steps(Algorithm algorithm, const StepSizes& sizes);
  Match3Model& match3() { return match3_; }
  /// What the recipe page's model costs by the rows of the shown sweep's device, and the shapes that they have.
  const RecipeAnswer& recipe(const WindowData& data, const RecipeUi& ui);
  const std::vector<MeasuredShape>& recipe_shapes(const WindowData& data);
  /// The layer that stands for these rows (`measured_layer`).
  const LayerMixRequest& recipe_layer(const WindowData& data);
  /// By the same rows, what the windows of the tiling page cost.
  const WindowsCost& windows_cost(const WindowData& data, const TilesUi& ui);
  /// By the same rows, where windows cost as much as dot-product attention.
  const OperatorCrossings& crossings(const WindowData& data, const Windows& windows);
  /// The paper's tables, recomputed with these sizes.
  const std::vector<Recomputed>& recomputed(const ModelSizes& sizes);
  /// What follows from the user's own losses.
  const OwnLosses& own_losses(const LossesUi& ui);

 private:
  void refresh(const WindowData& data);

  std::uint64_t revision_ = ~std::uint64_t{0};
  std::optional<LatencyModel> latency_;
  std::optional<std::vector<ChartSetting>> settings_;
  std::map<std::size_t, BarChart> bars_;  ///< by setting, as asked for
  std::map<std::size_t, ScalingChart> scaling_;
  std::optional<LengthChart> lengths_;
  std::map<std::tuple<std::size_t, int, MapMetric>, WindowMap> maps_;
  std::optional<std::vector<Series>> map_choices_;
  std::optional<PaperModel> paper_;
  std::optional<CompareModel> compare_;
  std::shared_ptr<const SelectedMeasurement> sampled_;
  SampleChart samples_;
  struct Order {
    std::string filter, sort_column;
    bool descending = false;
    std::vector<std::size_t> lines;
  };
  std::optional<Order> order_;
  AttentionModel attention_;
  std::map<std::string, SweepName> names_;  ///< by the sweep's uuid
  std::optional<bool> has_twins_;
  std::optional<AlgorithmSteps> steps_;
  Match3Model match3_;
  struct Recipe {
    std::vector<ResultRow> rows;
    std::vector<MeasuredShape> shapes;
    LayerMixRequest layer;
    RecipeUi asked;
    std::shared_ptr<const WorkTable> work;
    std::optional<RecipeAnswer> answer;
    std::shared_ptr<const WorkTable> crossed_with;
    std::optional<std::pair<Windows, OperatorCrossings>> crossings;
    std::shared_ptr<const WorkTable> tiled_with;
    std::optional<std::pair<LayerMixRequest, WindowsCost>> windows_cost;
  };
  std::optional<Recipe> recipe_;
  Recipe& recipe_of(const WindowData& data);
  std::optional<std::pair<ModelSizes, std::vector<Recomputed>>> recomputed_;
  std::optional<OwnLosses> losses_;
  std::uint64_t losses_edits_ = 0;
};

}  // namespace triscope
