#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/base/error.hpp"
#include "kernels/base/philox.hpp"
#include "kernels/reference/oracle.hpp"

// The loops over dimensions for wider vectors where the processor has them; without FMA, so that every bit stays.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TRISCOPE_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define TRISCOPE_WIDE
#endif

namespace triscope {
namespace {

// Sixteen sums side by side, in one order on every machine.
TRISCOPE_WIDE double dot(const double* a, const double* b, std::int64_t count) {
  constexpr std::int64_t kSums = 16;
  double sums[kSums] = {};
  std::int64_t d = 0;
  for (; d + kSums <= count; d += kSums) {
#pragma omp simd
    for (std::int64_t n = 0; n < kSums; ++n) sums[n] += a[d + n] * b[d + n];
  }
  for (std::int64_t n = 0; d < count; ++n, ++d) sums[n] += a[d] * b[d];
  for (std::int64_t half = kSums / 2; half > 0; half /= 2) {
    for (std::int64_t n = 0; n < half; ++n) sums[n] += sums[n + half];
  }
  return sums[0];
}

TRISCOPE_WIDE void add_scaled(double factor, const double* x, double* sum, std::int64_t count) {
#pragma omp simd
  for (std::int64_t d = 0; d < count; ++d) sum[d] += factor * x[d];
}

// out = a x b in every chunk of 3.
void cross(const double* a, const double* b, double* out, std::int64_t dims) {
  for (std::int64_t d = 0; d < dims; d += 3) {
    out[d] = a[d + 1] * b[d + 2] - a[d + 2] * b[d + 1];
    out[d + 1] = a[d + 2] * b[d] - a[d] * b[d + 2];
    out[d + 2] = a[d] * b[d + 1] - a[d + 1] * b[d];
  }
}

TRISCOPE_WIDE void multiply(const double* a, const double* b, double* out, std::int64_t dims) {
#pragma omp simd
  for (std::int64_t d = 0; d < dims; ++d) out[d] = a[d] * b[d];
}

KeyAxis other(KeyAxis axis) { return axis == KeyAxis::one ? KeyAxis::two : KeyAxis::one; }

/// True when a kernel of this fold rounds the product of q and the key on `axis`.
bool folds_axis(Fold fold, KeyAxis axis) {
  return axis == KeyAxis::one ? fold == Fold::query_k1 || fold == Fold::cross_k1 || fold == Fold::half_k1
                              : fold == Fold::query_k2 || fold == Fold::cross_k2 || fold == Fold::half_k2;
}

/// `x` as a kernel of `fold` rounds it.
double round_product(Fold fold, double x) {
  return is_half(fold) ? round_to_half_precision(x) : round_product_to_bf16(x);
}

// key x q in every chunk of 3 as 16-bit arithmetic does it: the product key_b q_a is rounded, then the difference. Only
// the order of operations differs between the axes: axis 1 has q x key, the same numbers with the other sign.
void rounded_cross(Fold fold, KeyAxis axis, const double* q, const double* key, double* out, std::int64_t dims) {
  const double sign = axis == KeyAxis::one ? -1.0 : 1.0;
  for (std::int64_t d = 0; d < dims; ++d) {
    const std::int64_t a = d % 3 == 2 ? d - 2 : d + 1, b = d % 3 == 0 ? d + 2 : d - 1;
    out[d] = sign * round_product(fold, key[a] * q[b] - round_product(fold, key[b] * q[a]));
  }
}

const float* require(const float* tensor, const char* name) {
  if (tensor != nullptr) return tensor;
  throw Error("the oracle cannot evaluate this problem", std::string("tensor ") + name + " is missing", "pass it",
              ExitCode::usage);
}

}  // namespace

double round_product_to_bf16(double x) { return round_to_bf16(static_cast<float>(x)); }

// Keys and values of one axis at consecutive positions, widened to fp64, biases added.
class Oracle::Block {
 public:
  Block(std::int64_t first, std::int64_t dim) : first_(first), dim_(dim) {}
  const double* key(std::int64_t position) const { return keys.data() + (position - first_) * dim_; }
  const double* value(std::int64_t position) const { return values.data() + (position - first_) * dim_; }
  std::vector<double> keys;
  std::vector<double> values;

 private:
  std::int64_t first_;
  std::int64_t dim_;
};

Oracle::Oracle(const Problem& problem, const HostInputs& inputs, Fold fold)
    : problem_(problem),
      inputs_(inputs),
      fold_(fold),
      scale_(problem.effective_scale()),
      dims_(problem.form == Form::determinant ? problem.head_dim / 3 * 3 : problem.head_dim) {
  if (problem.form == Form::gemm) {
    throw Error("the oracle cannot evaluate this problem", "form gemm is a plain matrix product, not attention",
                "choose another form", ExitCode::usage);
  }
  require(inputs.q, "q");
  require(inputs.k1, "k1");
  require(inputs.v1, "v1");
  if (problem.form != Form::dot_product) {
    require(inputs.k2, "k2");
    require(inputs.v2, "v2");
  }
  if (problem.sink) require(inputs.sink, "sink");
}

std::int64_t Oracle::row_offset(const OracleRow& row) const {
  return ((row.batch * problem_.seq_len + row.position) * problem_.q_heads + row.head) * problem_.head_dim;
}

std::int64_t Oracle::key_offset(const OracleKey& key) const {
  return ((key.batch * problem_.seq_len + key.position) * problem_.kv_heads + key.kv_head) * problem_.head_dim;
}

std::int64_t Oracle::lse_offset(const OracleRow& row) const {
  return (row.batch * problem_.q_heads + row.head) * problem_.seq_len + row.position;
}

// The keys a query at `position` sees.
Oracle::Range Oracle::keys_of(KeyAxis axis, std::int64_t position) const {
  if (axis == KeyAxis::two && problem_.form == Form::dot_product) return {position, position};
  if (problem_.mask == Mask::full) return {0, problem_.seq_len - 1};
  const std::int64_t window = axis == KeyAxis::one ? problem_.window1 : problem_.window2;
  return {std::max<std::int64_t>(0, position - window + 1), position};
}

// The queries that see a key at `position`.
Oracle::Range Oracle::rows_of(KeyAxis axis, std::int64_t position) const {
  if (axis == KeyAxis::two && problem_.form == Form::dot_product) return {position, position};
  if (problem_.mask == Mask::full) return {0, problem_.seq_len - 1};
  const std::int64_t window = axis == KeyAxis::one ? problem_.window1 : problem_.window2;
  return {position, std::min(problem_.seq_len, position + window) - 1};
}

std::vector<double> Oracle::read(const float* tensor, std::int64_t offset) const {
  return {tensor + offset, tensor + offset + problem_.head_dim};
}

Oracle::Block Oracle::load(KeyAxis axis, std::int64_t batch, std::int64_t kv_head, Range range) const {
  Block block(range.first, problem_.head_dim);
  const std::size_t elements = static_cast<std::size_t>(range.count() * problem_.head_dim);
  if (axis == KeyAxis::two && problem_.form == Form::dot_product) {
    block.keys.assign(elements, 1.0);
    block.values.assign(elements, 1.0);
    return block;
  }
  block.keys.reserve(elements);
  block.values.reserve(elements);
  const float* keys = axis == KeyAxis::one ? inputs_.k1 : inputs_.k2;
  const float* values = axis == KeyAxis::one ? inputs_.v1 : inputs_.v2;
  const double key_bias = axis == KeyAxis::one ? 0.0 : problem_.k2_bias;
  const double value_bias = axis == KeyAxis::one ? 0.0 : problem_.v2_bias;
  for (std::int64_t position = range.first; position <= range.last; ++position) {
    const std::int64_t offset = key_offset({batch, position, kv_head});
    for (std::int64_t d = 0; d < problem_.head_dim; ++d) {
      block.keys.push_back(keys[offset + d] + key_bias);
      block.values.push_back(values[offset + d] + value_bias);
    }
  }
  return block;
}

// The vector whose dot product with the other axis' key is the unscaled logit: q*k, or for the determinant
// q x k1 (axis 1) and k2 x q (axis 2). Rounded when that is the product the kernel rounds.
void Oracle::fold_query(KeyAxis axis, const double* q, const double* key, double* folded) const {
  if (problem_.form != Form::determinant) {
    multiply(q, key, folded, dims_);
  } else if (axis == KeyAxis::one) {
    cross(q, key, folded, dims_);
  } else {
    cross(key, q, folded, dims_);
  }
  if (!folds_axis(fold_, axis)) return;
  if (problem_.form == Form::determinant && fold_ != Fold::query_k1 && fold_ != Fold::query_k2) {
    rounded_cross(fold_, axis, q, key, folded, dims_);
  } else {
    for (std::int64_t d = 0; d < dims_; ++d) folded[d] = round_product(fold_, folded[d]);
  }
}

// The logit of (q, own key on `folded_axis`, other key), `folded` being fold_query of the first two. When the kernel
// rounds another product than the one at hand, the logit is made from that one.
double Oracle::logit(KeyAxis folded_axis, const double* folded, const double* q, const double* own,
                     const double* other_key) const {
  if (fold_ == Fold::none || folds_axis(fold_, folded_axis)) return scale_ * dot(folded, other_key, dims_);
  std::vector<double> product(static_cast<std::size_t>(dims_));
  if (fold_ != Fold::key_pair) {
    fold_query(other(folded_axis), q, other_key, product.data());
    return scale_ * dot(product.data(), own, dims_);
  }
  if (problem_.form != Form::determinant) {
    multiply(own, other_key, product.data(), dims_);
  } else if (folded_axis == KeyAxis::one) {
    cross(own, other_key, product.data(), dims_);
  } else {
    cross(other_key, own, product.data(), dims_);
  }
  for (double& x : product) x = round_product_to_bf16(x);
  return scale_ * dot(product.data(), q, dims_);
}

// sum += factor * (gradient of the logit with respect to the key on `axis`), `other_key` being the other axis' (sum of)
// keys: q*k, or k2 x q for k1 and q x k1 for k2.
void Oracle::add_crossed(KeyAxis axis, const double* q, const double* other_key, double factor, double* sum) const {
  std::vector<double> product(static_cast<std::size_t>(dims_));
  if (problem_.form != Form::determinant) {
    multiply(q, other_key, product.data(), dims_);
  } else if (axis == KeyAxis::one) {
    cross(other_key, q, product.data(), dims_);
  } else {
    cross(q, other_key, product.data(), dims_);
  }
  add_scaled(factor, product.data(), sum, dims_);
}

double Oracle::row(const OracleRow& row, std::span<double> o) const {
  const Range range1 = keys_of(KeyAxis::one, row.position), range2 = keys_of(KeyAxis::two, row.position);
  const std::int64_t kv_head = row.head / problem_.group();
  const Block axis1 = load(KeyAxis::one, row.batch, kv_head, range1);
  const Block axis2 = load(KeyAxis::two, row.batch, kv_head, range2);
  const std::vector<double> q = read(inputs_.q, row_offset(row));
  std::vector<double> folded(q.size()), weighted(q.size());

  const auto logit_of = [&](std::int64_t j, std::int64_t k) {
    return logit(KeyAxis::two, folded.data(), q.data(), axis2.key(k), axis1.key(j));
  };
  double maximum = problem_.sink ? inputs_.sink[row.head] : -std::numeric_limits<double>::infinity();
  double sum = problem_.sink ? 1.0 : 0.0;
  for (std::int64_t k = range2.first; k <= range2.last; ++k) {
    fold_query(KeyAxis::two, q.data(), axis2.key(k), folded.data());
    for (std::int64_t j = range1.first; j <= range1.last; ++j) {
      const double s = logit_of(j, k);
      if (s > maximum) {
        sum = sum * std::exp(maximum - s) + 1.0;
        maximum = s;
      } else {
        sum += std::exp(s - maximum);
      }
    }
  }
  const double lse = maximum + std::log(sum);

  std::fill(o.begin(), o.end(), 0.0);
  for (std::int64_t k = range2.first; k <= range2.last; ++k) {
    fold_query(KeyAxis::two, q.data(), axis2.key(k), folded.data());
    std::fill(weighted.begin(), weighted.end(), 0.0);
    for (std::int64_t j = range1.first; j <= range1.last; ++j) {
      add_scaled(std::exp(logit_of(j, k) - lse), axis1.value(j), weighted.data(), problem_.head_dim);
    }
    for (std::int64_t d = 0; d < problem_.head_dim; ++d)
      o[static_cast<std::size_t>(d)] += weighted[static_cast<std::size_t>(d)] * axis2.value(k)[d];
  }
  return lse;
}

double Oracle::delta(const OracleRow& row, std::span<const double> o) const {
  const std::vector<double> grad_o = read(require(inputs_.grad_o, "grad_o"), row_offset(row));
  return dot(grad_o.data(), o.data(), problem_.head_dim);
}

double Oracle::delta(const OracleRow& row, const float* o) const {
  const std::vector<double> widened(o, o + problem_.head_dim);
  return delta(row, std::span<const double>(widened));
}

ScoreGradient Oracle::grad_q(const OracleRow& row, const RowStatistics& statistics) const {
  const Range range1 = keys_of(KeyAxis::one, row.position), range2 = keys_of(KeyAxis::two, row.position);
  const std::int64_t kv_head = row.head / problem_.group();
  const Block axis1 = load(KeyAxis::one, row.batch, kv_head, range1);
  const Block axis2 = load(KeyAxis::two, row.batch, kv_head, range2);
  const std::vector<double> q = read(inputs_.q, row_offset(row));
  const std::vector<double> grad_o = read(require(inputs_.grad_o, "grad_o"), row_offset(row));
  const std::size_t dim = q.size();
  ScoreGradient result{std::vector<double>(dim), std::vector<double>(dim)};
  std::vector<double> folded(dim), folded_grad(dim), sum(dim), sum_yardstick(dim);

  // dq = scale sum_k (sum_j ds k1_j) * k2_k, or x k2_k.
  const auto add = [&](const std::vector<double>& keys1, const double* k2, std::vector<double>& total) {
    std::vector<double> product(dim);
    if (problem_.form == Form::determinant) {
      cross(keys1.data(), k2, product.data(), dims_);
    } else {
      multiply(keys1.data(), k2, product.data(), dims_);
    }
    add_scaled(scale_, product.data(), total.data(), dims_);
  };
  for (std::int64_t k = range2.first; k <= range2.last; ++k) {
    fold_query(KeyAxis::two, q.data(), axis2.key(k), folded.data());
    multiply(grad_o.data(), axis2.value(k), folded_grad.data(), problem_.head_dim);
    std::fill(sum.begin(), sum.end(), 0.0);
    std::fill(sum_yardstick.begin(), sum_yardstick.end(), 0.0);
    for (std::int64_t j = range1.first; j <= range1.last; ++j) {
      const double p =
          std::exp(logit(KeyAxis::two, folded.data(), q.data(), axis2.key(k), axis1.key(j)) - statistics.lse);
      const double dp = dot(folded_grad.data(), axis1.value(j), problem_.head_dim);
      add_scaled(p * (dp - statistics.delta), axis1.key(j), sum.data(), dims_);
      add_scaled(p * (std::abs(dp) + std::abs(statistics.delta)), axis1.key(j), sum_yardstick.data(), dims_);
    }
    add(sum, axis2.key(k), result.value);
    add(sum_yardstick, axis2.key(k), result.yardstick);
  }
  return result;
}

KeyGradient Oracle::grad_key(KeyAxis axis, const OracleKey& key, const StatisticsOf& statistics) const {
  return grad_key_of(axis, key, statistics, 0, positions_seeing(axis, key));
}

KeyGradient Oracle::grad_key_of(KeyAxis axis, const OracleKey& key, const StatisticsOf& statistics, std::int64_t first,
                                std::int64_t count) const {
  const KeyAxis other_axis = other(axis);
  const Range seeing = rows_of(axis, key.position);
  const Range rows{seeing.first + first, std::min(seeing.last, seeing.first + first + count - 1)};
  const Range others{keys_of(other_axis, rows.first).first, keys_of(other_axis, rows.last).last};
  const Block own_block = load(axis, key.batch, key.kv_head, {key.position, key.position});
  const Block other_block = load(other_axis, key.batch, key.kv_head, others);
  const double* own_key = own_block.key(key.position);
  const std::size_t dim = static_cast<std::size_t>(problem_.head_dim);
  KeyGradient result{{std::vector<double>(dim), std::vector<double>(dim)}, std::vector<double>(dim)};
  std::vector<double> folded(dim), folded_grad(dim), keys(dim), keys_yardstick(dim), values(dim);

  for (std::int64_t position = rows.first; position <= rows.last; ++position) {
    const Range range = keys_of(other_axis, position);
    for (std::int64_t member = 0; member < problem_.group(); ++member) {
      const OracleRow row{key.batch, position, key.kv_head * problem_.group() + member};
      const RowStatistics known = statistics(row);
      const std::vector<double> q = read(inputs_.q, row_offset(row));
      const std::vector<double> grad_o = read(require(inputs_.grad_o, "grad_o"), row_offset(row));
      fold_query(axis, q.data(), own_key, folded.data());
      multiply(grad_o.data(), own_block.value(key.position), folded_grad.data(), problem_.head_dim);
      std::fill(keys.begin(), keys.end(), 0.0);
      std::fill(keys_yardstick.begin(), keys_yardstick.end(), 0.0);
      std::fill(values.begin(), values.end(), 0.0);
      for (std::int64_t x = range.first; x <= range.last; ++x) {
        const double p = std::exp(logit(axis, folded.data(), q.data(), own_key, other_block.key(x)) - known.lse);
        const double dp = dot(folded_grad.data(), other_block.value(x), problem_.head_dim);
        add_scaled(p, other_block.value(x), values.data(), problem_.head_dim);
        add_scaled(p * (dp - known.delta), other_block.key(x), keys.data(), dims_);
        add_scaled(p * (std::abs(dp) + std::abs(known.delta)), other_block.key(x), keys_yardstick.data(), dims_);
      }
      add_crossed(axis, q.data(), keys.data(), scale_, result.key.value.data());
      add_crossed(axis, q.data(), keys_yardstick.data(), scale_, result.key.yardstick.data());
      for (std::size_t d = 0; d < dim; ++d) result.value[d] += grad_o[d] * values[d];
    }
  }
  return result;
}

Oracle::SinkGradient Oracle::grad_sink(std::int64_t head, const StatisticsOf& statistics) const {
  SinkGradient sum;
  const double sink = require(inputs_.sink, "sink")[head];
  for (std::int64_t batch = 0; batch < problem_.batch; ++batch) {
    for (std::int64_t position = 0; position < problem_.seq_len; ++position) {
      const RowStatistics known = statistics({batch, position, head});
      const double p_sink = std::exp(sink - known.lse);
      sum.value -= p_sink * known.delta;
      sum.yardstick += p_sink * std::abs(known.delta);
    }
  }
  return sum;
}

}  // namespace triscope
