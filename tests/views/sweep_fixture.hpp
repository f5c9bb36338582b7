// Small invented sweeps for tests of the view models: every number is chosen, none is measured.
#pragma once

#include <memory>

#include "views/window_data.hpp"

namespace triscope::fixture {

inline ResultRow row(std::int64_t id, std::int64_t w1, std::int64_t w2, Pass pass, double ms, double tflops, const std::string& kernel = "cpu.fast") {
  ResultRow r;
  r.measurement = id;
  r.sweep = 1;
  r.started = "2026-11-21T14:02:31Z";
  r.device = "Test CPU";
  r.kernel = kernel;
  r.instance = "default";
  r.source_hash = "abc123";
  r.pass = pass;
  r.problem.element = Element::fp32;
  r.problem.seq_len = 2048;
  r.problem.q_heads = 8;
  r.problem.head_dim = 64;
  r.problem.window1 = w1;
  r.problem.window2 = w2;
  r.median_ms = ms;
  r.ci_low_ms = ms * 0.99;
  r.ci_high_ms = ms * 1.02;
  r.samples = 100;
  r.tflops = tflops;
  r.error = 1e-6;
  return r;
}

inline ResultRow baseline(std::int64_t id, Pass pass, double ms, double tflops) {
  ResultRow r = row(id, 2048, 1, pass, ms, tflops, "baseline.cpu");
  r.problem.form = Form::dot_product;
  return r;
}

inline ResultRow failed(ResultRow r, const std::string& reason) {
  r.status = Status::failed;
  r.reason = reason;
  r.median_ms.reset();
  r.ci_low_ms.reset();
  r.ci_high_ms.reset();
  r.tflops.reset();
  r.samples = 0;
  return r;
}

inline std::shared_ptr<SweepResults> sweep(std::vector<ResultRow> rows, std::int64_t id = 1) {
  auto results = std::make_shared<SweepResults>();
  results->info.id = id;
  results->info.started = "2026-11-21T14:02:31Z";
  results->info.finished = "2026-11-21T14:05:00Z";
  results->info.environment.device_name = "Test CPU";
  results->info.planned = results->info.ok = static_cast<std::int64_t>(rows.size());
  results->rows = std::move(rows);
  return results;
}

/// Two windows, both passes, one kernel, and a baseline.
inline std::shared_ptr<SweepResults> small_sweep() {
  return sweep({row(1, 512, 32, Pass::forward, 24.4, 0.2), row(2, 512, 32, Pass::backward, 82.4, 0.15), row(3, 256, 64, Pass::forward, 26.6, 0.18),
                row(4, 256, 64, Pass::backward, 89.9, 0.14), baseline(5, Pass::forward, 4, 0.4), baseline(6, Pass::backward, 11, 0.3)});
}

}  // namespace triscope::fixture
