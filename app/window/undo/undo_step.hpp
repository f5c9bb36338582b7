// The one step that can be taken back.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "app/window/messages/messages.hpp"

namespace triscope {

/// Answers for `WindowData::can_undo`. Lives on the drawing thread.
class UndoStep {
 public:
  UndoStep(bool& can_undo, Messages& messages) : can_undo_(can_undo), messages_(messages) {}

  /// Says what was done, and how it is taken back. `keep` makes it final: when something else is offered, or at the
  /// end. What was offered before becomes final now.
  void offer(std::string text, std::function<void()> back, std::function<void()> keep);
  void take_back();
  void keep();

 private:
  struct Step {
    std::function<void()> back, keep;
  };
  std::optional<Step> end();

  bool& can_undo_;
  Messages& messages_;
  std::optional<Step> step_;
};

}  // namespace triscope
