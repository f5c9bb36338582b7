#include "tests/views/pictures/gallery_figures.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <thread>
#include <vector>

#include "tests/profiler/store/synthetic_database.hpp"
#include "tests/views/window_fixture.hpp"

namespace triscope {
namespace {

double cpu_ms(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

}  // namespace

/// CPU time of opening 1,000 measurements with 100,000 samples, and of building a frame of the window and of each
/// panel.
int print_figures() {
  TemporaryFolder folder;
  write_synthetic_database(folder / "many.db", 1000, 100);
  const double before = cpu_ms(CLOCK_PROCESS_CPUTIME_ID);
  const auto start = std::chrono::steady_clock::now();
  ApplicationOptions options;
  options.database = folder / "many.db";
  options.ask_machine = false;
  Offscreen offscreen(std::move(options), 1440, 900, 1);
  Application& application = offscreen.application();
  while (!application.data().shown) offscreen.frame();
  std::printf("open, first rows on the screen: %.1f ms of CPU, %.1f ms in all\n",
              cpu_ms(CLOCK_PROCESS_CPUTIME_ID) - before,
              std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  offscreen.settle();
  application.select_first();
  application.carry_out(ask::Compare{application.data().sweeps.back().id});
  offscreen.settle();
  const auto measure = [&](const char* name) {
    offscreen.settle();
    std::vector<double> times;
    for (int i = 0; i < 101; ++i) {
      const double begin = cpu_ms(CLOCK_THREAD_CPUTIME_ID);
      offscreen.frame();
      times.push_back(cpu_ms(CLOCK_THREAD_CPUTIME_ID) - begin);
    }
    std::sort(times.begin(), times.end());
    std::printf("frame of %-12s median %.2f ms of CPU, highest %.2f\n", name, times[times.size() / 2], times.back());
  };
  measure("the window");
  for (const PanelInfo& info : panels()) {
    application.show_only(info.panel);
    measure(info.id);
  }
  return 0;
}

/// The same of the Explore panel over 100,000 measurements; the reading is not on the drawing thread.
int print_explore_figures() {
  TemporaryFolder folder;
  write_synthetic_database(folder / "many.db", 100'000, 2);
  ApplicationOptions options;
  options.database = folder / "many.db";
  options.ask_machine = false;
  Offscreen offscreen(std::move(options), 1440, 900, 1);
  offscreen.settle();
  Application& application = offscreen.application();
  application.show_only(Panel::explore);
  const auto measure = [&](const char* name) {
    const double before = cpu_ms(CLOCK_PROCESS_CPUTIME_ID);
    const auto start = std::chrono::steady_clock::now();
    double highest = 0;
    offscreen.frame();
    while (!application.settled()) {
      const double begin = cpu_ms(CLOCK_THREAD_CPUTIME_ID);
      offscreen.frame();
      highest = std::max(highest, cpu_ms(CLOCK_THREAD_CPUTIME_ID) - begin);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    const double all = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    const double cpu = cpu_ms(CLOCK_PROCESS_CPUTIME_ID) - before;
    std::vector<double> times;
    for (int i = 0; i < 101; ++i) {
      const double begin = cpu_ms(CLOCK_THREAD_CPUTIME_ID);
      offscreen.frame();
      times.push_back(cpu_ms(CLOCK_THREAD_CPUTIME_ID) - begin);
    }
    std::sort(times.begin(), times.end());
    const ExploreChart& chart = *application.data().explore.chart;
    std::printf(
        "%s: there after %.0f ms (%.0f ms of CPU), meanwhile frames of at most %.2f ms of CPU; then median %.2f, "
        "highest %.2f; %zu of %zu points drawn\n",
        name, all, cpu, highest, times[times.size() / 2], times.back(), chart.drawn, chart.points);
  };
  measure("explore 100,000 measurements, first");
  ExploreQuery& query = application.ui().explore.query;
  query = {"ms", "tflops", "kernel", "", "", false};
  measure("another x and y");
  query.color = "sweep";
  measure("colours by sweep");
  query.where = application.ui().explore.filter = "seq>=8k";
  measure("a filter");
  query = {"seq", "ratio", "kernel", "pass", "", false};
  application.ui().explore.filter.clear();
  measure("beside the reference");
  return 0;
}

}  // namespace triscope
