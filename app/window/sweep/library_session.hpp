// A library of somebody else's kernels that the user has opened: its kernels stand among the others, and it is measured
// again when its file changes.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "app/window/engine/engine.hpp"
#include "app/window/messages/messages.hpp"
#include "app/window/sweep/planner.hpp"
#include "app/window/sweep/sweep_session.hpp"
#include "app/window/threads/background.hpp"
#include "views/model/ui_state.hpp"

namespace triscope {

/// Answers for `MeasuringData::library`. Its file is named by the user alone: neither a database nor the settings know
/// it. Has a thread that asks workers. Lives on the drawing thread.
class LibrarySession {
 public:
  LibrarySession(MeasuringData& data, UiState& ui, const Engine& engine, Planner& planner, SweepSession& sweep,
                 Messages& messages, UiQueue& queue)
      : data_(data),
        ui_(ui),
        engine_(engine),
        planner_(planner),
        sweep_(sweep),
        messages_(messages),
        queue_(queue),
        thread_(messages.failures()) {}

  /// Loads it in a worker. `refused` is told why it cannot be used.
  void open(const std::filesystem::path& file, std::function<void(const std::string& why)> refused);
  /// Looks whether the open library has changed, now and then; while a sweep is measured it waits.
  void watch();
  /// At the end: drops what waits.
  void drop_waiting() { thread_.drop_waiting(); }
  bool idle() const { return thread_.idle(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Stamp {
    std::filesystem::file_time_type written;
    std::uintmax_t bytes = 0;
    bool operator==(const Stamp&) const = default;
  };
  static std::optional<Stamp> stamp_of(const std::filesystem::path& file);
  void load(const std::filesystem::path& file, const std::string& known_hash,
            std::function<void(const std::string& why)> refused);
  void take(const OpenedLibrary& opened, bool changed);
  void measure_again();

  MeasuringData& data_;
  UiState& ui_;
  const Engine& engine_;
  Planner& planner_;
  SweepSession& sweep_;
  Messages& messages_;
  UiQueue& queue_;
  std::optional<Stamp> loaded_, seen_;  ///< of the file when it was loaded, and at the last look
  Clock::time_point looked_{};
  BackgroundThread thread_;
};

}  // namespace triscope
