// What the backward of cuda.hopper promises without a GPU: which instance runs, which LSE it takes, what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "kernels/attention/axis_roles.hpp"
#include "kernels/base/error.hpp"
#include "kernels/cuda/hopper/backward/backward.hpp"
#include "kernels/cuda/hopper/backward/plan/cost.hpp"
#include "kernels/cuda/hopper/backward/plan/plan.hpp"
#include "kernels/cuda/hopper/hopper.hpp"
#include "kernels/cuda/portable/portable.hpp"
#include "tests/cuda/hopper/hopper_case.hpp"
#include "tests/cuda/plausible_arguments.hpp"
#include "tests/paths.hpp"

namespace triscope {
namespace {

using hopper::backward::kPortable;
using hopper::backward::kVirtualKeys;
using hopper::backward::kVirtualQueries;
using hopper::backward::takes_lse;
using hopper::backward::unsupported_instance;
using testing::Each;
using testing::HasSubstr;
using testing::Le;
using testing::SizeIs;

/// For the chip that the costs are of.
const char* choose_instance(const Problem& problem, Fold fold) {
  return hopper::backward::choose_instance(problem, hopper::kH200, fold);
}

Problem problem_of(std::int64_t q_heads, std::int64_t kv_heads, std::int64_t w1 = 512, std::int64_t w2 = 32,
                   std::int64_t n = 8192) {
  Problem p;
  p.seq_len = n, p.q_heads = q_heads, p.kv_heads = kv_heads, p.window1 = w1, p.window2 = w2, p.head_dim = 128;
  return p;
}

std::string chosen(const Problem& problem) { return make_cuda_hopper()->choose_instance(problem, Pass::backward); }

std::string refusal(const Problem& problem, const std::string& instance, const Arguments& arguments) {
  try {
    make_cuda_hopper()->launch(problem, Pass::backward, instance, arguments);
  } catch (const Error& error) {
    return error.what();
  }
  return "launched";
}

TEST(CudaHopperBackward, groups_run_virtual_keys_and_single_heads_virtual_queries) {
  const auto choice = [](const Problem& p) { return std::string(choose_instance(p, Fold::half_k2)); };
  for (const auto& [w1, w2] : {std::pair{512, 32}, {1024, 32}, {512, 64}, {1024, 16}, {256, 32}, {256, 64}, {128, 128}})
    EXPECT_EQ(choice(problem_of(64, 1, w1, w2)), kVirtualKeys) << w1 << "x" << w2;
  for (const int heads : {8, 16, 32, 128}) EXPECT_EQ(choice(problem_of(heads, 1)), kVirtualKeys) << heads;
  for (const int kv_heads : {4, 8, 16}) EXPECT_EQ(choice(problem_of(16, kv_heads)), kVirtualQueries) << kv_heads;
}

TEST(CudaHopperBackward, virtual_queries_run_where_they_were_timed) {
  const auto choice = [](const Problem& p) { return std::string(choose_instance(p, Fold::half_k2)); };
  EXPECT_NE(choice(problem_of(16, 16, 512, 32, 1024)), kVirtualQueries);
  Problem p = problem_of(16, 16);
  p.form = Form::determinant;
  EXPECT_NE(choice(p), kVirtualQueries);
  EXPECT_THAT(unsupported_instance(p, kVirtualQueries, Fold::half_k2).value_or(""), HasSubstr("trilinear form"));
  p = problem_of(16, 16);
  p.head_dim = 64;
  EXPECT_NE(choice(p), kVirtualQueries);
  p.head_dim = 128, p.deterministic = true;
  EXPECT_EQ(choice(p), kPortable) << "which is faster than virtual keys there";
  EXPECT_THAT(unsupported_instance(p, kVirtualQueries, Fold::half_k2).value_or(""), HasSubstr("no fixed order"));
  EXPECT_THAT(unsupported_instance(problem_of(16, 16), kVirtualQueries, Fold::query_k2).value_or(""),
              HasSubstr("fold query_k2"));
  p = problem_of(1024, 1024, 512, 32, 16384);
  EXPECT_THAT(unsupported_instance(p, kVirtualQueries, Fold::half_k2).value_or(""), HasSubstr("31 bits"));
}

TEST(CudaHopperBackward, the_plan_of_virtual_queries_pads_no_group_of_a_power_of_two) {
  for (const auto& [group, rows] : {std::pair{1, 1}, {2, 2}, {3, 4}, {4, 4}, {64, 64}, {70, 64}}) {
    const hopper::backward::Plan plan = hopper::backward::make_queries_plan(problem_of(2 * group, 2, 512, 32, 100));
    EXPECT_EQ(plan.parameters.head_rows, rows);
    EXPECT_EQ(plan.parameters.positions * rows, 64);
    EXPECT_EQ(plan.parameters.padded_len % plan.parameters.positions, 0);
    EXPECT_GE(plan.parameters.padded_len, 100);
    EXPECT_GE(plan.grad_keys - plan.grad_query, std::size_t{100} * 2 * group * 128 * sizeof(float));
  }
}

TEST(CudaHopperBackward, an_lse_of_bf16_scores_is_for_the_portable_instance_and_an_exact_one_for_virtual_keys) {
  for (const int kv_heads : {1, 64}) {
    const Problem p = problem_of(64, kv_heads);
    EXPECT_STREQ(choose_instance(p, Fold::none), kv_heads == 1 ? kVirtualKeys : kVirtualQueries);
    EXPECT_STREQ(choose_instance(p, Fold::query_k2), kPortable);
    EXPECT_EQ(choose_instance(p, Fold::key_pair), nullptr);
    EXPECT_EQ(chosen(p), choose_instance(p, make_cuda_hopper()->fold(p)));
    EXPECT_THAT(unsupported_instance(p, kPortable, Fold::none).value_or(""), HasSubstr("an LSE of fold none"));
    EXPECT_THAT(unsupported_instance(p, kVirtualKeys, Fold::query_k2).value_or(""), HasSubstr("fold query_k2"));
  }
}

TEST(CudaHopperBackward, all_instances_take_an_lse_of_a_half_fold) {
  Problem p = problem_of(64, 1);
  for (const char* instance : {kVirtualKeys, kVirtualQueries, kPortable})
    EXPECT_TRUE(takes_lse(p, instance, Fold::half_k2));
  EXPECT_FALSE(takes_lse(p, kPortable, Fold::half_k1)) << "the other axis";
  p.k2_bias = 0.5;
  EXPECT_FALSE(takes_lse(p, kPortable, Fold::half_k2));
  EXPECT_TRUE(takes_lse(p, kVirtualKeys, Fold::half_k2));
  EXPECT_EQ(make_cuda_hopper()->fold(p, kVirtualKeys), make_cuda_hopper()->fold(p)) << "it has none of its own";
}

TEST(CudaHopperBackward, the_portable_instance_takes_what_cuda_portable_takes) {
  const auto portable = make_cuda_portable();
  for (const Form form : {Form::trilinear, Form::determinant}) {
    for (const double bias : {0.0, 0.5}) {
      for (const auto& [w1, w2] : {std::pair{512, 32}, {32, 512}}) {
        Problem p = problem_of(64, 1, w1, w2);
        p.form = form, p.k2_bias = bias;
        EXPECT_TRUE(takes_lse(p, kPortable, portable->fold(p)));
        EXPECT_FALSE(unsupported_instance(p, kPortable, portable->fold(p)));
      }
    }
  }
}

TEST(CudaHopperBackward, deterministic_groups_run_virtual_keys) {
  for (const auto& [w1, w2] : {std::pair{512, 32}, {1024, 32}, {256, 64}, {128, 128}, {512, 512}}) {
    Problem p = problem_of(64, 1, w1, w2);
    const double fast = hopper::backward::virtual_keys_us(hopper::kH200, p);
    p.deterministic = true;
    EXPECT_STREQ(choose_instance(p, Fold::half_k2), kVirtualKeys) << w1 << "x" << w2;
    EXPECT_STREQ(choose_instance(p, Fold::none), kVirtualKeys);
    EXPECT_GT(hopper::backward::virtual_keys_us(hopper::kH200, p), 1.05 * fast);
    EXPECT_LT(hopper::backward::virtual_keys_us(hopper::kH200, p), 1.25 * fast);
  }
}

TEST(CudaHopperBackward, what_virtual_keys_cannot_the_portable_instance_does) {
  Problem p = problem_of(64, 1, 1024, 512);
  p.deterministic = true;
  EXPECT_THAT(unsupported_instance(p, kVirtualKeys, Fold::none).value_or(""), HasSubstr("524288"));
  EXPECT_FALSE(unsupported_instance(p, kPortable, make_cuda_portable()->fold(p)));
  EXPECT_STREQ(choose_instance(p, Fold::half_k2), kPortable);
  EXPECT_EQ(choose_instance(p, Fold::none), nullptr) << "neither";
  EXPECT_THAT(unsupported_instance(p, "rows", Fold::none).value_or(""), HasSubstr("has no instance rows"));
}

TEST(CudaHopperBackward, every_problem_of_the_forward_has_a_backward) {
  const auto kernel = make_cuda_hopper();
  for (const int group : {1, 3, 8, 64, 200}) {
    for (const int head_dim : {64, 128}) {
      for (const Form form : {Form::trilinear, Form::determinant}) {
        Problem p = problem_of(2 * group, 2, 40, 9, 100);
        p.head_dim = head_dim, p.form = form;
        EXPECT_FALSE(kernel->unsupported(p, Pass::backward)) << describe(p);
        EXPECT_FALSE(kernel->unsupported(p, Pass::backward, chosen(p))) << describe(p);
        EXPECT_GT(kernel->workspace_bytes(p, Pass::backward, chosen(p)), 0u);
      }
    }
  }
  Problem p = problem_of(64, 1);
  p.head_dim = 96;
  EXPECT_THAT(kernel->unsupported(p, Pass::backward).value_or(""), HasSubstr("head_dim is 96"));
  EXPECT_THAT(kernel->unsupported(problem_of(64, 1), Pass::forward, kVirtualKeys).value_or(""),
              HasSubstr("virtual_keys"));
}

TEST(CudaHopperBackward, the_workspace_of_virtual_keys_has_room_for_the_portable_backward_and_a_word_behind_it) {
  for (const Problem& p : {problem_of(1, 1), problem_of(8, 1), problem_of(64, 1), problem_of(64, 1, 512, 512)}) {
    const std::size_t portable = hopper::backward::workspace_bytes(p, kPortable);
    const std::size_t own = hopper::backward::make_backward_plan(p).bytes;
    EXPECT_GE(hopper::backward::workspace_bytes(p, kVirtualKeys), std::max(portable, own) + sizeof(std::uint32_t));
    const std::size_t queries = hopper::backward::make_queries_plan(p).bytes;
    EXPECT_GE(hopper::backward::workspace_bytes(p, kVirtualQueries),
              std::max(portable, queries) + sizeof(std::uint32_t));
  }
}

TEST(CudaHopperBackward, refuses_missing_tensors_and_other_folds_by_name) {
  const Problem p = problem_of(64, 1);
  Arguments a = plausible();
  EXPECT_THAT(refusal(p, kPortable, a), HasSubstr("does not take an LSE of fold none"));
  a.grad_k2 = nullptr;
  EXPECT_THAT(refusal(p, kVirtualKeys, a), HasSubstr("grad_k2 is null"));
  a = plausible();
  a.workspace = nullptr;
  EXPECT_THAT(refusal(p, kVirtualKeys, a), HasSubstr("workspace is null"));
  a.lse_fold = Fold::key_pair;
  EXPECT_THAT(refusal(p, kVirtualKeys, a), HasSubstr("an LSE of fold key_pair"));
}

TEST(CudaHopperBackward, estimates_are_of_the_chip_that_they_are_asked_for) {
  using namespace hopper::backward;
  hopper::Chip half = hopper::kH200;
  half.multiprocessors /= 2;
  const Problem large = problem_of(64, 1, 512, 32, 32768), few = problem_of(16, 16);
  EXPECT_GT(virtual_keys_us(half, large), 1.9 * virtual_keys_us(hopper::kH200, large));
  EXPECT_GT(virtual_queries_us(half, few), 1.9 * virtual_queries_us(hopper::kH200, few));
  EXPECT_GT(portable_us(half, large), 1.9 * portable_us(hopper::kH200, large));
  int others = 0;
  for (int number = 0; number < 100; ++number) {
    const Problem problem = bench::random_backward(20261125, number);
    const Fold fold = half_fold_of(axis_roles(problem, BiasPlace::in_product));
    others += hopper::backward::choose_instance(problem, half, fold) != choose_instance(problem, fold);
  }
  EXPECT_GT(others, 0) << "no choice goes by the chip";
}

/// Choices for the problems of a recorded run, beside the times of both instances.
struct Choices {
  int rows = 0, virtual_keys = 0;
  std::vector<double>
      losses;  ///< time of virtual keys / the portable backward's, where they run and are over 3 % slower
  std::vector<double> misses;  ///< the reverse, where they do not run and would be over 3 % faster
  double bias = 0;             ///< mean logarithm of the estimate for virtual keys / their time
};

Choices choices_of(const std::string& name) {
  Choices found;
  int timed = 0;
  std::ifstream file(source_file("tests/cuda/data/" + name));
  std::string line;
  while (std::getline(file, line) && line.starts_with("# ")) {
  }
  EXPECT_EQ(line, "seed,number,problem,virtual_keys_us,portable_us");
  while (std::getline(file, line)) {
    const std::size_t quote = line.find('"'), unquote = line.rfind('"'), comma = line.rfind(',');
    const Problem problem = bench::random_backward(std::stoi(line), std::stoi(line.substr(line.find(',') + 1)));
    EXPECT_EQ(line.substr(quote + 1, unquote - quote - 1), describe(problem)) << "line of another generator";
    ++found.rows;
    if (problem.k2_bias != 0) continue;  // whose forward has no half fold
    const double keys_us = std::stod(line.substr(unquote + 2)), ratio = keys_us / std::stod(line.substr(comma + 1));
    found.bias += std::log(hopper::backward::virtual_keys_us(hopper::kH200, problem) / keys_us);
    ++timed;
    const std::string choice = choose_instance(problem, half_fold_of(axis_roles(problem, BiasPlace::in_product)));
    if (choice == kVirtualQueries) continue;  // which came later and has no times here
    if (choice == kVirtualKeys) {
      ++found.virtual_keys;
      if (ratio > 1.03) found.losses.push_back(ratio);
    } else if (1.03 * ratio < 1) {
      found.misses.push_back(1 / ratio);
    }
  }
  found.bias /= timed;
  return found;
}

/// An H200's times of problems to which nothing was fitted (cost.cpp), of a newer backward than the costs are of.
TEST(CudaHopperBackward, of_200_problems_that_nothing_was_fitted_to_three_choices_are_slower_and_eleven_are_missed) {
  const Choices found = choices_of("hopper_backward_held.csv");
  EXPECT_EQ(found.rows, 200);
  EXPECT_GE(found.virtual_keys, 130);
  EXPECT_THAT(found.losses, SizeIs(Le(3)));
  EXPECT_THAT(found.losses, Each(Le(1.16)));
  EXPECT_THAT(found.misses, SizeIs(Le(11)));
  EXPECT_THAT(found.misses, Each(Le(2.13)));
  EXPECT_NEAR(found.bias, 0, 0.04) << "no launch is counted that is not there";
}

TEST(CudaHopperBackward, the_choices_for_the_problems_that_the_costs_were_fitted_to) {
  const Choices found = choices_of("hopper_backward.csv");
  EXPECT_EQ(found.rows, 360);
  EXPECT_THAT(found.losses, SizeIs(Le(1)));
  EXPECT_THAT(found.losses, Each(Le(1.07)));
  EXPECT_THAT(found.misses, SizeIs(Le(26)));
  EXPECT_THAT(found.misses, Each(Le(2.08)));
}

}  // namespace
}  // namespace triscope
