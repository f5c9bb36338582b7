// What the question for a chart's file asks beside its path: formats, size on paper and words.
#pragma once

#include "views/parts/context.hpp"

namespace triscope {

/// What a picture is saved as. Its size and words are those of .pdf and .svg. False: it cannot be had.
bool draw_picture(Context& context, PathDialog& path);
/// What the answer to the question for a chart's file asks for, which the next question begins with.
void take_picture(Context& context, ask::SaveChart& chart);

}  // namespace triscope
