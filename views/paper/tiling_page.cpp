// Which part of the tiles of a kernel is useful: fields, the kernels with their shares, and the tiles of one query.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <string>

#include "views/data/format.hpp"
#include "views/paper/page_parts.hpp"
#include "views/paper/tile_figure.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

constexpr float kTilingLeft = 380;  // design pixels of the fields and kernels

void draw_tiling_fields(Context& context) {
  TilesUi& ui = context.ui.paper.tiles;
  field_label(context, "windows", "Keys of axis 1 and of axis 2 that a query sees, itself counted");
  pair_field(context, "##window1", ui.window1, "×", "##window2", ui.window2, {.most = kWidestWindow});
  field_problems(context);
  field_label(context, "tokens", "Length of the sequence");
  number_field(context, "##tokens", ui.seq_len, context.look.px(72), {.most = kLongestSequence});
  field_problems(context);
  field_label(context, "heads", "Query heads, and kv heads that they share");
  pair_field(context, "##q heads", ui.q_heads, "on", "##kv heads", ui.kv_heads);
  field_problems(context);
  field_label(context, "a tile holds",
              "What stands in the rows of one tile of our kernels follows from the heads that share a kv head. Those "
              "of the paper's listings hold positions of one head in each case");
  if (chip(context, "Heads", ui.kv_heads == 1 && ui.q_heads == 64)) ui.q_heads = 64, ui.kv_heads = 1;
  tooltip(context,
          "64 query heads on one kv head, as in the paper's text: the rows of a tile of our kernels are heads of one "
          "position or two. \"paper forward, text\" is the text's own tile. The printed listings know no groups.");
  ImGui::SameLine();
  if (chip(context, "Positions", ui.kv_heads == ui.q_heads)) ui.kv_heads = ui.q_heads;
  tooltip(context, "As many kv heads as query heads: the rows of a tile are positions of one head.");
  field_label(context, "head size", "Elements of a query; our kernels for Hopper have 64 and 128");
  number_field(context, "##head dim", ui.head_dim, context.look.px(72));
  field_problems(context);
  field_label(context, "query", "Whose tiles are drawn");
  // A shorter sequence has its last query instead.
  ui.query = std::min(ui.query, ui.seq_len - 1);
  number_field(context, "##query", ui.query, context.look.px(72), {.least = 0, .most = ui.seq_len - 1.0});
  ImGui::SameLine(0, context.look.px(8));
  ImGui::SetNextItemWidth(-1);
  ImGui::SliderInt("##query slider", &ui.query, 0, ui.seq_len - 1, "", ImGuiSliderFlags_NoInput);
  field_problems(context);
  problem_line(context, tiles_problem(ui));
}

/// A kernel by the name that it has everywhere in the window.
std::string kernel_name(const Context& context, const std::string& id) {
  const Catalog* catalog = context.data.machine.catalog.get();
  if (catalog == nullptr) return id;
  const auto found = std::ranges::find(catalog->kernels, id, &KernelInfo::id);
  return found == catalog->kernels.end() || found->card.label.empty() ? id : found->card.label;
}

/// "warp pairs", or the kernel where it has no instances.
std::string shown_name(const Context& context, const TileUse& use) {
  return use.instance.empty() ? kernel_name(context, use.kernel) : use_name(use);
}

void draw_use_row(Context& context, const TileUse& use, bool shown, bool planned) {
  const Theme& theme = context.look.theme;
  const std::string key = use_key(use);
  ImGui::PushID(key.c_str());
  ImGui::TableNextRow(0, context.look.px(24));
  ImGui::TableNextColumn();
  if (shown) ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg1, theme.accent_soft);
  if (row_button(shown)) context.ui.paper.tiles.use = key;
  tooltip(context, use.note.empty() ? use.tile : fmt::format("{}. {}", use.tile, sentence(use.note)));
  ImGui::SameLine(0, 0);
  const bool drawn = !use.query_tiles.blocks.empty();
  std::string name = shown_name(context, use);
  if (use.chosen) name += " ◆";
  clipped_text(context, drawn ? theme.text : theme.muted, name, ImGui::GetContentRegionAvail().x);
  ImGui::TableNextColumn();
  coloured_text(theme.muted, use.pass == Pass::forward ? "fwd" : "bwd");
  ImGui::TableNextColumn();
  number_right(context, fmt::format("{:.1f} %", 100 * use.fraction()));
  if (planned) ImGui::TableNextColumn();
  if (use.planned_us > 0) number_right(context, format_fixed(use.planned_us / 1000, 2), theme.muted);
  ImGui::PopID();
}

void draw_uses(Context& context, const TileAnswer& answer, const TileUse* shown) {
  const ImGuiTableFlags flags =
      ImGuiTableFlags_ScrollY | ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingFixedFit;
  const float height = std::max(context.look.px(160), ImGui::GetContentRegionAvail().y - context.look.px(40));
  const bool planned = std::ranges::any_of(answer.uses, [](const TileUse& use) { return use.planned_us > 0; });
  if (!ImGui::BeginTable("uses", planned ? 4 : 3, flags, ImVec2(0, height))) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("kernel", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("pass", ImGuiTableColumnFlags_WidthFixed, context.look.px(36));
  ImGui::TableSetupColumn("useful", ImGuiTableColumnFlags_WidthFixed, context.look.px(60));
  if (planned) ImGui::TableSetupColumn("ms, est.", ImGuiTableColumnFlags_WidthFixed, context.look.px(56));
  header_row(context, {false, false, true, true});
  for (const TileUse& use : answer.uses) draw_use_row(context, use, &use == shown, planned);
  ImGui::EndTable();
  muted_text(context,
             planned ? "◆ is what runs. Times are the planner's estimates for an H200."
                     : "Only the paper's listings: no GPU kernels answered.",
             true);
}

/// On the line, or on the next where it has no room there.
void swatch(const Context& context, ImU32 colour, const std::string& text, bool first = false) {
  const Look& look = context.look;
  if (!first) {
    const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
    ImGui::SameLine(0, look.px(16));
    if (ImGui::GetCursorScreenPos().x + look.px(16) + ImGui::CalcTextSize(text.c_str()).x > right) ImGui::NewLine();
  }
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float side = look.px(10), line = ImGui::GetTextLineHeight();
  ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(at.x, at.y + (line - side) / 2),
                                            ImVec2(at.x + side, at.y + (line + side) / 2), colour);
  ImGui::Dummy(ImVec2(side, line));
  ImGui::SameLine(0, look.px(6));
  muted_text(context, text);
}

void draw_legend(const Context& context, const TileUse& use, const Problem& problem, std::int64_t query) {
  const Theme& theme = context.look.theme;
  const double useful = useful_pairs(use.query_tiles, problem, query), all = computed_pairs(use.query_tiles);
  swatch(context, faded(theme.series[0], 0.75F), fmt::format("useful: {}", format_count(std::llround(useful))), true);
  swatch(context, faded(theme.unclear, 0.4F),
         fmt::format("computed and masked: {}", format_count(std::llround(all - useful))));
  swatch(context, theme.text, "window of the query");
  if (use.query_tiles.first_query == use.query_tiles.last_query) return;
  swatch(context, theme.muted, "of the first and last in the tile");
}

/// By measured rows with their interval, and beside whole tiles by the planner.
void draw_cost(Context& context, const TileAnswer& answer) {
  const Problem& problem = answer.question.problem;
  const WindowsCost* measured = context.models.windows_cost(context.data, context.ui.paper.tiles);
  const std::string planned = cost_in_words(answer.beside);
  if (measured && measured->text.empty() && measured->to_count.empty() && planned.empty()) return;
  section(context, fmt::format("What does {} cost?", format_windows(problem.window1, problem.window2)).c_str());
  if (!measured) reading_line(context);
  if (measured && !measured->to_count.empty()) counting_line(context);
  if (measured && !measured->text.empty()) wrapped_text(context.look.theme.text, measured->text);
  if (!planned.empty()) wrapped_text(context.look.theme.muted, planned);
}

void draw_shown(Context& context, const TileAnswer& answer, const TileUse& use) {
  const Problem& problem = answer.question.problem;
  const std::int64_t query = answer.question.query.value_or(0);
  const std::string kernel = kernel_name(context, use.kernel);
  panel_heading(context, use.instance.empty() ? kernel : fmt::format("{} {}", kernel, use_name(use)), use.tile, 0);
  const float words = context.look.px(190), width = ImGui::GetContentRegionAvail().x;
  if (use.query_tiles.blocks.empty()) {
    muted_text(context, "This one has no tiles: each row is computed alone, and nothing is masked.", true);
  } else {
    draw_legend(context, use, problem, query);
    const float height = std::max(context.look.px(220), ImGui::GetContentRegionAvail().y - words);
    draw_tile_figure(context, use, problem, query, ImVec2(width, height));
    ImGui::PushTextWrapPos(0);
    coloured_text(context.look.theme.text, tiles_in_words(use, problem, query));
    ImGui::PopTextWrapPos();
  }
  draw_cost(context, answer);
}

void draw_answer(Context& context, const TileUse* shown) {
  const TileData& tiles = context.data.tiles;
  if (!tiles.problem.empty()) {
    muted_text(context, sentence(tiles.problem), true);
  } else if (!tiles.answer) {
    muted_text(context, context.data.run.running ? "Tiles are counted once the sweep has ended." : "Counting …");
  }
  if (tiles.answer && shown != nullptr) draw_shown(context, *tiles.answer, *shown);
}

}  // namespace

void draw_tiling_page(Context& context) {
  const TileAnswer* answer = context.data.tiles.answer.get();
  const TileUse* shown = answer ? shown_use(context.ui.paper.tiles, answer->uses) : nullptr;
  const float width = ImGui::GetContentRegionAvail().x, left = context.look.px(kTilingLeft);
  const bool beside = width > 2 * left;
  if (!ImGui::BeginChild("tiling", ImVec2(0, 0), ImGuiChildFlags_None)) return ImGui::EndChild();
  if (ImGui::BeginChild("tile fields", ImVec2(beside ? left : width, beside ? 0 : context.look.px(440)),
                        ImGuiChildFlags_None)) {
    draw_tiling_fields(context);
    ImGui::Dummy(ImVec2(0, context.look.px(8)));
    if (answer) draw_uses(context, *answer, shown);
  }
  ImGui::EndChild();
  if (beside) ImGui::SameLine(0, context.look.px(24));
  if (ImGui::BeginChild("tile figure", ImVec2(0, beside ? 0 : context.look.px(560)), ImGuiChildFlags_None))
    draw_answer(context, shown);
  ImGui::EndChild();
  ImGui::EndChild();
}

}  // namespace triscope
