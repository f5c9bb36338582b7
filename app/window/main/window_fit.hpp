// Where a window has its place on the screens of a desktop.
#pragma once

#include <span>

namespace triscope {

/// In screen coordinates, its upper left corner first.
struct ScreenRect {
  int x = 0, y = 0, width = 0, height = 0;
  bool operator==(const ScreenRect&) const = default;
};

/// What a window manager draws around a window, at each side.
struct WindowFrame {
  int left = 0, top = 0, right = 0, bottom = 0;
};

/// The place of a window without its frame. `free`: what the panels of the desktop leave of each monitor. Of the
/// monitor that has most of the window it takes no more than is free there, frame included; where it was larger or
/// reached beyond that, it is moved into it. As it was where no monitor is known.
ScreenRect fit_window(const ScreenRect& asked, const WindowFrame& frame, std::span<const ScreenRect> free);

}  // namespace triscope
