#include "profiler/sweep/row_keeper.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <optional>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/text/number_of.hpp"
#include "profiler/protocol/messages.hpp"
#include "profiler/store/open/default_database.hpp"
#include "profiler/store/row_fault.hpp"

namespace triscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPause = std::chrono::seconds(2);      // between two attempts at the end
constexpr auto kPatience = std::chrono::minutes(10);  // at the end, for what is in the spool file
constexpr auto kReminder = std::chrono::minutes(1);

/// A whole message at the end of `file`, on the disk when this returns true.
bool append(const std::filesystem::path& file, const std::string& bytes) {
  const int descriptor =
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  if (descriptor < 0) return false;
  const off_t before = ::lseek(descriptor, 0, SEEK_END);
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t written = ::write(descriptor, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
  const bool whole = done == bytes.size() && ::fsync(descriptor) == 0;
  // Half a message would hide those behind it.
  const bool cut = whole || before < 0 || ::ftruncate(descriptor, before) == 0;
  ::close(descriptor);
  if (!whole && cut && before == 0) ::unlink(file.c_str());  // made here, or of no use to anybody
  return whole && cut;
}

/// The sweep's uuid, which becomes part of a file's name. Throws `Error` (usage) when it is none.
std::string identity_of(const std::filesystem::path& database, std::int64_t sweep) {
  const std::optional<SweepInfo> info = Snapshot(database).sweep(sweep);
  if (info && !info->uuid.empty() && info->uuid.find_first_not_of("0123456789abcdef") == std::string::npos)
    return info->uuid;
  throw Error(fmt::format("sweep {} cannot be measured", sweep),
              fmt::format("{} gives it no identity of hexadecimal digits", database.string()), "start a new sweep",
              ExitCode::usage);
}

/// Why a measurement of the spool file, which has no summary, is none; empty: it is one.
std::string spooled_fault(const Measurement& measurement) {
  if (measurement.status == Status::ok && measurement.samples.empty()) return "it has no sample";
  return row_fault(measurement);
}

std::pair<dev_t, ino_t> place_of(const std::filesystem::path& file) {
  struct stat facts {};
  if (::stat(file.c_str(), &facts) != 0) return {};
  return {facts.st_dev, facts.st_ino};
}

void wait(std::chrono::milliseconds time, std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, std::move(stop), time, [] { return false; });
}

}  // namespace

RowKeeper::RowKeeper(Store& store, Sweep sweep)
    : store_(store),
      sweep_(std::move(sweep)),
      uuid_(identity_of(sweep_.database, sweep_.id)),
      place_(place_of(sweep_.database)) {
  std::error_code error;
  file_ = std::filesystem::canonical(sweep_.database, error);  // the same by every name of the database
  if (error) file_ = sweep_.database;
  file_ += fmt::format(".{}.spool", uuid_);
  if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(file_, error))) return;
  std::vector<Spooled> left = read_spool();
  if (left.empty()) {  // half a measurement, or something that this program did not write
    sweep_.tell(fmt::format("{} holds no whole measurement: {}", file_.string(), set_aside()));
    return;
  }
  add_spooled(std::move(left));
}

void RowKeeper::add_spooled(std::vector<Spooled> left) {
  std::vector<FinishedKey> finished = Snapshot(sweep_.database).finished_keys(sweep_.id);
  std::size_t added = 0, unusable = 0;
  std::string fault;  // the last one's
  for (auto& [measurement, environment] : left) {
    // The program may have ended between the database and the removal of the file.
    const auto same = [&key = measurement.key, &hash = measurement.source_hash](const FinishedKey& one) {
      return one.key == key && one.source_hash == hash;
    };
    if (std::any_of(finished.begin(), finished.end(), same)) continue;
    if (std::string why = spooled_fault(measurement); !why.empty()) {
      fault = std::move(why);
      ++unusable;
      continue;
    }
    if (measurement.status == Status::ok) sweep_.summarize(measurement);
    if (environment) store_.resume_sweep(sweep_.id, *environment);  // the run that measured it may have been elsewhere
    store_.add(sweep_.id, measurement);
    finished.push_back({measurement.key, measurement.source_hash});
    ++added;
  }
  const std::string spool = file_.string();
  if (unusable > 0) {
    const std::string where = set_aside();
    sweep_.tell(fmt::format("{} in {} cannot be used ({}) and will be measured again; {}",
                            number_of(unusable, "measurement"), spool, fault, where));
  } else {
    std::error_code error;
    std::filesystem::remove(file_, error);
  }
  if (added > 0) sweep_.tell(fmt::format("{} of an earlier run added from {}", number_of(added, "measurement"), spool));
}

std::string RowKeeper::set_aside() const {
  const std::string unread = file_.string() + ".unread";
  std::filesystem::path name = unread;
  std::error_code error;
  for (int n = 2; std::filesystem::exists(std::filesystem::symlink_status(name, error)); ++n)
    name = unread + std::to_string(n);
  std::filesystem::rename(file_, name, error);
  return error ? fmt::format("the file stays, since it cannot be renamed: {}", error.message())
               : fmt::format("the file is now {}", name.string());
}

void RowKeeper::add(const Measurement& measurement) {
  const bool waited = !waiting_.empty();
  if (waited) try_again();
  if (waiting_.empty() && store_one(measurement)) return;
  waiting_.push_back({measurement});
  spool();
  require_sweep();
  if (!waited) {
    sweep_.tell(fmt::format(
        "a measurement could not be stored: {} It waits in {} and is tried again; the sweep goes on.", why_, where()));
    sweep_.unstored(
        {why_, fmt::format("The sweep goes on: what is measured waits in {} and is tried again.", where())});
  }
}

bool RowKeeper::is_deleted() const {
  try {
    const std::optional<SweepInfo> info = Snapshot(sweep_.database).sweep(sweep_.id);
    return (!info || info->uuid != uuid_) && place_of(sweep_.database) == place_;
  } catch (const Error&) {
    return false;  // nobody can say
  }
}

void RowKeeper::require_sweep() const {
  if (!is_deleted()) return;
  const std::string spool = file_.string();
  throw Error(fmt::format("sweep {} cannot be measured", sweep_.id),
              fmt::format("it is not in {} any more: it was deleted meanwhile", sweep_.database.string()),
              waiting_.empty() ? "start a new sweep"
              : all_spooled()
                  ? fmt::format("start a new sweep; the samples taken since are in {}, which nothing adds to it", spool)
                  : "start a new sweep; the samples taken since are lost");
}

void RowKeeper::finish(std::stop_token stop) {
  const auto started = Clock::now();
  auto told = started - kReminder;
  try_again();
  if (!waiting_.empty() && !stop.stop_requested()) {
    sweep_.unstored(
        {why_,
         fmt::format("The sweep waits: what was measured is in {} and is tried again until it is stored.", where())});
  }
  while (!waiting_.empty()) {
    require_sweep();
    const bool safe = all_spooled();
    if (stop.stop_requested() || (safe && Clock::now() - started > kPatience)) {
      if (why_.ends_with('.')) why_.pop_back();  // it is a whole sentence
      throw Error(fmt::format("the database lacks {} of sweep {}", number_of(waiting(), "measurement"), sweep_.id),
                  why_,
                  safe ? fmt::format("what it lacks is in {}, and `triscope sweep --resume {}{}` adds it",
                                     file_.string(), sweep_.id, database_words(sweep_.database))
                       : std::string("measure that again with --resume"));
    }
    if (Clock::now() - told >= kReminder) {
      told = Clock::now();
      sweep_.tell(
          fmt::format("{} waiting in {} for the database: {}", number_of(waiting(), "measurement"), where(), why_));
    }
    wait(kPause, stop);
    try_again();
    spool();
  }
}

bool RowKeeper::store_one(const Measurement& measurement) {
  std::int64_t row = 0;
  try {
    row = store_.add(sweep_.id, measurement);
  } catch (const Error& error) {
    why_ = error.what();
    return false;
  }
  sweep_.kept(measurement, row);
  return true;
}

void RowKeeper::try_again() {
  if (waiting_.empty()) return;
  try {
    // What a mount that came back, or a file that was put in this place, needs. Never creates the database.
    const std::optional<SweepInfo> info = Snapshot(sweep_.database).sweep(sweep_.id);
    if (!info || info->uuid != uuid_) {
      why_ = fmt::format("{} does not hold sweep {} any more.", sweep_.database.string(), sweep_.id);
      return;
    }
    sweep_.reopen();
  } catch (const Error& error) {
    why_ = error.what();
    return;
  }
  const std::size_t waited = waiting_.size();
  while (!waiting_.empty() && store_one(waiting_.front().measurement)) waiting_.pop_front();
  if (!waiting_.empty()) return;
  std::error_code error;
  std::filesystem::remove(file_, error);
  sweep_.tell(fmt::format("the database takes measurements again; the {} that waited are in it", waited));
  sweep_.unstored({"", fmt::format("The database takes measurements again; {} that waited {} in it.",
                                   number_of(waited, "measurement"), waited == 1 ? "is" : "are")});
}

void RowKeeper::spool() {
  Catalog place;
  place.environment = sweep_.environment;
  for (Waiting& one : waiting_) {
    if (one.spooled) continue;
    one.spooled = append(file_, to_bytes(CatalogReply{place}) + to_bytes(ResultReply{sweep_.id, one.measurement}));
  }
}

bool RowKeeper::all_spooled() const {
  return std::all_of(waiting_.begin(), waiting_.end(), [](const Waiting& one) { return one.spooled; });
}

std::vector<RowKeeper::Spooled> RowKeeper::read_spool() const {
  std::vector<Spooled> measurements;
  std::optional<Environment> environment;
  std::ifstream in(file_, std::ios::binary);
  FrameParser parser;
  std::string bytes(1 << 16, '\0');
  try {
    while (in.read(bytes.data(), static_cast<std::streamsize>(bytes.size())), in.gcount() > 0) {
      for (const Frame& frame : parser.feed(std::string_view(bytes).substr(0, static_cast<std::size_t>(in.gcount())))) {
        const Message message = decode(frame);
        if (const auto* place = std::get_if<CatalogReply>(&message)) environment = place->catalog.environment;
        const auto* result = std::get_if<ResultReply>(&message);
        if (result != nullptr) measurements.push_back({result->measurement, environment});
      }
    }
  } catch (const Error& error) {
    throw Error(fmt::format("sweep {} cannot be resumed", sweep_.id),
                fmt::format("{} holds measurements that cannot be read: {}", file_.string(), error.why()),
                "move that file away to measure them again");
  }
  return measurements;
}

std::string RowKeeper::where() const { return all_spooled() ? "memory and in " + file_.string() : "memory alone"; }

void TurnKeeper::add(std::int64_t row, std::int64_t group, const std::vector<Sample>& samples) {
  Waiting one{row, group, samples};
  if (store_one(one)) return;
  if (waiting_.empty())
    tell_(fmt::format(
        "the times that a reference took in turns with a group are not stored yet: {} They are tried again at the end.",
        why_));
  waiting_.push_back(std::move(one));
}

void TurnKeeper::finish() {
  std::erase_if(waiting_, [this](const Waiting& one) { return store_one(one); });
  if (waiting_.empty()) return;
  tell_(fmt::format(
      "the times that a reference took in turns with {} are lost: {} A group that keeps none of another restart is "
      "compared with it as \"not in turns\".",
      number_of(waiting_.size(), "group"), why_));
  waiting_.clear();
}

bool TurnKeeper::store_one(const Waiting& one) {
  try {
    store_.set_turns(one.row, one.group, one.samples);
    return true;
  } catch (const Error& error) {
    why_ = error.what();
    return false;
  }
}

}  // namespace triscope
