#include "app/window/sweep/sweep_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <future>
#include <utility>

#include "app/window/database/stored_sweeps.hpp"
#include "app/window/sweep/rows_in_work.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/text/shell_word.hpp"
#include "profiler/plan/progress.hpp"
#include "profiler/plan/request.hpp"
#include "profiler/store/open/default_database.hpp"
#include "views/data/format.hpp"
#include "views/model/measure_more.hpp"

namespace triscope {
namespace {

/// While a sample is timed the window is drawn at most this often.
constexpr std::int64_t kProgressPeriodMs = 1000;

constexpr const char* kOnceDone = "More is measured once what is planned is done.";

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::string outcome_text(const SweepOutcome& outcome) {
  std::string text = fmt::format("{} measured", outcome.ok);
  if (outcome.failed > 0) text += fmt::format(", {} failed", outcome.failed);
  if (outcome.skipped > 0) text += fmt::format(", {} skipped", outcome.skipped);
  if (outcome.cancelled > 0) text += fmt::format(", {} not finished", outcome.cancelled);
  return outcome.stopped ? fmt::format("Stopped: {}.", text) : fmt::format("Done: {}.", text);
}

/// What was measured, as a line of the log.
std::string result_text(const Measurement& measurement) {
  std::string text = fmt::format("{} {} {}: {}", measurement.key.kernel, to_string(measurement.key.pass),
                                 describe(measurement.key.problem), to_string(measurement.status));
  if (measurement.status == Status::ok) text += fmt::format(", {}", format_ms(measurement.summary.median_ms));
  if (!measurement.reason.empty()) text += fmt::format(" ({})", measurement.reason);
  return text;
}

}  // namespace

SweepRequest SweepSession::request_of_form() {
  const FormReading reading = read_form(ui_.form, machine_.machine.catalog.get(), &machine_.library);
  if (reading.problems.empty()) return reading.request;
  ui_.show(Panel::setup);
  std::string why = reading.problems.begin()->second;
  if (why.ends_with('.')) why.pop_back();
  throw Error("The sweep was not started", why, "correct the fields marked in the sweep setup");
}

void SweepSession::start() {
  if (!database_.still_there() || run_.running) return;
  if (database_.data().database.empty())
    throw Error("The sweep was not started", "no database is open", "open one first");
  control_.reset();
  measure(request_of_form(), std::nullopt);
}

void SweepSession::resume(const ask::Resume& asked) {
  // A wish waits for the command that runs the worker; it was called off where that is asked for anew.
  if (!run_.running && asked.worker_prefix.empty()) control_.reset();
  try {
    go_on(asked);
  } catch (const Error& error) {
    if (asked.worker_prefix.empty()) throw;
    ui_.prefix = {asked.sweep, asked.worker_prefix,
                  with_database(error.what(), database_.data().database)};  // it can be mended there
  }
}

void SweepSession::go_on(const ask::Resume& asked) {
  if (!database_.still_there() || run_.running) return;
  const std::int64_t sweep = asked.sweep ? asked.sweep : ui_.selection.shown_sweep;
  if (database_.data().database.empty())
    throw Error("The sweep was not resumed", "no database is open", "open one first");
  const SweepInfo* info = find_sweep(database_.data(), sweep);
  if (!info) throw Error("The sweep was not resumed", "it is no longer in the database", "run a new one");
  SweepRequest request = sweep_request_from_json(info->request_json);
  request.worker_prefix = split_words(asked.worker_prefix);
  if (request.worker_prefix.empty() && was_remote(info->request_json)) {
    ui_.prefix = {sweep, ""};
    return;
  }
  // The very file that it measured is open: the user has named it.
  const KernelLibrary& library = machine_.library;
  if (!library.file.empty() && info->request_json.find(library.sha256) != std::string::npos) {
    request.plugin = library.file;
    request.plugin_sha256 = library.sha256;
  }
  require_given_again(sweep, info->request_json, request);
  measure(request, sweep);
}

void SweepSession::ask_for_more(const std::function<void(SweepControl&)>& wish, const char* when) {
  if (!can_measure_more(database_.data(), run_)) {
    throw Error(
        "Nothing more is measured",
        run_.running ? "another sweep than the shown one is in work" : "nothing can be added to the shown sweep",
        run_.running ? "wait until it has ended" : "run a new one");
  }
  if (run_.running) {
    if (control_) wish(*control_);
    messages_.log(Severity::info, when);
    return;
  }
  control_ = std::make_shared<SweepControl>();
  wish(*control_);
  try {
    go_on({database_.data().shown->info.id, {}});  // another one may have been chosen that is not read yet
  } catch (...) {
    control_.reset();
    throw;
  }
  if (!run_.running && ui_.prefix.sweep == 0) control_.reset();
}

void SweepSession::measure_again(const ask::MeasureAgain& asked) {
  const std::int64_t row = asked.measurement != 0 ? asked.measurement : ui_.selection.pinned();
  if (row <= 0) return;
  // Rows count from 1 in each file, and a chart also selects rows of other sweeps.
  const SweepResults* shown = database_.data().shown.get();
  if (shown == nullptr || std::ranges::find(shown->rows, row, &ResultRow::measurement) == shown->rows.end())
    throw Error("The row is not measured again", "it is not of the shown sweep", "show its sweep first");
  ask_for_more([row](SweepControl& control) { control.measure_again(row); }, kOnceDone);
}

void SweepSession::measure_longer(const ask::MeasureLonger& asked) {
  LongerWish wish;
  if (const std::optional<std::size_t> group = asked.group    ? asked.group
                                               : run_.running ? ui_.queue_group
                                                              : std::nullopt) {
    wish.groups.push_back(*group);
  } else if (const SweepResults* shown = database_.data().shown.get()) {
    for (const ResultRow& row : shown->rows) {
      if (!ui_.selection.contains(row.measurement)) continue;
      // What is in work is known by its group: it may not be stored yet, or without a time.
      if (run_.live.at && find_live(run_, row.measurement) != nullptr)
        wish.groups.push_back(*run_.live.at);
      else
        wish.rows.push_back(row.measurement);
    }
  }
  if (wish.empty()) throw Error("No row is measured longer", "no row of the shown sweep is selected", "select one");
  ask_for_more([&wish](SweepControl& control) { control.measure_longer(wish); },
               "The rows are measured longer: their restarts stand at the end of the queue.");
}

void SweepSession::measure_unclear() {
  ask_for_more(
      [reference = ui_.selection.reference](SweepControl& control) { control.measure_unclear_longer(reference); },
      kOnceDone);
}

void SweepSession::skip(std::size_t group) {
  const SweepQueue* queue = run_.live.queue.get();
  if (!control_ || queue == nullptr || group >= queue->groups.size()) return;
  for (std::size_t n = group; n < queue->groups.size(); ++n) {
    if (queue->groups[n].part != queue->groups[group].part) continue;
    control_->skip(n);
    run_.live.left_out.insert(n);
  }
}

void SweepSession::move(const ask::MoveGroup& asked) {
  const std::optional<std::size_t> group = asked.group ? asked.group : ui_.queue_group;
  if (!control_ || !group) return;
  control_->move(*group, asked.by);
  run_.live.waiting = control_->waiting();
}

void SweepSession::measure(const SweepRequest& request, std::optional<std::int64_t> resumed) {
  for (const NoticeId id : {NoticeId::resume, NoticeId::sweep, NoticeId::request, NoticeId::kernel})
    messages_.dismiss(id);
  run_ = {};
  run_.running = true;
  run_.database = database_.data().database;
  run_.sweep = resumed.value_or(0);
  control_ = control_ ? control_ : std::make_shared<SweepControl>();
  ui_.queue_group.reset();
  on_start();
  // A preview that waits is not begun; the sweep waits for one that is being made, since it has a worker of its own.
  const std::shared_future<void> planned = planner_.pause();
  messages_.log(Severity::info, resumed ? "Resuming a sweep." : fmt::format("Measuring: {}", to_command_line(request)));
  thread_ = std::jthread([this, request, observer = observer(), resumed, planned,
                          file = std::filesystem::path(run_.database)](std::stop_token stop) {
    std::string message;
    Severity severity = Severity::info;
    planned.wait();
    try {
      const SweepOutcome outcome = engine_.run(request, file, observer, stop, resumed);
      message = outcome_text(outcome);
      if (outcome.failed > 0) severity = Severity::warning;
    } catch (const std::exception& error) {
      message = with_database(error.what(), file);
      severity = Severity::error;
    }
    queue_.push([this, message, severity] { finish(message, severity); });
  });
}

bool SweepSession::wake_is_due() {
  const std::int64_t now = now_ms();
  const bool due = now - last_wake_ms_ >= kProgressPeriodMs;
  if (due) last_wake_ms_ = now;
  return due;
}

SweepObserver SweepSession::observer() {
  SweepObserver observer;
  observer.started = [this](std::int64_t sweep) { queue_.push([this, sweep] { follow(sweep); }); };
  observer.progress = [this](const Progress& progress) {
    queue_.push([this, progress] { run_.progress = progress; }, wake_is_due());
  };
  observer.control = control_;
  observer.queued = [this](std::shared_ptr<const SweepQueue> queue) {
    queue_.push(
        [this, queue = std::move(queue)] {
          run_.live.queue = queue;
          run_.live.waiting = control_->waiting();
        },
        false);
  };
  observer.began = [this](const SweepStage& stage) { queue_.push([this, stage] { begin(stage); }, wake_is_due()); };
  observer.sampled = [this](const MeasurementKey& key, const std::vector<Sample>& samples) {
    // What is shown changes as often as it is drawn.
    const bool due = now_ms() - last_samples_ms_ >= kProgressPeriodMs;
    if (due) last_samples_ms_ = now_ms();
    queue_.push(
        [this, key, samples, due] {
          add_samples(run_.live, key, samples);
          if (due) database_.show_again();
        },
        due);
  };
  observer.measured = [this](const Measurement& measurement, std::int64_t) {
    const Severity severity = measurement.status == Status::failed ? Severity::error : Severity::info;
    queue_.push(
        [this, text = result_text(measurement), severity] {
          messages_.log(severity, text);
          if (measures_here(run_, database_.data())) database_.read(false);
        },
        wake_is_due());
  };
  observer.unstored = [this](const Unstored& unstored) { queue_.push([this, unstored] { say_unstored(unstored); }); };
  observer.log = [this](const std::string& text) {
    queue_.push([this, text] { messages_.log(Severity::info, text); }, false);
  };
  return observer;
}

void SweepSession::say_unstored(const Unstored& unstored) {
  if (unstored.why.empty()) return messages_.notify(Severity::info, NoticeId::unstored, unstored.kept);
  messages_.notify(Severity::error, NoticeId::unstored,
                   fmt::format("{} {} After Stop, Resume (Ctrl+F5) stores or measures what is missing.", unstored.why,
                               unstored.kept));
}

void SweepSession::follow(std::int64_t sweep) {
  run_.sweep = sweep;
  Selection& selection = ui_.selection;
  if (!measures_here(run_, database_.data()) || selection.shown_sweep == sweep) return;
  selection.shown_sweep = sweep;  // show it as it grows
  selection.select(0);
  database_.read(true);
}

void SweepSession::begin(const SweepStage& stage) {
  if (const LiveRow* chosen = find_live(run_, ui_.selection.pinned()); chosen && ui_.selection.pinned() < 0)
    unstored_choice_ = chosen->row;
  run_.live.rows = rows_of(stage, machine_.machine.catalog.get());
  run_.live.at = stage.group;
  run_.live.waiting = control_->waiting();
  run_.live.correction = stage.correction;
  run_.live.precision = stage.precision;
  if (measures_here(run_, database_.data())) database_.read(false);
}

void SweepSession::complete(DatabaseData& data) {
  summarize_new_samples(run_.live);
  if (!data.shown || !measures_here(run_, data) || data.shown->info.id != run_.sweep) return;
  // A row that was selected in work is the same once it is stored.
  const std::int64_t pinned = ui_.selection.pinned();
  const LiveRow* chosen = pinned < 0 ? find_live(run_, pinned) : nullptr;
  const std::optional<ResultRow> looked_for = chosen ? std::optional(chosen->row) : unstored_choice_;
  if (pinned < 0 && looked_for) {
    for (const ResultRow& row : data.shown->rows) {
      if (!is_same_row(row, *looked_for)) continue;
      ui_.selection.select(row.measurement);
      unstored_choice_.reset();
      database_.read(false);
      break;
    }
  }
  take_stored_numbers(run_.live, *data.shown);
  data.selected = with_samples_in_work(data.selected, ui_.selection.pinned(), *data.shown, run_);
  data.shown = with_rows_in_work(data.shown, run_);
}

void SweepSession::stop() {
  run_.stopping = run_.running;
  thread_.request_stop();
}

void SweepSession::join() {
  if (thread_.joinable()) thread_.join();
}

void SweepSession::finish(const std::string& message, Severity severity) {
  const bool here = measures_here(run_, database_.data());
  run_.running = run_.stopping = false;
  run_.live = {};
  ui_.queue_group.reset();
  if (here) database_.no_longer_measured(run_.sweep);
  control_.reset();
  if (ui_.selection.pinned() < 0) ui_.selection.select(0);
  on_end();
  run_.progress = Progress();
  run_.message = severity == Severity::error ? "The sweep was stopped by an error." : message;
  if (severity == Severity::error) {
    messages_.dismiss(NoticeId::unstored);  // this says it
    std::vector<Notice::Action> actions;
    if (run_.sweep != 0) actions.push_back({"Resume", ask::Resume{run_.sweep}});
    messages_.notify(severity, NoticeId::sweep, message, std::move(actions));
  } else {
    messages_.log(severity, message);
  }
  if (!machine_.preview) planner_.ask_preview();
  database_.read(true);
}

}  // namespace triscope
