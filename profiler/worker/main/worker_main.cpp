// triscope-worker: measures on behalf of triscope, which talks to it over stdin and stdout.
#include <malloc.h>

#include <vector>

#include "kernels/registry/registry.hpp"
#include "profiler/worker/serve.hpp"

int main(int argc, char** argv) {
  // Slices take and give back tens of megabytes many times a second: the process keeps them, or the system would hand
  // out and clear each page anew.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that is allowed
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  std::vector<const triscope::Kernel*> kernels;
  for (const auto& kernel : triscope::all_kernels()) kernels.push_back(kernel.get());
  return triscope::run_worker(argc, argv, kernels);
}
