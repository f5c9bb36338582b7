#include "profiler/sweep/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/text/number_of.hpp"
#include "profiler/plan/plan.hpp"
#include "profiler/plan/request.hpp"
#include "profiler/plan/time_left.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/statistics/statistics.hpp"
#include "profiler/store/open/sweep_lock.hpp"
#include "profiler/supervise/supervisor.hpp"
#include "profiler/sweep/accepted_outputs.hpp"
#include "profiler/sweep/elsewhere.hpp"
#include "profiler/sweep/finished_rows.hpp"
#include "profiler/sweep/follow_up.hpp"
#include "profiler/sweep/measurer.hpp"
#include "profiler/sweep/restarts.hpp"
#include "profiler/sweep/row_keeper.hpp"
#include "profiler/sweep/run_queue.hpp"
#include "profiler/sweep/stored_sweep.hpp"
#include "profiler/sweep/sweep_control.hpp"

namespace triscope {
namespace {

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// A sweep that is being measured: plan, worker, database.
class Run {
 public:
  /// `wish`: it is resumed for more of its rows. What was measured by kernels that have changed since stays.
  Run(SweepRequest request, const std::filesystem::path& database, const SweepObserver& observer,
      std::optional<std::int64_t> resume, bool wish)
      : request_(std::move(request)),
        wish_(wish),
        database_(database),
        observer_(observer),
        control_(observer.control ? observer.control : std::make_shared<SweepControl>()),
        lock_(resume ? std::make_unique<SweepLock>(database, *resume) : nullptr),
        measurer_(start_accepted(request_, observer, database, resume)),
        plan_(make_plan(decided_request(request_, measurer_), measurer_.catalog,
                        [this](const auto& questions) { return ask_support(measurer_, questions); })),
        store_(database),
        follow_up_(measurer_.options, request_, store_, [this](const std::string& current) { tell(current); }) {
    const Environment& environment = measurer_.catalog.environment;
    store_.know_kernels(measurer_.catalog.kernels);
    if (resume) {
      sweep_ = *resume;
      keeper_.emplace(store_, keeping());  // before the sweep is one of this environment
      was_finished_ = !Snapshot(database).sweep(sweep_)->finished.empty();
      store_.resume_sweep(sweep_, environment);
      for (FinishedKey& done : Snapshot(database).finished_keys(sweep_)) finished_.add(std::move(done));
      finished_.set_elsewhere(elsewhere_.read(database, sweep_, environment), request_.restarts);
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
    turns_.fill(measurer_.device);
    store_skipped(stop);
    follow_up_missing(stop);
    work_off(stop);
    bool pooled = settle(stop);
    if (!stop.stop_requested()) pooled = measure_more(stop, pooled);
    if (follow_up_again_) follow_up_missing(stop);
    if (turns_.forget_left_out()) store_request();
    const bool stopped =
        left_out_ ||
        (stop.stop_requested() && (done_ < total_ || !without_cross_check().empty() || !without_counters().empty()));
    if (!stopped && !pooled && !pool()) throw not_pooled(database_, sweep_);
    if (!stopped) {
      store_.finish_sweep(sweep_);
      lock_.reset();
    }
    SweepOutcome outcome = outcome_of(database_, sweep_);
    outcome.stopped = stopped;
    outcome.measured_now = static_cast<std::int64_t>(measured_.size());
    std::erase_if(repeated_rows_, [this](std::int64_t row) { return measured_.contains(row); });
    outcome.repeated_now = static_cast<std::int64_t>(repeated_rows_.size());
    return outcome;
  }

 private:
  void work_off(std::stop_token stop) {
    take_longer();
    for (std::optional<std::size_t> next; !stop.stop_requested() && (next = control_->take_next()); take_longer()) {
      next_ = *next;
      const Turn turn = turns_.turn(next_);
      const PlanGroup group = finished_.missing(plan_.groups[turn.part], turn.restart);
      const bool skipped = is_skipped(turn) || group.entries.empty();
      // Rows that failed are less.
      left_.more((skipped ? 0 : turns_.estimated_seconds(group)) - turns_.seconds(next_));
      if (skipped) {
        if (turns_.is_extra(turn)) total_ -= turns_.rows_of(turn);
        continue;
      }
      // A restart is added to what is in the database, by a process of its own.
      if (turn.round != round_ && turn.restart > 0) {
        keeper_->finish(stop);
        measurer_.supervisor = Supervisor(measurer_.options);
      }
      round_ = turn.round;
      restart_ = turn.restart;
      repeated_ |= restart_ > 0;
      left_.begin(turns_.estimated_seconds(group), now_seconds());
      tell_stage(group);
      measure(group, control_->begin(next_, stop));
      is_skipped(turn);
      follow_up([&] {
        follow_up_.cross_check(stored_, stop);
        follow_up_.read_counters(stored_, stop);
      });
      stored_.clear();
      left_.end(now_seconds());
    }
  }

  /// A person skips the turn in work; what the request asked for is then missing, its later restarts included.
  bool is_skipped(const Turn& turn) {
    const bool left_out = control_->left_out(next_);
    if (turns_.is_extra(turn)) return left_out;  // what was added is taken back
    if (left_out) skipped_parts_.insert(turn.part);
    left_out_ |= left_out;
    return skipped_parts_.contains(turn.part);
  }

  void tell_stage(const PlanGroup& group) {
    SweepStage stage{next_, {}, {}, left_.correction(), restart_rule(request_).precision};
    for (const PlanEntry& entry : group.entries) {
      const FinishedKey* known = finished_.find(entry);
      stage.keys.push_back(entry.key);
      stage.rows.push_back(known == nullptr ? 0 : known->row);
    }
    observer_.began(stage);
  }

  /// Everything that was measured is in the database, with what its restarts say together.
  bool settle(std::stop_token stop) {
    keeper_->finish(stop);
    turn_samples_.finish();
    return pool();
  }

  /// What a person asked for beyond the plan. False: the database did not take what the restarts say together.
  bool measure_more(std::stop_token stop, bool pooled) {
    if (request_.restarts < 2 && control_->asks_for_more()) {
      observer_.log(
          "Nothing more is measured: the rows of this sweep have one restart each, to which none is added. "
          "Start a sweep with restarts.");
      return pooled;
    }
    while (control_->asks_for_more() && !stop.stop_requested()) {
      if (take_longer()) {
        work_off(stop);
        pooled = settle(stop);
      }
      if (const std::vector<std::int64_t> rows = control_->take_again(); !rows.empty())
        pooled = one_more({rows.begin(), rows.end()}, stop);
      const std::optional<std::string> reference = control_->take_unclear();
      for (int look = 0; reference && look < kMostLooks && !stop.stop_requested(); ++look) {
        std::set<std::int64_t> unclear;
        try {
          unclear = unclear_rows(database_, sweep_, *reference);
        } catch (const Error& error) {  // what rows stood beside is gone: the sweep is none the worse for it
          observer_.log(fmt::format("Unclear rows are not measured longer. {}", error.what()));
          break;
        }
        observer_.log(fmt::format("{} unclear before look {} of {}.",
                                  number_of(static_cast<std::int64_t>(unclear.size()), "row"), look + 1, kMostLooks));
        if (unclear.empty()) break;
        pooled = one_more(unclear, stop);
      }
    }
    return pooled;
  }

  /// What a person wants measured longer is in the queue, and in the stored request. False: there is none.
  bool take_longer() {
    if (request_.restarts < 2) return false;  // said once the rest is measured
    const LongerWish wish = control_->take_longer();
    if (wish.empty()) return false;
    const std::int64_t added = turns_.add_longer(wish);
    total_ += added;
    elsewhere_.tell_no_restart({wish.rows.begin(), wish.rows.end()});
    if (added > 0) store_request();
    return added > 0;
  }

  void store_request() {
    follow_up([this] {
      store_.set_request(sweep_, with_longer(Snapshot(database_).sweep(sweep_)->request_json, request_.longer));
    });
  }

  /// One more restart of these rows and of what takes turns with them.
  bool one_more(const std::set<std::int64_t>& rows, std::stop_token stop) {
    total_ += turns_.add_one_more(rows);
    elsewhere_.tell_no_restart(rows);
    work_off(stop);
    return settle(stop);
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

  std::vector<StoredMeasurement> without_cross_check() {
    return elsewhere_.to_follow_up(Snapshot(database_).without_cross_check(sweep_), measurer_.catalog, "cross-check");
  }
  std::vector<StoredMeasurement> without_counters() {
    if (request_.counters == CounterSet::none) return {};
    return elsewhere_.to_follow_up(Snapshot(database_).without_counters(sweep_), measurer_.catalog, "counter reading");
  }

  void drop_finished() {
    if (wish_) {
      const std::set<std::int64_t> changed = finished_.leave_changed(plan_);
      left_out_ = !changed.empty() && !was_finished_;
      elsewhere_.leave_changed(changed);
    }
    const Stock stock = finished_.take_stock(plan_, request_);
    total_ = stock.total;
    done_ = stock.done;  // what was in the spool file has been counted
    if (const auto changed = static_cast<std::int64_t>(stock.changed.size()); changed > 0)
      observer_.log(fmt::format("{} repeated, because kernels have changed since", number_of(changed, "measurement")));
    elsewhere_.begin_anew(stock.begun_elsewhere);
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
    constexpr std::string_view kStopped = "stopped by the user";
    if (control_->left_out(next_) && measurement.reason.starts_with(kStopped))
      measurement.reason.replace(0, kStopped.size(), kSkippedByUser);
    if (measurement.status == Status::ok && request_.restarts > 1) summarize_first(measurement);
    keeper_->add(measurement);
    follow_up_again_ |= keeper_->waiting() > 0;
  }

  // What references sampled in turns with `groups`; at the first restart with the group of the worker's attempt.
  void keep_turns(const std::vector<Measurement>& references, std::set<std::int64_t> groups) {
    for (const Measurement& reference : references) {
      if (reference.status != Status::ok) continue;
      const FinishedKey& known = finished_.at(reference.key);
      std::vector<Sample> samples = reference.samples;
      for (Sample& sample : samples) sample.restart = restart_;
      if (restart_ == 0) groups = {reference.group};
      for (const std::int64_t group : groups) {
        if (group >= 0) turn_samples_.add(known.row, group, samples);
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
      const FinishedKey& known = finished_.at(again.key);
      std::optional<Measurement> stored = snapshot.measurement(known.row);
      if (!stored) {  // deleted meanwhile
        keeper_->require_sweep();
        continue;
      }
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
      if (merged[n].status == Status::ok)
        ++finished_.at(merged[n].key).restarts;
      else
        finished_.remove(merged[n].key);
      repeated_rows_.insert(updates[n].row);
      count(merged[n].status, restart_);
      tell_done(merged[n].key, merged[n].status);
      if (merged[n].status != Status::ok || restart_ + 1 >= request_.restarts) {
        observer_.measured(merged[n], updates[n].row);
      }
    }
    return groups;
  }

  // A row that failed has no further restarts.
  void count(Status status, std::int64_t restart) {
    if (status != Status::cancelled)
      done_ +=
          status == Status::ok ? 1 : std::max<std::int64_t>(1, turns_.restarts_of(turns_.turn(next_).part) - restart);
  }

  RowKeeper::Sweep keeping() {
    RowKeeper::Sweep sweep{sweep_, database_, [this] { reopen(); }, observer_.log, {}, {}, {}, observer_.unstored};
    sweep.environment = measurer_.catalog.environment;
    sweep.kept = [this](const Measurement& measurement, std::int64_t row) {
      const bool ok = measurement.status == Status::ok;
      if (ok) {
        finished_.add({measurement.key, measurement.source_hash, row, 1});
        elsewhere_.remove(row);
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
      keeper_->require_sweep();
      observer_.log(fmt::format(
          "a restart, a cross-check or counters could not be stored: {} They are made again later.", error.what()));
      observer_.unstored({error.what(), "A restart, a cross-check or counters are made again at the end."});
      follow_up_again_ = true;
    }
  }

  /// Cross-checks and counters that are missing because of a stop, the end of the process or of the disk.
  void follow_up_missing(std::stop_token stop) {
    for (const StoredMeasurement& left_out : without_cross_check()) follow_up_.cross_check({left_out}, stop);
    for (const StoredMeasurement& left_out : without_counters()) follow_up_.read_counters({left_out}, stop);
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
    const auto ask_for = [&](const PlanEntry& entry, bool wholly) {
      message.entries.push_back(entry.key);
      message.source_hashes.push_back(entry.source_hash);
      message.accepted.push_back(wholly ? 0 : accepted_.of(entry.key));
    };
    for (const PlanEntry& entry : group.entries) ask_for(entry, restart_ == 0);
    for (const PlanEntry& entry : group.references) {
      if (finished_.find(entry) != nullptr) ask_for(entry, false);  // else it failed, or has not come to it
    }
    message.restart = restart_;
    message.stopping = restart_rule(request_);
    message.keeps_stopped = request_.restarts > 1;  // as a restart of its own, shorter than the others
    message.seed = request_.seed;
    message.tensors = request_.tensors.string();
    JobObserver job;
    job.progress = [&](const ProgressReport& report) {
      take_longer();
      tell(report.text);
    };
    const auto own = static_cast<std::int64_t>(group.entries.size());
    job.sampled = [&](std::int64_t entry, const std::vector<Sample>& samples) {
      if (entry < own) observer_.sampled(group.entries[static_cast<std::size_t>(entry)].key, samples);
    };
    job.accepted = [&](std::int64_t entry, std::uint64_t fingerprint) {
      accepted_.add(message.entries[static_cast<std::size_t>(entry)], fingerprint);
    };
    std::vector<Measurement> again, references;
    job.measured = [&](std::int64_t entry, const Measurement& measurement) {
      if (entry >= own) return references.push_back(measurement);
      if (restart_ > 0) return again.push_back(measurement);
      keep(measurement);
    };
    measurer_.supervisor.measure(message, job, stop);
    follow_up([&] { keep_turns(references, keep_restart(again)); });
  }

  SweepRequest request_;
  bool wish_;
  std::filesystem::path database_;
  const SweepObserver& observer_;
  std::shared_ptr<SweepControl> control_;
  std::unique_ptr<SweepLock> lock_;  // until the sweep is finished in the database
  Measurer measurer_;
  Plan plan_;
  Store store_;
  std::optional<RowKeeper> keeper_;
  TurnKeeper turn_samples_{store_, observer_.log};
  bool was_finished_ = false;     ///< before this run resumed it
  bool repeated_ = false;         ///< this run measured a restart after a row's first
  bool follow_up_again_ = false;  ///< some were left out because the database could not be written to
  FollowUp follow_up_;
  TimeLeft left_{0};
  std::vector<StoredMeasurement> stored_;  ///< of the group in work, with samples
  std::int64_t sweep_ = 0;
  FinishedRows finished_;  // of earlier runs and of this one
  Elsewhere elsewhere_{observer_.log};
  std::set<std::int64_t> measured_, repeated_rows_;  // rows of which this run measured the first, another restart
  AcceptedOutputs accepted_;                         // by this run
  std::int64_t done_ = 0, total_ = 0, restart_ = 0;
  RunQueue turns_{plan_, request_, finished_, *control_, observer_, left_};
  std::size_t next_ = 0;  // of the queue: the group in work
  std::int64_t round_ = 0;
  bool left_out_ = false;                // by a person
  std::set<std::size_t> skipped_parts_;  // of the plan
  SweepSpread spread_;                   // pooled so far
};

}  // namespace

SweepOutcome run_sweep(const SweepRequest& request, const std::filesystem::path& database,
                       const SweepObserver& observer, std::stop_token stop, std::optional<std::int64_t> resume) {
  const SweepRequest given = with_absolute_files(request);
  const SweepRequest decided = resume ? stored_request(database, *resume, given) : given;
  const bool more = observer.control && observer.control->asks_for_more();
  if (resume && !more && nothing_is_left(database, *resume, decided, observer)) {
    remove_stale_lock(database, *resume);
    observer.started(*resume);
    return outcome_of(database, *resume);
  }
  return Run(decided, database, observer, resume, resume && more).run(stop);
}

}  // namespace triscope
