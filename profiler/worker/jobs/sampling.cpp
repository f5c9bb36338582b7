#include "profiler/worker/jobs/sampling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace triscope {
namespace {

constexpr std::int64_t kWarmUpNs = 200'000'000;
constexpr std::int64_t kBlockNs = 40'000'000;
constexpr std::int64_t kMaxLaunchesPerBlock = 100'000;
// Where changing the load costs settling time, a turn is timed for as long as a power controller takes for one swing,
// and settles for no longer than it is timed, but for what the clock takes at once (docs/method.md).
constexpr std::int64_t kTurnNs = 1'000'000'000;
constexpr std::int64_t kLeastSettleNs = 160'000'000;

std::int64_t launches_for(std::int64_t span_ns, std::int64_t launch_ns) {
  const std::int64_t one = std::max<std::int64_t>(launch_ns, 1);
  return std::clamp<std::int64_t>((span_ns + one - 1) / one, 1, kMaxLaunchesPerBlock);
}

// Runs for the warm-up's time and learns how many launches a block needs.
void warm_up(Backend& backend, Regime regime, SamplingEntry& entry) {
  std::int64_t spent_ns = 0, launches = 1;
  do {
    const Sample sample = backend.time_block(entry.launch, launches);
    spent_ns += sample.duration_ns * launches;
    entry.launches_per_block = launches_for(kBlockNs, sample.duration_ns);
    entry.launch_ns = sample.duration_ns;
    launches = entry.launches_per_block;
  } while (regime == Regime::sustained && spent_ns < kWarmUpNs);
  if (regime == Regime::burst) entry.launches_per_block = 1;
}

void take_block(Backend& backend, Regime regime, std::int64_t block, SamplingEntry& entry) {
  const std::int64_t start = monotonic_raw_ns();
  if (regime == Regime::burst) backend.make_cold();
  Sample sample = backend.time_block(entry.launch, entry.launches_per_block);
  // A warm-up that was preempted learns too few launches. Such a block is warm-up too; half, so that jitter selects
  // none.
  while (regime == Regime::sustained && sample.duration_ns * sample.launches < kBlockNs / 2 &&
         entry.launches_per_block < kMaxLaunchesPerBlock) {
    entry.launches_per_block = std::max(entry.launches_per_block + 1, launches_for(kBlockNs, sample.duration_ns));
    sample = backend.time_block(entry.launch, entry.launches_per_block);
  }
  entry.elapsed_ns += monotonic_raw_ns() - start;
  if (entry.samples.empty()) entry.first_ns = sample.started_ns;
  sample.started_ns -= entry.first_ns;
  sample.block = block;
  entry.block_values.push_back(static_cast<double>(sample.duration_ns));
  entry.samples.push_back(std::move(sample));
}

// Repeats the launch for `span_ns`, until clock and power are its own.
void settle(Backend& backend, SamplingEntry& entry, std::int64_t span_ns) {
  for (std::int64_t spent_ns = 0; spent_ns < span_ns;) {
    const Sample untimed = backend.time_block(entry.launch, entry.launches_per_block);
    spent_ns += std::max<std::int64_t>(1, untimed.duration_ns * untimed.launches);
  }
}

// The same for a turn after another entry's, which is part of what the entry costs.
void settle_turn(Backend& backend, SamplingEntry& entry, std::int64_t span_ns) {
  const std::int64_t start = monotonic_raw_ns();
  settle(backend, entry, span_ns);
  entry.elapsed_ns += monotonic_raw_ns() - start;
}

// A turn where changing the load costs settling time: what of it is untimed, and the blocks that follow.
struct Turn {
  std::int64_t settle_ns = 0, blocks = 1;
};

// The budget holds one turn at least. All entries have as many blocks in it, and each has them for the whole turn: so
// all blocks last about as long as the longest launch, and few are left where that is long. More but shorter ones of a
// fast kernel would have no partners, and those that have would be a part of its swing.
Turn turn_of(const Backend& backend, const StoppingRule& rule, std::vector<SamplingEntry>& entries) {
  std::int64_t longest_ns = kBlockNs;
  for (const SamplingEntry& entry : entries) {
    if (entry.failure.empty()) longest_ns = std::max(longest_ns, entry.launch_ns);
  }
  std::int64_t block_ns = 1;
  for (SamplingEntry& entry : entries) {
    if (!entry.failure.empty()) continue;
    entry.launches_per_block = std::max(entry.launches_per_block, launches_for(longest_ns, entry.launch_ns));
    block_ns = std::max(block_ns, entry.launch_ns * entry.launches_per_block);
  }
  Turn turn;
  turn.settle_ns = std::min(backend.settle_ns(), std::max(rule.budget_ns / 2, kLeastSettleNs));
  const std::int64_t timed_ns = std::min(rule.budget_ns - turn.settle_ns, kTurnNs);
  turn.blocks = std::max<std::int64_t>(1, (timed_ns + block_ns / 2) / block_ns);
  return turn;
}

// Whether half of another turn no longer fits into the entry's budget.
bool has_no_turn_left(const StoppingRule& rule, const Turn& turn, const SamplingEntry& entry) {
  const std::int64_t timed_ns = turn.blocks * entry.launch_ns * entry.launches_per_block;
  return entry.elapsed_ns > 0 && entry.elapsed_ns + turn.settle_ns + timed_ns / 2 > rule.budget_ns;
}

// ", +-0.7 %", or nothing where it is not known.
std::string spread_words(const SamplingEntry& entry) {
  if (entry.block_values.size() < 2) return {};
  const Interval interval = t_interval(entry.block_values);
  const std::optional<double> percent = spread_percent(median(entry.block_values), interval.low, interval.high);
  return percent ? fmt::format(", +-{:.1f} %", *percent) : std::string();
}

// Tells the caller how far the entries are, between blocks.
class Teller {
 public:
  Teller(const SamplingHooks& hooks, const std::vector<SamplingEntry>& entries)
      : hooks_(hooks), entries_(entries), told_(entries.size()), spreads_(entries.size()), last_ns_(hooks.now_ns()) {}

  // Should the block hang, the last entry that was named is the culprit.
  void before_block(const SamplingEntry& entry) {
    const bool due = hooks_.now_ns() - last_ns_ >= kTellPeriodNs;
    std::string& spread = spreads_[static_cast<std::size_t>(&entry - entries_.data())];
    if (due) {
      tell_samples();
      spread = spread_words(entry);
    }
    if (due || named_ != &entry) {
      hooks_.progress(entry, "block",
                      fmt::format("{}, block {}{}", entry.label, entry.block_values.size() + 1, spread));
    }
    if (due) last_ns_ = hooks_.now_ns();
    named_ = &entry;
  }

 private:
  void tell_samples() {
    for (std::size_t n = 0; n < entries_.size(); ++n) {
      const std::vector<Sample>& samples = entries_[n].samples;
      if (samples.size() > told_[n]) hooks_.sampled(entries_[n], std::span(samples).subspan(told_[n]));
      told_[n] = samples.size();
    }
  }

  const SamplingHooks& hooks_;
  const std::vector<SamplingEntry>& entries_;
  std::vector<std::size_t> told_;     // samples, by entry
  std::vector<std::string> spreads_;  // as they were told last, by entry
  std::int64_t last_ns_;
  const SamplingEntry* named_ = nullptr;
};

// Runs `step`; a failing launch takes its entry out instead of ending the group.
template <typename Step>
void guarded(Backend& backend, SamplingEntry& entry, Step step) {
  try {
    step();
  } catch (const std::exception& e) {
    end_if_lost(backend, e.what());
    entry.failure = e.what();
  }
}

}  // namespace

bool take_samples(Backend& backend, Regime regime, const StoppingRule& rule, std::vector<SamplingEntry>& entries,
                  const SamplingHooks& hooks, std::int64_t first_settle_ns) {
  for (SamplingEntry& entry : entries) {
    if (hooks.cancelled()) return false;
    hooks.progress(entry, "warm-up", entry.label + ", warming up");
    guarded(backend, entry, [&] { warm_up(backend, regime, entry); });
  }
  const auto in_work = [](const SamplingEntry& entry) { return entry.failure.empty(); };
  // Its own budget ends an entry, however much the others still want: pairs are the blocks that both have.
  const auto spent = [&](const SamplingEntry& entry) {
    return entry.elapsed_ns >= rule.budget_ns ||
           static_cast<std::int64_t>(entry.block_values.size()) >= rule.max_blocks;
  };
  const auto wanted = [&] {
    return std::any_of(entries.begin(), entries.end(),
                       [&](const SamplingEntry& entry) { return in_work(entry) && entry.stop == StopReason::go_on; });
  };
  const bool settles = regime == Regime::sustained && backend.settle_ns() > 0;
  const bool in_turns = settles && entries.size() > 1;
  Turn turn;
  if (in_turns) turn = turn_of(backend, rule, entries);
  const SamplingEntry* last = entries.empty() ? nullptr : &entries.back();  // the one that was warmed up last
  Teller teller(hooks, entries);
  for (std::int64_t first = 0; wanted(); first += turn.blocks) {
    for (SamplingEntry& entry : entries) {
      if (in_turns && entry.stop == StopReason::go_on && has_no_turn_left(rule, turn, entry))
        entry.stop = StopReason::budget_spent;
    }
    if (!wanted()) break;
    for (SamplingEntry& entry : entries) {
      if (in_turns && (!in_work(entry) || has_no_turn_left(rule, turn, entry))) continue;
      // A turn is not cut short but by the most blocks that were asked for: a part of a swing is not the whole.
      for (std::int64_t block = first; block < first + turn.blocks && (in_turns || wanted()); ++block) {
        if (!in_work(entry)) break;
        if (in_turns ? static_cast<std::int64_t>(entry.block_values.size()) >= rule.max_blocks : spent(entry)) break;
        if (hooks.cancelled()) return false;
        teller.before_block(entry);
        const bool changes = std::exchange(last, &entry) != &entry;
        const std::int64_t settle_ns = changes ? turn.settle_ns : 0;
        if (settles && block == 0 && first_settle_ns > settle_ns) {
          guarded(backend, entry, [&] { settle(backend, entry, first_settle_ns); });
        } else if (settles && changes) {
          guarded(backend, entry, [&] { settle_turn(backend, entry, settle_ns); });
        }
        if (in_work(entry)) guarded(backend, entry, [&] { take_block(backend, regime, block, entry); });
        if (!in_turns && in_work(entry)) entry.stop = should_stop(rule, entry.block_values, entry.elapsed_ns);
      }
      entry.whole_blocks = std::ssize(entry.block_values);
      if (in_turns && in_work(entry)) entry.stop = should_stop_after_turn(rule, entry.block_values, entry.elapsed_ns);
    }
  }
  return true;
}

}  // namespace triscope
