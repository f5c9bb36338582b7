// Whether blocks fall into two heaps, as when a clock sticks at one of two speeds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <vector>

#include "profiler/record/columns.hpp"
#include "profiler/statistics/restarts.hpp"
#include "profiler/statistics/statistics.hpp"

namespace triscope {
namespace {

constexpr std::size_t kFewest = 3;    // blocks of a heap
constexpr double kLeastShare = 0.15;  // of all blocks: fewer are outliers
constexpr double kLeastGap = 0.01;    // 1 % between the heaps' centres
constexpr double kSeparated = 6;      // gap over the deviation inside the heaps; the best cut of normal values: 2.7

struct Heap {
  double sum = 0, squares = 0, count = 0;
  void add(double value, double sign) {
    sum += sign * value;
    squares += sign * value * value;
    count += sign;
  }
  double mean() const { return sum / count; }
  double scatter() const { return std::max(0.0, squares - sum * sum / count); }
};

}  // namespace

std::optional<Modes> modes_of(std::span<const Sample> samples) {
  std::vector<Sample> undisturbed;
  std::ranges::remove_copy_if(samples, std::back_inserter(undisturbed), is_preempted);
  std::vector<double> blocks = block_medians_ms(undisturbed);
  if (blocks.size() < 2 * kFewest) return std::nullopt;
  std::sort(blocks.begin(), blocks.end());
  if (!(blocks.front() > 0)) return std::nullopt;
  const double origin = blocks.front();  // so that squares keep their digits
  Heap low, high;
  for (const double block : blocks) high.add(block / origin - 1, 1);
  const double count = high.count;
  std::optional<Modes> best;
  double least = high.scatter();
  for (std::size_t n = 0; n + 1 < blocks.size(); ++n) {
    low.add(blocks[n] / origin - 1, 1);
    high.add(blocks[n] / origin - 1, -1);
    const double inside = low.scatter() + high.scatter();
    if (inside >= least) continue;
    least = inside;
    const double gap = high.mean() - low.mean();
    const double fewest = std::max(static_cast<double>(kFewest), kLeastShare * count);
    const bool two = low.count >= fewest && high.count >= fewest && gap >= kLeastGap &&
                     gap * gap >= kSeparated * kSeparated * inside / count;
    best = two ? std::optional(Modes{origin * (1 + low.mean()), origin * (1 + high.mean()), high.count / count})
               : std::nullopt;
  }
  return best;
}

std::string modes_text(const Modes& modes) {
  return fmt::format("two modes: {} ms and {} ms ({:.0f} % of the blocks)", significant_text(modes.low_ms, 4),
                     significant_text(modes.high_ms, 4), 100 * modes.high_share);
}

}  // namespace triscope
