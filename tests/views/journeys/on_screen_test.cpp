// The program on a screen: how often it draws, what it does at its end. The tests named OnScreen need a display and are
// skipped without one (tests/on_screen gives one).
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <SQLiteCpp/SQLiteCpp.h>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <imgui_internal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "app/window/main/window_fit.hpp"
#include "kernels/base/error.hpp"
#include "profiler/plan/request.hpp"
#include "tests/views/said.hpp"
#include "tests/views/window_fixture.hpp"

// As in GLFW/glfw3native.h, which needs X11's headers.
// NOLINTBEGIN(readability-identifier-naming): GLFW's names
extern "C" void* glfwGetX11Display();
extern "C" unsigned long glfwGetX11Window(GLFWwindow*);
// NOLINTEND(readability-identifier-naming)

namespace triscope {
namespace {

using fixture::kWindow;
using fixture::Said;
using fixture::say;
using fixture::WindowOnDatabase;
using testing::HasSubstr;

TEST(OnScreen, says_what_to_do_without_opengl_3_3) {
  if (!fixture::on_screen()) GTEST_SKIP() << "needs a display";
  const Said said = say("MESA_GL_VERSION_OVERRIDE=2.1 " + kWindow);
  EXPECT_EQ(said.code, 3);
  EXPECT_THAT(said.text, HasSubstr("no OpenGL 3.3"));
  EXPECT_THAT(said.text, HasSubstr("libgl1-mesa-dri"));
}

TEST(OnScreen, opens_no_larger_than_the_screen) {
  if (!fixture::on_screen()) GTEST_SKIP() << "needs a display";
  TemporaryFolder folder;
  WindowOptions options{{}, 4000, 3000};
  options.application.database = folder / "a.db";
  options.application.ask_machine = false;
  DesktopWindow window(std::move(options));
  window.draw();
  const GLFWvidmode& screen = *glfwGetVideoMode(glfwGetPrimaryMonitor());
  EXPECT_EQ(ImGui::GetIO().DisplaySize.x, static_cast<float>(screen.width));
  EXPECT_EQ(ImGui::GetIO().DisplaySize.y, static_cast<float>(screen.height));
}

TEST(WindowFit, a_window_and_its_frame_fit_into_what_is_free_on_the_monitor_that_it_is_on) {
  const std::vector<ScreenRect> free{{0, 30, 1280, 770}, {1280, 0, 2560, 1440}};
  const WindowFrame frame{4, 28, 4, 4};
  EXPECT_EQ(fit_window({1400, 100, 1600, 1000}, frame, free), (ScreenRect{1400, 100, 1600, 1000}))
      << "on the larger one";
  EXPECT_EQ(fit_window({100, 100, 1600, 1000}, frame, free), (ScreenRect{4, 58, 1272, 738})) << "most of it is there";
  EXPECT_EQ(fit_window({0, 0, 800, 600}, frame, free), (ScreenRect{4, 58, 800, 600})) << "its title stays to be seen";
  EXPECT_EQ(fit_window({2000, 1000, 1000, 800}, frame, free), (ScreenRect{2000, 636, 1000, 800}));
  EXPECT_EQ(fit_window({100, 100, 1600, 1000}, frame, {}), (ScreenRect{100, 100, 1600, 1000}));
}

/// Starts the window with `options` under the shell's process id, which it tells first.
struct Running {
  std::FILE* pipe;
  pid_t process = 0;

  explicit Running(const std::string& settings, const std::string& options)
      : pipe(popen(("echo $$; " + settings + " exec " + kWindow + options + " 2>&1").c_str(), "r")) {
    if (std::fscanf(pipe, "%d", &process) != 1) process = 0;
  }
};

TEST(OnScreen, sigterm_closes_it_as_its_close_button_does) {
  if (!fixture::on_screen()) GTEST_SKIP() << "needs a display";
  TemporaryFolder folder;
  const std::filesystem::path database = folder / "sweep.db";
  const Running window("XDG_CONFIG_HOME=" + folder.path().string(), " " + database.string() + " --run");
  ASSERT_GT(window.process, 0);
  const auto measured = [&] {
    try {
      return !Snapshot(database).results().empty();
    } catch (const Error&) {  // it is not written yet
      return false;
    }
  };
  EXPECT_TRUE(fixture::draw_until(measured, [] { usleep(50'000); }));
  kill(window.process, SIGTERM);
  const int status = pclose(window.pipe);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_FALSE(std::filesystem::exists(database.string() + "-wal")) << "the database is closed";
  EXPECT_FALSE(Snapshot(database).results().empty());
}

TEST(OnScreen, draws_at_most_once_a_second_while_something_is_timed) {
  if (!fixture::on_screen()) GTEST_SKIP() << "needs a display";
  WindowOnDatabase window;
  window.stage->settle();
  DesktopWindow& screen = *window.stage->screen();
  const RunState& run = window.application().data().run;
  const auto says = [&](const char* word) { return run.progress.current.find(word) != std::string::npos; };
  window.sweep.stop_after = 0;  // one measurement that goes on: progress two hundred times a second
  window.application().carry_out(ask::Run{});
  auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  ASSERT_TRUE(
      fixture::draw_until([&] { return run.running && says("block") && seconds() > 1.5; }, [&] { screen.step(); }));
  const std::int64_t before = screen.frames();
  start = std::chrono::steady_clock::now();
  ASSERT_TRUE(
      fixture::draw_until([&] { return seconds() > 4 && screen.frames() >= before + 2; }, [&] { screen.step(); }))
      << "progress must be seen";
  EXPECT_LE(static_cast<double>(screen.frames() - before), seconds() + 1);
  EXPECT_TRUE(run.running && says("block"));
  window.sweep.stop_after = 1 << 30;
}

TEST(OnScreen, steps_play_without_a_hand_and_draw_nothing_where_they_are_not_seen) {
  if (!fixture::on_screen()) GTEST_SKIP() << "needs a display";
  WindowOnDatabase window;
  window.stage->settle();
  DesktopWindow& screen = *window.stage->screen();
  UiState& ui = window.application().ui();
  window.application().carry_out(ask::ShowPanel{Panel::paper});
  ui.paper.page = PaperPage::steps;
  window.stage->settle();
  for (int i = 0; i < 20; ++i) screen.step();
  const std::int64_t first = ui.paper.steps.step;
  toggle_play(ui.paper.steps, 1000, ImGui::GetTime());
  ASSERT_TRUE(fixture::draw_until([&] { return ui.paper.steps.step >= first + 2; }, [&] { screen.step(); }));
  ui.paper.page = PaperPage::errata;  // as where another panel lies in front
  screen.draw();
  ui.paper.page = PaperPage::steps;
  ui.paper.steps.next_at = ImGui::GetTime();
  const std::int64_t before = screen.frames();
  for (int i = 0; i < 4; ++i) screen.step();
  EXPECT_EQ(screen.frames(), before);
}

/// Moves the display's own pointer, as a hand does: what is only told to Dear ImGui is overruled by where that one is.
void move_pointer(int x, int y) {
  void* x11 = dlopen("libX11.so.6", RTLD_NOW);
  const auto warp =
      reinterpret_cast<int (*)(void*, unsigned long, unsigned long, int, int, unsigned, unsigned, int, int)>(
          dlsym(x11, "XWarpPointer"));
  const auto flush = reinterpret_cast<int (*)(void*)>(dlsym(x11, "XFlush"));
  void* display = glfwGetX11Display();
  warp(display, 0, glfwGetX11Window(glfwGetCurrentContext()), 0, 0, 0, 0, x, y);
  flush(display);
}

bool shows_tooltip() {
  for (const ImGuiWindow* one : ImGui::GetCurrentContext()->Windows) {
    if ((one->Flags & ImGuiWindowFlags_Tooltip) != 0 && one->Active && !one->Hidden) return true;
  }
  return false;
}

TEST(OnScreen, a_tooltip_comes_while_the_pointer_rests) {
  if (!fixture::on_screen()) GTEST_SKIP() << "needs a display";
  WindowOnDatabase window;
  window.stage->settle();
  DesktopWindow& screen = *window.stage->screen();
  constexpr int kRunX = 570, kRunY = 20;
  move_pointer(kRunX, kRunY);
  // It is asked for in the frames that follow the movement, and comes later, without another event: also where one
  // frame takes longer than the pointer has to rest.
  bool came = false;
  for (int step = 0; step < 60 && !came; ++step) {
    screen.step();
    came = shows_tooltip();
  }
  ASSERT_NE(ImGui::GetCurrentContext()->HoveredId, 0U) << "the pointer is not on Run: the toolbar has changed";
  EXPECT_TRUE(came);
  bool rests = false;
  for (int step = 0; step < 60 && !rests; ++step) {
    const std::int64_t before = screen.frames();
    screen.step();
    rests = screen.frames() == before;
  }
  EXPECT_TRUE(rests);
  EXPECT_TRUE(shows_tooltip());
  move_pointer(1300, 600);  // Details, with nothing selected
  for (int step = 0; step < 20 && shows_tooltip(); ++step) screen.step();
  EXPECT_FALSE(shows_tooltip());
}

/// What a window manager writes on a window that is minimised. Xvfb has none.
void set_minimised(bool minimised) {
  void* x11 = dlopen("libX11.so.6", RTLD_NOW);
  const auto intern = reinterpret_cast<unsigned long (*)(void*, const char*, int)>(dlsym(x11, "XInternAtom"));
  const auto change =
      reinterpret_cast<int (*)(void*, unsigned long, unsigned long, unsigned long, int, int, const void*, int)>(
          dlsym(x11, "XChangeProperty"));
  void* display = glfwGetX11Display();
  const unsigned long name = intern(display, "WM_STATE", 0);
  constexpr long kNormal = 1, kIconic = 3;  // ICCCM 4.1.3.1
  const long state[2] = {minimised ? kIconic : kNormal, 0};
  change(display, glfwGetX11Window(glfwGetCurrentContext()), name, name, 32, 0, state, 2);
}

TEST(OnScreen, rests_while_it_is_minimised_and_still_takes_what_threads_answer) {
  if (!fixture::on_screen()) GTEST_SKIP() << "needs a display";
  WindowOnDatabase window;
  window.stage->settle();
  DesktopWindow& screen = *window.stage->screen();
  ImGui::GetIO().AddMousePosEvent(10, 10);
  screen.step();  // frames are left to draw
  set_minimised(true);
  screen.step();
  const std::int64_t drawn = screen.frames();
  window.application().carry_out(ask::SelectMeasurement{window.application().data().shown->rows.front().measurement});
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  int steps = 0;
  EXPECT_TRUE(fixture::draw_until([&] { return seconds() > 2 && window.application().data().selected; },
                                  [&] { screen.step(), ++steps; }));
  EXPECT_LE(steps, 10 * seconds() + 1) << "it waits between steps";
  EXPECT_EQ(screen.frames(), drawn);
  set_minimised(false);
  ImGui::GetIO().AddMousePosEvent(20, 20);
  screen.step();
  EXPECT_GT(screen.frames(), drawn);
}

TEST(OnScreen, an_input_gets_its_frames_while_slices_would_play_behind_the_measurements) {
  if (!fixture::on_screen()) GTEST_SKIP() << "needs a display";
  WindowOnDatabase window;
  window.stage->settle();
  DesktopWindow& screen = *window.stage->screen();
  for (int i = 0; i < 10; ++i) screen.step();
  window.application().ui().attention.playing = true;
  const std::int64_t before = screen.frames();
  ImGui::GetIO().AddMousePosEvent(10, 10);
  for (int i = 0; i < 3; ++i) screen.step();
  EXPECT_EQ(screen.frames() - before, 3);
}

/// No file may grow beyond `bytes`: what a full disk does to a write, without a full disk.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &old_);
    rlimit limit = old_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SmallDisk() {
    setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_handler_);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

 private:
  rlimit old_{};
  void (*old_handler_)(int);
};

std::string content(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(Application, settings_that_do_not_fit_on_the_disk_leave_the_old_ones_and_are_reported) {
  TemporaryFolder folder;
  StoredSettings stored;
  stored.settings.scale = 1.5F;
  save_settings(folder.path(), stored);
  stored.settings.scale = 2;
  stored.settings.recent_databases = {std::string(10'000, 'x')};
  {
    const SmallDisk disk(64);
    EXPECT_THROW(save_settings(folder.path(), stored), Error);
  }
  const StoredSettings back = load_settings(folder.path());
  EXPECT_EQ(back.problem, "");
  EXPECT_EQ(back.settings.scale, 1.5F);
}

TEST(Application, a_table_that_does_not_fit_on_the_disk_leaves_the_old_file_and_is_reported) {
  WindowOnDatabase window;
  window.stage->settle();
  const std::filesystem::path file = window.folder / "latency.csv";
  std::ofstream(file) << "old";
  {
    const SmallDisk disk(64);
    window.application().carry_out(ask::SaveTable{file.string()});
    window.stage->settle();
  }
  ASSERT_FALSE(window.application().data().notices.empty());
  EXPECT_EQ(window.application().data().notices.back().severity, Severity::error);
  EXPECT_THAT(window.application().data().notices.back().text, HasSubstr("latency.csv"));
  EXPECT_EQ(content(file), "old");
  EXPECT_FALSE(window.application().data().shown->rows.empty());
}

TEST(Application, a_note_that_does_not_fit_on_the_disk_is_reported_and_the_database_stays_whole) {
  WindowOnDatabase window;
  window.stage->settle();
  const std::int64_t id = window.application().data().shown->rows.front().measurement;
  {
    const SmallDisk disk(16);
    window.application().carry_out(ask::NoteMeasurement{id, std::string(100'000, 'x')});
    window.stage->settle();
  }
  ASSERT_FALSE(window.application().data().notices.empty());
  EXPECT_EQ(window.application().data().notices.back().severity, Severity::error);
  const Snapshot snapshot(window.folder / "test.db");
  EXPECT_EQ(snapshot.note(id), "");
  EXPECT_FALSE(snapshot.sweeps().empty());
}

TEST(Application, a_replaced_database_is_read_again) {
  WindowOnDatabase window;
  window.stage->settle();
  const std::size_t sweeps = window.application().data().sweeps.size();
  {
    Store store(window.folder / "other.db");
    for (std::size_t i = 0; i <= sweeps; ++i)
      store.finish_sweep(store.begin_sweep("triscope sweep", to_json(SweepRequest{}), synthetic_environment(), 0));
  }
  std::filesystem::remove(window.folder / "test.db-wal");
  std::filesystem::remove(window.folder / "test.db-shm");
  std::filesystem::rename(window.folder / "other.db", window.folder / "test.db");
  EXPECT_TRUE(fixture::draw_until([&] { return window.application().data().sweeps.size() == sweeps + 1; },
                                  [&] { window.stage->frame(); }));
}

TEST(Application, a_database_that_was_not_there_is_called_new) {
  WindowOnDatabase window;
  window.stage->settle();
  const std::string name = (window.folder / "mistyped.db").string();
  const auto says = [&] {
    const auto& notices = window.application().data().notices;
    return std::ranges::any_of(notices, [&](const Notice& notice) {
      return notice.text == "There was no database " + name + ": this one is new and empty.";
    });
  };
  EXPECT_FALSE(says());
  ApplicationOptions options;
  options.database = name;
  options.engine = window.sweep.engine();
  window.stage.reset();
  window.stage = std::make_unique<fixture::Stage>(std::move(options), 1280, 800);
  window.stage->settle();
  EXPECT_TRUE(says());
  window.application().carry_out(ask::OpenDatabase{(window.folder / "test.db").string()});
  window.stage->settle();
  EXPECT_FALSE(says()) << "it is of the database that was left";
}

TEST(Application, a_worker_that_cannot_be_started_is_named_and_the_database_can_be_looked_at) {
  WindowOnDatabase window;
  ApplicationOptions options;
  options.database = window.folder / "test.db";
  options.engine = window.sweep.engine();
  options.engine.catalog = []() -> std::shared_ptr<const Catalog> {
    throw Error("Devices are not known", "the worker ended with exit code 127", "run triscope doctor",
                ExitCode::environment);
  };
  window.stage.reset();
  window.stage = std::make_unique<fixture::Stage>(std::move(options), 1280, 800);
  window.stage->settle();
  const WindowData& data = window.application().data();
  ASSERT_FALSE(data.notices.empty());
  EXPECT_THAT(data.notices.back().text, HasSubstr("run triscope doctor"));
  ASSERT_TRUE(data.shown);
  EXPECT_FALSE(data.shown->rows.empty());
}

TEST(Application, a_sweep_that_dies_says_why_and_keeps_what_was_measured) {
  WindowOnDatabase window;
  window.stage->settle();
  ApplicationOptions options;
  options.database = window.folder / "test.db";
  options.engine = window.sweep.engine();
  options.engine.run = [](const SweepRequest& request, const std::filesystem::path& database,
                          const SweepObserver& observer, std::stop_token, std::optional<std::int64_t>) -> SweepOutcome {
    Store store(database);
    const std::int64_t sweep = store.begin_sweep("triscope sweep", to_json(request), synthetic_environment(), 6);
    observer.started(sweep);
    const Measurement measurement = synthetic_measurement(3, 20);
    observer.measured(measurement, store.add(sweep, measurement));
    observer.unstored({"the disk is full.", "What is measured waits and is tried again."});
    throw Error("The sweep was stopped", "the worker died three times in a row", "run triscope doctor",
                ExitCode::environment);
  };
  window.stage.reset();
  window.stage = std::make_unique<fixture::Stage>(std::move(options), 1280, 800);
  window.stage->settle();
  window.application().carry_out(ask::Run{});
  const WindowData& data = window.application().data();
  EXPECT_TRUE(fixture::draw_until([&] { return !data.run.running && data.shown->rows.size() == 1; },
                                  [&] { window.stage->frame(); }));
  EXPECT_FALSE(data.run.running);
  ASSERT_FALSE(data.notices.empty());
  EXPECT_THAT(data.notices.back().text, HasSubstr("the worker died three times"));
  ASSERT_EQ(data.notices.back().actions.size(), 1U) << "how to go on";
  EXPECT_EQ(data.notices.back().actions.front().label, "Resume");
  EXPECT_EQ(window.application().messages().find(NoticeId::unstored), nullptr) << "nothing waits any more";
  EXPECT_EQ(data.shown->rows.size(), 1U);
}

}  // namespace
}  // namespace triscope
