// A worker whose GPU kernels misbehave on purpose (ids "test.gpu_*"), for tests/cuda/on_gpu; never shipped.
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/registry/registry.hpp"
#include "profiler/worker/serve.hpp"
#include "tests/cuda/bad_gpu_kernels.hpp"

namespace triscope {
namespace {

constexpr double kForEver = 120;  // s; long enough for any limit, short enough to free the GPU by itself
constexpr std::size_t kTooMuch = std::size_t{1} << 40;

// A kernel under another name, whose `misbehave` sees each launch's number.
class TestKernel final : public Kernel {
 public:
  using Misbehave = std::function<void(int launch, void* stream)>;

  TestKernel(const std::string& id, Misbehave misbehave, bool greedy = false, const char* inner = "cuda.portable")
      : inner_(*find_kernel(inner)), misbehave_(std::move(misbehave)), greedy_(greedy) {
    info_ = inner_.info();
    info_.id = info_.name = id;
  }

  const KernelInfo& info() const override { return info_; }
  std::optional<std::string> unsupported(const Problem& problem, Pass pass) const override {
    return inner_.unsupported(problem, pass);
  }
  Fold fold(const Problem& problem) const override { return inner_.fold(problem); }
  Fold fold(const Problem& problem, std::string_view instance) const override { return inner_.fold(problem, instance); }
  std::string choose_instance(const Problem& problem, Pass pass) const override {
    return inner_.choose_instance(problem, pass);
  }
  /// A greedy kernel tells the plan less than it asks for later.
  std::size_t workspace_bytes(const Problem& problem, Pass pass, std::string_view instance) const override {
    return greedy_ && ++asked_ > 1 ? kTooMuch : inner_.workspace_bytes(problem, pass, instance);
  }
  void launch(const Problem& problem, Pass pass, std::string_view instance, const Arguments& arguments) const override {
    inner_.launch(problem, pass, instance, arguments);
    misbehave_(++launches_, arguments.stream);
  }

 private:
  const Kernel& inner_;
  Misbehave misbehave_;
  bool greedy_;
  KernelInfo info_;
  mutable int launches_ = 0;
  mutable int asked_ = 0;
};

}  // namespace
}  // namespace triscope

int main(int argc, char** argv) {
  using triscope::TestKernel;
  namespace bad = triscope::bad;
  const auto late = [](void (*act)(void*)) {
    return [act](int launch, void* stream) {
      if (launch >= 4) act(stream);
    };
  };
  std::vector<std::unique_ptr<triscope::Kernel>> own;
  const auto add = [&own](auto&&... arguments) { own.push_back(std::make_unique<TestKernel>(arguments...)); };
  add("test.gpu_good", [](int, void*) {});
  add("test.gpu_slow", [](int, void* stream) { bad::spin(stream, 3); });
  add("test.gpu_hangs", late([](void* stream) { bad::spin(stream, triscope::kForEver); }));
  add("test.gpu_writes_nowhere", late(bad::write_nowhere));
  add("test.gpu_impossible", late(bad::launch_impossible));
  add(
      "test.gpu_greedy", [](int, void*) {}, true);
  // The context is lost in the middle of a block, and whoever launches next is the first to notice.
  const auto once = [](int launch, void* stream) {
    if (launch == 4) bad::write_nowhere(stream);
  };
  add("test.gpu_fa3", once, false, "baseline.fa3");
  std::vector<const triscope::Kernel*> kernels;
  for (const auto& kernel : triscope::all_kernels()) kernels.push_back(kernel.get());
  for (const auto& kernel : own) kernels.push_back(kernel.get());
  return triscope::run_worker(argc, argv, kernels);
}
