#include "profiler/plan/plan.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "kernels/base/error.hpp"
#include "profiler/plan/request.hpp"
#include "profiler/record/catalog_codec.hpp"
#include "tests/profiler/record/fake_catalog.hpp"

namespace triscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

Plan plan_for(const SweepRequest& request, const Catalog& catalog) {
  return make_plan(request, catalog, [&](const auto& questions) { return fake_support(catalog, questions); });
}

SweepRequest small_request() {
  SweepRequest request;
  request.windows = {{8, 4}, {16, 2}};
  request.seq_lens = {64};
  request.q_heads = {4};
  request.kv_heads = {2};
  request.head_dims = {16};
  return request;
}

std::vector<std::string> kernels_of(const PlanGroup& group) {
  std::vector<std::string> ids;
  for (const PlanEntry& entry : group.entries) ids.push_back(entry.key.kernel);
  return ids;
}

template <typename Call>
Error error_of(Call call) {
  try {
    call();
  } catch (const Error& e) {
    return e;
  }
  return Error("nothing was thrown", "", "");
}

TEST(Plan, what_no_machine_can_measure_is_counted_and_refused) {
  SweepRequest request = small_request();
  request.kernels = {"cpu.fast"};
  request.windows.assign(961, {8, 4});
  request.seq_lens.assign(3000, 64);
  request.q_heads.assign(200, 4);
  const Error refused = error_of([&] { plan_for(request, fake_catalog(false)); });
  EXPECT_EQ(refused.code(), ExitCode::usage);
  EXPECT_THAT(refused.what(), HasSubstr("this is 1153200000 measurements, more than 100000; name fewer"));
  request.batches.assign(1'000'000, 1);
  request.head_dims.assign(1'000'000, 16);
  EXPECT_THAT(error_of([&] { plan_for(request, fake_catalog(false)); }).what(), HasSubstr("more than 100000"))
      << "beyond 64 bits, too";
}

TEST(Plan, windows_that_see_the_same_keys_are_measured_once) {
  SweepRequest request = small_request();
  request.kernels = {"cpu.fast"};
  request.passes = {Pass::forward};
  request.windows = {{64, 4}, {128, 4}, {1024, 4}, {64, 64}, {128, 128}, {32, 4}};
  const Plan plan = plan_for(request, fake_catalog(false));
  EXPECT_EQ(plan.total(), 3) << "64x4, 64x64 and 32x4 of 64 tokens";
  EXPECT_EQ(plan.groups.front().entries.front().key.problem.window1, 64);
  request.mask = Mask::full;
  EXPECT_EQ(plan_for(request, fake_catalog(false)).total(), 1);
}

TEST(Plan, dot_product_alone_needs_no_windows) {
  SweepRequest request = small_request();
  request.windows.clear();
  request.forms = {Form::dot_product};
  request.passes = {Pass::forward};
  request.seq_lens = {32, 64};
  const Plan plan = plan_for(request, fake_catalog(false));
  ASSERT_THAT(plan.groups, SizeIs(2)) << "one of each length";
  EXPECT_GE(plan.groups.front().entries.front().key.problem.window1, 32);
  EXPECT_EQ(plan.groups.front().entries.front().key.problem.window2, 1);
}

TEST(Plan, counts_are_the_product_of_the_lists) {
  SweepRequest request = small_request();
  request.kernels = {"cpu.fast"};
  request.seq_lens = {32, 64, 128};
  request.batches = {1, 2};
  request.q_heads = {4, 8};
  request.kv_heads = {2, 1};
  request.head_dims = {16, 32};
  request.forms = {Form::trilinear, Form::determinant};
  request.regimes = {Regime::sustained, Regime::burst};
  const Plan plan = plan_for(request, fake_catalog(false));
  EXPECT_EQ(plan.total(),
            2 * 3 * 2 * 2 * 2 * 2 * 2 * 2);  // windows, seq, batch, head pairs, dims, forms, passes, regimes
  EXPECT_THAT(plan.groups, SizeIs(plan.total()));
  EXPECT_TRUE(plan.skipped.empty());
}

TEST(Plan, no_key_is_planned_twice) {
  SweepRequest request = small_request();
  request.windows = {{8, 4}, {8, 4}, {16, 2}};
  const Plan plan = plan_for(request, fake_catalog(false));
  std::set<std::string> keys;
  for (const PlanGroup& group : plan.groups) {
    for (const PlanEntry& entry : group.entries) EXPECT_TRUE(keys.insert(nlohmann::json(entry.key).dump()).second);
  }
  EXPECT_EQ(plan.total(), 2 * 2 + 2);  // two windows x two passes, and a baseline for each pass
}

TEST(Plan, kernels_of_one_problem_form_a_group_and_the_baseline_joins_the_first_of_its_shape) {
  SweepRequest request = small_request();
  request.kernels = {"cpu.fast", "cpu.oracle", "baseline.cpu"};
  request.passes = {Pass::forward};
  request.seq_lens = {64, 128};
  const Plan plan = plan_for(request, fake_catalog(false));
  ASSERT_THAT(plan.groups, SizeIs(4));
  EXPECT_THAT(kernels_of(plan.groups[0]), ElementsAre("cpu.fast", "cpu.oracle", "baseline.cpu"));
  EXPECT_THAT(kernels_of(plan.groups[1]), ElementsAre("cpu.fast", "cpu.oracle"));
  EXPECT_THAT(kernels_of(plan.groups[2]), ElementsAre("cpu.fast", "cpu.oracle", "baseline.cpu"));
  EXPECT_EQ(plan.groups[2].entries[0].key.problem.seq_len, 128);
  const Problem& baseline = plan.groups[0].entries[2].key.problem;
  EXPECT_EQ(baseline.form, Form::dot_product);
  EXPECT_EQ(baseline.window1, 64);
  EXPECT_EQ(baseline.window2, 1);
}

TEST(Plan, the_reference_takes_turns_with_every_group_of_its_shape_and_is_measured_once) {
  SweepRequest request = small_request();
  request.passes = {Pass::forward};
  request.seq_lens = {64, 128};
  request.kernels = {"cpu.fast", "baseline.cpu"};
  const Plan plan = plan_for(request, fake_catalog(false));
  ASSERT_THAT(plan.groups, SizeIs(4));
  EXPECT_EQ(plan.total(), 6);
  for (const std::size_t first : {0u, 2u}) {
    EXPECT_THAT(plan.groups[first].references, testing::IsEmpty()) << "it is one of this group's measurements";
    ASSERT_THAT(plan.groups[first + 1].references, SizeIs(1));
    EXPECT_EQ(plan.groups[first + 1].references[0].key, plan.groups[first].entries[1].key);
  }
  const Estimate with = estimate(plan.groups[1], request, 1e9, 1e9);
  PlanGroup alone = plan.groups[1];
  alone.references.clear();
  EXPECT_GT(with.seconds, estimate(alone, request, 1e9, 1e9).seconds) << "its turns take time";
}

TEST(Plan, of_several_baselines_that_of_lowest_rank_is_the_reference) {
  Catalog catalog = fake_catalog(false);
  KernelInfo other = fake_kernel("baseline.cpu", DeviceKind::cpu);
  other.id = "baseline.better";
  other.card.rank = *other.card.rank - 1;
  catalog.kernels.push_back(other);
  SweepRequest request = small_request();
  request.passes = {Pass::forward};
  const Plan plan = plan_for(request, catalog);
  ASSERT_THAT(plan.groups, SizeIs(2));
  ASSERT_THAT(plan.groups[1].references, SizeIs(1));
  EXPECT_EQ(plan.groups[1].references[0].key.kernel, "baseline.better");
}

TEST(Plan, a_dot_product_request_keeps_its_sliding_window) {
  SweepRequest request = small_request();
  request.forms = {Form::dot_product};
  request.windows = {{16, 1}};
  request.kernels = {"baseline.cpu"};
  const Plan plan = plan_for(request, fake_catalog(false));
  EXPECT_EQ(plan.groups.at(0).entries.at(0).key.problem.window1, 16);
}

TEST(Plan, of_all_kernels_a_dot_product_request_means_the_baselines) {
  SweepRequest request = small_request();
  request.forms = {Form::dot_product};
  request.windows = {{16, 1}};
  const Plan plan = plan_for(request, fake_catalog(true));
  EXPECT_TRUE(plan.skipped.empty());
  for (std::size_t n = 1; n < plan.groups.size(); ++n)
    EXPECT_THAT(kernels_of(plan.groups[n]), ElementsAre("baseline.fa3"));
  request.kernels = {"cuda.portable", "baseline.fa3"};
  EXPECT_EQ(plan_for(request, fake_catalog(true)).skipped.at(0).entry.key.kernel, "cuda.portable");
}

TEST(Plan, auto_takes_every_kernel_of_the_device_but_not_the_oracle) {
  SweepRequest request = small_request();
  request.head_dims = {128};
  const Plan plan = plan_for(request, fake_catalog(true));
  EXPECT_THAT(kernels_of(plan.groups.at(0)), ElementsAre("baseline.cublas"));
  EXPECT_THAT(kernels_of(plan.groups.at(1)), ElementsAre("cuda.portable", "cuda.hopper", "baseline.fa3"));
  for (const PlanGroup& group : plan.groups) {
    for (const PlanEntry& entry : group.entries) {
      EXPECT_EQ(entry.key.device_id, "0");
      EXPECT_EQ(entry.key.timing_source, TimingSource::cupti);
      EXPECT_EQ(entry.key.problem.element, Element::bf16);
      EXPECT_EQ(entry.source_hash, std::string(to_string(entry.key.pass)) + " of " + entry.key.kernel);
    }
  }
}

TEST(Plan, the_gemm_ceiling_is_measured_once_a_regime) {
  SweepRequest request = small_request();
  request.regimes = {Regime::sustained, Regime::burst};
  const Plan plan = plan_for(request, fake_catalog(true));
  int gemms = 0;
  for (const PlanGroup& group : plan.groups) {
    for (const PlanEntry& entry : group.entries) gemms += entry.key.problem.form == Form::gemm;
  }
  EXPECT_EQ(gemms, 2);
}

TEST(Plan, instances_auto_all_and_by_name) {
  SweepRequest request = small_request();
  request.windows = {{8, 4}};
  request.passes = {Pass::forward};
  request.kernels = {"cuda.portable"};
  EXPECT_EQ(plan_for(request, fake_catalog(true)).groups[0].entries[0].key.instance, "a");
  request.instance = "all";
  EXPECT_THAT(plan_for(request, fake_catalog(true)).groups[0].entries, SizeIs(3));
  request.instance = "b";
  EXPECT_EQ(plan_for(request, fake_catalog(true)).groups[0].entries[0].key.instance, "b");
  request.instance = "z";
  const Error error = error_of([&] { plan_for(request, fake_catalog(true)); });
  EXPECT_EQ(error.code(), ExitCode::usage);
  EXPECT_THAT(error.fix(), HasSubstr("a, b, c"));
}

TEST(Plan, impossible_and_unsupported_configurations_are_skipped_with_the_reason) {
  SweepRequest request = small_request();
  request.kernels = {"cuda.portable", "cuda.hopper"};
  request.passes = {Pass::forward};
  request.windows = {{8, 4}};
  request.q_heads = {4, 5};
  request.kv_heads = {2};
  const Plan plan = plan_for(request, fake_catalog(true));
  ASSERT_THAT(plan.groups, SizeIs(1));
  ASSERT_THAT(plan.skipped, SizeIs(3));
  EXPECT_THAT(plan.skipped[0].reason, HasSubstr("head_dim must be 64 or 128"));
  EXPECT_THAT(plan.skipped[1].reason, HasSubstr("q_heads is 5"));
  EXPECT_THAT(plan.skipped[2].reason, HasSubstr("q_heads is 5"));
  EXPECT_EQ(plan.total(), 4);
}

TEST(Plan, what_exceeds_the_memory_is_skipped) {
  SweepRequest request = small_request();
  request.kernels = {"cpu.fast"};
  request.seq_lens = {64, 1 << 24};
  request.passes = {Pass::forward};
  request.windows = {{8, 4}};
  const Plan plan = plan_for(request, fake_catalog(false));
  ASSERT_THAT(plan.skipped, SizeIs(1));
  EXPECT_THAT(plan.skipped[0].reason, HasSubstr("GiB of memory, but the device has 16.0 GiB"));
}

TEST(Plan, a_request_of_which_nothing_is_possible_is_a_usage_error) {
  SweepRequest request = small_request();
  request.scale = std::numeric_limits<double>::quiet_NaN();
  request.kernels = {"cpu.fast"};
  Error error = error_of([&] { plan_for(request, fake_catalog(false)); });
  EXPECT_EQ(error.code(), ExitCode::usage);
  EXPECT_THAT(error.why(), HasSubstr("scale is nan"));

  request = small_request();
  request.kernels = {"cpu.quick"};
  error = error_of([&] { plan_for(request, fake_catalog(false)); });
  EXPECT_EQ(error.code(), ExitCode::usage);
  EXPECT_THAT(error.fix(), HasSubstr("cpu.fast"));

  request = small_request();
  request.q_heads = {4, 8, 16};
  request.kv_heads = {1, 2};
  EXPECT_EQ(error_of([&] { plan_for(request, fake_catalog(false)); }).code(), ExitCode::usage);

  request = small_request();
  request.kernels = {"cpu.fast"};
  request.device = "0";
  EXPECT_EQ(error_of([&] { plan_for(request, fake_catalog(true)); }).code(), ExitCode::usage);

  request = small_request();
  request.stopping.budget_ns = 0;
  EXPECT_EQ(error_of([&] { plan_for(request, fake_catalog(false)); }).code(), ExitCode::usage);
}

TEST(Plan, a_device_that_no_machine_has_is_a_fault_of_the_request) {
  const Catalog catalog = fake_catalog(true);
  for (const auto& [device, code] : {std::pair("gpu", ExitCode::usage), std::pair("-1", ExitCode::usage),
                                     std::pair("", ExitCode::usage), std::pair("7", ExitCode::environment)}) {
    EXPECT_EQ(error_of([&, device = device] { choose_device(catalog, device); }).code(), code) << device;
  }
}

TEST(Plan, a_gpu_kernel_without_a_gpu_is_no_fault_of_the_request_and_points_to_the_recording) {
  SweepRequest request = small_request();
  request.kernels = {"cuda.hopper"};
  Catalog without_gpu = fake_catalog(true);
  without_gpu.devices.erase(without_gpu.devices.begin());
  Error error = error_of([&] { plan_for(request, without_gpu); });
  EXPECT_EQ(error.code(), ExitCode::environment);
  EXPECT_THAT(error.why(), HasSubstr("it runs on GPUs only, and there is none here"));
  EXPECT_THAT(error.fix(), HasSubstr("assets/recorded/h200.db"));

  without_gpu.gpu_problem = "the driver is too old";
  EXPECT_THAT(error_of([&] { plan_for(request, without_gpu); }).why(), HasSubstr("the driver is too old"));
  for (const char* kernel : {"cuda.hopper", "baseline.fa3", "baseline.cudnn"}) {  // a build that has none either
    request.kernels = {kernel};
    error = error_of([&] { plan_for(request, fake_catalog(false)); });
    EXPECT_EQ(error.code(), ExitCode::environment) << kernel;
    EXPECT_THAT(error.why(), HasSubstr("this build has no GPU kernels"));
    EXPECT_THAT(error.fix(), HasSubstr("assets/recorded/h200.db"));
  }
  request.kernels = {"cuda.hopper"};

  request.device = "cpu";
  EXPECT_EQ(error_of([&] { plan_for(request, without_gpu); }).code(), ExitCode::usage) << "the CPU was named";
  request.device = "auto";
  request.kernels = {"cuda.hoper"};
  error = error_of([&] { plan_for(request, fake_catalog(true)); });
  EXPECT_EQ(error.code(), ExitCode::usage);
  EXPECT_THAT(error.fix(), HasSubstr("did you mean cuda.hopper? "));
}

TEST(Plan, an_unknown_device_names_the_known_ones) {
  SweepRequest request = small_request();
  request.device = "3";
  const Error error = error_of([&] { plan_for(request, fake_catalog(true)); });
  EXPECT_EQ(error.code(), ExitCode::environment);
  EXPECT_THAT(error.fix(), HasSubstr("0 (Test GPU), cpu (Test CPU)"));
}

TEST(Plan, an_unknown_device_says_why_the_gpu_that_is_there_cannot_be_used) {
  Catalog catalog = fake_catalog(false);
  catalog.gpu_problem = "the driver is too old";
  SweepRequest request = small_request();
  request.device = "0";
  EXPECT_THAT(error_of([&] { plan_for(request, catalog); }).why(), HasSubstr("the driver is too old"));
}

TEST(Plan, the_clock_is_the_devices_own_unless_the_request_names_another_clock_of_that_device) {
  SweepRequest request = small_request();
  EXPECT_EQ(plan_for(request, fake_catalog(true)).groups[0].entries[0].key.timing_source, TimingSource::cupti);
  request.timing_source = TimingSource::cuda_events;
  EXPECT_EQ(plan_for(request, fake_catalog(true)).groups[0].entries[0].key.timing_source, TimingSource::cuda_events);
  EXPECT_THAT(error_of([&] { plan_for(request, fake_catalog(false)); }).what(),
              HasSubstr("cannot be timed by cuda_events"));
  request.timing_source = TimingSource::cpu_clock;
  EXPECT_EQ(error_of([&] { plan_for(request, fake_catalog(true)); }).code(), ExitCode::usage);
}

TEST(Plan, only_a_gpu_has_counters) {
  SweepRequest request = small_request();
  request.counters = CounterSet::quick;
  EXPECT_NO_THROW(plan_for(request, fake_catalog(true)));
  EXPECT_THAT(error_of([&] { plan_for(request, fake_catalog(false)); }).what(),
              HasSubstr("hardware counters cannot be read"));
}

TEST(Plan, auto_device_follows_the_kernels) {
  SweepRequest request = small_request();
  EXPECT_EQ(sweep_device(request, fake_catalog(true)).id, "0");
  EXPECT_EQ(sweep_device(request, fake_catalog(false)).id, "cpu");
  request.kernels = {"cpu.fast"};
  EXPECT_EQ(sweep_device(request, fake_catalog(true)).id, "cpu");
}

TEST(Plan, defaults_are_table_1_at_the_papers_shape_on_a_gpu) {
  const SweepRequest full = with_defaults({}, fake_device("0", DeviceKind::cuda, 0));
  EXPECT_THAT(full.windows, SizeIs(7));
  EXPECT_THAT(full.seq_lens, ElementsAre(32768));
  EXPECT_THAT(full.q_heads, ElementsAre(64));
  EXPECT_THAT(full.kv_heads, ElementsAre(1));
}

TEST(Plan, estimates_grow_with_the_work_and_are_bounded_by_the_budget) {
  const Catalog catalog = fake_catalog(false);
  SweepRequest request = small_request();
  request.kernels = {"cpu.fast"};
  const Device& cpu = catalog.devices.back();
  const Estimate small = estimate(plan_for(request, catalog), request, cpu);
  request.seq_lens = {64, 4096};
  const Estimate large = estimate(plan_for(request, catalog), request, cpu);
  EXPECT_GT(large.seconds, small.seconds);
  EXPECT_GT(large.bytes, small.bytes);
  request.stopping.budget_ns = 1'000'000;
  EXPECT_LT(estimate(plan_for(request, catalog), request, cpu).seconds, large.seconds);
}

TEST(Plan, an_estimate_on_a_busy_processor_expects_rows_to_take_their_budget) {
  PlanGroup group;
  group.entries.resize(2);
  for (PlanEntry& entry : group.entries) entry.key.timing_source = TimingSource::cpu_clock;
  SweepRequest request;
  request.stopping.budget_ns = 3'000'000'000;
  const auto seconds = [&](double load) { return estimate(group, request, 1e15, 1e15, load).seconds; };
  EXPECT_LT(seconds(0.1), 2) << "fourteen short blocks of each";
  EXPECT_GT(seconds(1), 2 * 3);
  EXPECT_LT(seconds(6), 2 * 3 + 2) << "but not more than that";
  const auto long_launch = [&](double load) { return estimate(group, request, 1, 1, load).seconds; };
  for (PlanEntry& entry : group.entries) entry.key.problem.seq_len = entry.key.problem.q_heads = 16;
  EXPECT_GT(long_launch(1), 1.5 * long_launch(0)) << "a long launch shares the processor";
  Device device;
  device.kind = DeviceKind::cuda;
  EXPECT_EQ(load_here(request, device), 0) << "not what the times of a GPU wait for";
  device.kind = DeviceKind::cpu;
  EXPECT_GE(load_here(request, device), 0);
  request.worker_prefix = {"ssh", "host"};
  EXPECT_EQ(load_here(request, device), 0) << "of another machine nothing is known";
}

TEST(Plan, estimates_count_what_a_gpu_does_besides_timing) {
  PlanGroup group;
  group.entries.resize(2);
  for (PlanEntry& entry : group.entries) entry.key.timing_source = TimingSource::cpu_clock;
  SweepRequest request;
  request.stopping.budget_ns = 3'000'000'000;
  const auto seconds = [&] { return estimate(group, request, 1e15, 1e15).seconds; };
  const double on_cpu = seconds();
  for (PlanEntry& entry : group.entries) entry.key.timing_source = TimingSource::cuda_events;
  const double in_turns = seconds();
  EXPECT_GT(in_turns, 1.5 * on_cpu) << "turns begin with launches that are not timed";
  for (PlanEntry& entry : group.entries) entry.key.regime = Regime::burst;
  EXPECT_GT(seconds(), 2 * 14 * 0.08) << "each cold launch waits 80 ms";
  for (PlanEntry& entry : group.entries) entry.key.timing_source = TimingSource::cupti;
  EXPECT_GT(seconds(), on_cpu) << "another process cross-checks each";
}

TEST(Plan, the_kernels_of_a_group_share_their_inputs) {
  PlanGroup group;
  PlanEntry& entry = group.entries.emplace_back();
  entry.key.problem.element = Element::bf16;
  entry.key.problem.seq_len = 100;
  entry.key.problem.q_heads = 4;
  entry.key.problem.kv_heads = 2;
  entry.key.problem.head_dim = 16;
  entry.workspace_bytes = 1000;
  constexpr std::int64_t kQueries = 100 * 4 * 16 * 2, kKeys = 100 * 2 * 16 * 2, kLse = 100 * 4 * 4;
  const auto bytes = [&] { return estimate(group, {}, 1e15, 1e15).bytes; };
  EXPECT_EQ(bytes(), 2 * kQueries + 4 * kKeys + kLse + 1000) << "q k1 k2 v1 v2 o lse, workspace";
  group.entries.push_back(group.entries.front());
  EXPECT_EQ(bytes(), 2 * kQueries + 4 * kKeys + kLse + 1000 + kQueries + kLse + 1000)
      << "a second o, lse and workspace";
  for (PlanEntry& one : group.entries) one.key.pass = Pass::backward;
  // Inputs q do k1 k2 v1 v2; each entry's o lse dq dk1 dk2 dv1 dv2.
  EXPECT_EQ(bytes(), 2 * kQueries + 4 * kKeys + 2 * (2 * kQueries + 4 * kKeys + kLse + 1000));
}

}  // namespace
}  // namespace triscope
