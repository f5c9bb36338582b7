// How a set of metrics is collected on one chip, and what the collected data mean. Needs libcupti and libnvperf_host,
// no GPU and no driver, so that sets can be validated anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "profiler/worker/cuda/cupti_library.hpp"

namespace triscope {

class CounterConfig {
 public:
  /// `metrics` on the chip CUPTI calls `chip` ("GH100"). `availability` is the image of what this very GPU offers;
  /// empty: all that the chip has. Metrics that the chip does not know are left out and named by `unknown`. Throws
  /// `Error`: no such chip, none of the metrics known.
  CounterConfig(CuptiLibrary& cupti, const std::string& chip, const std::vector<std::string>& metrics,
                std::vector<std::uint8_t> availability = {});
  ~CounterConfig();

  const std::vector<std::string>& metrics() const;  ///< those that are collected
  const std::vector<std::string>& unknown() const;
  const std::vector<std::uint8_t>& image() const;  ///< what the GPU is programmed with
  std::int64_t passes() const;                     ///< launches needed to collect all

  /// The values of `metrics()` in range `range` of `counter_data`. One that cannot be computed is NaN.
  std::vector<double> evaluate(const std::vector<std::uint8_t>& counter_data, std::size_t range) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace triscope
