// What the window says to its user: notices and the log.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/window/threads/background.hpp"
#include "views/data/window_data.hpp"

namespace triscope {

/// Answers for `MessageData`. Lives on the drawing thread; what another thread may call says so.
class Messages {
 public:
  Messages(MessageData& data, UiQueue& queue) : data_(data), queue_(queue) {}

  /// A sentence the user must see; it takes the place of an older one with the same id. Stands in the log, too.
  void notify(Severity severity, NoticeId id, std::string text, std::vector<Notice::Action> actions = {});
  /// The same from any thread.
  void notify_later(Severity severity, NoticeId id, std::string text, std::vector<Notice::Action> actions = {});
  void log(Severity severity, std::string text);
  /// Takes a notice away; false: there was none.
  bool dismiss(NoticeId id);
  const Notice* find(NoticeId id) const;
  /// Takes away what has been seen long enough at `now`, unix seconds; false: nothing.
  bool expire(std::int64_t now);
  /// For a `BackgroundThread`: says what its jobs threw.
  std::function<void(const std::string& why)> failures();

 private:
  MessageData& data_;
  UiQueue& queue_;
};

}  // namespace triscope
