// Pages of the paper beside its Table 1. They need no measurements.
#pragma once

#include "views/parts/context.hpp"

namespace triscope {

/// A row of buttons, one a page, and what the paper calls the page that is shown. Pictures have no buttons.
void choose_paper_page(Context& context);
/// Everything but Table 1, which `draw_paper_panel` draws.
void draw_paper_page(Context& context, PaperPage page);

}  // namespace triscope
