// Which colour and mark a kernel, a pair of windows or a baseline has: the same in every chart, sweep and picture. A
// style of ours is a number: `colour_of_style` and `mark_of_style` draw it. Baselines have styles of their own.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// Styles below this have a colour each; the colours come round after them, with other marks.
inline constexpr int kStyleColours = 8;
inline constexpr int kStepStyle = 6;  ///< of training steps: both passes together

/// Kernels of ours that may be measured beside each other have cards with a colour; others share two.
int style_of_kernel(const KernelCard& card, Pass pass = Pass::forward);
/// Bursts beside sustained measurements of the style `sustained`: of kernels with a colour of their own it is another.
int style_of_bursts(int sustained);
/// Which of the colours and dashes of baselines is this one's, the same in every chart.
int baseline_style(const KernelCard& card);
/// The paper's seven pairs differ, and so do pairs of which one is twice the other along an axis.
int style_of_windows(std::int64_t window1, std::int64_t window2);

/// The next style from `wish` on that is not among those `taken`, where it stands then: one of another colour while
/// there is one, else of another mark. `step`: kernels stand two apart, for their passes.
int next_free_style(std::set<int>& taken, int wish, int step = 1);
/// The style of each of several that stand in one view, no two of one colour: its wish, where none before it has it,
/// and else the next one that is free. Without a wish: one that nobody wished for, if there is one. Unset: beyond
/// `kStyleColours` no colour is left.
std::vector<std::optional<int>> share_styles(std::span<const std::optional<int>> wishes, int step = 1);
/// The style of the forward of each of these kernels of ours by its id, the same whatever their order; its backward has
/// the one after it. `wishes`: by `style_of_kernel`.
std::map<std::string, int> styles_of_kernels(const std::map<std::string, int>& wishes);

}  // namespace triscope
