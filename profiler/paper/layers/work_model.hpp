// How long a launch takes, from what it computes: numbers of parts, such as work items and tiles, each at a cost that
// is fitted to measured launches of the same kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace triscope {

/// A measured launch. `parts` are numbers of what it computes, as many for each launch.
struct WorkRow {
  std::vector<double> parts;
  double ms = 0;
  std::int64_t sweep = 0;  ///< launches of one sweep ran in the same company, so they share a factor
};

struct WorkEstimate {
  double ms = 0;
  double half = 0;  ///< half of the 95 % interval of one more measurement, as a part of `ms`
};

/// Time of a launch with `parts`, from the costs and the factors of sweeps that fit `rows` best (least squares of the
/// relative errors). As it would be measured in sweep `of`, which has a row; without one, in any sweep: then the
/// scatter of the factors is in the interval, for which two sweeps are needed, of `rows` or of one of `others`:
/// launches of other instances, whose sweeps scatter likewise. nullopt where the rows are too few, or too much alike,
/// to tell the costs apart, and where one of the parts is in none of them.
std::optional<WorkEstimate> estimate_by_work(std::span<const WorkRow> rows, std::span<const double> parts,
                                             std::optional<std::int64_t> of,
                                             std::span<const std::vector<WorkRow>> others = {});

}  // namespace triscope
