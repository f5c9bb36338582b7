#include "tests/cuda/hopper/hopper_case.hpp"

#include <cmath>
#include <cstdio>
#include <utility>

#include "kernels/attention/flops.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/philox.hpp"

namespace triscope::bench {
namespace {

Problem problem_of(std::int64_t w1, std::int64_t w2, std::int64_t hq, std::int64_t hkv, std::int64_t d, std::int64_t n,
                   std::int64_t b = 1, Form form = Form::trilinear) {
  Problem problem;
  problem.window1 = w1, problem.window2 = w2, problem.q_heads = hq, problem.kv_heads = hkv, problem.head_dim = d;
  problem.seq_len = n, problem.batch = b, problem.form = form;
  return problem;
}

/// Numbers for problem `n`, one after another.
class Draw {
 public:
  Draw(int seed, int n) : seed_(static_cast<std::uint32_t>(seed)), n_(static_cast<std::uint64_t>(n)) {}
  double uniform() { return philox(n_, count_++, seed_).x[0] / 4294967296.0; }
  /// Log-uniform integer of [1, limit].
  std::int64_t size(double limit) { return static_cast<std::int64_t>(std::exp(uniform() * std::log(limit + 0.999))); }
  template <typename T, std::size_t kCount>
  T pick(const T (&values)[kCount]) {
    return values[static_cast<std::size_t>(uniform() * kCount)];
  }

 private:
  std::uint32_t seed_;
  std::uint64_t n_;
  std::uint32_t count_ = 0;
};

}  // namespace

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const Form form : {Form::trilinear, Form::determinant}) {
    for (const std::int64_t d : {128, 64}) {
      for (const std::int64_t group : {128, 64, 32, 16, 8, 5, 2, 1}) {
        const std::int64_t kv = group >= 64 ? 1 : 2;
        cases.push_back({problem_of(300, 20, group * kv, kv, d, 601, 1, form)});
      }
      cases.push_back({problem_of(20, 300, 64, 1, d, 450, 1, form)});  // axis 1 is short
      cases.push_back({problem_of(128, 128, 128, 1, d, 300, 1, form)});
      cases.push_back({problem_of(33, 33, 96, 1, d, 200, 3, form)});
      cases.push_back({problem_of(40, 9, 256, 1, d, 100, 1, form)});
      cases.push_back({problem_of(70, 7, 200, 1, d, 100, 1, form)});
      for (const auto& [w1, w2] : {std::pair{1, 1}, {2, 3}, {1, 90}, {130, 1}, {2, 200}}) {
        cases.push_back({problem_of(w1, w2, 24, 8, d, 300, 2, form)});
      }
      // Blocks of heads of which the last is not full, at positions whose pair is not there, beside other kv heads and
      // batches.
      for (const std::int64_t group : {65, 129, 190, 191}) {
        for (const std::int64_t n : {421, 422}) cases.push_back({problem_of(300, 20, 2 * group, 2, d, n, 2, form)});
      }
    }
  }
  for (const std::int64_t n : {1, 2, 31, 32, 33, 511, 512, 513}) {
    for (const std::int64_t group : {128, 64, 8, 1}) cases.push_back({problem_of(512, 32, group, 1, 128, n)});
  }
  for (const std::int64_t group : {128, 64, 8, 1}) {
    for (const auto& [w1, w2] : {std::pair{1, 1}, {1, 50}, {50, 1}, {1000, 1000}, {2, 3}, {513, 31}, {385, 5}}) {
      cases.push_back({problem_of(w1, w2, group, 1, 128, 130)});
    }
    for (const Inputs inputs : {Inputs::peaked4, Inputs::peaked8, Inputs::rising_long, Inputs::falling_long,
                                Inputs::rising_short, Inputs::spikes, Inputs::zero_values, Inputs::tiny_values}) {
      cases.push_back({problem_of(512, 32, group, 1, 128, 700), inputs});
      cases.push_back({problem_of(200, 16, group, 1, 64, 300), inputs});
    }
    Problem extras = problem_of(300, 20, group, 1, 128, 400, 2);
    extras.sink = 1.5;
    cases.push_back({extras});
    extras.sink = 60.0;
    cases.push_back({extras});
    extras.sink.reset();
    extras.k2_bias = 0.5, extras.v2_bias = -0.25;
    cases.push_back({extras});
    extras.window1 = 12;
    cases.push_back({extras});
    extras.form = Form::determinant;
    cases.push_back({extras});
    extras = problem_of(300, 20, group, 1, 128, 400);
    extras.scale = -0.05;
    cases.push_back({extras});
    extras.scale = 0.0;
    cases.push_back({extras});
  }
  return cases;
}

std::vector<Case> range_cases() {
  std::vector<Case> cases;
  for (const Form form : {Form::trilinear, Form::determinant}) {
    for (const std::int64_t d : {128, 64}) {
      for (const std::int64_t group : {128, 64, 16, 1}) {
        for (const Inputs inputs : {Inputs::peaked4, Inputs::peaked8, Inputs::scaled_channels, Inputs::large_queries,
                                    Inputs::tiny_keys, Inputs::rows_beyond}) {
          Case test{problem_of(300, 20, 2 * group, 2, d, 500, 2, form), inputs};
          if (inputs == Inputs::large_queries) test.problem.scale = test.problem.effective_scale() * 0x1p-16;
          cases.push_back(test);
        }
      }
    }
  }
  return cases;
}

std::vector<Case> instance_cases(const Kernel& kernel) {
  std::vector<Case> cases;
  for (const std::string& instance : kernel.info().instances) {
    for (const std::int64_t d : {128, 64}) {
      for (const std::int64_t group : {128, 127, 64, 16, 3}) {  // 127: 64 and 63 heads
        for (const Form form : {Form::trilinear, Form::determinant}) {
          const Problem problem = problem_of(260, 11, group, 1, d, group == 127 ? 421 : 420, 2, form);
          if (!kernel.unsupported(problem, Pass::forward, instance))
            cases.push_back({problem, Inputs::normal, instance});
        }
      }
    }
  }
  return cases;
}

Case parse_shape(const std::string& text) {
  int w1 = 0, w2 = 0, hq = 0, hkv = 0, d = 0, n = 0, b = 0;
  char form[32] = {}, instance[64] = {};
  const int fields =
      std::sscanf(text.c_str(), "%dx%d,%d/%d,%d,%d,%d,%31[^,],%63s", &w1, &w2, &hq, &hkv, &d, &n, &b, form, instance);
  if (fields < 8)
    throw Error("cannot read the shape " + text, "it has too few fields", "see the head of hopper_bench.cpp",
                ExitCode::usage);
  return {problem_of(w1, w2, hq, hkv, d, n, b, parse_form(form).value_or(Form::trilinear)), Inputs::normal, instance};
}

Case random_case(int seed, int n) {
  Draw draw(seed, n);
  constexpr std::int64_t kGroups[] = {1, 2, 3, 4, 5, 8, 12, 16, 24, 32, 48, 64, 64, 96, 128, 128, 200, 256};
  constexpr std::int64_t kKvHeads[] = {1, 1, 2, 4, 8};
  constexpr std::int64_t kDims[] = {64, 128, 128};
  constexpr std::int64_t kBatches[] = {1, 1, 2, 3};
  constexpr Form kForms[] = {Form::trilinear, Form::trilinear, Form::determinant};
  constexpr Inputs kInputs[] = {Inputs::normal, Inputs::normal, Inputs::peaked4, Inputs::zero_values};
  for (;;) {
    const std::int64_t kv_heads = draw.pick(kKvHeads), group = draw.pick(kGroups);
    Case test{problem_of(draw.size(1024), draw.size(1024), group * kv_heads, kv_heads, draw.pick(kDims),
                         draw.size(16384), draw.pick(kBatches), draw.pick(kForms)),
              draw.pick(kInputs)};
    if (draw.uniform() < 0.15) test.problem.k2_bias = 0.25;
    if (draw.uniform() < 0.15) test.problem.v2_bias = -0.5;
    if (draw.uniform() < 0.15) test.problem.sink = 1.0;
    if (draw.uniform() < 0.1) test.problem.scale = -0.05;
    if (useful_flops(test.problem, Pass::forward) < 2e12 && validate(test.problem).empty()) return test;
  }
}

Problem random_backward(int seed, int n) {
  for (int draw = n;; draw += 1'000'000) {
    const Problem problem = random_case(seed, draw).problem;
    if (problem.batch * problem.seq_len * problem.q_heads * problem.head_dim < std::int64_t{1} << 28) return problem;
  }
}

}  // namespace triscope::bench
