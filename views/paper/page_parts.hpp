// The pages, a file each, and the numbers that they keep between frames.
#pragma once

#include "views/parts/context.hpp"

namespace triscope {

void draw_operator_page(Context& context);
void draw_tiling_page(Context& context);
void draw_steps_page(Context& context);
void draw_rotation_page(Context& context);
void draw_match3_page(Context& context);
void draw_results_page(Context& context);
void draw_laws_page(Context& context);

/// A number of the current window that stays between frames; `first` is its value at first.
float kept_number(const char* name, float first);
void keep_number(const char* name, float value);

}  // namespace triscope
