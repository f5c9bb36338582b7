// The worker's end of the pipes. Takes the protocol's file descriptors away from everybody else in the process.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string_view>
#include <thread>

#include "profiler/protocol/messages.hpp"

namespace triscope {

/// Owns stdin and the original stdout; whatever else the process prints to stdout goes to stderr. A thread reads, so
/// that a cancel is seen between samples and the end of stdin at once: the process then ends, since nobody is left to
/// report to. A channel with descriptors of its own is one part of a program among others: it leaves stdin, stdout and
/// signals alone, and at the end it cancels and quits.
class Channel {
 public:
  struct Ends {
    int input, output;  ///< they stay the caller's, and open
  };
  /// Thrown by `send` when the other side is gone, where the process must not end. Nobody is left to tell, so it is no
  /// std::exception that a job might answer.
  struct Gone {};

  /// Call once, before anything is printed. Throws `Error` when the descriptors cannot be moved.
  Channel();
  explicit Channel(Ends ends);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// Waits for the next message; `CancelRequest` is never returned, it sets `cancelled`.
  Message receive();
  /// Sends whole messages only. Ends the process when the other side is gone. One thread only.
  void send(const Message& message);
  /// True from a cancel until the next job message arrives.
  bool cancelled() const { return cancelled_; }

 private:
  void read_all();
  void end(const char* why, int code);
  bool has_input() const;
  void write_all(std::string_view rest);

  int input_ = 0;
  int output_ = -1;
  bool owns_process_ = true;
  std::atomic<bool> over_{false};
  std::atomic<bool> cancelled_{false};
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Message> messages_;
  std::thread reader_;
};

}  // namespace triscope
