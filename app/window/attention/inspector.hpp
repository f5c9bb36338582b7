// A worker that looks inside tensors, on a thread of its own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "app/window/engine/engine.hpp"
#include "app/window/messages/messages.hpp"
#include "app/window/threads/background.hpp"

namespace triscope {

/// Starts its worker with the first question, and a new one when another device is asked. Lives on the drawing thread.
class Inspector {
 public:
  Inspector(const Engine& engine, Messages& messages, UiQueue& queue)
      : engine_(engine), queue_(queue), thread_(messages.failures()) {}

  /// `ask(Supervisor&, std::stop_token)` runs on the thread; `take(std::shared_ptr<const Answer>, problem)` on the
  /// drawing thread, unless `end` was called meanwhile. A question of the same slot that still waits is dropped.
  template <typename Answer, typename Ask, typename Take>
  void inspect(const std::string& device, const std::string& slot, Ask ask, Take take) {
    thread_.replace(slot, [this, device, stop = stop_.get_token(), ask, take] {
      std::shared_ptr<const Answer> answer;
      std::string problem;
      try {
        answer = std::make_shared<const Answer>(ask(worker_on(device), stop));
      } catch (const std::exception& error) {
        problem = error.what();
      }
      queue_.push([stop, answer, problem, take] {
        if (!stop.stop_requested()) take(answer, problem);
      });
    });
  }
  /// Drops what the worker is asked, and ends the worker.
  void end();
  bool idle() const { return thread_.idle(); }

 private:
  Supervisor& worker_on(const std::string& device);

  const Engine& engine_;
  UiQueue& queue_;
  std::optional<Supervisor> worker_;  ///< touched only by `thread_`, as `device_` is
  std::string device_;
  std::stop_source stop_;  ///< of the drawing thread: ends what the worker is asked
  BackgroundThread thread_;
};

}  // namespace triscope
