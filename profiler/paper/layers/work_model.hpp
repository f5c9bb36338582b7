// How long a launch takes, from what it computes: numbers of parts, such as work items and tiles, each at a cost that
// is fitted to measured launches of the same kernel.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace triscope {

/// A measured launch. `parts` are numbers of what it computes, as many for each launch.
struct WorkRow {
  std::vector<double> parts;
  double ms = 0;
  std::int64_t sweep = 0;  ///< launches of one sweep ran in the same company, so they share a factor
  std::int64_t kind = 0;   ///< launches of one kind, such as a pair of windows, share what the parts do not tell
};

struct WorkEstimate {
  double ms = 0;
  double half = 0;  ///< half of the 95 % interval of one more measurement, as a part of `ms`
};

/// Costs of parts and factors of sweeps that fit some launches best: least squares of the relative errors.
struct WorkFit {
  std::vector<std::size_t> kept;    ///< parts that some launch has
  std::vector<double> scale, cost;  ///< of each of them; costs are those of parts divided by their scale
  std::vector<std::vector<double>> inverse;
  struct Factor {
    double value = 1;
    int rows = 0;
  };
  std::map<std::int64_t, Factor> factors;  ///< by sweep; their logarithms have the mean 0
  double variance = 0, degrees = 0;        ///< of launches about it
  /// Of kinds: of the means of their launches about it, and one degree of freedom fewer for each part. However many
  /// launches a kind has, it says once how far the parts miss a kind.
  double kind_variance = 0, kind_degrees = 0;
  std::size_t kinds = 0;
};
/// nullopt where the rows are too few, or too much alike, to tell the costs apart.
std::optional<WorkFit> fit_work(std::span<const WorkRow> rows);

/// How far sweeps scatter, by fits of several instances. What a sweep does to one instance it does to the others
/// likewise, so only sweeps count as independent: of each set of instances that share sweeps one fewer than it has
/// sweeps, however many instances there are.
struct SweepScatter {
  double variance = 0;  ///< of the logarithms of factors
  double degrees = 0;   ///< of freedom; 0: no two sweeps are known
};
SweepScatter sweep_scatter(std::span<const WorkFit* const> fits);

/// Time of a launch with `parts` as it would be measured in sweep `of`, which has a row; without one, in any sweep:
/// then `scatter` is in the interval. So is the scatter of kinds where the launch is of none that the fit has. nullopt
/// without a scatter that is wanted, and where one of the parts is in none of the fit's launches.
std::optional<WorkEstimate> estimate_by_work(const WorkFit& fit, std::span<const double> parts,
                                             std::optional<std::int64_t> of, bool of_known_kind,
                                             const SweepScatter& scatter = {});

}  // namespace triscope
