#include <cuda_bf16.h>

#include <cmath>

#include "kernels/cuda/common/cuda_error.hpp"
#include "tests/cuda/reference.hpp"

namespace triscope::reference {
namespace {
using cuda::DeviceBuffer;

using bf16 = __nv_bfloat16;

/// `Inputs`, typed.
struct Tensors {
  const bf16 *q, *k1, *k2, *v1, *v2, *grad_o;
  const float* sink;
  explicit Tensors(const Inputs& in)
      : q(static_cast<const bf16*>(in.q)),
        k1(static_cast<const bf16*>(in.k1)),
        k2(static_cast<const bf16*>(in.k2)),
        v1(static_cast<const bf16*>(in.v1)),
        v2(static_cast<const bf16*>(in.v2)),
        grad_o(static_cast<const bf16*>(in.grad_o)),
        sink(in.sink) {}
};

/// Everything by value, for kernels.
struct Sizes {
  int batch, seq_len, q_heads, kv_heads, group, head_dim, window1, window2;  ///< windows clipped to seq_len
  bool determinant;
  double scale, k2_bias, v2_bias;
  Fold fold;  ///< which product is rounded in the logit, and how
  __host__ __device__ std::int64_t pairs() const { return std::int64_t{window1} * window2; }
  __host__ __device__ std::int64_t rows() const { return std::int64_t{batch} * seq_len * q_heads; }
  __device__ std::int64_t query(int b, int i, int h) const {
    return ((std::int64_t{b} * seq_len + i) * q_heads + h) * head_dim;
  }
  __device__ std::int64_t key(int b, int j, int h) const {
    return ((std::int64_t{b} * seq_len + j) * kv_heads + h / group) * head_dim;
  }
};

Sizes sizes_of(const Problem& p, Fold fold) {
  const auto clip = [&](std::int64_t w) { return static_cast<int>(w < p.seq_len ? w : p.seq_len); };
  return {static_cast<int>(p.batch),
          static_cast<int>(p.seq_len),
          static_cast<int>(p.q_heads),
          static_cast<int>(p.kv_heads),
          static_cast<int>(p.group()),
          static_cast<int>(p.head_dim),
          clip(p.window1),
          clip(p.window2),
          p.form == Form::determinant,
          p.effective_scale(),
          p.k2_bias,
          p.v2_bias,
          fold};
}

__device__ bool is_half_fold(Fold fold) { return fold == Fold::half_k1 || fold == Fold::half_k2; }
__device__ double rounded(Fold fold, double x) {
  return is_half_fold(fold) ? round_to_half_precision(x) : static_cast<double>(round_to_bf16(static_cast<float>(x)));
}

/// Component d of the product of two vectors: elementwise, or the cross product of its chunk (0 for left-over columns),
/// whose two products `first` and `second` round.
template <typename A, typename B, typename First, typename Second>
__device__ double product(const Sizes& s, int d, A&& a, B&& b, First&& first, Second&& second) {
  if (!s.determinant) return a(d) * b(d);
  const int chunk = d / 3 * 3;
  if (chunk + 3 > s.head_dim) return 0.0;
  const int y = chunk + (d - chunk + 1) % 3, z = chunk + (d - chunk + 2) % 3;
  return first(a(y) * b(z)) - second(a(z) * b(y));
}
template <typename A, typename B>
__device__ double product(const Sizes& s, int d, A&& a, B&& b) {
  const auto exact = [](double x) { return x; };
  return product(s, d, a, b, exact, exact);
}

struct Vector {  ///< bf16 row plus bias
  const bf16* row;
  double bias;
  __device__ double operator()(int d) const { return static_cast<double>(__bfloat162float(row[d])) + bias; }
};

__device__ double logit(const Sizes& s, const Vector& q, const Vector& k1, const Vector& k2) {
  double sum = 0.0;
  for (int d = 0; d < s.head_dim; ++d) {
    // The cross and half folds round the product of the key's component behind and the query's component before.
    const auto exact = [](double x) { return x; };
    const bool cross = s.fold == Fold::cross_k1 || s.fold == Fold::cross_k2 || is_half_fold(s.fold);
    const auto key_and_query = [&](double x) { return cross ? rounded(s.fold, x) : x; };
    if (s.fold == Fold::query_k1 || s.fold == Fold::cross_k1 ||
        s.fold == Fold::half_k1) {  // det(q, k1, k2) = k2 . (q x k1)
      sum += rounded(s.fold, product(s, d, q, k1, key_and_query, exact)) * k2(d);
    } else {  // k1 . (k2 x q)
      const double folded = product(s, d, k2, q, exact, key_and_query);
      sum += (s.fold == Fold::none ? folded : rounded(s.fold, folded)) * k1(d);
    }
  }
  return s.scale * sum;
}

/// The largest or the sum of one value a thread, given to all; `scratch` holds blockDim.x doubles.
template <typename Combine>
__device__ double reduce(double value, double* scratch, Combine&& combine) {
  scratch[threadIdx.x] = value;
  __syncthreads();
  for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) scratch[threadIdx.x] = combine(scratch[threadIdx.x], scratch[threadIdx.x + step]);
    __syncthreads();
  }
  const double result = scratch[0];
  __syncthreads();
  return result;
}

/// One block a query row: p, ds and its bound [row][w1][w2] (0 outside the windows); lse, o, dq, and dq from the bound.
/// The bound replaces |ds| by p (|dp| + |delta|): the scale of ds before it cancels.
__global__ void rows_kernel(Sizes s, Tensors in, double* p, double* ds, double* bound, double* lse, double* o,
                            double* dq, double* dq_bound, double* sink_terms) {
  __shared__ double scratch[128];
  const std::int64_t row = blockIdx.x;
  const int h = static_cast<int>(row % s.q_heads);
  const int i = static_cast<int>(row / s.q_heads % s.seq_len);
  const int b = static_cast<int>(row / s.q_heads / s.seq_len);
  const auto larger = [](double x, double y) { return x > y ? x : y; };
  const auto plus = [](double x, double y) { return x + y; };
  const Vector q{in.q + s.query(b, i, h), 0.0};
  const Vector g{in.grad_o + s.query(b, i, h), 0.0};
  p += row * s.pairs();
  ds += row * s.pairs();
  bound += row * s.pairs();
  const auto k1 = [&](int j) { return Vector{in.k1 + s.key(b, j, h), 0.0}; };
  const auto v1 = [&](int j) { return Vector{in.v1 + s.key(b, j, h), 0.0}; };
  const auto k2 = [&](int k) { return Vector{in.k2 + s.key(b, k, h), s.k2_bias}; };
  const auto v2 = [&](int k) { return Vector{in.v2 + s.key(b, k, h), s.v2_bias}; };

  double top = in.sink != nullptr ? in.sink[h] : -INFINITY;
  for (std::int64_t n = threadIdx.x; n < s.pairs(); n += blockDim.x) {
    const int j = i - static_cast<int>(n / s.window2), k = i - static_cast<int>(n % s.window2);
    p[n] = j < 0 || k < 0 ? -INFINITY : logit(s, q, k1(j), k2(k));
    top = larger(top, p[n]);
  }
  top = reduce(top, scratch, larger);
  double sum = 0.0;
  for (std::int64_t n = threadIdx.x; n < s.pairs(); n += blockDim.x) sum += exp(p[n] - top);
  sum = reduce(sum, scratch, plus);
  if (in.sink != nullptr) sum += exp(in.sink[h] - top);
  const double row_lse = top + log(sum);
  if (threadIdx.x == 0) lse[(std::int64_t{b} * s.q_heads + h) * s.seq_len + i] = row_lse;
  for (std::int64_t n = threadIdx.x; n < s.pairs(); n += blockDim.x) p[n] = exp(p[n] - row_lse);
  __syncthreads();

  const int d = static_cast<int>(threadIdx.x);
  double out = 0.0;
  if (d < s.head_dim) {
    for (std::int64_t n = 0; n < s.pairs(); ++n) {
      if (p[n] != 0.0)
        out += p[n] * v1(i - static_cast<int>(n / s.window2))(d) * v2(i - static_cast<int>(n % s.window2))(d);
    }
    o[s.query(b, i, h) + d] = out;
  }
  const double delta = reduce(d < s.head_dim ? out * g(d) : 0.0, scratch, plus);
  if (threadIdx.x == 0 && in.sink != nullptr) sink_terms[row] = -exp(in.sink[h] - row_lse) * delta;
  for (std::int64_t n = threadIdx.x; n < s.pairs(); n += blockDim.x) {
    const int j = i - static_cast<int>(n / s.window2), k = i - static_cast<int>(n % s.window2);
    double dp = 0.0;
    if (j >= 0 && k >= 0) {
      for (int e = 0; e < s.head_dim; ++e) dp += g(e) * v1(j)(e) * v2(k)(e);
    }
    ds[n] = p[n] * (dp - delta);
    bound[n] = copysign(p[n] * (fabs(dp) + fabs(delta)), ds[n]);
  }
  __syncthreads();
  if (d >= s.head_dim) return;
  double grad = 0.0, grad_bound = 0.0;
  for (std::int64_t n = 0; n < s.pairs(); ++n) {
    if (p[n] == 0.0) continue;
    const double x = product(s, d, k1(i - static_cast<int>(n / s.window2)), k2(i - static_cast<int>(n % s.window2)));
    grad += ds[n] * x;
    grad_bound += bound[n] * x;
  }
  dq[s.query(b, i, h) + d] = s.scale * grad;
  dq_bound[s.query(b, i, h) + d] = s.scale * grad_bound;
}

/// One block a (batch, position, kv head), one thread a column: the gradients of key and value of `axis` 1 or 2.
__global__ void keys_kernel(Sizes s, Tensors in, int axis, const double* p, const double* ds, const double* bound,
                            double* dk, double* dk_bound, double* dv) {
  const int kv = static_cast<int>(blockIdx.x % s.kv_heads);
  const int at = static_cast<int>(blockIdx.x / s.kv_heads % s.seq_len);
  const int b = static_cast<int>(blockIdx.x / s.kv_heads / s.seq_len);
  const int d = static_cast<int>(threadIdx.x);
  if (d >= s.head_dim) return;
  const int own = axis == 1 ? s.window1 : s.window2;
  const int other = axis == 1 ? s.window2 : s.window1;
  double grad_k = 0.0, grad_bound = 0.0, grad_v = 0.0;
  for (int i = at; i < min(at + own, s.seq_len); ++i) {
    for (int h = kv * s.group; h < (kv + 1) * s.group; ++h) {
      const Vector q{in.q + s.query(b, i, h), 0.0};
      const Vector g{in.grad_o + s.query(b, i, h), 0.0};
      const std::int64_t row = (std::int64_t{b} * s.seq_len + i) * s.q_heads + h;
      for (int r = 0; r < other && i - r >= 0; ++r) {
        const std::int64_t n =
            row * s.pairs() + (axis == 1 ? std::int64_t{i - at} * s.window2 + r : std::int64_t{r} * s.window2 + i - at);
        if (p[n] == 0.0) continue;
        const std::int64_t other_row = s.key(b, i - r, h);
        double x, v;
        if (axis == 1) {  // k2 x q
          x = product(s, d, Vector{in.k2 + other_row, s.k2_bias}, q);
          v = Vector{in.v2 + other_row, s.v2_bias}(d);
        } else {  // q x k1
          x = product(s, d, q, Vector{in.k1 + other_row, 0.0});
          v = Vector{in.v1 + other_row, 0.0}(d);
        }
        grad_k += ds[n] * x;
        grad_bound += bound[n] * x;
        grad_v += p[n] * g(d) * v;
      }
    }
  }
  const std::int64_t out = s.key(b, at, kv * s.group) + d;
  dk[out] = s.scale * grad_k;
  dk_bound[out] = s.scale * grad_bound;
  dv[out] = grad_v;
}

std::vector<double> download(const DeviceBuffer& buffer) {
  std::vector<double> host(buffer.bytes() / sizeof(double));
  TRISCOPE_CUDA_CHECK(cudaMemcpy(host.data(), buffer.data(), buffer.bytes(), cudaMemcpyDeviceToHost));
  return host;
}

/// Element `n` of a tensor of rows of head_dim. For the huge sets q and k2 are 1 on average and k1 about a number that
/// depends on its position, so logits are about 1.0 * sqrt(head_dim) times that number.
__global__ void fill_kernel(bf16* tensor, std::int64_t count, InputStream stream, std::uint64_t seed, Kind kind,
                            int row_size, int seq_len) {
  const std::int64_t n = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (n >= count) return;
  float x = unit_normal(static_cast<std::uint64_t>(n), static_cast<std::uint32_t>(stream), seed);
  const int position = static_cast<int>(n / row_size % seq_len);
  if (kind == Kind::zeros) x = 0.0f;
  if (stream == InputStream::q && kind == Kind::q4) x *= 4.0f;
  if (stream == InputStream::q && kind == Kind::q8) x *= 8.0f;
  if (kind == Kind::early || kind == Kind::late || kind == Kind::rising || kind == Kind::low) {
    if (stream == InputStream::q || stream == InputStream::k2) x = 1.0f + 0.5f * x;
    if (stream == InputStream::k1) {
      if (kind == Kind::early && position == 3) x += 20.0f;
      if (kind == Kind::late && position == seq_len - 5) x += 20.0f;
      if (kind == Kind::low) x -= 30.0f;
      if (kind == Kind::rising) x += 18.0f * static_cast<float>(position / 64);
    }
  }
  tensor[n] = __float2bfloat16(x);
}

}  // namespace

void fill(void* tensor, std::int64_t count, InputStream stream, std::uint64_t seed, Kind kind, int row_size,
          int seq_len) {
  fill_kernel<<<static_cast<unsigned>((count + 255) / 256), 256>>>(static_cast<bf16*>(tensor), count, stream, seed,
                                                                   kind, row_size, seq_len);
  check_launch("fill_kernel");
}

Outputs compute(const Problem& problem, Fold fold, const Inputs& inputs) {
  const Tensors in(inputs);
  const Sizes s = sizes_of(problem, fold);
  const auto doubles = [](std::int64_t n) { return DeviceBuffer(static_cast<std::size_t>(n) * sizeof(double)); };
  const std::int64_t queries = s.rows() * s.head_dim;
  const std::int64_t keys = std::int64_t{s.batch} * s.seq_len * s.kv_heads * s.head_dim;
  DeviceBuffer p = doubles(s.rows() * s.pairs()), ds = doubles(s.rows() * s.pairs()),
               bound = doubles(s.rows() * s.pairs());
  DeviceBuffer lse = doubles(s.rows()), sink = doubles(s.rows()), o = doubles(queries), dq = doubles(queries),
               dq_bound = doubles(queries);
  rows_kernel<<<static_cast<unsigned>(s.rows()), 128>>>(s, in, p.as<double>(), ds.as<double>(), bound.as<double>(),
                                                        lse.as<double>(), o.as<double>(), dq.as<double>(),
                                                        dq_bound.as<double>(), sink.as<double>());
  check_launch("rows_kernel");
  Outputs out;
  for (int axis : {1, 2}) {
    DeviceBuffer dk = doubles(keys), dk_bound = doubles(keys), dv = doubles(keys);
    keys_kernel<<<static_cast<unsigned>(keys / s.head_dim), 128>>>(s, in, axis, p.as<double>(), ds.as<double>(),
                                                                   bound.as<double>(), dk.as<double>(),
                                                                   dk_bound.as<double>(), dv.as<double>());
    check_launch("keys_kernel");
    (axis == 1 ? out.dk1 : out.dk2) = download(dk);
    (axis == 1 ? out.dk1_bound : out.dk2_bound) = download(dk_bound);
    (axis == 1 ? out.dv1 : out.dv2) = download(dv);
  }
  out.lse = download(lse);
  out.o = download(o);
  out.dq = download(dq);
  out.dq_bound = download(dq_bound);
  if (in.sink != nullptr) {
    out.dsink.assign(static_cast<std::size_t>(s.q_heads), 0.0);
    out.dsink_bound = out.dsink;
    const std::vector<double> terms = download(sink);
    for (std::size_t n = 0; n < terms.size(); ++n) {
      out.dsink[n % out.dsink.size()] += terms[n];
      out.dsink_bound[n % out.dsink.size()] += std::abs(terms[n]);
    }
  }
  return out;
}

}  // namespace triscope::reference
