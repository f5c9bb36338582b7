#include "app/window/database/database.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include "kernels/base/error.hpp"
#include "profiler/plan/request.hpp"
#include "profiler/store/open/default_database.hpp"
#include "profiler/store/store.hpp"
#include "views/data/format.hpp"

namespace triscope {
namespace {

constexpr std::size_t kRecentDatabases = 6;
constexpr std::chrono::milliseconds kPollPeriod{1000};

/// What is wrong and why. The next step is a button, so the error's advice for the command line is left out.
std::string plain_text(const std::exception& error) {
  const auto* known = dynamic_cast<const Error*>(&error);
  return known ? fmt::format("{}: {}.", known->summary(), known->why()) : error.what();
}

/// On the reading thread: why `file` cannot be opened, after it was created when that is allowed; empty = it can.
std::string opening_problem(const std::filesystem::path& file, bool create, std::stop_token cancel) {
  try {
    std::error_code error;
    if (!std::filesystem::exists(file, error)) {
      if (!create)
        throw Error(fmt::format("{} was not opened", file.string()), "there is no such file", "check the path",
                    ExitCode::usage);
      Store created(file);
    }
    const Snapshot check(file, kBusyTimeout, std::move(cancel));
  } catch (const std::exception& error) {
    return plain_text(error);
  }
  return {};
}

bool same_sweeps(const std::vector<ComparedSweep>& a, const std::vector<ComparedSweep>& b) {
  return std::ranges::equal(a, b, {}, &ComparedSweep::results, &ComparedSweep::results);
}

bool is_missing(const std::filesystem::path& file) {
  std::error_code unknown;
  return !std::filesystem::exists(file, unknown) && !unknown;
}

/// Those of `paths` that lead to `file` by another name: through a link, say.
std::vector<std::string> names_of(const std::filesystem::path& file, const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    std::error_code missing;  // then it is another file
    if (path != file.string() && std::filesystem::equivalent(path, file, missing)) names.push_back(path);
  }
  return names;
}

}  // namespace

Database::Database(DatabaseData& data, UiState& ui, UndoStep& undo, Messages& messages, UiQueue& queue)
    : data_(data),
      ui_(ui),
      undo_(undo),
      messages_(messages),
      queue_(queue),
      reader_(closing_.get_token()),
      reader_thread_(
          messages.failures(), [this] { poll(); }, kPollPeriod),
      writer_thread_(messages.failures()) {}

Database::~Database() { closing_.request_stop(); }

void Database::offer(const std::filesystem::path& recorded) {
  std::error_code error;
  if (!recorded.empty() && std::filesystem::exists(recorded, error)) data_.recorded_database = recorded.string();
}

bool Database::is_recorded(const std::filesystem::path& file) const {
  std::error_code error;
  return !data_.recorded_database.empty() && std::filesystem::equivalent(file, data_.recorded_database, error);
}

void Database::open(const std::filesystem::path& asked) {
  std::filesystem::path file = asked;
  const bool own = file.empty();
  if (own) {
    try {
      file = default_database();
    } catch (const Error& error) {
      data_.problem = error.what();
      return;
    }
  }
  if (file.is_relative()) {  // the settings remember it after the folder that this was started in
    std::error_code no_folder;
    const std::filesystem::path whole = std::filesystem::weakly_canonical(std::filesystem::absolute(file), no_folder);
    if (!no_folder) file = whole;
  }
  data_.loading = true;
  ++opening_;
  const bool create = own || !opened_once_;
  std::vector<std::string> known = ui_.settings.recent_databases;
  const std::vector<std::string>& explored = ui_.settings.explore_databases;
  known.insert(known.end(), explored.begin(), explored.end());
  reader_thread_.add([this, file, own, create, known = std::move(known)] {
    const bool is_new = !own && is_missing(file);
    const std::string problem = opening_problem(file, create, closing_.get_token());
    queue_.push([this, file, is_new, problem, also_called = names_of(file, known)] {
      --opening_;
      data_.loading = false;
      if (problem.empty()) {
        take(file, also_called);
        called_new_ = is_new;
        if (is_new)
          messages_.notify(Severity::warning, NoticeId::open,
                           fmt::format("There was no database {}: this one is new and empty.", file.string()),
                           {{"Open another...", ask::OpenDatabase{}}});
        return;
      }
      // An open database stays open; without one the panels explain.
      if (data_.database.empty()) data_.problem = problem;
      messages_.notify(Severity::error, NoticeId::open, problem,
                       {{"Try again", ask::OpenDatabase{file.string()}}, {"Open another...", ask::OpenDatabase{}}});
    });
  });
}

void Database::take(const std::filesystem::path& file, const std::vector<std::string>& also_called) {
  for (const NoticeId id : {NoticeId::open, NoticeId::database, NoticeId::resume, NoticeId::recorded_shown})
    messages_.dismiss(id);
  if (!data_.database.empty()) messages_.dismiss(NoticeId::recorded_offer);
  undo_.keep();
  hidden_sweep_ = 0;
  opened_once_ = true;
  data_.problem.clear();
  read_problem_.clear();
  const std::string previous = std::exchange(data_.database, file.string());
  if (shows_recorded()) take_recorded(previous);
  ui_.selection = {};
  ui_.row_note = {};
  ui_.sweep_note = {};
  auto& recent = ui_.settings.recent_databases;
  std::erase_if(recent, [&](const std::string& one) {
    return one == data_.database || std::ranges::find(also_called, one) != also_called.end();
  });
  data_.also_called = also_called;
  data_.database_words = database_words(file);
  recent.insert(recent.begin(), data_.database);
  if (recent.size() > kRecentDatabases) recent.resize(kRecentDatabases);
  ui_.settings.last_database = data_.database;
  messages_.log(Severity::info, fmt::format("Opened {}.", data_.database));
  data_.shown.reset();
  read_shown_.reset();
  read_selected_.reset();
  data_.beside.reset();
  data_.figures.reset();
  data_.beside_reference.reset();  // another file's measurements have the same numbers
  data_.table = {};
  data_.same_device.clear();
  data_.compare_pairs = {};
  data_.sweeps.clear();
  read(true);
}

void Database::take_recorded(const std::string& previous) {
  ui_.settings.offer_recorded = false;
  messages_.dismiss(NoticeId::recorded_offer);
  std::vector<Notice::Action> back;
  if (!previous.empty() && previous != data_.database)
    back.push_back({"Back to " + std::filesystem::path(previous).filename().string(), ask::OpenDatabase{previous}});
  messages_.notify(Severity::info, NoticeId::recorded_shown,
                   "These sweeps were recorded on an H200. You can look at them and compare them, but not change them.",
                   std::move(back));
}

void Database::read(bool comparisons_changed) {
  if (data_.database.empty()) return;
  const Selection& selection = ui_.selection;
  ReadRequest request{data_.database,     selection.shown_sweep, selection.baseline_sweep,
                      selection.compared, selection.all(),       ui_.settings.tolerance,
                      hidden_sweep_,      selection.reference,   selection.other_database,
                      selection.versions};
  if (comparisons_changed) data_.loading = data_.sweeps.empty();
  replace_read("read", request.file, [this, request] {
    const auto tell = [this, &request](ReadResult read, bool complete) {
      queue_.push([this, request, result = std::make_shared<ReadResult>(std::move(read)), complete]() mutable {
        show(request, *result, complete);
        reader_thread_.add([old = std::move(result)] {});  // many rows take their time to be freed
      });
    };
    tell(reader_.read(request, [&](const ReadResult& rows) { tell(rows, false); }), true);
  });
}

void Database::find_before(std::function<void(const DatabaseReader::Before&)> then) {
  const ReadRequest request{.file = data_.database, .shown = ui_.selection.shown_sweep, .hidden = hidden_sweep_};
  replace_read("before", request.file, [this, request, then = std::move(then)] {
    queue_.push([this, request, then, before = reader_.sweep_before(request)] {
      if (request.file == data_.database && request.shown == ui_.selection.shown_sweep) then(before);
    });
  });
}

void Database::replace_read(const char* tag, const std::filesystem::path& file, std::function<void()> job) {
  reader_thread_.replace(tag, [this, file, job = std::move(job)] {
    try {
      job();
    } catch (const std::exception& error) {
      queue_.push([this, file, why = plain_text(error)] { report_unreadable(file, why); });
    }
  });
}

void Database::report_unreadable(const std::filesystem::path& file, const std::string& why) {
  data_.loading = false;
  if (file != data_.database) return;
  read_problem_ = why;
  std::error_code unknown;
  if (data_.shown && !std::filesystem::exists(file, unknown)) return report_gone();
  if (!data_.shown) data_.problem = why;
  messages_.notify(Severity::error, NoticeId::database, why, {{"Open another...", ask::OpenDatabase{}}});
}

namespace {

/// What was shown goes with the result.
void take_comparisons(DatabaseData& data, ReadResult& result) {
  std::swap(data.compared, result.compared);
  std::swap(data.compare_table, result.compare_table);
  std::swap(data.same_device, result.same_device);
  std::swap(data.compare_pairs, result.compare_pairs);
  data.changes = result.changes;
  data.versions = result.versions;
}

}  // namespace

void Database::show(const ReadRequest& asked, ReadResult& result, bool complete) {
  if (asked.file != data_.database) return;  // another database was opened meanwhile
  Selection& selection = ui_.selection;
  // What was asked for is no longer what is chosen: another read is on its way.
  const bool newest = asked.shown == 0 && result.shown &&
                      (selection.shown_sweep == 0 || selection.shown_sweep == result.shown->info.id);
  if (asked.shown != selection.shown_sweep && !newest) return;
  read_problem_.clear();
  // Sweeps that were read before are the same objects: then nothing that is made of them must be made again.
  const bool changed =
      read_shown_ != result.shown || data_.baseline != result.baseline || asked.tolerance != shown_tolerance_ ||
      data_.beside_reference != result.beside_reference ||
      (data_.against_baseline == nullptr) != (result.against_baseline == nullptr) ||
      (complete && (!same_sweeps(data_.compared, result.compared) || data_.same_device != result.same_device ||
                    !data_.compare_pairs != !result.compare_pairs));
  shown_tolerance_ = asked.tolerance;
  const bool first = data_.sweeps.empty() && !result.sweeps.empty() && !complete;
  if (!result.sweeps.empty() && std::exchange(called_new_, false)) messages_.dismiss(NoticeId::open);
  data_.loading = false;
  data_.problem.clear();
  data_.read_only = result.read_only || shows_recorded();
  if (selection.shown_sweep == 0 && result.shown) selection.shown_sweep = result.shown->info.id;
  // What was shown goes with the result.
  std::swap(data_.sweeps, result.sweeps);
  std::swap(read_shown_, result.shown);
  std::swap(data_.baseline, result.baseline);
  std::swap(data_.against_baseline, result.against_baseline);
  std::swap(data_.beside_reference, result.beside_reference);
  std::swap(data_.table, result.table);
  if (complete) {
    take_comparisons(data_, result);
    if (data_.compared.size() > 1) messages_.dismiss(NoticeId::compared);
    messages_.dismiss(NoticeId::database);
    read_problem_ = result.selected_problem;
    if (!read_problem_.empty()) messages_.notify(Severity::error, NoticeId::database, read_problem_, {});
    if (!result.versions_problem.empty() && asked.versions == selection.versions) {
      selection.versions.reset();
      messages_.notify(Severity::warning, NoticeId::versions, result.versions_problem, {});
    }
    tell_reference();
    if (!result.other_problem.empty() && asked.other == selection.other_database) leave_other(result.other_problem);
  }
  if (selection.pinned() == asked.first()) read_selected_ = result.selected;
  if (selection.pinned() == 0) read_selected_.reset();
  if (selection.all() == asked.selected) {
    data_.beside = result.beside;
    data_.figures = result.figures;
  }
  if (selection.beside() == 0) {
    data_.beside.reset();
    data_.figures.reset();
  }
  data_.shown = read_shown_;
  data_.selected = read_selected_;
  add_unstored(data_);
  if (changed || data_.shown != read_shown_) ++data_.revision;
  on_read(first, complete);
}

// Once: the table stands beside nothing until another is chosen.
void Database::tell_reference() {
  const std::string problem = data_.beside_reference ? data_.beside_reference->problem : std::string();
  if (std::exchange(reference_problem_, problem) == problem) return;
  if (problem.empty()) {
    messages_.dismiss(NoticeId::reference);
    return;
  }
  messages_.notify(Severity::warning, NoticeId::reference, problem,
                   {{"Stand beside the usual one", ask::SetReference{"auto"}}});
}

void Database::leave_other(const std::string& why) {
  ui_.selection.other_database.clear();
  messages_.notify(Severity::error, NoticeId::other_database, why,
                   {{"Choose another...", FileRequest(ask::CompareDatabase{})}});
}

void Database::show_again() {
  data_.shown = read_shown_;
  data_.selected = read_selected_;
  add_unstored(data_);
  ++data_.revision;
}

void Database::no_longer_measured(std::int64_t sweep) {
  for (SweepInfo& one : data_.sweeps) one.running = one.running && one.id != sweep;
  if (read_shown_ && read_shown_->info.id == sweep && read_shown_->info.running) {
    auto ended = std::make_shared<SweepResults>(*read_shown_);
    ended->info.running = false;
    read_shown_ = std::move(ended);
  }
  show_again();
}

bool Database::still_there() {
  if (!opened_once_ || !is_missing(data_.database)) return true;
  report_gone();
  return false;
}

void Database::report_gone() {
  messages_.notify(
      Severity::error, NoticeId::database,
      fmt::format("{} is gone: it was moved or deleted. Triscope still holds it open, so nothing is lost yet: "
                  "save a copy, or put it back.",
                  data_.database),
      {{"Save a copy...", ask::SaveDatabaseCopy{}}, {"Open another...", ask::OpenDatabase{}}});
}

void Database::write(std::function<void(Store&)> change, std::function<void(const std::string& problem)> done) {
  writer_thread_.add(
      [this, change = std::move(change), done = std::move(done), file = std::filesystem::path(data_.database)] {
        try {
          if (is_missing(file)) {
            return queue_.push([this, done] {
              report_gone();
              done("The database is gone.");
            });
          }
          Store store(file);
          change(store);
          queue_.push([this, done] {
            read(true);
            done({});
          });
        } catch (const std::exception& error) {
          messages_.notify_later(Severity::error, NoticeId::write, error.what());
          queue_.push([done, why = std::string(error.what())] { done(why); });
        }
      });
}

void Database::import(const std::filesystem::path& file) {
  write([this, file](Store& store) {
    const auto left_out = [this](const std::string& sentence) {
      queue_.push([this, sentence] { messages_.log(Severity::warning, sentence + "."); }, false);
    };
    const std::int64_t count = store.import(file, {request_fault, left_out, closing_.get_token()});
    messages_.notify_later(Severity::info, NoticeId::import,
                           fmt::format("Copied {} from {}.", counted(count, "measurement"), file.string()));
  });
}

void Database::save_copy(const std::filesystem::path& file) {
  reader_thread_.add([this, file] {
    try {
      reader_.save_copy(file);
      queue_.push([this, file] {
        messages_.dismiss(NoticeId::database);
        open(file);
      });
    } catch (const std::exception& error) {
      messages_.notify_later(Severity::error, NoticeId::database_copy, error.what(),
                             {{"Save a copy...", ask::SaveDatabaseCopy{}}});
    }
  });
}

void Database::poll() {
  const DatabaseReader::Change change = reader_.poll();
  if (change == DatabaseReader::Change::none) return;
  queue_.push([this, change] {
    if (change == DatabaseReader::Change::gone) return report_gone();
    if (change == DatabaseReader::Change::replaced)
      messages_.log(Severity::warning,
                    fmt::format("{} was replaced by another file: reading it again.", data_.database));
    read(true);
  });
}

}  // namespace triscope
