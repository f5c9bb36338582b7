#include "kernels/inspect/cuda/slice.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/base/stopwatch.hpp"
#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/inspect/cuda/chunks.hpp"
#include "kernels/inspect/cuda/survey.hpp"
#include "kernels/inspect/slice_figures.hpp"
#include "kernels/inspect/slice_rules.hpp"

namespace triscope {
namespace {

using cuda::slice::Chunk;
using cuda::slice::Findings;
using cuda::slice::Finish;
using cuda::slice::HeadSums;
using cuda::slice::Operands;
using cuda::slice::RowSums;

constexpr std::int64_t kChunkBytes = std::int64_t{256} << 20;

/// Device memory that grows and is kept from one slice to the next.
class Room {
 public:
  template <typename T>
  T* of(std::int64_t count) {
    const auto bytes = static_cast<std::size_t>(std::max<std::int64_t>(1, count)) * sizeof(T);
    if (buffer_.bytes() < bytes) {
      buffer_ = {};  // first: both need not fit at once
      buffer_ = cuda::DeviceBuffer(bytes);
    }
    return buffer_.as<T>();
  }

 private:
  cuda::DeviceBuffer buffer_;
};

Operands operands_of(const Problem& problem, Arithmetic arithmetic) {
  Operands operands;
  operands.head_dim = static_cast<int>(problem.head_dim);
  operands.dims = static_cast<int>(logit_dims(problem));
  operands.full = problem.mask == Mask::full;
  operands.crossed = problem.form == Form::determinant;
  operands.rounded = arithmetic == Arithmetic::bf16_kernel;
  operands.scale = problem.effective_scale();
  operands.k2_bias = problem.k2_bias;
  operands.window1 = problem.window1;
  operands.window2 = problem.window2;
  return operands;
}

SliceSums sums_of(const HeadSums& head) {
  SliceSums sums;
  sums.reference(head.maximum);
  if (head.sum > 0) sums.add({head.sum, head.sum_logit, head.sum_distance1}, head.sum_distance2 / head.sum);
  return sums;
}

class CudaSlices final : public SliceEngine {
 public:
  Slice slice(const AttentionTensors& tensors, const SliceQuery& asked, std::int64_t top) override {
    const Stopwatch watch;
    const SliceQuery query = checked_slice(tensors, asked);
    Slice slice;
    const Finish finish = compute(tensors, query, sink_of(tensors, query.head), slice);
    pick(finish, slice, top);
    if (tensors.has_values()) mix(tensors, query, finish, slice);
    share_output(tensors, query, slice);
    Slice dot_product;
    compute(tensors, dot_product_of(query), std::nullopt, dot_product);
    slice.dot_log_p = std::move(dot_product.log_p);
    slice.elapsed_ns = watch.elapsed_ns();
    return slice;
  }

  Overview overview(const AttentionTensors& tensors, const SliceQuery& asked, std::int64_t step) override {
    const Stopwatch watch;
    const SliceQuery query = checked_overview(tensors, asked, step);
    Overview overview = empty_overview(tensors, step);
    HeadSums* heads = heads_.of<HeadSums>(overview.columns * overview.heads);
    for (const Chunk& chunk : cuda::slice::plan_chunks(query.problem, step, overview.columns, kChunkBytes)) {
      const Operands operands = upload(tensors, query, chunk.first_column * step, step, chunk);
      Findings findings;
      findings.rows = rows_.of<RowSums>(chunk.columns * overview.heads * operands.window2);
      launch_survey(operands, findings, stream_.get());
      launch_heads(operands, findings, heads + chunk.first_column * overview.heads, stream_.get());
    }
    const auto found = download<HeadSums>(heads, overview.columns * overview.heads);
    for (std::int64_t column = 0; column < overview.columns; ++column) {
      for (std::int64_t head = 0; head < overview.heads; ++head) {
        const HeadSums& sums = found[static_cast<std::size_t>(column * overview.heads + head)];
        set_cell(overview, head, column, sums_of(sums).result(sink_of(tensors, head)));
      }
    }
    overview.elapsed_ns = watch.elapsed_ns();
    return overview;
  }

  HeadSheet sheet(const AttentionTensors& tensors, const SliceQuery& asked, std::int64_t width,
                  std::int64_t height) override {
    const Stopwatch watch;
    const SliceQuery query = checked_slice(tensors, asked);
    HeadSheet sheet = empty_sheet(tensors, query, width, height);
    const Chunk chunk{0, 1, slice_range(query.problem, 1, query.query), slice_range(query.problem, 2, query.query)};
    const Operands operands = upload(tensors, query, query.query, 1, chunk);
    const auto cells = static_cast<std::int64_t>(sheet.log_p.size());
    Findings findings;
    findings.splits = cuda::slice::splits_for(survey_blocks(operands), operands.window1);
    findings.rows = rows_.of<RowSums>(sheet.heads * operands.window2 * findings.splits);
    findings.sheet = cells_.of<unsigned>(cells);
    findings.width = sheet.width;
    findings.height = sheet.height;
    TRISCOPE_CUDA_CHECK(
        cudaMemsetAsync(findings.sheet, 0, static_cast<std::size_t>(cells) * sizeof(unsigned), stream_.get()));
    HeadSums* heads = heads_.of<HeadSums>(sheet.heads);
    launch_survey(operands, findings, stream_.get());
    launch_heads(operands, findings, heads, stream_.get());
    const auto found = download<HeadSums>(heads, sheet.heads);
    const auto largest = download<unsigned>(findings.sheet, cells);
    for (std::int64_t cell = 0; cell < cells; ++cell) {
      const std::int64_t head = cell / (sheet.width * sheet.height);
      const double lse = sums_of(found[static_cast<std::size_t>(head)]).result(sink_of(tensors, head)).lse;
      const float logit = cuda::slice::from_ordered(largest[static_cast<std::size_t>(cell)]);
      sheet.log_p[static_cast<std::size_t>(cell)] = kept(logit - lse);
    }
    sheet.elapsed_ns = watch.elapsed_ns();
    return sheet;
  }

 private:
  template <typename T>
  T* upload(Room& room, const std::vector<T>& values) {
    T* device = room.of<T>(static_cast<std::int64_t>(values.size()));
    TRISCOPE_CUDA_CHECK(
        cudaMemcpyAsync(device, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice, stream_.get()));
    return device;
  }

  template <typename T>
  std::vector<T> download(const T* device, std::int64_t count) {
    std::vector<T> values(static_cast<std::size_t>(count));
    TRISCOPE_CUDA_CHECK(
        cudaMemcpyAsync(values.data(), device, values.size() * sizeof(T), cudaMemcpyDeviceToHost, stream_.get()));
    TRISCOPE_CUDA_CHECK(cudaStreamSynchronize(stream_.get()));
    return values;
  }

  /// Rows [heads][count][head_dim] of a role at positions first, first + step, ...
  float* upload_rows(Room& room, const AttentionTensors& tensors, const SliceQuery& query, TensorRole role,
                     SliceRange range, std::int64_t step) {
    const std::int64_t heads = role == TensorRole::q ? tensors.q_heads : tensors.kv_heads, dim = tensors.head_dim;
    std::vector<float> rows(static_cast<std::size_t>(heads * range.count * dim));
#pragma omp parallel for schedule(static)
    for (std::int64_t n = 0; n < range.count; ++n) {
      for (std::int64_t head = 0; head < heads; ++head) {  // neighbours in a file
        read_rows(tensors, query, role, head, {range.first + n * step, 1},
                  rows.data() + (head * range.count + n) * dim);
      }
    }
    return upload(room, rows);
  }

  /// A run of queries with all that they see.
  Operands upload(const AttentionTensors& tensors, const SliceQuery& query, std::int64_t first_query, std::int64_t step,
                  const Chunk& chunk) {
    Operands operands = operands_of(query.problem, query.arithmetic);
    operands.kv_heads = static_cast<int>(tensors.kv_heads);
    operands.group = static_cast<int>(tensors.group());
    operands.columns = chunk.columns;
    operands.first_query = first_query;
    operands.step = step;
    operands.first_key1 = chunk.keys1.first;
    operands.keys1 = chunk.keys1.count;
    operands.first_key2 = chunk.keys2.first;
    operands.keys2 = chunk.keys2.count;
    operands.q = upload_rows(q_, tensors, query, TensorRole::q, {first_query, chunk.columns}, step);
    operands.k1 = upload_rows(k1_, tensors, query, TensorRole::k1, chunk.keys1, 1);
    if (query.problem.form != Form::dot_product)
      operands.k2 = upload_rows(k2_, tensors, query, TensorRole::k2, chunk.keys2, 1);
    return operands;
  }

  /// The slice but for its strongest triples and output. What is returned holds its logits until the next one.
  Finish compute(const AttentionTensors& tensors, const SliceQuery& query, std::optional<double> sink, Slice& slice) {
    const Problem& problem = query.problem;
    const SliceRange keys1 = slice_range(problem, 1, query.query), keys2 = slice_range(problem, 2, query.query);
    const std::int64_t kv_head = query.head / tensors.group();
    slice.first1 = keys1.first;
    slice.count1 = keys1.count;
    slice.first2 = keys2.first;
    slice.count2 = keys2.count;
    Operands operands = operands_of(problem, query.arithmetic);
    operands.first_query = query.query;
    operands.first_key1 = keys1.first;
    operands.first_key2 = keys2.first;
    operands.keys1 = operands.window1 = keys1.count;  // what it sees and no more
    operands.keys2 = operands.window2 = keys2.count;
    operands.q = upload(q_, read_rows(tensors, query, TensorRole::q, query.head, {query.query, 1}));
    operands.k1 = upload(k1_, read_rows(tensors, query, TensorRole::k1, kv_head, keys1));
    if (problem.form != Form::dot_product)
      operands.k2 = upload(k2_, read_rows(tensors, query, TensorRole::k2, kv_head, keys2));
    Findings findings;
    findings.splits = cuda::slice::splits_for(survey_blocks(operands), operands.window1);
    findings.rows = rows_.of<RowSums>(keys2.count * findings.splits);
    findings.logits = logits_.of<double>(keys1.count * keys2.count);
    launch_survey(operands, findings, stream_.get());
    sum(download<RowSums>(findings.rows, keys2.count * findings.splits), findings.splits, query.query, sink, slice);
    return finish(findings, slice);
  }

  /// Figures and the marginal over axis 2; `maxima_` for the strongest triples.
  void sum(const std::vector<RowSums>& rows, int splits, std::int64_t query, std::optional<double> sink, Slice& slice) {
    double maximum = kMaskedLogit;
    for (const RowSums& row : rows) maximum = std::max(maximum, row.maximum);
    SliceSums total;
    total.reference(maximum);
    maxima_.assign(static_cast<std::size_t>(slice.count2), kMaskedLogit);
    std::vector<double> sums(static_cast<std::size_t>(slice.count2));
    for (std::size_t n = 0; n < rows.size(); ++n) {
      const std::size_t k = n / static_cast<std::size_t>(splits);
      maxima_[k] = std::max(maxima_[k], rows[n].maximum);
      const double factor = std::exp(rows[n].maximum - maximum);
      sums[k] += rows[n].sum * factor;
      total.add({rows[n].sum * factor, rows[n].sum_logit * factor, rows[n].sum_distance * factor},
                static_cast<double>(query - slice.first2 - static_cast<std::int64_t>(k)));
    }
    set_figures(slice, total.result(sink));
    const double factor = std::exp(maximum - slice.lse);
    for (double one : sums) slice.marginal2.push_back(static_cast<float>(one * factor));
  }

  Finish finish(const Findings& findings, Slice& slice) {
    Finish finish;
    finish.logits = findings.logits;
    finish.count1 = slice.count1;
    finish.count2 = slice.count2;
    finish.lse = slice.lse;
    finish.log_p = log_p_.of<float>(slice.count1 * slice.count2);
    finish.marginal1 = marginal_.of<float>(slice.count1);
    finish.not_finite = counts_.of<unsigned long long>(2);
    TRISCOPE_CUDA_CHECK(cudaMemsetAsync(finish.not_finite, 0, 2 * sizeof(unsigned long long), stream_.get()));
    launch_finish(finish, stream_.get());
    slice.log_p = download<float>(finish.log_p, slice.count1 * slice.count2);
    slice.marginal1 = download<float>(finish.marginal1, slice.count1);
    const auto counts = download<unsigned long long>(finish.not_finite, 2);
    slice.nan_count = static_cast<std::int64_t>(counts[0]);
    slice.infinite_count = static_cast<std::int64_t>(counts[1]);
    return finish;
  }

  void pick(const Finish& finish, Slice& slice, std::int64_t top) {
    slice.top = top_triples(slice, maxima_, top);
    if (slice.top.empty()) return;
    std::vector<std::int64_t> index;
    for (const Triple& triple : slice.top)
      index.push_back((triple.k - slice.first2) * slice.count1 + triple.j - slice.first1);
    const auto count = static_cast<std::int64_t>(index.size());
    double* picked = picked_.of<double>(count);
    cuda::slice::launch_gather(finish.logits, upload(index_, index), static_cast<int>(count), picked, stream_.get());
    set_logits(slice, download<double>(picked, count));
  }

  void mix(const AttentionTensors& tensors, const SliceQuery& query, const Finish& finish, Slice& slice) {
    const std::int64_t kv_head = query.head / tensors.group(), dim = tensors.head_dim;
    // A key without weight takes no part, but 0 times a value that is not finite would.
    const auto values = [&](TensorRole role, SliceRange range, const std::vector<float>& weights) {
      std::vector<float> rows = read_rows(tensors, query, role, kv_head, range);
      for (std::size_t n = 0; n < weights.size(); ++n) {
        if (weights[n] == 0) std::fill_n(rows.begin() + static_cast<std::int64_t>(n) * dim, dim, 0.0F);
      }
      return rows;
    };
    const float* v1 = upload(k1_, values(TensorRole::v1, {slice.first1, slice.count1}, slice.marginal1));
    const float* v2 = nullptr;
    if (query.problem.form != Form::dot_product)
      v2 = upload(k2_, values(TensorRole::v2, {slice.first2, slice.count2}, slice.marginal2));
    const std::int64_t blocks = (slice.count2 + cuda::slice::kOutputRows - 1) / cuda::slice::kOutputRows;
    double* partial = partial_.of<double>(blocks * dim);
    launch_output(finish, v1, v2, query.problem.v2_bias, static_cast<int>(dim), partial, stream_.get());
    const auto parts = download<double>(partial, blocks * dim);
    std::vector<double> output(static_cast<std::size_t>(dim));
    for (std::size_t n = 0; n < parts.size(); ++n) output[n % output.size()] += parts[n];
    slice.output.assign(output.begin(), output.end());
  }

  cuda::Stream stream_;
  Room q_, k1_, k2_, rows_, logits_, heads_, cells_, log_p_, marginal_, counts_, index_, picked_, partial_;
  std::vector<double> maxima_;  // largest logit of each row of the slice that was computed last
};

}  // namespace

std::unique_ptr<SliceEngine> make_cuda_slices() { return std::make_unique<CudaSlices>(); }

}  // namespace triscope
