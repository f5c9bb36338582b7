// A library of the user's own kernels in the window: opened, refused, measured, and measured again when it changes.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

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

}  // namespace
}  // namespace triscope
