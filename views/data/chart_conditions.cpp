#include "views/data/chart_conditions.hpp"

#include <fmt/format.h>

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

std::string repeats_words(std::size_t fewest, std::size_t most) {
  if (most <= kMostStrokes) return "each a stroke right of it";
  if (fewest > kMostStrokes) return "the box on it their middle half";
  return fmt::format("each a stroke right of it, of more than {} a box their middle half", kMostStrokes);
}

}  // namespace triscope
