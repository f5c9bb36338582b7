#include "views/paper/paper_pages.hpp"

#include <fmt/format.h>

#include <array>
#include <string>

#include "views/charts/charts_panels.hpp"
#include "views/paper/page_parts.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

/// Every page but Table 1, in the order of `PaperPage`.
struct Page {
  const char* name;
  const char* help;
  void (*draw)(Context& context);
};
constexpr std::array kPages{
    Page{"Table 1", "The paper's latencies beside this device's", nullptr},
    Page{"Lengths", "FLOPs and latencies by length, beside dot-product attention", draw_length_panel},
    Page{"Operator", "An edge and a triangle, what a query sees, and what both cost", draw_operator_page},
    Page{"Tiles", "Which part of the tiles that a kernel computes is useful", draw_tiling_page},
    Page{"Steps", "The algorithms on a small problem, step by step, with their numbers", draw_steps_page},
    Page{"Rotation", "What rotations do to the determinant and to the trilinear form", draw_rotation_page},
    Page{"Match3", "Theorem 1: what its head tells, how far, and a dot-product head beside it", draw_match3_page},
    Page{"Results", "The printed numbers, recomputed", draw_results_page},
    Page{"Scaling laws", "Losses over parameters, with fits and bands", draw_laws_page},
    Page{"Recipe", "How the models were made, and what their attention layers cost here", draw_recipe_page},
    Page{"Errata", "What a careful reading of the paper finds, with reasons", draw_errata_page}};
static_assert(kPages.size() == static_cast<std::size_t>(PaperPage::count));

}  // namespace

namespace {

/// What the paper calls the page.
void draw_numbers(const Context& context) {
  const std::string numbers = page_numbers(context.ui.paper.page);
  if (!numbers.empty()) muted_text(context, numbers);
}

}  // namespace

void choose_paper_page(Context& context) {
  if (context.ui.printing) return draw_numbers(context);
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  for (std::size_t i = 0; i < kPages.size(); ++i) {
    const Page& page = kPages.at(i);
    if (i > 0) {
      ImGui::SameLine();
      if (ImGui::GetCursorScreenPos().x + button_width(page.name) > right) ImGui::NewLine();
    }
    if (chip(context, page.name, context.ui.paper.page == static_cast<PaperPage>(i)))
      context.ui.paper.page = static_cast<PaperPage>(i);
    const std::string numbers = page_numbers(static_cast<PaperPage>(i));
    tooltip(context, numbers.empty() ? page.help : fmt::format("{}: {}", numbers, page.help));
  }
  draw_numbers(context);
  ImGui::Dummy(ImVec2(0, context.look.px(4)));
}

void draw_paper_page(Context& context, PaperPage page) {
  if (const auto draw = kPages.at(static_cast<std::size_t>(page)).draw) draw(context);
}

}  // namespace triscope
