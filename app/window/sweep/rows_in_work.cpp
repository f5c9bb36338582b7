#include "app/window/sweep/rows_in_work.hpp"

#include <algorithm>
#include <utility>

#include "kernels/attention/flops.hpp"
#include "profiler/plan/request.hpp"
#include "profiler/statistics/statistics.hpp"

namespace triscope {
namespace {

constexpr const char* kMeasuredNow = "measured right now";

ResultRow row_of(const MeasurementKey& key, const Catalog* catalog) {
  ResultRow row;
  row.kernel = key.kernel;
  row.card = KernelCard{key.kernel, key.kernel};
  if (const KernelInfo* kernel = catalog == nullptr ? nullptr : find_kernel(*catalog, key.kernel))
    row.card = kernel->card;
  row.instance = key.instance;
  row.pass = key.pass;
  row.problem = key.problem;
  row.timing_source = key.timing_source;
  row.regime = key.regime;
  return row;
}

void summarize_row(LiveRow& live) {
  const Summary& summary = live.summary = summarize(live.samples, StoppingRule{});
  ResultRow& row = live.row;
  row.samples = summary.samples;
  row.flagged = summary.flagged;
  row.median_ms = summary.median_ms;
  row.ci_low_ms = row.ci_high_ms = std::nullopt;
  if (interval_known(summary)) {
    row.ci_low_ms = summary.ci_low_ms;
    row.ci_high_ms = summary.ci_high_ms;
  }
  row.sm_clock_mhz = summary.sm_clock_mhz;
  row.power_w = summary.power_w;
  row.limiter = summary.limiter;
  if (summary.median_ms > 0) row.tflops = useful_flops(row.problem, row.pass) / (summary.median_ms * 1e9);
}

/// What `live` says of the restart in work stands in the place of what is stored.
void show_figures(ResultRow& row, const ResultRow& live) {
  row.status = Status::ok;
  row.reason = kMeasuredNow;
  row.samples = live.samples;
  row.flagged = live.flagged;
  row.median_ms = live.median_ms;
  row.ci_low_ms = live.ci_low_ms;
  row.ci_high_ms = live.ci_high_ms;
  row.sm_clock_mhz = live.sm_clock_mhz;
  row.power_w = live.power_w;
  row.limiter = live.limiter;
  row.tflops = live.tflops;
}

/// Samples of another restart behind those that are stored, a moment apart.
void append(std::vector<Sample>& all, const std::vector<Sample>& samples) {
  constexpr std::int64_t kGapNs = 200'000'000;
  const std::int64_t start =
      all.empty() ? 0 : all.back().started_ns + all.back().duration_ns * all.back().launches + kGapNs;
  const std::int64_t restart = all.empty() ? 0 : all.back().restart + 1;
  for (Sample sample : samples) {
    sample.started_ns += start;
    sample.restart = restart;
    all.push_back(std::move(sample));
  }
}

}  // namespace

std::vector<LiveRow> rows_of(const SweepStage& stage, const Catalog* catalog) {
  std::vector<LiveRow> rows;
  for (std::size_t n = 0; n < stage.keys.size(); ++n) {
    LiveRow& live = rows.emplace_back();
    live.row = row_of(stage.keys[n], catalog);
    live.row.measurement = n < stage.rows.size() ? stage.rows[n] : 0;
    constexpr std::int64_t kMostRows = 1000;  // of a group
    if (live.row.measurement == 0)
      live.row.measurement = -(static_cast<std::int64_t>(stage.group) * kMostRows + static_cast<std::int64_t>(n) + 1);
  }
  return rows;
}

void add_samples(LiveSweep& live, const MeasurementKey& key, const std::vector<Sample>& samples) {
  const ResultRow asked = row_of(key, nullptr);
  for (LiveRow& one : live.rows) {
    if (!is_same_row(one.row, asked)) continue;
    one.samples.insert(one.samples.end(), samples.begin(), samples.end());
    one.summarized = false;
  }
}

void summarize_new_samples(LiveSweep& live) {
  for (LiveRow& one : live.rows) {
    if (!std::exchange(one.summarized, true)) summarize_row(one);
  }
}

bool is_same_row(const ResultRow& row, const ResultRow& live) {
  return row.kernel == live.kernel && row.instance == live.instance && row.pass == live.pass &&
         row.regime == live.regime && row.problem == live.problem;
}

void take_stored_numbers(LiveSweep& live, const SweepResults& stored) {
  for (LiveRow& one : live.rows) {
    if (one.row.measurement > 0) continue;
    const auto found =
        std::ranges::find_if(stored.rows, [&](const ResultRow& row) { return is_same_row(row, one.row); });
    if (found != stored.rows.end() && found->status != Status::ok) one.row.measurement = found->measurement;
  }
}

std::shared_ptr<const SweepResults> with_rows_in_work(std::shared_ptr<const SweepResults> stored, const RunState& run) {
  if (!stored || !run.running) return stored;
  std::shared_ptr<SweepResults> all;
  for (const LiveRow& live : run.live.rows) {
    if (live.samples.empty()) continue;
    const auto same =
        std::ranges::find_if(stored->rows, [&](const ResultRow& row) { return is_same_row(row, live.row); });
    const bool known = same != stored->rows.end();
    if (known && live.row.measurement <= 0) continue;  // stored since
    if (!all) all = std::make_shared<SweepResults>(*stored);
    if (!known) {
      ResultRow& row = all->rows.emplace_back(live.row);
      row.sweep = stored->info.id;
      row.device = stored->info.environment.device_name;
    } else {
      const auto place = static_cast<std::size_t>(same - stored->rows.begin());
      show_figures(all->rows[place], live.row);
    }
    all->in_work.insert(live.row.measurement);
  }
  return all ? all : stored;
}

std::shared_ptr<const SelectedMeasurement> with_samples_in_work(std::shared_ptr<const SelectedMeasurement> stored,
                                                                std::int64_t pinned, const SweepResults& shown,
                                                                const RunState& run) {
  const bool begins_anew = run.running && stored && pinned > 0 && stored->row.status != Status::ok;
  if ((pinned > 0 && !begins_anew) || !run.running) {
    const LiveRow* live = stored && pinned > 0 ? find_live(run, pinned) : nullptr;
    if (live == nullptr || live->samples.empty()) return stored;
    auto now = std::make_shared<SelectedMeasurement>(*stored);
    append(now->measurement.samples, live->samples);
    return now;
  }
  const LiveRow* live = find_live(run, pinned);
  if (live == nullptr && !begins_anew) {
    // Ours before what it stands beside.
    for (const LiveRow& one : run.live.rows) {
      if (one.samples.empty()) continue;
      if (live == nullptr || (live->row.problem.form == Form::dot_product && one.row.problem.form != Form::dot_product))
        live = &one;
    }
  }
  if (live == nullptr || live->samples.empty()) return stored;
  auto now = std::make_shared<SelectedMeasurement>();
  now->row = live->row;
  now->row.reason = kMeasuredNow;
  now->environment = shown.info.environment;
  now->measurement.key = {live->row.problem,
                          live->row.pass,
                          live->row.kernel,
                          live->row.instance,
                          live->row.regime,
                          live->row.timing_source,
                          ""};
  now->measurement.samples = live->samples;
  now->measurement.summary = live->summary;
  now->measurement.summary.converged = true;  // nothing is said of that before it has ended
  return now;
}

}  // namespace triscope
