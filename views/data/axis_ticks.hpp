// Where an axis names its values, in the window and for print.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace triscope {

/// A reader wants at least so many numbers on an axis.
inline constexpr std::size_t kFewestTicks = 4;

/// Of a logarithmic axis: round values in [low, high], each with as few digits as make `kFewestTicks` of them; one per
/// power of ten where these do. Both ends are positive.
std::vector<double> log_ticks(double low, double high);
/// Those of `ticks` that lie `decades` apart at least: powers of ten first, then twice and five times these.
std::vector<double> ticks_apart(const std::vector<double>& ticks, double decades);
/// Of a linear axis: about `wanted` multiples of 1, 2 or 5 times a power of ten in [low, high], at least
/// `kFewestTicks`.
std::vector<double> linear_ticks(double low, double high, int wanted);

struct NamedTick {
  double at = 0;
  std::string name;
};
/// Of a short linear axis of `length` pixels: as many such multiples, at most nine, as stand there without touching,
/// all with the same decimals; two where two have room. `room_of`: the pixels that a name takes along the axis.
/// `whole`: values are counts.
std::vector<NamedTick> ticks_in_room(double low, double high, bool whole, float length,
                                     const std::function<float(const std::string&)>& room_of);

}  // namespace triscope
