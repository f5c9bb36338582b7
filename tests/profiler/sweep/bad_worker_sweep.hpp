// For tests of sweeps with real workers: the worker whose kernels hang, crash and lie, a tiny request, and a database.
#pragma once

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "profiler/plan/request.hpp"
#include "tests/paths.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {

class BadWorkerSweep : public testing::Test {
 public:
  ~BadWorkerSweep() override { unsetenv("TRISCOPE_WORKER"); }

 protected:
  BadWorkerSweep() { setenv("TRISCOPE_WORKER", build_file("tests/triscope-bad-worker").c_str(), 1); }

  /// Three windows, one block, one restart.
  static SweepRequest tiny_sweep(std::vector<std::string> kernels) {
    SweepRequest r;
    r.windows = {{5, 3}, {4, 4}, {1, 1}};
    r.seq_lens = {20};
    r.q_heads = {2};
    r.kv_heads = {1};
    r.head_dims = {8};
    r.kernels = std::move(kernels);
    r.stopping.budget_ns = 1;
    r.restarts = 1;
    return r;
  }

  std::filesystem::path database() const { return folder_.path() / "results.db"; }

  TemporaryFolder folder_;
};

}  // namespace triscope
