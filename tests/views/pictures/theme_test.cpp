// Text of both themes: that it stands out from its ground, and that no part of a letter is cut off.
#include <gmock/gmock.h>
#include <imgui_internal.h>

#include <algorithm>
#include <string>

#include "tests/views/pictures/canvas.hpp"
#include "tests/views/pictures/contrast.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

using fixture::contrast_of;

// Verdicts stand in selected rows, problems in fields; the words of a chosen chip are in the accent.
TEST(Theme, text_is_readable_on_what_it_stands_on) {
  for (const Theme* theme : {&dark_theme(), &light_theme()}) {
    const ImU32 grounds[] = {theme->ground, theme->panel, theme->raised, theme->accent_soft};
    const ImU32 texts[] = {theme->text, theme->muted, theme->accent, theme->faster, theme->slower, theme->unclear};
    for (std::size_t ground = 0; ground < std::size(grounds); ++ground) {
      for (std::size_t text = 0; text < std::size(texts); ++text) {
        EXPECT_GE(contrast_of(texts[text], grounds[ground]), 4.5)
            << (theme->dark ? "dark" : "light") << ", text " << text << " on ground " << ground;
      }
    }
    EXPECT_GE(contrast_of(theme->text, theme->line), 4.5) << "a button under the mouse";
    EXPECT_GE(contrast_of(theme->on_accent, theme->accent), 4.5);
    for (ImU32 series : theme->series) EXPECT_GE(contrast_of(series, theme->panel), 1.9);  // shapes, not text
  }
  for (int i = 0; i <= 20; ++i)
    EXPECT_GE(contrast_of(viridis(static_cast<float>(i) / 20), readable_on(viridis(static_cast<float>(i) / 20))), 4.4);
}

/// The lowest point of what `draw` draws.
template <typename Draw>
float lowest_of(fixture::Canvas& canvas, Draw draw) {
  float lowest = 0;
  for (int frame = 0; frame < 2; ++frame) {
    ImGui::NewFrame();
    ImGui::SetNextWindowPos(ImVec2(0, 0));
    ImGui::SetNextWindowSize(ImVec2(800, 300));
    ImGui::Begin("test", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground);
    const WindowData data;
    const Context context{canvas.look, data, canvas.ui, canvas.models, canvas.requests, 0};
    ImGui::PushFont(canvas.look.heading, kHeadingSize);
    const ImDrawList* list = ImGui::GetWindowDrawList();
    const int before = list->VtxBuffer.Size;
    draw(context);
    lowest = 0;
    for (int n = before; n < list->VtxBuffer.Size; ++n) lowest = std::max(lowest, list->VtxBuffer[n].pos.y);
    ImGui::PopFont();
    ImGui::End();
    ImGui::Render();
    accept_textures(*ImGui::GetDrawData());
  }
  return lowest;
}

TEST(Theme, letters_that_reach_below_the_line_are_whole) {
  fixture::Canvas canvas;
  const std::string words = "gpqy,";
  const float whole = lowest_of(canvas, [&](const Context&) { ImGui::TextUnformatted(words.c_str()); });
  for (const float width : {400.0F, 40.0F}) {
    const float clipped =
        lowest_of(canvas, [&](const Context& context) { clipped_text(context, canvas.look.theme.text, words, width); });
    EXPECT_FLOAT_EQ(clipped, whole) << "in " << width << " pixels";
  }
  EXPECT_GT(whole, 0);
}

TEST(Theme, words_that_have_no_room_are_left_out_whole) {
  fixture::Canvas canvas;
  const std::string sentence = "Backward: time A / B 1.008, in cycles 0.9987; the other pass is unchanged.";
  const WindowData data;
  bool whole = false, short_of = false;
  ImGui::NewFrame();
  ImGui::Begin("test");
  for (float width = 100; width < 800; width += 7) {
    Context context{canvas.look, data, canvas.ui, canvas.models, canvas.requests, 0};
    ImGui::LogToBuffer();
    text_in_whole_words(context, canvas.look.theme.text, sentence, width);
    std::string seen = ImGui::GetCurrentContext()->LogBuffer.c_str();
    ImGui::LogFinish();
    seen.erase(0, seen.find_first_not_of(" \n\r|"));
    while (!seen.empty() && (seen.back() == '\n' || seen.back() == '\r')) seen.pop_back();
    whole |= seen == sentence;
    if (seen == sentence) continue;
    short_of = true;
    ASSERT_THAT(seen, testing::EndsWith(" …"));
    const std::string words = seen.substr(0, seen.size() - std::string(" …").size());
    EXPECT_TRUE(sentence.starts_with(words + " ") || sentence.starts_with(words + "; ")) << seen;
  }
  ImGui::End();
  ImGui::EndFrame();
  EXPECT_TRUE(whole && short_of);
}

}  // namespace
}  // namespace triscope
