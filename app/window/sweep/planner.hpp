// What the machine can do, and what the setup form would measure on it.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <string>

#include "app/window/engine/engine.hpp"
#include "app/window/messages/messages.hpp"
#include "app/window/threads/background.hpp"
#include "views/model/setup_model.hpp"

namespace triscope {

/// Answers for `Machine`, the preview and an untouched setup form. Has a thread that asks workers. Lives on the drawing
/// thread.
class Planner {
 public:
  Planner(MeasuringData& data, SetupForm& form, const Engine& engine, Messages& messages, UiQueue& queue)
      : data_(data), form_(form), engine_(engine), messages_(messages), queue_(queue), thread_(messages.failures()) {}

  /// Lists devices and kernels.
  void ask_machine();
  /// Instead of asking: why nothing is known.
  void do_without(std::string why);
  /// Plans the form as it stands, in place of what was asked before. While a sweep is measured, nothing: it would start
  /// a worker beside what is timed.
  void ask_preview();
  /// A preview of the form as it stands is being made, or will be once the machine is known.
  bool plans() const { return data_.machine.loading || planning_; }
  /// Drops the plan that waits; the future is ready once the one that is being made is done.
  std::shared_future<void> pause();
  /// At the end: drops what waits.
  void drop_waiting() { thread_.drop_waiting(); }
  bool idle() const { return thread_.idle(); }

  /// Told once the machine is known.
  std::function<void()> on_machine = [] {};
  /// Told once the preview is there, or when none will be.
  std::function<void()> on_planned = [] {};

 private:
  void take(const Machine& machine);
  void suit_form();
  /// Begins the preview; false: there will be none.
  bool begin_preview();

  MeasuringData& data_;
  SetupForm& form_;
  const Engine& engine_;
  Messages& messages_;
  UiQueue& queue_;
  bool planning_ = false;
  std::int64_t asked_ = 0;  ///< number of the preview that was asked for last: an older one is not of this form
  BackgroundThread thread_;
};

}  // namespace triscope
