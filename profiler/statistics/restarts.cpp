// Moderated variances (Smyth, 2004): each row's variance between its restarts, with few degrees of freedom d, is taken
// together with a common one, s0, that counts as d0 further degrees of freedom:
//
//     variance = (d0 s0 + d s) / (d0 + d), with d0 + d degrees of freedom
//
// s0 and d0 come from the rows themselves. Under equal true variances log s scatters as trigamma(d / 2) says; what it
// scatters more is rows that differ truly, and makes d0 smaller. So rows that behave alike lend each other their
// degrees of freedom, and one row that does not takes little from the others. d0 is at most what the rows have
// together.
#include "profiler/statistics/restarts.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "kernels/base/error.hpp"
#include "profiler/statistics/quantile.hpp"
#include "profiler/statistics/student_t.hpp"

namespace triscope {
namespace {

// A row's variance between restarts, and its degrees of freedom.
using Variances = std::vector<Spread>;

Spread spread_of(std::span<const double> values) {
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double degrees = static_cast<double>(values.size()) - 1;
  return {degrees > 0 ? squares / degrees : 0, degrees};
}

// The x with trigamma(x) = y: trigamma falls, and lies between 1/x and 1/x + 1/x^2.
double inverse_trigamma(double y) {
  double low = 0.5 / y, high = 2 / y + 2 / std::sqrt(y);
  for (int step = 0; step < 100; ++step) {
    const double middle = (low + high) / 2;
    (trigamma(middle) > y ? low : high) = middle;
  }
  return (low + high) / 2;
}

double degrees_of(const Variances& rows) {
  double degrees = 0;
  for (const Spread& row : rows) degrees += row.degrees;
  return degrees;
}

// `most`: the degrees of freedom that the rows have together.
Spread pooled(const Variances& rows, double most) {
  std::vector<double> sizes;
  for (const Spread& row : rows) sizes.push_back(row.variance);
  if (rows.size() < 2) return {};  // a row lends nothing to itself
  // Times that are equal to the nanosecond have no logarithm of a variance.
  constexpr double kStep = 1e-10;
  const double least = std::max(kStep, 1e-5 * median(sizes));
  double sum = 0, squares = 0, expected = 0;
  const double count = static_cast<double>(rows.size());
  for (const Spread& row : rows) {
    const double half = row.degrees / 2;
    const double e = std::log(std::max(row.variance, least)) - digamma(half) + std::log(half);
    sum += e;
    squares += e * e;
    expected += trigamma(half) / count;
  }
  const double mean = sum / count;
  const double beyond = (squares - count * mean * mean) / (count - 1) - expected;
  if (beyond <= 0) return {std::exp(mean), most};
  const double prior = std::min(2 * inverse_trigamma(beyond), most);
  return {std::exp(mean + digamma(prior / 2) - std::log(prior / 2)), prior};
}

// Variance of the median of n normal values, relative to that of one. Exact to three digits up to 5, then to 1 %.
double median_variance(std::size_t n) {
  constexpr double kSmall[] = {1, 1, 0.5, 0.449, 0.298, 0.287};
  if (n < std::size(kSmall)) return kSmall[n];
  return M_PI / (2 * static_cast<double>(n) + (n % 2 == 0 ? 2.55 : 0.95));
}

// Which samples say how long the kernel takes when it runs. On a busy machine whole restarts lose most of their blocks,
// and become half as long again. One such restart in a row makes its variance a hundred times larger, and rows that are
// so unequal lend each other nothing. A block is preempted by what the system counted, not by how long it took: nothing
// is chosen by its outcome.
class Undisturbed {
 public:
  explicit Undisturbed(std::span<const Sample> samples) {
    for (const Sample& sample : samples) {
      if (!is_preempted(sample)) restarts_.insert(sample.restart);
    }
  }
  bool holds(const Sample& sample) const { return restarts_.size() < 2 || !is_preempted(sample); }

 private:
  std::set<std::int64_t> restarts_;  // that have undisturbed samples
};

}  // namespace

std::vector<double> values_of(const std::map<std::int64_t, double>& blocks) {
  std::vector<double> values;
  for (const auto& [block, value] : blocks) values.push_back(value);
  return values;
}

std::map<std::int64_t, double> restart_centres(std::span<const Sample> samples) {
  const Undisturbed undisturbed(samples);
  std::map<std::int64_t, std::map<std::int64_t, std::vector<double>>> blocks;
  for (const Sample& sample : samples) {
    if (sample.duration_ns <= 0) {
      throw Error("restarts cannot be compared", "a sample took no time", "measure something longer",
                  ExitCode::measured_failed);
    }
    if (undisturbed.holds(sample))
      blocks[sample.restart][sample.block].push_back(static_cast<double>(sample.duration_ns));
  }
  std::map<std::int64_t, double> centres;
  for (const auto& [restart, of_restart] : blocks) {
    std::vector<double> medians;
    for (const auto& [block, durations] : of_restart) medians.push_back(median(durations));
    centres[restart] = std::log(median(medians));
  }
  return centres;
}

namespace {

/// The samples of one block, as durations or cycles.
struct BlockValues {
  std::vector<double> all, undisturbed;
};

}  // namespace

RunBlocks log_blocks(std::span<const Sample> samples, bool cycles) {
  const Undisturbed undisturbed(samples);
  std::map<std::int64_t, std::map<std::int64_t, BlockValues>> values;
  for (const Sample& sample : samples) {
    double value = static_cast<double>(sample.duration_ns);
    if (cycles) {
      if (!(sample.sm_clock_mhz > 0.0)) continue;
      value *= *sample.sm_clock_mhz;
    }
    BlockValues& block = values[sample.restart][sample.block];
    block.all.push_back(value);
    if (undisturbed.holds(sample)) block.undisturbed.push_back(value);
  }
  RunBlocks blocks;
  for (const auto& [restart, of_restart] : values) {
    for (const auto& [block, of_block] : of_restart) {
      const double centre = blocks.all[restart][block] = std::log(median(of_block.all));
      if (of_block.undisturbed.empty()) continue;
      const bool whole = of_block.undisturbed.size() == of_block.all.size();
      blocks.undisturbed[restart][block] = whole ? centre : std::log(median(of_block.undisturbed));
    }
  }
  return blocks;
}

std::vector<double> centres_of(const RestartBlocks& blocks) {
  std::vector<double> centres;
  for (const auto& [restart, of_restart] : blocks) centres.push_back(median(values_of(of_restart)));
  return centres;
}

RestartedRow restarted_row(std::int64_t group, std::span<const Sample> samples, bool reference) {
  RunBlocks blocks = log_blocks(samples, false);
  return {group, std::move(blocks.all), centres_of(blocks.undisturbed), reference};
}

std::vector<std::vector<double>> paired_blocks(const RestartBlocks& a, const RestartBlocks& b) {
  std::vector<std::vector<double>> ratios;
  for (const auto& [restart, of_a] : a) {
    const auto of_b = b.find(restart);
    if (of_b == b.end()) continue;
    std::vector<double> pairs;
    for (const auto& [block, value] : of_a) {
      if (const auto other = of_b->second.find(block); other != of_b->second.end())
        pairs.push_back(value - other->second);
    }
    if (!pairs.empty()) ratios.push_back(std::move(pairs));
  }
  return ratios;
}

std::vector<double> paired_ratios(const RestartBlocks& a, const RestartBlocks& b) {
  std::vector<double> ratios;
  for (const std::vector<double>& pairs : paired_blocks(a, b)) ratios.push_back(winsorized_mean(pairs));
  return ratios;
}

SweepSpread spread_over(std::span<const RestartedRow> rows) {
  Variances times, ratios;
  std::map<std::int64_t, const RestartedRow*> before;  // in turns with the row, by group
  // All ratios of a group are against its first row. Where that one is unsteady, they say the same over and over; so a
  // group lends no more than one of its ratios has.
  std::map<std::int64_t, double> lent;
  for (const RestartedRow& row : rows) {
    if (row.centres.size() >= 2 && !row.reference) times.push_back(spread_of(row.centres));
    if (row.group < 0) continue;
    if (const RestartedRow*& partner = before[row.group]; partner == nullptr) {
      partner = &row;
    } else if (const std::vector<double> of_pair = paired_ratios(row.blocks, partner->blocks); of_pair.size() >= 2) {
      ratios.push_back(spread_of(of_pair));
      lent[row.group] = std::max(lent[row.group], ratios.back().degrees);
    }
  }
  double of_groups = 0;
  for (const auto& [group, degrees] : lent) of_groups += degrees;
  return {pooled(times, degrees_of(times)), pooled(ratios, of_groups)};
}

Centre centre_over_restarts(std::span<const double> values, const Spread& pooled) {
  const Spread own = spread_of(values);
  const double degrees = own.degrees + pooled.degrees;
  const double variance = (own.degrees * own.variance + pooled.degrees * pooled.variance) / degrees;
  return {median(values), std::sqrt(variance * median_variance(values.size())), degrees};
}

}  // namespace triscope
