// Which colour and mark a kernel, a pair of windows or a baseline has: the same in every chart, sweep and picture. A
// style of ours is a number: `colour_of_style` and `mark_of_style` draw it. Baselines have styles of their own.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// Styles below this have a colour each; the colours come round after them, with other marks.
inline constexpr int kStyleColours = 8;
inline constexpr int kStepStyle = 6;  ///< of training steps: both passes together

/// Kernels of ours that may be measured beside each other have cards with a colour; others share two.
int style_of_kernel(const KernelCard& card, Pass pass = Pass::forward);
/// The paper's seven pairs differ, and so do pairs of which one is twice the other along an axis.
int style_of_windows(std::int64_t window1, std::int64_t window2);

/// The style of each of several that stand in one view, no two of one colour: its wish, where none before it has it,
/// and else the next one that is free. Without a wish: one that nobody wished for, if there is one. Unset: beyond
/// `kStyleColours` no colour is left.
std::vector<std::optional<int>> share_styles(std::span<const std::optional<int>> wishes);

}  // namespace triscope
