// What the window asks of the measuring side. Tests replace it by a fake, so that they need no worker.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "profiler/paper/tile_question.hpp"
#include "profiler/plan/request.hpp"
#include "profiler/record/catalog.hpp"
#include "profiler/supervise/supervisor.hpp"
#include "profiler/sweep/sweep.hpp"
#include "views/data/window_data.hpp"

namespace triscope {

/// A library of kernels as a worker has loaded it.
struct OpenedLibrary {
  KernelLibrary library;
  std::shared_ptr<const Catalog> catalog;  ///< of the machine, with its kernels
};

/// All block; each is called on a thread of its own, never on the drawing thread. All may throw `Error`.
struct Engine {
  std::function<std::shared_ptr<const Catalog>()> catalog;
  std::function<PlanPreview(const SweepRequest&, const Catalog&)> preview;
  std::function<SweepOutcome(const SweepRequest&, const std::filesystem::path& database, const SweepObserver&,
                             std::stop_token, std::optional<std::int64_t> resume)>
      run;
  /// A worker that looks inside the attention tensor on `device` ("cpu", a GPU's index), for the thread that calls
  /// this.
  std::function<Supervisor(const std::string& device)> inspector;
  /// As `ask_tiles`.
  std::function<TileAnswer(const TileQuestion&, const TileAnswer* before)> tiles;
  /// As `ask_work`.
  std::function<WorkTable(const std::vector<Problem>&)> work;
  /// Requested when the window closes: nothing waits for a worker any more.
  std::stop_source closing{};
  /// What a worker says that has loaded the library `file`; nullopt: its SHA-256 is `known_hash`, so nothing is loaded.
  std::function<std::optional<OpenedLibrary>(const std::filesystem::path& file, const std::string& known_hash)>
      open_library{};
};

/// Workers beside this program.
Engine real_engine();

}  // namespace triscope
