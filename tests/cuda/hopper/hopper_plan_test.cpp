// The host side of cuda.hopper: which instance runs a problem, how it is cut into work items, and what it needs. No
// GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/cuda/hopper/choose/instance_facts.hpp"
#include "kernels/cuda/hopper/choose/plan.hpp"
#include "kernels/cuda/hopper/common/ring.hpp"
#include "kernels/cuda/hopper/forward/half_operands.hpp"
#include "kernels/cuda/hopper/forward/work_item.hpp"

namespace triscope::hopper {
namespace {

Problem problem_of(std::int64_t window1, std::int64_t window2, std::int64_t q_heads, std::int64_t kv_heads,
                   std::int64_t seq_len) {
  Problem problem;
  problem.window1 = window1, problem.window2 = window2, problem.q_heads = q_heads, problem.kv_heads = kv_heads;
  problem.seq_len = seq_len, problem.head_dim = 128;
  return problem;
}

std::vector<Problem> many_problems() {
  std::vector<Problem> problems;
  for (const std::int64_t group : {1, 2, 3, 5, 8, 16, 32, 48, 64, 96, 127, 128, 129, 200, 256}) {
    for (const std::int64_t head_dim : {64, 128}) {
      for (const Form form : {Form::trilinear, Form::determinant}) {
        for (const double bias : {0.0, 0.5}) {
          Problem problem = problem_of(70, 9, 2 * group, 2, 203);
          problem.head_dim = head_dim, problem.form = form, problem.k2_bias = bias, problem.batch = 2;
          problems.push_back(problem);
          if (bias != 0.0) continue;
          for (const auto& [window, seq_len] : {std::pair{128, 301}, {256, 302}, {1000, 202}, {512, 1}, {512, 2}}) {
            problem.window1 = window, problem.seq_len = seq_len;
            problems.push_back(problem);
          }
        }
      }
    }
  }
  return problems;
}

/// The plan of every problem on every instance with tiles that can run it.
std::vector<Plan> many_tile_plans() {
  std::vector<Plan> plans;
  for (const Problem& problem : many_problems()) {
    for (int instance = 0; instance < kInstanceCount; ++instance) {
      if (const auto plan = make_plan(problem, instance, kH200)) plans.push_back(*plan);
    }
  }
  return plans;
}

/// Work item `index` of a plan, by the instance with tiles that it is for.
template <int... kIndex>
WorkItem item_of(const Plan& plan, int index, std::integer_sequence<int, kIndex...>) {
  using Decode = WorkItem (*)(const ForwardParameters&, int);
  constexpr Decode kDecode[] = {&work_item<kInstances[kIndex].config>...};
  return kDecode[plan.instance](plan.parameters, index);
}
WorkItem item_of(const Plan& plan, int index) {
  return item_of(plan, index, std::make_integer_sequence<int, kInstanceCount>{});
}

template <int... kIndex>
std::vector<int> row_counts(std::integer_sequence<int, kIndex...>) {
  return {Layout<kInstances[kIndex].config>::kQueryRows...};
}

TEST(HopperPlan, every_query_row_belongs_to_exactly_one_work_item) {
  const auto query_rows = row_counts(std::make_integer_sequence<int, kInstanceCount>{});
  for (const Problem& problem : many_problems()) {
    for (int instance = 0; instance < kInstanceCount; ++instance) {
      const auto plan = make_plan(problem, instance, kH200);
      if (!plan) continue;
      const ForwardParameters& p = plan->parameters;
      std::vector<int> seen(static_cast<std::size_t>(problem.batch * problem.seq_len * problem.q_heads));
      for (int index = 0; index < p.items; ++index) {
        const WorkItem item = item_of(*plan, index);
        EXPECT_LE(p.positions * p.heads, query_rows[static_cast<std::size_t>(instance)]);
        for (int position = item.position; position <= item.last_position; ++position) {
          for (int head = item.first_head; head < item.first_head + item.heads; ++head) {
            const std::int64_t row = (std::int64_t{item.batch} * p.seq_len + position) * p.q_heads + head;
            ++seen[static_cast<std::size_t>(row)];
          }
        }
      }
      ASSERT_EQ(seen, std::vector<int>(seen.size(), 1)) << describe(problem) << " " << kInstances[instance].name;
    }
  }
}

TEST(HopperPlan, tiles_and_steps_of_an_item_cover_the_windows_of_its_rows) {
  for (const Plan& plan : many_tile_plans()) {
    const ForwardParameters& p = plan.parameters;
    const TileConfig& config = kInstances[plan.instance].config;
    const int keys = config.tile_keys, steps = config.split_steps ? 2 : 1;
    for (int index = 0; index < p.items; ++index) {
      const WorkItem item = item_of(plan, index);
      const int first = std::max(0, item.position - p.long_window + 1),
                second = std::max(0, item.last_position - p.long_window + 1);
      EXPECT_EQ(item.span.first_key, first);
      EXPECT_EQ(item.span.second_key, config.paired_positions ? second : first);
      EXPECT_LE(item.span.second_key - item.span.first_key, tile_rows(config) - keys)
          << "rows that a tile has beyond its keys";
      EXPECT_GE(item.span.first_key + keys * item.span.tiles, item.position + 1);
      EXPECT_GE(item.span.second_key + keys * item.span.tiles, item.last_position + 1);
      EXPECT_LT(item.span.second_key + keys * (item.span.tiles - 1), item.last_position + 1);
      EXPECT_GE(steps * item.steps, std::min(p.short_window, item.last_position + 1));
    }
  }
}

TEST(HopperPlan, a_short_last_tile_holds_its_keys_and_is_never_a_pass_of_its_own) {
  constexpr TileConfig kConfig = {.tile_keys = 112, .resident_tiles = 3, .short_keys = 80},
                       kWhole = {.tile_keys = 112, .resident_tiles = 2};
  int count = 0;
  for (int keys = 1; keys < 3000; ++keys) {
    const int tiles = (keys + 111) / 112, last_keys = keys - 112 * (tiles - 1),
              tiles_of_last_pass = (tiles - 1) % 3 + 1;
    const TileSpan span = tile_span(kConfig, 5000, 5000, keys);
    EXPECT_EQ(span.tiles, tiles);
    EXPECT_EQ(span.ends_short, last_keys <= 80 && tiles_of_last_pass > 1) << keys << " keys";
    EXPECT_GE(span.columns(kConfig), keys);
    EXPECT_EQ(span.columns(kConfig), 112 * tiles - (span.ends_short ? 32 : 0));
    EXPECT_FALSE(tile_span(kWhole, 5000, 5000, keys).ends_short);
    count += span.ends_short;
  }
  EXPECT_GT(count, 1000);
  for (const int positions : {4, 8, 16}) {
    const TileSpan span = tile_span(kConfig, 5000, 5000 + positions - 1, 512);
    EXPECT_TRUE(span.ends_short && span.tiles == 5) << "512 keys for 32, 16 and 8 heads";
  }
}

TEST(HopperPlan, ring_slots_of_rows_that_are_alive_together_differ) {
  for (const Plan& plan : many_tile_plans()) {
    const ForwardParameters& p = plan.parameters;
    ASSERT_GE(p.ring_rows, p.positions);
    for (int lowest = -300; lowest < 5; ++lowest) {
      std::set<int> slots;
      for (int delta = lowest; delta < lowest + p.ring_rows; ++delta) {
        const int slot = ring_slot(delta, p.ring_rows);
        EXPECT_GE(slot, 0);
        EXPECT_LT(slot, p.ring_rows);
        slots.insert(slot);
      }
      ASSERT_EQ(static_cast<int>(slots.size()), p.ring_rows);
    }
  }
}

TEST(HopperPlan, shared_memory_fits_and_every_first_tile_shows_every_row_a_key) {
  for (const Problem& problem : many_problems()) {
    for (int instance = 0; instance < kInstanceCount; ++instance) {
      const auto plan = make_plan(problem, instance, kH200);
      if (!plan) continue;
      EXPECT_LE(plan->shared_bytes, kSharedMemoryLimit) << kInstances[instance].name;
      EXPECT_LE(plan->parameters.positions, kInstances[instance].config.tile_keys) << kInstances[instance].name;
    }
  }
}

TEST(HopperPlan, instances_compute_the_product_of_the_problem_only) {
  for (const Problem& problem : many_problems()) {
    const bool biased = problem.k2_bias != 0.0;
    const Product product = problem.form == Form::determinant ? (biased ? Product::biased_cross : Product::cross)
                                                              : (biased ? Product::biased : Product::plain);
    int tile_instances = 0;
    for (int instance = 0; instance < kInstanceCount; ++instance) {
      const TileConfig& config = kInstances[instance].config;
      const bool fits = make_plan(problem, instance, kH200).has_value();
      tile_instances += fits;
      EXPECT_TRUE(!fits || (bf16_of(config.product) == product && config.head_dim == problem.head_dim))
          << describe(problem);
    }
    EXPECT_GE(tile_instances, 1) << describe(problem);
  }
}

TEST(HopperPlan, every_instance_folds_the_short_axis) {
  for (const auto& [window1, window2, v2_bias] : {std::tuple{512, 16, 0.0}, {16, 512, 0.0}, {16, 512, 1.0}}) {
    Problem problem = problem_of(window1, window2, 64, 1, 4096);
    problem.v2_bias = v2_bias;
    const AxisRoles roles = axis_roles(problem, BiasPlace::in_product);
    for (int instance = 0; instance < kAllInstances; ++instance) {
      const auto plan = make_plan(problem, instance, kH200);
      if (!plan) continue;
      EXPECT_EQ(plan->parameters.short_window, roles.window.short_axis) << instance_name(instance);
      EXPECT_EQ(plan->parameters.long_window, roles.window.long_axis) << instance_name(instance);
    }
  }
}

TEST(HopperPlan, fewer_multiprocessors_take_longer) {
  const Problem problem = problem_of(512, 32, 64, 1, 8192);
  for (int instance = 0; instance < kAllInstances; ++instance) {
    const auto whole = make_plan(problem, instance, kH200),
               half = make_plan(problem, instance, {.multiprocessors = 66});
    ASSERT_EQ(whole.has_value(), half.has_value()) << "no chip changes what an instance can run";
    if (whole) {
      EXPECT_GT(half->cost, 1.8 * whole->cost) << instance_name(instance);
      EXPECT_LT(half->cost, 2.05 * whole->cost) << instance_name(instance);
    }
  }
}

TEST(HopperPlan, the_sign_follows_the_scale_and_the_order_of_the_cross_product) {
  Problem problem = problem_of(512, 16, 64, 1, 4096);
  EXPECT_EQ(best_plan(problem, kH200).parameters.sign, 1.0f);
  problem.scale = -0.5;
  EXPECT_EQ(best_plan(problem, kH200).parameters.sign, -1.0f);
  EXPECT_GT(best_plan(problem, kH200).parameters.scale_log2, 0.0f);
  problem.form = Form::determinant;
  EXPECT_EQ(best_plan(problem, kH200).parameters.sign, -1.0f);
  std::swap(problem.window1, problem.window2);
  EXPECT_EQ(best_plan(problem, kH200).parameters.sign, 1.0f) << "det(q, k1, k2) = -det(q, k2, k1)";
  problem.scale = 0.0;
  EXPECT_GT(best_plan(problem, kH200).parameters.scale_log2, 0.0f) << "0 times a masked score would be NaN";
}

TEST(HopperPlan, the_workspace_holds_reordered_keys_and_those_in_fp16) {
  Problem problem = problem_of(512, 32, 128, 2, 1000);
  const std::size_t keys = 1000u * 2 * 128 * 2;
  const auto bytes = [&](const char* instance) {
    return make_plan(problem, find_instance(instance), kH200)->workspace_bytes;
  };
  EXPECT_EQ(bytes("d128_split64_keys128"), 0u);
  EXPECT_GT(bytes("d128_split64_keys128_half"), 2 * keys);
  EXPECT_LT(bytes("d128_split64_keys128_half"), 2 * keys + 150'000) << "scales and maxima are small";
  problem.form = Form::determinant;
  EXPECT_EQ(bytes("d128_split64_keys128_cross"), keys);
  EXPECT_GT(bytes("d128_split64_keys128_cross_half"), 3 * keys) << "the bf16 twin has its own";
  EXPECT_EQ(bytes(kRowsName), 0u);
}

TEST(HopperPlan, slabs_of_keys_hold_rows_and_their_maxima_have_room) {
  for (const auto& [head_dim, determinant, rows_at_once] :
       {std::tuple{128, false, 64}, {64, false, 64}, {128, true, 64}, {64, true, 128}}) {
    for (const int kv_heads : {1, 2, 3, 8, 16, 17, 48, 132, 133, 1000, 5000}) {
      for (const int seq_len : {1, 23, 24, 25, 129, 1000, 8192}) {
        for (const int blocks : {1, 5, 66, 132}) {
          ForwardParameters p;
          p.seq_len = seq_len, p.kv_heads = kv_heads, p.head_dim = head_dim, p.determinant = determinant;
          const int slabs = slabs_of(p, blocks);
          EXPECT_GE(slabs, 1);
          EXPECT_LE(slabs, most_slabs(kv_heads));
          EXPECT_LT((slabs - 1) * rows_at_once, seq_len) << "an empty slab has no largest key";
          if (seq_len == 8192 && blocks == 132 && kv_heads <= 132 && rows_at_once < 128) {
            const int rounds = (slabs * kv_heads + blocks - 1) / blocks;
            EXPECT_GE(slabs * kv_heads, 0.9 * rounds * blocks) << kv_heads;
          }
        }
      }
    }
  }
}

TEST(HopperPlan, q_takes_the_power_of_two_of_the_scale) {
  for (const float scale : {0x1p-24f, 3e-7f, 0.01f, 0.0883883f, 0.124f, 0.125f, 1.0f, 1.9f, 0x1p16f}) {
    const float rest = std::ldexp(scale, -query_exponent(scale * kLog2e));
    EXPECT_GE(rest, 0x1p-4f * 0.999f) << scale;
    EXPECT_LT(rest, 0x1p-3f) << scale;
  }
  EXPECT_EQ(query_exponent(0.0883883f * kLog2e), 0) << "the default of head_dim 128";
  EXPECT_EQ(query_exponent(1e-30f), -20);
  EXPECT_EQ(query_exponent(1e30f), 20);
}

TEST(HopperPlan, every_plain_and_cross_instance_has_a_half_twin_of_the_same_layout) {
  for (int instance = 0; instance < kInstanceCount; ++instance) {
    const Product product = kInstances[instance].config.product;
    if (product == Product::biased || product == Product::biased_cross) {
      EXPECT_EQ(half_twin(instance), -1);
    } else if (!is_half(product)) {
      const int half = half_twin(instance);
      ASSERT_GE(half, 0) << kInstances[instance].name;
      EXPECT_EQ(bf16_twin(half), instance);
      EXPECT_EQ(std::string(kInstances[half].name), std::string(kInstances[instance].name) + "_half");
      const InstanceFacts &a = kFacts[static_cast<std::size_t>(instance)], &b = kFacts[static_cast<std::size_t>(half)];
      EXPECT_EQ(std::tie(a.fixed_bytes, a.slot_bytes, a.max_ring_rows),
                std::tie(b.fixed_bytes, b.slot_bytes, b.max_ring_rows));
      EXPECT_EQ(a.column_ns, b.column_ns) << "the rule estimates the bf16 instance";
    }
  }
  EXPECT_EQ(half_twin(kRowsInstance), -1);
  EXPECT_EQ(half_twin(kPortableInstance), -1);
}

TEST(HopperPlan, half_instances_are_the_default_and_the_fold_is_the_instances) {
  for (const Problem& problem : many_problems()) {
    const Plan plan = best_plan(problem, kH200);
    const Fold fold = fold_of_instance(problem, plan.instance);
    EXPECT_LT(half_twin(plan.instance), 0) << describe(problem) << ": the twin should run";
    if (plan.instance < kInstanceCount && problem.k2_bias == 0.0) {
      const AxisRoles roles = axis_roles(problem, BiasPlace::in_product);
      EXPECT_EQ(fold, half_fold_of(roles)) << describe(problem);
      EXPECT_EQ(fold_of_instance(problem, bf16_twin(plan.instance)), bf16_fold(fold, problem.form));
    } else if (problem.k2_bias != 0.0 || plan.instance == kPortableInstance) {
      EXPECT_FALSE(is_half(fold)) << describe(problem);
    }
  }
}

TEST(HopperPlan, unless_rows_are_mixed_the_two_rows_of_a_thread_belong_to_one_position) {
  for (const Plan& plan : many_tile_plans()) {
    if (kInstances[plan.instance].config.mixed_rows) continue;
    EXPECT_TRUE(plan.parameters.positions == 1 || plan.parameters.heads % 2 == 0) << kInstances[plan.instance].name;
  }
}

TEST(HopperPlan, tiny_problems_run_without_tiles_and_large_ones_with_them) {
  for (const Form form : {Form::trilinear, Form::determinant}) {
    for (const int head_dim : {64, 128}) {
      Problem problem = problem_of(512, 32, 64, 1, 1);
      problem.form = form, problem.head_dim = head_dim;
      EXPECT_EQ(best_plan(problem, kH200).instance, kRowsInstance) << "one key on each axis";
      problem.seq_len = 8192;
      EXPECT_NE(best_plan(problem, kH200).instance, kRowsInstance);
      problem.window2 = 1, problem.q_heads = 1, problem.seq_len = 100;
      EXPECT_EQ(make_plan(problem, kRowsInstance, kH200)->row_groups, 32 / (head_dim / 8))
          << "few rows of many keys: a warp for each";
      problem.window1 = 1, problem.window2 = 2, problem.seq_len = 8192;
      EXPECT_EQ(best_plan(problem, kH200).instance, kRowsInstance) << "tiles would be empty but for two keys";
      problem.q_heads = 64;
      const Plan plan = *make_plan(problem, kRowsInstance, kH200);
      EXPECT_EQ(plan.row_groups, 1) << "rows enough to fill the GPU";
      EXPECT_EQ(plan.parameters.items, 8192 * 64);
    }
  }
}

/// A shape that cuda.portable ran faster than any instance with tiles or rows (H200, docs/notebook.md, version 9).
Problem narrow(Form form, std::int64_t window1, std::int64_t window2, std::int64_t seq_len, std::int64_t q_heads,
               std::int64_t kv_heads, std::int64_t head_dim, std::int64_t batch = 1) {
  Problem problem = problem_of(window1, window2, q_heads, kv_heads, seq_len);
  problem.form = form, problem.head_dim = head_dim, problem.batch = batch;
  return problem;
}

TEST(HopperPlan, narrow_windows_run_on_the_portable_forward_where_it_was_faster) {
  for (const Problem& problem : {
           narrow(Form::determinant, 54, 2, 351, 64, 1, 64),
           narrow(Form::trilinear, 1, 45, 384, 24, 8, 128),
           narrow(Form::determinant, 1, 126, 292, 8, 8, 64),
           narrow(Form::trilinear, 48, 1, 1669, 4, 4, 64),
           narrow(Form::determinant, 1, 23, 99, 384, 8, 128),
           narrow(Form::trilinear, 18, 1, 292, 128, 1, 64, 3),
           narrow(Form::determinant, 5, 1, 14779, 200, 1, 64),
           narrow(Form::trilinear, 351, 1, 466, 2, 2, 128, 3),
       }) {
    EXPECT_EQ(best_plan(problem, kH200).instance, kPortableInstance) << describe(problem);
    EXPECT_EQ(best_plan(problem, kH200).workspace_bytes, 0u) << describe(problem);
  }
}

TEST(HopperPlan, wide_windows_never_run_on_the_portable_forward) {
  for (const Form form : {Form::trilinear, Form::determinant}) {
    for (const auto& [window1, window2] : {std::pair{512, 32}, {1024, 16}, {128, 128}, {32, 32}, {16, 512}, {64, 8}}) {
      for (const std::int64_t group : {1, 4, 8, 16, 32, 64, 128}) {
        for (const std::int64_t seq_len : {1024, 8192, 131072}) {
          const Problem problem = narrow(form, window1, window2, seq_len, 2 * group, 2, 128);
          EXPECT_NE(best_plan(problem, kH200).instance, kPortableInstance) << describe(problem);
        }
      }
    }
  }
}

TEST(HopperPlan, the_shapes_of_the_documents_run_on_the_instance_measured_fastest) {
  const auto chosen = [](Form form, std::int64_t window1, std::int64_t window2, std::int64_t q_heads,
                         std::int64_t kv_heads, std::int64_t seq_len = 8192) {
    return std::string(
        instance_name(best_plan(narrow(form, window1, window2, seq_len, q_heads, kv_heads, 128), kH200).instance));
  };
  for (const Form form : {Form::trilinear, Form::determinant}) {
    const std::string suffix = form == Form::determinant ? "_cross_half" : "_half";
    EXPECT_EQ(chosen(form, 512, 32, 128, 1), "d128_rows128_keys128" + suffix);
    for (const auto& [window1, window2] :
         {std::pair{1024, 32}, {512, 64}, {128, 128}, {256, 64}, {512, 32}, {1024, 16}, {256, 32}}) {
      EXPECT_EQ(chosen(form, window1, window2, 64, 1, 32768), "d128_pair64_keys128" + suffix);
    }
    for (const std::int64_t heads : {32, 16, 8}) {
      EXPECT_EQ(chosen(form, 512, 32, heads, 1), "d128_rows128_keys112" + suffix);
    }
    for (const auto& [window1, window2] : {std::pair{512, 32}, {1024, 16}}) {
      EXPECT_EQ(chosen(form, window1, window2, 16, 16), "d128_split64_keys96_mixed" + suffix);
    }
  }
}

TEST(HopperPlan, the_portable_forward_has_limits_of_its_own) {
  Problem problem = problem_of(1, 1, 1 << 20, 1, 1);
  EXPECT_TRUE(make_plan(problem, kPortableInstance, kH200).has_value());
  problem.q_heads *= 2;
  EXPECT_FALSE(make_plan(problem, kPortableInstance, kH200).has_value());
  EXPECT_NE(best_plan(problem, kH200).instance, kPortableInstance);
  problem = problem_of(1, 1, 64, 1, std::int64_t{1} << 29);
  EXPECT_TRUE(make_plan(problem, kPortableInstance, kH200).has_value());
  problem.batch = 2;
  EXPECT_FALSE(make_plan(problem, kPortableInstance, kH200).has_value());
}

TEST(HopperPlan, unsupported_problems_say_why) {
  Problem problem = problem_of(512, 32, 64, 1, 4096);
  EXPECT_EQ(unsupported_problem(problem), std::nullopt);
  problem.head_dim = 96;
  EXPECT_NE(unsupported_problem(problem)->find("head_dim is 96"), std::string::npos);
  problem.head_dim = 128;
  problem.mask = Mask::full;
  EXPECT_NE(unsupported_problem(problem)->find("causal"), std::string::npos);
  problem.mask = Mask::causal;
  problem.element = Element::fp32;
  EXPECT_NE(unsupported_problem(problem)->find("bf16"), std::string::npos);
  problem.element = Element::bf16;
  problem.seq_len = std::int64_t{1} << 31;
  EXPECT_TRUE(unsupported_problem(problem).has_value());
}

TEST(HopperPlan, instances_are_found_by_name) {
  for (int instance = 0; instance < kAllInstances; ++instance)
    EXPECT_EQ(find_instance(instance_name(instance)), instance);
  EXPECT_EQ(find_instance("d128"), -1);
}

}  // namespace
}  // namespace triscope::hopper
