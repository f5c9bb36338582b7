// What the Explore panel is asked with: fields, filter, views.
#pragma once

#include "views/parts/context.hpp"

namespace triscope {

/// Of the panel whose window this is: all controls and notes in it would leave the chart no room.
bool is_small(const Context& context);
void draw_explore_controls(Context& context);
/// By a click: the panel offers the filter before it, until somebody types.
void write_filter(ExploreUi& ui, std::string filter);
/// Items of a menu: only this value, and all but this one. They write the filter; grey while that is wrong.
void draw_filter_items(Context& context, const NamedValue& value);

}  // namespace triscope
