#include "profiler/paper/layers/work_model.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "kernels/base/work_count.hpp"
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

/// Into `values`, whose memory is kept: a fit does this some thirty times for each of its rows.
void scale(const WorkFit& fit, std::span<const double> parts, double factor, Vector& values) {
  values.resize(fit.kept.size());
  for (std::size_t n = 0; n < fit.kept.size(); ++n) values[n] = parts[fit.kept[n]] * factor / fit.scale[n];
}

/// One step: the costs with the factors as they are. False where the rows cannot tell them apart. `lines` is memory.
bool fit_costs(std::span<const WorkRow> rows, WorkFit& fit, Matrix& lines) {
  const std::size_t size = fit.kept.size();
  fit.scale.assign(size, 1);
  lines.resize(rows.size());
  for (std::size_t n = 0; n < rows.size(); ++n)
    scale(fit, rows[n].parts, fit.factors.at(rows[n].sweep).value / rows[n].ms, lines[n]);
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
bool fit_factors(std::span<const WorkRow> rows, WorkFit& fit) {
  std::map<std::int64_t, std::pair<double, double>> sums;
  Vector line;
  for (const WorkRow& row : rows) {
    scale(fit, row.parts, 1, line);
    const double ratio = dot(line, fit.cost) / row.ms;
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

double squared(double value) { return value * value; }

/// The sets of sweeps that fits have, those that share a sweep made one.
std::vector<std::set<std::int64_t>> sets_of_sweeps(std::span<const WorkFit* const> fits) {
  std::vector<std::set<std::int64_t>> sets;
  for (const WorkFit* fit : fits) {
    std::set<std::int64_t> joined;
    for (const auto& [sweep, factor] : fit->factors) joined.insert(sweep);
    std::erase_if(sets, [&](const std::set<std::int64_t>& other) {
      const bool shared = std::ranges::any_of(other, [&](std::int64_t sweep) { return joined.contains(sweep); });
      if (shared) joined.insert(other.begin(), other.end());
      return shared;
    });
    sets.push_back(std::move(joined));
  }
  return sets;
}

}  // namespace

std::optional<WorkFit> fit_work(std::span<const WorkRow> rows) {
  ++work_count.fits;
  WorkFit fit;
  for (const WorkRow& row : rows) ++fit.factors[row.sweep].rows;
  for (std::size_t n = 0; !rows.empty() && n < rows.front().parts.size(); ++n) {
    if (std::ranges::any_of(rows, [&](const WorkRow& row) { return row.parts[n] > 0; })) fit.kept.push_back(n);
  }
  fit.degrees = static_cast<double>(rows.size()) - static_cast<double>(fit.kept.size() + fit.factors.size() - 1);
  if (fit.kept.empty() || fit.degrees < kFewestDegrees) return std::nullopt;
  Matrix lines;
  for (int round = 0; round < kRounds; ++round) {
    if (!fit_costs(rows, fit, lines) || !fit_factors(rows, fit)) return std::nullopt;
  }
  if (!fit_costs(rows, fit, lines)) return std::nullopt;
  struct Misses {
    double sum = 0;
    int rows = 0;
  };
  std::map<std::int64_t, Misses> kinds;
  Vector line;
  for (const WorkRow& row : rows) {
    scale(fit, row.parts, fit.factors.at(row.sweep).value / row.ms, line);
    const double miss = 1 - dot(line, fit.cost);
    fit.variance += miss * miss / fit.degrees;
    kinds[row.kind].sum += miss;
    ++kinds[row.kind].rows;
  }
  fit.kinds = kinds.size();
  fit.kind_degrees = static_cast<double>(kinds.size()) - static_cast<double>(fit.kept.size());
  for (const auto& [kind, misses] : kinds) fit.kind_variance += squared(misses.sum / misses.rows);
  fit.kind_variance /= std::max(1.0, fit.kind_degrees);
  fit.variance = std::max(fit.variance, kLeastScatter * kLeastScatter);
  return fit;
}

SweepScatter sweep_scatter(std::span<const WorkFit* const> fits) {
  double squares = 0, contrasts = 0;  // of a fit: its factors about their mean
  for (const WorkFit* fit : fits) {
    for (const auto& [sweep, factor] : fit->factors) squares += squared(std::log(factor.value));
    contrasts += static_cast<double>(fit->factors.size()) - 1;
  }
  SweepScatter scatter;
  for (const std::set<std::int64_t>& sweeps : sets_of_sweeps(fits))
    scatter.degrees += static_cast<double>(sweeps.size()) - 1;
  if (contrasts > 0) scatter.variance = squares / contrasts;
  return scatter;
}

std::optional<WorkEstimate> estimate_by_work(const WorkFit& fit, std::span<const double> parts,
                                             std::optional<std::int64_t> of, bool of_known_kind,
                                             const SweepScatter& scatter) {
  for (std::size_t n = 0; n < parts.size(); ++n) {
    if (parts[n] > 0 && std::ranges::find(fit.kept, n) == fit.kept.end()) return std::nullopt;
  }
  if (!of && !(scatter.degrees > 0)) return std::nullopt;
  if (!of_known_kind && !(fit.kind_degrees > 0)) return std::nullopt;
  const WorkFit::Factor factor = of ? fit.factors.at(*of) : WorkFit::Factor{};
  Vector line;
  scale(fit, parts, factor.value, line);
  WorkEstimate estimate{dot(line, fit.cost), 0};
  if (!(estimate.ms > 0)) return std::nullopt;
  for (double& value : line) value /= estimate.ms;
  double variance = 1 + dot(line, times(fit.inverse, line));
  if (of) variance += 1.0 / factor.rows;
  double half_squared = squared(t_quantile(0.975, fit.degrees)) * fit.variance * variance;
  const auto add = [&](double degrees, double scattered, std::size_t known) {
    half_squared += squared(t_quantile(0.975, degrees)) * scattered * (1 + 1 / static_cast<double>(known));
  };
  if (!of) add(scatter.degrees, scatter.variance, fit.factors.size());
  if (!of_known_kind) add(fit.kind_degrees, fit.kind_variance, fit.kinds);
  estimate.half = std::sqrt(half_squared);
  return estimate;
}

}  // namespace triscope
