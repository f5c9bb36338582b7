#include "profiler/sweep/restarts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiler/record/words/kernel_remark.hpp"
#include "profiler/statistics/convergence.hpp"
#include "profiler/statistics/restarts.hpp"
#include "profiler/statistics/statistics.hpp"
#include "profiler/store/open/default_database.hpp"

namespace triscope {
namespace {

std::string remark(const Measurement& measurement, const SweepRequest& request) {
  const Summary& summary = measurement.summary;
  std::vector<std::string> remarks;
  if (std::string of_kernel = kernel_remark_in(measurement.reason); !of_kernel.empty())
    remarks.push_back(std::move(of_kernel));
  if (summary.restarts < request.restarts) {
    remarks.push_back(fmt::format("{} of {} restarts", summary.restarts, request.restarts));
  } else if (!summary.converged) {
    const auto blocks = static_cast<std::int64_t>(block_medians_ms(measurement.samples).size());
    remarks.push_back(
        not_converged_text(summary, blocks, request.stopping, fmt::format("over {} restarts", summary.restarts)));
  }
  if (const std::optional<Modes> modes = modes_of(measurement.samples)) remarks.push_back(modes_text(*modes));
  return fmt::format("{}", fmt::join(remarks, "; "));
}

bool has_no_time(const std::vector<Sample>& samples) {
  return std::any_of(samples.begin(), samples.end(), [](const Sample& sample) { return sample.duration_ns <= 0; });
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
    // A row that was measured again has more than the request asked for.
    stored.reason =
        fmt::format("restart {} of {}: {}", number + 1, std::max(number + 1, request.restarts), restart.reason);
    return stored;
  }
  if (restart.reason.find(kUncheckedAfter) != std::string::npos &&
      stored.reason.find(kUncheckedAfter) == std::string::npos) {
    stored.reason += (stored.reason.empty() ? "" : "; ") + std::string(kUncheckedAfter);
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
  std::unordered_map<std::int64_t, SampleSeries> series = snapshot.series_of_sweep(sweep);
  for (const ResultRow& row : snapshot.results(sweep)) {
    if (row.status != Status::ok || row.restarts < 2) continue;
    const auto found = series.find(row.measurement);
    if (found == series.end() || has_no_time(found->second.samples)) continue;
    rows.push_back(restarted_row(found->second.group, found->second.samples));
    for (const auto& [group, samples] : found->second.turns) {
      if (!has_no_time(samples)) rows.push_back(restarted_row(group, samples, true));
    }
    Measurement& known = measured.emplace_back(row.measurement, Measurement{}).second;
    known.samples = std::move(found->second.samples);
    known.reason = row.reason;
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

Error not_pooled(const std::filesystem::path& database, std::int64_t sweep) {
  return Error(
      fmt::format("sweep {} is not finished", sweep), "the database did not take what its restarts say together",
      fmt::format("run `triscope sweep --resume {}{}` when it can be written to", sweep, database_words(database)));
}

}  // namespace triscope
