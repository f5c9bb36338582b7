// Small problems and the misbehaving worker, for tests that start processes.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "profiler/protocol/messages.hpp"
#include "profiler/supervise/supervisor.hpp"
#include "tests/paths.hpp"

namespace triscope {

inline Problem tiny_problem() {
  Problem problem;
  problem.element = Element::fp32;
  problem.seq_len = 20;
  problem.q_heads = 2;
  problem.kv_heads = 1;
  problem.head_dim = 8;
  problem.window1 = 5;
  problem.window2 = 3;
  return problem;
}

inline MeasurementKey tiny_key(const std::string& kernel, Pass pass = Pass::forward) {
  MeasurementKey key;
  key.problem = tiny_problem();
  key.pass = pass;
  key.kernel = kernel;
  key.instance = "small";
  key.device_id = "cpu";
  return key;
}

/// A group of test kernels, sampled as briefly as the rule allows.
inline MeasureRequest tiny_request(const std::vector<std::string>& kernels, Pass pass = Pass::forward) {
  MeasureRequest request;
  for (const std::string& kernel : kernels) {
    request.entries.push_back(tiny_key(kernel, pass));
    request.source_hashes.emplace_back("test");
  }
  request.stopping.budget_ns = 1;
  return request;
}

/// The worker of bad_worker_main.cpp; `how` makes its protocol misbehave.
inline WorkerOptions bad_worker(const std::string& how = "") {
  WorkerOptions options;
  options.program = build_file("tests/triscope-bad-worker");
  options.handshake_limit = std::chrono::minutes(5);  // what comes before the greeting takes its time on a busy machine
  if (!how.empty()) options.prefix = {"env", "TRISCOPE_TEST_WORKER=" + how};
  return options;
}

}  // namespace triscope
