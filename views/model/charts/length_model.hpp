// Chart (4) without its pixels: latency and counted work against sequence length, windows beside dot-product attention,
// where they cross, and the windows that cost as much as dot-product attention at a length.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "views/model/charts/length_chart.hpp"
#include "views/model/charts/length_words.hpp"

namespace triscope {

/// From the rows of `shown`, and of `others`, sweeps on the same device, by the same clock: these only add what those
/// before them have not measured. Of several kernels for one pair of windows the one that is fastest at the longest
/// length is drawn; a baseline has a curve for each kernel, grouping and sliding window.
/// `reference`: the kernel that windows are compared with where it is a dot product that was measured with their heads.
LengthChart make_length_chart(const SweepResults& shown,
                              const std::vector<std::shared_ptr<const SweepResults>>& others = {},
                              const std::string& reference = "auto");

/// As if the curves with these labels had not been measured: what crosses and what costs the same is of the others.
LengthChart without_curves(LengthChart chart, const std::set<std::string>& labels);

/// What stands upwards: times in milliseconds, or the rates that follow from them in TFLOP/s.
struct LengthUnit {
  bool rate = false;
  std::optional<Pass> pass = {};  ///< of the rate; unset: of a training step
};
/// `ms`, a time of the curve at this length, in that unit.
double length_value(const LengthCurve& curve, double seq_len, double ms, const LengthUnit& unit);

/// Work of one launch in TFLOP, exact count; without a pass of both together.
double counted_tflop(const LengthCurve& curve, std::optional<Pass> pass, double seq_len);

}  // namespace triscope
