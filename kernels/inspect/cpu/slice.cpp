#include "kernels/inspect/cpu/slice.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/base/stopwatch.hpp"
#include "kernels/inspect/cpu/slice_stream.hpp"
#include "kernels/inspect/slice_figures.hpp"

namespace triscope {
namespace {

using cpu::kRowsAtATime;
using cpu::SliceFolded;
using cpu::SliceInstructions;
using cpu::SliceKeys;
using cpu::SliceValues;

/// One slice with all its logits in memory.
class SliceMaker {
 public:
  SliceMaker(const AttentionTensors& tensors, const SliceQuery& query)
      : query_(query),
        instructions_(cpu::slice_instructions()),
        keys_(tensors, query, query.head / tensors.group()),
        folded_(tensors, query, query.head),
        sink_(sink_of(tensors, query.head)) {
    if (tensors.has_values()) values_.emplace(tensors, query, keys_);
  }

  Slice make(std::int64_t top) {
    Slice slice;
    slice.first1 = keys_.range.first;
    slice.count1 = keys_.range.count;
    slice.first2 = folded_.range.first;
    slice.count2 = folded_.range.count;
    compute_logits(slice);
    sum(slice);
    write(slice);
    slice.top = top_triples(slice, maxima_, top);
    std::vector<double> logits;
    for (const Triple& triple : slice.top) logits.push_back(row(triple.k - slice.first2)[triple.j - slice.first1]);
    set_logits(slice, logits);
    return slice;
  }

 private:
  bool worth_threads() const {
    return static_cast<double>(folded_.folded.size()) * static_cast<double>(keys_.padded) > cpu::kWorthThreads;
  }
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
        maxima_[static_cast<std::size_t>(first + k)] =
            instructions_.largest(out + k * keys_.padded, keys_.padded, not_finite);
      }
    }
    if (not_finite == 0) return;
    for (std::int64_t k = 0; k < slice.count2; ++k) {
      for (std::int64_t j = 0; j < slice.count1; ++j) {
        slice.nan_count += std::isnan(row(k)[j]);
        slice.infinite_count += std::isinf(row(k)[j]);
      }
    }
    if (values_) drop_values(slice);
  }

  /// A key without any finite logit takes no part, but 0 times a value that is not finite would.
  void drop_values(const Slice& slice) {
    const std::int64_t dim = query_.problem.head_dim;
    for (std::int64_t k = 0; k < slice.count2; ++k) {
      if (maxima_[static_cast<std::size_t>(k)] == kMaskedLogit)
        std::fill_n(values_->values2.begin() + k * dim, dim, 0.0);
    }
    for (std::int64_t j = 0; j < slice.count1; ++j) {
      std::int64_t k = 0;
      while (k < slice.count2 && !std::isfinite(row(k)[j])) ++k;
      if (k == slice.count2) std::fill_n(values_->values1.begin() + j * values_->padded, values_->padded, 0.0);
    }
  }

  /// What one thread gathers: sums by key 1, and the output, both against the common reference.
  struct Share {
    std::vector<double> columns, output;
    void add(const Share& other) {
      for (std::size_t n = 0; n < columns.size(); ++n) columns[n] += other.columns[n];
      for (std::size_t n = 0; n < output.size(); ++n) output[n] += other.output[n];
    }
  };
  Share empty_share() const {
    return {std::vector<double>(static_cast<std::size_t>(keys_.padded)),
            std::vector<double>(values_ ? static_cast<std::size_t>(query_.problem.head_dim) : 0)};
  }

  /// Rows [first, first + rows): their sums to `sums`, the rest to `share`. `weights` [8][padded] and `mixed` are
  /// scratch.
  void sum_rows(std::int64_t first, std::int64_t rows, double reference, SliceRowSums* sums,
                std::vector<double>& weights, std::vector<double>& mixed, Share& share) const {
    for (std::int64_t r = 0; r < rows; ++r) {
      double* own = weights.data() + r * keys_.padded;
      if (maxima_[static_cast<std::size_t>(first + r)] == kMaskedLogit) {
        std::fill_n(own, keys_.padded, 0.0);
        continue;
      }
      sums[first + r] = instructions_.exponentials(row(first + r), keys_.padded, reference, keys_.distance.data(), own);
      for (std::int64_t j = 0; j < keys_.padded; ++j) share.columns[static_cast<std::size_t>(j)] += own[j];
    }
    if (!values_) return;
    instructions_.logits(weights.data(), values_->values1.data(), rows, values_->padded, keys_.padded, mixed.data());
    const auto dim = static_cast<std::int64_t>(share.output.size());
    for (std::int64_t r = 0; r < rows; ++r) {
      const double* value2 = values_->values2.data() + (first + r) * dim;
      for (std::int64_t d = 0; d < dim; ++d)
        share.output[static_cast<std::size_t>(d)] +=
            mixed[static_cast<std::size_t>(r * values_->padded + d)] * value2[d];
    }
  }

  void sum(Slice& slice) {
    SliceSums total;
    const double reference = total.reference(*std::max_element(maxima_.begin(), maxima_.end()));
    Share share = empty_share();
    std::vector<SliceRowSums> sums(static_cast<std::size_t>(slice.count2));
#pragma omp parallel if (worth_threads())
    {
      Share own = empty_share();
      std::vector<double> weights(static_cast<std::size_t>(kRowsAtATime * keys_.padded));
      std::vector<double> mixed(values_ ? static_cast<std::size_t>(kRowsAtATime * values_->padded) : 0);
#pragma omp for schedule(dynamic, 4)
      for (std::int64_t first = 0; first < slice.count2; first += kRowsAtATime) {
        sum_rows(first, std::min(kRowsAtATime, slice.count2 - first), reference, sums.data(), weights, mixed, own);
      }
#pragma omp critical(triscope_slice_share)
      share.add(own);
    }
    for (std::int64_t k = 0; k < slice.count2; ++k) {
      total.add(sums[static_cast<std::size_t>(k)], static_cast<double>(query_.query - slice.first2 - k));
    }
    set_figures(slice, total.result(sink_));
    const double factor = std::exp(reference - slice.lse);
    for (std::int64_t j = 0; j < slice.count1; ++j) {
      slice.marginal1.push_back(static_cast<float>(share.columns[static_cast<std::size_t>(j)] * factor));
    }
    for (const SliceRowSums& one : sums) slice.marginal2.push_back(static_cast<float>(one.sum * factor));
    for (double x : share.output) slice.output.push_back(static_cast<float>(x * factor));
  }

  void write(Slice& slice) const {
    slice.log_p.resize(static_cast<std::size_t>(slice.count1 * slice.count2));
#pragma omp parallel for schedule(dynamic, 32) if (worth_threads())
    for (std::int64_t k = 0; k < slice.count2; ++k) {
      float* out = slice.log_p.data() + k * slice.count1;
      for (std::int64_t j = 0; j < slice.count1; ++j) out[j] = kept(row(k)[j] - slice.lse);
    }
  }

  SliceQuery query_;
  const SliceInstructions& instructions_;
  SliceKeys keys_;
  SliceFolded folded_;
  std::optional<SliceValues> values_;
  std::optional<double> sink_;
  std::unique_ptr<double[]> logits_;  // [count2][padded], every element written
  std::vector<double> maxima_;        // [count2]
};

/// log p of dot-product attention over axis 1.
std::vector<float> dot_product_row(const AttentionTensors& tensors, const SliceQuery& asked) {
  const SliceQuery query = dot_product_of(asked);
  const SliceKeys keys(tensors, query, query.head / tensors.group());
  const SliceFolded folded(tensors, query, query.head);
  std::vector<double> scratch;
  std::vector<double> logits(static_cast<std::size_t>(keys.range.count));
  const auto take = [&](std::int64_t, const double* x, double) { std::copy(x, x + keys.range.count, logits.begin()); };
  const SliceSums sums = cpu::stream(cpu::slice_instructions(), keys, folded, query.query, scratch, take);
  const double lse = sums.result(std::nullopt).lse;
  std::vector<float> row;
  for (double x : logits) row.push_back(kept(x - lse));
  return row;
}

class CpuSlices final : public SliceEngine {
 public:
  Slice slice(const AttentionTensors& tensors, const SliceQuery& query, std::int64_t top) override {
    return make_slice(tensors, query, top);
  }
  Overview overview(const AttentionTensors& tensors, const SliceQuery& query, std::int64_t step) override {
    return make_overview(tensors, query, step);
  }
  HeadSheet sheet(const AttentionTensors& tensors, const SliceQuery& query, std::int64_t width,
                  std::int64_t height) override {
    return make_sheet(tensors, query, width, height);
  }
};

}  // namespace

Slice make_slice(const AttentionTensors& tensors, const SliceQuery& asked, std::int64_t top) {
  const Stopwatch watch;
  const SliceQuery query = checked_slice(tensors, asked);
  Slice slice = SliceMaker(tensors, query).make(top);
  share_output(tensors, query, slice);
  slice.dot_log_p = dot_product_row(tensors, query);
  slice.elapsed_ns = watch.elapsed_ns();
  return slice;
}

std::unique_ptr<SliceEngine> make_cpu_slices() { return std::make_unique<CpuSlices>(); }

}  // namespace triscope
