#include "profiler/sweep/stored_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kernels/base/error.hpp"
#include "profiler/plan/plan.hpp"
#include "profiler/plan/sweep_queue.hpp"
#include "profiler/record/unusable_sweep.hpp"
#include "profiler/statistics/statistics.hpp"
#include "profiler/statistics/verdicts.hpp"
#include "profiler/store/open/default_database.hpp"
#include "profiler/store/store.hpp"
#include "profiler/supervise/supervisor.hpp"
#include "profiler/verdict/reference.hpp"

namespace triscope {
namespace {

void refuse_other_device(const std::filesystem::path& database, std::int64_t sweep, const Environment& now) {
  const std::optional<SweepInfo> info = Snapshot(database).sweep(sweep);
  if (!info || info->environment.device_name == now.device_name) return;
  throw Error(fmt::format("sweep {} cannot be resumed", sweep),
              fmt::format("it was measured on {}, but this is {}", info->environment.device_name, now.device_name),
              "start a new sweep here, or resume it on the first device", ExitCode::usage);
}

/// Throws `Error` for a row of `sweep` that cannot be used: reading what is finished meets it.
void require_usable_rows(const Snapshot& snapshot, std::int64_t sweep) { (void)snapshot.finished_keys(sweep); }

}  // namespace

SweepRequest stored_request(const std::filesystem::path& database, std::int64_t sweep, const SweepRequest& given) {
  const Snapshot snapshot(database);
  const std::optional<SweepInfo> info = snapshot.sweep(sweep);
  if (!info) {
    throw Error(fmt::format("sweep {} cannot be resumed", sweep),
                fmt::format("{} has no such sweep", database.string()),
                with_database("run `triscope list` to see those there are", database), ExitCode::usage);
  }
  if (const std::string fault = why_unusable(*info); !fault.empty()) {
    throw Error(fmt::format("sweep {} cannot be resumed", sweep), fault, "start a new sweep instead",
                ExitCode::environment);
  }
  require_usable_rows(snapshot, sweep);  // before anything is changed or measured
  SweepRequest request = sweep_request_from_json(info->request_json);
  require_given_again(sweep, info->request_json, given);
  request.tensors = given.tensors;
  request.plugin = given.plugin;
  request.plugin_sha256 = given.plugin_sha256;
  request.worker_prefix = given.worker_prefix;
  request.time_limit = given.time_limit;
  return request;
}

Measurer start_accepted(const SweepRequest& request, const SweepObserver& observer,
                        const std::filesystem::path& database, std::optional<std::int64_t> resumed) {
  Measurer measurer = start_measurer(request, observer);
  if (resumed) refuse_other_device(database, *resumed, measurer.catalog.environment);
  return measurer;
}

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
    const auto longer = std::ranges::find(request.longer, done.key, &LongerRow::key);
    if (longer != request.longer.end() && done.restarts < request.restarts + longer->restarts) return true;
    const KernelInfo* kernel = find_kernel(catalog, done.key.kernel);
    return kernel != nullptr && kernel->source_hash.of(done.key.pass) != done.source_hash;
  });
}

bool can_reach_verdict(std::int64_t samples, std::int64_t restarts) {
  const std::int64_t done = std::max<std::int64_t>(1, restarts);
  return samples * (done + kMostLooks) >= kFewestBlocks * done;
}

std::set<std::int64_t> unclear_rows(const std::filesystem::path& database, std::int64_t sweep,
                                    const std::string& reference) {
  const Snapshot snapshot(database);
  std::set<std::int64_t> rows;
  const std::vector<ResultRow> results = snapshot.results(sweep);
  const Verdicts verdicts = ReferenceSide(snapshot, database, parse_reference(reference)).beside_or_usual(results);
  for (const ResultRow& row : results) {
    const auto found = verdicts.by_measurement.find(row.measurement);
    if (found == verdicts.by_measurement.end() || found->second.verdict != Verdict::unclear) continue;
    if (found->second.few_blocks && !can_reach_verdict(row.samples, row.restarts)) continue;
    rows.insert(row.measurement);
  }
  return rows;
}

}  // namespace triscope
