// What a user does, done by imgui_test_engine's mouse and keyboard, on a whole application: without a display,
// and on one (tests/on_screen).
#pragma once

#include <gtest/gtest.h>
#include <imgui_internal.h>
#include <imgui_te_context.h>
#include <imgui_te_engine.h>

#include "tests/views/window_fixture.hpp"

namespace triscope::fixture {

class Journey : public testing::Test {
 protected:
  using Steps = void (*)(ImGuiTestContext*);

  /// Runs `steps` to their end; a failed IM_CHECK fails the test.
  void travel(Steps steps) {
    current = this;
    ImGuiTestEngine* engine = ImGuiTestEngine_CreateContext();
    ImGuiTestEngineIO& io = ImGuiTestEngine_GetIO(engine);
    io.ConfigRunSpeed = ImGuiTestRunSpeed_Fast;
    io.ConfigNoThrottle = true;
    io.ConfigSavedSettings = false;
    // The watchdogs count frames as 1/60 s each; frames here run as fast as they can while a worker takes its time.
    // ctest has a limit.
    io.ConfigWatchdogWarning = io.ConfigWatchdogKillTest = FLT_MAX;
    io.ConfigLogToTTY = true;
    io.ConfigVerboseLevel = ImGuiTestVerboseLevel_Error;
    io.ConfigVerboseLevelOnError = ImGuiTestVerboseLevel_Info;
    ImGuiTestEngine_Start(engine, ImGui::GetCurrentContext());
    window->stage->settle();
    ImGuiTest* test = ImGuiTestEngine_RegisterTest(
        engine, "journey", testing::UnitTest::GetInstance()->current_test_info()->name(), __FILE__, __LINE__);
    test->TestFunc = steps;
    ImGuiTestEngine_QueueTest(engine, test, ImGuiTestRunFlags_RunFromCommandLine);
    while (!ImGuiTestEngine_IsTestQueueEmpty(engine)) {
      window->stage->frame();
      ImGuiTestEngine_PostSwap(engine);
    }
    EXPECT_EQ(test->Output.Status, ImGuiTestStatus_Success);
    ImGuiTestEngine_Stop(engine);
    window.reset();  // Dear ImGui's context ends before the engine's
    ImGuiTestEngine_DestroyContext(engine);
  }
  static WindowOnDatabase& world() { return *current->window; }
  static Application& app() { return world().application(); }
  static UiState& ui() { return app().ui(); }
  static const WindowData& data() { return app().data(); }

  /// Lets threads answer: frames until nothing works any more.
  static void wait(ImGuiTestContext* c) {
    int quiet = 0;
    until(c, [&] { return (quiet = app().settled() && !data().run.running ? quiet + 1 : 0) > 4; });
  }
  /// Frames until `done`, which must come.
  template <typename Done>
  static void until(ImGuiTestContext* c, Done done) {
    const bool came = draw_until(done, [c] { c->Yield(); });
    IM_CHECK(came);
  }
  static std::string clipboard() {
    const char* text = ImGui::GetClipboardText();
    return text ? text : "";
  }
  /// Where the tooltip stands that comes while the pointer rests at `at`; empty: none came.
  static ImRect tooltip_at(ImGuiTestContext* c, ImVec2 at, float seconds = 1) {
    c->MouseMoveToPos(ImVec2(at.x + 1, at.y));
    c->Yield(2);
    c->MouseMoveToPos(at);
    c->SleepNoSkip(seconds, 1.0F / 30);
    const ImGuiWindow* shown = ImGui::FindWindowByName("##Tooltip_00");
    return shown != nullptr && shown->Active && !shown->Hidden ? shown->Rect() : ImRect();
  }
  /// Clicks the header of a column, by its number in `latency_columns`: its name is drawn beside it and is no label.
  static void click_latency_header(ImGuiTestContext* c, ImGuiID table, int column) {
    const ImGuiID instance = ImGui::TableGetInstanceID(ImGui::TableFindByID(table), 0);
    c->ItemClick(ImHashStr("##header", 0, ImHashData(&column, sizeof column, instance)));
  }
  static void front(ImGuiTestContext* c, Panel panel) {
    app().carry_out(ask::ShowPanel{panel});
    c->Yield(4);
  }

  std::unique_ptr<WindowOnDatabase> window = std::make_unique<WindowOnDatabase>();
  inline static Journey* current = nullptr;
};

}  // namespace triscope::fixture
