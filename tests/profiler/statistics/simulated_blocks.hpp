// Simulated block times with a known centre, for the tests of the statistics.
#pragma once

#include <cmath>
#include <random>
#include <vector>

namespace triscope {

/// How one simulated kernel is disturbed. All values relative to a block time of 1.
struct Disturbance {
  double noise = 0.003;        ///< standard deviation of a block
  double correlation = 0;      ///< of neighbouring blocks (first-order autoregressive)
  double outlier_share = 0;    ///< share of blocks preempted: 5 to 25 % longer
  double degrees = 0;          ///< > 0: Student t noise with so many degrees of freedom instead of normal
  double drift_per_block = 0;  ///< linear, as from heat
  double wave = 0;             ///< amplitude of a sine of 12 blocks' period, as from a power controller
};

/// Deterministic for a seed.
class BlockSimulation {
 public:
  explicit BlockSimulation(std::uint64_t seed) : engine_(seed) {}

  /// `count` blocks around `centre`.
  std::vector<double> blocks(const Disturbance& disturbance, std::size_t count, double centre = 1) {
    std::vector<double> values;
    values.reserve(count);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    std::student_t_distribution<double> heavy(disturbance.degrees > 0 ? disturbance.degrees : 1);
    const double innovation = std::sqrt(1 - disturbance.correlation * disturbance.correlation);
    const double phase = uniform(engine_) * 2 * M_PI;
    double state = normal(engine_);
    for (std::size_t i = 0; i < count; ++i) {
      double value = 1 + disturbance.noise * (disturbance.degrees > 0 ? heavy(engine_) : state);
      if (uniform(engine_) < disturbance.outlier_share) value += 0.05 + 0.2 * uniform(engine_);
      value += disturbance.drift_per_block * static_cast<double>(i);
      value += disturbance.wave * std::sin(phase + 2 * M_PI * static_cast<double>(i) / 12);
      values.push_back(centre * value);
      state = disturbance.correlation * state + innovation * normal(engine_);
    }
    return values;
  }

 private:
  std::mt19937_64 engine_;
};

/// The true median of one block. With outliers the median shifts to the quantile 1 / (2 (1 - share)) of the rest.
/// Drift: the middle of `blocks` blocks.
inline double true_centre(const Disturbance& disturbance, std::size_t blocks) {
  double low = 0, high = 1;  // in standard deviations: P(Z < x) = 0.5 / (1 - share), solved by bisection
  for (int step = 0; step < 60; ++step) {
    const double x = (low + high) / 2;
    const bool below = 0.5 * std::erfc(-x / std::sqrt(2.0)) < 0.5 / (1 - disturbance.outlier_share);
    (below ? low : high) = x;
  }
  return 1 + disturbance.noise * low + disturbance.drift_per_block * (static_cast<double>(blocks) - 1) / 2;
}

}  // namespace triscope
