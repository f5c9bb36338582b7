// Samples of several restarts, for the tests of the statistics.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// A block for each number, by restart: the logarithm of its time in seconds.
inline std::vector<Sample> restarts_of(const std::vector<std::vector<double>>& logarithms) {
  std::vector<Sample> samples;
  for (std::size_t restart = 0; restart < logarithms.size(); ++restart) {
    for (std::size_t block = 0; block < logarithms[restart].size(); ++block) {
      Sample& sample = samples.emplace_back();
      sample.restart = static_cast<std::int64_t>(restart);
      sample.block = static_cast<std::int64_t>(block);
      sample.duration_ns = std::llround(1e9 * std::exp(logarithms[restart][block]));
    }
  }
  return samples;
}

/// One block in each restart.
inline std::vector<Sample> restarts_of(const std::vector<double>& logarithms) {
  std::vector<std::vector<double>> restarts;
  for (const double logarithm : logarithms) restarts.push_back({logarithm});
  return restarts_of(restarts);
}

}  // namespace triscope
