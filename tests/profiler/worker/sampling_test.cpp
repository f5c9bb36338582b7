#include "profiler/worker/jobs/sampling.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace triscope {
namespace {

// A device on which a launch takes `launch_ns`, the first of all `first_ns`.
class FakeBackend final : public Backend {
 public:
  std::int64_t launch_ns = 1'000'000;
  std::int64_t first_ns = 1'000'000;
  const void* load = nullptr;     // what the launch runs; set by it
  std::int64_t inherited_ns = 0;  // for so long after another load ran, launches are a tenth faster
  std::int64_t settles_ns = 0;
  std::int64_t slows_after_ns =
      0;  // so long after another load ran launches begin to take longer: a swing of the clock

  std::int64_t settle_ns() const override { return settles_ns; }
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
  std::unique_ptr<SliceEngine> make_slices() const override { return nullptr; }
  std::int64_t now_ns() const { return now_ns_; }
  void make_cold() override {}
  std::vector<LaunchRecord> record_launch(const std::string&, const Launch&) override { return {}; }

  bool timing = false;  // a block is being timed

  Sample time_block(const Launch& launch, std::int64_t launches) override {
    const void* before = load;
    timing = true;
    launch();
    if (load != before) changed_ns_ = now_ns_;
    Sample sample;
    sample.started_ns = now_ns_;
    sample.launches = launches;
    sample.duration_ns = now_ns_ == 0 ? first_ns : launch_ns;
    if (now_ns_ < changed_ns_ + inherited_ns) sample.duration_ns = launch_ns * 9 / 10;
    if (slows_after_ns > 0)
      sample.duration_ns +=
          sample.duration_ns * std::max<std::int64_t>(0, now_ns_ - changed_ns_ - slows_after_ns) / 3'000'000'000;
    now_ns_ += sample.duration_ns * launches;
    timing = false;
    return sample;
  }

 private:
  Device device_;
  std::int64_t now_ns_ = 0, changed_ns_ = 0;
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

// Two launches whose change costs `inherited_ns` of a clock that is not their own, sampled side by side.
std::vector<SamplingEntry> sample_a_pair(FakeBackend& backend, const StoppingRule& rule = {}) {
  std::vector<SamplingEntry> entries = one_entry();
  entries.push_back(entries[0]);
  for (SamplingEntry& entry : entries) entry.launch = [&backend, load = &entry] { backend.load = load; };
  EXPECT_TRUE(take_samples(backend, Regime::sustained, rule, entries, {}));
  return entries;
}

TEST(Sampling, a_sustained_sample_is_taken_after_its_own_kernel_has_settled) {
  FakeBackend backend;
  backend.inherited_ns = 100'000'000;
  backend.settles_ns = 160'000'000;
  for (const SamplingEntry& entry : sample_a_pair(backend)) {
    ASSERT_GE(entry.samples.size(), 8u);
    for (const Sample& sample : entry.samples)
      EXPECT_EQ(sample.duration_ns, backend.launch_ns) << "block " << sample.block;
  }
  backend.settles_ns = 0;
  const std::vector<SamplingEntry> hasty = sample_a_pair(backend);
  EXPECT_LT(hasty[0].samples.back().duration_ns, backend.launch_ns) << "what settling is for";
}

TEST(Sampling, a_turn_is_as_long_as_a_swing_of_the_clock_and_is_never_cut_short) {
  for (const std::int64_t launch_ns : {1'000'000, 24'000'000, 86'000'000, 170'000'000}) {
    FakeBackend backend;
    backend.settles_ns = 800'000'000;
    backend.launch_ns = backend.first_ns = launch_ns;
    StoppingRule rule;
    rule.min_blocks = 2;  // equal blocks: the first are precise enough
    rule.budget_ns = 1'800'000'000;
    for (const SamplingEntry& entry : sample_a_pair(backend, rule)) {
      const Sample& last = entry.samples.back();
      const std::int64_t end_ns = last.started_ns + last.duration_ns * last.launches;
      EXPECT_NEAR(static_cast<double>(end_ns), 1e9, 5e7) << launch_ns;
    }
  }
}

TEST(Sampling, whether_blocks_are_enough_is_judged_after_a_whole_turn) {
  FakeBackend backend;
  backend.settles_ns = 800'000'000;
  backend.slows_after_ns = 1'300'000'000;  // the first ten blocks are equal
  StoppingRule rule;
  rule.max_blocks = 75;
  for (const SamplingEntry& entry : sample_a_pair(backend, rule)) {
    EXPECT_EQ(entry.samples.size(), 75u) << "three turns";
    EXPECT_EQ(entry.stop, StopReason::max_blocks);
  }
  backend.slows_after_ns = 0;
  for (const SamplingEntry& entry : sample_a_pair(backend, rule)) {
    EXPECT_EQ(entry.samples.size(), 25u) << "one turn is enough where nothing swings";
    EXPECT_EQ(entry.stop, StopReason::converged);
  }
}

TEST(Sampling, an_entry_that_failed_in_its_warm_up_lengthens_no_block) {
  FakeBackend backend;
  backend.settles_ns = 160'000'000;
  std::vector<SamplingEntry> entries = one_entry();
  entries.push_back(entries[0]);
  entries.push_back(entries[0]);
  for (SamplingEntry& entry : entries) {
    entry.launch = [&backend, load = &entry] { backend.load = load; };
  }
  entries[0].launch_ns = 500'000'000;
  entries[0].launch = [] { throw std::runtime_error("no launch"); };
  ASSERT_TRUE(take_samples(backend, Regime::sustained, {}, entries, {}));
  EXPECT_FALSE(entries[0].failure.empty());
  EXPECT_EQ(entries[1].samples.size(), 25u);
  EXPECT_EQ(entries[1].samples[0].launches, 40);
}

TEST(Sampling, turns_keep_their_pairs_and_their_blocks_last_as_long_as_the_longest_launch) {
  FakeBackend backend;
  backend.settles_ns = 160'000'000;
  std::vector<SamplingEntry> entries = one_entry();
  entries.push_back(entries[0]);
  entries[0].launch = [&] { backend.load = &entries[0], backend.launch_ns = 170'000'000; };
  entries[1].launch = [&] { backend.load = &entries[1], backend.launch_ns = 25'000'000; };
  StoppingRule rule;
  rule.budget_ns = 2'000'000'000;
  rule.min_blocks = rule.max_blocks = 12;
  ASSERT_TRUE(take_samples(backend, Regime::sustained, rule, entries, {}));
  ASSERT_EQ(entries[0].samples.size(), 12u);
  ASSERT_EQ(entries[1].samples.size(), 12u);
  for (std::size_t n = 0; n < entries[0].samples.size(); ++n) {
    EXPECT_EQ(entries[0].samples[n].block, static_cast<std::int64_t>(n));
    EXPECT_EQ(entries[1].samples[n].block, static_cast<std::int64_t>(n));
  }
  EXPECT_EQ(entries[0].samples[0].launches, 1);
  EXPECT_EQ(entries[1].samples[0].launches, 7);
  EXPECT_EQ(entries[0].samples[5].started_ns - entries[0].samples[0].started_ns, 5 * 170'000'000) << "one turn";
  EXPECT_GE(entries[0].samples[6].started_ns - entries[0].samples[5].started_ns, 6 * 175'000'000) << "the other's turn";
}

TEST(Sampling, a_launch_on_its_own_does_not_settle) {
  FakeBackend backend;
  backend.settles_ns = 160'000'000;
  std::vector<SamplingEntry> entries = one_entry();
  ASSERT_TRUE(take_samples(backend, Regime::sustained, {}, entries, {}));
  EXPECT_EQ(entries[0].samples[5].started_ns - entries[0].samples[0].started_ns, 5 * 40'000'000);
}

// A device that was idle runs at a clock that is not the launch's own for longer than a warm-up lasts.
TEST(Sampling, a_first_turn_that_settles_for_longer_outlasts_an_idle_device) {
  const auto strangers = [](std::int64_t first_settle_ns) {
    FakeBackend backend;
    backend.settles_ns = 160'000'000;
    backend.inherited_ns = 550'000'000;
    std::vector<SamplingEntry> entries = one_entry();
    EXPECT_TRUE(take_samples(backend, Regime::sustained, {}, entries, {}, first_settle_ns));
    return std::count_if(entries[0].samples.begin(), entries[0].samples.end(),
                         [&](const Sample& sample) { return sample.duration_ns != backend.launch_ns; });
  };
  EXPECT_EQ(strangers(400'000'000), 0);
  EXPECT_GT(strangers(0), 4) << "what settling for longer is for";
}

TEST(Sampling, only_the_first_turn_settles_for_longer) {
  FakeBackend backend;
  backend.settles_ns = 160'000'000;
  std::vector<SamplingEntry> entries = one_entry();
  entries.push_back(entries[0]);
  for (SamplingEntry& entry : entries) entry.launch = [&backend, load = &entry] { backend.load = load; };
  StoppingRule rule;
  rule.min_blocks = 60;
  ASSERT_TRUE(take_samples(backend, Regime::sustained, rule, entries, {}, 400'000'000));
  ASSERT_GT(entries[0].samples.size(), 50U);
  const auto gap_ms = [&](std::size_t n) {
    return (entries[0].samples[n].started_ns - entries[0].samples[n - 1].started_ns) / 1'000'000;
  };
  EXPECT_EQ(gap_ms(1), 40) << "within a turn";
  EXPECT_EQ(gap_ms(25), 40 + 400 + 1000 + 160) << "the other's first turn, and the way back";
  EXPECT_EQ(gap_ms(50), 40 + 160 + 1000 + 160) << "the other's second turn, and the way back";
}

TEST(Sampling, half_of_a_small_budget_settles_and_half_is_timed) {
  struct Case {
    std::int64_t budget_ms, launch_ms, settle_ms, blocks;
  };
  for (const Case& one : {Case{1800, 100, 800, 10}, Case{1000, 100, 500, 5}, Case{1000, 40, 500, 13},
                          Case{300, 40, 160, 4}, Case{100, 40, 160, 1}, Case{1000, 3000, 500, 1}}) {
    FakeBackend backend;
    backend.settles_ns = 800'000'000;
    backend.launch_ns = backend.first_ns = one.launch_ms * 1'000'000;
    StoppingRule rule;
    rule.budget_ns = one.budget_ms * 1'000'000;
    rule.min_blocks = rule.max_blocks = one.blocks;
    const std::vector<SamplingEntry> entries = sample_a_pair(backend, rule);
    for (const SamplingEntry& entry : entries)
      ASSERT_EQ(static_cast<std::int64_t>(entry.samples.size()), one.blocks) << one.budget_ms << " ms";
    const std::int64_t settle_ms = (one.settle_ms + one.launch_ms - 1) / one.launch_ms * one.launch_ms;  // whole blocks
    EXPECT_EQ((entries[1].first_ns - entries[0].first_ns) / 1'000'000, one.blocks * one.launch_ms + settle_ms)
        << one.budget_ms << " ms";
  }
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

// Counts what is told while `entries` are sampled for `blocks` blocks each, and that nothing is while a block is timed.
struct Told {
  std::size_t texts = 0, batches = 0, samples = 0, during_a_block = 0;
  std::int64_t span_ns = 0;
};
Told tell_of(FakeBackend& backend, Regime regime, std::size_t rows, std::int64_t blocks) {
  std::vector<SamplingEntry> entries;
  for (std::size_t n = 0; n < rows; ++n) entries.push_back(one_entry().front());
  Told told;
  SamplingHooks hooks;
  hooks.now_ns = [&backend] { return backend.now_ns(); };
  hooks.progress = [&](const SamplingEntry&, const char*, const std::string&) {
    ++told.texts;
    told.during_a_block += backend.timing;
  };
  hooks.sampled = [&](const SamplingEntry&, std::span<const Sample> samples) {
    ++told.batches;
    told.samples += samples.size();
    told.during_a_block += backend.timing;
  };
  StoppingRule rule;
  rule.precision = 1e-12;
  rule.min_blocks = rule.max_blocks = blocks;
  EXPECT_TRUE(take_samples(backend, regime, rule, entries, hooks));
  for (const SamplingEntry& entry : entries) EXPECT_EQ(entry.samples.size(), static_cast<std::size_t>(blocks));
  told.span_ns = backend.now_ns();
  return told;
}

TEST(Sampling, a_row_of_short_launches_is_told_of_ten_times_a_second) {
  FakeBackend backend;
  backend.launch_ns = backend.first_ns = 50'000;
  const Told told = tell_of(backend, Regime::burst, 1, 40'000);  // two seconds
  const auto periods = static_cast<std::size_t>(told.span_ns / kTellPeriodNs);
  EXPECT_GE(periods, 20u);
  EXPECT_LE(told.batches, periods);
  EXPECT_GE(told.batches, periods - 2);
  EXPECT_LE(told.texts, periods + 2) << "warming up, and the first block";
  EXPECT_GE(told.samples, 36'000u) << "all but those of the last tenth of a second, which come with the result";
  EXPECT_EQ(told.during_a_block, 0u);
}

TEST(Sampling, rows_in_turns_are_named_at_each_turn_and_told_of_ten_times_a_second) {
  FakeBackend backend;
  const Told told = tell_of(backend, Regime::sustained, 3, 50);
  const auto periods = static_cast<std::size_t>(told.span_ns / kTellPeriodNs);
  EXPECT_LE(told.batches, 3 * periods);
  EXPECT_LE(told.texts, 3 + 150u);
  EXPECT_GE(told.texts, 150u) << "should a block hang, the row that was named last is the culprit";
  EXPECT_GT(told.samples, 3 * 47u);
  EXPECT_EQ(told.during_a_block, 0u);
}

}  // namespace
}  // namespace triscope
