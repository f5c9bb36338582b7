// A problem whose tensors are bf16 in host memory, for kernels that are told the host is their device.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/kernels/attention/attention_case.hpp"

namespace triscope::test {

class Bf16Case {
 public:
  explicit Bf16Case(const Problem& problem) : tensors_(problem) {
    for (std::vector<float>* tensor : wide()) narrow_.emplace_back(bits_of(*tensor));
  }

  /// Runs one pass; false when it wrote beyond its workspace.
  bool run(const Kernel& kernel, Pass pass) {
    const std::string instance = kernel.choose_instance(tensors_.problem, pass);
    Workspace workspace(kernel.workspace_bytes(tensors_.problem, pass, instance));
    Arguments a = tensors_.arguments(workspace.data());
    const void** inputs[] = {&a.q, &a.k1, &a.v1, &a.grad_o};
    for (std::size_t n = 0; n < 4; ++n) *inputs[n] = narrow_[n].data();
    void** outputs[] = {&a.o, &a.grad_q, &a.grad_k1, &a.grad_v1};
    for (std::size_t n = 0; n < 4; ++n) *outputs[n] = narrow_[4 + n].data();
    a.stream = reinterpret_cast<void*>(std::uintptr_t{0x57});
    kernel.launch(tensors_.problem, pass, instance, a);
    const std::vector<std::vector<float>*> all = wide();
    for (std::size_t n = 4; n < all.size(); ++n) {
      for (std::size_t m = 0; m < all[n]->size(); ++m) {
        const std::uint32_t bits = static_cast<std::uint32_t>(narrow_[n][m]) << 16;
        std::memcpy(&(*all[n])[m], &bits, sizeof(float));
      }
    }
    return !workspace.overrun();
  }

  CheckResult check(const Kernel& kernel, Pass pass) const { return tensors_.check(kernel.info(), pass); }

 private:
  std::vector<std::vector<float>*> wide() {
    return {&tensors_.q, &tensors_.k1,     &tensors_.v1,      &tensors_.grad_o,
            &tensors_.o, &tensors_.grad_q, &tensors_.grad_k1, &tensors_.grad_v1};
  }
  static std::vector<std::uint16_t> bits_of(const std::vector<float>& values) {
    std::vector<std::uint16_t> bits(values.size());
    for (std::size_t n = 0; n < values.size(); ++n) {
      std::uint32_t word;
      std::memcpy(&word, &values[n], sizeof(word));
      bits[n] = static_cast<std::uint16_t>(word >> 16);  // inputs are rounded, outputs are NaN
    }
    return bits;
  }

  AttentionCase tensors_;
  std::vector<std::vector<std::uint16_t>> narrow_;
};

}  // namespace triscope::test
