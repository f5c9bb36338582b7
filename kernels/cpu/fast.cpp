// cpu.fast: fp32, deterministic.
#include "kernels/cpu/cpu_kernels.hpp"

namespace triscope {
namespace {

/// Interim: forwards to the oracle until the blocked kernels land.
class Interim final : public Kernel {
 public:
  Interim(const char* id, const char* name, const char* family, Form form) : oracle_(make_cpu_oracle()), form_(form) {
    info_.id = id;
    info_.name = name;
    info_.family = family;
    info_.source_hash = TRISCOPE_SOURCE_HASH;
    info_.instances = {"direct"};
  }
  const KernelInfo& info() const override { return info_; }
  using Kernel::unsupported;
  std::optional<std::string> unsupported(const Problem& problem, Pass pass) const override {
    if (form_ == Form::dot_product) return "it is not built yet";
    return oracle_->unsupported(problem, pass);
  }
  std::size_t workspace_bytes(const Problem&, Pass, std::string_view) const override { return 0; }
  void launch(const Problem& problem, Pass pass, std::string_view instance, const Arguments& arguments) const override {
    oracle_->launch(problem, pass, instance, arguments);
  }

 private:
  std::unique_ptr<Kernel> oracle_;
  Form form_;
  KernelInfo info_;
};

}  // namespace

std::unique_ptr<Kernel> make_cpu_fast() {
  return std::make_unique<Interim>("cpu.fast", "CPU fast (fp32, blocked)", "2-simplicial", Form::trilinear);
}
std::unique_ptr<Kernel> make_cpu_baseline() {
  return std::make_unique<Interim>("baseline.cpu", "Dot-product attention (CPU)", "baseline", Form::dot_product);
}

}  // namespace triscope
