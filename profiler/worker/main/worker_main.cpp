// triscope-worker: measures on behalf of triscope, which talks to it over stdin and stdout.
#include <vector>

#include "kernels/registry.hpp"
#include "profiler/worker/serve.hpp"

int main(int argc, char** argv) {
  std::vector<const triscope::Kernel*> kernels;
  for (const auto& kernel : triscope::all_kernels()) kernels.push_back(kernel.get());
  return triscope::run_worker(argc, argv, kernels);
}
