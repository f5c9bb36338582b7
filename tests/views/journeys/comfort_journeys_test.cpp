// What made work in the window slower than it needs to be: each journey fails where its fault comes back.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "tests/paths.hpp"
#include "tests/views/journeys/journey.hpp"

namespace triscope {
namespace {

using fixture::Journey;
using fixture::WindowOnDatabase;

TEST(Layout, stays_where_it_was_at_each_start) {
  WindowOnDatabase window;
  constexpr std::array kPanels{"###setup", "###history", "###latency", "###tflops", "###details"};
  const auto sizes = [&] {
    window.stage->settle();
    std::vector<ImVec2> all;
    for (const char* panel : kPanels) all.push_back(ImGui::FindWindowByName(panel)->Size);
    return all;
  };
  const float usual = sizes()[0].x;
  // Not as it is at a first start, which would look the same where nothing is kept.
  const ImGuiDockNode* column = ImGui::FindWindowByName("###setup")->DockNode->ParentNode;
  ImGui::DockBuilderSetNodeSize(column->ID, ImVec2(column->Size.x + 60, column->Size.y));
  const std::vector<ImVec2> first = sizes();
  ASSERT_NEAR(first[0].x, usual + 60, 2);
  for (int start = 0; start < 2; ++start) {
    window.start(window.folder / "test.db");
    const std::vector<ImVec2> now = sizes();
    for (std::size_t n = 0; n < kPanels.size(); ++n) {
      EXPECT_NEAR(now[n].x, first[n].x, 1) << kPanels[n];
      EXPECT_NEAR(now[n].y, first[n].y, 1) << kPanels[n];
    }
  }
}

TEST(Layout, a_notice_takes_its_room_once) {
  WindowOnDatabase window;
  window.stage->settle();
  const float before = ImGui::FindWindowByName("###tflops")->Size.y;
  window.application().messages().notify(Severity::warning, NoticeId::saved, "Something was not saved.");
  for (int i = 0; i < 6; ++i) window.stage->frame();
  const float with = ImGui::FindWindowByName("###tflops")->Size.y;
  EXPECT_LT(with, before);
  EXPECT_GT(with, before - 30) << "its share of 36 pixels";
  window.application().messages().dismiss(NoticeId::saved);
  for (int i = 0; i < 6; ++i) window.stage->frame();
  EXPECT_NEAR(ImGui::FindWindowByName("###tflops")->Size.y, before, 1.5);
}

TEST(Layout, a_notice_moves_nothing_while_the_pointer_is_over_a_panel) {
  WindowOnDatabase window;
  window.stage->settle();
  const auto frames = [&](ImVec2 at) {
    ImGui::GetIO().AddMousePosEvent(at.x, at.y);
    for (int i = 0; i < 8; ++i) window.stage->frame();
  };
  const auto places = [] {
    std::vector<float> all;
    for (const char* panel : {"###latency", "###tflops", "###setup", "###history"}) {
      const ImRect at = ImGui::FindWindowByName(panel)->Rect();
      all.insert(all.end(), {at.Min.y, at.Max.y});
    }
    return all;
  };
  const ImVec2 over_a_panel = ImGui::FindWindowByName("###tflops")->Rect().GetCenter(), over_the_toolbar(700, 8);
  frames(over_a_panel);
  const std::vector<float> before = places();
  window.application().messages().notify(Severity::warning, NoticeId::background, "Something failed.");
  frames(over_a_panel);
  const ImGuiWindow* notices = ImGui::FindWindowByName("##notices");
  ASSERT_TRUE(notices != nullptr && notices->Active);
  EXPECT_EQ(places(), before);
  EXPECT_FALSE(notices->Rect().Contains(over_a_panel));
  EXPECT_EQ(ImGui::GetCurrentContext()->Windows.back()->RootWindow, notices->RootWindow) << "it is not covered";
  frames(over_the_toolbar);  // then the panels leave it room
  EXPECT_LE(ImGui::FindWindowByName("###tflops")->Rect().Max.y, notices->Rect().Min.y + 1);
  EXPECT_EQ(places().front(), before.front()) << "from below";
  frames(over_a_panel);
  const std::vector<float> with = places();
  window.application().messages().dismiss(NoticeId::background);
  frames(over_a_panel);
  EXPECT_EQ(places(), with) << "nor when it goes";
  frames(over_the_toolbar);
  EXPECT_NEAR(ImGui::FindWindowByName("###tflops")->Rect().Max.y, before[3], 1.5);
}

TEST(Layout, a_notice_comes_and_goes_and_leaves_the_tabs_as_they_are) {
  WindowOnDatabase window;
  window.stage->settle();
  const auto in_front = [](const char* panel) {
    const ImGuiWindow* shown = ImGui::FindWindowByName(panel);
    return shown && shown->DockNode && shown->DockNode->VisibleWindow == shown;
  };
  window.start(window.folder / "test.db");  // with the layout that was kept
  window.stage->settle();
  ASSERT_TRUE(in_front("###latency") && in_front("###tflops") && in_front("###history"));
  for (const bool clicked : {false, true}) {
    window.application().messages().notify(Severity::warning, NoticeId::saved, "Something was not saved.");
    for (int i = 0; i < 4; ++i) window.stage->frame();
    ImGuiWindow* notices = ImGui::FindWindowByName("##notices");
    ASSERT_TRUE(notices != nullptr && notices->Active);
    if (clicked) ImGui::FocusWindow(notices);
    window.application().messages().dismiss(NoticeId::saved);
    for (int i = 0; i < 4; ++i) window.stage->frame();
    EXPECT_TRUE(in_front("###latency") && in_front("###tflops") && in_front("###history")) << clicked;
  }
}

TEST(Clicks, that_come_with_the_pointer_sort_the_table) {
  WindowOnDatabase window;
  window.stage->settle();
  ImGuiContext& context = *ImGui::GetCurrentContext();
  const ImGuiTable* table = nullptr;
  for (int n = 0; n < context.Tables.GetMapSize(); ++n) {
    const ImGuiTable* one = context.Tables.TryGetMapData(n);
    if (one && one->OuterWindow == ImGui::FindWindowByName("###latency")) table = one;
  }
  ASSERT_NE(table, nullptr);
  const float x = (table->Columns[0].WorkMinX + table->Columns[0].WorkMaxX) / 2, y = table->OuterRect.Min.y + 8;
  ImGuiIO& io = ImGui::GetIO();  // all of it between two frames, as on a busy machine
  io.AddMousePosEvent(x, y);
  io.AddMouseButtonEvent(ImGuiMouseButton_Left, true);
  io.AddMouseButtonEvent(ImGuiMouseButton_Left, false);
  for (int i = 0; i < 6; ++i) window.stage->frame();
  EXPECT_FALSE(window.application().ui().sort_column.empty());
}

TEST(Keys, typed_while_a_notice_comes_reach_their_field) {
  WindowOnDatabase window;
  window.stage->settle();
  window.application().carry_out(ask::FilterTable{});
  window.stage->settle();
  ImGui::GetIO().AddInputCharacter('5');
  for (int i = 0; i < 4; ++i) window.stage->frame();
  window.application().messages().notify(Severity::warning, NoticeId::saved, "Something was not saved.");
  for (int i = 0; i < 4; ++i) window.stage->frame();
  ImGui::GetIO().AddInputCharacter('1');
  for (int i = 0; i < 4; ++i) window.stage->frame();
  EXPECT_EQ(window.application().ui().table_filter, "51");
}

TEST(Keys, typed_at_once_after_the_filter_was_asked_for_reach_it) {
  WindowOnDatabase window;
  window.stage->settle();
  window.application().carry_out(ask::ShowPanel{Panel::compare});  // the table is behind another tab
  window.application().ui().table_filter = "old";
  window.stage->settle();
  ImGuiIO& io = ImGui::GetIO();
  const auto chord = [&](ImGuiKey key) {
    for (const bool down : {true, false}) {
      io.AddKeyEvent(down ? ImGuiMod_Ctrl : key, down);
      io.AddKeyEvent(down ? key : ImGuiMod_Ctrl, down);
    }
  };
  chord(ImGuiKey_F);
  chord(ImGuiKey_A);
  for (const char letter : std::string("512")) io.AddInputCharacter(static_cast<unsigned>(letter));
  for (int i = 0; i < 40; ++i) window.stage->frame();
  EXPECT_EQ(window.application().ui().table_filter, "512");
}

TEST(Keys, a_modifier_that_is_let_go_first_still_counts) {
  WindowOnDatabase window;
  window.stage->settle();
  ImGuiIO& io = ImGui::GetIO();
  const auto chord = [&](ImGuiKey key) {  // all that follows the modifier between two frames, as on a busy machine
    io.AddKeyEvent(ImGuiMod_Ctrl, true);
    io.AddKeyEvent(ImGuiKey_LeftCtrl, true);
    window.stage->frame();
    io.AddKeyEvent(key, true);
    io.AddKeyEvent(ImGuiMod_Ctrl, false);
    io.AddKeyEvent(ImGuiKey_LeftCtrl, false);
    io.AddKeyEvent(key, false);
  };
  for (const Panel front : {Panel::log, Panel::compare, Panel::latency}) {
    window.application().carry_out(ask::ShowPanel{front});
    window.application().ui().table_filter = "old";
    window.stage->settle();
    chord(ImGuiKey_F);
    chord(ImGuiKey_A);
    for (const char letter : std::string("512")) io.AddInputCharacter(static_cast<unsigned>(letter));
    for (int i = 0; i < 40; ++i) window.stage->frame();
    EXPECT_EQ(window.application().ui().table_filter, "512") << panel_info(front).title;
    EXPECT_FALSE(io.KeyCtrl);
    window.application().ui().table_filter.clear();
    ImGui::ClearActiveID();
  }
}

TEST_F(Journey, an_order_survives_a_baseline) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::latency);
    const std::vector<LatencyColumn> columns = latency_columns(*app().models().latency(data()));
    const ImGuiID table = ImGui::FindWindowByName("###latency")->GetID(latency_table_name(columns).c_str());
    const auto time = std::ranges::find(columns, LatencyField::median, &LatencyColumn::field);
    const int column = static_cast<int>(time - columns.begin());
    click_latency_header(c, table, column);
    c->Yield(2);
    const std::string sorted = ui().sort_column;
    IM_CHECK(sorted.starts_with("median/"));
    app().carry_out(ask::SetBaseline{data().shown->info.id});
    wait(c);
    c->Yield(4);
    IM_CHECK(data().baseline != nullptr);
    IM_CHECK_STR_EQ(ui().sort_column.c_str(), sorted.c_str());
    app().carry_out(ask::ClearBaseline{});
    wait(c);
    c->Yield(4);
    IM_CHECK(data().baseline == nullptr);
    IM_CHECK_STR_EQ(ui().sort_column.c_str(), sorted.c_str());
  });
}

TEST_F(Journey, enter_takes_the_one_file_that_half_a_name_lists) {
  std::filesystem::create_directories(window->folder / "runs");
  write_synthetic_database(window->folder / "runs" / "november.db", 12, 10);
  std::ofstream(window->folder / "runs" / "notes.txt") << "text";
  travel([](ImGuiTestContext* c) {
    c->KeyPress(ImGuiMod_Ctrl | ImGuiKey_O);
    c->Yield(3);
    wait(c);
    c->SetRef("//$FOCUSED");
    c->ItemClick("##path");
    c->KeyCharsReplace(((world().folder / "runs").string() + "/nov").c_str());
    wait(c);
    c->KeyPress(ImGuiKey_Enter);
    wait(c);
    IM_CHECK_STR_EQ(data().database.c_str(), (world().folder / "runs" / "november.db").c_str());
  });
}

TEST_F(Journey, a_comparison_shows_its_answer_without_scrolling) {
  travel([](ImGuiTestContext* c) {
    for (int sweep = 0; sweep < 2; ++sweep) {
      app().carry_out(ask::Run{true});
      c->Yield(2);
      wait(c);
    }
    app().carry_out(ask::Compare{data().sweeps[1].id});
    wait(c);
    front(c, Panel::compare);
    constexpr int kAnswer = 7;  // window, kernel, verdict, ratio, interval and both times
    const ImGuiTable* table = nullptr;
    for (int n = 0; n < ImGui::GetCurrentContext()->Tables.GetMapSize(); ++n) {
      const ImGuiTable* one = ImGui::GetCurrentContext()->Tables.TryGetMapData(n);
      const bool here = one != nullptr && one->OuterWindow == ImGui::FindWindowByName("###compare");
      if (here && one->ColumnsCount >= kAnswer) table = one;
    }
    IM_CHECK(table != nullptr);
    for (int i = 0; i < kAnswer; ++i) IM_CHECK_LE(table->Columns[i].WorkMaxX, table->InnerWindow->InnerClipRect.Max.x);
  });
}

TEST_F(Journey, what_the_next_sweep_runs_on_is_named_at_150_percent) {
  window->start(window->folder / "test.db", 1280, 800);
  travel([](ImGuiTestContext* c) {
    ui().settings.scale = 1.5F;
    c->Yield(4);
    IM_CHECK(c->ItemExists("##MainMenuBar/**/###device"));
  });
}

TEST_F(Journey, a_sweep_of_many_hours_is_asked_about_first) {
  travel([](ImGuiTestContext* c) {
    wait(c);
    auto preview = std::make_shared<PlanPreview>();
    preview->measurements = 900;
    preview->seconds = 59 * 3600;
    app().data().preview = preview;
    app().carry_out(ask::Run{});
    c->Yield(3);
    IM_CHECK(!data().run.running);
    c->ItemClick("//$FOCUSED/Change it");
    c->Yield(2);
    IM_CHECK(!ui().run_asked && world().sweep.started == 0);
    app().carry_out(ask::Run{});
    c->Yield(3);
    c->ItemClick("//$FOCUSED/Measure");
    wait(c);
    IM_CHECK_EQ(world().sweep.started.load(), 1);
  });
}

/// The estimates of a machine that takes its time for them: 59 hours of a batch of 9, seconds of others.
struct SlowEstimates {
  std::atomic<bool> wait = false;
  std::atomic<int> made = 0;
  ApplicationOptions options(fixture::WindowOnDatabase& window) {
    ApplicationOptions result;
    result.database = window.folder / "test.db";
    result.engine = window.sweep.engine();
    result.engine.preview = [this](const SweepRequest& request, const Catalog&) {
      while (wait) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      ++made;
      PlanPreview preview;
      preview.measurements = 900;
      preview.seconds = request.batches.front() == 9 ? 59 * 3600 : 5;
      return preview;
    };
    return result;
  }
};
SlowEstimates* slow_estimates = nullptr;

TEST_F(Journey, a_sweep_of_many_hours_is_asked_about_while_its_estimate_is_being_made) {
  SlowEstimates estimates;
  slow_estimates = &estimates;
  window->stage.reset();
  window->stage = std::make_unique<fixture::Stage>(estimates.options(*window), 1440, 900);
  travel([](ImGuiTestContext* c) {
    const auto edit = [&](const char* batches) {
      ui().form.batches = batches;
      app().carry_out(ask::PreviewPlan{});
    };
    const auto is_told = [] {
      return std::ranges::any_of(data().notices, [](const Notice& notice) { return notice.id == NoticeId::sweep; });
    };
    const auto waits = [&] {
      c->KeyPress(ImGuiKey_F5);
      c->Yield(3);
      IM_CHECK(!data().run.running && !ui().run_asked);
      IM_CHECK(is_told());
    };
    const auto make = [&] {
      slow_estimates->wait = false;
      wait(c);
      IM_CHECK(!is_told());
    };
    const auto asks_once_made = [&] {
      make();
      IM_CHECK(ui().run_asked);
      IM_CHECK_EQ(world().sweep.started.load(), 0);
      c->ItemClick("//$FOCUSED/Change it");
      c->Yield(2);
    };
    wait(c);
    slow_estimates->wait = true;
    edit("9");
    waits();
    asks_once_made();
    // The estimate of the form as it was comes while that of 59 hours is still to be made.
    slow_estimates->wait = true;
    edit("1");
    c->Yield(2);
    edit("9");
    waits();
    asks_once_made();
    // Who goes on editing has not decided yet.
    slow_estimates->wait = true;
    edit("2");
    waits();
    edit("1");
    make();
    IM_CHECK_EQ(world().sweep.started.load(), 0);
    // What takes little time starts by itself.
    slow_estimates->wait = true;
    edit("2");
    waits();
    make();
    until(c, [&] { return world().sweep.started == 1; });
    wait(c);
  });
}

/// The table that has most room in a panel: its head, and where its columns are.
struct TableHead {
  ImRect rect;
  std::vector<float> columns;
};
TableHead head_of(const char* panel) {
  ImGuiContext& context = *ImGui::GetCurrentContext();
  const ImGuiTable* largest = nullptr;
  for (int n = 0; n < context.Tables.GetMapSize(); ++n) {
    const ImGuiTable* one = context.Tables.TryGetMapData(n);
    if (one == nullptr || one->OuterWindow != ImGui::FindWindowByName(panel) ||
        one->LastFrameActive + 1 < context.FrameCount)
      continue;
    if (largest == nullptr || one->OuterRect.GetHeight() > largest->OuterRect.GetHeight()) largest = one;
  }
  if (largest == nullptr) return {};
  const ImRect table = largest->OuterRect;
  TableHead head;
  head.rect = ImRect(table.Min, ImVec2(table.Max.x, table.Min.y + largest->InstanceDataFirst.LastTopHeadersRowHeight));
  for (const ImGuiTableColumn& column : largest->Columns) {
    const float middle = (column.WorkMinX + column.WorkMaxX) / 2;
    if (column.IsVisibleX && middle < table.Max.x) head.columns.push_back(middle);
  }
  return head;
}

bool is_free_of(const ImRect& shown, const ImRect& what) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const ImRect room(viewport->Pos, ImVec2(viewport->Pos.x + viewport->Size.x, viewport->Pos.y + viewport->Size.y));
  return shown.GetWidth() > 0 && room.Contains(shown) && !shown.Overlaps(what);
}

TEST_F(Journey, a_tooltip_leaves_rows_heads_and_controls_in_view) {
  window->start(recorded_file());
  travel([](ImGuiTestContext* c) {
    app().carry_out(ask::ShowSweep{22});  // its table has columns enough
    wait(c);
    app().carry_out(ask::CompareBefore{});
    wait(c);
    int seen = 0;
    for (const auto& [panel, name] : {std::pair(Panel::compare, "###compare"), {Panel::latency, "###latency"}}) {
      front(c, panel);
      const ImRect whole = ImGui::FindWindowByName(name)->Rect();
      const auto& [head, columns] = head_of(name);
      IM_CHECK(head.GetHeight() > 0);
      const ImRect above(whole.Min, ImVec2(whole.Max.x, head.Max.y));
      const float row = 24 * app().look().scale;
      // Of a head, and of the third row: neither over it nor over what is above it.
      const ImRect rows(head.Min, ImVec2(head.Max.x, head.Max.y + 3 * row - 4));
      for (const float x : columns) {
        for (const auto& [y, kept] : {std::pair(head.GetCenter().y, above), {head.Max.y + 2.5F * row, rows}}) {
          const ImRect shown = tooltip_at(c, ImVec2(x, y));
          if (shown.GetWidth() == 0) continue;
          IM_CHECK(is_free_of(shown, kept));
          ++seen;
        }
      }
    }
    IM_CHECK(seen >= 10);
    // Of a control: it covers neither its neighbours nor the head of the table.
    front(c, Panel::latency);
    const ImRect head = head_of("###latency").rect;
    const ImRect control = c->ItemInfo("//###latency/###Copy").RectFull;
    const ImRect reference = c->ItemInfo("//###latency/###reference").RectFull;
    const ImRect shown = tooltip_at(c, reference.GetCenter());
    IM_CHECK(is_free_of(shown, head) && is_free_of(shown, control) && is_free_of(shown, reference));
    // In a narrow panel it stands beside the panel: at the foot of the window too.
    front(c, Panel::history);
    const ImRect history = ImGui::FindWindowByName("###history")->Rect();
    int sweeps = 0;
    for (const float y : {history.Min.y + 80, history.Max.y - 48, history.Max.y - 29, history.Max.y - 10}) {
      const ImRect of_sweep = tooltip_at(c, ImVec2(history.Min.x + 80, y));
      if (of_sweep.GetWidth() == 0) continue;  // a heading
      IM_CHECK(is_free_of(of_sweep, history) && of_sweep.GetHeight() < 120 * app().look().scale);
      ++sweeps;
    }
    IM_CHECK(sweeps >= 2);
    const ImRect setup = ImGui::FindWindowByName("###setup")->Rect();
    IM_CHECK(is_free_of(tooltip_at(c, c->ItemInfo("//###setup/**/Open kernel...").RectFull.GetCenter()), setup));
  });
}

TEST_F(Journey, a_tooltip_covers_no_notice) {
  window->start(recorded_file());
  travel([](ImGuiTestContext* c) {
    front(c, Panel::history);
    const ImRect history = ImGui::FindWindowByName("###history")->Rect();
    c->MouseMoveToPos(history.GetCenter());  // what stands under the pointer does not move
    app().messages().notify(Severity::warning, NoticeId::background, "Something failed.");
    c->Yield(3);
    const ImRect notice = ImGui::FindWindowByName("##notices")->Rect();
    int seen = 0;
    for (const float up : {8.0F, 27.0F, 46.0F}) {
      const ImRect shown = tooltip_at(c, ImVec2(history.Min.x + 80, notice.Min.y - up));
      if (shown.GetWidth() == 0) continue;  // a heading
      IM_CHECK_LE(shown.Max.y, notice.Min.y);
      ++seen;
    }
    IM_CHECK(seen >= 1);
  });
}

TEST_F(Journey, nothing_is_explained_under_a_pointer_that_has_not_moved_since_the_start) {
  travel([](ImGuiTestContext* c) {
    IM_CHECK(tooltip_at(c, c->ItemInfo("//###latency/###reference").RectFull.GetCenter()).GetWidth() > 0);
    ui().pointer_moved = false;  // as at a start
    c->SleepNoSkip(1.5F, 1.0F / 30);
    IM_CHECK(!ImGui::FindWindowByName("##Tooltip_00")->Active);
  });
}

}  // namespace
}  // namespace triscope
