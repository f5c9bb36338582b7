#include "profiler/record/gpu_counters.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "profiler/worker/device/cupti_advice.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSubsetOf;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

TEST(GpuCounters, the_quick_set_is_a_part_of_the_standard_set) {
  EXPECT_THAT(metric_names(CounterSet::none), IsEmpty());
  EXPECT_THAT(metric_names(CounterSet::quick), SizeIs(16));
  EXPECT_THAT(metric_names(CounterSet::standard), SizeIs(23));
  EXPECT_THAT(metric_names(CounterSet::quick), IsSubsetOf(metric_names(CounterSet::standard)));
}

TEST(GpuCounters, every_metric_is_in_words_and_stands_once) {
  std::set<std::string_view> names, labels, ids;
  for (const CounterMetric& metric : counter_metrics()) {
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
    EXPECT_TRUE(labels.insert(metric.label).second) << metric.label;
    EXPECT_FALSE(metric.label.empty()) << metric.name;
    EXPECT_TRUE(ids.insert(metric.id).second && !metric.id.empty()) << metric.name;
    EXPECT_EQ(metric.meaning.back(), '.') << metric.name;
    EXPECT_EQ(find_counter_metric(metric.name), &metric);
    EXPECT_EQ(metric.unit == "%", metric.name.find("pct") != std::string_view::npos) << metric.name;
  }
  EXPECT_EQ(find_counter_metric("sm__no_such_thing.sum"), nullptr);
}

TEST(GpuCounters, words_name_the_fullest_unit) {
  const std::vector<Counter> counters{{"dram__throughput.avg.pct_of_peak_sustained_elapsed", "%", 4},
                                      {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", "%", 71.4},
                                      {"smsp__issue_active.avg.pct_of_peak_sustained_active", "%", 38}};
  EXPECT_THAT(counters_in_words(counters),
              StartsWith("The fullest unit: the tensor cores, 71 % busy. Next: the issue slots, 38 %."));
}

TEST(GpuCounters, words_say_when_no_unit_is_full_and_when_banks_conflict) {
  std::vector<Counter> counters{{"dram__throughput.avg.pct_of_peak_sustained_elapsed", "%", 4},
                                {"smsp__issue_active.avg.pct_of_peak_sustained_active", "%", 38},
                                {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "", 30},
                                {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "", 100}};
  EXPECT_THAT(counters_in_words(counters), HasSubstr("No unit is full: the busiest is the issue slots, 38 %"));
  EXPECT_THAT(counters_in_words(counters), HasSubstr("30 % of the shared memory passes are bank conflicts"));
  counters[2].value = 1;
  EXPECT_THAT(counters_in_words(counters), Not(HasSubstr("conflicts")));
}

TEST(GpuCounters, a_counter_that_could_not_be_computed_is_left_out_of_the_words) {
  const std::vector<Counter> counters{{"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", "%", NAN},
                                      {"smsp__issue_active.avg.pct_of_peak_sustained_active", "%", 88}};
  EXPECT_THAT(counters_in_words(counters), StartsWith("The fullest unit: the issue slots"));
  EXPECT_THAT(counters_in_words({}), IsEmpty());
}

TEST(GpuCounters, values_are_scaled_and_carry_their_unit) {
  EXPECT_EQ(counter_text({"x", "%", 71.44}), "71.4 %");
  EXPECT_EQ(counter_text({"x", "byte", 268'445'000}), "268 MB");
  EXPECT_EQ(counter_text({"x", "byte", 512}), "512 B");
  EXPECT_EQ(counter_text({"x", "Hz", 1.79474e9}), "1.79 GHz");
  EXPECT_EQ(counter_text({"x", "ns", 122'720}), "123 us");
  EXPECT_EQ(counter_text({"x", "ns", 2'500'000'000}), "2.50 s");
  EXPECT_EQ(counter_text({"x", "FLOP", 6.9206e10}), "69.2 GFLOP");
  EXPECT_EQ(counter_text({"x", "", 1234}), "1.23 k");
  EXPECT_EQ(counter_text({"x", "", 0}), "0");
  EXPECT_EQ(counter_text({"x", "per cycle", 0.5123}), "0.512 per cycle");
  EXPECT_EQ(counter_text({"x", "%", NAN}), "not known");
}

TEST(GpuCounters, sets_have_names_that_are_read_back) {
  for (CounterSet set : {CounterSet::none, CounterSet::quick, CounterSet::standard})
    EXPECT_EQ(parse_counter_set(to_string(set)), set);
  EXPECT_EQ(parse_counter_set("everything"), std::nullopt);
}

TEST(CuptiAdvice, refusals_say_what_is_wrong_and_what_to_do) {
  EXPECT_THAT(cupti_advice(35).fix, HasSubstr("CAP_PERFMON"));
  EXPECT_THAT(cupti_advice(35).fix, HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
  EXPECT_THAT(cupti_advice(39).why, HasSubstr("another profiler"));
  EXPECT_THAT(cupti_advice(26).why, HasSubstr("another program"));
  EXPECT_THAT(cupti_advice(43).why, HasSubstr("MIG"));
  EXPECT_THAT(cupti_advice(15).fix, HasSubstr("driver"));
  EXPECT_THAT(cupti_advice(12345).why, IsEmpty()) << "a code we do not know is not explained";
  EXPECT_THAT(cupti_advice(12345).fix, Not(IsEmpty()));
}

}  // namespace
}  // namespace triscope
