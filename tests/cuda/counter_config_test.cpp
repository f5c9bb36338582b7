// Metric sets against CUPTI's own tables: needs libcupti and libnvperf_host of the toolkit, no GPU and no driver.
#include "profiler/worker/cuda/counter_config.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <map>

#include "kernels/base/error.hpp"
#include "profiler/record/gpu_counters.hpp"
#include "tests/paths.hpp"

namespace triscope {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

CuptiLibrary& cupti() {
  static CuptiLibrary library("hardware counters cannot be read");
  return library;
}

TEST(CounterConfig, the_quick_set_takes_one_pass_on_hopper_and_the_standard_set_two) {
  const CounterConfig quick(cupti(), "GH100", metric_names(CounterSet::quick));
  EXPECT_THAT(quick.unknown(), IsEmpty());
  EXPECT_EQ(quick.passes(), 1);
  const CounterConfig standard(cupti(), "GH100", metric_names(CounterSet::standard));
  EXPECT_THAT(standard.unknown(), IsEmpty());
  EXPECT_EQ(standard.passes(), 2);
  EXPECT_EQ(standard.metrics(), metric_names(CounterSet::standard)) << "in the order asked for";
  EXPECT_GT(standard.image().size(), quick.image().size());
}

TEST(CounterConfig, chips_without_a_unit_leave_its_metrics_out) {
  for (const char* chip : {"GA100", "GA102", "AD102", "GB100"}) {
    const CounterConfig config(cupti(), chip, metric_names(CounterSet::standard));
    EXPECT_GE(config.metrics().size(), 15u) << chip;
    EXPECT_EQ(config.metrics().size() + config.unknown().size(), metric_names(CounterSet::standard).size()) << chip;
    EXPECT_GE(config.passes(), 1) << chip;
  }
  EXPECT_THAT(CounterConfig(cupti(), "GA100", metric_names(CounterSet::quick)).unknown(), Contains(HasSubstr("gmma")));
}

TEST(CounterConfig, an_unknown_metric_is_named_and_costs_no_other) {
  const CounterConfig config(cupti(), "GH100", {"sm__no_such_thing.sum", "gpu__time_duration.sum"});
  EXPECT_THAT(config.unknown(), testing::ElementsAre("sm__no_such_thing.sum"));
  EXPECT_THAT(config.metrics(), testing::ElementsAre("gpu__time_duration.sum"));
}

// Recorded on an H200 by record_counter_data: a kernel that spins for a millisecond, its counter data and the values
// that CUPTI read out of them there.
TEST(CounterConfig, counter_data_of_a_gpu_are_decoded_without_one) {
  std::ifstream file(source_file("tests/cuda/data/counter_data.bin"), std::ios::binary);
  const std::vector<std::uint8_t> data(std::istreambuf_iterator<char>(file), {});
  std::ifstream text(source_file("tests/cuda/data/counter_values.txt"));
  std::map<std::string, double> there;
  for (auto [name, value] = std::pair(std::string(), 0.0); text >> name >> value;) there[name] = value;
  const CounterConfig config(cupti(), "GH100", metric_names(CounterSet::standard));
  ASSERT_EQ(there.size(), config.metrics().size());
  const std::vector<double> here = config.evaluate(data, 0);
  std::map<std::string, double> decoded;
  for (std::size_t n = 0; n < here.size(); ++n) {
    decoded[config.metrics()[n]] = here[n];
    EXPECT_DOUBLE_EQ(here[n], there.at(config.metrics()[n])) << config.metrics()[n];
  }
  const double seconds = decoded.at("gpu__time_duration.sum") * 1e-9;
  EXPECT_NEAR(seconds, 1e-3, 1e-4) << "what the kernel was asked for";
  EXPECT_NEAR(decoded.at("sm__cycles_elapsed.max") / (seconds * decoded.at("sm__cycles_elapsed.avg.per_second")), 1,
              0.05);
  EXPECT_GT(decoded.at("sm__inst_executed.sum"), 1000);
  EXPECT_EQ(decoded.at("sm__inst_executed_pipe_tensor_op_gmma.sum"), 0);
}

TEST(CounterConfig, what_is_impossible_is_refused_in_words) {
  EXPECT_THROW(CounterConfig(cupti(), "XY999", metric_names(CounterSet::quick)), Error);
  EXPECT_THROW(CounterConfig(cupti(), "GH100", {"sm__no_such_thing.sum"}), Error);
  const CounterConfig config(cupti(), "GH100", metric_names(CounterSet::quick));
  EXPECT_THROW(config.evaluate(std::vector<std::uint8_t>(64), 0), Error) << "no counter data";
}

}  // namespace
}  // namespace triscope
