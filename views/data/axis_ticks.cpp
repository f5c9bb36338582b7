#include "views/data/axis_ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace triscope {

std::vector<double> linear_ticks(double low, double high, int wanted) {
  std::vector<double> ticks;
  if (!(high > low)) return {low};
  for (int finer = 0; finer < 3 && ticks.size() < kFewestTicks; ++finer) {
    const double rough = (high - low) / (static_cast<double>(wanted) * std::exp2(finer)),
                 power = std::pow(10, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (const double digit : {5.0, 2.0, 1.0}) {
      if (digit * power >= rough) step = digit * power;
    }
    ticks.clear();
    for (double n = std::ceil(low / step - 1e-9); n * step <= high + 1e-9 * step; ++n) ticks.push_back(n * step + 0.0);
  }
  return ticks;
}

std::vector<NamedTick> ticks_in_room(double low, double high, bool whole, float length,
                                     const std::function<float(const std::string&)>& room_of) {
  if (!(high > low && length > 0)) return {};
  const auto pixels = [&](double values) { return values / (high - low) * length; };
  constexpr int kMost = 8;
  double power = std::pow(10, std::floor(std::log10((high - low) / kMost)));
  if (whole) power = std::max(1.0, power);
  std::vector<NamedTick> found;
  for (;; power *= 10) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double step = digit * power;
      const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(power) + 1e-9)));
      std::vector<NamedTick> ticks;
      double widest = 0;
      if ((high - low) / step <= kMost + 1e-9) {
        for (double n = std::ceil(low / step - 1e-9); n * step <= high + 1e-9 * step; ++n) {
          ticks.push_back({n * step + 0.0, fmt::format("{:.{}f}", n * step + 0.0, decimals)});
          widest = std::max<double>(widest, room_of(ticks.back().name));
        }
        if (ticks.size() >= 2 && pixels(step) >= widest) return ticks;
      }
      // So few names that the outermost have room although their neighbours would not.
      if (ticks.size() > 2 && pixels(ticks.back().at - ticks.front().at) >= widest)
        found = {ticks.front(), ticks.back()};
      if (ticks.size() == 1 && found.empty()) found = ticks;
    }
    if (power > high - low) return found;
  }
}

std::vector<double> log_ticks(double low, double high) {
  static const std::vector<std::vector<double>> steps_of_ten{
      {1}, {1, 2, 5}, {1, 1.5, 2, 3, 5, 7}, {1, 1.2, 1.5, 1.7, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9}};
  if (!(low > 0 && high > low)) return {};
  for (const std::vector<double>& digits : steps_of_ten) {
    std::vector<double> ticks;
    for (int power = static_cast<int>(std::floor(std::log10(low))); std::pow(10.0, power) <= high; ++power) {
      for (const double digit : digits) {
        const double value = digit * std::pow(10.0, power);
        if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) ticks.push_back(value);
      }
    }
    if (ticks.size() >= kFewestTicks) return ticks;
  }
  return linear_ticks(low, high, 5);
}

std::vector<double> ticks_apart(const std::vector<double>& ticks, double decades) {
  const auto rank = [](double tick) {
    const double digit = tick / std::pow(10.0, std::floor(std::log10(tick) + 1e-9));
    const auto is = [&](double wanted) { return std::abs(digit - wanted) < 1e-6; };
    return is(1) ? 0 : is(2) || is(5) ? 1 : 2;
  };
  std::vector<double> kept;
  for (const int wanted : {0, 1, 2}) {
    for (const double tick : ticks) {
      const auto near = [&](double other) { return std::abs(std::log10(tick / other)) < decades - 1e-9; };
      if (rank(tick) == wanted && std::none_of(kept.begin(), kept.end(), near)) kept.push_back(tick);
    }
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

}  // namespace triscope
