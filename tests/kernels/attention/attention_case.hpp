// A problem with generated inputs, the outputs of one kernel on it, and how they are compared.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "kernels/attention/inputs.hpp"
#include "kernels/attention/kernel.hpp"
#include "kernels/reference/check.hpp"

namespace triscope::test {

inline Problem attention_problem(Form form, std::int64_t seq_len, std::int64_t window1, std::int64_t window2,
                                 std::int64_t q_heads = 2, std::int64_t kv_heads = 1, std::int64_t head_dim = 12,
                                 std::int64_t batch = 1) {
  Problem problem;
  problem.form = form;
  problem.element = Element::fp32;
  problem.seq_len = seq_len;
  problem.window1 = window1;
  problem.window2 = window2;
  problem.q_heads = q_heads;
  problem.kv_heads = kv_heads;
  problem.head_dim = head_dim;
  problem.batch = batch;
  return problem;
}

/// Memory aligned as `Arguments::workspace` demands, followed by a guard that shows writes beyond its end.
class Workspace {
 public:
  explicit Workspace(std::size_t bytes) : bytes_(bytes), memory_(bytes + 256 + kGuard, std::byte{0xFF}) {}
  void* data() {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    return memory_.data() + ((address + 255) / 256 * 256 - address);
  }
  bool overrun() {
    const std::byte* end = static_cast<std::byte*>(data()) + bytes_;
    for (std::size_t n = 0; n < kGuard; ++n) {
      if (end[n] != std::byte{0xFF}) return true;
    }
    return false;
  }

 private:
  static constexpr std::size_t kGuard = 4096;
  std::size_t bytes_;
  std::vector<std::byte> memory_;
};

/// All tensors of one problem. Outputs start as NaN.
struct AttentionCase {
  explicit AttentionCase(const Problem& p, std::uint64_t seed = 1) : problem(p) {
    const std::size_t rows = static_cast<std::size_t>(p.batch * p.seq_len * p.q_heads);
    const std::size_t keys = static_cast<std::size_t>(p.batch * p.seq_len * p.kv_heads);
    const std::size_t dim = static_cast<std::size_t>(p.head_dim);
    const auto generate = [&](std::vector<float>& tensor, std::size_t count, InputStream stream) {
      tensor.resize(count);
      fill_input(stream, seed, p.element, tensor);
    };
    generate(q, rows * dim, InputStream::q);
    generate(k1, keys * dim, InputStream::k1);
    generate(k2, keys * dim, InputStream::k2);
    generate(v1, keys * dim, InputStream::v1);
    generate(v2, keys * dim, InputStream::v2);
    generate(grad_o, rows * dim, InputStream::grad_o);
    sink.assign(static_cast<std::size_t>(p.q_heads), static_cast<float>(p.sink.value_or(0)));
    for (std::size_t h = 0; h < sink.size(); ++h) sink[h] += 0.25f * static_cast<float>(h);
    const float poison = std::numeric_limits<float>::quiet_NaN();
    for (auto* tensor : {&o, &grad_q}) tensor->assign(rows * dim, poison);
    for (auto* tensor : {&grad_k1, &grad_k2, &grad_v1, &grad_v2}) tensor->assign(keys * dim, poison);
    lse.assign(rows, poison);
    grad_sink.assign(sink.size(), poison);
  }

  HostInputs inputs() const {
    return {q.data(), k1.data(), k2.data(), v1.data(), v2.data(), sink.data(), grad_o.data()};
  }
  HostOutputs outputs() const {
    return {o.data(),       lse.data(),     grad_q.data(),  grad_k1.data(),
            grad_k2.data(), grad_v1.data(), grad_v2.data(), grad_sink.data()};
  }

  Arguments arguments(void* workspace = nullptr) {
    Arguments a;
    a.q = q.data();
    a.k1 = k1.data();
    a.k2 = k2.data();
    a.v1 = v1.data();
    a.v2 = v2.data();
    a.sink = sink.data();
    a.o = o.data();
    a.lse = lse.data();
    a.grad_o = grad_o.data();
    a.grad_q = grad_q.data();
    a.grad_k1 = grad_k1.data();
    a.grad_k2 = grad_k2.data();
    a.grad_v1 = grad_v1.data();
    a.grad_v2 = grad_v2.data();
    a.grad_sink = grad_sink.data();
    a.workspace = workspace;
    return a;
  }

  /// Runs one pass of `kernel`; false when it wrote beyond its workspace.
  bool run(const Kernel& kernel, Pass pass, std::string instance = "") {
    if (instance.empty()) instance = kernel.choose_instance(problem, pass);
    Workspace workspace(kernel.workspace_bytes(problem, pass, instance));
    kernel.launch(problem, pass, instance, arguments(workspace.data()));
    return !workspace.overrun();
  }

  CheckResult check(const KernelInfo& info, Pass pass, CheckOptions options = {.everything = true}) const {
    return check_against_oracle(info, problem, pass, inputs(), outputs(), options);
  }

  Problem problem;
  std::vector<float> q, k1, k2, v1, v2, sink, grad_o;
  std::vector<float> o, lse, grad_q, grad_k1, grad_k2, grad_v1, grad_v2, grad_sink;
};

/// ||a - b|| / ||b||; NaN when anything is.
template <typename A, typename B>
double relative_error(const std::vector<A>& a, const std::vector<B>& b) {
  double difference = 0, norm = 0;
  for (std::size_t n = 0; n < a.size(); ++n) {
    difference += (static_cast<double>(a[n]) - b[n]) * (static_cast<double>(a[n]) - b[n]);
    norm += static_cast<double>(b[n]) * b[n];
  }
  if (norm == 0) return difference == 0 ? 0.0 : std::numeric_limits<double>::infinity();
  return std::sqrt(difference / norm);
}

}  // namespace triscope::test
