// The desktop window: GLFW and OpenGL 3.3 around an `Application`. Draws only when something happened.
#pragma once

#include <filesystem>

#include "app/window/application.hpp"

namespace triscope {

struct WindowOptions {
  ApplicationOptions application;
  int width = 1440, height = 900;
};

/// Opens the window and runs until it is closed. Throws `Error` (environment) when there is no display or no OpenGL 3.3.
void run_window(WindowOptions options);

}  // namespace triscope
