// cpu.oracle: the oracle as a kernel, every row and every key.
#include "kernels/reference/oracle.hpp"

#include <array>

#include "kernels/attention/host_arguments.hpp"
#include "kernels/reference/oracle_kernel.hpp"
#include "source_hash/cpu.oracle.hpp"

namespace triscope {
namespace {

// Row number `index` in the order of `lse`: [batch, q_heads, seq_len].
OracleRow row_at(const Problem& problem, std::int64_t index) {
  return {index / problem.seq_len / problem.q_heads, index % problem.seq_len,
          index / problem.seq_len % problem.q_heads};
}

// Key number `index` in the order of k1..v2 without head_dim: [batch, seq_len, kv_heads].
OracleKey key_at(const Problem& problem, std::int64_t index) {
  return {index / problem.kv_heads / problem.seq_len, index / problem.kv_heads % problem.seq_len,
          index % problem.kv_heads};
}

void store(const std::vector<double>& values, void* tensor, std::int64_t offset) {
  float* out = static_cast<float*>(tensor) + offset;
  for (std::size_t d = 0; d < values.size(); ++d) out[d] = static_cast<float>(values[d]);
}

void forward(const Problem& problem, const Oracle& oracle, const Arguments& arguments) {
  const std::int64_t rows = problem.batch * problem.q_heads * problem.seq_len;
#pragma omp parallel for schedule(dynamic, 8)
  for (std::int64_t index = 0; index < rows; ++index) {
    const OracleRow row = row_at(problem, index);
    std::vector<double> o(static_cast<std::size_t>(problem.head_dim));
    arguments.lse[oracle.lse_offset(row)] = static_cast<float>(oracle.row(row, o));
    store(o, arguments.o, oracle.row_offset(row));
  }
}

// LSE and delta are made again in fp64, so that the reference gradients do not inherit the rounding of fp32 outputs.
void backward(const Problem& problem, const Oracle& oracle, const Arguments& arguments) {
  const std::int64_t rows = problem.batch * problem.q_heads * problem.seq_len;
  const std::int64_t keys = problem.batch * problem.kv_heads * problem.seq_len;
  std::vector<RowStatistics> statistics(static_cast<std::size_t>(rows));
#pragma omp parallel for schedule(dynamic, 8)
  for (std::int64_t index = 0; index < rows; ++index) {
    const OracleRow row = row_at(problem, index);
    std::vector<double> o(static_cast<std::size_t>(problem.head_dim));
    RowStatistics& known = statistics[static_cast<std::size_t>(index)];
    known.lse = oracle.row(row, o);
    known.delta = oracle.delta(row, std::span<const double>(o));
    store(oracle.grad_q(row, known).value, arguments.grad_q, oracle.row_offset(row));
  }
  const StatisticsOf statistics_of = [&](const OracleRow& row) {
    return statistics[static_cast<std::size_t>(oracle.lse_offset(row))];
  };
#pragma omp parallel for schedule(dynamic, 1)
  for (std::int64_t index = 0; index < keys; ++index) {
    const OracleKey key = key_at(problem, index);
    const KeyGradient axis1 = oracle.grad_key(KeyAxis::one, key, statistics_of);
    store(axis1.key.value, arguments.grad_k1, oracle.key_offset(key));
    store(axis1.value, arguments.grad_v1, oracle.key_offset(key));
    const KeyGradient axis2 = oracle.grad_key(KeyAxis::two, key, statistics_of);
    store(axis2.key.value, arguments.grad_k2, oracle.key_offset(key));
    store(axis2.value, arguments.grad_v2, oracle.key_offset(key));
  }
  if (!problem.sink) return;
  for (std::int64_t head = 0; head < problem.q_heads; ++head) {
    arguments.grad_sink[head] = static_cast<float>(oracle.grad_sink(head, statistics_of).value);
  }
}

class CpuOracle final : public Kernel {
 public:
  CpuOracle() {
    info_.id = "cpu.oracle";
    info_.name = "CPU oracle (fp64, direct loops)";
    info_.card = {.label = "CPU oracle", .short_label = "oracle", .kind = KernelKind::oracle};
    info_.source_hash = source_hash::kCpuOracle;
    info_.instances = {"direct"};
  }
  const KernelInfo& info() const override { return info_; }
  std::optional<std::string> unsupported(const Problem& problem, Pass) const override {
    constexpr std::array kForms{Form::trilinear, Form::determinant};
    return unsupported_on_cpu(problem, kForms);
  }
  using Kernel::unsupported;
  std::size_t workspace_bytes(const Problem&, Pass, std::string_view) const override { return 0; }

  /// A reference, not a timed kernel: unlike the others it takes scratch memory from the heap.
  void launch(const Problem& problem, Pass pass, std::string_view instance, const Arguments& arguments) const override {
    require_launchable(*this, problem, pass, instance, arguments);
    const Oracle oracle(problem, host_inputs(arguments));
    if (pass == Pass::forward) {
      forward(problem, oracle, arguments);
    } else {
      backward(problem, oracle, arguments);
    }
  }

 private:
  KernelInfo info_;
};

}  // namespace

std::unique_ptr<Kernel> make_cpu_oracle() { return std::make_unique<CpuOracle>(); }

}  // namespace triscope
