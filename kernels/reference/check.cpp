#include "kernels/reference/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/base/error.hpp"
#include "kernels/base/philox.hpp"
#include "kernels/reference/check_product.hpp"
#include "kernels/reference/oracle.hpp"

namespace triscope {
namespace {

// The element of an output that differs most from its reference.
struct Furthest {
  double difference = 0, value = 0, reference = 0;
  std::string where;  ///< its index in the output
  std::int64_t element = 0;

  std::string text() const { return fmt::format("; most at [{}]: {:.6g} instead of {:.6g}", where, value, reference); }
};

// ||x - ref|| and what it is measured against; for score gradients the larger of ||ref|| and ||yardstick||.
class RelativeError {
 public:
  void add(double x, double reference, double yardstick) {
    if (std::abs(x - reference) > furthest_.difference) furthest_ = {std::abs(x - reference), x, reference, "", count_};
    ++count_;
    difference_ += (x - reference) * (x - reference);
    reference_ += reference * reference;
    yardstick_ += yardstick * yardstick;
  }
  void add(const RelativeError& more) {
    if (more.furthest_.difference > furthest_.difference) furthest_ = more.furthest_;
    difference_ += more.difference_;
    reference_ += more.reference_;
    yardstick_ += more.yardstick_;
  }
  const Furthest& furthest() const { return furthest_; }
  /// `row`: the index of this vector in the output.
  void place(const std::string& row) { furthest_.where = fmt::format("{}, {}", row, furthest_.element); }
  void place_at(std::int64_t index) { furthest_.where = fmt::format("{}", index); }
  double norm() const { return std::sqrt(std::max(reference_, yardstick_)); }
  double value() const { return over(norm()); }
  double over(double norm) const {
    if (norm > 0) return std::sqrt(difference_) / norm;
    return difference_ > 0 ? std::numeric_limits<double>::infinity() : 0.0;
  }

 private:
  double difference_ = 0, reference_ = 0, yardstick_ = 0;
  std::int64_t count_ = 0;
  Furthest furthest_;
};

// Of many rows. The outputs of long causal attention shrink with the position, so that over all rows at once the first
// few decide: `by_row` counts each row the same.
class RowErrors {
 public:
  void add(const RelativeError& row) {
    all_.add(row);
    rows_.push_back(row);
  }
  const Furthest& furthest() const { return all_.furthest(); }
  double at_once() const { return all_.value(); }
  /// Root mean square of the rows' own errors, each over its own norm, or the median one where that is larger: a row
  /// whose terms cancel has hardly a norm.
  double by_row() const {
    std::vector<double> norms;
    for (const RelativeError& row : rows_) norms.push_back(row.norm());
    if (norms.empty()) return 0;
    std::nth_element(norms.begin(), norms.begin() + static_cast<std::ptrdiff_t>(norms.size() / 2), norms.end());
    const double median = norms[norms.size() / 2];
    double squares = 0;
    for (const RelativeError& row : rows_) {
      const double error = row.over(std::max(row.norm(), median));
      squares += error * error;
    }
    return std::sqrt(squares / static_cast<double>(rows_.size()));
  }

 private:
  RelativeError all_;
  std::vector<RelativeError> rows_;
};

void add_vector(RelativeError& error, const float* x, const std::vector<double>& reference,
                const std::vector<double>* yardstick = nullptr) {
  for (std::size_t d = 0; d < reference.size(); ++d) {
    error.add(x[d], reference[d], yardstick != nullptr ? (*yardstick)[d] : 0.0);
  }
}

// bf16, relative errors of o: against the reference that rounds as the kernel does; what rounding q * k2 adds to it in
// quadrature, so that both make 4e-3 (docs/method.md).
constexpr double kRoundedBound = 2.5e-3, kFoldBound = 3.12e-3;
// The same of other inputs: weights that all lie just above a power of two (2^-7 / sqrt(12) is one deviation) and o
// make 2.8e-3; the few numbers that decide scatter by 3 %.
constexpr double kOtherInputsBound = 2.9e-3;
// bf16, absolute error of the LSE: six standard deviations of what the fold costs a row with one visible pair.
constexpr double kFoldLseBound = 1e-2;
// The half folds round eight times finer: o errs by the bound of the other reference, the LSE by ten deviations.
constexpr double kHalfLseBound = 2e-3, kHalfCrossLseBound = 3e-3;

/// What a fold's rounding costs a logit, times that of q * k2. A determinant's folded product has two terms: sqrt(2).
/// Made in bf16 (folds cross_k1 and cross_k2) one of them is rounded twice: sqrt(3).
double fold_rounding(const Problem& problem, Fold fold) {
  if (fold == Fold::cross_k1 || fold == Fold::cross_k2) return 1.732;
  return problem.form == Form::determinant && fold != Fold::none ? 1.414 : 1.0;
}

// Random numbers below `bound`, a function of (seed, counter) only.
std::int64_t draw(std::uint64_t seed, std::uint64_t counter, std::uint32_t which, std::int64_t bound) {
  const PhiloxBlock block = philox(counter, which, seed);
  const std::uint64_t word = (static_cast<std::uint64_t>(block.x[0]) << 32) | block.x[1];
  return static_cast<std::int64_t>(word % static_cast<std::uint64_t>(bound));
}

struct Index {
  std::int64_t batch, position, head;
};

// As in a tensor [batch, seq_len, heads, head_dim].
std::string text_of(const Index& index) { return fmt::format("{}, {}, {}", index.batch, index.position, index.head); }

// All of batch x seq_len x heads, or `count` of them: both ends of the last `span` positions and random ones.
std::vector<Index> choose(const Problem& problem, std::int64_t heads, std::int64_t count, std::int64_t span,
                          const CheckOptions& options, std::uint32_t which) {
  std::vector<Index> list;
  if (options.everything || count >= problem.batch * problem.seq_len * heads) {
    for (std::int64_t batch = 0; batch < problem.batch; ++batch) {
      for (std::int64_t position = 0; position < problem.seq_len; ++position) {
        for (std::int64_t head = 0; head < heads; ++head) list.push_back({batch, position, head});
      }
    }
    return list;
  }
  const std::int64_t begin = problem.seq_len - span;
  for (std::int64_t n = 0; n < count; ++n) {
    const auto counter = static_cast<std::uint64_t>(n);
    Index index{draw(options.seed, counter, which, problem.batch), begin + draw(options.seed, counter, which + 1, span),
                draw(options.seed, counter, which + 2, heads)};
    if (n == 0) index = {0, begin, 0};
    if (n == 1) index = {problem.batch - 1, problem.seq_len - 1, heads - 1};
    list.push_back(index);
  }
  return list;
}

std::vector<Index> chosen_rows(const Problem& problem, const CheckOptions& options) {
  return choose(problem, problem.q_heads, options.rows, problem.seq_len, options, 0);
}
std::vector<Index> chosen_keys(const Problem& problem, const CheckOptions& options) {
  const std::int64_t span = options.key_span > 0 ? std::min(options.key_span, problem.seq_len) : problem.seq_len;
  return choose(problem, problem.kv_heads, options.keys, span, options, 8);
}

class Checker {
 public:
  Checker(const KernelInfo& kernel, const Problem& problem, Pass pass, const HostInputs& inputs,
          const HostOutputs& outputs, const CheckOptions& options)
      : kernel_(kernel), problem_(problem), pass_(pass), inputs_(inputs), outputs_(outputs), options_(options) {}

  CheckResult run() {
    require_outputs();
    if (auto reason = not_finite()) {
      result_.worst = std::numeric_limits<double>::infinity();
      result_.failure = *reason;
      return result_;
    }
    const bool fp32 = problem_.element == Element::fp32;
    if (!options_.peaked || fp32 || kernel_.fold == Fold::none) compare(Fold::none, "");
    if (kernel_.fold != Fold::none && !fp32) compare(kernel_.fold, options_.peaked ? "" : "_rounded");
    return result_;
  }

 private:
  std::int64_t rows() const { return problem_.batch * problem_.seq_len * problem_.q_heads; }
  std::int64_t keys() const { return problem_.batch * problem_.seq_len * problem_.kv_heads; }

  struct Output {
    const char* name;
    const float* values;
    std::int64_t count;
    bool by_position = false;  ///< only the rows of `positions_read` need be there
  };
  std::vector<Output> expected() const {
    const std::int64_t dim = problem_.head_dim;
    std::vector<Output> list = {{"o", outputs_.o, rows() * dim, true}, {"lse", outputs_.lse, rows()}};
    if (pass_ == Pass::forward) return list;
    list.push_back({"grad_q", outputs_.grad_q, rows() * dim, true});
    list.push_back({"grad_k1", outputs_.grad_k1, keys() * dim});
    list.push_back({"grad_v1", outputs_.grad_v1, keys() * dim});
    if (problem_.form != Form::dot_product) {
      list.push_back({"grad_k2", outputs_.grad_k2, keys() * dim});
      list.push_back({"grad_v2", outputs_.grad_v2, keys() * dim});
    }
    if (problem_.sink) list.push_back({"grad_sink", outputs_.grad_sink, problem_.q_heads});
    return list;
  }

  void require_outputs() const {
    for (const Output& output : expected()) {
      if (output.values != nullptr) continue;
      throw Error("the outputs cannot be checked", fmt::format("{} is missing", output.name), "pass it",
                  ExitCode::usage);
    }
  }

  std::optional<std::string> not_finite() const {
    const std::vector<PositionRange> read = positions_read(problem_, pass_, options_);
    for (const Output& output : expected()) {
      const std::int64_t row = output.by_position ? problem_.q_heads * problem_.head_dim : 1;
      const std::vector<PositionRange> whole{{0, output.count}};
      std::int64_t bad = output.count;
      for (const PositionRange& range : output.by_position ? read : whole) {
        const std::int64_t end = (range.first + range.count) * row;
#pragma omp parallel for schedule(static) reduction(min : bad)
        for (std::int64_t n = range.first * row; n < end; ++n) {
          if (!std::isfinite(output.values[n])) bad = std::min(bad, n);
        }
      }
      if (bad < output.count) return fmt::format("{} has {} at element {}", output.name, output.values[bad], bad);
    }
    return std::nullopt;
  }

  // Compares with the reference that rounds `fold`; errors are recorded as output name + `suffix`.
  void compare(Fold fold, const std::string& suffix) {
    const Oracle oracle(problem_, inputs_, fold);
    compare_rows(oracle);
    if (pass_ == Pass::backward) {
      compare_keys(oracle);
      if (problem_.sink) compare_sink(oracle);
    }
    const Bounds bounds = bounds_of(problem_, fold != Fold::none, kernel_.fold, largest_lse_, options_.peaked);
    for (const auto& [name, error] : errors_) {
      // Peaked inputs leave keys without any mass, whose gradients are nothing but rounding.
      const double value = options_.peaked ? error.at_once() : std::max(error.at_once(), error.by_row());
      report(name + suffix, value, name == "o" ? bounds.o : bounds.gradient, fold, suffix.empty(), error.furthest());
    }
    result_.errors["lse" + suffix] = lse_error_;
    if (!(lse_error_ <= bounds.lse)) fail("lse" + suffix, "absolute", lse_error_, bounds.lse, fold, furthest_lse_);
    errors_.clear();
    lse_error_ = largest_lse_ = 0;
    furthest_lse_ = {};
  }

  void report(const std::string& name, double error, double bound, Fold fold, bool counts, const Furthest& furthest) {
    result_.errors[name] = error;
    if (counts) result_.worst = std::max(result_.worst, error);
    if (!(error <= bound)) fail(name, "relative", error, bound, fold, furthest);
  }

  void fail(const std::string& name, const char* kind, double error, double bound, Fold fold,
            const Furthest& furthest) {
    const std::string reference =
        fold == Fold::none ? "the exact reference" : "the reference that rounds " + std::string(to_string(fold));
    const std::string text = fmt::format("{}: {} error {:.3g} against {} exceeds {:.3g}{}", name, kind, error,
                                         reference, bound, furthest.text());
    result_.failure = result_.failure ? *result_.failure + "; " + text : text;
  }

  void compare_rows(const Oracle& oracle) {
    const std::vector<Index> sample = chosen_rows(problem_, options_);
    std::vector<RelativeError> o_errors(sample.size()), grad_q_errors(sample.size());
    std::vector<double> lse(sample.size());
#pragma omp parallel for schedule(dynamic, 1)
    for (std::size_t n = 0; n < sample.size(); ++n) {
      const OracleRow row{sample[n].batch, sample[n].position, sample[n].head};
      std::vector<double> o(static_cast<std::size_t>(problem_.head_dim));
      lse[n] = oracle.row(row, o);
      add_vector(o_errors[n], outputs_.o + oracle.row_offset(row), o);
      if (pass_ == Pass::forward) continue;
      const ScoreGradient grad_q = oracle.grad_q(row, {lse[n], oracle.delta(row, std::span<const double>(o))});
      add_vector(grad_q_errors[n], outputs_.grad_q + oracle.row_offset(row), grad_q.value, &grad_q.yardstick);
    }
    for (std::size_t n = 0; n < sample.size(); ++n) {
      const std::string where = text_of(sample[n]);
      o_errors[n].place(where);
      grad_q_errors[n].place(where);
      errors_["o"].add(o_errors[n]);
      if (pass_ == Pass::backward) errors_["grad_q"].add(grad_q_errors[n]);
      const OracleRow row{sample[n].batch, sample[n].position, sample[n].head};
      const double written = outputs_.lse[oracle.lse_offset(row)], difference = std::abs(written - lse[n]);
      if (difference > lse_error_) {
        lse_error_ = difference;
        furthest_lse_ = {difference, written, lse[n], fmt::format("{}, {}, {}", row.batch, row.head, row.position), 0};
      }
      largest_lse_ = std::max(largest_lse_, std::abs(lse[n]));
    }
  }

  // LSE and delta of rows that were not sampled are the kernel's own: its sampled ones have been compared.
  StatisticsOf own_statistics(const Oracle& oracle) const {
    return [this, &oracle](const OracleRow& row) {
      return RowStatistics{outputs_.lse[oracle.lse_offset(row)],
                           oracle.delta(row, outputs_.o + oracle.row_offset(row))};
    };
  }

  // Part of a key's gradient, so that a key which many rows see keeps all threads busy. Those of a key are neighbours.
  struct KeyPart {
    std::size_t place;  ///< of the key and its axis among the errors
    KeyAxis axis;
    OracleKey key;
    std::int64_t first;  ///< of `kPartPositions` positions
  };
  static constexpr std::int64_t kPartPositions = 64;

  static std::vector<KeyPart> parts_of(const Oracle& oracle, const std::vector<Index>& keys, bool two_axes) {
    std::vector<KeyPart> parts;
    for (std::size_t n = 0; n < 2 * keys.size(); ++n) {
      const KeyAxis axis = n % 2 == 0 ? KeyAxis::one : KeyAxis::two;
      if (axis == KeyAxis::two && !two_axes) continue;
      const OracleKey key{keys[n / 2].batch, keys[n / 2].position, keys[n / 2].head};
      const std::int64_t positions = oracle.positions_seeing(axis, key);
      for (std::int64_t first = 0; first < positions; first += kPartPositions) parts.push_back({n, axis, key, first});
    }
    return parts;
  }

  static void add(KeyGradient& sum, const KeyGradient& part) {
    const auto add_to = [](std::vector<double>& to, const std::vector<double>& more) {
      for (std::size_t d = 0; d < to.size(); ++d) to[d] += more[d];
    };
    add_to(sum.key.value, part.key.value);
    add_to(sum.key.yardstick, part.key.yardstick);
    add_to(sum.value, part.value);
  }

  void compare_keys(const Oracle& oracle) {
    const std::vector<Index> sample = chosen_keys(problem_, options_);
    const bool two_axes = problem_.form != Form::dot_product;
    const StatisticsOf statistics = own_statistics(oracle);
    std::vector<RelativeError> key_errors(2 * sample.size()), value_errors(2 * sample.size());
    const std::vector<KeyPart> parts = parts_of(oracle, sample, two_axes);
    std::vector<KeyGradient> gradients(parts.size());
#pragma omp parallel for schedule(dynamic, 1)
    for (std::size_t n = 0; n < parts.size(); ++n) {
      const KeyPart& part = parts[n];
      gradients[n] = oracle.grad_key_of(part.axis, part.key, statistics, part.first, kPartPositions);
    }
    for (std::size_t n = 0; n < parts.size();) {
      const KeyPart& part = parts[n];
      KeyGradient gradient = std::move(gradients[n++]);
      for (; n < parts.size() && parts[n].first > 0; ++n) add(gradient, gradients[n]);
      const bool one = part.axis == KeyAxis::one;
      const float* keys = (one ? outputs_.grad_k1 : outputs_.grad_k2) + oracle.key_offset(part.key);
      const float* values = (one ? outputs_.grad_v1 : outputs_.grad_v2) + oracle.key_offset(part.key);
      add_vector(key_errors[part.place], keys, gradient.key.value, &gradient.key.yardstick);
      add_vector(value_errors[part.place], values, gradient.value);
    }
    for (std::size_t n = 0; n < 2 * sample.size(); ++n) {
      if (n % 2 == 1 && !two_axes) continue;
      key_errors[n].place(text_of(sample[n / 2]));
      value_errors[n].place(text_of(sample[n / 2]));
      errors_[n % 2 == 0 ? "grad_k1" : "grad_k2"].add(key_errors[n]);
      errors_[n % 2 == 0 ? "grad_v1" : "grad_v2"].add(value_errors[n]);
    }
  }

  void compare_sink(const Oracle& oracle) {
    const StatisticsOf statistics = own_statistics(oracle);
    std::vector<RelativeError> errors(static_cast<std::size_t>(problem_.q_heads));
#pragma omp parallel for schedule(dynamic, 1)
    for (std::int64_t head = 0; head < problem_.q_heads; ++head) {
      const Oracle::SinkGradient gradient = oracle.grad_sink(head, statistics);
      errors[static_cast<std::size_t>(head)].add(outputs_.grad_sink[head], gradient.value, gradient.yardstick);
    }
    for (std::int64_t head = 0; head < problem_.q_heads; ++head) errors[static_cast<std::size_t>(head)].place_at(head);
    RelativeError all;  // one number a head: only together are they a vector
    for (const RelativeError& error : errors) all.add(error);
    errors_["grad_sink"].add(all);
  }

  const KernelInfo& kernel_;
  const Problem& problem_;
  const Pass pass_;
  const HostInputs& inputs_;
  const HostOutputs& outputs_;
  const CheckOptions& options_;
  CheckResult result_;
  std::map<std::string, RowErrors> errors_;
  double lse_error_ = 0;
  Furthest furthest_lse_;
  double largest_lse_ = 0;
};

}  // namespace

// Kernels design, section 7. fp32 sums of a logit err in proportion to its size, which for peaked inputs is the LSE's:
// 2^-21 allows two roundings of each of a few dozen terms.
Bounds bounds_of(const Problem& problem, bool rounded_reference, Fold fold, double largest_lse, bool peaked) {
  if (problem.element == Element::fp32) {
    const double peaked_bound = peaked ? std::clamp(0x1p-21 * largest_lse, 1e-5, 1e-2) : 1e-5;
    return {peaked_bound, 1e-5 * std::max(1.0, 0.1 * largest_lse), peaked_bound};
  }
  // Tensor cores add 16 products at a time and truncate each sum to fp32: 8 times for 128 dimensions, 2^-23 of it each.
  if (rounded_reference)
    return {peaked ? kOtherInputsBound : kRoundedBound, std::max(1e-4, 0x1p-20 * largest_lse), 1e-2};
  if (is_half(fold))
    return {kRoundedBound, problem.form == Form::determinant ? kHalfCrossLseBound : kHalfLseBound, 1e-2};
  const double folds = fold_rounding(problem, fold);
  return {std::hypot(kRoundedBound, kFoldBound * folds), kFoldLseBound * folds, 1e-2};
}

std::vector<PositionRange> positions_read(const Problem& problem, Pass pass, const CheckOptions& options) {
  const std::int64_t positions = problem.batch * problem.seq_len;
  const bool sums_all = pass == Pass::backward && problem.sink;  // the gradient of a sink
  if (problem.form == Form::gemm || options.everything || sums_all) return {{0, positions}};
  std::vector<PositionRange> read;
  for (const Index& row : chosen_rows(problem, options))
    read.push_back({row.batch * problem.seq_len + row.position, 1});
  if (pass == Pass::backward) {
    const std::int64_t window = std::max(problem.window1, problem.window2);
    for (const Index& key : chosen_keys(problem, options)) {
      const std::int64_t first = problem.mask == Mask::full ? 0 : key.position;
      const std::int64_t end = problem.mask == Mask::full ? problem.seq_len : std::min(problem.seq_len, first + window);
      read.push_back({key.batch * problem.seq_len + first, end - first});
    }
  }
  std::sort(read.begin(), read.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<PositionRange> apart;
  for (const PositionRange& range : read) {
    if (apart.empty() || range.first > apart.back().first + apart.back().count) {
      apart.push_back(range);
    } else {
      PositionRange& last = apart.back();
      last.count = std::max(last.count, range.first + range.count - last.first);
    }
  }
  return apart;
}

CheckResult check_against_oracle(const KernelInfo& kernel, const Problem& problem, Pass pass, const HostInputs& inputs,
                                 const HostOutputs& outputs, const CheckOptions& options) {
  if (problem.form == Form::gemm) return check_product(problem, inputs, outputs, options);
  return Checker(kernel, problem, pass, inputs, outputs, options).run();
}

}  // namespace triscope
