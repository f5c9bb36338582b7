#include <gtest/gtest.h>

#include "app/window/undo/undo_step.hpp"

namespace triscope {
namespace {

class Undoing : public testing::Test {
 protected:
  void offer(const std::string& name) {
    undo.offer(
        name, [this, name] { told += name + " back,"; }, [this, name] { told += name + " kept,"; });
  }
  MessageData data;
  UiQueue queue{[] {}};
  Messages messages{data, queue};
  bool can_undo = false;
  UndoStep undo{can_undo, messages};
  std::string told;
};

TEST_F(Undoing, a_step_is_taken_back_once_and_its_notice_goes) {
  offer("a");
  EXPECT_TRUE(can_undo);
  ASSERT_TRUE(messages.find(NoticeId::undo));
  EXPECT_TRUE(std::holds_alternative<ask::Undo>(messages.find(NoticeId::undo)->actions.front().request));
  undo.take_back();
  undo.take_back();
  undo.keep();
  EXPECT_EQ(told, "a back,");
  EXPECT_FALSE(can_undo);
  EXPECT_FALSE(messages.find(NoticeId::undo));
}

TEST_F(Undoing, a_step_becomes_final_when_another_is_offered) {
  offer("a");
  offer("b");
  EXPECT_EQ(told, "a kept,");
  EXPECT_TRUE(can_undo);
  undo.keep();
  EXPECT_EQ(told, "a kept,b kept,");
}

TEST_F(Undoing, what_was_taken_back_may_offer_a_step_itself) {
  undo.offer(
      "a", [this] { offer("b"); }, [] {});
  undo.take_back();
  EXPECT_TRUE(can_undo);
  undo.take_back();
  EXPECT_EQ(told, "b back,");
}

}  // namespace
}  // namespace triscope
