// Ctrl-C, SIGTERM and a closed terminal become a stop token: the first asks to stop, the second ends the program.
#pragma once

#include <stop_token>
#include <thread>

namespace triscope {

/// While it lives, SIGINT, SIGTERM and SIGHUP request a stop. A second signal has its default effect. One at a time.
class StopSignal {
 public:
  /// Throws `Error` when the pipe between handler and thread cannot be made.
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  std::stop_token token() const { return source_.get_token(); }
  bool requested() const { return source_.stop_requested(); }

 private:
  std::stop_source source_;
  int read_end_ = -1;
  std::thread watcher_;  ///< requests the stop: a signal handler itself may only write to the pipe
};

}  // namespace triscope
