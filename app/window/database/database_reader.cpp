#include "app/window/database/database_reader.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <system_error>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "app/window/database/compared_pairs.hpp"
#include "app/window/database/read_sweep.hpp"
#include "kernels/base/error.hpp"
#include "profiler/record/same_device.hpp"
#include "profiler/statistics/comparison_facts.hpp"
#include "profiler/store/open/sweep_lock.hpp"
#include "views/model/tables/beside_model.hpp"
#include "views/model/tables/compare_model.hpp"
#include "views/model/tables/judged_table.hpp"
#include "views/model/tables/latency_model.hpp"

namespace triscope {
namespace {

std::uintmax_t inode_of(const std::filesystem::path& file) {
  struct stat facts {};
  return stat(file.c_str(), &facts) == 0 ? facts.st_ino : 0;
}

// Neither of a device that cannot be read, nor without an identity.
bool are_comparable(const SweepInfo& a, const SweepInfo& b) {
  return on_same_device(a.environment, b.environment) && !a.uuid.empty() && !b.uuid.empty();
}

/// They may be of different versions of the database.
bool is_same_sweep(const SweepResults* a, const SweepResults* b) {
  return a != nullptr && b != nullptr && a->info.id == b->info.id && a->info.uuid == b->info.uuid;
}

/// The sweep that was asked for, else the newest that has a star, or the newest. Null: there is none.
const SweepInfo* wanted_of(const std::vector<SweepInfo>& sweeps, std::int64_t asked) {
  if (sweeps.empty()) return nullptr;
  if (const auto found = std::ranges::find(sweeps, asked, &SweepInfo::id); found != sweeps.end()) return &*found;
  const auto starred = std::ranges::find_if(sweeps, &SweepInfo::starred);
  return starred != sweeps.end() ? &*starred : &sweeps.front();
}

/// Null: fewer than two are compared.
std::shared_ptr<const CompareModel> table_of(const std::vector<ComparedSweep>& compared) {
  if (compared.size() < 2) return nullptr;
  return std::make_shared<const CompareModel>(
      make_compare_model(compared, static_cast<std::int64_t>(std::time(nullptr))));
}

// The card of each row: a sweep that was resumed elsewhere has several.
std::unordered_map<std::int64_t, std::string> gpus_of(const Snapshot& snapshot, std::int64_t sweep) {
  std::unordered_map<std::int64_t, std::string> gpus;
  for (const auto& [environment, measurements] : snapshot.environments(sweep)) {
    for (const std::int64_t measurement : measurements) gpus.emplace(measurement, environment.device_uuid);
  }
  return gpus;
}

// Whether a sweep was done when it was read and was not resumed since.
bool still_done(const SweepInfo& before, const SweepInfo& now) {
  return before.uuid == now.uuid && !now.finished.empty() && before.finished == now.finished;
}

}  // namespace

DatabaseReader::Stamp DatabaseReader::stamp_of(const std::filesystem::path& file) {
  struct stat facts {};
  if (stat(file.c_str(), &facts) != 0) return {};
  return {static_cast<std::int64_t>(facts.st_ino), facts.st_size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec};
}

std::shared_ptr<const SweepResults> DatabaseReader::load(std::int64_t sweep) const {
  auto info = snapshot_->sweep(sweep);
  if (!info) return nullptr;
  const auto before = loaded_.find(sweep);
  if (before != loaded_.end() && loaded_version_ == version_ && still_done(before->second->info, *info))
    return before->second;
  return read_sweep(*snapshot_, std::move(*info));
}

Comparisons DatabaseReader::compare_sweeps(const SweepResults& ours, Other& other, double tolerance) {
  if (tolerance != tolerance_) known_.clear();
  tolerance_ = tolerance;
  const SweepResults& theirs = *other.sweep;
  const bool elsewhere = other.from != &*snapshot_;
  const bool instances = has_several_instances(ours.rows) || has_several_instances(theirs.rows);
  std::map<std::string, const ResultRow*> counterpart;
  for (const ResultRow& row : theirs.rows) counterpart.emplace(match_key(row, instances), &row);
  const auto basis_of = [&](const ResultRow& a, const ResultRow& b) {
    return Basis{a.samples, b.samples, ours.info.spread.times, theirs.info.spread.times};
  };
  std::vector<std::pair<const ResultRow*, const ResultRow*>> pairs, unknown;
  for (const ResultRow& row : ours.rows) {
    const auto found = counterpart.find(match_key(row, instances));
    if (found == counterpart.end() || row.status != Status::ok || found->second->status != Status::ok) continue;
    pairs.emplace_back(&row, found->second);
    const auto known = known_.find(Pair{row.measurement, found->second->measurement, elsewhere});
    if (known == known_.end() || known->second.basis != basis_of(row, *found->second)) unknown.push_back(pairs.back());
  }
  // Many are read in one pass each; of a measurement that was added to a running sweep only its own samples.
  constexpr std::size_t kFew = 16;
  SeriesById series;
  if (unknown.size() > kFew) {
    series = snapshot_->series_of_sweep(ours.info.id);
    if (!std::exchange(other.whole, true)) other.series = other.from->series_of_sweep(theirs.info.id);
  }
  const auto input_of = [](const Snapshot& from, const ResultRow& row, SeriesById& of, const SweepSpread& spread) {
    const auto [found, is_new] = of.try_emplace(row.measurement);
    if (is_new) found->second = from.series(row.measurement);
    return CompareInput{found->second.samples, row.regime, row.timing_source, spread, found->second.companions};
  };
  std::unordered_map<std::int64_t, std::string> our_gpus, their_gpus;
  if (!unknown.empty()) our_gpus = gpus_of(*snapshot_, ours.info.id), their_gpus = gpus_of(*other.from, theirs.info.id);
  for (const auto& [a, b] : unknown) {
    if (cancel_.stop_requested()) break;
    const bool two_gpus = on_two_gpus(our_gpus[a->measurement], their_gpus[b->measurement]);
    CompareInput of_one = input_of(*snapshot_, *a, series, ours.info.spread),
                 of_another = input_of(*other.from, *b, other.series, theirs.info.spread);
    if (two_gpus) of_another.companions = of_one.companions;  // as `compare_rows` does
    Comparison times = triscope::compare(of_one, of_another, false, tolerance);
    known_[Pair{a->measurement, b->measurement, elsewhere}] = {
        basis_of(*a, *b), two_gpus ? not_judged_on_two_gpus(std::move(times)) : std::move(times)};
  }
  Comparisons result;
  for (const auto& [a, b] : pairs) {
    const auto found = known_.find(Pair{a->measurement, b->measurement, elsewhere});
    if (found != known_.end()) result[a->measurement] = {b->measurement, found->second.comparison};
  }
  return result;
}

// The sweeps of the shown one's device: those that are known, and the others, which are read one after the other by
// whoever is free.
struct DatabaseReader::Unread {
  std::vector<SweepInfo> device, wanted;
  Sweeps known;
  std::atomic<std::size_t> next = 0;
  /// Whoever reads for a reader that ends with an error reads no further.
  struct End {
    Unread& unread;
    ~End() { unread.next = unread.wanted.size(); }
  };
};

// A sweep that was done and was not resumed since is as it was; one that runs gets rows, and its rows more restarts.
void DatabaseReader::find_unread(const SweepInfo& shown, const std::vector<SweepInfo>& sweeps, Unread& unread) const {
  constexpr std::size_t kMost = 64;  // the newest; all of a database of years would only be memory
  for (const SweepInfo& sweep : sweeps) {
    if (unread.device.size() == kMost) return;
    if (sweep.id == shown.id || !are_comparable(sweep, shown)) continue;
    unread.device.push_back(sweep);
    const auto before = loaded_.find(sweep.id);
    if (before != loaded_.end() && still_done(before->second->info, sweep)) {
      unread.known.insert(*before);
    } else {
      unread.wanted.push_back(sweep);
    }
  }
}

DatabaseReader::Sweeps DatabaseReader::read_some(const Snapshot& from, Unread& unread) const {
  Sweeps read;
  for (std::size_t n = unread.next++; n < unread.wanted.size() && !cancel_.stop_requested(); n = unread.next++)
    read.emplace(unread.wanted[n].id, read_sweep(from, unread.wanted[n]));
  return read;
}

// Most of what a large database takes to open, while the shown rows are judged.
std::future<DatabaseReader::Sweeps> DatabaseReader::read_beside(Unread& unread) const {
  constexpr std::int64_t kWorthAConnection = 5000;
  std::int64_t rows = 0;
  for (const SweepInfo& sweep : unread.wanted) rows += sweep.ok + sweep.failed + sweep.skipped + sweep.cancelled;
  if (rows < kWorthAConnection) return {};
  const auto read = [this, &unread] {
    const Snapshot another(file_, kBusyTimeout, cancel_);
    if (inode_of(file_) != inode_)
      throw Error("the sweeps were not read", "the file was replaced meanwhile", "read it again");
    return read_some(another, unread);
  };
  try {
    return std::async(std::launch::async, read);
  } catch (const std::system_error&) {  // no thread is to be had: they are read after the first rows
    return {};
  }
}

DatabaseReader::Sweeps DatabaseReader::read_rest(std::future<Sweeps> beside, Unread& unread) const {
  Sweeps read = read_some(*snapshot_, unread);
  try {
    if (beside.valid()) read.merge(beside.get());
  } catch (const Error&) {  // what is wrong with those that it took, this says
    for (const SweepInfo& sweep : unread.wanted) {
      if (!read.contains(sweep.id)) read.emplace(sweep.id, read_sweep(*snapshot_, sweep));
    }
  }
  return read;
}

std::optional<DatabaseReader::Other> DatabaseReader::other_of(const ReadRequest& request, ReadResult& result) {
  if (request.other.empty() || (other_ && other_->file() != request.other)) other_.reset();
  if (request.other.empty() || !result.shown) return std::nullopt;
  try {
    if (!other_ || !other_->in_place()) {
      std::erase_if(known_, [](const auto& pair) { return std::get<bool>(pair.first); });
      other_.emplace(request.other, cancel_);
    }
    return Other{other_->nearest(*result.shown), &other_->snapshot(), request.other.filename().string()};
  } catch (const Error& error) {
    other_.reset();
    result.other_problem = error.what();
    return std::nullopt;
  }
}

void DatabaseReader::compare_versions(const ReadRequest& request, ReadResult& result) {
  try {
    const VersionsAnswer& answer =
        versions_.answer(*snapshot_, {*request.versions, request.hidden, request.tolerance, version_}, result.sweeps);
    result.versions = answer.choice;
    result.changes = answer.changes;
    result.compared = answer.compared;
  } catch (const Error& error) {
    result.versions_problem = error.what();
  }
}

// The first is that of another database, where one was chosen; the shown sweep, where nothing else was.
void DatabaseReader::compare(const ReadRequest& request, ReadResult& result) {
  if (request.versions) return compare_versions(request, result);
  std::optional<Other> first = other_of(request, result);
  std::vector<std::int64_t> sweeps = request.compared;
  if (first) {
    result.compared.push_back({first->sweep, {}, first->database});
    result.compared.back().places = places_of(*first->from, first->sweep->rows);
    if (sweeps.empty()) sweeps.push_back(result.shown->info.id);
  }
  for (const std::int64_t id : sweeps) {
    const auto results = load(id);
    if (!results) continue;
    Comparisons comparisons;
    if (first) {
      comparisons = compare_sweeps(*results, *first, request.tolerance);
    } else {
      first.emplace(Other{results, &*snapshot_});
    }
    result.compared.push_back({results, std::move(comparisons), {}});
    result.compared.back().places = places_of(*snapshot_, results->rows);
  }
}

void DatabaseReader::make_table(ReadResult& result) {
  ReadTable made{result.shown, result.against_baseline, result.beside_reference, {}};
  if (made.shown == table_.shown && made.against_baseline == table_.against_baseline &&
      made.beside_reference == table_.beside_reference) {
    made.model = table_.model;
  } else if (made.shown && made.shown == table_.shown) {  // what its rows make stays
    auto model = std::make_shared<LatencyModel>(*table_.model);
    judge(*model, made.against_baseline.get(), made.beside_reference.get());
    made.model = std::move(model);
  } else if (made.shown) {
    made.model = std::make_shared<const LatencyModel>(
        make_latency_model(*made.shown, made.against_baseline.get(), made.beside_reference.get()));
  }
  result.table = table_ = std::move(made);
}

void DatabaseReader::open(const std::filesystem::path& file) {
  if (snapshot_ && file == file_ && !gone_ && inode_of(file) == inode_) return;
  Snapshot opened(file, kBusyTimeout, cancel_);  // throws before anything of the old one is lost
  if (file != file_ || inode_of(file) != inode_) {
    known_.clear();
    loaded_.clear();
    table_ = {};
  }
  side_.reset();  // of the old one
  side_of_.clear();
  snapshot_ = std::move(opened);
  beside_.reset();  // versions are those of a connection
  versions_.forget();
  loaded_version_.reset();
  file_ = file;
  inode_ = inode_of(file_);
  gone_ = false;
}

ReadResult DatabaseReader::read(const ReadRequest& request, const std::function<void(const ReadResult&)>& rows_ready) {
  open(request.file);
  version_ = snapshot_->data_version();
  ReadResult result;
  result.read_only = access(file_.c_str(), W_OK) != 0 ||
                     access(file_.parent_path().empty() ? "." : file_.parent_path().c_str(), W_OK) != 0;
  result.sweeps = snapshot_->sweeps();
  for (SweepInfo& sweep : result.sweeps) cut_texts(sweep);
  measured_.clear();
  for (const SweepInfo& sweep : result.sweeps) {
    if (sweep.running) measured_.push_back(sweep.id);
  }
  std::erase_if(result.sweeps, [&](const SweepInfo& sweep) { return sweep.id == request.hidden; });
  Unread unread;  // outlives the thread, which the future waits for
  const SweepInfo* const wanted = wanted_of(result.sweeps, request.shown);
  if (wanted != nullptr) find_unread(*wanted, result.sweeps, unread);
  std::future<Sweeps> being_read = read_beside(unread);
  const Unread::End end{unread};  // before the thread is waited for
  result.shown = wanted != nullptr ? load(wanted->id) : nullptr;
  if (!result.shown && wanted != nullptr) {  // it was deleted meanwhile
    std::erase_if(result.sweeps, [id = wanted->id](const SweepInfo& sweep) { return sweep.id == id; });
    if (const SweepInfo* next = wanted_of(result.sweeps, 0)) {
      result.shown = load(next->id);
      std::erase_if(unread.device, [id = next->id](const SweepInfo& sweep) { return sweep.id == id; });
    }
  }
  if (request.baseline) result.baseline = load(request.baseline);
  // Until these rows have their own. Those against another sweep would stand under this one's name.
  if (is_same_sweep(judged_against_.get(), result.baseline.get())) result.against_baseline = table_.against_baseline;
  result.beside_reference = table_.beside_reference;
  make_table(result);
  read_selected(request, result, rows_ready);
  const std::int64_t first = request.first();
  // A bad value costs its row alone. Damaged pages are told, also where nothing but the selected row lies on them.
  if (first != 0 && result.shown && !result.selected) (void)snapshot_->samples(first);
  result.beside_reference = result.shown ? beside(*result.shown, request) : nullptr;
  result.against_baseline.reset();
  if (result.shown && result.baseline) {
    Other baseline{result.baseline, &*snapshot_};
    result.against_baseline = std::make_shared<const Comparisons>(
        result.shown->info.id == result.baseline->info.id ? Comparisons{}
                                                          : compare_sweeps(*result.shown, baseline, request.tolerance));
  }
  compare(request, result);
  result.compare_table = table_of(result.compared);
  unread.known.merge(read_rest(std::move(being_read), unread));
  for (const SweepInfo& sweep : unread.device) {
    const auto found = unread.known.find(sweep.id);
    if (found != unread.known.end()) result.same_device.push_back(found->second);
  }
  if (measured_.empty()) result.compare_pairs = compare_pairs_of(file_, request.tolerance, cancel_);
  // While something is measured its rows change every second, and nothing else is to take a core.
  if (result.beside_reference && side_ && measured_.empty()) add_others(result, request);
  judged_against_ = result.baseline;
  make_table(result);
  remember(result, std::move(unread.known));
  return result;
}

DatabaseReader::Before DatabaseReader::sweep_before(const ReadRequest& request) {
  open(request.file);
  std::vector<SweepInfo> sweeps = snapshot_->sweeps();
  std::erase_if(sweeps, [&](const SweepInfo& sweep) { return sweep.id == request.hidden; });
  const SweepInfo* wanted = wanted_of(sweeps, request.shown);
  const std::shared_ptr<const SweepResults> ours = wanted != nullptr ? load(wanted->id) : nullptr;
  if (!ours) return {};
  std::erase_if(
      sweeps, [&](const SweepInfo& sweep) { return sweep.id == ours->info.id || !are_comparable(sweep, ours->info); });
  const bool alone = sweeps.empty();
  const auto began = [](const SweepInfo& sweep) { return std::tie(sweep.started, sweep.id); };
  std::erase_if(sweeps, [&](const SweepInfo& sweep) { return began(sweep) >= began(ours->info); });
  const auto before = sharing_sweep(*snapshot_, std::move(sweeps), *ours, Sharing::anything, cancel_);
  return {before ? before->info.id : 0, alone};
}

void DatabaseReader::remember(const ReadResult& result, Sweeps of_device) {
  loaded_ = std::move(of_device);
  for (const auto& sweep : {result.shown, result.baseline}) {
    if (sweep) loaded_[sweep->info.id] = sweep;
  }
  for (const ComparedSweep& compared : result.compared) {
    if (compared.database.empty() && !compared.aligned) loaded_[compared.results->info.id] = compared.results;
  }
  loaded_version_ = version_;
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
