// The pictures of the paper's pages for print.
#include <fmt/format.h>
#include <implot.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/error.hpp"
#include "kernels/tensors/match3.hpp"
#include "profiler/match3/match3_bound.hpp"
#include "profiler/paper/laws/reproduction.hpp"
#include "profiler/paper/layers/operator_work.hpp"
#include "profiler/paper/rotary.hpp"
#include "profiler/paper/table1.hpp"
#include "views/data/format.hpp"
#include "views/model/paper/paper_model.hpp"
#include "views/print/chart_picture.hpp"
#include "views/print/plot_frame.hpp"

namespace triscope {
namespace {

[[noreturn]] void refuse(const char* why, const char* fix) {
  throw Error("the page of the paper was not saved as SVG or PDF", why, fix, ExitCode::usage);
}

using Points = std::vector<ImPlotPoint>;

void draw_curve(VectorCanvas& canvas, const PlotFrame& frame, const Points& points, ImU32 colour, float width = 1.75F,
                const char* dashes = "") {
  std::vector<ImVec2> line;
  for (const ImPlotPoint& point : points) line.push_back(frame.at(point.x, point.y));
  canvas.line(line, colour, width, dashes);
}

LegendEntry stroke(std::string name, ImU32 colour, int shape = 1) { return {std::move(name), colour, shape, true}; }

/// What was chosen, and where nothing was, the chart's own words, which the choice then has.
PlotText words_of(PrintChoice& choice, std::string title, std::string caption, std::vector<LegendEntry> legend) {
  fill_in(choice, std::move(title), std::move(caption));
  return {*choice.title, *choice.caption, std::move(legend)};
}

/// With what the paper calls the page.
std::string caption_of(PaperPage page, const std::string& text) {
  const std::string numbers = page_numbers(page);
  return numbers.empty() ? text : numbers + ". " + text;
}

std::string table1_now(Context& context, VectorFormat format, PrintChoice& choice) {
  const PaperModel* model = context.models.paper(context.data);
  if (!model || model->measured == 0) refuse("none of its windows was measured", "open a database that has them");
  const Theme& theme = theme_of({format, choice.size});
  PlotAxis x{-0.5, static_cast<double>(model->lines.size()) - 0.5, false, {}, "windows"};
  double most = 0;
  for (const PaperLine& line : model->lines) {
    x.ticks.emplace_back(x.ticks.size(), format_windows(line.windows.window1, line.windows.window2));
    most = std::max({most, line.paper_ms, line.own_ms.value_or(0)});
  }
  PlotText text = words_of(choice, "Table 1 of the paper beside this device",
                           fmt::format("{} {}", model->conditions, kPaperTimesCaveat),
                           {{"the paper", theme.baseline, 1, false}, {"measured", theme.series[0], 1, false}});
  place_names(x, text, plot_width({format, choice.size}));
  const PrintPage page = make_page({format, choice.size}, text);
  const auto& made = page.canvas;
  const PlotFrame frame(page, std::move(x), linear_axis(most * 1.06, "ms"), text);
  for (std::size_t n = 0; n < model->lines.size(); ++n) {
    const PaperLine& line = model->lines[n];
    const auto at = static_cast<double>(n);
    made->box(frame.at(at - 0.36, line.paper_ms), frame.at(at - 0.02, 0), theme.baseline);
    if (line.own_ms) made->box(frame.at(at + 0.02, *line.own_ms), frame.at(at + 0.36, 0), theme.series[0], !line.known);
  }
  return made->finish();
}

std::string operator_now(const Context& context, VectorFormat format, PrintChoice& choice) {
  const Windows windows = windows_of(context.ui.paper.the_operator);
  const Theme& theme = theme_of({format, choice.size});
  const std::vector<OperatorWork> all = work_by_length(windows, 8, 20);
  struct Series {
    const char* name;
    double OperatorWork::*count;
    ImU32 colour;
  };
  const Series series[] = {{"dot product, 2 n²", &OperatorWork::dot_paper, theme.baseline},
                           {"windows, 6 n w1 w2", &OperatorWork::windows_paper, theme.series[0]},
                           {"windows, exact", &OperatorWork::windows_exact, theme.series[1]}};
  double low = 1e300, high = 0;
  std::vector<LegendEntry> legend;
  for (const Series& one : series) {
    legend.push_back(stroke(one.name, one.colour));
    for (const OperatorWork& work : all) low = std::min(low, work.*one.count), high = std::max(high, work.*one.count);
  }
  const PlotText text = words_of(
      choice, fmt::format("FLOPs of one head and dimension, {}", format_windows(windows.window1, windows.window2)),
      caption_of(PaperPage::the_operator, "Forward; by the paper's count, and 4 for each triple that is seen."),
      std::move(legend));
  const PrintPage page = make_page({format, choice.size}, text);
  const auto& made = page.canvas;
  const PlotFrame frame(page, power_axis(all.front().seq_len, all.back().seq_len, "tokens"),
                        decade_axis(low, high, "FLOPs"), text);
  for (const Series& one : series) {
    Points points;
    for (const OperatorWork& work : all) points.emplace_back(work.seq_len, work.*one.count);
    draw_curve(*made, frame, points, one.colour);
  }
  return made->finish();
}

/// Keys [x0, x1) of axis 1 with [y0, y1) of axis 2.
struct KeyArea {
  double x0 = 0, x1 = 0, y0 = 0, y1 = 0;
};

/// The tiles of a block, one fold and one tile of keys each.
std::vector<KeyArea> tiles_of(const QueryTiles& tiles, const TileBlock& block) {
  std::vector<KeyArea> all;
  for (std::int64_t n = 0; n < block.folds; n += block.slant == 0 ? block.folds : 1) {
    const auto fold = static_cast<double>(block.fold + n);
    const double folds = block.slant == 0 ? static_cast<double>(block.folds) : 1;
    for (std::int64_t key = 0; key < block.keys; key += std::max<std::int64_t>(1, block.tile_keys)) {
      const auto first = static_cast<double>(block.first_at(n) + key);
      const auto count = static_cast<double>(std::min(block.tile_keys, block.keys - key));
      all.push_back(tiles.folds_axis1 ? KeyArea{fold, fold + folds, first, first + count}
                                      : KeyArea{first, first + count, fold, fold + folds});
    }
  }
  return all;
}

std::string tiling_now(const Context& context, VectorFormat format, PrintChoice& choice) {
  const TileAnswer* answer = context.data.tiles.answer.get();
  const TileUse* use = answer ? shown_use(context.ui.paper.tiles, answer->uses) : nullptr;
  if (use == nullptr || use->query_tiles.blocks.empty()) refuse("it shows no tiles", "choose a kernel that has tiles");
  const Theme& theme = theme_of({format, choice.size});
  const Problem& problem = answer->question.problem;
  const std::int64_t query = answer->question.query.value_or(0);
  const auto first = [&](std::int64_t window) {
    return static_cast<double>(std::max<std::int64_t>(0, query - window + 1));
  };
  const KeyArea window{first(problem.window1), static_cast<double>(query + 1), first(problem.window2),
                       static_cast<double>(query + 1)};
  std::vector<KeyArea> tiles;
  KeyArea all = window;
  for (const TileBlock& block : use->query_tiles.blocks) {
    for (const KeyArea& one : tiles_of(use->query_tiles, block)) {
      tiles.push_back(one);
      all = {std::min(all.x0, one.x0), std::max(all.x1, one.x1), std::min(all.y0, one.y0), std::max(all.y1, one.y1)};
    }
  }
  const double dx = 0.03 * (all.x1 - all.x0), dy = 0.05 * (all.y1 - all.y0);
  const PlotText text = words_of(choice, fmt::format("Tiles of query {}, {}", format_count(query), use_name(*use)),
                                 caption_of(PaperPage::tiling, tiles_in_words(*use, problem, query)),
                                 {{"computed", theme.unclear, 1, false},
                                  {"and seen by the query", theme.series[0], 1, false},
                                  stroke("window of the query", theme.text)});
  const PrintPage page = make_page({format, choice.size}, text);
  const auto& made = page.canvas;
  const PlotFrame frame(page, range_axis(all.x0 - dx, all.x1 + dx, "keys of axis 1 (j)"),
                        range_axis(all.y0 - dy, all.y1 + dy, "keys of axis 2 (k)"), text);
  const auto box = [&](const KeyArea& area, ImU32 colour, bool hollow) {
    if (area.x0 < area.x1 && area.y0 < area.y1)
      made->box(frame.at(area.x0, area.y1), frame.at(area.x1, area.y0), colour, hollow);
  };
  for (const KeyArea& tile : tiles) box(tile, theme.unclear, false);
  for (const KeyArea& tile : tiles)
    box({std::max(tile.x0, window.x0), std::min(tile.x1, window.x1), std::max(tile.y0, window.y0),
         std::min(tile.y1, window.y1)},
        theme.series[0], false);
  const auto edge = [&](const KeyArea& area, ImU32 colour, float width) {
    draw_curve(*made, frame,
               {{area.x0, area.y0}, {area.x1, area.y0}, {area.x1, area.y1}, {area.x0, area.y1}, {area.x0, area.y0}},
               colour, width);
  };
  for (const KeyArea& tile : tiles) edge(tile, theme.panel, 0.5F);
  edge(window, theme.text, 1.75F);
  return made->finish();
}

std::string rotation_now(const Context& context, VectorFormat format, PrintChoice& choice) {
  constexpr std::int64_t kMostShift = 64;
  const RotationUi& ui = context.ui.paper.rotation;
  const Theme& theme = theme_of({format, choice.size});
  const Positions3 positions{ui.i, ui.j, ui.k};
  const auto shifted = [&](RotaryAxes axes) {
    return shifted_logits(kExampleChunk, axes, positions, static_cast<double>(ui.angle), kMostShift);
  };
  const ShiftedLogits shared = shifted(RotaryAxes::shared), different = shifted(RotaryAxes::different);
  double low = 1e300, high = -1e300;
  for (const std::vector<double>* all : {&shared.determinants, &different.determinants}) {
    low = std::min(low, std::ranges::min(*all)), high = std::max(high, std::ranges::max(*all));
  }
  const double room = 0.05 * std::max(high - low, 1e-3);
  const PlotText text = words_of(
      choice, "Rotary embedding: all positions moved on together",
      fmt::format("{:g} radians a position, from positions {}, {} and {}. About one axis the determinant changes by "
                  "at most {:.1e}, about an axis for each by {:.1e}.",
                  ui.angle, ui.i, ui.j, ui.k, shared.worst_determinant, different.worst_determinant),
      {stroke("one axis for q, k1 and k2", theme.series[0]), stroke("an axis for each", theme.series[1])});
  const PrintPage page = make_page({format, choice.size}, text);
  const auto& made = page.canvas;
  const PlotFrame frame(page, range_axis(0, kMostShift, "positions moved on"),
                        range_axis(low - room, high + room, "determinant of a chunk"), text);
  const auto curve = [&](const std::vector<double>& values, ImU32 colour) {
    Points points;
    for (const double value : values) points.emplace_back(static_cast<double>(points.size()), value);
    draw_curve(*made, frame, points, colour);
  };
  curve(shared.determinants, theme.series[0]);
  curve(different.determinants, theme.series[1]);
  return made->finish();
}

std::string match3_now(Context& context, VectorFormat format, PrintChoice& choice) {
  const Match3Shown* found = context.models.match3(context.ui.paper.match3.asked);
  if (found == nullptr || !found->findings) refuse("its numbers cannot be read", "type whole numbers");
  const Match3Shown& shown = *found;
  const Match3Findings& all = *shown.findings;
  const auto n = static_cast<std::int64_t>(all.question.numbers.size());
  const Theme& theme = theme_of({format, choice.size});
  std::vector<LegendEntry> legend;
  std::vector<std::pair<Points, Points>> ranges;  // least and largest safe c by modulus
  double low = all.answer.c, high = all.answer.c;
  for (int i = 0; i < kMatch3Precisions; ++i) {
    const auto precision = static_cast<Match3Precision>(i);
    auto& [least, most] = ranges.emplace_back();
    for (std::int64_t modulus = 2; modulus <= kMatch3LargestModulus; modulus += 1 + modulus / 40) {
      const Match3Bound bound = match3_bound(n, modulus, precision);
      if (!bound.possible()) break;
      least.emplace_back(static_cast<double>(modulus), bound.least_c);
      most.emplace_back(static_cast<double>(modulus), bound.most_c);
      low = std::min(low, bound.least_c), high = std::max(high, bound.most_c);
    }
    legend.push_back(stroke(std::string(to_string(precision)), theme.series.at(static_cast<std::size_t>(i)), i));
  }
  legend.push_back({"these numbers", theme.text, 2, false});
  const PlotText text = words_of(
      choice, fmt::format("How large c must be, and may be, for {} numbers", n),
      caption_of(PaperPage::match3,
                 "Between the lines of a precision c is safe: every input of so many numbers is told rightly, by the "
                 "worst case of all roundings."),
      std::move(legend));
  const PrintPage page = make_page({format, choice.size}, text);
  const auto& made = page.canvas;
  const PlotFrame frame(page, decade_axis(1.8, 1200, "modulus"), decade_axis(low / 1.5, high * 1.5, "c"), text);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    draw_curve(*made, frame, ranges[i].first, theme.series.at(i));
    draw_curve(*made, frame, ranges[i].second, theme.series.at(i), 1.75F, "5 3");
  }
  made->mark(frame.at(std::max<double>(2, static_cast<double>(all.question.modulus)), all.answer.c), 2, 5, theme.text);
  return made->finish();
}

/// The laws of a benchmark with the losses that they go through.
struct LawPlot {
  std::string benchmark;
  std::vector<FittedSeries> series;
};

std::vector<LawPlot> law_plots(Context& context) {
  const PaperUi& ui = context.ui.paper;
  std::vector<LawPlot> plots;
  if (ui.losses.own) {
    const OwnLosses& own = context.models.own_losses(ui.losses);
    const auto shown = static_cast<std::size_t>(std::max(0, ui.losses.benchmark));
    if (shown < own.benchmarks.size()) plots.push_back({own.benchmarks[shown].name, own.benchmarks[shown].series});
    return plots;
  }
  const ModelSizes sizes = model_sizes(ui.results);
  if (!sizes_grow(sizes)) return plots;
  for (const char* benchmark : kBenchmarks) {
    LawPlot& plot = plots.emplace_back(LawPlot{benchmark, {}});
    for (const char* model : kModels) {
      const LossSeries losses = paper_losses(benchmark, model, sizes);
      plot.series.push_back({losses, fit_scaling_law(losses.sizes, losses.losses)});
    }
  }
  return plots;
}

constexpr int kLawSteps = 33;

/// A law from its least size to twice the largest, with its 95 % band.
struct LawCurve {
  Points line, low, high;
};
LawCurve curve_of(std::span<const LossForecast> law) {
  LawCurve curve;
  for (const LossForecast& at : law) {
    curve.line.emplace_back(at.size * 1e-9, at.loss);
    curve.low.emplace_back(at.size * 1e-9, at.low.value_or(at.loss));
    curve.high.emplace_back(at.size * 1e-9, at.high.value_or(at.loss));
  }
  return curve;
}

void draw_law(VectorCanvas& canvas, const LawPlot& plot, const PlotRoom& room) {
  const Theme& theme = canvas.theme();
  std::vector<LawCurve> curves;
  LossRange range;
  double least = 1e300, most = 0;
  for (const FittedSeries& series : plot.series) {
    const auto [smallest, largest] = std::ranges::minmax(series.losses.sizes);
    const std::vector<LossForecast> law = law_curve(series.law, smallest, 2 * largest, kLawSteps);
    const LawCurve& curve = curves.emplace_back(curve_of(law));
    range.take(law);
    least = std::min(least, curve.line.front().x), most = std::max(most, curve.line.back().x);
  }
  PlotAxis losses_axis = range_axis(range.low / 1.02, range.high * 1.02, plot.benchmark);
  losses_axis.logarithmic = true;  // at round values: there may be no power of ten
  const PlotFrame frame(canvas, room, decade_axis(least / 1.05, most * 1.05, "active parameters, billions"),
                        std::move(losses_axis));
  for (std::size_t n = 0; n < curves.size(); ++n) {
    const ImU32 colour = theme.series.at(n % theme.series.size());
    draw_curve(canvas, frame, curves[n].line, colour);
    canvas.clip(frame.low(), frame.high());
    for (const Points* edge : {&curves[n].low, &curves[n].high}) draw_curve(canvas, frame, *edge, colour, 0.75F, "3 2");
    canvas.end_clip();
    const LossSeries& losses = plot.series[n].losses;
    for (std::size_t i = 0; i < losses.sizes.size(); ++i)
      canvas.mark(frame.at(losses.sizes[i] * 1e-9, losses.losses[i]), static_cast<int>(n % 8), 3.5F, colour);
  }
}

std::string laws_now(Context& context, VectorFormat format, PrintChoice& choice) {
  const std::vector<LawPlot> plots = law_plots(context);
  if (plots.empty()) refuse("it shows no law", "give sizes that grow, or losses with a law");
  const Theme& theme = theme_of({format, choice.size});
  std::vector<LegendEntry> legend;
  for (const FittedSeries& series : plots.front().series)
    legend.push_back(stroke(series.losses.model, theme.series.at(legend.size() % theme.series.size()),
                            static_cast<int>(legend.size() % 8)));
  const bool four = plots.size() > 1;
  constexpr float kFourHigh = 500;
  const PlotText text = words_of(
      choice, "Losses and their fitted laws",
      caption_of(PaperPage::laws, "-log L = alpha log N + beta by least squares, with 95 % bands."), std::move(legend));
  const PrintPage page = make_page({format, choice.size}, text, four ? kFourHigh : 0);
  const auto& made = page.canvas;
  const PlotRoom all = draw_plot_text(*made, page.size, text);
  if (!four) {
    draw_law(*made, plots.front(), all);
    return made->finish();
  }
  constexpr float kBelow = 44;
  const ImVec2 one{(all.high.x - all.low.x - all.left) / 2, (all.high.y - all.low.y - kBelow) / 2};
  for (std::size_t n = 0; n < plots.size(); ++n) {
    const std::size_t row = n / 2, column = n % 2;
    const ImVec2 low{all.low.x + static_cast<float>(column) * (one.x + all.left),
                     all.low.y + static_cast<float>(row) * (one.y + kBelow)};
    draw_law(*made, plots[n], {low, {low.x + one.x, low.y + one.y}, all.left});
  }
  return made->finish();
}

std::string recipe_now(Context& context, VectorFormat format, PrintChoice& choice) {
  const RecipeUi& ui = context.ui.paper.recipe;
  const RecipeAnswer& answer = *context.models.recipe(context.data, ui);
  if (!answer.costs || answer.steps.size() < 2) refuse("its layers cannot be added up", "choose a measured shape");
  const Theme& theme = theme_of({format, choice.size});
  Points low, middle, high;
  double least = 1e300, most = 0;
  for (const MsRange& range : answer.steps) {
    const auto layers = static_cast<double>(middle.size());
    low.emplace_back(layers, range.low);
    middle.emplace_back(layers, (range.low + range.high) / 2);
    high.emplace_back(layers, range.high);
    least = std::min(least, range.low), most = std::max(most, range.high);
  }
  const double room = std::max(0.1 * (most - least), 0.02 * most);
  const PlotText text = words_of(choice, fmt::format("Attention in a training step of {} layers", ui.layers),
                                 fmt::format("{}, {} tokens, {}/{} heads of {}, beside {}; dashed: 95 % intervals.",
                                             format_windows(ui.window1, ui.window2), format_count(ui.seq_len),
                                             ui.q_heads, ui.kv_heads, ui.head_dim, ui.dot_kernel),
                                 {stroke("attention", theme.series[0])});
  const PrintPage page = make_page({format, choice.size}, text);
  const auto& made = page.canvas;
  const PlotFrame frame(page, range_axis(0, ui.layers, "2-simplicial layers"),
                        range_axis(std::max(0.0, least - room), most + room, "ms"), text);
  draw_curve(*made, frame, middle, theme.series[0]);
  for (const Points* edge : {&low, &high}) draw_curve(*made, frame, *edge, theme.series[0], 0.75F, "3 2");
  const auto chosen = static_cast<std::size_t>(std::clamp(ui.simplicial, 0, ui.layers));
  made->mark(frame.at(middle[chosen].x, middle[chosen].y), 0, 4, theme.text);
  return made->finish();
}

}  // namespace

std::string paper_picture(Context& context, VectorFormat format, PrintChoice& choice) {
  switch (context.ui.paper.page) {
    case PaperPage::table1:
      return table1_now(context, format, choice);
    case PaperPage::lengths:
      return lengths_now(context, format, choice);
    case PaperPage::the_operator:
      return operator_now(context, format, choice);
    case PaperPage::tiling:
      return tiling_now(context, format, choice);
    case PaperPage::rotation:
      return rotation_now(context, format, choice);
    case PaperPage::match3:
      return match3_now(context, format, choice);
    case PaperPage::laws:
      return laws_now(context, format, choice);
    case PaperPage::recipe:
      return recipe_now(context, format, choice);
    case PaperPage::steps:
    case PaperPage::results:
    case PaperPage::errata:
    case PaperPage::count:
      break;
  }
  refuse("it is a page of tables and texts",
         "save it as .png, which is --screenshot on a command line, or copy its table");
}

}  // namespace triscope
