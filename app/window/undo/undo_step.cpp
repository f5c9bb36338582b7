#include "app/window/undo/undo_step.hpp"

#include <utility>

namespace triscope {

void UndoStep::offer(std::string text, std::function<void()> back, std::function<void()> keep) {
  this->keep();
  step_ = Step{std::move(back), std::move(keep)};
  can_undo_ = true;
  messages_.notify(Severity::info, NoticeId::undo, std::move(text), {{"Undo", ask::Undo{}}});
}

std::optional<UndoStep::Step> UndoStep::end() {
  if (!step_) return std::nullopt;
  can_undo_ = false;
  messages_.dismiss(NoticeId::undo);
  return std::exchange(step_, std::nullopt);
}

void UndoStep::take_back() {
  if (const auto step = end()) step->back();
}

void UndoStep::keep() {
  if (const auto step = end()) step->keep();
}

}  // namespace triscope
