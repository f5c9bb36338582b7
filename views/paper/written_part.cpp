// What the paper writes: formulas and lines of code, with the errata that are about them.
#include <imgui.h>

#include "profiler/paper/written_parts.hpp"
#include "views/paper/page_parts.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {

void draw_written(const Context& context, std::string_view id) {
  const WrittenPart* part = find_written_part(id);
  if (part == nullptr) return;
  section(context, part->title.c_str());
  for (const WrittenBlock& block : part->blocks) {
    wrapped_text(context.look.theme.text, block.says);
    const NumberFont font(context.look, kSecondarySize);
    ImGui::Indent(context.look.px(12));
    for (const std::string& line : block.lines) wrapped_text(context.look.theme.text, line);
    ImGui::Unindent(context.look.px(12));
    ImGui::Dummy(ImVec2(0, context.look.px(4)));
  }
  if (!part->errata.empty()) muted_text(context, errata_of(*part), true);
}

}  // namespace triscope
