// What a user does in the attention panel, with a real worker.
#pragma once

#include "tests/views/journeys/journey.hpp"

namespace triscope::fixture {

class AttentionJourney : public Journey {
 protected:
  static AttentionUi& attention() { return ui().attention; }
  static const AttentionSideData& side(std::size_t n = 0) { return data().attention.sides[n]; }
  static void open(ImGuiTestContext* c) {
    c->KeyPress(ImGuiKey_A);
    c->Yield(2);
    wait(c);
    IM_CHECK(ui().workspace == Workspace::attention);
    IM_CHECK(side().slice != nullptr);
  }
};

}  // namespace triscope::fixture
