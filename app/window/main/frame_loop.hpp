// The desktop window: GLFW and OpenGL 3.3 around an `Application`. Draws only when something happened.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "app/window/application.hpp"

namespace triscope {

struct WindowOptions {
  ApplicationOptions application;
  int width = 1440, height = 900;
};

/// A window on the desktop with an application in it. Lives on the main thread.
class DesktopWindow {
 public:
  /// Throws `Error` (environment) when there is no display or no OpenGL 3.3.
  explicit DesktopWindow(WindowOptions options);
  ~DesktopWindow();
  DesktopWindow(const DesktopWindow&) = delete;
  DesktopWindow& operator=(const DesktopWindow&) = delete;

  /// Waits until something happens, at most a second, and draws what is new. While a sweep is measured, what no person
  /// did is drawn at most once a second, so that drawing does not disturb what is timed. False when the window is
  /// closed.
  bool step();
  /// Draws now, whatever happened.
  void draw();

  Application& application();
  /// What dragging its corner does; in screen coordinates.
  void resize(int width, int height);
  std::int64_t frames() const;  ///< drawn so far

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Opens the window and runs until it is closed; SIGINT, SIGTERM and SIGHUP close it as its button does. Throws as
/// `DesktopWindow` and `StopSignal` do.
void run_window(WindowOptions options);

}  // namespace triscope
