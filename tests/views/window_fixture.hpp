// An application on an invented database with an invented measuring side: no worker, no display, no OpenGL.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "kernels/paper/listing_tiles.hpp"
#include "profiler/plan/request.hpp"
#include "profiler/record/words/problem_facts.hpp"
#include "profiler/store/store.hpp"
#include "tests/profiler/record/kernel_cards.hpp"
#include "tests/profiler/store/synthetic_database.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/views/stage.hpp"

namespace triscope::fixture {

/// Two kernels on one CPU and one GPU.
inline std::shared_ptr<const Catalog> invented_catalog() {
  auto catalog = std::make_shared<Catalog>();
  Device cpu;
  cpu.id = "cpu";
  cpu.name = "Invented CPU";
  catalog->devices = {cpu};
  KernelInfo fast;
  fast.id = "cpu.fast";
  fast.name = "CPU fast";
  fast.card = card_of(fast.id);
  KernelInfo dot = fast;
  dot.id = "baseline.cpu";
  dot.name = "CPU dot-product attention";
  dot.card = card_of(dot.id);
  KernelInfo hopper = fast;
  hopper.id = "cuda.hopper";
  hopper.card = card_of(hopper.id);
  hopper.name = "Hopper";
  hopper.device = DeviceKind::cuda;
  catalog->kernels = {fast, dot, hopper};
  return catalog;
}

/// Invents `measurements` results, one every `pause`, until it is stopped; a resumed sweep gets the missing ones.
struct InventedSweep {
  std::int64_t measurements = 6;
  std::chrono::milliseconds pause{1};
  std::atomic<std::int64_t> stop_after{
      1 << 30};       ///< waits before the measurement of this number, until it is raised or stopped
  Unstored unstored;  ///< said after the first measurement; without words: not
  std::atomic<int> started{0};
  std::atomic<std::size_t> asked_again{0};   ///< rows to measure again, of the last run
  std::atomic<std::size_t> asked_longer{0};  ///< rows and groups to measure longer, of the last run
  SweepRequest last_request;
  /// The paper's listings alone, as a build without GPU kernels answers.
  std::function<TileAnswer(const TileQuestion&)> tiles = [](const TileQuestion& question) {
    return TileAnswer{question, listing_tile_uses(question.problem, question.query), {}};
  };
  std::function<WorkTable(const std::vector<Problem>&)> work = [](const std::vector<Problem>& problems) {
    WorkTable table;
    for (const Problem& problem : problems) table.push_back({problem, {}});
    return table;
  };
  std::function<Supervisor(const std::string&)> inspector = [](const std::string&) {
    return Supervisor(WorkerOptions{});
  };

  SweepOutcome run(const SweepRequest& request, const std::filesystem::path& database, const SweepObserver& observer,
                   std::stop_token stop, std::optional<std::int64_t> resume) {
    ++started;
    last_request = request;
    asked_again = observer.control->take_again().size();
    asked_longer = 0;
    hear_longer(*observer.control);
    Store store(database);
    store.know_kernels(known_kernels());
    store.know_kernels(invented_catalog()->kernels);
    SweepOutcome outcome;
    outcome.sweep =
        resume ? *resume : store.begin_sweep("triscope sweep", to_json(request), synthetic_environment(), measurements);
    observer.started(outcome.sweep);
    std::int64_t done = resume ? static_cast<std::int64_t>(Snapshot(database).finished_keys(*resume).size()) : 0;
    for (; done < measurements; ++done) {
      std::this_thread::sleep_for(pause);
      // A long measurement: progress and samples all the time, no result.
      if (done >= stop_after) begin_row(observer, done);
      for (std::int64_t block = 0; done >= stop_after && !stop.stop_requested() && !observer.control->left_out(0);
           ++block) {
        const Measurement in_work = synthetic_measurement(done + 1, 20);
        hear_longer(*observer.control);
        observer.progress({done, measurements, kQueueSeconds, progress_words(in_work.key, block)});
        Sample sample = in_work.samples[static_cast<std::size_t>(block % 20)];
        sample.block = block;
        sample.started_ns = block * (in_work.samples[1].started_ns - in_work.samples[0].started_ns);
        observer.sampled(in_work.key, {sample});
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
      if (observer.control->left_out(0)) continue;
      if (stop.stop_requested()) {
        outcome.stopped = true;
        return outcome;
      }
      const Measurement measurement = synthetic_measurement(done + 1, 20);
      observer.measured(measurement, store.add(outcome.sweep, measurement));
      observer.progress({done + 1, measurements, 3.0, progress_words(measurement.key, 9)});
      if (done == 0 && !unstored.kept.empty()) observer.unstored(unstored);
      ++outcome.ok;
    }
    store.finish_sweep(outcome.sweep);
    return outcome;
  }

  void hear_longer(SweepControl& control) {
    const LongerWish wish = control.take_longer();
    asked_longer += wish.rows.size() + wish.groups.size();
  }

  /// "cuda.hopper forward 512x64, block 9", as a worker says it.
  static std::string progress_words(const MeasurementKey& key, std::int64_t block) {
    return fmt::format("{} {} {}, block {}", key.kernel, to_string(key.pass), windows_text(key.problem), block);
  }
  static constexpr double kQueueSeconds = 3 * (12.5 + 25 + 37.5);  ///< of what `begin_row` plans

  /// The row `done + 1` is in work, and two others follow.
  static void begin_row(const SweepObserver& observer, std::int64_t done) {
    auto queue = std::make_shared<SweepQueue>();
    for (std::int64_t n = 1; n <= 3; ++n) queue->parts.push_back({synthetic_measurement(done + n, 0).key});
    for (const std::int64_t restart : {0, 1, 2}) {
      for (std::size_t part = 0; part < 3; ++part)
        queue->groups.push_back({part, restart, 12.5 * static_cast<double>(part + 1)});
    }
    if (observer.control->waiting().empty()) {
      for (const SweepQueue::Group& group : queue->groups) observer.control->add(group.restart);
    }
    // Each row in work is of another group, as in a sweep: rows that are not stored are told apart by it.
    const std::size_t group = observer.control->take_next().value_or(0);
    observer.queued(queue);
    observer.began({group, queue->parts.front(), {0}, 1.2, 0.008});
  }

  Engine engine() {
    return {[] { return invented_catalog(); },
            [](const SweepRequest& request, const Catalog&) {
              PlanPreview preview;
              preview.measurements = static_cast<std::int64_t>(request.windows.size() * request.passes.size());
              preview.seconds = 42;
              return preview;
            },
            [this](const SweepRequest& request, const std::filesystem::path& database, const SweepObserver& observer,
                   std::stop_token stop,
                   std::optional<std::int64_t> resume) { return run(request, database, observer, stop, resume); },
            [this](const std::string& device) { return inspector(device); },
            [this](const TileQuestion& question, const TileAnswer*) { return tiles(question); },
            [this](const std::vector<Problem>& problems) { return work(problems); },
            {},
            real_engine().open_library};
  }
};

struct WindowOnDatabase {
  TemporaryFolder folder;
  InventedSweep sweep;
  std::unique_ptr<Stage> stage;

  /// `measurements` 0: an empty database.
  explicit WindowOnDatabase(std::int64_t measurements = 60, int width = 1440, int height = 900) {
    if (measurements > 0) {
      write_synthetic_database(folder / "test.db", measurements, 40);
    } else {
      Store created(folder / "test.db");
    }
    start(folder / "test.db", width, height);
  }
  void start(const std::filesystem::path& database, int width = 1440, int height = 900) {
    stage.reset();
    ApplicationOptions options;
    options.database = database;
    options.settings_folder = folder / "config";
    options.engine = sweep.engine();
    stage = std::make_unique<Stage>(std::move(options), width, height);
  }
  Application& application() { return stage->application(); }
};

}  // namespace triscope::fixture
