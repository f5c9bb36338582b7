#include "tests/cuda/hopper_backward/hopper_backward_device.hpp"

#include <cuda_bf16.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/cuda/hopper/backward/around/finish.hpp"
#include "kernels/cuda/hopper/backward/backward.hpp"

namespace triscope::backward_bench {
namespace {

using cuda::DeviceBuffer;

std::vector<float> download_bf16(const DeviceBuffer& buffer, std::int64_t first, std::int64_t count) {
  std::vector<std::uint16_t> raw(static_cast<std::size_t>(count));
  TRISCOPE_CUDA_CHECK(
      cudaMemcpy(raw.data(), buffer.as<std::uint16_t>() + first, raw.size() * 2, cudaMemcpyDeviceToHost));
  std::vector<float> values(raw.size());
  for (std::size_t n = 0; n < raw.size(); ++n) {
    const std::uint32_t bits = std::uint32_t{raw[n]} << 16;
    std::memcpy(&values[n], &bits, 4);
  }
  return values;
}

void scale_tensor(const DeviceBuffer& buffer, float factor) {
  if (factor == 1) return;
  std::vector<__nv_bfloat16> scaled;
  for (const float x : download_bf16(buffer, 0, static_cast<std::int64_t>(buffer.bytes() / 2)))
    scaled.push_back(__float2bfloat16(x * factor));
  TRISCOPE_CUDA_CHECK(cudaMemcpy(buffer.data(), scaled.data(), buffer.bytes(), cudaMemcpyHostToDevice));
}

}  // namespace

Device::Device(const Case& test) : problem_(test.problem) {
  const Problem& p = problem_;
  TRISCOPE_CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, 0));
  const std::int64_t queries = p.batch * p.seq_len * p.q_heads * p.head_dim, keys = queries / p.group();
  const float factors[] = {test.factors.q,  test.factors.k1, test.factors.k2,
                           test.factors.v1, test.factors.v2, test.factors.grad_o};
  for (int t = 0; t < 6; ++t) {
    const bool query_like = t == 0 || t == 5;
    const std::int64_t count = query_like ? queries : keys;
    inputs_[t] = DeviceBuffer(static_cast<std::size_t>(count) * 2);
    if (t < 5) grads_[t] = DeviceBuffer(static_cast<std::size_t>(count) * 2);
    reference::fill(inputs_[t].data(), count, static_cast<InputStream>(t), 7, test.kind,
                    static_cast<int>((query_like ? p.q_heads : p.kv_heads) * p.head_dim), static_cast<int>(p.seq_len));
    scale_tensor(inputs_[t], factors[t]);
  }
  o_ = DeviceBuffer(static_cast<std::size_t>(queries) * 2);
  lse_ = DeviceBuffer(static_cast<std::size_t>(queries / p.head_dim) * 4);
  in_bf16_ = DeviceBuffer(4);
  TRISCOPE_CUDA_CHECK(cudaMemset(in_bf16_.data(), 0, in_bf16_.bytes()));
  if (p.sink) {
    const std::vector<float> sink(static_cast<std::size_t>(p.q_heads), static_cast<float>(*p.sink));
    sink_ = DeviceBuffer(sink.size() * 4);
    grad_sink_ = DeviceBuffer(sink.size() * 4);
    TRISCOPE_CUDA_CHECK(cudaMemcpy(sink_.data(), sink.data(), sink_.bytes(), cudaMemcpyHostToDevice));
  }
  TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
}

reference::Inputs Device::inputs() const {
  return {inputs_[0].data(), inputs_[1].data(), inputs_[2].data(), inputs_[3].data(),
          inputs_[4].data(), inputs_[5].data(), sink_.as<float>()};
}

void Device::set_forward(const reference::Outputs& outputs, Fold fold) {
  const std::vector<float> lse(outputs.lse.begin(), outputs.lse.end());
  std::vector<__nv_bfloat16> o;
  for (const double x : outputs.o) o.push_back(__float2bfloat16(static_cast<float>(x)));
  TRISCOPE_CUDA_CHECK(cudaMemcpy(lse_.data(), lse.data(), lse_.bytes(), cudaMemcpyHostToDevice));
  TRISCOPE_CUDA_CHECK(cudaMemcpy(o_.data(), o.data(), o_.bytes(), cudaMemcpyHostToDevice));
  TRISCOPE_CUDA_CHECK(cudaMemset(in_bf16_.data(), 0, in_bf16_.bytes()));
  lse_fold_ = fold;
}

void Device::forward(const Kernel& kernel) {
  const std::string instance = kernel.choose_instance(problem_, Pass::forward);
  provide_workspace(kernel.workspace_bytes(problem_, Pass::forward, instance));
  kernel.launch(problem_, Pass::forward, instance, arguments());
  lse_fold_ = kernel.fold(problem_, instance);
}

void Device::spoil(int t, std::int64_t element) {
  const __nv_bfloat16 nan = __float2bfloat16(std::nanf(""));
  TRISCOPE_CUDA_CHECK(cudaMemcpy(inputs_[t].as<__nv_bfloat16>() + element, &nan, sizeof nan, cudaMemcpyHostToDevice));
}

void Device::poison(int byte) {
  for (DeviceBuffer& buffer : grads_) TRISCOPE_CUDA_CHECK(cudaMemset(buffer.data(), byte, buffer.bytes()));
  for (DeviceBuffer* buffer : {&grad_sink_, &workspace_}) {
    if (buffer->bytes() > 0) TRISCOPE_CUDA_CHECK(cudaMemset(buffer->data(), byte, buffer->bytes()));
  }
  TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
}

bool Device::lse_in_bf16() const {
  std::uint32_t word = 0;
  TRISCOPE_CUDA_CHECK(cudaMemcpy(&word, in_bf16_.data(), sizeof word, cudaMemcpyDeviceToHost));
  return word != 0;
}

float Device::largest_lse() const {
  std::vector<float> lse(lse_.bytes() / sizeof(float));
  TRISCOPE_CUDA_CHECK(cudaMemcpy(lse.data(), lse_.data(), lse_.bytes(), cudaMemcpyDeviceToHost));
  float largest = 0;
  for (const float x : lse) largest = std::max(largest, std::fabs(x));
  return largest;
}

void Device::backward(const Kernel& kernel, const std::string& instance) {
  provide_workspace(kernel.workspace_bytes(problem_, Pass::backward, instance));
  kernel.launch(problem_, Pass::backward, instance, arguments());
}

void Device::backward_on(int multiprocessors) {
  provide_workspace(hopper::backward::workspace_bytes(problem_, hopper::backward::kVirtualKeys));
  hopper::backward::run(problem_, hopper::backward::kVirtualKeys, arguments(), multiprocessors);
}

void Device::virtual_keys_part(int part) {
  const hopper::backward::Plan plan = hopper::backward::make_backward_plan(problem_);
  provide_workspace(plan.bytes);
  const Arguments a = arguments();
  const hopper::backward::Plan bound = hopper::backward::bind(plan, a);
  if (part == 0) hopper::backward::launch_main(bound, a, multiprocessors_, nullptr, nullptr);
  if (part == 1) hopper::backward::launch_finish(bound, a, {}, multiprocessors_, nullptr);
}

std::int64_t Device::gradient_count(int t) const {
  return static_cast<std::int64_t>(t < 5 ? grads_[t].bytes() / 2 : grad_sink_.bytes() / 4);
}

std::vector<float> Device::gradient(int t, std::int64_t first, std::int64_t most) const {
  const std::int64_t count = std::min(most, gradient_count(t) - first);
  if (t < 5) return download_bf16(grads_[t], first, count);
  std::vector<float> values(static_cast<std::size_t>(count));
  if (values.empty()) return values;
  TRISCOPE_CUDA_CHECK(
      cudaMemcpy(values.data(), grad_sink_.as<float>() + first, values.size() * 4, cudaMemcpyDeviceToHost));
  return values;
}

Arguments Device::arguments() const {
  Arguments a;
  a.q = inputs_[0].data(), a.k1 = inputs_[1].data(), a.k2 = inputs_[2].data(), a.v1 = inputs_[3].data();
  a.v2 = inputs_[4].data(), a.grad_o = inputs_[5].data(), a.o = o_.data(), a.lse = lse_.as<float>();
  a.grad_q = grads_[0].data(), a.grad_k1 = grads_[1].data(), a.grad_k2 = grads_[2].data();
  a.grad_v1 = grads_[3].data(), a.grad_v2 = grads_[4].data(), a.sink = sink_.as<float>();
  a.grad_sink = grad_sink_.as<float>(), a.workspace = workspace_.data(), a.lse_fold = lse_fold_;
  a.lse_in_bf16 = in_bf16_.as<std::uint32_t>();
  a.stream = stream_;
  return a;
}

void Device::provide_workspace(std::size_t bytes) {
  if (workspace_.bytes() >= bytes) return;
  TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());  // what runs may still use the smaller one
  workspace_ = DeviceBuffer(bytes);
}

std::vector<std::vector<float>> all_gradients(const Device& device) {
  std::vector<std::vector<float>> all;
  for (int t = 0; t < kGradients; ++t) all.push_back(device.gradient(t));
  return all;
}

bool same_bits(const std::vector<std::vector<float>>& a, const std::vector<std::vector<float>>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0;
  });
}

}  // namespace triscope::backward_bench
