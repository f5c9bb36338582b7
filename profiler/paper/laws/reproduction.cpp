#include "profiler/paper/laws/reproduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace triscope {
namespace {

/// A number that is known to half a unit of its last digit.
struct Rounded {
  double value;
  double half_unit;
};
Rounded rounded(const PrintedValue& cell) { return {cell.value, cell.half_unit}; }

using Formula = std::function<double(std::span<const double>)>;

struct Extent {
  double value, low, high;
};

/// `formula` at `inputs` and over their rounding: ends and middles of every input together.
Extent extent_of(const Formula& formula, const std::vector<Rounded>& inputs) {
  std::vector<double> at;
  for (const Rounded& input : inputs) at.push_back(input.value);
  const double value = formula(at);
  Extent extent{value, value, value};
  std::size_t combinations = 1;
  for (std::size_t i = 0; i < inputs.size(); ++i) combinations *= 3;
  for (std::size_t code = 0; code < combinations; ++code) {
    std::size_t rest = code;
    for (std::size_t i = 0; i < inputs.size(); ++i, rest /= 3)
      at[i] = inputs[i].value + (static_cast<double>(rest % 3) - 1) * inputs[i].half_unit;
    extent.low = std::min(extent.low, formula(at));
    extent.high = std::max(extent.high, formula(at));
  }
  return extent;
}

Recomputed compare(const PrintedValue& printed, std::string from, const Extent& extent) {
  return compare_with_printed(printed, std::move(from), extent.value, extent.low, extent.high);
}

Extent relative(const PrintedValue& base, const PrintedValue& other) {
  return extent_of([](std::span<const double> x) { return x[1] / x[0] - 1; }, {rounded(base), rounded(other)});
}

int row_of_losses(std::string_view model, std::size_t size) {
  return 1 + 3 * static_cast<int>(size) + (model == kModels[1] ? 1 : 0);
}

/// One of the four values of a fit.
struct FitValue {
  int table;
  const char* name;
  double (*of)(const ScalingLaw&);
};
constexpr std::array kFitValues{FitValue{3, "alpha", [](const ScalingLaw& law) { return law.alpha; }},
                                FitValue{3, "beta", [](const ScalingLaw& law) { return law.beta; }},
                                FitValue{4, "R2", [](const ScalingLaw& law) { return law.r_squared; }},
                                FitValue{4, "residual", [](const ScalingLaw& law) { return law.residual_sum; }}};

Recomputed recompute_fit(const FitValue& what, const char* benchmark, std::size_t model, const ModelSizes& sizes) {
  std::vector<Rounded> losses;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    losses.push_back(rounded(printed_value(2, row_of_losses(kModels.at(model), i), benchmark)));
  const auto fit = [&](std::span<const double> at) { return what.of(fit_scaling_law(sizes, at)); };
  Extent extent = extent_of(fit, losses);
  // With one degree of freedom the residuals are one contrast of the losses. Where rounding can turn its sign it can
  // also be 0, which no corner shows.
  const auto contrast = [&](std::span<const double> at) { return fit_scaling_law(sizes, at).residuals[1]; };
  const Extent sign = extent_of(contrast, losses);
  if (sign.low < 0 && sign.high > 0 && what.table == 4) (what.name[0] == 'R' ? extent.high = 1 : extent.low = 0);
  const int row = static_cast<int>(model) + 1;
  return compare(printed_value(what.table, row, fmt::format("{} {}", benchmark, what.name)), "the losses of Table 2",
                 extent);
}

double misfit(const std::vector<double>& misses) {
  double sum = 0;
  for (const double miss : misses) sum += miss * miss;
  return std::sqrt(sum / static_cast<double>(misses.size()));
}

/// The misses of the 32 values at exp(`log_sizes`), each over `tolerance`.
std::vector<double> misses_at(const ModelSizes& log_sizes, const std::vector<double>& tolerance) {
  ModelSizes sizes{};
  for (std::size_t i = 0; i < 3; ++i) sizes.at(i) = std::exp(log_sizes.at(i));
  std::vector<double> misses;
  for (std::size_t model = 0; model < kModels.size(); ++model) {
    for (const char* benchmark : kBenchmarks) {
      const ScalingLaw law = fit_scaling_law(sizes, paper_losses(benchmark, kModels.at(model)).losses);
      for (const FitValue& what : kFitValues) {
        const PrintedValue& printed =
            printed_value(what.table, static_cast<int>(model) + 1, fmt::format("{} {}", benchmark, what.name));
        misses.push_back((what.of(law) - printed.value) / tolerance[misses.size()]);
      }
    }
  }
  return misses;
}

using Equations = std::array<std::array<double, 4>, 3>;  // three equations and their right sides

ModelSizes solve(Equations m) {
  for (std::size_t column = 0; column < 3; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column; row < 3; ++row) {
      if (std::abs(m.at(row).at(column)) > std::abs(m.at(pivot).at(column))) pivot = row;
    }
    std::swap(m.at(column), m.at(pivot));
    for (std::size_t row = 0; row < 3; ++row) {
      if (row == column) continue;
      const double factor = m.at(row).at(column) / m.at(column).at(column);
      for (std::size_t k = column; k < 4; ++k) m.at(row).at(k) -= factor * m.at(column).at(k);
    }
  }
  return {m[0][3] / m[0][0], m[1][3] / m[1][1], m[2][3] / m[2][2]};
}

/// One damped step of Gauss-Newton from `at`, derivatives by differences.
ModelSizes step_from(const ModelSizes& at, const std::vector<double>& misses, const std::vector<double>& tolerance,
                     double damping) {
  constexpr double kStep = 1e-6;
  std::array<std::vector<double>, 3> slopes;
  for (std::size_t i = 0; i < 3; ++i) {
    ModelSizes beside = at;
    beside.at(i) += kStep;
    slopes.at(i) = misses_at(beside, tolerance);
    for (std::size_t n = 0; n < misses.size(); ++n) slopes.at(i)[n] = (slopes.at(i)[n] - misses[n]) / kStep;
  }
  Equations m{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t n = 0; n < misses.size(); ++n) {
      for (std::size_t j = 0; j < 3; ++j) m.at(i).at(j) += slopes.at(i)[n] * slopes.at(j)[n];
      m.at(i)[3] -= slopes.at(i)[n] * misses[n];
    }
    m.at(i).at(i) *= 1 + damping;
  }
  const ModelSizes change = solve(m);
  return {at[0] + change[0], at[1] + change[1], at[2] + change[2]};
}

}  // namespace

Recomputed compare_with_printed(const PrintedValue& printed, std::string from, double value, double low, double high) {
  Recomputed out{printed, std::move(from), value, low, high};
  const double slack = 1e-9 * std::abs(printed.value);  // of the binary fractions that stand for decimal ones
  out.beyond_rounding = std::max(
      {0.0, low - printed.value - printed.half_unit - slack, printed.value - printed.half_unit - high - slack});
  // The largest of 0 and NaN is 0, so a NaN would pass as reproduced.
  if (!std::isfinite(value) || !std::isfinite(low) || !std::isfinite(high))
    out.beyond_rounding = std::numeric_limits<double>::infinity();
  return out;
}

double printed_change(int row, std::string_view benchmark) {
  return printed_value(2, row - 1, benchmark).value / printed_value(2, row - 2, benchmark).value - 1;
}

LossSeries paper_losses(std::string_view benchmark, std::string_view model, const ModelSizes& sizes) {
  LossSeries series{std::string(benchmark), std::string(model), {sizes.begin(), sizes.end()}, {}};
  for (std::size_t i = 0; i < sizes.size(); ++i)
    series.losses.push_back(printed_value(2, row_of_losses(model, i), benchmark).value);
  return series;
}

std::vector<Recomputed> recompute_fits(const ModelSizes& sizes) {
  std::vector<Recomputed> out;
  for (const int table : {3, 4}) {
    for (std::size_t model = 0; model < kModels.size(); ++model) {
      for (const char* benchmark : kBenchmarks) {
        for (const FitValue& what : kFitValues) {
          if (what.table == table) out.push_back(recompute_fit(what, benchmark, model, sizes));
        }
      }
    }
  }
  return out;
}

std::vector<Recomputed> recompute_tables(const ModelSizes& sizes) {
  std::vector<Recomputed> out;
  for (const PrintedValue& cell : printed_values()) {
    if (cell.table == 1 && cell.column == "w1 x w2") {
      const double product = printed_value(1, cell.row, "w1").value * printed_value(1, cell.row, "w2").value;
      out.push_back(compare(cell, "the windows of its row", {product, product, product}));
    }
    if (cell.label != "Delta") continue;
    const int base = cell.row - 2;
    out.push_back(compare(
        cell, cell.table == 2 ? "the losses above it" : "the exponents above it",
        relative(printed_value(cell.table, base, cell.column), printed_value(cell.table, base + 1, cell.column))));
  }
  std::ranges::move(recompute_fits(sizes), std::back_inserter(out));
  std::ranges::stable_sort(out, {}, [](const Recomputed& one) { return one.printed.table; });
  return out;
}

namespace {

struct FittedPair {
  FittedSeries transformer, simplicial;
};

FittedPair fit_both(const char* benchmark, const ModelSizes& sizes) {
  const auto fitted = [&](const char* model) {
    LossSeries losses = paper_losses(benchmark, model, sizes);
    const ScalingLaw law = fit_scaling_law(losses.sizes, losses.losses);
    return FittedSeries{std::move(losses), law};
  };
  return {fitted(kModels[0]), fitted(kModels[1])};
}

std::string decided_text(int decided) {
  const std::string rest = "decided at 95 %";
  if (decided == 0) return fmt::format("none is {}, so neither is their order", rest);
  return fmt::format("{} {} {}, which does not decide their order", decided, decided == 1 ? "is" : "are", rest);
}

}  // namespace

int decided_differences(const ModelSizes& sizes) {
  return static_cast<int>(std::ranges::count_if(kBenchmarks, [&](const char* benchmark) {
    const FittedPair both = fit_both(benchmark, sizes);
    return compare_laws(both.transformer, both.simplicial).decided();
  }));
}

std::string alpha_changes_text(const ModelSizes& sizes) {
  std::vector<std::string> from_printed, from_fits;
  for (const char* benchmark : kBenchmarks) {
    const std::string column = fmt::format("{} alpha", benchmark);
    const FittedPair both = fit_both(benchmark, sizes);
    const double printed = printed_value(3, 2, column).value / printed_value(3, 1, column).value - 1;
    from_printed.push_back(fmt::format("{} {:.1f} %", benchmark, 100 * printed));
    from_fits.push_back(
        fmt::format("{} {:.1f} %", benchmark, 100 * (both.simplicial.law.alpha / both.transformer.law.alpha - 1)));
  }
  return fmt::format(
      "A change of alpha is recomputed in two ways. From the exponents that Table 3 prints, as among the results: {}. "
      "From fits of the losses in Table 2, as with the scaling laws: {}.",
      fmt::join(from_printed, ", "), fmt::join(from_fits, ", "));
}

std::string harder_benchmarks_text(const ModelSizes& sizes) {
  struct Gain {
    std::string benchmark, printed;
    double part = 0, loss = 0;  // of alpha; of the largest Transformer
  };
  std::vector<Gain> gains;
  for (const char* benchmark : kBenchmarks) {
    const auto [transformer, simplicial] = fit_both(benchmark, sizes);
    gains.push_back({benchmark, printed_value(3, 3, fmt::format("{} alpha", benchmark)).printed,
                     simplicial.law.alpha / transformer.law.alpha - 1, transformer.losses.losses.back()});
  }
  std::ranges::sort(gains, std::greater{}, &Gain::part);
  std::vector<std::string> by_gain, by_loss;
  for (const Gain& one : gains)
    by_gain.push_back(fmt::format("{} {} ({:.1f} % recomputed)", one.benchmark, one.printed, 100 * one.part));
  std::ranges::sort(gains, std::greater{}, &Gain::loss);
  for (const Gain& one : gains) by_loss.push_back(fmt::format("{} {:.4f}", one.benchmark, one.loss));
  return fmt::format(
      "The paper concludes that alpha grows by more on harder, less saturated benchmarks such as MMLU-pro and GSM8k: "
      "{}. It does not measure how hard a benchmark is. By the losses of its largest Transformer the order is another: "
      "{}. Of the four differences {}. {}",
      fmt::join(by_gain, ", "), fmt::join(by_loss, ", "), decided_text(decided_differences(sizes)),
      alpha_changes_text(sizes));
}

SolvedSizes solve_sizes() {
  ModelSizes at{};
  for (std::size_t i = 0; i < 3; ++i) at.at(i) = std::log(kPrintedSizes.at(i));
  std::vector<double> tolerance;
  for (std::size_t model = 0; model < kModels.size(); ++model) {
    for (const char* benchmark : kBenchmarks) {
      for (const FitValue& what : kFitValues) {
        const Recomputed one = recompute_fit(what, benchmark, model, kPrintedSizes);
        tolerance.push_back(one.printed.half_unit + 0.5 * (one.high - one.low));
      }
    }
  }
  std::vector<double> misses = misses_at(at, tolerance);
  SolvedSizes solved{.misfit_printed_sizes = misfit(misses)};
  double damping = 1e-3;
  for (int step = 0; step < 200 && damping < 1e12; ++step) {
    const ModelSizes next = step_from(at, misses, tolerance, damping);
    const std::vector<double> then = misses_at(next, tolerance);
    const bool better = misfit(then) < misfit(misses);
    damping *= better ? 0.3 : 10;
    if (!better) continue;
    at = next;
    misses = then;
  }
  for (std::size_t i = 0; i < 3; ++i) solved.sizes.at(i) = std::exp(at.at(i));
  solved.misfit = misfit(misses);
  for (const Recomputed& one : recompute_fits(solved.sizes)) solved.reproduced += one.reproduced() ? 1 : 0;
  return solved;
}

}  // namespace triscope
