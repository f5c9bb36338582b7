// A backward's tensors on the GPU, launched through the kernels that the product runs.
#pragma once

#include <string>
#include <vector>

#include "kernels/attention/kernel.hpp"
#include "kernels/cuda/common/cuda_error.hpp"
#include "kernels/cuda/hopper/backward/kernel/launch.hpp"
#include "tests/cuda/reference.hpp"

namespace triscope::backward_bench {

/// Of the inputs.
struct Factors {
  float q = 1, k1 = 1, k2 = 1, v1 = 1, v2 = 1, grad_o = 1;
};

struct Case {
  Problem problem;
  reference::Kind kind = reference::Kind::normal;
  Factors factors = {};
};

inline constexpr int kGradients = 6;  ///< dq, dk1, dk2, dv1, dv2, dsink
inline constexpr const char* kGradientNames[kGradients] = {"dq", "dk1", "dk2", "dv1", "dv2", "dsink"};

class Device {
 public:
  /// Makes the inputs.
  explicit Device(const Case& test);

  reference::Inputs inputs() const;
  /// LSE and o from fp64 sums: o rounded to bf16; the LSE was made with `fold`.
  void set_forward(const reference::Outputs& outputs, Fold fold);
  /// LSE and o from the forward that `kernel` chooses.
  void forward(const Kernel& kernel);
  Fold lse_fold() const { return lse_fold_; }
  /// Whether the forward fell back: its LSE was made in bf16. Waits for it.
  bool lse_in_bf16() const;
  /// The largest magnitude of all rows. Waits for the forward.
  float largest_lse() const;
  /// For times, which do not depend on how the LSE was made, and for errors that are much larger.
  void call_lse_exact() { lse_fold_ = Fold::none; }
  /// Makes one element of input `t` (q, k1, k2, v1, v2, do) NaN.
  void spoil(int t, std::int64_t element);
  /// Fills gradients and workspace with `byte`.
  void poison(int byte);
  /// Whether backwards are asked for gradients that are bit-identical from run to run.
  void set_deterministic(bool deterministic) { problem_.deterministic = deterministic; }
  /// What is enqueued from now on; null: the stream that waits for all others.
  void set_stream(void* stream) { stream_ = stream; }
  /// Enqueues one backward; takes the workspace that it asks for.
  void backward(const Kernel& kernel, const std::string& instance);
  /// The same of instance virtual_keys on at most so many multiprocessors.
  void backward_on(int multiprocessors);
  /// A launch of instance virtual_keys: 0 the main kernel, 1 finish.
  void virtual_keys_part(int part);

  /// Gradient `t`, or none of a sink that there is not; at most `most` values from `first` on.
  std::vector<float> gradient(int t, std::int64_t first = 0, std::int64_t most = INT64_MAX) const;
  std::int64_t gradient_count(int t) const;
  const Problem& problem() const { return problem_; }
  std::size_t workspace_bytes() const { return workspace_.bytes(); }

 private:
  Arguments arguments() const;
  void provide_workspace(std::size_t bytes);

  Problem problem_;
  int multiprocessors_ = 0;
  void* stream_ = nullptr;
  Fold lse_fold_ = Fold::none;
  cuda::DeviceBuffer inputs_[6], grads_[5], o_, lse_, in_bf16_, sink_, grad_sink_, workspace_;
};

std::vector<std::vector<float>> all_gradients(const Device& device);
bool same_bits(const std::vector<std::vector<float>>& a, const std::vector<std::vector<float>>& b);

}  // namespace triscope::backward_bench
