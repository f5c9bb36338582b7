// The layer-mix calculator of the Recipe page without its pixels: what the attention layers of a model cost here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/paper/layers/layer_mix.hpp"
#include "views/data/window_data.hpp"

namespace triscope {

/// A model as it is typed.
struct RecipeUi {
  int layers = 32, simplicial = 8, sequences = 1;
  int seq_len = 32'768, q_heads = 64, kv_heads = 1, head_dim = 128, window1 = 512, window2 = 32;
  float budget_ms = 0;  ///< of a training step; 0: none
  std::string dot_kernel = LayerMixRequest{}.dot_kernel;
  bool typed = false;  ///< the layer is the user's; else `measured_layer` says it
  bool operator==(const RecipeUi&) const = default;
};
LayerMixRequest layer_request(const RecipeUi& ui);
/// The length, heads and windows that the number fields of a page name.
template <typename Fields>
LayerMixRequest layer_of_fields(const Fields& ui) {
  LayerMixRequest request;
  request.seq_len = ui.seq_len;
  request.q_heads = ui.q_heads;
  request.kv_heads = ui.kv_heads;
  request.head_dim = ui.head_dim;
  request.windows = {ui.window1, ui.window2};
  return request;
}
/// The same model; its layer that of the database, unless the user has typed one.
RecipeUi with_measured(RecipeUi ui, const LayerMixRequest& measured);

inline constexpr int kMostRecipeTokens = 1 << 24;

/// Words that the command line shares have kernels by their ids; here they have the names of the window.
std::string with_kernel_labels(std::string text, const std::vector<ResultRow>& rows);

/// Those of `wanted` whose tiles are not in `work` yet.
std::vector<Problem> still_to_count(std::vector<Problem> wanted, const WorkTable& work);

/// What is wrong with the numbers, one sentence; empty: nothing.
std::string recipe_problem(const RecipeUi& ui);

struct RecipeAnswer {
  RecipeUi asked;  ///< whose answer it is
  std::optional<LayerCosts> costs;
  std::string problem, next;        ///< why there are none, and what to do about it
  std::vector<Problem> to_count;    ///< problems whose tiles it waits for
  std::vector<MsRange> steps;       ///< by number of 2-simplicial layers, from 0 on; empty without costs
  std::optional<BudgetMixes> fits;  ///< with a budget
};
RecipeAnswer make_recipe_answer(const std::vector<ResultRow>& rows, const RecipeUi& ui, const WorkTable& work = {});

/// Heads, windows and dot-product attention that the rows have in both passes, so that a training step can be added up.
struct MeasuredShape {
  RecipeUi shape;    ///< its length the longest at which the windows were measured
  std::string text;  ///< "512 × 32, 64/1 heads of 128, beside" and the kernel
};
std::vector<MeasuredShape> measured_shapes(const std::vector<ResultRow>& rows);
/// The same model with the heads, windows and kernel of a measured shape.
RecipeUi with_shape(RecipeUi ui, const MeasuredShape& measured);

/// From which length on windows cost less than dot-product attention by the clock, measured or by a model that is
/// named.
struct OperatorCrossings {
  std::string beside;                   ///< heads and the kernel of the dot product, by `measured_layer`
  std::vector<Problem> to_count;        ///< problems whose tiles it waits for
  std::string forward, backward, both;  ///< as `crossings_text` has them; empty while it waits
  std::string sweep;                    ///< the command that would tell what is not known; empty: nothing is missing
};
OperatorCrossings operator_crossings(const std::vector<ResultRow>& rows, const Windows& windows,
                                     const WorkTable& work = {});

/// The rows that the calculator goes by: the shown sweep's, then those of the other sweeps on its device.
std::vector<ResultRow> rows_on_device(const DatabaseData& data);

/// Such rows, the shapes that they have, and the layer that stands for them (`measured_layer`).
struct DeviceRows {
  std::vector<ResultRow> rows;
  std::vector<MeasuredShape> shapes;
  LayerMixRequest layer;
};
DeviceRows make_device_rows(std::vector<ResultRow> rows);

/// Each layer's times and every mix, to be copied.
TextTable recipe_text(const RecipeUi& ui, const RecipeAnswer& answer);

}  // namespace triscope
