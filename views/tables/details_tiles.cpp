#include "views/tables/details_tiles.hpp"

#include <imgui.h>

#include "views/data/format.hpp"
#include "views/model/tables/computed_words.hpp"
#include "views/parts/tooltip.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {

void draw_computed(Context& context) {
  context.ui.tiles_in_view = true;
  const ComputedWords words = computed_words(context.data);
  if (words.text.empty() && words.remark.empty()) return;
  section(context, "Work of the tiles");
  ImGui::BeginGroup();
  ImGui::PushTextWrapPos(0);
  if (!words.text.empty()) coloured_text(context.look.theme.text, words.text);
  ImGui::PopTextWrapPos();
  if (!words.remark.empty()) muted_text(context, sentence(words.remark), true);
  ImGui::EndGroup();
  tooltip(context,
          "Triples (query, key, key) that the kernel's tiles compute, over those inside the windows. Tiles reach over "
          "the edges of the windows, and what lies outside is masked. The rate, TFLOP/s, counts the useful work only. "
          "What a kernel computes twice is not in it.");
}

}  // namespace triscope
