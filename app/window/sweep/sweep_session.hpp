// The sweep that is measured from this window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "app/window/database/database.hpp"
#include "app/window/engine/engine.hpp"
#include "app/window/messages/messages.hpp"
#include "app/window/sweep/planner.hpp"
#include "profiler/sweep/sweep_control.hpp"
#include "views/model/ui_state.hpp"

namespace triscope {

/// Answers for `RunState`. Has a thread while a sweep is measured. Lives on the drawing thread.
class SweepSession {
 public:
  SweepSession(RunState& run, UiState& ui, const MeasuringData& machine, const Engine& engine, Database& database,
               Planner& planner, Messages& messages, UiQueue& queue)
      : run_(run),
        ui_(ui),
        machine_(machine),
        engine_(engine),
        database_(database),
        planner_(planner),
        messages_(messages),
        queue_(queue) {
    database_.add_unstored = [this](DatabaseData& data) { complete(data); };
  }

  /// Measures what the setup form says. Throws `Error` when it cannot be measured, and shows the form.
  void start();
  /// Goes on with a sweep. One that was measured through a command waits until the window has asked for it. Throws
  /// `Error` when the sweep is gone, or what stands for the command is no words.
  void resume(const ask::Resume& asked);
  /// Leaves a group of the queue out, and what follows of the same rows. Resuming measures them.
  void skip(std::size_t group);
  /// Lets a group of the queue begin earlier or later within its restart.
  void move(const ask::MoveGroup& asked);
  /// One more restart of a row of the shown sweep, after what is measured now. Throws `Error` as `resume`, and where
  /// the row is of another sweep or another sweep is in work.
  void measure_again(const ask::MeasureAgain& asked);
  /// As many restarts more as the request asks for, of rows of the shown sweep that are in work, wait or are done: see
  /// `SweepControl::measure_longer`. Throws `Error` as `measure_again`.
  void measure_longer(const ask::MeasureLonger& asked);
  /// One more restart, of the rows that are unclear beside the reference, up to `kMostLooks` times.
  void measure_unclear();
  /// After the current sample.
  void stop();
  /// At the end: as `stop`, without a word; `join` waits.
  void request_stop() { thread_.request_stop(); }
  void join();

  std::function<void()> on_start = [] {};  ///< before anything is measured
  std::function<void()> on_end = [] {};

 private:
  SweepRequest request_of_form();
  void measure(const SweepRequest& request, std::optional<std::int64_t> resumed);
  /// As `resume`, with the wishes of `control_`.
  void go_on(const ask::Resume& asked);
  /// Hands `wish` to the sweep in work, or resumes the shown one with it.
  void ask_for_more(const std::function<void(SweepControl&)>& wish, const char* when);
  SweepObserver observer();
  void begin(const SweepStage& stage);
  void complete(DatabaseData& data);
  bool wake_is_due();
  void follow(std::int64_t sweep);
  void say_unstored(const Unstored& unstored);
  void finish(const std::string& message, Severity severity);

  RunState& run_;
  UiState& ui_;
  const MeasuringData& machine_;
  const Engine& engine_;
  Database& database_;
  Planner& planner_;
  Messages& messages_;
  UiQueue& queue_;
  /// Of the sweep in work, or of the one that waits for the command that runs its worker; null: there is none.
  std::shared_ptr<SweepControl> control_;
  std::optional<ResultRow> unstored_choice_;             ///< was selected before it was stored
  std::int64_t last_wake_ms_ = 0, last_samples_ms_ = 0;  ///< touched only by `thread_`
  std::jthread thread_;
};

}  // namespace triscope
