// How fast the attention panel scrubs: slices computed in this process, slices through a worker's pipe, the picture
// made of them, and the whole window walking from query to query. Not built by default: ninja slice_bench.
//   slice_bench [windows] [head_dim] [slices] [device]     default: 1024x1024 64 100 cpu
// The window needs a display; on a machine without one: xvfb-run -a -s "-screen 0 1600x1000x24" slice_bench
// Milliseconds: best, median and 95th percentile of the slices. The last line is the rate that the requirement names.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/window/engine/engine.hpp"
#include "app/window/main/frame_loop.hpp"
#include "kernels/base/error.hpp"
#include "kernels/inspect/cpu/slice.hpp"
#include "profiler/export/heatmap.hpp"
#include "profiler/plan/windows.hpp"
#include "profiler/sweep/sweep.hpp"

namespace {

using namespace triscope;
using Clock = std::chrono::steady_clock;

double milliseconds(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Of all threads of this process: what the window costs, whoever else is busy.
double cpu_milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

void print(const std::string& what, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  };
  fmt::print("{:<44} {:8.2f} {:8.2f} {:8.2f}\n", what, at(0), at(0.5), at(0.95));
}

struct Bench {
  AttentionSource source;
  SliceQuery query;
  std::int64_t slices = 100;

  /// The n-th query: each sees its whole window.
  SliceQuery at(std::int64_t n) const {
    SliceQuery one = query;
    one.query = source.seq_len - 1 - slices + n;
    return one;
  }

  void in_process() const {
    const auto tensors = open_source(source);
    std::vector<double> times;
    for (std::int64_t n = 0; n < slices; ++n) {
      const auto start = Clock::now();
      make_slice(*tensors, at(n));
      times.push_back(milliseconds(start));
    }
    print("slice, computed in this process", times);
  }

  void through_worker(const std::string& device) const {
    Supervisor worker = real_engine().inspector(device);
    worker.source({source});
    worker.slice({source, at(0)});  // starts the device
    std::vector<double> all, computed, painted;
    std::vector<std::uint32_t> pixels(880 * 560);
    for (std::int64_t n = 0; n < slices; ++n) {
      auto start = Clock::now();
      const Slice slice = worker.slice({source, at(n)});
      all.push_back(milliseconds(start));
      computed.push_back(static_cast<double>(slice.elapsed_ns) * 1e-6);
      start = Clock::now();
      const HeatmapPyramid pyramid(heatmap_of(slice), Pooling::largest);
      heatmap_histogram(pyramid.base(), -40, 0, 72);
      const HeatmapPart whole{0, 0, static_cast<double>(slice.count1), static_cast<double>(slice.count2)};
      paint_heatmap(pyramid, whole, {}, 880, 560, pixels.data(), 880);
      painted.push_back(milliseconds(start));
    }
    print("slice, as the worker timed it", computed);
    print("slice, through the worker's pipe", all);
    print("pyramid, histogram and 880x560 pixels", painted);
  }

  /// Walks through the queries as `play` does, every slice drawn and uploaded. Slices a second.
  double in_window(const std::string& device) const {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / fmt::format("slice_bench_{}", ::getpid());
    std::filesystem::create_directories(folder);
    WindowOptions options;
    options.application.database = folder / "empty.db";
    options.application.settings_folder = folder;
    options.application.ask_machine = false;
    options.application.engine = real_engine();
    DesktopWindow window(std::move(options));
    AttentionUi& ui = window.application().ui().attention;
    for (AttentionSide& side : ui.sides) side.source = source;
    ui.window1 = query.problem.window1;
    ui.window2 = query.problem.window2;
    ui.query = at(0).query;
    ui.device = device;
    ui.device_chosen = true;
    window.application().carry_out(ask::ShowPanel{Panel::attention});
    const AttentionSideData& side = window.application().data().attention.sides[0];
    const auto shown = [&] { return side.slice ? side.slice_of.query.query : -1; };
    for (int frame = 0; frame < 10'000 && !window.application().settled(); ++frame) window.step();
    while (shown() < at(0).query) window.step();
    std::vector<double> times;
    const auto start = Clock::now();
    auto before = start;
    std::int64_t last = shown();
    const double cpu_start = cpu_milliseconds();
    const std::int64_t frames_start = window.frames();
    ui.playing = true;
    window.draw();
    while (last < at(slices - 1).query) {
      window.step();
      if (shown() == last) continue;
      last = shown();
      times.push_back(milliseconds(before));
      before = Clock::now();
    }
    const double seconds = milliseconds(start) * 1e-3;
    ui.playing = false;
    print("from one slice on the screen to the next", times);
    const auto each = [&](double total) { return total / static_cast<double>(times.size()); };
    fmt::print("{:<44} {:17.2f}\n", "CPU time of the window for each", each(cpu_milliseconds() - cpu_start));
    fmt::print("{:<44} {:17.2f}\n", "frames for each", each(static_cast<double>(window.frames() - frames_start)));
    std::filesystem::remove_all(folder);
    return static_cast<double>(times.size()) / seconds;
  }
};

}  // namespace

int main(int argc, char** argv) {
  try {
    const Windows windows = parse_windows(argc > 1 ? argv[1] : "1024x1024").at(0);
    Bench bench;
    bench.source.kind = SourceKind::random;
    bench.source.q_heads = 1;
    bench.source.head_dim = argc > 2 ? std::atoll(argv[2]) : 64;
    bench.slices = argc > 3 ? std::atoll(argv[3]) : 100;
    const std::string device = argc > 4 ? argv[4] : "cpu";
    bench.source.seq_len = std::max(windows.window1, windows.window2) + bench.slices + 1;
    bench.query.problem.window1 = windows.window1;
    bench.query.problem.window2 = windows.window2;
    fmt::print("{}x{} pairs, head_dim {}, {} slices on {}\n{:<44} {:>8} {:>8} {:>8}\n", windows.window1,
               windows.window2, bench.source.head_dim, bench.slices, device, "milliseconds", "best", "median", "95 %");
    if (device == "cpu") bench.in_process();
    bench.through_worker(device);
    if (std::getenv("DISPLAY") == nullptr) return 0;
    fmt::print("{:.1f} slices a second on the screen\n", bench.in_window(device));
  } catch (const Error& error) {
    fmt::print(stderr, "slice_bench: {}\n", error.what());
    return 1;
  }
}
