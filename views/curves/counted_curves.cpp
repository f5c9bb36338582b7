#include "views/curves/counted_curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "views/model/charts/length_model.hpp"

namespace triscope {
namespace {

constexpr int kCountedPerOctave = 8;

/// At every length: of baselines of one mask, of the same heads.
bool count_alike(const LengthCurve& a, const LengthCurve& b) {
  constexpr double kBeyondAllWindows = 1 << 24;
  return counted_tflop(a, Pass::forward, kBeyondAllWindows) == counted_tflop(b, Pass::forward, kBeyondAllWindows);
}

/// From the shortest measured length to beyond the last crossing.
std::vector<double> counted_lengths(const LengthPass& pass) {
  double low = 1e300, high = 0;
  for (const LengthCurve& curve : pass.curves) {
    low = std::min(low, static_cast<double>(curve.points.front().seq_len));
    high = std::max(high, static_cast<double>(curve.points.back().seq_len));
  }
  for (const LengthCrossing& crossing : pass.crossings)
    high = std::max(high, 1.3 * static_cast<double>(crossing.paper_count));
  const int steps = std::max(1, static_cast<int>(std::ceil(std::log2(high / low) * kCountedPerOctave)));
  std::vector<double> lengths;
  for (int n = 0; n <= steps; ++n) lengths.push_back(low * std::pow(high / low, static_cast<double>(n) / steps));
  return lengths;
}

}  // namespace

std::vector<DrawnCurve> curves_of_counts(const Theme& theme, const LengthPass& pass,
                                         const std::set<std::string>& left_out) {
  const std::vector<double> lengths = counted_lengths(pass);
  std::vector<DrawnCurve> drawn = drawn_curves(theme, pass, left_out, [&](const LengthCurve& curve) {
    StackLine line{lengths, {}};
    for (const double length : lengths) line.y.push_back(counted_tflop(curve, Pass::forward, length));
    return line;
  });
  for (DrawnCurve& one : drawn) {
    if (!one.curve->baseline) continue;
    one.colour = theme.baseline;
    one.dashes = std::ranges::find_if(drawn, [&](const DrawnCurve& other) {
                   return other.curve->baseline && count_alike(*other.curve, *one.curve);
                 })->dashes;
  }
  return drawn;
}

std::vector<DrawnLine> counted_lines(const Theme& theme, const LengthPass& pass, std::optional<Pass> which) {
  const std::vector<double> lengths = counted_lengths(pass);
  std::vector<DrawnLine> drawn;
  for (const DrawnCurve& curve : curves_of_counts(theme, pass)) {
    const bool known = curve.curve->baseline && std::ranges::any_of(drawn, [&](const DrawnLine& other) {
                         return other.curve->baseline && count_alike(*other.curve, *curve.curve);
                       });
    if (known) continue;
    DrawnLine one{curve, lengths};
    for (const double length : lengths) one.y.push_back(counted_tflop(*curve.curve, which, length));
    drawn.push_back(std::move(one));
  }
  return drawn;
}

std::string counted_name(const LengthCurve& baseline) {
  const Problem& p = baseline.problem;
  return p.window1 < p.seq_len ? fmt::format("sliding {}", p.window1) : "causal attention";
}

}  // namespace triscope
