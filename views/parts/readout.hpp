// What is said of the thing under the pointer in a chart: beside it, where it covers least of what else one reads.
#pragma once

#include <imgui_internal.h>

#include <span>
#include <string>

#include "views/parts/context.hpp"

namespace triscope {

/// Where something of `size` stands beside `what`, `gap` from it at least, within `room`: of the places around it the
/// one that covers fewest of `others`, and of these the nearest. It never covers `what` where there is any other place.
ImVec2 place_beside(const ImRect& what, ImVec2 size, const ImRect& room, std::span<const ImRect> others, float gap);

/// Says `words` of `what`. `others`: what else stands in the chart. `within`: that it stays in; null: the whole window.
void readout(const Context& context, const ImRect& what, const std::string& words, std::span<const ImRect> others,
             const ImRect* within = nullptr);

}  // namespace triscope
