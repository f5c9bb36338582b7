// Pages of the paper beside its Table 1. They need no measurements.
#pragma once

#include "views/parts/context.hpp"

namespace triscope {

/// A row of buttons, one a page. Pictures have none.
void choose_paper_page(Context& context);
/// Everything but Table 1, which `draw_paper_panel` draws.
void draw_paper_page(Context& context, PaperPage page);

}  // namespace triscope
