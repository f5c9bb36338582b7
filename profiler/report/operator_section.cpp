// The operator: an edge and a triangle, the pairs that a query sees, what both cost, and where they cross.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "profiler/paper/operator_work.hpp"
#include "profiler/plan/crossing.hpp"
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

/// Latencies over lengths of one kernel on one device.
using Points = std::map<std::int64_t, LengthPoint>;

bool same_heads(const Problem& p, const LayerMixRequest& layer) {
  return p.batch == 1 && p.q_heads == layer.q_heads && p.kv_heads == layer.kv_heads && p.head_dim == layer.head_dim;
}

/// The newest row of each question counts.
void keep(Points& points, const ResultRow& row) {
  LengthPoint& point = points[row.problem.seq_len];
  if (point.measurement > row.measurement) return;
  point = {row.problem.seq_len, *row.median_ms, row.ci_low_ms.value_or(0), row.ci_high_ms.value_or(0), row.measurement};
}

std::vector<LengthPoint> as_list(const Points& points) {
  std::vector<LengthPoint> list;
  for (const auto& [length, point] : points) list.push_back(point);
  return list;
}

std::string crossing_text(const LatencyCrossing& crossing) {
  switch (crossing.kind) {
    case LatencyCrossing::Kind::crosses:
      return fmt::format("{:.0f}, between {} and {}", crossing.seq_len, crossing.after, crossing.before);
    case LatencyCrossing::Kind::cheaper:
      return fmt::format("below {}", crossing.shortest);
    case LatencyCrossing::Kind::dearer:
      return fmt::format("not up to {}", crossing.longest);
    case LatencyCrossing::Kind::not_comparable:
      return "";
  }
  return "";
}

bool counts(const PaperPageInput& input, const ResultRow& row, Pass pass) {
  return row.status == Status::ok && row.median_ms && *row.median_ms > 0 && row.regime == input.layer.regime &&
         row.pass == pass && same_heads(row.problem, input.layer);
}

/// By the clock: the kernel of ours with most lengths beside dot-product attention on the same device.
std::string measured_crossing(const PaperPageInput& input, const Windows& windows, Pass pass) {
  std::map<std::string, Points> dot;
  std::map<std::pair<std::string, std::string>, Points> ours;
  for (const ResultRow& row : input.rows) {
    const Problem& p = row.problem;
    if (!counts(input, row, pass)) continue;
    if (row.kernel == input.layer.dot_kernel && p.form == Form::dot_product && p.window1 >= p.seq_len)
      keep(dot[row.device], row);
    if (row.card.kind == KernelKind::simplicial && p.form == input.layer.form &&
        Windows{p.window1, p.window2} == windows)
      keep(ours[{row.device, row.kernel}], row);
  }
  std::string best;
  std::size_t most = 1;
  for (const auto& [key, points] : ours) {
    if (points.size() <= most || !dot.contains(key.first)) continue;
    const std::string text = crossing_text(find_crossing(as_list(points), as_list(dot[key.first])));
    if (text.empty()) continue;
    most = points.size();
    best = text + " (" + key.second + ")";
  }
  return best.empty() ? "not measured" : best;
}

/// Those of Table 1, of the request, and what else was measured at two lengths or more with its heads.
std::vector<Windows> shown_windows(const PaperPageInput& input) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::map<std::int64_t, int>> lengths;
  for (const ResultRow& row : input.rows) {
    const Problem& p = row.problem;
    if (counts(input, row, Pass::forward) && row.card.kind == KernelKind::simplicial && p.form == input.layer.form)
      ++lengths[{p.window1, p.window2}][p.seq_len];
  }
  std::vector<Windows> all;
  for (const auto& [windows, count] : lengths) {
    if (count.size() > 1) all.push_back({windows.first, windows.second});
  }
  if (std::ranges::find(all, input.layer.windows) == all.end()) all.push_back(input.layer.windows);
  std::ranges::sort(all, {}, [](const Windows& w) { return std::pair(w.window1 * w.window2, w.window1); });
  return all;
}

HtmlTable crossings(const PaperPageInput& input) {
  HtmlTable table{{"windows", "3 w1 w2", "2 w1 w2", "exact", "forward by the clock", "backward by the clock"},
                  {false, true, true, true, false, false},
                  {},
                  fmt::format("Tokens from which on the windows cost less than causal dot-product attention: by the "
                              "paper's count, by two products each, by the exact number of triples and pairs, and as "
                              "measured beside {} ({}/{} heads of {})",
                              input.layer.dot_kernel, input.layer.q_heads, input.layer.kv_heads, input.layer.head_dim)};
  for (const Windows& windows : shown_windows(input)) {
    table.rows.push_back(
        {fmt::format("{}x{}", windows.window1, windows.window2), std::to_string(crossing_by_paper_count(windows)),
         std::to_string(crossing_by_full_rows(windows)), std::to_string(crossing_by_exact_count(windows)),
         measured_crossing(input, windows, Pass::forward), measured_crossing(input, windows, Pass::backward)});
  }
  return table;
}

}  // namespace

std::string the_operator(const PaperPageInput& input) {
  const Windows& windows = input.layer.windows;
  // A length at which the windows can be seen beside all pairs.
  const std::int64_t shown = std::max<std::int64_t>(2 * windows.window1, 2 * windows.window2);
  return section(
      "Operator",
      paragraph("Dot-product attention scores a query i against a key j, an edge. 2-simplicial attention scores it "
                "against a pair of keys j and k, a triangle, and sums the products of their values.") +
          figure(simplices(), "Left: 1-simplex. Right: 2-simplex.") +
          figure(rectangle(shown, windows),
                 fmt::format("Blue: of the pairs up to query i, those inside {}x{}, at {} tokens", windows.window1,
                             windows.window2, shown)) +
          figure(work_chart(windows),
                 "By the paper's count, and 4 for each triple inside the windows; the first rows see fewer") +
          html_table(crossings(input)));
}

}  // namespace triscope::report
