#include "kernels/cpu/slice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>

#include "kernels/cpu/slice_operands.hpp"
#include "kernels/error.hpp"

namespace triscope {
namespace {

using cpu::kMaskedLogit;
using cpu::SliceFolded;
using cpu::SliceInstructions;
using cpu::SliceKeys;
using cpu::SliceRange;
using cpu::SliceRowSums;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kRowsAtATime = 8;
constexpr double kWorthThreads = 1e6;  // multiplications: for less, waking threads costs more than it saves

std::int64_t elapsed_ns(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

std::optional<double> sink_of(const AttentionTensors& tensors, std::int64_t head) {
  if (tensors.sink.empty()) return std::nullopt;
  return tensors.sink[static_cast<std::size_t>(head)];
}

/// Sums over all pairs of a query relative to a running maximum; the sink joins at the end.
class Distribution {
 public:
  /// Makes room for logits up to `maximum`; returns the reference to take exponentials against.
  double reference(double maximum) {
    if (maximum > maximum_) {
      const double factor = std::exp(maximum_ - maximum);
      for (double* sum : {&sum_, &sum_logit_, &sum1_, &sum2_}) *sum *= factor;
      maximum_ = maximum;
    }
    return maximum_;
  }
  void add(const SliceRowSums& row, double distance2) {
    sum_ += row.sum;
    sum_logit_ += row.sum_logit;
    sum1_ += row.sum_distance;
    sum2_ += row.sum * distance2;
  }

  struct Result {
    double lse = 0, entropy = 0, largest_p = 0, sink_p = 0, distance1 = 0, distance2 = 0;
  };
  Result result(std::optional<double> sink) const {
    const double top = sink ? std::max(*sink, maximum_) : maximum_;
    const double pairs = sum_ == 0 ? 0 : sum_ * std::exp(maximum_ - top);  // all of them may be masked or not finite
    const double blank = sink ? std::exp(*sink - top) : 0;
    Result result;
    result.lse = top + std::log(pairs + blank);
    result.largest_p = sum_ == 0 ? 0 : std::exp(maximum_ - result.lse);
    result.sink_p = sink ? std::exp(*sink - result.lse) : 0;
    const double pairs_p = sum_ == 0 ? 0 : std::exp(maximum_ - result.lse);
    // -sum p log p = lse - sum p logit, over pairs and sink
    result.entropy = std::max(0.0, result.lse - pairs_p * sum_logit_ - (sink ? result.sink_p * *sink : 0));
    result.distance1 = sum_ == 0 ? 0 : sum1_ / sum_;
    result.distance2 = sum_ == 0 ? 0 : sum2_ / sum_;
    return result;
  }

 private:
  double maximum_ = kMaskedLogit;
  double sum_ = 0, sum_logit_ = 0, sum1_ = 0, sum2_ = 0;
};

/// Logits row by row, a few rows in memory at a time. `visit(k, row, maximum)`: row k of axis 2, its largest logit.
template <typename Visit>
Distribution stream(const SliceInstructions& instructions, const SliceKeys& keys, const SliceFolded& folded,
                    std::int64_t query, std::vector<double>& scratch, Visit visit) {
  Distribution distribution;
  scratch.resize(static_cast<std::size_t>(kRowsAtATime * keys.padded));
  for (std::int64_t first = 0; first < folded.range.count; first += kRowsAtATime) {
    const std::int64_t rows = std::min(kRowsAtATime, folded.range.count - first);
    cpu::slice_logits(instructions, folded, keys, first, rows, scratch.data());
    for (std::int64_t row = 0; row < rows; ++row) {
      const double* x = scratch.data() + row * keys.padded;
      std::int64_t not_finite = 0;
      const double maximum = instructions.largest(x, keys.padded, not_finite);
      visit(first + row, x, maximum);
      if (maximum == kMaskedLogit) continue;
      const double reference = distribution.reference(maximum);
      distribution.add(instructions.exponentials(x, keys.padded, reference, keys.distance.data(), nullptr),
                       static_cast<double>(query - folded.range.first - first - row));
    }
  }
  return distribution;
}

/// One slice with all its logits in memory.
class SliceMaker {
 public:
  SliceMaker(const AttentionTensors& tensors, const SliceQuery& query)
      : query_(query),
        instructions_(cpu::slice_instructions()),
        keys_(tensors, query, query.head / tensors.group()),
        folded_(tensors, query, query.head),
        sink_(sink_of(tensors, query.head)) {}

  Slice make(std::int64_t top) {
    Slice slice;
    slice.first1 = keys_.range.first;
    slice.count1 = keys_.range.count;
    slice.first2 = folded_.range.first;
    slice.count2 = folded_.range.count;
    compute_logits(slice);
    sum(slice);
    write(slice);
    pick(slice, top);
    return slice;
  }

 private:
  bool worth_threads() const { return static_cast<double>(folded_.folded.size()) * static_cast<double>(keys_.padded) > kWorthThreads; }
  const double* row(std::int64_t k) const { return logits_.get() + k * keys_.padded; }

  void compute_logits(Slice& slice) {
    logits_.reset(new double[static_cast<std::size_t>(slice.count2 * keys_.padded)]);
    maxima_.resize(static_cast<std::size_t>(slice.count2));
    std::int64_t not_finite = 0;
#pragma omp parallel for schedule(dynamic, 4) reduction(+ : not_finite) if (worth_threads())
    for (std::int64_t first = 0; first < slice.count2; first += kRowsAtATime) {
      const std::int64_t rows = std::min(kRowsAtATime, slice.count2 - first);
      double* out = logits_.get() + first * keys_.padded;
      cpu::slice_logits(instructions_, folded_, keys_, first, rows, out);
      for (std::int64_t k = 0; k < rows; ++k) {
        maxima_[static_cast<std::size_t>(first + k)] = instructions_.largest(out + k * keys_.padded, keys_.padded, not_finite);
      }
    }
    if (not_finite == 0) return;
    for (std::int64_t k = 0; k < slice.count2; ++k) {
      for (std::int64_t j = 0; j < slice.count1; ++j) {
        slice.nan_count += std::isnan(row(k)[j]);
        slice.infinite_count += std::isinf(row(k)[j]);
      }
    }
  }

  void sum(Slice& slice) {
    Distribution distribution;
    const double reference = distribution.reference(*std::max_element(maxima_.begin(), maxima_.end()));
    std::vector<double> columns(static_cast<std::size_t>(keys_.padded)), rows(static_cast<std::size_t>(slice.count2));
    std::vector<SliceRowSums> sums(static_cast<std::size_t>(slice.count2));
#pragma omp parallel if (worth_threads())
    {
      std::vector<double> own(columns.size());
#pragma omp for schedule(dynamic, 32)
      for (std::int64_t k = 0; k < slice.count2; ++k) {
        if (maxima_[static_cast<std::size_t>(k)] == kMaskedLogit) continue;
        sums[static_cast<std::size_t>(k)] = instructions_.exponentials(row(k), keys_.padded, reference, keys_.distance.data(), own.data());
      }
#pragma omp critical(triscope_slice_columns)
      for (std::size_t j = 0; j < columns.size(); ++j) columns[j] += own[j];
    }
    for (std::int64_t k = 0; k < slice.count2; ++k) {
      distribution.add(sums[static_cast<std::size_t>(k)], static_cast<double>(query_.query - slice.first2 - k));
    }
    const Distribution::Result result = distribution.result(sink_);
    slice.lse = result.lse;
    slice.entropy = result.entropy;
    slice.largest_p = result.largest_p;
    slice.sink_p = result.sink_p;
    slice.distance1 = result.distance1;
    slice.distance2 = result.distance2;
    const double factor = std::exp(reference - result.lse);
    for (std::int64_t j = 0; j < slice.count1; ++j) slice.marginal1.push_back(static_cast<float>(columns[static_cast<std::size_t>(j)] * factor));
    for (const SliceRowSums& one : sums) slice.marginal2.push_back(static_cast<float>(one.sum * factor));
  }

  void write(Slice& slice) const {
    slice.log_p.resize(static_cast<std::size_t>(slice.count1 * slice.count2));
#pragma omp parallel for schedule(dynamic, 32) if (worth_threads())
    for (std::int64_t k = 0; k < slice.count2; ++k) {
      float* out = slice.log_p.data() + k * slice.count1;
      for (std::int64_t j = 0; j < slice.count1; ++j) out[j] = static_cast<float>(row(k)[j] - slice.lse);
    }
  }

  /// The `top` largest logits: a heap, fed only from rows whose maximum can enter it.
  void pick(Slice& slice, std::int64_t top) const {
    const auto larger = [](const Triple& a, const Triple& b) { return a.logit > b.logit; };
    std::vector<Triple> heap;  // smallest in front
    for (std::int64_t k = 0; k < slice.count2 && top > 0; ++k) {
      double threshold = static_cast<std::int64_t>(heap.size()) == top ? heap.front().logit : kMaskedLogit;
      if (maxima_[static_cast<std::size_t>(k)] <= threshold) continue;
      for (std::int64_t j = 0; j < slice.count1; ++j) {
        const double logit = row(k)[j];
        if (!(logit > threshold) || std::isinf(logit)) continue;
        if (static_cast<std::int64_t>(heap.size()) == top) {
          std::pop_heap(heap.begin(), heap.end(), larger);
          heap.pop_back();
        }
        heap.push_back({slice.first1 + j, slice.first2 + k, logit, std::exp(logit - slice.lse)});
        std::push_heap(heap.begin(), heap.end(), larger);
        threshold = static_cast<std::int64_t>(heap.size()) == top ? heap.front().logit : kMaskedLogit;
      }
    }
    std::sort_heap(heap.begin(), heap.end(), larger);
    slice.top = std::move(heap);
  }

  SliceQuery query_;
  const SliceInstructions& instructions_;
  SliceKeys keys_;
  SliceFolded folded_;
  std::optional<double> sink_;
  std::unique_ptr<double[]> logits_;  // [count2][padded], every element written
  std::vector<double> maxima_;        // [count2]
};

/// log p of dot-product attention over axis 1.
std::vector<float> dot_product_row(const AttentionTensors& tensors, SliceQuery query) {
  query.problem.form = Form::dot_product;
  query.problem.scale.reset();
  const SliceKeys keys(tensors, query, query.head / tensors.group());
  const SliceFolded folded(tensors, query, query.head);
  std::vector<double> scratch;
  std::vector<float> row(static_cast<std::size_t>(keys.range.count));
  const Distribution sums = stream(cpu::slice_instructions(), keys, folded, query.query, scratch, [&](std::int64_t, const double* x, double) {
    std::copy(x, x + keys.range.count, row.begin());
  });
  const double lse = sums.result(std::nullopt).lse;
  for (float& x : row) x = static_cast<float>(x - lse);
  return row;
}

}  // namespace

Problem with_shape_of(Problem problem, const AttentionTensors& tensors) {
  problem.batch = tensors.batch;
  problem.seq_len = tensors.seq_len;
  problem.q_heads = tensors.q_heads;
  problem.kv_heads = tensors.kv_heads;
  problem.head_dim = tensors.head_dim;
  problem.element = Element::fp32;
  problem.sink = tensors.sink.empty() ? std::nullopt : std::optional(0.0);
  const auto cut = [&](std::int64_t window) { return problem.mask == Mask::full ? tensors.seq_len : std::min(window, tensors.seq_len); };
  problem.window1 = cut(problem.window1);
  problem.window2 = problem.form == Form::dot_product ? 1 : cut(problem.window2);
  if (problem.form == Form::dot_product) problem.k2_bias = problem.v2_bias = 0;
  require_valid(problem);
  return problem;
}

Slice make_slice(const AttentionTensors& tensors, const SliceQuery& asked, std::int64_t top) {
  const auto start = Clock::now();
  SliceQuery query = asked;
  query.problem = with_shape_of(asked.problem, tensors);
  cpu::require_slice(tensors, query);
  Slice slice = SliceMaker(tensors, query).make(top);
  slice.dot_log_p = dot_product_row(tensors, query);
  slice.elapsed_ns = elapsed_ns(start);
  return slice;
}

Overview make_overview(const AttentionTensors& tensors, const SliceQuery& asked, std::int64_t step) {
  const auto start = Clock::now();
  SliceQuery query = asked;
  query.problem = with_shape_of(asked.problem, tensors);
  query.head = 0;
  query.query = tensors.seq_len - 1;
  cpu::require_slice(tensors, query);
  if (step < 1) throw Error("the overview cannot be made", fmt::format("a step of {} leads nowhere", step), "choose 1 or more", ExitCode::usage);
  Overview overview;
  overview.heads = tensors.q_heads;
  overview.step = step;
  overview.columns = (tensors.seq_len + step - 1) / step;
  const auto cells = static_cast<std::size_t>(overview.heads * overview.columns);
  for (auto* figures : {&overview.entropy, &overview.largest_p, &overview.sink_p, &overview.distance1, &overview.distance2}) figures->resize(cells);
  const SliceInstructions& instructions = cpu::slice_instructions();
#pragma omp parallel if (overview_cost(query.problem, step) > kWorthThreads)
  {
    std::vector<double> scratch;
#pragma omp for schedule(dynamic, 1)
    for (std::int64_t item = 0; item < overview.columns * tensors.kv_heads; ++item) {
      SliceQuery own = query;
      const std::int64_t column = item / tensors.kv_heads, kv_head = item % tensors.kv_heads;
      own.query = column * step;
      const SliceKeys keys(tensors, own, kv_head);
      for (std::int64_t head = kv_head * tensors.group(); head < (kv_head + 1) * tensors.group(); ++head) {
        const SliceFolded folded(tensors, own, head);
        const auto result = stream(instructions, keys, folded, own.query, scratch, [](std::int64_t, const double*, double) {})
                                .result(sink_of(tensors, head));
        const auto at = static_cast<std::size_t>(head * overview.columns + column);
        overview.entropy[at] = static_cast<float>(result.entropy);
        overview.largest_p[at] = static_cast<float>(result.largest_p);
        overview.sink_p[at] = static_cast<float>(result.sink_p);
        overview.distance1[at] = static_cast<float>(result.distance1);
        overview.distance2[at] = static_cast<float>(result.distance2);
      }
    }
  }
  overview.elapsed_ns = elapsed_ns(start);
  return overview;
}

HeadSheet make_sheet(const AttentionTensors& tensors, const SliceQuery& asked, std::int64_t width, std::int64_t height) {
  const auto start = Clock::now();
  SliceQuery query = asked;
  query.problem = with_shape_of(asked.problem, tensors);
  cpu::require_slice(tensors, query);
  // The grid covers the window even where it begins before token 0.
  const auto frame = [&](int axis) {
    const SliceRange seen = cpu::slice_range(query.problem, axis, query.query);
    if (query.problem.mask == Mask::full) return seen;
    const std::int64_t window = axis == 1 ? query.problem.window1 : query.problem.window2;
    return SliceRange{query.query - window + 1, window};
  };
  const SliceRange frame1 = frame(1), frame2 = frame(2);
  HeadSheet sheet;
  sheet.heads = tensors.q_heads;
  sheet.width = std::min(std::max<std::int64_t>(1, width), frame1.count);
  sheet.height = std::min(std::max<std::int64_t>(1, height), frame2.count);
  const std::int64_t cells = sheet.width * sheet.height;
  constexpr float kNothing = -std::numeric_limits<float>::infinity();
  sheet.log_p.assign(static_cast<std::size_t>(sheet.heads * cells), kNothing);
  const SliceInstructions& instructions = cpu::slice_instructions();
#pragma omp parallel
  {
    std::vector<double> scratch;
#pragma omp for schedule(dynamic, 1)
    for (std::int64_t head = 0; head < sheet.heads; ++head) {
      SliceQuery own = query;
      own.head = head;
      const SliceKeys keys(tensors, own, head / tensors.group());
      const SliceFolded folded(tensors, own, head);
      float* picture = sheet.log_p.data() + head * cells;
      const auto pool = [&](std::int64_t k, const double* row, double) {
        const std::int64_t y = (folded.range.first + k - frame2.first) * sheet.height / frame2.count;
        for (std::int64_t j = 0; j < keys.range.count; ++j) {
          float& cell = picture[y * sheet.width + (keys.range.first + j - frame1.first) * sheet.width / frame1.count];
          if (const auto value = static_cast<float>(row[j]); std::isfinite(row[j]) && value > cell) cell = value;
        }
      };
      const double lse = stream(instructions, keys, folded, own.query, scratch, pool).result(sink_of(tensors, head)).lse;
      for (std::int64_t cell = 0; cell < cells; ++cell) picture[cell] = static_cast<float>(picture[cell] - lse);
    }
  }
  sheet.elapsed_ns = elapsed_ns(start);
  return sheet;
}

double overview_cost(const Problem& problem, std::int64_t step) {
  const auto pairs = static_cast<double>(problem.window1) * static_cast<double>(problem.form == Form::dot_product ? 1 : problem.window2);
  return pairs * static_cast<double>(problem.head_dim) * static_cast<double>(problem.q_heads) *
         std::ceil(static_cast<double>(problem.seq_len) / static_cast<double>(step));
}

}  // namespace triscope
