// View models of the shown data, made once for its table or revision and shared by the panels. Those of much data that
// not every frame needs are made beside the drawing: until they are there what was made before stands, or null.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "views/model/attention/attention_model.hpp"
#include "views/model/charts/chart_model.hpp"
#include "views/model/charts/length_model.hpp"
#include "views/model/charts/sample_chart.hpp"
#include "views/model/history_model.hpp"
#include "views/model/latency_columns.hpp"
#include "views/model/model_maker.hpp"
#include "views/model/paper/match3_model.hpp"
#include "views/model/paper/paper_model.hpp"
#include "views/model/paper/paper_ui.hpp"
#include "views/model/row_search.hpp"
#include "views/model/tables/counted_elsewhere.hpp"
#include "views/model/tables/latency_model.hpp"

namespace triscope {

class Models {
 public:
  /// Null when no sweep is shown.
  const LatencyModel* latency(const WindowData& data);
  /// What charts over windows show one of; empty when no sweep is shown. `setting` below is an index into it.
  const std::vector<ChartSetting>& settings(const WindowData& data);
  const BarChart* bars(const WindowData& data, std::size_t setting);
  const ScalingChart* scaling(const WindowData& data, std::size_t setting);
  /// Null where no sweep is shown, or while the first one is being made.
  const LengthChart* lengths(const WindowData& data);
  /// The same without the curves of these labels; while it is being made, what stood of this sweep, or the whole.
  const LengthChart* lengths_without(const WindowData& data, const std::set<std::string>& labels);
  /// A newer one of either is being made.
  bool lengths_wait() const {
    return lengths_.waits() || lengths_without_.waits() || lengths_said_.waits() || without_said_.waits();
  }
  /// Of `chosen_series` among the choices.
  const WindowMap* map(const WindowData& data, std::size_t setting, const std::optional<Series>& chosen,
                       MapMetric metric);
  /// The passes, then training steps.
  const std::vector<Series>& map_choices(const WindowData& data);
  /// Training steps of the shown windows; null: there are none, or the first are being made.
  const LatencyModel* step_table(const WindowData& data);
  /// Likewise.
  const PaperModel* paper(const WindowData& data);
  /// Null when fewer than two sweeps are compared.
  const CompareModel* compare(const WindowData& data, std::int64_t now);
  /// Of the selected measurement and what it stands beside; null without them, and while rows are looked through.
  const CountedElsewhere* counted_elsewhere(const WindowData& data);
  /// Null when nothing is selected.
  const SampleChart* samples(const WindowData& data);
  HistoryModel& history() { return history_; }
  RowSearch& row_search() { return row_search_; }
  const SweepName& name(const SweepInfo& sweep) { return history_.name(sweep); }
  /// Lines of the latency model in the order of filter and sort. Of many, a filter counts a frame or two later.
  const std::vector<std::size_t>& order(const WindowData& data, const std::string& filter,
                                        const std::string& sort_column, bool descending);

  AttentionModel& attention() { return attention_; }
  /// The steps of an algorithm of the paper's page.
  const AlgorithmSteps& steps(Algorithm algorithm, const StepSizes& sizes);
  /// What is found of these numbers; while that is being made, of the ones before, or null.
  const Match3Shown* match3(const Match3Fields& fields);
  /// The rows of the shown sweep's device, with the shapes that they have and the layer that stands for them; null
  /// while they are looked through, as all that follows from them.
  const DeviceRows* device_rows(const WindowData& data);
  /// What the recipe page's model costs by these rows; while it is being made, that of the model before.
  const RecipeAnswer* recipe(const WindowData& data, const RecipeUi& ui);
  /// What the windows of the tiling page cost; null while that is being made.
  const WindowsCost* windows_cost(const WindowData& data, const TilesUi& ui);
  /// Where windows cost as much as dot-product attention; null while that is being made.
  const OperatorCrossings* crossings(const WindowData& data, const Windows& windows);
  /// The paper's tables, recomputed with these sizes.
  const std::vector<Recomputed>& recomputed(const ModelSizes& sizes);
  /// What follows from the user's own losses.
  const OwnLosses& own_losses(const LossesUi& ui);

  ModelMaker maker;

 private:
  void refresh(const WindowData& data);
  void forget_table();

  std::uint64_t revision_ = ~std::uint64_t{0};
  std::string database_;
  std::shared_ptr<const LatencyModel> latency_;
  std::optional<std::vector<ChartSetting>> settings_;
  std::map<std::size_t, BarChart> bars_;  ///< by setting, as asked for
  std::map<std::size_t, ScalingChart> scaling_;
  MadeModel<std::uint64_t, LengthChart> lengths_;  ///< by revision
  /// Of this chart, without the curves of these labels.
  MadeModel<std::pair<std::shared_ptr<const LengthChart>, std::set<std::string>>, LengthChart> lengths_without_;
  /// With what samples say of two rows, which are read beside the drawing; until then by their medians.
  using SaidLengths = MadeModel<std::shared_ptr<const LengthChart>, LengthChart>;
  SaidLengths lengths_said_, without_said_;
  std::shared_ptr<const LengthChart> drawn_lengths_, drawn_without_;
  std::shared_ptr<const LengthChart> said(SaidLengths& model, const char* name,
                                          const std::shared_ptr<const LengthChart>& of, const WindowData& data);
  std::map<std::tuple<std::size_t, const Series*, MapMetric>, WindowMap> maps_;  ///< by setting and choice
  std::optional<std::vector<Series>> map_choices_;
  MadeModel<std::uint64_t, LatencyModel> step_table_;  ///< by revision, of this sweep
  std::int64_t step_sweep_ = 0;
  const LatencyModel* drawn_steps_ = nullptr;  ///< what the charts and choices above were made of
  MadeModel<std::uint64_t, PaperModel> paper_;
  std::shared_ptr<const CompareModel> compare_;
  /// By revision and two measurements.
  MadeModel<std::pair<std::uint64_t, std::pair<std::int64_t, std::int64_t>>, CountedElsewhere> counted_;
  std::shared_ptr<const SelectedMeasurement> sampled_;
  SampleChart samples_;
  struct Order {
    std::string filter, sort_column;
    bool descending = false;
    std::vector<std::size_t> lines;
    bool of_old_rows = false;  ///< or all lines, while what is filtered is being made
  };
  std::optional<Order> order_;
  MadeModel<std::shared_ptr<const LatencyModel>, std::vector<std::string>> filter_texts_;
  AttentionModel attention_;
  HistoryModel history_;
  RowSearch row_search_;
  std::optional<AlgorithmSteps> steps_;
  MadeModel<Match3Fields, Match3Shown> match3_;
  MadeModel<std::uint64_t, DeviceRows> device_rows_;
  /// Of these rows, with what is known of tiles.
  template <typename Asked>
  using OfRows = std::tuple<std::shared_ptr<const DeviceRows>, std::shared_ptr<const WorkTable>, Asked>;
  MadeModel<OfRows<RecipeUi>, RecipeAnswer> recipe_;
  MadeModel<OfRows<Windows>, OperatorCrossings> crossings_;
  MadeModel<OfRows<LayerMixRequest>, WindowsCost> windows_cost_;
  std::optional<std::pair<ModelSizes, std::vector<Recomputed>>> recomputed_;
  std::optional<OwnLosses> losses_;
  std::uint64_t losses_edits_ = 0;
};

}  // namespace triscope
