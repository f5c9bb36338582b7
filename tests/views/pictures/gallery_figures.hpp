// What opening and drawing costs in CPU time: printed, no test.
#pragma once

namespace triscope {

/// Of 1,000 measurements with 100,000 samples: opening, and building a frame of the window and of each panel.
int print_figures();
/// Of the Explore panel over 100,000 measurements: their reading, and the frames meanwhile and after.
int print_explore_figures();

}  // namespace triscope
