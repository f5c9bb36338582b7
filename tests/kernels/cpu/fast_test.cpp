// cpu.fast and baseline.cpu, every instruction set this machine has, against the oracle.
#include "kernels/cpu/fast.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <limits>

#include "kernels/base/error.hpp"
#include "kernels/cpu/fast_tiles.hpp"
#include "kernels/reference/oracle_kernel.hpp"
#include "tests/kernels/attention/attention_case.hpp"
#include "tests/kernels/reference/brute_force.hpp"

namespace triscope {
namespace {

using test::attention_problem;
using test::AttentionCase;
using test::relative_error;

std::vector<std::string> instances_here(const Kernel& kernel, const Problem& problem) {
  std::vector<std::string> names;
  for (const std::string& name : kernel.info().instances) {
    if (!kernel.unsupported(problem, Pass::forward, name)) names.push_back(name);
  }
  return names;
}

// Both passes of every instance against every row and key of the oracle.
void expect_agreement(const Kernel& kernel, const AttentionCase& inputs, bool peaked = false) {
  for (const std::string& instance : instances_here(kernel, inputs.problem)) {
    SCOPED_TRACE(describe(inputs.problem) + " on " + instance);
    AttentionCase tensors = inputs;
    EXPECT_TRUE(tensors.run(kernel, Pass::forward, instance)) << "wrote beyond its workspace";
    EXPECT_TRUE(tensors.run(kernel, Pass::backward, instance)) << "wrote beyond its workspace";
    const CheckResult result = tensors.check(kernel.info(), Pass::backward, {.everything = true, .peaked = peaked});
    EXPECT_EQ(result.failure, std::nullopt);
  }
}

void expect_agreement(const Problem& problem) { expect_agreement(*make_cpu_fast(), AttentionCase(problem)); }

constexpr Form kForms[] = {Form::trilinear, Form::determinant};

TEST(Fast, every_instruction_set_of_this_machine_runs) {
  const auto kernel = make_cpu_fast();
  const std::vector<std::string> here = instances_here(*kernel, attention_problem(Form::trilinear, 4, 2, 2));
  ASSERT_FALSE(here.empty());
  EXPECT_EQ(here.front(), kernel->choose_instance({}, Pass::forward));
  EXPECT_EQ(here.back(), "portable");
}

TEST(Fast, agrees_at_the_ends_of_the_sequence_and_of_the_windows) {
  for (Form form : kForms) {
    for (std::int64_t n : {1, 2, 7, 8, 9, 41}) expect_agreement(attention_problem(form, n, 8, 5));
  }
}

TEST(Fast, agrees_for_every_kind_of_window) {
  for (Form form : kForms) {
    expect_agreement(attention_problem(form, 70, 1, 1));
    expect_agreement(attention_problem(form, 70, 20, 1));
    expect_agreement(attention_problem(form, 70, 1, 20));
    expect_agreement(attention_problem(form, 70, 12, 12));
    expect_agreement(attention_problem(form, 70, 5, 33));  // axes swapped
    expect_agreement(attention_problem(form, 40, 100, 64));
    expect_agreement(attention_problem(form, 40, 3, 400));
  }
}

// Windows longer than one chunk of keys, than one block of steps and than one item of the backward.
TEST(Fast, agrees_across_chunks_blocks_and_items) {
  expect_agreement(attention_problem(Form::trilinear, 150, 131, 37, 3, 1, 12));
  expect_agreement(attention_problem(Form::determinant, 150, 40, 131, 2, 2, 9));
  // Rows beyond the first chunk of keys that still see fewer positions than the short window: some lanes of a tile have
  // run out of short keys while the chunk needs no mask for the rest.
  expect_agreement(attention_problem(Form::trilinear, 170, 170, 165, 1, 1, 3));
}

TEST(Fast, agrees_for_every_sharing_of_heads_and_batches) {
  for (const auto& [q_heads, kv_heads] : {std::pair{3, 3}, {4, 2}, {8, 1}, {5, 1}, {64, 1}, {128, 2}}) {
    expect_agreement(attention_problem(Form::trilinear, 19, 9, 4, q_heads, kv_heads, 6, 2));
  }
  expect_agreement(attention_problem(Form::determinant, 19, 9, 4, 4, 2, 6, 3));
}

TEST(Fast, agrees_for_every_head_dim) {
  for (Form form : kForms) {
    for (std::int64_t dim : {3, 5, 16, 33, 64, 128}) expect_agreement(attention_problem(form, 24, 10, 4, 4, 2, dim));
  }
  expect_agreement(attention_problem(Form::trilinear, 24, 10, 4, 2, 1, 1));
}

TEST(Fast, agrees_with_biases_sink_and_scale_on_either_axis) {
  for (Form form : kForms) {
    for (const auto& [window1, window2] : {std::pair{11, 4}, {4, 11}}) {
      Problem problem = attention_problem(form, 37, window1, window2, 4, 2, 10, 2);
      problem.k2_bias = 0.6;
      problem.v2_bias = -0.3;
      expect_agreement(problem);
      problem.sink = 1.7;
      problem.scale = -0.8;
      expect_agreement(problem);
    }
  }
}

TEST(Fast, agrees_under_the_full_mask) {
  for (Form form : kForms) {
    Problem problem = attention_problem(form, 35, 3, 2, 4, 2, 10, 2);
    problem.mask = Mask::full;
    expect_agreement(problem);
    problem.sink = -0.4;
    problem.v2_bias = 0.2;
    expect_agreement(problem);
  }
}

// A sink that dwarfs every logit and one that vanishes beside them: no overflow, the right limits.
TEST(Fast, agrees_with_extreme_sinks) {
  for (double sink : {900.0, -900.0}) {
    Problem problem = attention_problem(Form::trilinear, 12, 4, 3);
    problem.sink = sink;
    AttentionCase tensors(problem);
    tensors.run(*make_cpu_fast(), Pass::forward);
    const CheckResult result = tensors.check(make_cpu_fast()->info(), Pass::forward);
    EXPECT_EQ(result.failure, std::nullopt) << sink;
  }
}

TEST(Fast, agrees_on_peaked_inputs) {
  for (Form form : kForms) {
    for (float factor : {4.0f, 8.0f}) {
      AttentionCase tensors(attention_problem(form, 90, 40, 9, 4, 2, 32));
      for (float& x : tensors.q) x *= factor;
      expect_agreement(*make_cpu_fast(), tensors, true);
    }
  }
}

// One huge logit early or late in the window, and logits that rise by about 200 from tile to tile: the running
// reference.
TEST(Fast, agrees_when_the_maximum_moves) {
  const Problem problem = attention_problem(Form::trilinear, 150, 140, 6, 4, 2, 16);
  const std::int64_t stride = problem.kv_heads * problem.head_dim;
  for (std::int64_t position : {3, 66, 149}) {
    AttentionCase tensors(problem);
    for (std::int64_t d = 0; d < stride; ++d) tensors.k1[position * stride + d] *= 60.0f;
    expect_agreement(*make_cpu_fast(), tensors, true);
  }
  AttentionCase rising(problem);
  for (std::int64_t j = 0; j < problem.seq_len; ++j) {
    const std::int64_t block = j / 16;
    for (std::int64_t d = 0; d < stride; ++d) rising.k1[j * stride + d] *= 1.0f + 50.0f * static_cast<float>(block);
  }
  expect_agreement(*make_cpu_fast(), rising, true);
}

TEST(Fast, gradients_are_bit_identical_for_any_number_of_threads) {
  const Problem problem = attention_problem(Form::trilinear, 100, 30, 7, 4, 2, 16);
  AttentionCase one(problem), many(problem);
  const int threads = omp_get_max_threads();
  const auto kernel = make_cpu_fast();
  omp_set_num_threads(1);
  one.run(*kernel, Pass::forward);
  one.run(*kernel, Pass::backward);
  omp_set_num_threads(std::max(2, threads));
  for (int repeat = 0; repeat < 3; ++repeat) {
    many.run(*kernel, Pass::forward);
    many.run(*kernel, Pass::backward);
    EXPECT_EQ(one.o, many.o);
    EXPECT_EQ(one.grad_q, many.grad_q);
    EXPECT_EQ(one.grad_k1, many.grad_k1);
    EXPECT_EQ(one.grad_k2, many.grad_k2);
    EXPECT_EQ(one.grad_v1, many.grad_v1);
    EXPECT_EQ(one.grad_v2, many.grad_v2);
  }
  omp_set_num_threads(threads);
}

TEST(Fast, exponential_is_exact_to_two_roundings) {
  for (const cpu::InstructionSet* set : cpu::instruction_sets()) {
    if (!set->available()) continue;
    std::vector<float> x, y;
    for (double at = -126.0; at <= 30.0; at += 0x1p-9) x.push_back(static_cast<float>(at * 1.00001));
    x.push_back(0.0f);
    y.resize(x.size());
    set->exp2(x.data(), y.data(), static_cast<std::int64_t>(x.size()));
    double worst = 0;
    for (std::size_t n = 0; n < x.size(); ++n) {
      if (x[n] >= -126.0f) worst = std::max(worst, std::abs(y[n] / std::exp2(static_cast<double>(x[n])) - 1.0));
    }
    EXPECT_LT(worst, 1.5e-7) << set->name;
    EXPECT_EQ(y.back(), 1.0f);
    const float low[] = {-127.0f, -1e30f, -std::numeric_limits<float>::infinity()};
    float zeros[3];
    set->exp2(low, zeros, 3);
    for (float zero : zeros) EXPECT_EQ(zero, 0.0f);
  }
}

TEST(Fast, refuses_what_it_cannot_run_in_words) {
  const auto kernel = make_cpu_fast();
  Problem problem = attention_problem(Form::trilinear, 4, 2, 2);
  AttentionCase tensors(problem);
  EXPECT_THROW(kernel->launch(problem, Pass::forward, "sse9", tensors.arguments()), Error);
  EXPECT_THROW(kernel->launch(problem, Pass::forward, "portable", tensors.arguments(nullptr)), Error);  // no workspace
  problem.element = Element::bf16;
  EXPECT_EQ(kernel->unsupported(problem, Pass::forward), "it takes fp32 tensors, not bf16");
  problem.form = Form::dot_product;
  EXPECT_EQ(kernel->unsupported(problem, Pass::forward), "it does not compute form dot_product");
}

// P = exp(logit - LSE) with both near 1e6 has no digit left; at 1e4 gradients are within the bound of peaked inputs.
TEST(Fast, backward_refuses_an_lse_beyond_the_digits_of_fp32) {
  for (const float factor : {2e3f, 1e6f}) {
    AttentionCase tensors(attention_problem(Form::trilinear, 40, 20, 5, 2, 1, 16));
    for (float& x : tensors.q) x *= factor;
    tensors.run(*make_cpu_fast(), Pass::forward);
    const float largest = *std::max_element(tensors.lse.begin(), tensors.lse.end());
    if (factor == 1e6f) {
      EXPECT_GT(largest, 1e5f);
      try {
        tensors.run(*make_cpu_fast(), Pass::backward);
        ADD_FAILURE() << "launched with an LSE of " << largest;
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("the LSE of a row is"), std::string::npos) << error.what();
      }
    } else {
      EXPECT_GT(largest, 5e3f);
      expect_agreement(*make_cpu_fast(), tensors, true);
    }
  }
}

// What the oracle leaves finite is finite here, and close: it visits only the pairs that a row sees.
void expect_what_the_oracle_leaves_finite(const Kernel& kernel, const AttentionCase& inputs) {
  const std::unique_ptr<Kernel> oracle = make_cpu_oracle();
  AttentionCase exact = inputs;
  for (const Pass pass : {Pass::forward, Pass::backward}) exact.run(*oracle, pass);
  for (const std::string& instance : instances_here(kernel, inputs.problem)) {
    SCOPED_TRACE(describe(inputs.problem) + " on " + instance);
    AttentionCase tensors = inputs;
    for (const Pass pass : {Pass::forward, Pass::backward}) tensors.run(kernel, pass, instance);
    const auto compare = [&](const char* name, const std::vector<float>& theirs, const std::vector<float>& ours) {
      std::size_t poisoned = 0, cleared = 0, spoiled = 0;
      for (std::size_t n = 0; n < theirs.size(); ++n) {
        spoiled += !std::isfinite(theirs[n]);
        if (std::isfinite(theirs[n])) {
          poisoned += !(std::abs(ours[n] - theirs[n]) < 1e-4f);
        } else {
          cleared += std::isfinite(ours[n]);
        }
      }
      EXPECT_EQ(poisoned, 0u) << name << ", of " << theirs.size() << ", of which " << spoiled << " are not finite";
      EXPECT_EQ(cleared, 0u) << name;
    };
    compare("o", exact.o, tensors.o);
    compare("lse", exact.lse, tensors.lse);
    compare("grad_q", exact.grad_q, tensors.grad_q);
    compare("grad_k1", exact.grad_k1, tensors.grad_k1);
    compare("grad_k2", exact.grad_k2, tensors.grad_k2);
    compare("grad_v1", exact.grad_v1, tensors.grad_v1);
    compare("grad_v2", exact.grad_v2, tensors.grad_v2);
  }
}

TEST(Fast, a_value_that_is_not_finite_reaches_only_the_rows_that_see_it) {
  for (const Form form : kForms) {
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      for (const std::int64_t position : {0, 37, 99}) {
        for (const bool second : {false, true}) {
          AttentionCase tensors(attention_problem(form, 100, 20, 7, 4, 2, 12));
          std::vector<float>& values = second ? tensors.v2 : tensors.v1;
          values[static_cast<std::size_t>(position * 2 * 12 + 5)] = bad;
          expect_what_the_oracle_leaves_finite(*make_cpu_fast(), tensors);
        }
      }
    }
  }
}

// Weights may reach 2^24 before they are rescaled, so that products beyond 2^104 overflow to infinity.
TEST(Fast, values_of_any_size_give_o_of_that_size) {
  for (const int power : {-70, 70, 95}) {
    AttentionCase plain(attention_problem(Form::trilinear, 100, 20, 7, 4, 2, 16));
    AttentionCase scaled = plain;
    for (float& x : scaled.v2) x = std::ldexp(x, power);
    const auto kernel = make_cpu_fast();
    plain.run(*kernel, Pass::forward);
    scaled.run(*kernel, Pass::forward);
    for (float& x : scaled.o) x = std::ldexp(x, -power);
    EXPECT_LT(relative_error(scaled.o, plain.o), 1e-6) << power;
  }
}

TEST(Baseline, a_value_that_is_not_finite_reaches_only_the_rows_that_see_it) {
  AttentionCase clean(attention_problem(Form::dot_product, 300, 64, 1, 4, 2, 20));
  AttentionCase spoiled = clean;
  constexpr std::int64_t kPosition = 150;
  spoiled.v1[kPosition * 2 * 20 + 3] = std::numeric_limits<float>::quiet_NaN();  // of the first kv head
  const auto kernel = make_cpu_baseline();
  for (const std::string& instance : instances_here(*kernel, clean.problem)) {
    for (AttentionCase* one : {&clean, &spoiled}) {
      for (const Pass pass : {Pass::forward, Pass::backward}) one->run(*kernel, pass, instance);
    }
    for (std::int64_t n = 0; n < 300 * 4 * 20; ++n) {
      const std::int64_t query = n / 20 / 4, head = n / 20 % 4;
      const bool sees = head < 2 && query >= kPosition && query - kPosition < 64;
      const auto at = static_cast<std::size_t>(n);
      if (!sees) {
        ASSERT_NEAR(spoiled.o[at], clean.o[at], 1e-5) << instance << ", query " << query;
        ASSERT_NEAR(spoiled.grad_q[at], clean.grad_q[at], 1e-5) << instance << ", query " << query;
      } else if (n % 20 == 3) {
        ASSERT_FALSE(std::isfinite(spoiled.o[at])) << instance << ", query " << query;
      }
    }
  }
}

TEST(Baseline, agrees_with_the_oracle_for_causal_sliding_and_full_masks) {
  const auto kernel = make_cpu_baseline();
  for (std::int64_t window : {1, 9, 64, 300}) {
    expect_agreement(*kernel, AttentionCase(attention_problem(Form::dot_product, 300, window, 1, 4, 2, 20)));
  }
  for (std::int64_t n : {1, 2, 33})
    expect_agreement(*kernel, AttentionCase(attention_problem(Form::dot_product, n, 8, 1, 8, 1, 64, 2)));
  Problem full = attention_problem(Form::dot_product, 140, 5, 1, 3, 3, 8, 2);
  full.mask = Mask::full;
  full.sink = 0.7;
  expect_agreement(*kernel, AttentionCase(full));
}

}  // namespace
}  // namespace triscope
