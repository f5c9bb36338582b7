// A database in which two versions of one kernel were measured.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "profiler/statistics/statistics.hpp"
#include "tests/profiler/record/kernel_cards.hpp"
#include "tests/views/window_fixture.hpp"

namespace triscope::fixture {

/// What two versions of one kernel measured, each in two sweeps; the newer one is 10 % slower in what both have, at a
/// clock that is 2 % lower. A library that did not change took 2 % longer. `two_gpus`: each version on a GPU of its
/// own, and a second such library. `many`: that library, and the determinant of other windows, 30 % slower.
inline void write_two_versions(const std::filesystem::path& file, bool two_gpus = false, bool many = false) {
  Store store(file);
  store.know_kernels(known_kernels());
  for (int sweep = 0; sweep < 4; ++sweep) {
    Environment environment = synthetic_environment();
    if (two_gpus) environment.device_uuid = sweep < 2 ? "GPU-1" : "GPU-2";
    const std::int64_t id = store.begin_sweep("triscope sweep", "{}", environment, 2);
    for (std::int64_t n = 0; n < 2; ++n) {
      Measurement one = synthetic_measurement(1, 20);
      one.key.kernel = "cuda.hopper";
      one.key.problem.seq_len = 1024 << (n + (sweep % 2 == 0 ? 0 : 2));
      one.key.problem.q_heads /= 8;  // else it would be faster than any GPU is
      one.source_hash = sweep < 2 ? "63ca6c000000" : "2c6a73000000";
      const auto add = [&](std::int64_t duration_ns) {
        for (Sample& sample : one.samples) {
          sample.duration_ns = duration_ns;
          sample.sm_clock_mhz = sweep < 2 ? 1500 : 1470;
        }
        one.summary = summarize(one.samples, StoppingRule{});
        store.add(id, one);
      };
      add((sweep < 2 ? 1'000'000 : 1'100'000) * (1 + n));
      if (many) {
        const Problem trilinear = one.key.problem;
        one.key.problem.form = Form::determinant;
        one.key.problem.window1 *= 2;
        add((sweep < 2 ? 1'000'000 : 1'300'000) * (1 + n));
        one.key.problem = trilinear;
      }
      one.key.kernel = "baseline.fa3";
      one.key.instance = "0.3.6";
      one.key.problem.form = Form::dot_product;
      one.key.problem.window1 = one.key.problem.seq_len;
      one.key.problem.window2 = 1;
      add(sweep < 2 ? 500'000 : 510'000);
      if (!two_gpus && !many) continue;
      one.key.kernel = "baseline.cudnn";
      add(sweep < 2 ? 600'000 : 606'000);
    }
    store.finish_sweep(id);
  }
}

}  // namespace triscope::fixture
