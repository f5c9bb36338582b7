// The operator: an edge and a triangle, the pairs that a query sees, what both cost, and where they cross.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kernels/paper/einsum_logits.hpp"
#include "profiler/paper/layers/measured_crossing.hpp"
#include "profiler/paper/layers/operator_work.hpp"
#include "profiler/paper/relatives.hpp"
#include "profiler/paper/rotary.hpp"
#include "profiler/plan/crossing.hpp"
#include "profiler/record/words/count_text.hpp"
#include "profiler/report/html.hpp"
#include "profiler/report/sections.hpp"
#include "profiler/report/svg_chart.hpp"

namespace triscope::report {
namespace {

std::string node(double x, double y, const char* name, double text_y) {
  return fmt::format(
      "<circle class=\"node\" cx=\"{}\" cy=\"{}\" r=\"4\" />\n<text x=\"{}\" y=\"{}\" "
      "text-anchor=\"middle\">{}</text>\n",
      x, y, x, y + text_y, name);
}

std::string simplices() {
  std::string out = "<svg viewBox=\"0 0 380 160\" width=\"380\" height=\"160\" role=\"img\">\n";
  out += "<title>A 1-simplex and a 2-simplex</title>\n";
  out += "<line class=\"b edge\" x1=\"20\" y1=\"130\" x2=\"150\" y2=\"130\" />\n";
  out += node(20, 130, "i", 22) + node(150, 130, "j", 22);
  out += "<polygon class=\"a\" points=\"230,130 360,130 295,25\" />\n";
  out += "<polyline class=\"a\" points=\"230,130 360,130 295,25 230,130\" />\n";
  return out + node(230, 130, "i", 22) + node(360, 130, "j", 22) + node(295, 25, "k", -9) + "</svg>\n";
}

/// The pairs of keys up to the last of `n` queries, and the windows in them, drawn to scale.
std::string rectangle(std::int64_t n, const Windows& windows) {
  constexpr double kSide = 190, kLeft = 24, kTop = 10;
  const auto part = [&](std::int64_t window) {
    return std::max(2.0, kSide * static_cast<double>(std::min(window, n)) / static_cast<double>(n));
  };
  const double width = part(windows.window1), height = part(windows.window2);
  std::string out = "<svg viewBox=\"0 0 250 230\" width=\"250\" height=\"230\" role=\"img\">\n";
  out += "<title>The pairs of keys that a query sees</title>\n";
  out += fmt::format("<rect class=\"empty axis\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" />\n", kLeft, kTop, kSide,
                     kSide);
  out += fmt::format("<rect class=\"a\" x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"{:.2f}\" />\n",
                     kLeft + kSide - width, kTop, width, height);
  out += fmt::format("<circle class=\"node\" cx=\"{0}\" cy=\"{1}\" r=\"4\" />\n<text x=\"{2}\" y=\"{3}\">i</text>\n",
                     kLeft + kSide, kTop, kLeft + kSide + 10, kTop + 6);
  out += fmt::format("<text class=\"soft\" x=\"{}\" y=\"{}\">j: keys of axis 1</text>\n", kLeft, kTop + kSide + 18);
  return out + fmt::format(
                   "<text class=\"soft\" x=\"16\" y=\"{0}\" transform=\"rotate(-90 16 {0})\">k: keys of axis 2"
                   "</text>\n</svg>\n",
                   kTop + kSide);
}

std::string work_chart(const Windows& windows) {
  SvgChart chart;
  chart.title = fmt::format("FLOPs of one head and dimension, {}x{}", windows.window1, windows.window2);
  chart.x_label = "tokens";
  chart.y_label = "FLOPs";
  chart.log_x = chart.log_y = true;
  chart.width = 620;
  const std::vector<OperatorWork> all = work_by_length(windows, 8, 20);
  const auto series = [&](const char* name, char colour, double OperatorWork::*count) {
    SvgSeries one;
    one.name = name;
    one.colour = colour;
    for (const OperatorWork& work : all) one.line.push_back({work.seq_len, work.*count});
    chart.series.push_back(std::move(one));
  };
  series("2 n²", 'b', &OperatorWork::dot_paper);
  series("6 n w1 w2", 'a', &OperatorWork::windows_paper);
  series("windows, exact", 'c', &OperatorWork::windows_exact);
  for (int power = 8; power <= 20; power += 2) {
    const std::int64_t n = std::int64_t{1} << power;
    chart.x_ticks.push_back({static_cast<double>(n), n < 1024 ? std::to_string(n) : fmt::format("{}k", n / 1024)});
  }
  return svg_chart(chart);
}

/// What is told of these windows; where they are the page's, `own` keeps it.
HtmlTable crossings(const PaperPageInput& input, Crossings& own) {
  HtmlTable table{{"windows", "3 w1 w2", "2 w1 w2", "exact", "forward by the clock", "backward", "both"},
                  {false, true, true, true, false, false, false},
                  {},
                  fmt::format("Tokens from which on the windows cost less than causal dot-product attention: by the "
                              "paper's count, by two products each, by the exact number of triples and pairs, and as "
                              "measured beside {} ({}/{} heads of {})",
                              input.layer.dot_kernel, input.layer.q_heads, input.layer.kv_heads, input.layer.head_dim)};
  for (const Windows& windows : windows_with_lengths(input.rows, input.layer)) {
    LayerMixRequest layer = input.layer;
    layer.windows = windows;
    Crossings told = measured_crossings(input.rows, layer, input.work);
    table.rows.push_back({fmt::format("{}x{}", windows.window1, windows.window2),
                          count_text(crossing_by_paper_count(windows)), count_text(crossing_by_full_rows(windows)),
                          count_text(crossing_by_exact_count(windows)), crossings_text(told.forward),
                          crossings_text(told.backward), crossings_text(told.step)});
    if (windows == input.layer.windows) own = std::move(told);
  }
  return table;
}

/// The command that would tell what of the page's windows is not known.
std::string missing_sweep(const PaperPageInput& input, const Crossings& told) {
  const std::string sweep = input.rows.empty() ? "" : crossing_sweep(input.rows, input.layer, told);
  if (sweep.empty()) return "";
  return paragraph(fmt::format("What is not known of {}x{} a sweep tells:", input.layer.windows.window1,
                               input.layer.windows.window2)) +
         formula(sweep);
}

std::string the_determinant() {
  const auto& [q, k1, k2] = kExampleChunk;
  const double added = trilinear_einsum(q, turned_chunks(k1, 1, 1), turned_chunks(k2, 1, 2), 1).front();
  const double taken = trilinear_einsum(q, turned_chunks(k1, 1, 2), turned_chunks(k2, 1, 1), 1).front();
  const auto text = [](const Vector3& v) { return fmt::format("({:g}, {:g}, {:g})", v[0], v[1], v[2]); };
  return subheading("The determinant as two einsums") + formula("det(a, b) = a1 b2 − a2 b1") +
         formula("det(a, b, c) = a1 b2 c3 + a2 b3 c1 + a3 b1 c2 − a1 b3 c2 − a2 b1 c3 − a3 b2 c1") +
         formula("= ⟨a, (b2, b3, b1), (c3, c1, c2)⟩ − ⟨a, (b3, b1, b2), (c2, c3, c1)⟩") +
         paragraph(
             "The last line is Sarrus' rule: two trilinear products of the same vectors with their elements turned. "
             "So Algorithm 1 takes two einsums in place of one, turn(X, m) being each chunk of three turned to the "
             "left by m:") +
         formula("einsum(Q, turn(K, 1), turn(K′, 2)) − einsum(Q, turn(K, 2), turn(K′, 1))") +
         paragraph(fmt::format("Of q = {}, k = {} and k′ = {}: {:.6f} − ({:.6f}) = {:.6f}.", text(q), text(k1),
                               text(k2), added, taken, added - taken));
}

std::string the_relatives() {
  HtmlTable table{{"score", "logit", "cost", "beside the operator"}, {false, false, false, false}, {}, ""};
  for (const Relative& one : relatives())
    table.rows.push_back({one.name + (one.formula_from == "paper" ? "" : " *") + " (" + one.by + ")", one.logit,
                          one.cost, one.relation});
  table.caption = "n tokens of d dimensions. * The paper names it without a formula; this one is of the work it cites";
  return subheading("Relatives") + html_table(table);
}

}  // namespace

std::string the_operator(const PaperPageInput& input) {
  const Windows& windows = input.layer.windows;
  // A length at which the windows can be seen beside all pairs.
  const std::int64_t shown = std::max<std::int64_t>(2 * windows.window1, 2 * windows.window2);
  Crossings told;
  const HtmlTable by_clock = crossings(input, told);
  return section(
      "Operator",
      paragraph("Dot-product attention scores a query i against a key j, an edge. 2-simplicial attention scores it "
                "against a pair of keys j and k, a triangle, and sums the products of their values.") +
          figure(simplices(), "Left: 1-simplex. Right: 2-simplex.") + written("dot-product") + written("operator") +
          figure(rectangle(shown, windows),
                 fmt::format("Blue: of the pairs up to query i, those inside {}x{}, at {} tokens", windows.window1,
                             windows.window2, shown)) +
          figure(work_chart(windows),
                 "By the paper's count, and 4 for each triple inside the windows; the first rows see fewer") +
          html_table(by_clock) + missing_sweep(input, told) + the_determinant() +
          paragraph(determinant_work_text(input.layer.seq_len, windows)) + the_relatives(),
      "operator");
}

}  // namespace triscope::report
