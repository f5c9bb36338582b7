// Small invented sweeps for tests of the view models: every number is chosen, none is measured.
#pragma once

#include <algorithm>
#include <memory>

#include "tests/profiler/record/kernel_cards.hpp"
#include "views/data/window_data.hpp"

namespace triscope::fixture {

inline ResultRow row(std::int64_t id, std::int64_t w1, std::int64_t w2, Pass pass, double ms, double tflops,
                     const std::string& kernel = "cpu.fast") {
  ResultRow r;
  r.measurement = id;
  r.sweep = 1;
  r.started = "2026-11-21T14:02:31Z";
  r.device = "Test CPU";
  r.kernel = kernel;
  r.card = card_of(kernel);
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
  return sweep({row(1, 512, 32, Pass::forward, 24.4, 0.2), row(2, 512, 32, Pass::backward, 82.4, 0.15),
                row(3, 256, 64, Pass::forward, 26.6, 0.18), row(4, 256, 64, Pass::backward, 89.9, 0.14),
                baseline(5, Pass::forward, 4, 0.4), baseline(6, Pass::backward, 11, 0.3)});
}

/// Two windows and two groupings of FlashAttention-3 on a GPU at 1k to 128k tokens. Forward, 512 x 32 takes n / 1000 ms
/// and FlashAttention-3 64/1 n^2 / 41e6 ms, so they are equal at 41,000 tokens; 256 x 32 takes half of that. Backward
/// is 2.5 times.
inline std::shared_ptr<SweepResults> length_sweep() {
  std::vector<ResultRow> rows;
  const auto add = [&rows](std::int64_t w1, std::int64_t w2, std::int64_t n, std::int64_t kv_heads, Pass pass,
                           double ms, const char* kernel) {
    ResultRow r = row(static_cast<std::int64_t>(rows.size()) + 1, w1, w2, pass, pass == Pass::forward ? ms : 2.5 * ms,
                      500, kernel);
    r.problem.element = Element::bf16;
    r.problem.seq_len = n;
    r.problem.q_heads = 64;
    r.problem.kv_heads = kv_heads;
    r.problem.head_dim = 128;
    if (w2 == 1) r.problem.form = Form::dot_product;
    rows.push_back(std::move(r));
  };
  for (const Pass pass : {Pass::forward, Pass::backward}) {
    for (std::int64_t n = 1024; n <= 131072; n *= 2) {
      const double tokens = static_cast<double>(n);
      add(512, 32, n, 1, pass, tokens / 1000, "cuda.hopper");
      add(512, 32, n, 1, pass, tokens / 300, "cuda.portable");
      add(256, 32, n, 1, pass, tokens / 2000, "cuda.hopper");
      add(n, 1, n, 8, pass, tokens * tokens / 40e6, "baseline.fa3");
      add(n, 1, n, 1, pass, tokens * tokens / 41e6, "baseline.fa3");
      add(n, 1, n, 1, pass, tokens * tokens / 37e6, "baseline.cudnn");
      add(std::min<std::int64_t>(n, 1024), 1, n, 1, pass, tokens / 12000, "baseline.fa3");
    }
  }
  return sweep(std::move(rows));
}

}  // namespace triscope::fixture
