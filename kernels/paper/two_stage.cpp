// The paper's backward, loop by loop.
//
// Kernel 1 has a program for 32 keys of axis 1. For each key of axis 2 that shares a query with them, and for each
// query that sees both, dV += p (dO * V') and dK += scale ds (Q * K').
//
// Kernel 2 has tiles of w2 queries. A tile sees 2 w2 - 1 keys of axis 2: those of its own positions and w2 - 1 before
// them. Even tiles, which are 2 w2 apart, therefore share none, and odd tiles neither: no sum needs an atomic. Even
// tiles store dQ, dK' and dV'; odd tiles store dQ, load the two others, and add.
//
// Beyond the listings: dK' and dV' begin as zeros, since the last keys may lie in no even tile; the loops over keys
// begin at the first key that a query sees, one later than in the listings; and query heads that share a kv head are
// summed.
#include "kernels/paper/two_stage.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "kernels/attention/host_arguments.hpp"
#include "source_hash/cpu.two_stage.hpp"

namespace triscope {
namespace {

constexpr std::int64_t kKeysPerProgram = 32;  // not printed in Listing 2; BLOCK_SIZE_KV of Listing 1

/// The tensors of one launch by position and head, fp32 as they lie in memory.
struct Tensors {
  Tensors(const Problem& p, const Arguments& a)
      : problem(p),
        q(static_cast<const float*>(a.q)),
        k1(static_cast<const float*>(a.k1)),
        k2(static_cast<const float*>(a.k2)),
        v1(static_cast<const float*>(a.v1)),
        v2(static_cast<const float*>(a.v2)),
        o(static_cast<const float*>(a.o)),
        grad_o(static_cast<const float*>(a.grad_o)),
        lse(a.lse),
        delta(static_cast<double*>(a.workspace)),
        grad_q(static_cast<float*>(a.grad_q)),
        grad_k1(static_cast<float*>(a.grad_k1)),
        grad_k2(static_cast<float*>(a.grad_k2)),
        grad_v1(static_cast<float*>(a.grad_v1)),
        grad_v2(static_cast<float*>(a.grad_v2)),
        scale(p.effective_scale()),
        dim(p.head_dim),
        window1(std::min(p.window1, p.seq_len)),
        window2(std::min(p.window2, p.seq_len)) {}

  std::int64_t row(std::int64_t batch, std::int64_t position, std::int64_t head) const {
    return ((batch * problem.seq_len + position) * problem.q_heads + head) * dim;
  }
  std::int64_t key(std::int64_t batch, std::int64_t position, std::int64_t kv_head) const {
    return ((batch * problem.seq_len + position) * problem.kv_heads + kv_head) * dim;
  }
  std::int64_t statistic(std::int64_t batch, std::int64_t position, std::int64_t head) const {
    return (batch * problem.q_heads + head) * problem.seq_len + position;
  }

  const Problem& problem;
  const float *q, *k1, *k2, *v1, *v2, *o, *grad_o, *lse;
  double* delta;  ///< [batch, q_heads, seq_len]: D of the listings, the row sums of dO * O
  float *grad_q, *grad_k1, *grad_k2, *grad_v1, *grad_v2;
  double scale;
  std::int64_t dim, window1, window2;
};

/// p and ds of one triple; `row`, `key1` and `key2` are offsets of tensors.
struct Scores {
  double p, ds;
};
Scores scores_of(const Tensors& t, std::int64_t row, std::int64_t key1, std::int64_t key2, std::int64_t statistic) {
  double logit = 0, grad_p = 0;
  for (std::int64_t d = 0; d < t.dim; ++d) {
    logit += static_cast<double>(t.q[row + d]) * t.k1[key1 + d] * (t.k2[key2 + d] + t.problem.k2_bias);
    grad_p += static_cast<double>(t.grad_o[row + d]) * t.v1[key1 + d] * (t.v2[key2 + d] + t.problem.v2_bias);
  }
  const double p = std::exp(t.scale * logit - t.lse[statistic]);
  return {p, p * (grad_p - t.delta[statistic])};
}

void make_delta(const Tensors& t) {
  const Problem& problem = t.problem;
#pragma omp parallel for collapse(2)
  for (std::int64_t batch = 0; batch < problem.batch; ++batch) {
    for (std::int64_t position = 0; position < problem.seq_len; ++position) {
      for (std::int64_t head = 0; head < problem.q_heads; ++head) {
        const std::int64_t row = t.row(batch, position, head);
        double sum = 0;
        for (std::int64_t d = 0; d < t.dim; ++d) sum += static_cast<double>(t.grad_o[row + d]) * t.o[row + d];
        t.delta[t.statistic(batch, position, head)] = sum;
      }
    }
  }
}

/// One program of kernel 1: dK and dV of keys `first` .. `last` - 1 of axis 1.
void keys_of_axis1(const Tensors& t, std::int64_t batch, std::int64_t kv_head, std::int64_t first, std::int64_t last) {
  const std::int64_t n = t.problem.seq_len, group = t.problem.group();
  std::vector<double> dk(static_cast<std::size_t>((last - first) * t.dim)), dv(dk.size());
  for (std::int64_t k = std::max<std::int64_t>(0, first - t.window2 + 1); k < std::min(n, last - 1 + t.window1); ++k) {
    const std::int64_t key2 = t.key(batch, k, kv_head);
    for (std::int64_t j = first; j < last; ++j) {
      const std::int64_t key1 = t.key(batch, j, kv_head);
      double* dk_row = &dk[static_cast<std::size_t>((j - first) * t.dim)];
      double* dv_row = &dv[static_cast<std::size_t>((j - first) * t.dim)];
      for (std::int64_t i = std::max(j, k); i < std::min({n, j + t.window1, k + t.window2}); ++i) {
        for (std::int64_t head = kv_head * group; head < (kv_head + 1) * group; ++head) {
          const std::int64_t row = t.row(batch, i, head);
          const Scores s = scores_of(t, row, key1, key2, t.statistic(batch, i, head));
          for (std::int64_t d = 0; d < t.dim; ++d) {
            dv_row[d] += s.p * t.grad_o[row + d] * (t.v2[key2 + d] + t.problem.v2_bias);
            dk_row[d] += t.scale * s.ds * t.q[row + d] * (t.k2[key2 + d] + t.problem.k2_bias);
          }
        }
      }
    }
  }
  for (std::int64_t j = first; j < last; ++j) {
    const std::int64_t key1 = t.key(batch, j, kv_head);
    for (std::int64_t d = 0; d < t.dim; ++d) {
      t.grad_k1[key1 + d] = static_cast<float>(dk[static_cast<std::size_t>((j - first) * t.dim + d)]);
      t.grad_v1[key1 + d] = static_cast<float>(dv[static_cast<std::size_t>((j - first) * t.dim + d)]);
    }
  }
}

/// One tile of kernel 2: the queries `first` .. `last` - 1 of one kv head, and the keys of axis 2 that they see.
class Tile {
 public:
  Tile(const Tensors& tensors, std::int64_t batch, std::int64_t kv_head, std::int64_t first)
      : t_(tensors),
        batch_(batch),
        kv_head_(kv_head),
        first_(first),
        last_(std::min(first + t_.window2, t_.problem.seq_len)),
        first_key_(std::max<std::int64_t>(0, first - t_.window2 + 1)),
        dk_(static_cast<std::size_t>((last_ - first_key_) * t_.dim)),
        dv_(dk_.size()),
        dq_(static_cast<std::size_t>(t_.dim)) {}

  void run(bool odd) {
    const std::int64_t group = t_.problem.group();
    for (std::int64_t i = first_; i < last_; ++i) {
      for (std::int64_t head = kv_head_ * group; head < (kv_head_ + 1) * group; ++head) add_row(i, head);
    }
    for (std::int64_t k = first_key_; k < last_; ++k) {
      const std::int64_t key2 = t_.key(batch_, k, kv_head_);
      const double* dk = &dk_[static_cast<std::size_t>((k - first_key_) * t_.dim)];
      const double* dv = &dv_[static_cast<std::size_t>((k - first_key_) * t_.dim)];
      for (std::int64_t d = 0; d < t_.dim; ++d) {
        const double before_k = odd ? t_.grad_k2[key2 + d] : 0.0, before_v = odd ? t_.grad_v2[key2 + d] : 0.0;
        t_.grad_k2[key2 + d] = static_cast<float>(before_k + dk[d]);
        t_.grad_v2[key2 + d] = static_cast<float>(before_v + dv[d]);
      }
    }
  }

 private:
  /// All triples of one query: stores its dQ, adds to the tile's dK' and dV'.
  void add_row(std::int64_t i, std::int64_t head) {
    const std::int64_t row = t_.row(batch_, i, head), statistic = t_.statistic(batch_, i, head);
    std::ranges::fill(dq_, 0.0);
    for (std::int64_t j = std::max<std::int64_t>(0, i - t_.window1 + 1); j <= i; ++j) {
      const std::int64_t key1 = t_.key(batch_, j, kv_head_);
      for (std::int64_t k = std::max<std::int64_t>(0, i - t_.window2 + 1); k <= i; ++k) {
        const std::int64_t key2 = t_.key(batch_, k, kv_head_);
        const Scores s = scores_of(t_, row, key1, key2, statistic);
        double* dk = &dk_[static_cast<std::size_t>((k - first_key_) * t_.dim)];
        double* dv = &dv_[static_cast<std::size_t>((k - first_key_) * t_.dim)];
        for (std::int64_t d = 0; d < t_.dim; ++d) {
          dv[d] += s.p * t_.grad_o[row + d] * t_.v1[key1 + d];
          dk[d] += t_.scale * s.ds * t_.q[row + d] * t_.k1[key1 + d];
          dq_[static_cast<std::size_t>(d)] += s.ds * t_.k1[key1 + d] * (t_.k2[key2 + d] + t_.problem.k2_bias);
        }
      }
    }
    for (std::int64_t d = 0; d < t_.dim; ++d)
      t_.grad_q[row + d] = static_cast<float>(t_.scale * dq_[static_cast<std::size_t>(d)]);
  }

  const Tensors& t_;
  std::int64_t batch_, kv_head_, first_, last_, first_key_;
  std::vector<double> dk_, dv_, dq_;
};

void first_kernel(const Tensors& t) {
  const std::int64_t n = t.problem.seq_len, pairs = t.problem.batch * t.problem.kv_heads;
#pragma omp parallel for collapse(2) schedule(dynamic)
  for (std::int64_t pair = 0; pair < pairs; ++pair) {
    for (std::int64_t first = 0; first < n; first += kKeysPerProgram) {
      keys_of_axis1(t, pair / t.problem.kv_heads, pair % t.problem.kv_heads, first,
                    std::min(first + kKeysPerProgram, n));
    }
  }
}

void second_kernel(const Tensors& t) {
  const std::int64_t n = t.problem.seq_len, pairs = t.problem.batch * t.problem.kv_heads;
  std::fill_n(t.grad_k2, n * pairs * t.dim, 0.0f);
  std::fill_n(t.grad_v2, n * pairs * t.dim, 0.0f);
  for (const std::int64_t stage : {0, 1}) {
#pragma omp parallel for collapse(2) schedule(dynamic)
    for (std::int64_t pair = 0; pair < pairs; ++pair) {
      for (std::int64_t first = stage * t.window2; first < n; first += 2 * t.window2)
        Tile(t, pair / t.problem.kv_heads, pair % t.problem.kv_heads, first).run(stage == 1);
    }
  }
}

class TwoStage final : public Kernel {
 public:
  TwoStage() {
    info_.id = "cpu.two_stage";
    info_.name = "CPU two-stage (fp64, the paper's backward)";
    info_.card = {.label = "CPU two-stage", .short_label = "two-stage", .kind = KernelKind::oracle};
    info_.source_hash = source_hash::kCpuTwoStage;
    info_.instances = {"even_odd"};
  }
  const KernelInfo& info() const override { return info_; }
  std::optional<std::string> unsupported(const Problem& problem, Pass pass) const override {
    if (pass == Pass::forward) return "it is the paper's two-stage backward and has no forward; cpu.fast has one";
    if (problem.mask != Mask::causal) return "the paper's backward has sliding windows only, not the full mask";
    if (problem.sink) return "the paper's backward has no sink";
    constexpr std::array kForms{Form::trilinear};
    return unsupported_on_cpu(problem, kForms);
  }
  using Kernel::unsupported;
  std::size_t workspace_bytes(const Problem& problem, Pass, std::string_view) const override {
    return static_cast<std::size_t>(problem.batch * problem.q_heads * problem.seq_len) * sizeof(double);
  }

  /// A reference, not a timed kernel: its tiles take scratch memory from the heap.
  void launch(const Problem& problem, Pass pass, std::string_view instance, const Arguments& arguments) const override {
    require_launchable(*this, problem, pass, instance, arguments);
    const Tensors tensors(problem, arguments);
    make_delta(tensors);
    first_kernel(tensors);
    second_kernel(tensors);
  }

 private:
  KernelInfo info_;
};

}  // namespace

std::unique_ptr<Kernel> make_cpu_two_stage() { return std::make_unique<TwoStage>(); }

}  // namespace triscope
