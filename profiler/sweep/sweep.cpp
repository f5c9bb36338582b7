#include "profiler/sweep/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/number_of.hpp"
#include "profiler/plan/plan.hpp"
#include "profiler/plan/request.hpp"
#include "profiler/plan/time_left.hpp"
#include "profiler/record/measurement_codec.hpp"
#include "profiler/statistics/statistics.hpp"
#include "profiler/store/sweep_lock.hpp"
#include "profiler/supervise/supervisor.hpp"
#include "profiler/sweep/follow_up.hpp"
#include "profiler/sweep/measurer.hpp"
#include "profiler/sweep/restarts.hpp"
#include "profiler/sweep/row_keeper.hpp"

namespace triscope {
namespace {

std::string key_text(const MeasurementKey& key) { return dump_line(nlohmann::json(key)); }

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The stored request of the sweep that is resumed.
SweepRequest stored_request(const std::filesystem::path& database, std::int64_t sweep, const SweepRequest& given) {
  const std::optional<SweepInfo> info = Snapshot(database).sweep(sweep);
  if (!info) {
    throw Error(fmt::format("sweep {} cannot be resumed", sweep),
                fmt::format("{} has no such sweep", database.string()), "run `triscope list` to see those there are",
                ExitCode::usage);
  }
  SweepRequest request = sweep_request_from_json(info->request_json);
  require_given_again(sweep, info->request_json, given);
  request.tensors = given.tensors;
  request.plugin = given.plugin;
  request.plugin_sha256 = given.plugin_sha256;
  request.worker_prefix = given.worker_prefix;
  request.time_limit = given.time_limit;
  return request;
}

void refuse_other_device(const std::filesystem::path& database, std::int64_t sweep, const Environment& now) {
  const std::optional<SweepInfo> info = Snapshot(database).sweep(sweep);
  if (!info || info->environment.device_name == now.device_name) return;
  throw Error(fmt::format("sweep {} cannot be resumed", sweep),
              fmt::format("it was measured on {}, but this is {}", info->environment.device_name, now.device_name),
              "start a new sweep here, or resume it on the first device", ExitCode::usage);
}

/// What the database holds of `sweep`.
SweepOutcome outcome_of(const std::filesystem::path& database, std::int64_t sweep) {
  SweepOutcome outcome;
  outcome.sweep = sweep;
  if (const std::optional<SweepInfo> info = Snapshot(database).sweep(sweep)) {
    outcome.ok = info->ok;
    outcome.failed = info->failed;
    outcome.skipped = info->skipped;
    outcome.cancelled = info->cancelled;
  }
  return outcome;
}

/// A sweep that is being measured: plan, worker, database.
class Run {
 public:
  Run(SweepRequest request, const std::filesystem::path& database, const SweepObserver& observer,
      std::optional<std::int64_t> resume)
      : request_(std::move(request)),
        database_(database),
        observer_(observer),
        lock_(resume ? std::make_unique<SweepLock>(database, *resume) : nullptr),
        measurer_(start_measurer(request_, observer)),
        plan_(make_plan(decided_request(request_, measurer_), measurer_.catalog,
                        [this](const auto& questions) { return measurer_.supervisor.support(questions); })),
        store_(database),
        follow_up_(measurer_.options, request_, store_, [this](const std::string& current) { tell(current); }) {
    const Environment& environment = measurer_.catalog.environment;
    store_.know_kernels(measurer_.catalog.kernels);
    if (resume) {
      refuse_other_device(database, *resume, environment);
      sweep_ = *resume;
      keeper_.emplace(store_, keeping());  // before the sweep is one of this environment
      was_finished_ = !Snapshot(database).sweep(sweep_)->finished.empty();
      store_.resume_sweep(sweep_, environment);
      for (FinishedKey& done : Snapshot(database).finished_keys(sweep_))
        finished_[key_text(done.key)] = std::move(done);
      spread_ = Snapshot(database).sweep(sweep_)->spread;
    } else {
      SweepRequest full = with_defaults(request_, measurer_.device);
      full.device = measurer_.device.id;
      sweep_ = store_.begin_sweep(to_command_line(request_), to_json(full), environment, plan_.total());
      lock_ = std::make_unique<SweepLock>(database, sweep_);
      keeper_.emplace(store_, keeping());
    }
    observer_.started(sweep_);
  }

  SweepOutcome run(std::stop_token stop) {
    drop_finished();
    left_ = TimeLeft(planned_seconds());
    store_skipped(stop);
    follow_up_missing(stop);
    for (restart_ = 0; restart_ < request_.restarts && !stop.stop_requested(); ++restart_) run_restart(stop);
    keeper_->finish(stop);
    turns_.finish();
    const bool pooled = pool();
    if (follow_up_again_) follow_up_missing(stop);
    const bool stopped =
        stop.stop_requested() && (done_ < total_ || !without_cross_check().empty() || !without_counters().empty());
    if (!stopped && !pooled && !pool()) throw not_pooled(sweep_);
    if (!stopped) {
      store_.finish_sweep(sweep_);
      lock_.reset();
    }
    SweepOutcome outcome = outcome_of(database_, sweep_);
    outcome.stopped = stopped;
    outcome.measured_now = static_cast<std::int64_t>(measured_.size());
    return outcome;
  }

 private:
  /// Each group once: the first time, or those that have had `restart_` restarts. Of each but the first by a new
  /// process.
  void run_restart(std::stop_token stop) {
    if (restart_ > 0) keeper_->finish(stop);  // a restart is added to what is in the database
    const std::vector<PlanGroup> groups = missing_in(restart_);
    if (groups.empty()) return;
    if (restart_ > 0) measurer_.supervisor = Supervisor(measurer_.options);
    repeated_ |= restart_ > 0;
    for (const PlanGroup& group : groups) {
      if (stop.stop_requested()) break;
      left_.begin(estimated_seconds(group), now_seconds());
      measure(group, stop);
      follow_up([&] {
        follow_up_.cross_check(stored_, stop);
        follow_up_.read_counters(stored_, stop);
      });
      stored_.clear();
      left_.end(now_seconds());
    }
  }

  /// Once, after the last restart that is measured: it reads every sample. A run that was killed before that leaves the
  /// sweep unfinished, and this to the one that resumes. False: the database did not take it.
  bool pool() {
    if (request_.restarts < 2 || (was_finished_ && !repeated_ && spread_.times.degrees > 0)) return true;
    bool pooled = false;
    follow_up([&] {
      spread_ = pool_restarts(store_, database_, sweep_, request_);
      pooled = true;
    });
    return pooled;
  }

  /// A kernel that has changed since is measured again, and followed up then.
  std::vector<StoredMeasurement> of_this_build(std::vector<StoredMeasurement> stored) const {
    std::erase_if(stored, [this](const StoredMeasurement& one) {
      const KernelInfo* kernel = find_kernel(measurer_.catalog, one.key.kernel);
      return kernel == nullptr || kernel->source_hash.of(one.key.pass) != one.source_hash;
    });
    return stored;
  }

  std::vector<StoredMeasurement> without_cross_check() const {
    return of_this_build(Snapshot(database_).without_cross_check(sweep_));
  }
  std::vector<StoredMeasurement> without_counters() const {
    if (request_.counters == CounterSet::none) return {};
    return of_this_build(Snapshot(database_).without_counters(sweep_));
  }

  /// What is known of `entry` by this build's kernel; null: nothing that counts.
  const FinishedKey* finished(const PlanEntry& entry) const {
    const auto done = finished_.find(key_text(entry.key));
    return done == finished_.end() || done->second.source_hash != entry.source_hash ? nullptr : &done->second;
  }

  std::vector<PlanGroup> missing_in(std::int64_t restart) const {
    std::vector<PlanGroup> groups = plan_.groups;
    for (PlanGroup& group : groups) {
      std::erase_if(group.entries, [&](const PlanEntry& entry) {
        const FinishedKey* known = finished(entry);
        return restart == 0 ? known != nullptr : known == nullptr || known->restarts != restart;
      });
    }
    std::erase_if(groups, [](const PlanGroup& group) { return group.entries.empty(); });
    return groups;
  }

  // Progress counts each restart of a measurement.
  void drop_finished() {
    total_ = static_cast<std::int64_t>(plan_.skipped.size());
    done_ = 0;  // what was in the spool file has been counted
    std::int64_t changed = 0;
    for (const PlanGroup& group : plan_.groups) {
      for (const PlanEntry& entry : group.entries) {
        total_ += request_.restarts;
        const FinishedKey* known = finished(entry);
        if (known != nullptr) done_ += std::min(known->restarts, request_.restarts);
        changed += known == nullptr && finished_.contains(key_text(entry.key));
      }
    }
    done_ += static_cast<std::int64_t>(
        std::erase_if(plan_.skipped, [&](const SkippedEntry& skipped) { return finished(skipped.entry) != nullptr; }));
    if (changed > 0) {
      observer_.log(fmt::format("{} repeated, because kernels have changed since", number_of(changed, "measurement")));
    }
  }

  double planned_seconds() const {
    double seconds = 0;
    for (const PlanGroup& group : plan_.groups) {
      for (std::int64_t restart = 0; restart < request_.restarts; ++restart) {
        PlanGroup missing = group;
        std::erase_if(missing.entries, [&](const PlanEntry& entry) {
          const FinishedKey* known = finished(entry);
          return known != nullptr && known->restarts > restart;
        });
        if (!missing.entries.empty()) seconds += estimated_seconds(missing);
      }
    }
    return seconds;
  }

  double estimated_seconds(const PlanGroup& group) const {
    SweepRequest one = request_;
    one.stopping = restart_rule(request_);
    return estimate(group, one, assumed_flops_per_second(measurer_.device, Pass::forward),
                    assumed_flops_per_second(measurer_.device, Pass::backward))
        .seconds;
  }

  // The first of several restarts says that the others are missing; of one restart the supervisor made the summary.
  void summarize_first(Measurement& measurement) const {
    if (request_.restarts > 1) {
      summarize_restarts(measurement, request_, {});
    } else {
      measurement.summary = summarize(measurement.samples, request_.stopping);
    }
  }

  void keep(Measurement measurement) {
    if (measurement.status == Status::ok && request_.restarts > 1) summarize_first(measurement);
    keeper_->add(measurement);
    follow_up_again_ |= keeper_->waiting() > 0;
  }

  // What references sampled in turns with `groups`; at the first restart with the group of the worker's attempt.
  void keep_turns(const std::vector<Measurement>& references, std::set<std::int64_t> groups) {
    for (const Measurement& reference : references) {
      if (reference.status != Status::ok) continue;
      const FinishedKey& known = finished_.at(key_text(reference.key));
      std::vector<Sample> samples = reference.samples;
      for (Sample& sample : samples) sample.restart = restart_;
      if (restart_ == 0) groups = {reference.group};
      for (const std::int64_t group : groups) {
        if (group >= 0) turns_.add(known.row, group, samples);
      }
    }
  }

  // All of a group in one transaction: what takes turns has the same restarts. Returns the groups of its rows.
  std::set<std::int64_t> keep_restart(const std::vector<Measurement>& group) {
    std::vector<MeasurementUpdate> updates;
    std::vector<Measurement> merged;
    std::set<std::int64_t> groups;
    if (group.empty()) return groups;
    const Snapshot snapshot(database_);
    for (const Measurement& again : group) {
      if (again.status == Status::cancelled) continue;
      const FinishedKey& known = finished_.at(key_text(again.key));
      std::optional<Measurement> stored = snapshot.measurement(known.row);
      if (!stored) continue;  // deleted meanwhile
      const std::size_t before = stored->samples.size();
      groups.insert(stored->group);
      Measurement& now = merged.emplace_back(with_restart(std::move(*stored), again, request_, spread_.times));
      updates.push_back({known.row,
                         {now.samples.begin() + static_cast<std::ptrdiff_t>(before), now.samples.end()},
                         now.summary,
                         now.status,
                         now.reason});
    }
    store_.update(sweep_, updates, spread_);
    for (std::size_t n = 0; n < merged.size(); ++n) {
      const auto known = finished_.find(key_text(merged[n].key));
      if (merged[n].status == Status::ok)
        ++known->second.restarts;
      else
        finished_.erase(known);
      measured_.insert(updates[n].row);
      count(merged[n].status, restart_);
      tell_done(merged[n].key, merged[n].status);
      if (merged[n].status != Status::ok || restart_ + 1 == request_.restarts) {
        observer_.measured(merged[n], updates[n].row);
      }
    }
    return groups;
  }

  // A row that failed has no further restarts.
  void count(Status status, std::int64_t restart) {
    if (status != Status::cancelled) done_ += status == Status::ok ? 1 : request_.restarts - restart;
  }

  RowKeeper::Sweep keeping() {
    RowKeeper::Sweep sweep{sweep_, database_, [this] { reopen(); }, observer_.log, {}, {}};
    sweep.kept = [this](const Measurement& measurement, std::int64_t row) {
      const bool ok = measurement.status == Status::ok;
      if (ok) {
        finished_[key_text(measurement.key)] = {measurement.key, measurement.source_hash, row, 1};
        stored_.push_back({row, measurement.key, measurement.source_hash});
        measured_.insert(row);
      }
      count(measurement.status, 0);
      tell_done(measurement.key, measurement.status);
      if (!ok || request_.restarts == 1) observer_.measured(measurement, row);
    };
    sweep.summarize = [this](Measurement& measurement) { summarize_first(measurement); };
    return sweep;
  }

  void reopen() {
    Store fresh(database_);
    fresh.know_kernels(measurer_.catalog.kernels);
    fresh.resume_sweep(sweep_, measurer_.catalog.environment);
    store_ = std::move(fresh);
  }

  /// What a database that cannot be written to leaves out is done again at the end, or by resuming.
  void follow_up(const std::function<void()>& work) {
    try {
      work();
    } catch (const Error& error) {
      observer_.log(fmt::format(
          "a restart, a cross-check or counters could not be stored: {} They are made again later.", error.what()));
      follow_up_again_ = true;
    }
  }

  /// Cross-checks and counters that are missing because of a stop, the end of the process or of the disk.
  void follow_up_missing(std::stop_token stop) {
    for (const StoredMeasurement& left_out : without_cross_check()) follow_up_.cross_check({left_out}, stop);
    for (const StoredMeasurement& left_out : without_counters()) follow_up_.read_counters({left_out}, stop);
  }

  static Measurement unmeasured(const PlanEntry& entry, Status status, const std::string& reason) {
    Measurement measurement;
    measurement.key = entry.key;
    measurement.source_hash = entry.source_hash;
    measurement.status = status;
    measurement.reason = reason;
    return measurement;
  }

  // There may be thousands: many in one transaction, and a stop between two of those.
  void store_skipped(std::stop_token stop) {
    constexpr std::size_t kAtOnce = 256;
    for (std::size_t first = 0; first < plan_.skipped.size() && !stop.stop_requested(); first += kAtOnce) {
      std::vector<Measurement> rows;
      for (std::size_t n = first; n < std::min(first + kAtOnce, plan_.skipped.size()); ++n) {
        rows.push_back(unmeasured(plan_.skipped[n].entry, Status::skipped, plan_.skipped[n].reason));
      }
      const std::vector<std::int64_t> ids = store_.add(sweep_, rows);
      for (std::size_t n = 0; n < rows.size(); ++n) {
        ++done_;
        tell("what cannot be measured here");
        observer_.measured(rows[n], ids[n]);
      }
    }
  }

  void tell(const std::string& current) { observer_.progress({done_, total_, left_.at(now_seconds()), current}); }

  void tell_done(const MeasurementKey& key, Status status) {
    tell(fmt::format("{} {} {} {}", key.kernel, key.instance, to_string(key.pass), to_string(status)));
  }

  void measure(const PlanGroup& group, std::stop_token stop) {
    if (!measurer_.refusal.empty()) {
      for (const PlanEntry& entry : group.entries) keep(unmeasured(entry, Status::failed, measurer_.refusal));
      return;
    }
    MeasureRequest message;
    for (const PlanEntry& entry : group.entries) {
      message.entries.push_back(entry.key);
      message.source_hashes.push_back(entry.source_hash);
    }
    for (const PlanEntry& entry : group.references) {
      if (finished(entry) == nullptr) continue;  // it failed in its own group, or has not come to it
      message.entries.push_back(entry.key);
      message.source_hashes.push_back(entry.source_hash);
    }
    message.stopping = restart_rule(request_);
    message.seed = request_.seed;
    message.tensors = request_.tensors.string();
    JobObserver job;
    job.progress = [&](const ProgressReport& report) { tell(report.text); };
    const auto own = static_cast<std::int64_t>(group.entries.size());
    job.sampled = [&](std::int64_t entry, const std::vector<Sample>& samples) {
      if (entry < own) observer_.sampled(group.entries[static_cast<std::size_t>(entry)].key, samples);
    };
    std::vector<Measurement> again, references;
    job.measured = [&](std::int64_t entry, const Measurement& measurement) {
      if (entry >= own) {
        references.push_back(measurement);
        return;
      }
      if (restart_ == 0)
        keep(measurement);
      else
        again.push_back(measurement);
    };
    measurer_.supervisor.measure(message, job, stop);
    follow_up([&] { keep_turns(references, keep_restart(again)); });
  }

  SweepRequest request_;
  std::filesystem::path database_;
  const SweepObserver& observer_;
  std::unique_ptr<SweepLock> lock_;  // until the sweep is finished in the database
  Measurer measurer_;
  Plan plan_;
  Store store_;
  std::optional<RowKeeper> keeper_;
  TurnKeeper turns_{store_, observer_.log};
  bool was_finished_ = false;     ///< before this run resumed it
  bool repeated_ = false;         ///< this run measured a restart after a row's first
  bool follow_up_again_ = false;  ///< some were left out because the database could not be written to
  FollowUp follow_up_;
  TimeLeft left_{0};
  std::vector<StoredMeasurement> stored_;  ///< of the group in work, with samples
  std::int64_t sweep_ = 0;
  std::map<std::string, FinishedKey> finished_;  // by key as text: of earlier runs and of this one
  std::set<std::int64_t> measured_;              // rows, by this run
  std::int64_t done_ = 0, total_ = 0, restart_ = 0;
  SweepSpread spread_;  // pooled so far
};

/// True when nothing of `sweep` is left to measure or to add, and no kernel of this build has changed since. Needs no
/// device: a worker is asked for the catalog alone.
bool nothing_is_left(const std::filesystem::path& database, std::int64_t sweep, const SweepRequest& request,
                     const SweepObserver& observer) {
  const Snapshot snapshot(database);
  const std::optional<SweepInfo> info = snapshot.sweep(sweep);
  if (!info || info->finished.empty() || info->ok + info->skipped < info->planned || info->failed + info->cancelled > 0)
    return false;
  if (!snapshot.without_cross_check(sweep).empty()) return false;
  if (request.counters != CounterSet::none && !snapshot.without_counters(sweep).empty()) return false;
  const Catalog catalog = Supervisor(worker_options(request, observer)).catalog();
  const std::vector<FinishedKey> finished = snapshot.finished_keys(sweep);
  return std::none_of(finished.begin(), finished.end(), [&](const FinishedKey& done) {
    if (done.restarts > 0 && done.restarts < request.restarts) return true;
    const KernelInfo* kernel = find_kernel(catalog, done.key.kernel);
    return kernel != nullptr && kernel->source_hash.of(done.key.pass) != done.source_hash;
  });
}

}  // namespace

SweepForecast forecast_sweep(const SweepRequest& given, const SweepObserver& observer) {
  SweepRequest request = with_absolute_files(given);
  Measurer measurer = start_measurer(request, observer);
  request = decided_request(request, measurer);
  SweepForecast forecast;
  forecast.plan = make_plan(request, measurer.catalog,
                            [&](const auto& questions) { return measurer.supervisor.support(questions); });
  for (const PlanGroup& group : forecast.plan.groups) {
    forecast.groups.push_back(estimate(group, request, assumed_flops_per_second(measurer.device, Pass::forward),
                                       assumed_flops_per_second(measurer.device, Pass::backward)));
  }
  forecast.total = estimate(forecast.plan, request, measurer.device);
  forecast.device = measurer.device;
  forecast.refusal = measurer.refusal;
  return forecast;
}

SweepOutcome run_sweep(const SweepRequest& request, const std::filesystem::path& database,
                       const SweepObserver& observer, std::stop_token stop, std::optional<std::int64_t> resume) {
  const SweepRequest given = with_absolute_files(request);
  const SweepRequest decided = resume ? stored_request(database, *resume, given) : given;
  if (resume && nothing_is_left(database, *resume, decided, observer)) {
    remove_stale_lock(database, *resume);
    observer.started(*resume);
    return outcome_of(database, *resume);
  }
  return Run(decided, database, observer, resume).run(stop);
}

}  // namespace triscope
