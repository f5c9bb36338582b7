// Where an application is drawn in a test: into memory, or on a real window when TRISCOPE_TEST_ON_SCREEN is set (then
// under Xvfb: tests/on_screen). What a test does is the same on both.
#pragma once

#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>

#include "app/window/main/frame_loop.hpp"
#include "app/window/report/offscreen.hpp"

namespace triscope::fixture {

/// How long a test waits for threads and workers, which take their time on a busy machine. It ends a failure only.
inline constexpr std::chrono::minutes kPatience{3};

/// Lets `frame` draw until `done`; false: it did not come to that.
template <typename Done, typename Frame>
bool draw_until(Done done, Frame frame) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    frame();
  }
  return true;
}

inline bool on_screen() { return std::getenv("TRISCOPE_TEST_ON_SCREEN") != nullptr; }

class Stage {
 public:
  Stage(ApplicationOptions options, int width, int height) {
    if (on_screen()) {
      screen_ = std::make_unique<DesktopWindow>(WindowOptions{std::move(options), width, height});
      screen_->resize(width, height);  // where the screen is smaller, as in memory
    } else {
      memory_ = std::make_unique<Offscreen>(std::move(options), width, height, 1.0F);
    }
  }
  Application& application() { return screen_ ? screen_->application() : memory_->application(); }
  DesktopWindow* screen() { return screen_.get(); }
  Offscreen& memory() { return *memory_; }  ///< not on a screen
  void frame() {
    if (screen_) {
      screen_->draw();
    } else {
      memory_->frame();
    }
  }
  /// What dragging the window's corner does.
  void resize(int width, int height) {
    if (screen_) {
      screen_->resize(width, height);
    } else {
      ImGui::GetIO().DisplaySize = ImVec2(static_cast<float>(width), static_cast<float>(height));
    }
  }
  /// Draws until no thread works and the layout rests.
  void settle() {
    int quiet = 0;
    draw_until([&] { return (quiet = application().settled() ? quiet + 1 : 0) > 6; }, [this] { frame(); });
  }

 private:
  std::unique_ptr<DesktopWindow> screen_;
  std::unique_ptr<Offscreen> memory_;
};

}  // namespace triscope::fixture
