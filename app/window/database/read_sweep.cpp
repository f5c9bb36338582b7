#include "app/window/database/read_sweep.hpp"

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>

#include "kernels/base/text/text_beginning.hpp"
#include "views/data/long_note.hpp"
#include "views/model/tables/latency_model.hpp"

namespace triscope {
namespace {

// What is drawn in each frame. In a stranger's database a text may have 32 MiB, which takes a frame seconds; of ours
// the longest are reasons with a worker's last lines.
void cut(std::initializer_list<std::string*> texts) {
  constexpr std::size_t kLongestShown = 16 << 10;
  for (std::string* text : texts) *text = beginning_of(std::move(*text), kLongestShown);
}

}  // namespace

std::string shown_note(std::string note) {
  constexpr std::size_t kRestOfCharacter = 3;  // bytes that the cut may take back
  return beginning_of(std::move(note), kLongestNote + kRestOfCharacter);
}

void cut_texts(Environment& e) {
  cut({&e.device_id, &e.device_name, &e.device_uuid, &e.driver_version, &e.cuda_version, &e.cupti_version, &e.host,
       &e.cpu_model, &e.os, &e.triscope_version, &e.git_commit, &e.compiler, &e.compile_flags});
}

void cut_texts(SweepInfo& sweep) {
  sweep.note = shown_note(std::move(sweep.note));
  cut({&sweep.command});
  cut_texts(sweep.environment);
}

void cut_texts(ResultRow& row) {
  cut({&row.device, &row.kernel, &row.instance, &row.source_hash, &row.reason, &row.limiter, &row.card.label,
       &row.card.short_label});
}

void cut_texts(Measurement& measurement) {
  cut({&measurement.key.device_id, &measurement.key.kernel, &measurement.key.instance, &measurement.source_hash,
       &measurement.reason, &measurement.counters_note});
}

std::shared_ptr<const SweepResults> read_sweep(const Snapshot& from, SweepInfo sweep) {
  const std::int64_t id = sweep.id;
  SweepResults results{std::move(sweep), from.results(id)};
  cut_texts(results.info);
  for (ResultRow& row : results.rows) cut_texts(row);
  return std::make_shared<const SweepResults>(std::move(results));
}

std::vector<Environment> places_of(const Snapshot& from, const std::vector<ResultRow>& rows) {
  std::unordered_set<std::int64_t> wanted;
  std::set<std::int64_t> sweeps;
  for (const ResultRow& row : rows) wanted.insert(row.measurement), sweeps.insert(row.sweep);
  std::vector<Environment> places;
  for (const std::int64_t sweep : sweeps) {
    for (auto& [environment, measurements] : from.environments(sweep)) {
      if (std::ranges::none_of(measurements, [&](std::int64_t one) { return wanted.contains(one); })) continue;
      cut_texts(environment);
      places.push_back(std::move(environment));
    }
  }
  return places;
}

std::shared_ptr<const SweepResults> sharing_sweep(const Snapshot& from, std::vector<SweepInfo> sweeps,
                                                  const SweepResults& ours, Sharing which,
                                                  const std::stop_token& cancel) {
  std::unordered_set<std::string> questions;
  for (const ResultRow& row : ours.rows) {
    if (row.status == Status::ok) questions.insert(match_key(row, false));
  }
  std::shared_ptr<const SweepResults> best;
  std::ptrdiff_t most = 0;
  for (SweepInfo& info : sweeps) {
    if (cancel.stop_requested()) return nullptr;
    std::shared_ptr<const SweepResults> sweep = read_sweep(from, std::move(info));
    const std::ptrdiff_t shared = std::ranges::count_if(sweep->rows, [&](const ResultRow& row) {
      return row.status == Status::ok && questions.contains(match_key(row, false));
    });
    if (shared <= most) continue;
    most = shared;
    best = std::move(sweep);
    if (which == Sharing::anything) break;
  }
  return best;
}

}  // namespace triscope
