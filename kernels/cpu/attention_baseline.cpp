// baseline.cpu: causal, sliding-window and full dot-product attention in fp32, forward and backward, blocked like
// FlashAttention-2, on the micro-kernels of cpu.fast. Its instances are instruction sets.
#include "kernels/cpu/cpu_kernels.hpp"
#include "kernels/cpu/fast_layout.hpp"
#include "kernels/cpu/host_arguments.hpp"

namespace triscope {
namespace {

class CpuBaseline final : public Kernel {
 public:
  CpuBaseline() {
    info_.id = "baseline.cpu";
    info_.name = "CPU attention (fp32, blocked)";
    info_.family = "baseline";
    info_.source_hash = TRISCOPE_SOURCE_HASH;
    info_.instances = cpu::instruction_set_names();
  }
  const KernelInfo& info() const override { return info_; }
  std::optional<std::string> unsupported(const Problem& problem, Pass) const override {
    return unsupported_on_cpu(problem, {Form::dot_product});
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
      cpu::launch_backward(problem, instructions, arguments);
    }
  }

 private:
  KernelInfo info_;
};

}  // namespace

std::unique_ptr<Kernel> make_cpu_baseline() { return std::make_unique<CpuBaseline>(); }

}  // namespace triscope
