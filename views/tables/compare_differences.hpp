// What else differs between compared sides, above their rows.
#pragma once

#include <cstddef>
#include <vector>

#include "views/model/tables/compare_model.hpp"
#include "views/parts/context.hpp"

namespace triscope {

/// The sides from left to right: A, which is judged, before B, as "A / B" reads; of more than two the first before the
/// others.
std::vector<std::size_t> sides_of(const CompareModel& model);

/// Most important first. Where few rows would be seen below them they are named in a line until they are asked for.
void draw_differences(const Context& context, const CompareModel& model);

}  // namespace triscope
