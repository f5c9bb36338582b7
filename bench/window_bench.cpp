// What the window costs on a large database: 100,000 measurements with 1,000,000 samples, in ten sweeps and in one. By
// hand:
//   ninja window_bench && build/bin/window_bench [FILE]
// FILE is kept and used again when it is there; without it a temporary one is made. Frames are drawn into memory,
// without pixels. Of each interaction: milliseconds of the drawing thread's processor for the dearest frame and for all
// frames until nothing works any more, those of the threads beside it, and by the clock. Then frames while the table is
// scrolled, and while a small sweep of the CPU streams its samples (needs triscope-worker). Then frames in which
// nothing happens, panel by panel, and the memory; and the list of 10,000 sweeps. With a display (xvfb-run, say) also
// frames with their pixels, by the driver that is there.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/window/engine/engine.hpp"
#include "app/window/main/frame_loop.hpp"
#include "app/window/report/offscreen.hpp"
#include "bench/large_database.hpp"
#include "tests/temporary_folder.hpp"

namespace {

using namespace triscope;

double used_ms(clockid_t clock) {
  timespec used{};
  clock_gettime(clock, &used);
  return 1e3 * static_cast<double>(used.tv_sec) + 1e-6 * static_cast<double>(used.tv_nsec);
}

double thread_ms() { return used_ms(CLOCK_THREAD_CPUTIME_ID); }

double clock_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// "VmRSS:", "VmHWM:" in MiB.
double memory_mib(const std::string& which) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kib = 0;
    if (word == which && status >> kib) return kib / 1024;
  }
  return 0;
}

double frame(Offscreen& window) {
  const double before = thread_ms();
  window.frame();
  return thread_ms() - before;
}

/// A window draws with its display, and not as fast as it can: the cores are free between two frames.
void wait_for_display() {
  constexpr double kPeriodMs = 1000.0 / 60;
  static double last = 0;
  const double now = clock_ms();
  if (now < last + kPeriodMs)
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(last + kPeriodMs - now));
  last = clock_ms();
}

/// Draws until nothing works any more.
void time_until_settled(
    Offscreen& window, const std::string& name, const std::function<void()>& act,
    const std::function<void()>& after_frame = [] {}) {
  const double cpu = thread_ms(), all = used_ms(CLOCK_PROCESS_CPUTIME_ID), clock = clock_ms();
  act();
  double dearest = thread_ms() - cpu;  // what the act itself takes is one more frame
  double last = 0;
  for (int quiet = 0; quiet < 3;) {
    const double began = thread_ms();
    window.frame();
    dearest = std::max(dearest, thread_ms() - began);
    after_frame();
    wait_for_display();
    quiet = window.application().settled() ? quiet + 1 : 0;
    if (quiet == 1) last = clock_ms();
  }
  const double drawing = thread_ms() - cpu;
  fmt::print("{:8.1f} {:8.1f} {:8.1f} {:8.0f}  {}\n", dearest, drawing,
             used_ms(CLOCK_PROCESS_CPUTIME_ID) - all - drawing, last - clock, name);
  std::fflush(stdout);
}

constexpr std::array kPanels{Panel::latency, Panel::tflops,  Panel::map,     Panel::scaling, Panel::lengths,
                             Panel::samples, Panel::explore, Panel::compare, Panel::details, Panel::history};

/// In which nothing happens.
void time_frames(Offscreen& window) {
  Application& app = window.application();
  fmt::print("\n  ms CPU of a frame, mean and dearest of 60, by the panel in front\n");
  for (const Panel panel : kPanels) {
    app.carry_out(ask::ShowPanel{panel});
    for (int n = 0; n < 8; ++n) window.frame();
    double sum = 0, dearest = 0;
    for (int n = 0; n < 60; ++n) {
      const double one = frame(window);
      sum += one;
      dearest = std::max(dearest, one);
    }
    fmt::print("{:8.2f} {:8.2f}  {}\n", sum / 60, dearest, panel_info(panel).title);
  }
}

/// Of frames that `before_frame` comes before.
void print_frames(Offscreen& window, const std::string& name, int frames, const std::function<void()>& before_frame) {
  double sum = 0, dearest = 0;
  for (int n = 0; n < frames; ++n) {
    before_frame();
    const double one = frame(window);
    sum += one;
    dearest = std::max(dearest, one);
  }
  fmt::print("{:8.2f} {:8.2f}  {}\n", sum / frames, dearest, name);
}

/// What has most to scroll, with the wheel.
void time_scrolling(Offscreen& window) {
  const ImGuiWindow* table = nullptr;
  for (const ImGuiWindow* one : ImGui::GetCurrentContext()->Windows) {
    if (one->WasActive && (table == nullptr || one->ScrollMax.y > table->ScrollMax.y)) table = one;
  }
  if (table == nullptr || table->ScrollMax.y <= 0) return;
  const ImVec2 middle = table->InnerRect.GetCenter();
  const float before = table->Scroll.y;
  fmt::print("\n  ms CPU of a frame, mean and dearest\n");
  print_frames(window, "while the table is scrolled", 120, [&] {
    ImGui::GetIO().AddMousePosEvent(middle.x, middle.y);
    ImGui::GetIO().AddMouseWheelEvent(0, -7);
  });
  fmt::print("                   by {:.0f} of {:.0f} pixels\n", table->Scroll.y - before, table->ScrollMax.y);
  ImGui::GetIO().AddMousePosEvent(-1, -1);
}

/// A sweep of the CPU into a copy of `file`: its own table is shown first, then that of the largest sweep.
void time_streaming(const std::filesystem::path& file, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(file, folder / "running.db");
  ApplicationOptions options;
  options.database = folder / "running.db";
  options.settings_folder = folder / "config";
  options.engine = real_engine();
  Offscreen window(std::move(options), 1440, 900, 1.0F);
  Application& app = window.application();
  window.settle();
  const std::int64_t large = std::ranges::max_element(app.data().sweeps, {}, &SweepInfo::ok)->id;
  app.carry_out(ask::Run{true});
  const auto pause = [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
  for (int n = 0; n < 500 && app.data().run.live.rows.empty(); ++n) pause(), window.frame();
  constexpr int kFrames = 200;
  print_frames(window, "while a sweep streams samples", kFrames, pause);
  app.carry_out(ask::ShowSweep{large});
  for (int n = 0; n < 50; ++n) pause(), window.frame();
  print_frames(window, fmt::format("the same, beside the table of a sweep of {} rows", app.data().shown->rows.size()),
               kFrames, pause);
  fmt::print("                   {}\n", app.data().run.running ? "still running" : "ended before");
  app.carry_out(ask::Stop{});
  window.settle();
}

void time_paper(Offscreen& window) {
  PaperUi& paper = window.application().ui().paper;
  const auto show = [&](const std::string& page) {
    time_until_settled(window, "show Paper, " + page, [&] {
      window.application().carry_out(ask::ShowPanel{Panel::paper, page});
    });
  };
  for (int page = 0; page < static_cast<int>(PaperPage::count); ++page)
    show(std::string(paper_page_id(static_cast<PaperPage>(page))));
  show("operator");
  time_until_settled(window, "another window", [&] { paper.the_operator.window1 = 300; });
  show("tiles");
  time_until_settled(window, "another window", [&] { paper.tiles.window1 = 300; });
  show("recipe");
  time_until_settled(window, "another number of layers", [&] { paper.recipe.layers += 1; });
}

ApplicationOptions options_of(const std::filesystem::path& file, const std::filesystem::path& settings) {
  ApplicationOptions options;
  options.database = file;
  options.settings_folder = settings;
  options.ask_machine = false;
  return options;
}

void time_window(const std::filesystem::path& file, const std::filesystem::path& settings) {
  ApplicationOptions options = options_of(file, settings);
  fmt::print("  ms CPU\n dearest      all   beside    clock  interaction\n");
  const double clock = clock_ms();
  Offscreen window(std::move(options), 1440, 900, 1.0F);
  Application& app = window.application();
  double first_rows = 0;
  time_until_settled(
      window, "open", [] {},
      [&] {
        if (first_rows == 0 && app.data().shown) first_rows = clock_ms() - clock;
      });
  fmt::print("                           {:8.0f}  of these until the first rows were drawn\n", first_rows);
  // The newest may be empty where one has all.
  const auto full = std::ranges::max_element(app.data().sweeps, {}, &SweepInfo::ok);
  if (full->id != app.data().shown->info.id)
    time_until_settled(window, "show the sweep that has all", [&] { app.carry_out(ask::ShowSweep{full->id}); });
  UiState& ui = app.ui();
  const auto ask = [&](const std::string& name, const Request& request) {
    time_until_settled(window, name, [&] { app.carry_out(request); });
  };
  const auto row = [&](std::size_t n) { return app.data().shown->rows[n % app.data().shown->rows.size()].measurement; };
  for (const Panel panel : kPanels) ask(std::string("show ") + panel_info(panel).title, ask::ShowPanel{panel});
  time_paper(window);
  ask("show Latency", ask::ShowPanel{Panel::latency});
  ask("select a row", ask::SelectMeasurement{row(10)});
  ask("add a second row", ask::SelectMeasurement{row(11), 0, true});
  std::vector<std::int64_t> all;
  for (std::size_t n = 0; n < 100; ++n) all.push_back(row(n));
  ask("select 100 rows", ask::SelectMeasurements{all});
  for (std::size_t n = 100; n < app.data().shown->rows.size(); ++n) all.push_back(row(n));
  ask(fmt::format("select {} rows", all.size()), ask::SelectMeasurements{all});
  ask("select none", ask::ClearSelection{});
  for (const char* filter : {"5", "51", "512x32", "no such row", ""}) {
    time_until_settled(window, fmt::format("filter \"{}\"", filter), [&] { ui.table_filter = filter; });
  }
  time_until_settled(window, "sort by time", [&] { ui.sort_column = "median/forward"; });
  time_until_settled(window, "sort as measured", [&] { ui.sort_column.clear(); });
  if (app.data().sweeps.size() > 1) {
    ask("show another sweep", ask::ShowSweep{app.data().sweeps[1].id});
    ask("baseline", ask::SetBaseline{app.data().sweeps[2].id});
    ask("compare two sweeps", ask::Compare{app.data().sweeps[3].id});
    ask("leave", ask::ClearSelection{});
  }
  ask("find a command", ask::OpenPalette{});
  for (const char* text : {"5", "51", "512", "512x", "512x3", "512x32", "512x32 backward", "no such thing"})
    time_until_settled(window, fmt::format("search \"{}\"", text), [&] { ui.palette_text = text; });
  ask("light or dark", ask::ToggleTheme{});
  ask("larger", ask::ScaleUp{});
  ask("show Latency", ask::ShowPanel{Panel::latency});
  time_scrolling(window);
  time_frames(window);
  fmt::print("\n{:.0f} MiB now, {:.0f} MiB at most\n\n", memory_mib("VmRSS:"), memory_mib("VmHWM:"));
}

/// The list of sweeps where there are many.
void time_history(const std::filesystem::path& file, const std::filesystem::path& settings) {
  ApplicationOptions options = options_of(file, settings);
  fmt::print("  ms CPU\n dearest      all   beside    clock  interaction\n");
  Offscreen window(std::move(options), 1440, 900, 1.0F);
  Application& app = window.application();
  time_until_settled(window, "open", [] {});
  UiState& ui = app.ui();
  for (const char* filter : {"5", "51", "no such sweep", ""})
    time_until_settled(window, fmt::format("filter \"{}\"", filter), [&] { ui.history_filter = filter; });
  time_until_settled(window, "show the oldest", [&] { app.carry_out(ask::ShowSweep{app.data().sweeps.back().id}); });
  time_until_settled(window, "give it a star", [&] { app.carry_out(ask::Star{}); });
  time_until_settled(window, "find a command", [&] { app.carry_out(ask::OpenPalette{}); });
  for (const char* text : {"512x32", "no such thing"})
    time_until_settled(window, fmt::format("search \"{}\"", text), [&] { ui.palette_text = text; });
  fmt::print("\n  ms CPU of a frame, mean and dearest\n");
  print_frames(window, fmt::format("with a list of {} sweeps", app.data().sweeps.size()), 60, [] {});
  fmt::print("\n{:.0f} MiB now, {:.0f} MiB at most\n\n", memory_mib("VmRSS:"), memory_mib("VmHWM:"));
}

/// Frames on a display, of which every pixel is drawn anew: one second's, or 20.
void time_pixels(const std::filesystem::path& file, const std::filesystem::path& settings, int width, int height) {
  ApplicationOptions options;
  options.database = file;
  options.settings_folder = settings;
  options.ask_machine = false;
  DesktopWindow window({std::move(options), width, height});
  for (int quiet = 0; quiet < 8;) {
    window.draw();
    quiet = window.application().settled() ? quiet + 1 : 0;
  }
  const double thread = thread_ms(), process = used_ms(CLOCK_PROCESS_CPUTIME_ID), clock = clock_ms();
  constexpr int kLeast = 20;
  int frames = 0;
  for (; frames < kLeast || clock_ms() - clock < 1000; ++frames) window.draw();
  fmt::print("{:8.1f} {:8.1f} {:8.1f}  {}x{}\n", (thread_ms() - thread) / frames,
             (used_ms(CLOCK_PROCESS_CPUTIME_ID) - process) / frames, (clock_ms() - clock) / frames, width, height);
}

}  // namespace

int main(int argc, char** argv) {
  const TemporaryFolder folder;
  const std::filesystem::path file = argc > 1 ? std::filesystem::path(argv[1]) : folder / "large.db";
  const std::filesystem::path repeated = folder / "repeated.db";
  if (!std::filesystem::exists(file)) write_large_database(file);
  fmt::print("Ten sweeps of 10,000 measurements\n");
  time_window(file, folder / "config");
  time_streaming(file, folder / "streaming");
  write_repeated_database(file, repeated);
  fmt::print("One sweep of 100,000 measurements\n");
  time_window(repeated, folder / "config2");
  write_many_sweeps(folder / "sweeps.db");
  fmt::print("{} sweeps\n", kManySweeps);
  time_history(folder / "sweeps.db", folder / "config3");
  if (std::getenv("DISPLAY") == nullptr) return 0;
  fmt::print("  ms of a frame with its pixels: CPU of the drawing thread, of all threads, by the clock\n");
  for (const auto& [width, height] : {std::pair{1280, 800}, {2560, 1440}})
    time_pixels(file, folder / fmt::format("config{}", width), width, height);
  return 0;
}
