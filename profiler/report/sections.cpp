#include "profiler/report/sections.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernels/base/error.hpp"
#include "profiler/paper/errata.hpp"
#include "profiler/paper/layers/measured_crossing.hpp"
#include "profiler/paper/part_names.hpp"
#include "profiler/paper/recipe.hpp"
#include "profiler/paper/written_parts.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/record/words/count_text.hpp"
#include "profiler/report/html.hpp"
#include "profiler/report/svg_chart.hpp"

namespace triscope::report {

std::string section(const std::string& heading, const std::string& body, std::string_view page) {
  const std::string numbers = page.empty() ? "" : paper_numbers(&PartName::page, page);
  const std::string of =
      numbers.empty() || heading.starts_with(numbers) ? "" : " <small>" + html_text(numbers) + "</small>";
  return "<section id=\"" + link_name(heading) + "\">\n<h2>" + html_text(heading) + of + "</h2>\n" + body +
         "</section>\n";
}

std::string link_name(const std::string& heading) {
  std::string name;
  for (const char c : heading) {
    const bool upper = c >= 'A' && c <= 'Z', letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (upper || letter) {
      name += upper ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  return name;
}

std::string link(const std::string& heading, const std::string& after) {
  return "<a href=\"#" + link_name(heading) + "\">" + html_text(heading) + after + "</a>";
}

std::string subheading(const std::string& text) { return "<h3>" + html_text(text) + "</h3>\n"; }

std::string paragraph(const std::string& text) { return "<p>" + html_text(text) + "</p>\n"; }

std::string formula(const std::string& text) { return "<p class=\"formula\">" + html_text(text) + "</p>\n"; }

std::string written(std::string_view id) {
  const WrittenPart* part = find_written_part(id);
  if (part == nullptr) return "";
  std::string out = subheading(part->title);
  for (const WrittenBlock& block : part->blocks) {
    out += paragraph(block.says);
    if (block.lines.empty()) continue;
    out += "<pre class=\"formula\">";
    for (const std::string& line : block.lines) out += html_text(line) + "\n";
    out += "</pre>\n";
  }
  if (!part->errata.empty()) out += "<p class=\"soft\">" + html_text(errata_of(*part)) + "</p>\n";
  return out;
}

std::string figure(const std::string& svg, const std::string& caption) {
  return "<figure>" + svg + "<figcaption>" + html_text(caption) + "</figcaption></figure>\n";
}

std::string tiles(const PaperPageInput& input) {
  std::vector<SvgBar> bars;
  for (const TileUse& use : input.tiles) {
    std::string name = use.instance.empty() ? use.kernel : use.instance;
    if (!use.instance.empty() && use.pass == Pass::backward) name += " backward";
    if (!use.instance.empty() && !use.note.empty()) name += ": " + use.note;
    bars.push_back({std::move(name), use.fraction(), fmt::format("{:.1f} %", 100 * use.fraction()),
                    use.instance.empty() ? 'b' : 'a'});
  }
  const std::string of = fmt::format("{}x{}", input.tiled.window1, input.tiled.window2);
  return section("Tiles",
                 paragraph("The part of the computed tiles that lies inside the windows, for " + of + " at " +
                           count_text(input.tiled.seq_len) + " tokens. The rest is masked.") +
                     figure(svg_bars("Useful part of the tiles, " + of, bars, 1),
                            "The paper's listings, and the instances of this build that can run it") +
                     (input.rows.empty() ? "" : paragraph(windows_cost_text(input.rows, input.layer, input.work))),
                 "tiles");
}

namespace {

std::string recipe_card() {
  HtmlTable card{{"what", "the paper says", "where"}, {false, false, false}, {}, ""};
  for (const RecipeFact& fact : recipe()) card.rows.push_back({fact.name, fact.value, fact.where});
  return html_table(card);
}

}  // namespace

std::string layers(const PaperPageInput& input) {
  std::string body =
      recipe_card() +
      paragraph(fmt::format("{}", fmt::join(comparable_text(input.rows, input.layer, input.work), " "))) +
      "<p class=\"soft\">Other windows: " + link("Operator") + ".</p>\n";
  try {
    const LayerCosts costs = layer_costs(input.rows, input.layer, input.work);
    HtmlTable table{{"layer", "pass", "ms", "kernel", "basis"}, {false, false, true, false, false}, {}, ""};
    const auto add = [&](const char* layer, const char* pass, const LayerTime& time) {
      table.rows.push_back({layer, pass, time_text(time, 4), time.kernel, time.basis_text()});
    };
    add("2-simplicial", "forward", costs.simplicial.forward);
    add("2-simplicial", "backward", costs.simplicial.backward);
    add("global", "forward", costs.global.forward);
    add("global", "backward", costs.global.backward);
    table.caption = fmt::format("One layer on one sequence of {} tokens, {}x{}", count_text(input.layer.seq_len),
                                input.layer.windows.window1, input.layer.windows.window2);
    constexpr std::int64_t kLayers = 32, kEvery = 4;
    const MsRange mixed = mix_range(costs, kLayers, every_nth(kLayers, kEvery)), global = mix_range(costs, kLayers, 0);
    const MsRange ratio = mix_ratio(costs, kLayers, every_nth(kLayers, kEvery));
    body += html_table(table);
    body += paragraph(
        fmt::format("Attention in a training step of {} layers, every fourth 2-simplicial: {} ms; with "
                    "global layers only: {} ms. The mix takes {:.3f} to {:.3f} times as long (95 % intervals). {}",
                    kLayers, range_text(mixed, 4), range_text(global, 4), ratio.low, ratio.high, kMixRatioCaveat));
  } catch (const Error& error) {
    body += paragraph(error.what());
  }
  return section("Recipe and layers", body);
}

std::string all_errata() {
  HtmlTable table{{"where", "printed", "meant", "reason"}, {false, false, false, false}, {}, ""};
  for (const Erratum& one : errata()) table.rows.push_back({one.where, one.printed, one.meant, one.reason});
  return section("Errata", html_table(table));
}

}  // namespace triscope::report
