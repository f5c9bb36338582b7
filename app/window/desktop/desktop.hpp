// What the window asks of the desktop and of its own installation.
#pragma once

#include <cstdint>
#include <vector>

namespace triscope {

/// True when the desktop is set to dark, or does not say.
bool system_prefers_dark();

/// Hands a PNG to the desktop's clipboard through wl-copy or xclip. Throws `Error` naming what to install.
void copy_png_to_clipboard(const std::vector<std::uint8_t>& png);

}  // namespace triscope
