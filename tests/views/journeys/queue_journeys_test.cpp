// The queue of a running sweep, as a person uses it.
#include "profiler/plan/request.hpp"
#include "profiler/store/store.hpp"
#include "tests/views/journeys/journey.hpp"

namespace triscope {
namespace {

using fixture::Journey;

TEST_F(Journey, groups_that_wait_are_left_out_by_a_click_and_what_is_in_work_by_skip) {
  window->sweep.stop_after = 2;
  travel([](ImGuiTestContext* c) {
    c->KeyPress(ImGuiKey_F5);
    until(c, [&] { return data().run.live.queue && data().run.progress.done == 2; });
    c->KeyPress(ImGuiKey_Q);
    c->Yield(3);
    c->SetRef(c->WindowInfo("//###queue/groups").Window);
    c->ItemClick("$$2/×");
    until(c, [&] { return data().run.live.left_out == std::set<std::size_t>{2, 5, 8}; });
    c->ItemClick("Skip");
    // Nothing else ends this sweep. It may end while the click still goes on; what was left out is forgotten then.
    until(c, [&] { return !data().run.running; });
  });
}

TEST_F(Journey, groups_that_wait_are_reordered_by_keys_and_by_dragging_within_their_restart) {
  window->sweep.stop_after = 2;
  travel([](ImGuiTestContext* c) {
    using Order = std::vector<std::size_t>;
    c->KeyPress(ImGuiKey_F5);
    until(c, [&] { return data().run.live.queue && data().run.progress.done == 2; });
    c->KeyPress(ImGuiKey_Q);
    c->Yield(3);
    c->SetRef(c->WindowInfo("//###queue/groups").Window);
    IM_CHECK((data().run.live.waiting == Order{1, 2, 3, 4, 5, 6, 7, 8}));
    c->ItemClick("$$4/##group");
    until(c, [&] { return ui().queue_group == 4U; });
    const ImGuiID ring = c->UiContext->NavId;
    c->KeyPress(ImGuiMod_Alt | ImGuiKey_UpArrow);
    until(c, [&] { return data().run.live.waiting == Order{1, 2, 4, 3, 5, 6, 7, 8}; });
    c->KeyPress(ImGuiMod_Alt | ImGuiKey_UpArrow);  // 2 is another restart
    c->KeyPress(ImGuiMod_Alt | ImGuiKey_DownArrow);
    c->KeyPress(ImGuiMod_Alt | ImGuiKey_DownArrow);
    until(c, [&] { return data().run.live.waiting == Order{1, 2, 3, 5, 4, 6, 7, 8}; });
    // The keyboard's ring stays: on a × Space would leave rows out.
    IM_CHECK_EQ(c->UiContext->NavId, ring);
    IM_CHECK_EQ(static_cast<int>(c->UiContext->NavLayer), static_cast<int>(ImGuiNavLayer_Main));
    c->ItemDragAndDrop("$$2/##group", "$$1/##group");
    until(c, [&] { return data().run.live.waiting == Order{2, 1, 3, 5, 4, 6, 7, 8}; });
    c->ItemDragAndDrop("$$1/##group", "$$3/##group");  // of another restart: it stays the last of its own
    c->Yield(3);
    IM_CHECK((data().run.live.waiting == Order{2, 1, 3, 5, 4, 6, 7, 8}));
    world().sweep.stop_after = 1 << 30;
    wait(c);
    IM_CHECK(!data().run.running);
  });
}

TEST_F(Journey, a_row_is_measured_again_from_the_queue) {
  travel([](ImGuiTestContext* c) {
    c->KeyPress(ImGuiKey_F5);
    c->Yield(2);
    wait(c);
    c->KeyPress(ImGuiKey_Q);
    app().select_first();
    wait(c);
    IM_CHECK(ui().selection.pinned() > 0);
    c->SetRef("//###queue");
    c->ItemClick("Row again");
    wait(c);
    IM_CHECK_EQ(world().sweep.asked_again.load(), 1U);
  });
}

TEST_F(Journey, what_waits_is_in_work_or_is_done_is_measured_longer_from_the_queue_and_by_its_key) {
  window->sweep.stop_after = 2;
  travel([](ImGuiTestContext* c) {
    c->KeyPress(ImGuiKey_F5);
    until(c, [&] { return data().run.live.queue && data().run.progress.done == 2; });
    c->KeyPress(ImGuiKey_Q);
    c->Yield(3);
    c->SetRef(c->WindowInfo("//###queue/groups").Window);
    c->ItemClick("Longer");
    until(c, [&] { return world().sweep.asked_longer == 1U; });
    std::vector<std::int64_t> rows;
    for (const ResultRow& row : data().shown->rows) {
      if (row.measurement > 0) rows.push_back(row.measurement);
    }
    IM_CHECK_EQ(rows.size(), 2U);
    app().carry_out(ask::SelectMeasurements{rows});
    c->Yield(3);
    c->KeyPress(ImGuiMod_Ctrl | ImGuiKey_M);
    until(c, [&] { return world().sweep.asked_longer == 3U; });
    c->ItemClick("$$4/##group");
    until(c, [&] { return ui().queue_group == 4U; });
    c->SetRef("//###queue");
    c->ItemClick("Measure longer");
    until(c, [&] { return world().sweep.asked_longer == 4U; });
    world().sweep.stop_after = 1 << 30;
    wait(c);
    c->KeyPress(ImGuiMod_Ctrl | ImGuiKey_M);  // nothing is measured: the sweep is resumed for the rows
    wait(c);
    IM_CHECK_EQ(world().sweep.started.load(), 2);
    IM_CHECK_EQ(world().sweep.asked_longer.load(), 2U);
  });
}

TEST_F(Journey, rows_of_another_sweep_are_not_measured_again_from_the_queue) {
  travel([](ImGuiTestContext* c) {
    const std::int64_t other = data().shown->rows.front().measurement;
    const auto can = [&] { return (c->ItemInfo("//###queue/Row again").ItemFlags & ImGuiItemFlags_Disabled) == 0; };
    c->KeyPress(ImGuiKey_F5);
    c->Yield(2);
    wait(c);
    c->KeyPress(ImGuiKey_Q);
    app().select_first();
    wait(c);
    IM_CHECK(can());
    app().carry_out(ask::SelectMeasurement{other});  // as a point of another sweep in Lengths does
    wait(c);
    IM_CHECK(data().selected != nullptr && data().selected->row.sweep != data().shown->info.id);
    c->Yield(2);
    IM_CHECK(!can());
  });
}

TEST_F(Journey, a_wish_for_a_remote_sweep_waits_for_the_command) {
  window->stage.reset();
  {
    Store store(window->folder / "remote.db");
    SweepRequest request;
    request.worker_prefix = {"ssh", "host"};
    const std::int64_t sweep = store.begin_sweep("triscope sweep", to_json(request), synthetic_environment(), 6);
    store.add(sweep, synthetic_measurement(1, 20));
  }
  window->start(window->folder / "remote.db");
  travel([](ImGuiTestContext* c) {
    const auto row_again = [&] {
      app().select_first();
      wait(c);
      app().carry_out(ask::MeasureAgain{ui().selection.pinned()});
      c->Yield(3);
      IM_CHECK(ui().prefix.sweep != 0);
    };
    const auto answer = [&] {
      c->KeyCharsReplaceEnter("ssh host");
      wait(c);
    };
    row_again();
    c->KeyPress(ImGuiKey_Escape);
    c->Yield(2);
    c->KeyPress(ImGuiMod_Ctrl | ImGuiKey_F5);
    c->Yield(3);
    answer();
    IM_CHECK_EQ(world().sweep.started.load(), 1);
    IM_CHECK_EQ(world().sweep.asked_again.load(), 0U);  // it was called off
    row_again();
    answer();
    IM_CHECK_EQ(world().sweep.started.load(), 2);
    IM_CHECK_EQ(world().sweep.asked_again.load(), 1U);
  });
}

TEST_F(Journey, a_sweep_that_the_window_cannot_resume_names_its_database_in_the_command_that_can) {
  window->stage.reset();
  {
    Store store(window->folder / "library.db");
    SweepRequest request;
    request.plugin = "./mine.so", request.plugin_sha256 = "0123";
    const std::int64_t sweep = store.begin_sweep("triscope sweep", to_json(request), synthetic_environment(), 6);
    store.add(sweep, synthetic_measurement(1, 20));
  }
  window->start(window->folder / "library.db");
  travel([](ImGuiTestContext* c) {
    c->KeyPress(ImGuiMod_Ctrl | ImGuiKey_F5);
    c->Yield(3);
    wait(c);
    const auto& notices = data().notices;
    const auto refused = std::ranges::find(notices, NoticeId::request, &Notice::id);
    IM_CHECK(refused != notices.end());
    const std::string file = (world().folder / "library.db").string();
    IM_CHECK(refused->text.find("--kernel ./FILE.so --db " + file + "`") != std::string::npos);
  });
}

}  // namespace
}  // namespace triscope
