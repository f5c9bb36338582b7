#include "profiler/sweep/restarts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiler/record/columns.hpp"
#include "profiler/statistics/restarts.hpp"
#include "profiler/statistics/statistics.hpp"

namespace triscope {
namespace {

std::string remark(const Measurement& measurement, const SweepRequest& request) {
  const Summary& summary = measurement.summary;
  std::vector<std::string> remarks;
  if (summary.restarts < request.restarts) {
    remarks.push_back(fmt::format("{} of {} restarts", summary.restarts, request.restarts));
  } else if (!summary.converged) {
    remarks.push_back(fmt::format("not converged: {} over {} restarts, {} % was asked for", spread_text(summary),
                                  summary.restarts, significant_text(100 * request.stopping.precision, 2)));
  }
  if (const std::optional<Modes> modes = modes_of(measurement.samples)) remarks.push_back(modes_text(*modes));
  return fmt::format("{}", fmt::join(remarks, "; "));
}

bool has_no_time(const Measurement& measurement) {
  for (const Sample& sample : measurement.samples) {
    if (sample.duration_ns <= 0) return true;
  }
  return false;
}

}  // namespace

void summarize_restarts(Measurement& measurement, const SweepRequest& request, const Spread& pooled) {
  measurement.summary = summarize(measurement.samples, request.stopping, pooled);
  measurement.reason = remark(measurement, request);
}

Measurement with_restart(Measurement stored, const Measurement& restart, const SweepRequest& request,
                         const Spread& pooled) {
  const std::int64_t number = stored.summary.restarts;
  if (restart.status != Status::ok) {
    stored.status = restart.status;
    stored.reason = fmt::format("restart {} of {}: {}", number + 1, request.restarts, restart.reason);
    return stored;
  }
  for (Sample sample : restart.samples) {
    sample.restart = number;
    sample.started_ns += restart.started_unix_ns - stored.started_unix_ns;
    stored.samples.push_back(std::move(sample));
  }
  summarize_restarts(stored, request, pooled);
  return stored;
}

SweepSpread pool_restarts(Store& store, const std::filesystem::path& database, std::int64_t sweep,
                          const SweepRequest& request) {
  std::vector<std::pair<std::int64_t, Measurement>> measured;
  std::vector<RestartedRow> rows;
  const Snapshot snapshot(database);
  for (const ResultRow& row : snapshot.results(sweep)) {
    if (row.status != Status::ok || row.restarts < 2) continue;
    std::optional<Measurement> measurement = snapshot.measurement(row.measurement);
    if (!measurement || has_no_time(*measurement)) continue;
    rows.push_back({measurement->group, restart_centres(measurement->samples)});
    measured.emplace_back(row.measurement, std::move(*measurement));
  }
  const SweepSpread spread = spread_over(rows);
  std::vector<MeasurementUpdate> updates;
  for (auto& [row, measurement] : measured) {
    summarize_restarts(measurement, request, spread.times);
    updates.push_back({row, {}, measurement.summary, Status::ok, measurement.reason});
  }
  store.update(sweep, updates, spread);
  return spread;
}

}  // namespace triscope
