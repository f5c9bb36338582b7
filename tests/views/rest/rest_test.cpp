// A window on a display in which nothing happens.
#include <gtest/gtest.h>
#include <imgui.h>

#include <cstdint>
#include <utility>

#include "tests/views/window_fixture.hpp"

namespace triscope {
namespace {

using fixture::WindowOnDatabase;

TEST(OnScreen, draws_nothing_while_nothing_happens) {
  if (!fixture::on_screen()) GTEST_SKIP() << "needs a display";
  WindowOnDatabase window;
  window.stage->settle();
  DesktopWindow& screen = *window.stage->screen();
  for (int i = 0; i < 20; ++i) screen.step();
  const std::int64_t before = screen.frames();
  for (int i = 0; i < 4; ++i) screen.step();
  EXPECT_EQ(screen.frames(), before);
}

TEST(OnScreen, a_text_cursor_that_nobody_types_at_stops_blinking_and_stands) {
  if (!fixture::on_screen()) GTEST_SKIP() << "needs a display";
  WindowOnDatabase window;
  window.stage->settle();
  DesktopWindow& screen = *window.stage->screen();
  for (int i = 0; i < 10; ++i) screen.step();
  const ImGuiIO& io = ImGui::GetIO();
  window.application().ui().focus_filter = true;
  ImGui::GetIO().AddMousePosEvent(10, 10);
  for (int i = 0; i < 4; ++i) screen.step();
  ASSERT_TRUE(io.WantTextInput);
  const std::int64_t before = screen.frames();
  ASSERT_TRUE(fixture::draw_until([&] { return screen.frames() >= before + 3; }, [&] { screen.step(); }))
      << "it blinks";
  std::int64_t drawn = 0;
  int rested = 0;      // steps in a row that drew nothing
  bool stood = false;  // the step in which it stopped drew it
  const auto step = [&] {
    const bool blinked = io.ConfigInputTextCursorBlink;
    const std::int64_t frames = screen.frames();
    screen.step();
    stood |= blinked && !io.ConfigInputTextCursorBlink && screen.frames() > frames;
    rested = std::exchange(drawn, screen.frames()) == screen.frames() ? rested + 1 : 0;
  };
  ASSERT_TRUE(fixture::draw_until([&] { return rested >= 4; }, step));
  EXPECT_TRUE(io.WantTextInput) << "the field still has the keyboard";
  EXPECT_FALSE(io.ConfigInputTextCursorBlink) << "and shows where one types";
  EXPECT_TRUE(stood) << "whatever its last blink was";
  ImGui::GetIO().AddMousePosEvent(20, 20);
  screen.step();
  EXPECT_GT(screen.frames(), drawn);
  EXPECT_TRUE(io.ConfigInputTextCursorBlink);
}

}  // namespace
}  // namespace triscope
