// From which length on a pair of windows takes less time than dot-product attention, by the clock: from rows of these
// windows, or from a model of them that says what it assumes.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "profiler/paper/layer_rows.hpp"
#include "profiler/plan/crossing.hpp"

namespace triscope {

struct MeasuredCrossing {
  LatencyCrossing crossing;
  std::string kernel, device;
  /// Empty: the windows were measured at the lengths. Else what stands for them: "the curve of 512x32 times 0.51, as at
  /// 8192 tokens", "the time of 512x32 at 32768 tokens by the number of triples".
  std::string model;
  std::size_t lengths = 0;  ///< at which the windows were measured; 0: a model
};

/// Of the windows, heads, form and regime of `request` beside `request.dot_kernel`; its length does not matter. Of each
/// device the fastest kernel of ours at these windows, and others that were measured at two lengths or more.
///
/// A curve is that of the sweep with most lengths of both, since its rows took turns; where no sweep has two, of all,
/// at each length by the newest sweep that has both. Where these windows have none, the curve of the kernel's nearest
/// windows (by area, then by the shorter window) stands for theirs: scaled as the two were at the longest length at
/// which both were measured (in one sweep, if possible), else as their numbers of triples. Where the kernel has no
/// curve, the time at one length does, scaled likewise.
std::vector<MeasuredCrossing> measured_crossings(std::span<const ResultRow> rows, const LayerMixRequest& request,
                                                 Pass pass);

/// "31743, between 16384 and 32768 (cuda.hopper)".
std::string crossing_text(const MeasuredCrossing& crossing);
/// All of them; "not measured" without one.
std::string crossings_text(const std::vector<MeasuredCrossing>& crossings);

/// Where the paper calls its windows comparable with dot-product attention at 48k tokens: the lengths at which the
/// windows of `request` are as much work, by its count and by others; and by the clock. Two sentences.
std::array<std::string, 2> comparable_text(std::span<const ResultRow> rows, const LayerMixRequest& request);

/// The windows that were measured at two lengths or more, with the heads and the form of `request`, and its own.
std::vector<Windows> windows_with_lengths(std::span<const ResultRow> rows, const LayerMixRequest& request);

}  // namespace triscope
