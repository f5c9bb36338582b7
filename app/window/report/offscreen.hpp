// An application without any window: frames are drawn into memory. Used for --screenshot, reports and tests.
#pragma once

#include <memory>

#include "app/window/application.hpp"

namespace triscope {

class Offscreen {
 public:
  /// Creates its own Dear ImGui and ImPlot contexts and makes them current. `scale` is the monitor's.
  Offscreen(ApplicationOptions options, int width, int height, float scale);
  ~Offscreen();
  Offscreen(const Offscreen&) = delete;
  Offscreen& operator=(const Offscreen&) = delete;

  Application& application() { return *application_; }
  void frame();
  /// Draws until nothing changes any more: threads idle, layout and hover settled. At most `seconds`.
  void settle(double seconds = 20);
  /// The last frame as a picture.
  Picture picture() const;

 private:
  float scale_;
  std::unique_ptr<Application> application_;
};

}  // namespace triscope
