// The fields of the next sweep, drawn with no display.
#include <gmock/gmock.h>
#include <imgui_internal.h>

#include <memory>
#include <string_view>

#include "tests/views/pictures/canvas.hpp"

namespace triscope {
namespace {

using fixture::Canvas;

TEST(SetupPanel, what_has_no_room_can_be_scrolled_to) {
  Canvas canvas;
  const auto hidden = [&](float width, float height) {  // beyond the edges, to the right and below
    ImGui::GetIO().DisplaySize = ImVec2(width, height);
    canvas.draw(Panel::setup, {});
    for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
      if (std::string_view(window->Name).find("/fields_") != std::string_view::npos) return window->ScrollMax;
    }
    return ImVec2(-1, -1);
  };
  EXPECT_EQ(hidden(320, 900).x, 0);
  const ImVec2 small = hidden(150, 150);
  EXPECT_GT(small.x, 50);
  EXPECT_GT(small.y, 200);
}

TEST(SetupPanel, what_is_wrong_with_a_field_moves_none) {
  Canvas canvas;
  ImGui::GetIO().DisplaySize = ImVec2(320, 900);
  const auto height_of_fields = [&] {
    for (int frame = 0; frame < 3; ++frame) canvas.draw(Panel::setup, {});
    for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
      if (std::string_view(window->Name).find("/fields_") != std::string_view::npos) return window->ContentSize.y;
    }
    return 0.0F;
  };
  const float right = height_of_fields();
  ASSERT_GT(right, 100);
  canvas.ui.form.seq_lens = "many";
  EXPECT_EQ(height_of_fields(), right);
  EXPECT_THAT(canvas.text, testing::HasSubstr("Tokens: "));
  canvas.ui.form.restarts = "0";
  canvas.ui.form.q_heads = canvas.ui.form.head_dims = "few";
  EXPECT_EQ(height_of_fields(), right);
  EXPECT_THAT(canvas.text, testing::ContainsRegex("field more needs attention|fields more need attention"));
}

TEST(SetupPanel, why_there_is_no_plan_stands_whole_below_the_fields) {
  Canvas canvas;
  WindowData data;
  data.machine.problem =
      "The worker could not be started: /usr/lib/triscope/triscope-worker is not there. Install it beside triscope, or "
      "build everything with ./run build; until then nothing can be measured here.";
  WindowData planned;
  planned.preview = std::make_shared<const PlanPreview>(PlanPreview{.problem = data.machine.problem});
  for (const WindowData* one : {&data, &planned}) {
    for (int width = 280; width <= 420; width += 4) {
      for (int height = 160; height <= 520; height += 40) {
        ImGui::GetIO().DisplaySize = ImVec2(static_cast<float>(width), static_cast<float>(height));
        for (int frame = 0; frame < 3; ++frame) canvas.draw(Panel::setup, *one);
        for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
          if (!window->WasActive) continue;
          EXPECT_EQ(window->ScrollMax.x, 0) << window->Name << ", " << width << " x " << height;
          const bool fields = std::string_view(window->Name).find("/fields_") != std::string_view::npos;
          EXPECT_TRUE(fields || window->ScrollMax.y == 0) << window->Name << ", " << width << " x " << height;
        }
      }
    }
  }
}

}  // namespace
}  // namespace triscope
