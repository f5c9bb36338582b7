#include "app/window/database/database_reader.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernels/base/error.hpp"
#include "profiler/store/sweep_lock.hpp"
#include "views/model/latency_model.hpp"

namespace triscope {
namespace {

std::uintmax_t inode_of(const std::filesystem::path& file) {
  struct stat facts {};
  return stat(file.c_str(), &facts) == 0 ? facts.st_ino : 0;
}

DatabaseReader::Stamp stamp_of(const std::filesystem::path& file) {
  struct stat facts {};
  if (stat(file.c_str(), &facts) != 0) return {};
  return {static_cast<std::int64_t>(facts.st_ino), facts.st_size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec};
}

}  // namespace

std::shared_ptr<const SweepResults> DatabaseReader::load(std::int64_t sweep) const {
  auto info = snapshot_->sweep(sweep);
  if (!info) return nullptr;
  return std::make_shared<SweepResults>(SweepResults{std::move(*info), snapshot_->results(sweep)});
}

Comparisons DatabaseReader::compare_sweeps(const SweepResults& ours, const SweepResults& others, double tolerance) {
  if (tolerance != tolerance_) known_.clear();
  tolerance_ = tolerance;
  const bool instances = has_several_instances(ours.rows) || has_several_instances(others.rows);
  std::map<std::string, const ResultRow*> counterpart;
  for (const ResultRow& row : others.rows) counterpart.emplace(match_key(row, instances), &row);
  std::vector<std::pair<const ResultRow*, const ResultRow*>> pairs, unknown;
  for (const ResultRow& row : ours.rows) {
    const auto other = counterpart.find(match_key(row, instances));
    if (other == counterpart.end() || row.status != Status::ok || other->second->status != Status::ok) continue;
    pairs.emplace_back(&row, other->second);
    if (!known_.contains(Pair{row.measurement, other->second->measurement})) unknown.push_back(pairs.back());
  }
  // Many are read in one pass each; of a measurement that was added to a running sweep only its own samples.
  constexpr std::size_t kFew = 16;
  std::unordered_map<std::int64_t, SampleSeries> mine, theirs;
  if (unknown.size() > kFew) {
    mine = snapshot_->series_of_sweep(ours.info.id);
    theirs = snapshot_->series_of_sweep(others.info.id);
  }
  const auto samples_of = [&](const ResultRow& row, auto& series) -> const std::vector<Sample>& {
    const auto [found, is_new] = series.try_emplace(row.measurement);
    if (is_new) found->second = snapshot_->series(row.measurement);
    return found->second.samples;
  };
  for (const auto& [row, other] : unknown) {
    if (cancel_.stop_requested()) break;
    known_.emplace(Pair{row->measurement, other->measurement},
                   compare({samples_of(*row, mine), row->regime, row->timing_source, ours.info.spread},
                           {samples_of(*other, theirs), other->regime, other->timing_source, others.info.spread}, false,
                           tolerance));
  }
  Comparisons result;
  for (const auto& [row, other] : pairs) {
    const auto found = known_.find(Pair{row->measurement, other->measurement});
    if (found != known_.end()) result[row->measurement] = {other->measurement, found->second};
  }
  return result;
}

std::shared_ptr<const SelectedMeasurement> DatabaseReader::select(const SweepResults& sweep, std::int64_t id) {
  std::optional<Measurement> measurement;
  try {
    measurement = snapshot_->measurement(id);
  } catch (const Error&) {
    return nullptr;  // its row in the table says what is wrong with it
  }
  const auto row =
      std::find_if(sweep.rows.begin(), sweep.rows.end(), [&](const ResultRow& one) { return one.measurement == id; });
  if (!measurement || row == sweep.rows.end()) return nullptr;
  return std::make_shared<const SelectedMeasurement>(
      SelectedMeasurement{*row, std::move(*measurement), sweep.info.environment, snapshot_->note(id)});
}

ReadResult DatabaseReader::read(const ReadRequest& request, const std::function<void(const ReadResult&)>& rows_ready) {
  if (!snapshot_ || request.file != file_ || gone_ || inode_of(request.file) != inode_) {
    Snapshot opened(request.file, kBusyTimeout, cancel_);  // throws before anything of the old one is lost
    if (request.file != file_ || inode_of(request.file) != inode_) known_.clear();
    snapshot_ = std::move(opened);
    file_ = request.file;
    inode_ = inode_of(file_);
    gone_ = false;
  }
  version_ = snapshot_->data_version();
  ReadResult result;
  result.read_only = access(file_.c_str(), W_OK) != 0 ||
                     access(file_.parent_path().empty() ? "." : file_.parent_path().c_str(), W_OK) != 0;
  result.sweeps = snapshot_->sweeps();
  measured_.clear();
  for (const SweepInfo& sweep : result.sweeps) {
    if (sweep.running) measured_.push_back(sweep.id);
  }
  std::erase_if(result.sweeps, [&](const SweepInfo& sweep) { return sweep.id == request.hidden; });
  result.shown = request.shown ? load(request.shown) : nullptr;
  if (!result.shown && !result.sweeps.empty()) {
    const auto starred =
        std::find_if(result.sweeps.begin(), result.sweeps.end(), [](const SweepInfo& sweep) { return sweep.starred; });
    result.shown = load(starred != result.sweeps.end() ? starred->id : result.sweeps.front().id);
  }
  if (request.baseline) result.baseline = load(request.baseline);
  if (request.selected && result.shown) result.selected = select(*result.shown, request.selected);
  rows_ready(result);
  if (result.shown && result.baseline) {
    result.against_baseline =
        std::make_shared<const Comparisons>(result.shown->info.id == result.baseline->info.id
                                                ? Comparisons{}
                                                : compare_sweeps(*result.shown, *result.baseline, request.tolerance));
  }
  for (std::int64_t id : request.compared) {
    auto results = load(id);
    if (!results) continue;
    Comparisons comparisons;
    if (!result.compared.empty())
      comparisons = compare_sweeps(*results, *result.compared.front().results, request.tolerance);
    result.compared.push_back({std::move(results), std::move(comparisons)});
  }
  return result;
}

DatabaseReader::Change DatabaseReader::poll() {
  if (!snapshot_) return Change::none;
  const std::uintmax_t inode = inode_of(file_);
  if (inode == 0) {
    tried_ = {};
    return std::exchange(gone_, true) ? Change::none : Change::gone;
  }
  // What cannot be read is tried again when it has changed, not every second.
  const auto once = [this](Change change) {
    const Stamp stamp = stamp_of(file_);
    return std::exchange(tried_, stamp) == stamp ? Change::none : change;
  };
  if (gone_ || inode != inode_) return once(Change::replaced);
  std::int64_t version = 0;
  try {
    version = snapshot_->data_version();
  } catch (const std::exception&) {
    return once(Change::written);  // reading again says what is wrong
  }
  const auto ended = std::find_if(measured_.begin(), measured_.end(),
                                  [&](std::int64_t sweep) { return !is_being_measured(file_, sweep); });
  if (ended != measured_.end()) {  // another process may end without a word in the database
    measured_.erase(ended);
    return Change::written;
  }
  if (version == version_) return Change::none;
  version_ = version;
  return Change::written;
}

void DatabaseReader::save_copy(const std::filesystem::path& file) const {
  if (!snapshot_) throw Error("The copy was not saved", "no database is open", "open one first", ExitCode::usage);
  snapshot_->save_copy(file);
}

}  // namespace triscope
