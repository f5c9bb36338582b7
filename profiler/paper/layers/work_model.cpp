#include "profiler/paper/layers/work_model.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "profiler/statistics/student_t.hpp"

namespace triscope {
namespace {

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

constexpr double kLeastPivot = 1e-6;     ///< of columns of length 1: below it they are the same
constexpr double kLeastScatter = 0.005;  ///< as precise as a sweep measures
constexpr double kFewestDegrees = 2;
constexpr int kRounds = 30;  ///< costs and factors in turns; they change by less than 1e-6 long before

double dot(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

Vector times(const Matrix& matrix, const Vector& vector) {
  Vector product;
  for (const Vector& row : matrix) product.push_back(dot(row, vector));
  return product;
}

/// By Gauss and Jordan; nullopt for a singular one. Symmetric, of a few rows.
std::optional<Matrix> inverse(Matrix matrix) {
  const std::size_t size = matrix.size();
  for (std::size_t n = 0; n < size; ++n) {
    matrix[n].resize(2 * size);
    matrix[n][size + n] = 1;
  }
  for (std::size_t n = 0; n < size; ++n) {
    const double pivot = matrix[n][n];
    if (!(pivot > kLeastPivot)) return std::nullopt;
    for (double& value : matrix[n]) value /= pivot;
    for (std::size_t other = 0; other < size; ++other) {
      if (other == n) continue;
      const double factor = matrix[other][n];
      for (std::size_t k = 0; k < 2 * size; ++k) matrix[other][k] -= factor * matrix[n][k];
    }
  }
  for (Vector& row : matrix) row.erase(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(size));
  return matrix;
}

struct Factor {
  double value = 1;
  int rows = 0;
};

struct Fit {
  std::vector<std::size_t> kept;  ///< parts that some row has
  Vector scale, cost;             ///< of each of them; costs are those of parts divided by their scale
  Matrix inverse;
  std::map<std::int64_t, Factor> factors;
  double variance = 0, degrees = 0;

  Vector scaled(std::span<const double> parts, double factor) const {
    Vector values;
    for (std::size_t n = 0; n < kept.size(); ++n) values.push_back(parts[kept[n]] * factor / scale[n]);
    return values;
  }
};

/// One step: the costs with the factors as they are. False where the rows cannot tell them apart.
bool fit_costs(std::span<const WorkRow> rows, Fit& fit) {
  const std::size_t size = fit.kept.size();
  fit.scale.assign(size, 1);
  Matrix lines;
  for (const WorkRow& row : rows) lines.push_back(fit.scaled(row.parts, fit.factors.at(row.sweep).value / row.ms));
  Vector lengths(size, 0), sums(size, 0);
  for (const Vector& line : lines) {
    for (std::size_t n = 0; n < size; ++n) lengths[n] += line[n] * line[n];
  }
  for (std::size_t n = 0; n < size; ++n) fit.scale[n] = std::sqrt(lengths[n]);
  Matrix products(size, Vector(size, 0));
  for (Vector& line : lines) {
    for (std::size_t n = 0; n < size; ++n) line[n] /= fit.scale[n];
    for (std::size_t n = 0; n < size; ++n) {
      sums[n] += line[n];
      for (std::size_t k = 0; k < size; ++k) products[n][k] += line[n] * line[k];
    }
  }
  std::optional<Matrix> inverted = inverse(std::move(products));
  if (!inverted) return false;
  fit.inverse = *std::move(inverted);
  fit.cost = times(fit.inverse, sums);
  return true;
}

/// The other step: of each sweep the factor that fits it best, one of them being 1 in the mean of logarithms.
bool fit_factors(std::span<const WorkRow> rows, Fit& fit) {
  std::map<std::int64_t, std::pair<double, double>> sums;
  for (const WorkRow& row : rows) {
    const double ratio = dot(fit.scaled(row.parts, 1), fit.cost) / row.ms;
    sums[row.sweep].first += ratio;
    sums[row.sweep].second += ratio * ratio;
  }
  double logarithms = 0;
  for (auto& [sweep, factor] : fit.factors) {
    factor.value = sums[sweep].first / sums[sweep].second;
    if (!(factor.value > 0)) return false;
    logarithms += std::log(factor.value) / static_cast<double>(fit.factors.size());
  }
  for (auto& [sweep, factor] : fit.factors) factor.value /= std::exp(logarithms);
  return true;
}

std::optional<Fit> fit_rows(std::span<const WorkRow> rows) {
  Fit fit;
  for (const WorkRow& row : rows) ++fit.factors[row.sweep].rows;
  for (std::size_t n = 0; !rows.empty() && n < rows.front().parts.size(); ++n) {
    if (std::ranges::any_of(rows, [&](const WorkRow& row) { return row.parts[n] > 0; })) fit.kept.push_back(n);
  }
  fit.degrees = static_cast<double>(rows.size()) - static_cast<double>(fit.kept.size() + fit.factors.size() - 1);
  if (fit.kept.empty() || fit.degrees < kFewestDegrees) return std::nullopt;
  for (int round = 0; round < kRounds; ++round) {
    if (!fit_costs(rows, fit) || !fit_factors(rows, fit)) return std::nullopt;
  }
  if (!fit_costs(rows, fit)) return std::nullopt;
  for (const WorkRow& row : rows) {
    const double miss = 1 - dot(fit.scaled(row.parts, fit.factors.at(row.sweep).value / row.ms), fit.cost);
    fit.variance += miss * miss / fit.degrees;
  }
  fit.variance = std::max(fit.variance, kLeastScatter * kLeastScatter);
  return fit;
}

/// Squares of the logarithms of factors about their mean, which is 0 in each fit; degrees of freedom.
struct FactorScatter {
  double squares = 0, degrees = 0;
  void add(const Fit& fit) {
    for (const auto& [sweep, factor] : fit.factors) squares += std::log(factor.value) * std::log(factor.value);
    degrees += static_cast<double>(fit.factors.size()) - 1;
  }
};

double squared(double value) { return value * value; }

}  // namespace

std::optional<WorkEstimate> estimate_by_work(std::span<const WorkRow> rows, std::span<const double> parts,
                                             std::optional<std::int64_t> of,
                                             std::span<const std::vector<WorkRow>> others) {
  const std::optional<Fit> fit = fit_rows(rows);
  if (!fit) return std::nullopt;
  for (std::size_t n = 0; n < parts.size(); ++n) {
    if (parts[n] > 0 && std::ranges::find(fit->kept, n) == fit->kept.end()) return std::nullopt;
  }
  FactorScatter scatter;
  if (!of) {
    scatter.add(*fit);
    for (const std::vector<WorkRow>& one : others) {
      if (const std::optional<Fit> other = fit_rows(one)) scatter.add(*other);
    }
    if (!(scatter.degrees > 0)) return std::nullopt;
  }
  const Factor factor = of ? fit->factors.at(*of) : Factor{};
  Vector line = fit->scaled(parts, factor.value);
  WorkEstimate estimate{dot(line, fit->cost), 0};
  if (!(estimate.ms > 0)) return std::nullopt;
  for (double& value : line) value /= estimate.ms;
  double variance = 1 + dot(line, times(fit->inverse, line));
  if (of) variance += 1.0 / factor.rows;
  double half_squared = squared(t_quantile(0.975, fit->degrees)) * fit->variance * variance;
  if (!of) {
    const double one_more = 1 + 1 / static_cast<double>(fit->factors.size());
    half_squared += squared(t_quantile(0.975, scatter.degrees)) * scatter.squares / scatter.degrees * one_more;
  }
  estimate.half = std::sqrt(half_squared);
  return estimate;
}

}  // namespace triscope
