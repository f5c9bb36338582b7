// Which part of a slice's map is seen: zooming and panning, in cells of its frame.
#pragma once

#include <optional>

#include "profiler/export/heatmap.hpp"
#include "views/model/attention/attention_model.hpp"

namespace triscope {

HeatmapPart whole_part(const AttentionFrame& frame);
/// `part` moved into the frame, and never smaller than a few cells.
HeatmapPart kept_inside(HeatmapPart part, const AttentionFrame& frame);
/// A place of a map as shares of what is seen of it: 0 at the left and at the top.
struct MapShare {
  double x = 0, y = 0;
};
/// `part` with both sides times `factor`, the place under `at` staying where it is; unset: the whole frame.
std::optional<HeatmapPart> zoomed(const HeatmapPart& part, const AttentionFrame& frame, MapShare at, MapShare factor);
/// `part` around the place under `at`, a share of the whole frame.
HeatmapPart centred(const HeatmapPart& part, const AttentionFrame& frame, MapShare at);
HeatmapPart panned(const HeatmapPart& part, const AttentionFrame& frame, MapShare by);

}  // namespace triscope
