// Where panels stand: tabs, sizes of the window, resetting.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>

#include "tests/views/journeys/journey.hpp"
#include "tests/views/pictures/drawn_text.hpp"
#include "views/data/format.hpp"

namespace triscope {
namespace {

using fixture::Journey;

const ImGuiWindow* panel(const char* name) { return ImGui::FindWindowByName(name); }

bool is_in_front(const char* name) { return panel(name) && panel(name)->Active && !panel(name)->Hidden; }

/// The middle of a panel's tab.
ImVec2 tab_of(const char* name) {
  const ImGuiWindow* window = panel(name);
  const ImGuiTabItem* tab = ImGui::TabBarFindTabByID(window->DockNode->TabBar, window->TabId);
  const ImRect bar = window->DockNode->TabBar->BarRect;
  return {bar.Min.x + tab->Offset + tab->Width / 2, bar.GetCenter().y};
}

TEST_F(Journey, tabs_are_switched_without_closing_and_closed_with_the_right_button) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::latency);
    const ImVec2 compare = tab_of("###compare");
    const ImGuiTabItem* tab =
        ImGui::TabBarFindTabByID(panel("###compare")->DockNode->TabBar, panel("###compare")->TabId);
    for (const float x : {compare.x, compare.x + tab->Width / 2 - 10}) {  // the end of a label is where others close
      c->MouseMoveToPos(ImVec2(x, compare.y));
      c->SleepNoSkip(0.5F, 0.1F);
      c->MouseClick();
      c->Yield(2);
      IM_CHECK(is_in_front("###compare"));
    }
    c->MouseClick(ImGuiMouseButton_Middle);
    c->Yield(2);
    IM_CHECK(is_in_front("###compare"));
    c->MouseMoveToPos(tab_of("###log"));  // behind the other
    c->MouseClick(ImGuiMouseButton_Right);
    c->Yield(2);
    c->ItemClick("//$FOCUSED/Close Log");
    c->Yield(2);
    IM_CHECK(!panel("###log")->Active);
    c->SetRef("##MainMenuBar");
    c->MenuClick("View/Log");
    c->Yield(4);
    IM_CHECK(is_in_front("###log"));
    c->MenuClick("View/Latency");  // open already: to the front
    c->Yield(4);
    IM_CHECK(is_in_front("###latency"));
  });
}

TEST_F(Journey, a_window_made_small_keeps_room_for_the_table_and_gets_its_layout_back) {
  travel([](ImGuiTestContext* c) {
    const auto resize = [&](int width, int height) {
      world().stage->resize(width, height);
      c->Yield(12);
    };
    const ImVec2 before = panel("###latency")->Size, setup = panel("###setup")->Size;
    resize(1440, 600);
    front(c, Panel::latency);
    IM_CHECK(panel("###latency")->Size.y > 0.6F * before.y);
    IM_CHECK(panel("###tflops")->Size.y > 200);
    IM_CHECK(std::abs(panel("###setup")->Size.x - setup.x) < 2);
    resize(800, 600);
    front(c, Panel::latency);
    IM_CHECK(is_in_front("###latency"));
    IM_CHECK(panel("###latency")->Size.x > 400 && panel("###latency")->Size.y > 400);
    resize(1440, 900);
    front(c, Panel::latency);
    IM_CHECK(std::abs(panel("###latency")->Size.x - before.x) < 3 &&
             std::abs(panel("###latency")->Size.y - before.y) < 3);
    IM_CHECK(std::abs(panel("###setup")->Size.x - setup.x) < 2);
    app().carry_out(ask::ScaleUp{});
    c->Yield(12);
    IM_CHECK(std::abs(panel("###setup")->Size.x - 1.1F * setup.x) < 3);
  });
}

TEST_F(Journey, reset_layout_brings_a_closed_panel_back_to_its_place) {
  travel([](ImGuiTestContext* c) {
    const ImGuiID home = ImGui::FindWindowByName("###history")->DockId;
    ui().settings.visible[static_cast<std::size_t>(Panel::history)] = false;
    c->Yield(3);
    c->SetRef("##MainMenuBar");
    c->MenuClick("View/Reset layout");
    c->Yield(6);
    const ImGuiWindow* history = ImGui::FindWindowByName("###history");
    const ImGuiWindow* setup = ImGui::FindWindowByName("###setup");
    IM_CHECK(history->Active);
    IM_CHECK(home != 0 && history->DockId != 0);
    IM_CHECK(std::abs(history->Pos.x - setup->Pos.x) < 1 && history->Pos.y > setup->Pos.y);
  });
}

TEST_F(Journey, the_smallest_window_keeps_run_stop_and_the_buttons_of_a_banner) {
  window->start(window->folder / "test.db", 800, 600);
  travel([](ImGuiTestContext* c) {
    ui().settings.scale = 2;
    c->Yield(8);
    app().messages().notify(Severity::error, NoticeId::request, std::string(300, 'x'),
                            {{"Save a copy...", ask::FitCharts{}}, {"Open another...", ask::FitCharts{}}});
    c->Yield(4);
    for (const char* item : {"//##notices/**/Save a copy...", "//##notices/**/Open another...",
                             "//##notices/**/Dismiss", "//##MainMenuBar/**/▶ Run  F5", "//##MainMenuBar/**/■ Stop"}) {
      const ImGuiTestItemInfo info = c->ItemInfo(item);
      IM_CHECK(info.RectFull.Min.x >= 0 && info.RectFull.Max.x <= 800 && info.RectFull.GetWidth() > 40);
      IM_CHECK(info.RectFull.GetHeight() > 20 && info.RectFull.Max.y <= 600);
    }
    c->ItemClick("//##notices/**/Dismiss");
    c->Yield(2);
    IM_CHECK(data().notices.empty());
  });
}

TEST_F(Journey, views_of_the_attention_panel_stand_together_in_their_menu) {
  travel([](ImGuiTestContext* c) {
    c->ItemClick("//##MainMenuBar/##MenuBar/View");
    c->Yield(2);
    const std::string text = fixture::drawn_text(c);
    const std::size_t first = text.find("Attention: one map"), last = text.find("Attention: search"),
                      next = text.find("Measurements", last);
    IM_CHECK(first != std::string::npos && last != std::string::npos && next != std::string::npos);
    IM_CHECK(!fixture::says(text.substr(first, last - first), "----"));
    IM_CHECK(fixture::says(text.substr(last, next - last), "----"));
  });
}

TEST_F(Journey, a_low_window_says_how_many_banners_wait_behind_the_newest) {
  window->start(window->folder / "test.db", 1280, 800);
  travel([](ImGuiTestContext* c) {
    ui().settings.scale = 2;
    c->Yield(8);
    for (const NoticeId id : {NoticeId::background, NoticeId::saved, NoticeId::request})
      app().messages().notify(Severity::error, id, "something went wrong");
    c->Yield(4);
    for (const char* more : {"2 more", "1 more"}) {
      IM_CHECK(std::string(c->ItemInfo("//##notices/**/###more").DebugLabel).find(more) != std::string::npos);
      c->MouseMove("//##notices/**/###more");
      c->SleepNoSkip(1.0F, 1.0F / 30);
      const std::string below = fmt::format("{} below this one", counted(more[0] - '0', "notice"));
      IM_CHECK(fixture::says(fixture::drawn_text(c), below));
      c->ItemClick("//##notices/**/###more");
      c->Yield(2);
    }
    c->ItemClick("//##notices/**/Dismiss");
    c->Yield(2);
    IM_CHECK(data().notices.empty());
  });
}

TEST_F(Journey, the_layout_before_a_reset_comes_back_by_undo) {
  travel([](ImGuiTestContext* c) {
    const float before = ImGui::FindWindowByName("###setup")->Size.x;
    const ImGuiWindow* setup = ImGui::FindWindowByName("###setup");
    c->MouseMoveToPos(ImVec2(setup->Pos.x + setup->Size.x + 0.5F, setup->Pos.y + 200));  // between two panels
    c->MouseDragWithDelta(ImVec2(90, 0));
    c->Yield(4);
    const float chosen = setup->Size.x;
    IM_CHECK(chosen > before + 60);
    app().carry_out(ask::ResetLayout{});
    c->Yield(8);
    IM_CHECK(std::abs(ImGui::FindWindowByName("###setup")->Size.x - before) < 4);
    c->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z);
    c->Yield(8);
    IM_CHECK(std::abs(ImGui::FindWindowByName("###setup")->Size.x - chosen) < 4);
  });
}

TEST_F(Journey, undoing_a_reset_restores_each_layout_whatever_the_width_is_by_then) {
  travel([](ImGuiTestContext* c) {
    const auto resize = [&](int width, int height) {
      world().stage->resize(width, height);
      c->Yield(12);
    };
    const auto undo = [&] {
      c->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z);
      c->Yield(12);
    };
    const auto width = [](const char* name) { return ImGui::FindWindowByName(name)->Size.x; };
    const auto reset = [&] {
      app().carry_out(ask::ResetLayout{});
      c->Yield(12);
    };
    const ImGuiWindow* setup = ImGui::FindWindowByName("###setup");
    c->MouseMoveToPos(ImVec2(setup->Pos.x + setup->Size.x + 0.5F, setup->Pos.y + 200));  // between two panels
    c->MouseDragWithDelta(ImVec2(90, 0));
    c->Yield(4);
    const float chosen = width("###setup");
    reset();  // wide, undone in a small window
    IM_CHECK(width("###setup") < chosen - 60);
    resize(800, 600);
    undo();
    front(c, Panel::latency);
    IM_CHECK(is_in_front("###latency"));
    IM_CHECK(width("###latency") > 400);
    resize(1440, 900);
    IM_CHECK(std::abs(width("###setup") - chosen) < 4);
    resize(800, 600);
    reset();  // small, undone in a wide window
    resize(1440, 900);
    IM_CHECK(width("###setup") < chosen - 60);
    undo();
    IM_CHECK(std::abs(width("###setup") - chosen) < 4);
    IM_CHECK(width("###latency") > 400);
  });
}

TEST_F(Journey, what_the_next_sweep_runs_on_is_in_the_menu_at_200_percent) {
  window->start(window->folder / "test.db", 1280, 800);
  travel([](ImGuiTestContext* c) {
    ui().settings.scale = 2;
    c->Yield(4);
    IM_CHECK(!c->ItemExists("##MainMenuBar/**/###device"));
    IM_CHECK(!fixture::says(fixture::drawn_text(c), "Automatic: the first GPU"));
    c->SetRef("##MainMenuBar");
    c->MenuAction(ImGuiTestAction_Hover, "Sweep/Run on");
    until(c, [&] { return fixture::says(fixture::drawn_text(c), "Automatic: the first GPU"); });
    ui().form.device = "cpu";
    c->MenuAction(ImGuiTestAction_Click, "Sweep/Run on/Automatic: the first GPU, else the CPU");
    IM_CHECK_STR_EQ(ui().form.device.c_str(), "auto");
  });
}

}  // namespace
}  // namespace triscope
