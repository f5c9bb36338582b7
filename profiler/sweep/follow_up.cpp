#include "profiler/sweep/follow_up.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/base/error.hpp"
#include "profiler/plan/request.hpp"

namespace triscope {
namespace {

// A cross-check need not be precise: it only shows whether two clocks agree.
// Its few blocks are a part of a turn of a group.
constexpr StoppingRule kCrossCheckRule{.precision = 0.01, .budget_ns = 700'000'000, .min_blocks = 4, .max_blocks = 8};
// A GPU that was idle takes as long until its power controller has found the clock (docs/method.md).
constexpr std::int64_t kCrossCheckSettleNs = 400'000'000;

std::optional<double> finite(double value) { return std::isfinite(value) ? std::optional(value) : std::nullopt; }

}  // namespace

CrossCheck cross_check_of(const Measurement& measurement) {
  CrossCheck check;
  check.timing_source = measurement.key.timing_source;
  check.samples = measurement.summary.samples;
  if (measurement.status != Status::ok || measurement.summary.samples == 0) {
    check.reason = measurement.reason.empty() ? "it took no samples" : measurement.reason;
    return check;
  }
  check.median_ms = finite(measurement.summary.median_ms);
  check.ci_low_ms = finite(measurement.summary.ci_low_ms);
  check.ci_high_ms = finite(measurement.summary.ci_high_ms);
  return check;
}

FollowUp::FollowUp(WorkerOptions options, const SweepRequest& request, Store& store,
                   std::function<void(const std::string&)> tell)
    : options_(std::move(options)), request_(request), store_(store), tell_(std::move(tell)) {}

void FollowUp::cross_check(const std::vector<StoredMeasurement>& group, std::stop_token stop) {
  std::vector<StoredMeasurement> by_cupti;
  std::copy_if(group.begin(), group.end(), std::back_inserter(by_cupti),
               [](const StoredMeasurement& m) { return m.key.timing_source == TimingSource::cupti; });
  ask(events_, CounterSet::none, by_cupti, stop, [this](const StoredMeasurement& stored, const Measurement& measured) {
    store_.set_cross_check(stored.row, cross_check_of(measured));
  });
}

void FollowUp::read_counters(const std::vector<StoredMeasurement>& group, std::stop_token stop) {
  if (request_.counters == CounterSet::none) return;
  ask(counters_, request_.counters, group, stop, [this](const StoredMeasurement& stored, const Measurement& measured) {
    const bool there = measured.status == Status::ok && !measured.counters.empty();
    const std::string why = measured.reason.empty() ? "the worker reported none" : measured.reason;
    store_.set_counters(stored.row, there ? measured.counters : std::vector<Counter>{}, there ? "" : why);
  });
}

void FollowUp::ask(Helper& helper, CounterSet counters, const std::vector<StoredMeasurement>& group,
                   std::stop_token stop, const Measured& measured) {
  if (group.empty() || stop.stop_requested()) return;
  MeasureRequest request;
  request.seed = request_.seed;
  request.verify = false;
  if (!request_.tensors.empty()) request.tensors = std::filesystem::absolute(request_.tensors).string();
  request.stopping = kCrossCheckRule;
  request.first_settle_ns = kCrossCheckSettleNs;
  request.counters = counters;
  std::vector<bool> open(group.size(), true);
  for (const StoredMeasurement& stored : group) {
    MeasurementKey key = stored.key;
    key.timing_source = TimingSource::cuda_events;
    request.entries.push_back(key);
    request.source_hashes.push_back(stored.source_hash);
  }
  bool storing = false;
  const auto finish = [&](std::size_t entry, const Measurement& measurement) {
    open[entry] = false;
    storing = true;
    if (measurement.status != Status::cancelled) measured(group[entry], measurement);
    storing = false;
  };
  JobObserver observer;
  observer.progress = [&](const ProgressReport& report) { tell_(report.text + " (" + helper.mode + ")"); };
  observer.measured = [&](std::int64_t entry, const Measurement& measurement) {
    finish(static_cast<std::size_t>(entry), measurement);
  };
  if (helper.refusal.empty()) {
    try {
      if (!helper.supervisor) {
        WorkerOptions options = options_;
        options.mode = helper.mode;
        helper.supervisor.emplace(std::move(options));
      }
      helper.supervisor->measure(request, observer, stop);
      return;
    } catch (const Error& error) {
      if (storing) throw;  // the database's fault, not the worker's
      helper.refusal = error.what();
    }
  }
  for (std::size_t entry = 0; entry < group.size(); ++entry) {
    if (!open[entry]) continue;
    Measurement failed;
    failed.key = request.entries[entry];
    failed.status = Status::failed;
    failed.reason = helper.refusal;
    finish(entry, failed);
  }
}

}  // namespace triscope
