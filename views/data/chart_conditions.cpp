#include "views/data/chart_conditions.hpp"

#include "kernels/base/error.hpp"
#include "profiler/plan/request.hpp"

namespace triscope {

std::optional<double> precision_asked(const SweepInfo& sweep) {
  try {
    return sweep_request_from_json(sweep.request_json).stopping.precision;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace triscope
