// Of the selected measurement, or of the two that stand beside each other: what their tiles compute.
#pragma once

#include "views/parts/context.hpp"

namespace triscope {

void draw_computed(Context& context);

}  // namespace triscope
