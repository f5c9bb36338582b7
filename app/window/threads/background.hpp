// Threads of the window beside the one that draws: each runs jobs in order and hands results back through a queue.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace triscope {

/// Closures for the drawing thread. `push` from any thread; `drain` on the drawing thread, once per frame.
class UiQueue {
 public:
  /// `wake` is called after a push, on the pushing thread.
  explicit UiQueue(std::function<void()> wake) : wake_(std::move(wake)) {}
  void push(std::function<void()> closure, bool wake = true);
  /// Runs what was pushed before the call; returns whether there was anything.
  bool drain();
  /// Nothing waits to be run. A thread pushes before it counts as idle: ask after that.
  bool empty() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::function<void()>> closures_;
  std::function<void()> wake_;
};

/// One thread with a queue of jobs. Destruction finishes queued jobs, then joins.
class BackgroundThread {
 public:
  /// `failed` is told, on the thread, what a job or tick threw; the thread goes on. `tick` runs whenever it has been
  /// idle for `period`.
  explicit BackgroundThread(std::function<void(const std::string& why)> failed, std::function<void()> tick = {},
                            std::chrono::milliseconds period = {});
  ~BackgroundThread();
  BackgroundThread(const BackgroundThread&) = delete;
  BackgroundThread& operator=(const BackgroundThread&) = delete;

  void add(std::function<void()> job);
  /// As `add`, but a job of the same slot that still waits is dropped: only the newest question is worth answering.
  void replace(const std::string& slot, std::function<void()> job);
  /// Drops the jobs that wait; the one that runs goes on.
  void drop_waiting();
  bool idle() const;

 private:
  struct Entry {
    std::string slot;
    std::function<void()> job;
  };
  void work();
  void carry_out(const std::function<void()>& job);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Entry> jobs_;
  bool busy_ = false, ending_ = false;
  std::function<void(const std::string&)> failed_;
  std::function<void()> tick_;
  std::chrono::milliseconds period_;
  std::thread thread_;
};

}  // namespace triscope
