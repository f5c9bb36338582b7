// The steps of small problems: what they leave in memory is what the fp64 oracle says, and each says what it did.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <set>

#include "kernels/paper/run_algorithm.hpp"
#include "kernels/reference/oracle.hpp"

namespace triscope {
namespace {

/// The oracle's gradients and outputs of the tensors of `sizes`, which fp32 holds exactly.
class Expected {
 public:
  explicit Expected(const StepSizes& sizes) : sizes_(sizes), tensors_(step_tensors(sizes)) {
    problem_.element = Element::fp32;
    problem_.seq_len = sizes.n;
    problem_.q_heads = problem_.kv_heads = 1;
    problem_.head_dim = sizes.dim;
    problem_.window1 = sizes.window1;
    problem_.window2 = sizes.window2;
    const auto narrow = [](const std::vector<double>& x) { return std::vector<float>(x.begin(), x.end()); };
    q_ = narrow(tensors_.q), k1_ = narrow(tensors_.k1), k2_ = narrow(tensors_.k2), v1_ = narrow(tensors_.v1);
    v2_ = narrow(tensors_.v2), grad_o_ = narrow(tensors_.grad_o);
    const Oracle oracle(problem_, {q_.data(), k1_.data(), k2_.data(), v1_.data(), v2_.data(), nullptr, grad_o_.data()});
    const auto dim = static_cast<std::size_t>(sizes.dim);
    std::vector<RowStatistics> statistics;
    for (std::int64_t i = 0; i < sizes.n; ++i) {
      std::vector<double> o(dim);
      const double lse = oracle.row({0, i, 0}, o);
      statistics.push_back({lse, oracle.delta({0, i, 0}, std::span<const double>(o))});
      result.lse.push_back(lse);
      append(result.o, o);
      append(result.grad_q, oracle.grad_q({0, i, 0}, statistics.back()).value);
    }
    const auto of = [&](const OracleRow& row) { return statistics[static_cast<std::size_t>(row.position)]; };
    for (std::int64_t j = 0; j < sizes.n; ++j) {
      const KeyGradient one = oracle.grad_key(KeyAxis::one, {0, j, 0}, of);
      const KeyGradient two = oracle.grad_key(KeyAxis::two, {0, j, 0}, of);
      append(result.grad_k1, one.key.value), append(result.grad_v1, one.value);
      append(result.grad_k2, two.key.value), append(result.grad_v2, two.value);
    }
  }
  StepResult result;

 private:
  static void append(std::vector<double>& all, const std::vector<double>& more) {
    all.insert(all.end(), more.begin(), more.end());
  }
  StepSizes sizes_;
  StepTensors tensors_;
  Problem problem_;
  std::vector<float> q_, k1_, k2_, v1_, v2_, grad_o_;
};

void expect_same(const char* name, const std::vector<double>& made, const std::vector<double>& expected) {
  if (made.empty()) return;
  ASSERT_EQ(made.size(), expected.size()) << name;
  for (std::size_t n = 0; n < made.size(); ++n) ASSERT_NEAR(made[n], expected[n], 1e-12) << name << " element " << n;
}

/// Which of the outputs an algorithm leaves.
std::string outputs(const StepResult& r) {
  std::string text;
  for (const auto& [name, tensor] : {std::pair{"o ", &r.o},
                                     {"lse ", &r.lse},
                                     {"dQ ", &r.grad_q},
                                     {"dK ", &r.grad_k1},
                                     {"dV ", &r.grad_v1},
                                     {"dK' ", &r.grad_k2},
                                     {"dV' ", &r.grad_v2}})
    if (!tensor->empty()) text += name;
  return text;
}

TEST(AlgorithmSteps, leave_what_the_oracle_says) {
  const std::array left_by{"o lse ", "dK dV ", "dQ dK' dV' ", "o lse ", "dQ dK dV dK' dV' "};
  for (const StepSizes& sizes : {StepSizes{},
                                 StepSizes{8, 4, 2, 4, 4},
                                 {16, 8, 4, 8, 4},
                                 {9, 4, 4, 5, 3},
                                 {13, 3, 5, 4, 4},
                                 {16, 16, 16, 2, 4},
                                 {7, 1, 1, 3, 2},
                                 {2, 2, 1, 1, 2},
                                 {11, 7, 6, 4, 2},
                                 {10, 2, 9, 3, 4}}) {
    const Expected expected(sizes);
    for (int one = 0; one < kAlgorithms; ++one) {
      const AlgorithmSteps run = run_algorithm(static_cast<Algorithm>(one), sizes);
      SCOPED_TRACE(std::string(algorithm_name(run.algorithm)) + " n " + std::to_string(sizes.n) + " w " +
                   std::to_string(sizes.window1) + "x" + std::to_string(sizes.window2));
      EXPECT_EQ(outputs(run.result), left_by.at(static_cast<std::size_t>(one)));
      expect_same("o", run.result.o, expected.result.o);
      expect_same("lse", run.result.lse, expected.result.lse);
      expect_same("dQ", run.result.grad_q, expected.result.grad_q);
      expect_same("dK", run.result.grad_k1, expected.result.grad_k1);
      expect_same("dV", run.result.grad_v1, expected.result.grad_v1);
      expect_same("dK'", run.result.grad_k2, expected.result.grad_k2);
      expect_same("dV'", run.result.grad_v2, expected.result.grad_v2);
    }
  }
}

TEST(AlgorithmSteps, end_with_their_result_in_the_memory_that_they_show) {
  const AlgorithmSteps run = run_algorithm(Algorithm::paper_two_stage, StepSizes{});
  ASSERT_FALSE(run.steps.empty());
  const auto shown = [&](std::size_t step, const char* name) {
    return *std::ranges::find(run.steps[step].memory, name, &StepGrid::name);
  };
  EXPECT_EQ(shown(run.steps.size() - 1, "dK'").values, run.result.grad_k2);
  EXPECT_EQ(shown(run.steps.size() - 1, "dQ").values, run.result.grad_q);
  EXPECT_TRUE(std::ranges::all_of(shown(0, "dK'").values, [](double x) { return std::isnan(x); }));
}

TEST(AlgorithmSteps, call_each_tensor_by_the_paper_s_name_alone) {
  // K, K', V and V': never also K1, K2, V1 and V2, nor k1 for a row of K. w1 and kv1_start are no tensors.
  const std::regex other("(^|[^a-z])d?[kKvV][12]");
  for (int one = 0; one < kAlgorithms; ++one) {
    const AlgorithmSteps run = run_algorithm(static_cast<Algorithm>(one), StepSizes{});
    SCOPED_TRACE(algorithm_name(run.algorithm));
    for (const std::string& line : run.listing) EXPECT_FALSE(std::regex_search(line, other)) << line;
    for (const AlgorithmStep& step : run.steps) {
      ASSERT_FALSE(std::regex_search(step.says, other)) << step.says;
      for (const StepGrid& grid : step.registers) ASSERT_FALSE(std::regex_search(grid.name, other)) << grid.name;
    }
  }
}

TEST(AlgorithmSteps, even_tiles_share_no_key_and_odd_tiles_add) {
  const AlgorithmSteps run = run_algorithm(Algorithm::paper_two_stage, StepSizes{16, 6, 3, 4, 4});
  std::set<std::int64_t> programs;
  std::vector<int> stored(16, 0);
  bool odd_seen = false;
  for (const AlgorithmStep& step : run.steps) {
    if (!programs.insert(step.program).second) continue;
    const bool odd = step.where.starts_with("odd");
    EXPECT_FALSE(odd_seen && !odd) << "even tiles come first";
    if (odd && !odd_seen) std::ranges::fill(stored, 0);
    odd_seen |= odd;
    for (std::int64_t k = std::max<std::int64_t>(0, step.keys2.first + 1);
         k < std::min<std::int64_t>(16, step.keys2.end); ++k)
      EXPECT_EQ(++stored[static_cast<std::size_t>(k)], 1) << step.where << " key " << k;
  }
  EXPECT_TRUE(odd_seen);
}

TEST(AlgorithmSteps, name_a_line_and_what_changed) {
  for (int one = 0; one < kAlgorithms; ++one) {
    const AlgorithmSteps run = run_algorithm(static_cast<Algorithm>(one), StepSizes{});
    SCOPED_TRACE(algorithm_name(run.algorithm));
    EXPECT_GT(run.steps.size(), 20U);
    EXPECT_LT(run.steps.size(), 2000U);
    for (std::size_t n = 0; n < run.steps.size(); ++n) {
      const AlgorithmStep& step = run.steps[n];
      SCOPED_TRACE(n);
      ASSERT_LT(static_cast<std::size_t>(step.line), run.listing.size());
      EXPECT_FALSE(step.says.empty());
      EXPECT_FALSE(step.where.empty());
      EXPECT_LT(step.program, run.programs);
      const auto changed = [](const StepGrid& grid) { return grid.changed; };
      EXPECT_TRUE(std::ranges::any_of(step.registers, changed) || std::ranges::any_of(step.memory, changed))
          << step.says;
      for (const StepGrid& grid : step.registers)
        EXPECT_EQ(grid.values.size(), static_cast<std::size_t>(grid.height * grid.width)) << grid.name;
    }
  }
}

TEST(AlgorithmSteps, are_of_sizes_that_can_be_shown) {
  const StepSizes sizes = clamped({100, 200, 0, 99, 77});
  EXPECT_EQ(sizes, (StepSizes{16, 16, 1, 8, 4}));
  EXPECT_EQ(run_algorithm(Algorithm::our_forward, {100, 200, 0, 99, 77}).sizes, sizes);
  for (const double x : step_tensors(sizes).q) {
    EXPECT_NE(x, 0);
    EXPECT_EQ(x * 8, std::round(x * 8));
    EXPECT_LE(std::abs(x), 1.5);
  }
}

}  // namespace
}  // namespace triscope
