// A worker with kernels that do a known share more of the work than those they are made of, for
// tests/robustness/planted; never shipped. Of each 2-simplicial kernel ID it has two more, forward only:
//   test.ID     does $TRISCOPE_PLANTED per cent more (default: 0)
//   test.ID.3   does 3 % more
// More work is the same kernel once more on the first tokens of the same inputs: as many as the share of pairs allows.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/attention/flops.hpp"
#include "kernels/registry/registry.hpp"
#include "profiler/worker/serve.hpp"

namespace triscope {
namespace {

std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

class PlantedKernel final : public Kernel {
 public:
  PlantedKernel(const Kernel& inner, const std::string& id, double percent) : inner_(inner), share_(0.01 * percent) {
    info_ = inner.info();
    info_.id = info_.name = info_.card.label = info_.card.short_label = id;
  }

  const KernelInfo& info() const override { return info_; }
  std::optional<std::string> unsupported(const Problem& problem, Pass pass) const override {
    if (pass == Pass::backward || problem.batch != 1) return "it has a forward of one sequence only";
    return inner_.unsupported(problem, pass);
  }
  using Kernel::unsupported;
  Fold fold(const Problem& problem) const override { return inner_.fold(problem); }
  Fold fold(const Problem& problem, std::string_view instance) const override { return inner_.fold(problem, instance); }
  std::string choose_instance(const Problem& problem, Pass pass) const override {
    return inner_.choose_instance(problem, pass);
  }
  std::size_t workspace_bytes(const Problem& problem, Pass pass, std::string_view instance) const override {
    const Problem more = more_of(problem);
    if (more.seq_len == 0) return inner_.workspace_bytes(problem, pass, instance);
    return aligned(inner_.workspace_bytes(problem, pass, instance)) + aligned(output_bytes(more)) +
           aligned(lse_bytes(more)) + aligned(sizeof(std::uint32_t)) + inner_.workspace_bytes(more, pass, instance);
  }
  void launch(const Problem& problem, Pass pass, std::string_view instance, const Arguments& arguments) const override {
    inner_.launch(problem, pass, instance, arguments);
    const Problem more = more_of(problem);
    if (more.seq_len == 0) return;
    auto* place =
        static_cast<std::byte*>(arguments.workspace) + aligned(inner_.workspace_bytes(problem, pass, instance));
    Arguments again = arguments;
    again.o = place;
    again.lse = reinterpret_cast<float*>(place += aligned(output_bytes(more)));
    again.lse_in_bf16 = reinterpret_cast<std::uint32_t*>(place += aligned(lse_bytes(more)));
    again.workspace = place + aligned(sizeof(std::uint32_t));
    inner_.launch(more, pass, instance, again);
  }

 private:
  /// `problem` with as many tokens as make up the share of its work.
  Problem more_of(const Problem& problem) const {
    Problem more = problem;
    const double work = share_ * useful_flops(problem, Pass::forward);
    std::int64_t low = 0, high = problem.seq_len;  // `low` is not too much
    while (low + 1 < high) {
      more.seq_len = (low + high) / 2;
      (useful_flops(more, Pass::forward) <= work ? low : high) = more.seq_len;
    }
    more.seq_len = low;
    return more;
  }
  static std::size_t lse_bytes(const Problem& problem) {
    return static_cast<std::size_t>(problem.seq_len * problem.q_heads) * sizeof(float);
  }
  static std::size_t output_bytes(const Problem& problem) {
    return lse_bytes(problem) * static_cast<std::size_t>(problem.head_dim);  // enough for bf16 too
  }

  const Kernel& inner_;
  double share_;
  KernelInfo info_;
};

}  // namespace
}  // namespace triscope

int main(int argc, char** argv) {
  const char* planted = std::getenv("TRISCOPE_PLANTED");
  std::vector<const triscope::Kernel*> kernels;
  std::vector<std::unique_ptr<triscope::Kernel>> own;
  for (const auto& kernel : triscope::all_kernels()) {
    kernels.push_back(kernel.get());
    if (kernel->info().card.kind != triscope::KernelKind::simplicial) continue;
    const std::string id = "test." + kernel->info().id;
    const double percent = planted == nullptr ? 0 : std::atof(planted);
    own.push_back(std::make_unique<triscope::PlantedKernel>(*kernel, id, percent));
    own.push_back(std::make_unique<triscope::PlantedKernel>(*kernel, id + ".3", 3));
  }
  for (const auto& kernel : own) kernels.push_back(kernel.get());
  return triscope::run_worker(argc, argv, kernels);
}
