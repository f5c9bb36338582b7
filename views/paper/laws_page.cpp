// Losses over parameters with the fitted laws and their bands: the paper's, whose sizes may be changed, or one's own.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>

#include "profiler/paper/laws/general_law.hpp"
#include "profiler/paper/laws/reproduction.hpp"
#include "views/paper/law_plot.hpp"
#include "views/paper/page_parts.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

void draw_benchmark(const Context& context, const char* benchmark, const ModelSizes& sizes, ImVec2 size) {
  const LossSeries a = paper_losses(benchmark, kModels[0], sizes), b = paper_losses(benchmark, kModels[1], sizes);
  ImGui::BeginGroup();
  const FittedSeries fit_a{a, fit_scaling_law(sizes, a.losses)}, fit_b{b, fit_scaling_law(sizes, b.losses)};
  const std::vector<ImU32> colours = law_colours(context.look.theme, std::array{a.model, b.model});
  const std::array laws{DrawnLaw{a, fit_a.law, colours[0]}, DrawnLaw{b, fit_b.law, colours[1]}};
  draw_law_plot(context, benchmark, laws, 2 * sizes[2], {}, size);
  const ComparedLaws compared = compare_laws(fit_a, fit_b);
  const AlphaDifference& difference = compared.difference;
  muted_text(context, fmt::format("alpha {:+.4f} {}: {}", difference.value,
                                  difference.half ? fmt::format("± {:.4f}", *difference.half) : "± unknown",
                                  compared.decided() ? "decided" : "not decided"));
  ImGui::EndGroup();
}

void draw_paper_laws(Context& context) {
  const ModelSizes sizes = edited_sizes(context);
  muted_text(context,
             "-log L = alpha log N + beta through three losses, with 95 % bands. Below each: "
             "how much larger alpha is for the 2-simplicial model.",
             true);
  if (!sizes_grow(sizes)) return muted_text(context, "The sizes must grow from left to right.");
  std::vector<Recomputed> fits = context.models.recomputed(sizes);
  std::erase_if(fits, [](const Recomputed& one) { return !is_fit(one); });
  const auto count = std::ranges::count_if(fits, &Recomputed::reproduced);
  coloured_text(context.look.theme.text,
                fmt::format("{} of {} printed values of the fits are reproduced: \"Results\" has each of them.", count,
                            fits.size()));
  muted_text(context, harder_benchmarks_text(sizes), true);
  muted_text(context, chinchilla_text(), true);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float gap = context.look.px(12);
  const bool two = room.x > context.look.px(560);
  const float rows = two ? 2 : 4, under = 2 * ImGui::GetTextLineHeightWithSpacing();
  const float high = std::clamp(room.y / rows - under, context.look.px(240), context.look.px(520));
  const ImVec2 size(two ? (room.x - gap) / 2 : room.x, high);
  for (std::size_t i = 0; i < kBenchmarks.size(); ++i) {
    if (two && i % 2 == 1) ImGui::SameLine(0, gap);
    draw_benchmark(context, kBenchmarks.at(i), sizes, size);
  }
}

}  // namespace

void draw_laws_page(Context& context) {
  LossesUi& ui = context.ui.paper.losses;
  if (!ImGui::BeginChild("laws", ImVec2(0, 0), ImGuiChildFlags_None)) return ImGui::EndChild();
  if (chip(context, "The paper's losses", !ui.own)) ui.own = false;
  tooltip(context, "Table 2 of the paper, whose sizes may be changed");
  ImGui::SameLine();
  if (chip(context, "Your losses", ui.own)) ui.own = true;
  tooltip(context, "Losses of your own models, from a CSV file or typed");
  if (ui.own) {
    copy_button(context, Panel::paper);
    draw_own_losses(context);
  } else {
    draw_paper_laws(context);
  }
  ImGui::EndChild();
}

}  // namespace triscope
