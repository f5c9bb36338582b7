// A library of the user's own kernels in the window: opened, refused, measured, and measured again when it changes.
// And what all rows stand beside, chosen once: a kernel, a row, a sweep, the paper.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "profiler/store/store.hpp"
#include "profiler/verdict/reference.hpp"
#include "tests/paths.hpp"
#include "tests/views/journeys/journey.hpp"

namespace triscope {
namespace {

using fixture::Journey;
using fixture::WindowOnDatabase;
using testing::ElementsAre;
using testing::HasSubstr;

std::filesystem::path built_plugin(const char* name) {
  return build_file(std::string("tests/plugins/") + name + ".so");
}

/// As a compiler does it: a new file in place of the old one.
void put_library(const std::filesystem::path& file, const char* name) {
  std::filesystem::copy_file(built_plugin(name), file.string() + ".new");
  std::filesystem::rename(file.string() + ".new", file);
}

/// Answers the open question for a kernel.
void answer(ImGuiTestContext* c, const std::string& file) {
  c->SetRef("//$FOCUSED");
  c->ItemInputValue("##path", file.c_str());  // and Enter
  c->Yield(2);
}

void ask_for_a_kernel(ImGuiTestContext* c) {
  c->SetRef("##MainMenuBar");
  c->MenuClick("File/Open kernel...");
  c->Yield(6);
}

TEST_F(Journey, a_kernel_of_ones_own_is_opened_measured_and_measured_again) {
  put_library(window->folder / "mine.so", "good");
  put_library(window->folder / "bad.so", "missing_symbol");
  travel([](ImGuiTestContext* c) {
    const std::string mine = (world().folder / "mine.so").string(), bad = (world().folder / "bad.so").string();
    world().stage->resize(1440, 1700);  // all of the setup's fields
    c->Yield(6);
    ask_for_a_kernel(c);
    answer(c, bad);
    wait(c);
    IM_CHECK(ui().path.waiting.has_value());  // it stays, with the reason
    IM_CHECK_NE(ui().path.problem.find("it has no function triscope_workspace"), std::string::npos);
    IM_CHECK(data().library.file.empty());
    answer(c, mine);
    wait(c);
    IM_CHECK(!ui().path.waiting.has_value());
    IM_CHECK_STR_EQ(data().library.file.c_str(), mine.c_str());
    IM_CHECK_EQ(data().library.kernels.size(), 1U);
    front(c, Panel::setup);
    IM_CHECK(c->ItemExists("//**/mine"));

    app().carry_out(ask::Run{true});
    wait(c);
    IM_CHECK_EQ(world().sweep.started.load(), 1);
    const std::string first = data().library.sha256;
    IM_CHECK_STR_EQ(world().sweep.last_request.plugin.c_str(), mine.c_str());
    IM_CHECK_STR_EQ(world().sweep.last_request.plugin_sha256.c_str(), first.c_str());
    c->ItemClick("//**/mine");  // off: it is not loaded
    app().carry_out(ask::Run{true});
    wait(c);
    IM_CHECK(world().sweep.last_request.plugin.empty());
    IM_CHECK(!std::ranges::count(world().sweep.last_request.kernels, "mine"));
    c->ItemClick("//**/mine");

    put_library(mine, "wrong_result");
    until(c, [] { return app().messages().find(NoticeId::kernel) != nullptr; });
    IM_CHECK_STR_EQ(app().messages().find(NoticeId::kernel)->text.c_str(), "The kernel library mine.so has changed.");
    IM_CHECK_STR_NE(data().library.sha256.c_str(), first.c_str());
    IM_CHECK_EQ(world().sweep.started.load(), 2);
    c->ItemClick("//**/Measure again");
    wait(c);
    IM_CHECK_EQ(world().sweep.started.load(), 3);
    IM_CHECK_STR_EQ(world().sweep.last_request.plugin_sha256.c_str(), data().library.sha256.c_str());
    IM_CHECK(app().messages().find(NoticeId::kernel) == nullptr);

    front(c, Panel::setup);
    c->ItemClick("//**/run when it changes");
    put_library(mine, "good");
    until(c, [] { return world().sweep.started.load() == 4; });
    wait(c);
    IM_CHECK_STR_EQ(world().sweep.last_request.plugin_sha256.c_str(), first.c_str());
  });
}

TEST(OwnKernel, is_forgotten_by_the_next_start) {
  WindowOnDatabase window;
  const std::filesystem::path file = window.folder / "mine.so";
  put_library(file, "good");
  window.stage->settle();
  window.application().carry_out(FileRequest(ask::OpenKernel{file.string()}));
  window.stage->settle();
  EXPECT_THAT(window.application().data().library.kernels, ElementsAre("mine"));
  window.stage.reset();
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(window.folder / "config")) {
    if (!entry.is_regular_file()) continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    EXPECT_THAT(text.str(), testing::Not(HasSubstr("mine.so"))) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 0);
  window.start(window.folder / "test.db");
  window.stage->settle();
  EXPECT_EQ(window.application().data().library.file, "");
}

// What the form then asks for, by a worker that has the library.
TEST(OwnKernel, is_planned_with_the_others) {
  const Engine engine = real_engine();
  const std::filesystem::path file = built_plugin("good");
  const auto opened = engine.open_library(file, "");
  ASSERT_TRUE(opened);
  EXPECT_FALSE(engine.open_library(file, opened->library.sha256));
  SetupForm form = default_form(false);
  form.backward = false;
  form.device = "cpu";
  const FormReading with = read_form(form, opened->catalog.get(), &opened->library);
  EXPECT_EQ(with.request.plugin, opened->library.file);
  EXPECT_EQ(std::ranges::count(with.request.kernels, "mine"), 1);
  const PlanPreview both = engine.preview(with.request, *opened->catalog);
  EXPECT_EQ(both.problem, "");
  EXPECT_FALSE(both.unable.contains("mine")) << both.unable.at("mine");
  form.excluded_kernels = {"mine"};
  const FormReading without = read_form(form, opened->catalog.get(), &opened->library);
  EXPECT_EQ(without.request.plugin, "");
  EXPECT_LT(engine.preview(without.request, *opened->catalog).measurements, both.measurements);
}

TEST_F(Journey, a_kernel_of_ours_can_be_what_the_others_stand_beside) {
  window->start(recorded_file());
  travel([](ImGuiTestContext* c) {
    app().carry_out(ask::ShowSweep{1});  // of Hopper and Portable
    wait(c);
    front(c, Panel::latency);
    c->ItemClick("//###latency/###reference");
    c->ItemClick("//$FOCUSED/Portable");
    wait(c);
    IM_CHECK_STR_EQ(ui().selection.reference.c_str(), "cuda.portable");
    IM_CHECK_STR_EQ(data().beside_reference->baseline.c_str(), "cuda.portable");
    IM_CHECK(!data().beside_reference->by_measurement.empty());
  });
}

class ReferenceJourney : public Journey {
 protected:
  static void begin(ImGuiTestContext* c) {
    wait(c);
    app().carry_out(ask::ShowSweep{1});  // Table 1 beside libraries
    wait(c);
    front(c, Panel::latency);
  }
  static void choose(ImGuiTestContext* c, const char* text) {
    app().carry_out(ask::SetReference{text});
    wait(c);
  }
  static bool has_column(const std::string& title) {
    return std::ranges::any_of(app().text_of(Panel::latency).header,
                               [&](const std::string& one) { return one.find(title) != std::string::npos; });
  }
  /// The window says what the command line says.
  static void expect_shown(const char* text) {
    const Snapshot snapshot(data().database);
    const Verdicts said = ReferenceSide(snapshot, data().database, parse_reference(text)).beside(data().shown->rows);
    IM_CHECK(!said.by_measurement.empty());
    IM_CHECK_STR_EQ(data().beside_reference->label.c_str(), said.label.c_str());
    for (const auto& [row, time] : said.by_measurement) {
      const auto own = data().beside_reference->by_measurement.find(row);
      IM_CHECK(own != data().beside_reference->by_measurement.end());
      IM_CHECK_STR_EQ(time_sentence(own->second, "it").c_str(), time_sentence(time, "it").c_str());
    }
  }
  static std::string notices() {
    std::string all;
    for (const auto& notice : data().notices) all += notice.text + "\n";
    return all;
  }
};

TEST_F(ReferenceJourney, the_right_button_on_a_row_makes_it_the_reference_and_takes_it_back) {
  window->start(recorded_file());
  travel([](ImGuiTestContext* c) {
    begin(c);
    const ImVec2 row = c->ItemInfo("//###latency/**/##line").RectFull.GetCenter();
    const auto menu = [&](const char* item) {
      c->MouseMoveToPos(row);
      c->Yield(2);
      c->MouseClick(ImGuiMouseButton_Right);
      c->Yield(3);
      c->ItemClick((std::string("//$FOCUSED/") + item).c_str());
      wait(c);
    };
    menu("Compare all with this row");
    const std::string text = ui().selection.reference;
    IM_CHECK(text.starts_with("row:"));
    expect_shown(text.c_str());
    const std::string name = data().beside_reference->short_label;
    IM_CHECK(has_column("vs " + name));
    const TextTable table = app().text_of(Panel::latency);
    IM_CHECK(std::ranges::any_of(
        table.rows, [](const auto& line) { return std::ranges::find(line, "the reference") != line.end(); }));
    IM_CHECK_EQ(ui().selection.pinned(), 0);  // it selects nothing
    menu("Compare all with the usual reference");
    IM_CHECK_STR_EQ(ui().selection.reference.c_str(), "auto");
    IM_CHECK(has_column("vs FA3"));
  });
}

TEST_F(ReferenceJourney, a_key_does_it_for_the_selected_row_and_escape_takes_it_back_last) {
  window->start(recorded_file());
  travel([](ImGuiTestContext* c) {
    begin(c);
    const auto ours = std::ranges::find(data().shown->rows, "cuda.hopper", &ResultRow::kernel);
    app().carry_out(ask::SelectMeasurements{{ours->measurement}, 0});
    wait(c);
    c->KeyPress(ImGuiKey_R);
    wait(c);
    IM_CHECK_STR_EQ(ui().selection.reference.c_str(), row_reference(ours->measurement).c_str());
    c->KeyPress(ImGuiKey_Escape);
    wait(c);
    IM_CHECK_EQ(ui().selection.pinned(), 0);
    IM_CHECK(ui().selection.reference.starts_with("row:"));
    c->KeyPress(ImGuiKey_Escape);
    wait(c);
    IM_CHECK_STR_EQ(ui().selection.reference.c_str(), "auto");
  });
}

TEST_F(ReferenceJourney, a_cell_of_the_map_has_the_same_menu) {
  window->start(recorded_file());
  travel([](ImGuiTestContext* c) {
    begin(c);
    front(c, Panel::map);
    wait(c);
    const ImRect grid = c->ItemInfo("//###map/##map").RectFull;
    for (int n = 0; n < 400 && ui().selection.hovered <= 0; ++n) {
      const int column = n % 20, row = n / 20;
      c->MouseMoveToPos(ImVec2(grid.Min.x + grid.GetWidth() * (static_cast<float>(column) + 0.5F) / 20,
                               grid.Min.y + grid.GetHeight() * (static_cast<float>(row) + 0.5F) / 20));
      c->Yield(2);
    }
    const std::int64_t pointed = ui().selection.hovered;
    IM_CHECK_GT(pointed, 0);
    c->MouseClick(ImGuiMouseButton_Right);
    c->Yield(3);
    c->ItemClick("//$FOCUSED/Compare all with this row");
    wait(c);
    IM_CHECK_STR_EQ(ui().selection.reference.c_str(), row_reference(pointed).c_str());
  });
}

TEST_F(ReferenceJourney, the_paper_is_in_the_menu_above_the_table) {
  window->start(recorded_file());
  travel([](ImGuiTestContext* c) {
    begin(c);
    c->ItemClick("//###latency/###reference");
    c->ItemClick("//$FOCUSED/The paper's Table 1");
    wait(c);
    IM_CHECK_STR_EQ(ui().selection.reference.c_str(), "paper");
    expect_shown("paper");
    IM_CHECK(has_column("time vs the paper"));
  });
}

TEST_F(ReferenceJourney, what_is_gone_is_said_once_and_the_table_stands_beside_nothing) {
  travel([](ImGuiTestContext* c) {
    wait(c);
    front(c, Panel::latency);
    const std::int64_t other = data().sweeps.back().id;
    choose(c, sweep_reference(other).c_str());
    IM_CHECK(data().beside_reference->problem.empty());
    choose(c, "row:99999");
    IM_CHECK(notices().find("the database has no row 99999") != std::string::npos);
    IM_CHECK(!has_column(" vs "));
    const std::size_t told = data().notices.size();
    app().carry_out(ask::ShowSweep{other});
    wait(c);
    IM_CHECK_EQ(data().notices.size(), told);
    choose(c, "database:/nowhere/gone.db");
    IM_CHECK(notices().find("/nowhere/gone.db") != std::string::npos);
    choose(c, "auto");
    IM_CHECK(notices().find("gone.db") == std::string::npos);
  });
}

TEST_F(ReferenceJourney, a_sweep_of_the_history_is_what_all_rows_stand_beside) {
  travel([](ImGuiTestContext* c) {
    wait(c);
    front(c, Panel::history);
    c->MouseMove("//###history/**/##sweep");
    c->MouseClick(ImGuiMouseButton_Right);
    c->Yield(3);
    c->ItemClick("//$FOCUSED/Compare all with this sweep");
    wait(c);
    IM_CHECK(ui().selection.reference.starts_with("sweep:"));
    IM_CHECK(data().beside_reference->short_label.starts_with("sweep "));
  });
}

}  // namespace
}  // namespace triscope
