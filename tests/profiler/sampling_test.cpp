#include "profiler/worker/sampling.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace triscope {
namespace {

// A device on which a launch takes `launch_ns`, the first of all `first_ns`.
class FakeBackend final : public Backend {
 public:
  std::int64_t launch_ns = 1'000'000;
  std::int64_t first_ns = 1'000'000;

  const Device& device() const override { return device_; }
  std::vector<Device> all_devices() const override { return {device_}; }
  Environment environment() const override { return {}; }
  TimingSource timing_source() const override { return TimingSource::cpu_clock; }
  void* stream() const override { return nullptr; }
  void* allocate(std::size_t bytes) override { return std::malloc(bytes); }
  void release(void* memory) noexcept override { std::free(memory); }
  void copy_to_device(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void copy_to_host(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void poison(void* memory, std::size_t bytes) override { std::memset(memory, 0xFF, bytes); }
  void synchronize() override {}
  void make_cold() override {}
  std::vector<LaunchRecord> record_launch(const std::string&, const Launch&) override { return {}; }

  Sample time_block(const Launch& launch, std::int64_t launches) override {
    launch();
    Sample sample;
    sample.started_ns = now_ns_;
    sample.launches = launches;
    sample.duration_ns = now_ns_ == 0 ? first_ns : launch_ns;
    now_ns_ += sample.duration_ns * launches;
    return sample;
  }

 private:
  Device device_;
  std::int64_t now_ns_ = 0;
};

std::vector<SamplingEntry> one_entry() {
  std::vector<SamplingEntry> entries(1);
  entries[0].label = "fake";
  entries[0].launch = [] {};
  return entries;
}

TEST(Sampling, a_preempted_warm_up_does_not_make_short_blocks) {
  FakeBackend backend;
  backend.first_ns = 300'000'000;  // longer than the whole warm-up
  backend.launch_ns = 10'000;
  std::vector<SamplingEntry> entries = one_entry();
  ASSERT_TRUE(take_samples(backend, Regime::sustained, {}, entries, {}));
  ASSERT_GE(entries[0].samples.size(), 8u);
  for (const Sample& sample : entries[0].samples) EXPECT_GE(sample.duration_ns * sample.launches, 20'000'000);
}

TEST(Sampling, blocks_last_forty_milliseconds_and_single_launches_may_be_longer) {
  FakeBackend backend;
  std::vector<SamplingEntry> entries = one_entry();
  ASSERT_TRUE(take_samples(backend, Regime::sustained, {}, entries, {}));
  for (const Sample& sample : entries[0].samples) EXPECT_EQ(sample.launches, 40);
  backend.launch_ns = backend.first_ns = 90'000'000;
  entries = one_entry();
  ASSERT_TRUE(take_samples(backend, Regime::sustained, {}, entries, {}));
  for (const Sample& sample : entries[0].samples) EXPECT_EQ(sample.launches, 1);
}

TEST(Sampling, a_spent_budget_ends_an_entry_while_others_go_on) {
  FakeBackend backend;
  std::vector<SamplingEntry> entries = one_entry();
  entries.push_back(entries[0]);
  StoppingRule rule;
  rule.max_blocks = 3;
  ASSERT_TRUE(take_samples(backend, Regime::sustained, rule, entries, {}));
  EXPECT_EQ(entries[0].samples.size(), 3u);
  EXPECT_EQ(entries[1].samples.size(), 3u);
}

}  // namespace
}  // namespace triscope
