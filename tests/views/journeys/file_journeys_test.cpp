// Choosing files, what can be taken back or saved when something was deleted, and databases that are empty, bad or
// gone.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>

#include "app/window/files/folder_listing.hpp"
#include "kernels/base/error.hpp"
#include "profiler/plan/request.hpp"
#include "profiler/store/open/sweep_lock.hpp"
#include "tests/views/journeys/journey.hpp"

namespace triscope {
namespace {

using fixture::Journey;
using fixture::WindowOnDatabase;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names(const FolderListing& listing) {
  std::vector<std::string> found;
  for (const FolderEntry& entry : listing.entries) found.push_back(entry.name);
  return found;
}

TEST(FolderListing, folders_come_first_and_hidden_files_do_not_come) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder / "zebra");
  for (const char* name : {"b.db", "a.txt", ".hidden"}) std::ofstream(folder / name) << "12345";
  const FolderListing listing = list_folder(folder.path().string() + "/");
  EXPECT_THAT(names(listing), ElementsAre("zebra", "a.txt", "b.db"));
  EXPECT_TRUE(listing.entries[0].folder);
  EXPECT_EQ(listing.entries[2].bytes, 5);
  EXPECT_EQ(listing.entries[2].changed.size(), 20U);
  EXPECT_EQ(listing.folder, folder.path().string() + "/");
  EXPECT_EQ(listing.folder.substr(0, listing.parent.size()), listing.parent);
  EXPECT_EQ(listing.problem, "");
  EXPECT_EQ(list_folder("/").parent, "");
}

TEST(FolderListing, what_cannot_be_listed_is_said) {
  TemporaryFolder folder;
  EXPECT_THAT(list_folder((folder / "missing").string() + "/").problem,
              HasSubstr("missing/ cannot be listed: No such file"));
}

TEST(FolderListing, a_tilde_is_the_home_folder) {
  const std::string home = std::getenv("HOME") ? std::getenv("HOME") : "";
  if (home.empty()) GTEST_SKIP() << "there is no home folder";
  EXPECT_EQ(expand_home("~/runs.db"), std::filesystem::path(home + "/runs.db"));
  EXPECT_EQ(expand_home("~other/runs.db"), std::filesystem::path("~other/runs.db"));
}

TEST(FolderListing, a_free_name_is_looked_for_in_the_home_folder_too) {
  const TemporaryFolder home;
  const std::string before = std::getenv("HOME") ? std::getenv("HOME") : "";
  ::setenv("HOME", home.path().c_str(), 1);
  EXPECT_EQ(free_path("~/lengths.png"), "~/lengths.png");
  std::ofstream(home / "lengths.svg") << "a figure of before";
  EXPECT_EQ(free_path("~/lengths.png"), "~/lengths_2.png");
  EXPECT_EQ(free_path((home / "lengths.pdf").string()), (home / "lengths_2.pdf").string());
  before.empty() ? ::unsetenv("HOME") : ::setenv("HOME", before.c_str(), 1);
}

SQLite::Database* locking = nullptr;  // of another program

/// Two folders down and another database in the lower one.
void make_runs(const WindowOnDatabase& window) {
  std::filesystem::create_directories(window.folder / "runs" / "november");
  std::ofstream(window.folder / "runs" / "notes.txt") << "text";
  write_synthetic_database(window.folder / "runs" / "november" / "other.db", 12, 10);
}

TEST_F(Journey, a_database_is_found_with_the_mouse) {
  make_runs(*window);
  travel([](ImGuiTestContext* c) {
    c->SetRef("##MainMenuBar");
    c->MenuClick("File/Open database...");
    c->Yield(3);
    wait(c);
    c->SetRef("//$FOCUSED");
    c->ItemClick("**/runs\\/");
    wait(c);
    IM_CHECK(ui().path.text.ends_with("/runs/"));
    IM_CHECK(!c->ItemExists("**/notes.txt"));  // not a database
    c->ItemClick("All files");
    IM_CHECK(c->ItemExists("**/notes.txt"));
    c->ItemClick("**/november\\/");
    wait(c);
    c->ItemDoubleClick("**/other.db");
    wait(c);
    IM_CHECK(data().database.ends_with("/runs/november/other.db"));
    IM_CHECK(!ui().path.waiting);
  });
}

TEST_F(Journey, a_database_is_found_with_the_keyboard) {
  make_runs(*window);
  travel([](ImGuiTestContext* c) {
    c->KeyPress(ImGuiMod_Ctrl | ImGuiKey_O);
    c->Yield(3);
    wait(c);
    c->KeyCharsReplaceEnter((world().folder / "runs").c_str());  // a folder is entered, not opened
    wait(c);
    IM_CHECK(ui().path.text.ends_with("/runs/"));
    IM_CHECK(ui().path.waiting && std::holds_alternative<ask::OpenDatabase>(*ui().path.waiting));
    c->KeyCharsReplace((world().folder / "runs" / "november" / "oth").c_str());
    wait(c);
    c->SetRef("//$FOCUSED");
    IM_CHECK(c->ItemExists("**/other.db"));
    c->KeyCharsReplaceEnter((world().folder / "runs" / "november" / "other.db").c_str());
    wait(c);
    IM_CHECK(data().database.ends_with("/other.db"));
  });
}

TEST_F(Journey, a_deleted_sweep_comes_back_by_undo_and_is_gone_once_the_window_closed) {
  travel([](ImGuiTestContext* c) {
    c->KeyPress(ImGuiKey_F5);
    c->Yield(2);
    wait(c);
    const std::size_t sweeps = data().sweeps.size();
    const std::int64_t id = data().shown->info.id;
    const auto erase = [&] {
      app().carry_out(ask::AskToDelete{id});
      c->Yield(3);
      c->ItemClick("//$FOCUSED/Delete");
      wait(c);
    };
    erase();
    IM_CHECK_EQ(data().sweeps.size(), sweeps - 1);
    IM_CHECK(data().shown->info.id != id);
    c->ItemClick("//##notices/**/Undo");
    wait(c);
    IM_CHECK_EQ(data().sweeps.size(), sweeps);
    app().carry_out(ask::AskToDelete{id});
    c->Yield(3);
    c->KeyPress(ImGuiKey_Enter);  // what is pressed without looking deletes nothing
    wait(c);
    IM_CHECK_EQ(data().sweeps.size(), sweeps);
    IM_CHECK_EQ(ui().delete_asked, 0);
    erase();
    IM_CHECK_EQ(data().sweeps.size(), sweeps - 1);
    app().carry_out(ask::OpenDatabase{world().folder / "test.db"});  // closes it
    wait(c);
    IM_CHECK(!data().can_undo);
    IM_CHECK_EQ(Snapshot(world().folder / "test.db").sweeps().size(), sweeps - 1);
  });
}

TEST_F(Journey, a_deleted_database_is_saved_whole_under_another_name) {
  travel([](ImGuiTestContext* c) {
    const std::size_t sweeps = data().sweeps.size(), rows = data().shown->rows.size();
    std::filesystem::remove(world().folder / "test.db");
    until(c, [] { return !data().notices.empty(); });
    c->ItemClick("//##notices/**/Save a copy...");
    c->Yield(3);
    wait(c);
    c->KeyCharsReplaceEnter((world().folder / "rescued.db").c_str());
    wait(c);
    IM_CHECK(data().database.ends_with("rescued.db"));
    IM_CHECK_EQ(data().sweeps.size(), sweeps);
    IM_CHECK_EQ(data().shown->rows.size(), rows);
    IM_CHECK(Snapshot(world().folder / "rescued.db").damage().empty());
  });
}

TEST_F(Journey, a_database_that_is_put_back_is_read_again) {
  travel([](ImGuiTestContext* c) {
    std::filesystem::rename(world().folder / "test.db", world().folder / "away.db");
    until(c, [] { return !data().notices.empty(); });
    std::filesystem::rename(world().folder / "away.db", world().folder / "test.db");
    until(c, [] { return data().notices.empty(); });
    IM_CHECK(!data().shown->rows.empty());
  });
}

TEST_F(Journey, a_locked_database_is_tried_again) {
  const std::filesystem::path file = window->folder / "locked.db";
  write_synthetic_database(file, 6, 20);
  SQLite::Database other(file.string(), SQLite::OPEN_READWRITE);
  other.exec("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE");
  locking = &other;
  travel([](ImGuiTestContext* c) {
    app().carry_out(ask::OpenDatabase{world().folder / "locked.db"});
    until(c, [] { return !data().notices.empty(); });  // it is waited for, some seconds
    IM_CHECK(!data().notices.empty() && data().notices.back().text.find("keeps it locked") != std::string::npos);
    IM_CHECK(data().database.ends_with("test.db"));
    locking->exec("ROLLBACK");
    c->ItemClick("//##notices/**/Try again");
    wait(c);
    IM_CHECK(data().database.ends_with("locked.db"));
    IM_CHECK(data().notices.empty());
    IM_CHECK_EQ(data().shown->rows.size(), 6U);
  });
}

TEST_F(Journey, an_image_that_cannot_be_copied_is_offered_as_a_file) {
  travel([](ImGuiTestContext* c) {
    app().camera().copy_image = [](const std::vector<std::uint8_t>&) {
      throw Error("The picture was not copied", "xclip is not installed", "install xclip, or save the chart as PNG");
    };
    front(c, Panel::tflops);
    app().carry_out(ask::CopyChart{Panel::tflops});
    wait(c);
    IM_CHECK(data().notices.back().text.find("install xclip") != std::string::npos);
    c->ItemClick("//##notices/**/Save as PNG...");
    c->Yield(3);
    IM_CHECK(ui().path.waiting && std::holds_alternative<ask::SaveChart>(*ui().path.waiting));
    IM_CHECK(ui().path.text.ends_with("tflops.png"));
  });
}

TEST_F(Journey, the_menu_saves_the_chart_in_front_and_the_question_names_it) {
  window->start(window->folder / "test.db", 2560, 1440);  // with room for two charts side by side
  travel([](ImGuiTestContext* c) {
    const auto ask_and_leave = [&](Panel panel) {
      c->SetRef("##MainMenuBar");
      c->MenuClick("File/Save chart as PNG, PDF or SVG...");
      c->Yield(3);
      IM_CHECK(ui().path.waiting && std::holds_alternative<ask::SaveChart>(*ui().path.waiting));
      const auto& request = std::get<ask::SaveChart>(*ui().path.waiting);
      IM_CHECK(request.panel == panel);
      const std::string name = panel == Panel::explore ? "time_by_tokens" : panel_info(panel).id;
      IM_CHECK(ui().path.text.ends_with("/" + name + ".png"));
      c->KeyPress(ImGuiKey_Escape);
      c->Yield(3);
    };
    front(c, Panel::tflops);
    wait(c);
    ask_and_leave(Panel::tflops);
    c->WindowFocus("//###explore");  // as a click on its tab does
    wait(c);
    ask_and_leave(Panel::explore);
    c->WindowFocus("//###scaling");
    c->Yield(3);
    ask_and_leave(Panel::scaling);
    c->WindowFocus("//###map");  // beside it, and both are seen
    c->Yield(3);
    ask_and_leave(Panel::map);
    ui().front_chart = Panel::tflops;  // behind another one's tab, as a kept layout may begin
    IM_CHECK(!ui().chart_areas.contains(Panel::tflops));
    IM_CHECK(ui().chart_in_front() != Panel::tflops);
  });
}

TEST_F(Journey, the_palette_opens_the_manual_at_a_heading_and_selects_a_row_by_the_arrow_keys) {
  travel([](ImGuiTestContext* c) {
    wait(c);
    c->KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P);
    c->Yield(3);
    c->KeyChars("json for machines");
    c->Yield(2);
    c->KeyPress(ImGuiKey_Enter);
    c->Yield(3);
    IM_CHECK_STR_EQ(ui().document.c_str(), "command-line.md");
    IM_CHECK(ui().document_heading.empty());
    const ImGuiWindow* page = nullptr;
    for (const ImGuiWindow* one : ImGui::GetCurrentContext()->Windows) {
      if (one->Active && std::string(one->Name).find("/text_") != std::string::npos) page = one;
    }
    IM_CHECK(page != nullptr);
    IM_CHECK_GT(page->Scroll.y, 1000);  // far down
    c->KeyPress(ImGuiKey_Escape);
    c->Yield(3);
    IM_CHECK(ui().document.empty());
    c->KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P);
    c->Yield(3);
    c->KeyChars("unclear rows");  // a command that is grey now, then the manual
    c->Yield(2);
    c->KeyPress(ImGuiKey_DownArrow);
    c->Yield(2);
    c->KeyPress(ImGuiKey_Enter);
    c->Yield(3);
    IM_CHECK_STR_EQ(ui().document.c_str(), "method.md");
    c->KeyPress(ImGuiKey_Escape);
    c->Yield(3);
  });
}

TEST_F(Journey, that_a_file_was_saved_is_said_for_some_seconds_and_what_went_wrong_until_it_is_dismissed) {
  travel([](ImGuiTestContext* c) {
    app().messages().notify(Severity::info, NoticeId::saved, "Saved a file.");
    app().messages().notify(Severity::error, NoticeId::write, "Something was not written.");
    const std::int64_t now = std::time(nullptr);
    IM_CHECK(!app().messages().expire(now + 3));
    IM_CHECK_EQ(data().notices.size(), 2U);
    for (Notice& notice : app().data().notices) {
      if (notice.ends != 0) notice.ends -= 20;  // so much later
    }
    c->Yield(2);
    IM_CHECK_EQ(data().notices.size(), 1U);
    IM_CHECK(data().notices.front().id == NoticeId::write);
  });
}

TEST_F(Journey, a_bad_file_is_named_and_the_open_database_stays) {
  {
    std::ofstream bad(window->folder / "bad.db");
    bad << "this is no database, and it is long enough to have a header of a hundred bytes or more, so that it is read "
           "as one.";
  }
  travel([](ImGuiTestContext* c) {
    const std::string before = data().database;
    c->SetRef("##MainMenuBar");
    c->MenuClick("File/Open database...");
    c->Yield(3);
    c->ItemInputValue("//$FOCUSED/##path", (world().folder / "bad.db").c_str());
    wait(c);
    IM_CHECK_STR_EQ(data().database.c_str(), before.c_str());
    IM_CHECK(data().shown != nullptr);
    IM_CHECK(!data().notices.empty());
    IM_CHECK(data().notices.back().text.find("bad.db") != std::string::npos);
  });
}

TEST_F(Journey, a_name_that_a_locked_database_refuses_stays_in_its_field_with_the_reason) {
  SQLite::Database other((window->folder / "test.db").string(), SQLite::OPEN_READWRITE);
  locking = &other;
  travel([](ImGuiTestContext* c) {
    const auto open_menu = [&] {
      c->MouseMove("//###history/**/##sweep");
      c->MouseClick(ImGuiMouseButton_Right);
      c->Yield(3);
    };
    const auto field = [&] { return c->ItemInfo("//$FOCUSED/##note"); };
    front(c, Panel::history);
    wait(c);
    locking->exec("BEGIN IMMEDIATE");
    open_menu();
    c->ItemInput("//$FOCUSED/##note");
    c->KeyCharsReplaceEnter("before the fan");
    until(c, [] { return !ui().sweep_note.problem.empty(); });  // it is waited for, some seconds
    c->Yield(2);
    IM_CHECK(field().ID != 0);
    IM_CHECK(ui().sweep_note.problem.find("keeps it locked") != std::string::npos);
    IM_CHECK_STR_EQ(ui().sweep_note.text.c_str(), "before the fan");
    c->KeyPress(ImGuiKey_Escape);
    c->KeyPress(ImGuiKey_Escape);
    c->Yield(2);
    open_menu();
    IM_CHECK_STR_EQ(ui().sweep_note.text.c_str(), "before the fan");  // also when the menu was left
    locking->exec("ROLLBACK");
    c->ItemInput("//$FOCUSED/##note");
    c->KeyPress(ImGuiKey_Enter);
    wait(c);
    const auto named = std::ranges::find(data().sweeps, std::string("before the fan"), &SweepInfo::note);
    IM_CHECK(named != data().sweeps.end());
    IM_CHECK(ui().sweep_note.problem.empty());
    IM_CHECK(!ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel));
  });
}

TEST_F(Journey, a_deleted_database_is_reported_and_what_was_read_stays) {
  travel([](ImGuiTestContext* c) {
    std::filesystem::remove(world().folder / "test.db");
    until(c, [] { return !data().notices.empty(); });
    IM_CHECK(!data().notices.empty());
    IM_CHECK(data().notices.back().text.find(" is gone: it was moved or deleted") != std::string::npos);
    IM_CHECK(data().shown != nullptr && !data().shown->rows.empty());
  });
}

TEST_F(Journey, a_sweep_whose_database_was_deleted_is_not_called_measuring_once_it_has_stopped) {
  window->sweep.stop_after = 2;
  travel([](ImGuiTestContext* c) {
    const std::filesystem::path file = world().folder / "test.db";
    const SweepLock as_measured(file, data().sweeps.front().id + 1);  // a sweep holds it; the invented one does not
    c->KeyPress(ImGuiKey_F5);
    until(c, [] {
      return data().shown && data().shown->info.running && data().shown->rows.size() >= 2;
    });  // the row in work may be a third
    IM_CHECK(data().shown->info.running);
    std::filesystem::remove(file);
    app().carry_out(ask::Stop{});
    until(c, [] { return !data().run.running; });
    wait(c);
    IM_CHECK(!data().run.running);
    IM_CHECK(!data().shown->info.running);
    IM_CHECK(std::ranges::none_of(data().sweeps, &SweepInfo::running));
  });
}

TEST_F(Journey, nothing_is_written_in_the_place_of_a_deleted_database) {
  travel([](ImGuiTestContext* c) {
    const std::filesystem::path file = world().folder / "test.db";
    const std::size_t sweeps = data().sweeps.size();
    const std::int64_t sweep = data().shown->info.id, row = data().shown->rows.front().measurement;
    std::filesystem::remove(file);
    const std::array<Request, 6> writing{ask::Run{},
                                         ask::Resume{sweep},
                                         ask::Star{sweep},
                                         ask::NoteSweep{sweep, "title"},
                                         ask::NoteMeasurement{row, "note"},
                                         ask::DeleteSweep{sweep}};
    for (const Request& request : writing) {
      while (!data().notices.empty()) app().messages().dismiss(data().notices.back().id);  // of the one before
      app().carry_out(request);
      wait(c);
      IM_CHECK(!std::filesystem::exists(file));
      IM_CHECK(!data().notices.empty());
      IM_CHECK_STR_EQ(data().notices.back().actions.front().label.c_str(), "Save a copy...");
    }
    c->KeyPress(ImGuiKey_F5);
    wait(c);
    app().carry_out(ask::ImportDatabase{world().folder / "other.db"});
    wait(c);
    IM_CHECK(!std::filesystem::exists(file));
    IM_CHECK_EQ(world().sweep.started.load(), 0);
    IM_CHECK_EQ(data().sweeps.size(), sweeps);
  });
}

TEST_F(Journey, the_recording_is_one_click_away_read_only_and_the_sweep_goes_on_meanwhile) {
  window->stage.reset();
  {
    Store store(window->folder / "recorded.db");
    store.add(store.begin_sweep("triscope sweep", to_json(SweepRequest{}), synthetic_environment(), 6),
              synthetic_measurement(1, 20));
  }
  ApplicationOptions options;
  options.database = window->folder / "fresh.db";
  options.recorded_database = window->folder / "recorded.db";
  options.engine = window->sweep.engine();
  options.run_when_empty = true;
  window->sweep.stop_after = 2;
  window->stage = std::make_unique<fixture::Stage>(std::move(options), 1440, 900);
  travel([](ImGuiTestContext* c) {
    until(c, [] { return data().run.progress.done >= 2; });
    c->ItemClick("//##notices/**/Look at them");
    until(c, [] { return data().read_only; });
    IM_CHECK(data().database.ends_with("recorded.db") && data().read_only);
    for (const Notice& notice : data().notices) IM_CHECK(notice.id != NoticeId::resume);
    IM_CHECK(data().run.running);
    world().sweep.stop_after = 1 << 30;
    wait(c);
    IM_CHECK(!data().run.running);
    IM_CHECK_EQ(data().shown->rows.size(), 1U);  // still the recording
    c->ItemClick("//##notices/**/Back to fresh.db");
    wait(c);
    IM_CHECK(data().database.ends_with("fresh.db") && !data().read_only);
    IM_CHECK_EQ(data().shown->rows.size(), 6U);
  });
}

TEST_F(Journey, a_first_start_on_an_empty_database_measures_by_itself) {
  window->stage.reset();
  ApplicationOptions options;
  options.database = window->folder / "fresh.db";
  options.engine = window->sweep.engine();
  options.run_when_empty = true;
  window->stage = std::make_unique<fixture::Stage>(std::move(options), 1440, 900);
  travel([](ImGuiTestContext* c) {
    bool said = false;
    wait(c);
    IM_CHECK_EQ(world().sweep.started.load(), 1);
    IM_CHECK_EQ(data().sweeps.size(), 1U);
    IM_CHECK_EQ(data().shown->rows.size(), 6U);
    for (const LogLine& line : data().log) said = said || line.text.starts_with("First start");
    IM_CHECK(said);
    IM_CHECK(data().notices.empty());  // it runs no more
  });
}

}  // namespace
}  // namespace triscope
