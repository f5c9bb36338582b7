// cpu.fast: fp32 2-simplicial attention, and baseline.cpu: causal, sliding-window and full dot-product attention,
// blocked like FlashAttention-2. Forward and backward, on the same micro-kernels; the instances are instruction sets.
#include "kernels/cpu/fast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/attention/host_arguments.hpp"
#include "kernels/base/error.hpp"
#include "kernels/cpu/fast_layout.hpp"
#include "source_hash/cpu.fast.hpp"

namespace triscope {
namespace {

/// Largest |LSE| of a backward. A probability is exp(logit - LSE), both in fp32 and as large as each other: its
/// relative error, and that of the gradients, is about 2^-21 |LSE|, and 1 % here.
constexpr float kLargestLse = 2e4f;

/// Throws `Error` when fp32 cannot hold the probabilities that belong to the LSE.
void require_small_lse(const KernelInfo& info, const Problem& problem, const float* lse) {
  float largest = 0;
  for (std::int64_t n = 0; n < problem.batch * problem.q_heads * problem.seq_len; ++n)
    largest = std::max(largest, std::abs(lse[n]));
  if (largest <= kLargestLse) return;
  throw Error(fmt::format("the backward of {} was not launched", info.id),
              fmt::format("the LSE of a row is {:.3g} in size, and beyond {:g} fp32 leaves errors of more than 1 % in "
                          "the probabilities",
                          largest, kLargestLse),
              "scale queries or keys down, or use cpu.oracle", ExitCode::usage);
}

class FastKernel final : public Kernel {
 public:
  FastKernel(const char* id, const char* name, KernelCard card, std::initializer_list<Form> forms) : forms_(forms) {
    info_.id = id;
    info_.name = name;
    info_.card = std::move(card);
    info_.source_hash = source_hash::kCpuFast;
    info_.instances = cpu::instruction_set_names();
  }
  const KernelInfo& info() const override { return info_; }
  std::optional<std::string> unsupported(const Problem& problem, Pass) const override {
    return unsupported_on_cpu(problem, forms_);
  }
  std::optional<std::string> unsupported(const Problem& problem, Pass pass, std::string_view instance) const override {
    if (auto reason = unsupported(problem, pass)) return reason;
    return cpu::unsupported_instruction_set(instance);
  }
  std::string choose_instance(const Problem&, Pass) const override { return cpu::best_instruction_set().name; }
  std::size_t workspace_bytes(const Problem& problem, Pass pass, std::string_view instance) const override {
    return cpu::workspace_bytes(problem, pass, *cpu::find_instruction_set(instance));
  }
  void launch(const Problem& problem, Pass pass, std::string_view instance, const Arguments& arguments) const override {
    require_launchable(*this, problem, pass, instance, arguments);
    const cpu::InstructionSet& instructions = *cpu::find_instruction_set(instance);
    if (pass == Pass::forward) {
      cpu::launch_forward(problem, instructions, arguments);
    } else {
      require_small_lse(info_, problem, arguments.lse);
      cpu::launch_backward(problem, instructions, arguments);
    }
  }

 private:
  KernelInfo info_;
  std::vector<Form> forms_;
};

}  // namespace

std::unique_ptr<Kernel> make_cpu_fast() {
  return std::make_unique<FastKernel>("cpu.fast", "CPU fast (fp32, blocked)",
                                      KernelCard{.label = "CPU", .short_label = "CPU", .colour = 0},
                                      std::initializer_list<Form>{Form::trilinear, Form::determinant});
}

std::unique_ptr<Kernel> make_cpu_baseline() {
  return std::make_unique<FastKernel>(
      "baseline.cpu", "CPU attention (fp32, blocked)",
      KernelCard{.label = "CPU dot-product", .short_label = "CPU dot", .kind = KernelKind::dot_product, .rank = 3},
      std::initializer_list<Form>{Form::dot_product});
}

}  // namespace triscope
