// Axes of maps of attention: ticks on whole cells, and names along them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "views/attention/attention_parts.hpp"

namespace triscope {

/// One map of a slice on the screen.
struct MapView : MapPlace {
  const AttentionSideData* side = nullptr;
  const HeatmapPyramid* pyramid = nullptr;
  HeatmapStyle style;
  int which = 0;
  std::string title;
  bool low = false;  ///< little height: the map comes before its title and its edges
  float left = 0;    ///< where the room for its axis begins

  /// Cells of the frame in front of those that the pyramid covers: the mask hides them.
  std::int64_t masked1() const { return frame.width - pyramid->base().width; }
  std::int64_t masked2() const { return frame.height - pyramid->base().height; }
  float cell_width() const { return x_of(1) - x_of(0); }
  float cell_height() const { return y_of(1) - y_of(0); }
};

/// Whole cells in steps of 1, 2, 5, 10, ... of at least `room` pixels; the query's own position is always among them.
std::int64_t tick_step(double pixels_per_cell, double room);
/// "cat -12" of a key's word and its place; the word alone where `fits` refuses both.
std::string named_key(const std::string& word, const std::string& place,
                      const std::function<bool(const std::string&)>& fits);
/// What the ticks of both axes are: "position", "tokens from the query", or of Match3 "number there" where both axes
/// have room for the numbers. One vocabulary for both: a number looks like a position.
struct AxisKeys {
  bool words1 = false, words2 = false;  ///< the axis names tokens, or numbers
  std::string unit;
};
AxisKeys axis_keys(const SliceRequest& of, bool absolute, bool fit1, bool fit2);
/// The name of the axis at the left of `rect`, which reads upwards, from the pixel `left` on; `brief` where it is
/// longer than the axis.
void name_left_axis(const Context& context, float left, const PixelRect& rect, const std::string& name,
                    const char* brief);
/// Ticks and names of both axes; in a low room the names stand above the map.
void draw_axes(const Context& context, const MapView& view);
/// Says on the hatched part of a map what it is, where that has room.
void name_hatched(const Context& context, const MapView& view);

}  // namespace triscope
