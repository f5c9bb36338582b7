// The application's threads: reading, measuring, planning, writing. Results come back through the queue.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>

#include "app/window/application.hpp"
#include "kernels/base/error.hpp"
#include "profiler/plan/plan.hpp"
#include "profiler/plan/progress.hpp"
#include "profiler/plan/request.hpp"
#include "views/data/format.hpp"

namespace triscope {
namespace {

/// While a sample is timed the window is drawn at most this often.
constexpr std::int64_t kProgressPeriodMs = 1000;

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
  if (measurement.status == Status::ok) text += fmt::format(", {}", format_latency(measurement.summary.median_ms));
  if (!measurement.reason.empty()) text += fmt::format(" ({})", measurement.reason);
  return text;
}

bool holds_gpu_sweeps(const WindowData& data) {
  return std::any_of(data.sweeps.begin(), data.sweeps.end(),
                     [](const SweepInfo& sweep) { return !sweep.environment.cuda_version.empty(); });
}

}  // namespace

std::string plain_text(const std::exception& error) {
  const auto* known = dynamic_cast<const Error*>(&error);
  return known ? fmt::format("{}: {}.", known->summary(), known->why()) : error.what();
}

void Application::read(bool comparisons_changed) {
  if (data_.database.empty()) return;
  const Selection& selection = ui_.selection;
  ReadRequest request{data_.database,     selection.shown_sweep, selection.baseline_sweep,
                      selection.compared, selection.pinned,      ui_.settings.tolerance,
                      deleted_sweep_};
  if (comparisons_changed) data_.loading = data_.sweeps.empty();
  reader_thread_->replace("read", [this, request] {
    try {
      const ReadResult result = reader_.read(
          request, [&](const ReadResult& rows) { queue_.push([this, request, rows] { show(request, rows, false); }); });
      queue_.push([this, request, result] { show(request, result, true); });
    } catch (const std::exception& error) {
      queue_.push([this, request, text = plain_text(error)] {
        data_.loading = false;
        if (request.file != data_.database) return;
        std::error_code unknown;
        if (data_.shown && !std::filesystem::exists(request.file, unknown)) return report_gone();
        if (!data_.shown) data_.problem = text;
        notify(Severity::error, "database", text, {{"Open another...", ask::OpenDatabase{}}});
      });
    }
  });
}

bool Application::database_is_gone() const {
  std::error_code unknown;
  return opened_once_ && !std::filesystem::exists(data_.database, unknown) && !unknown;
}

void Application::report_gone() {
  notify(Severity::error, "database",
         fmt::format("{} is no longer there: it was moved or deleted. It is still held open, so nothing is lost yet: "
                     "save a copy, or put it back.",
                     data_.database),
         {{"Save a copy...", ask::SaveDatabaseCopy{}}, {"Open another...", ask::OpenDatabase{}}});
}

void Application::show(const ReadRequest& asked, const ReadResult& result, bool complete) {
  if (asked.file != data_.database) return;  // another database was opened meanwhile
  Selection& selection = ui_.selection;
  // What was asked for is no longer what is chosen: another read is on its way.
  const bool newest = asked.shown == 0 && result.shown &&
                      (selection.shown_sweep == 0 || selection.shown_sweep == result.shown->info.id);
  if (asked.shown != selection.shown_sweep && !newest) return;
  const bool first = data_.sweeps.empty() && !result.sweeps.empty() && !complete;
  data_.loading = false;
  data_.problem.clear();
  data_.read_only = result.read_only || is_recorded(data_.database);
  data_.sweeps = result.sweeps;
  data_.shown = result.shown;
  data_.baseline = result.baseline;
  if (complete) {
    data_.against_baseline = result.against_baseline;
    data_.compared = result.compared;
    std::erase_if(data_.notices, [](const Notice& notice) { return notice.id == "database"; });
  }
  if (selection.shown_sweep == 0 && result.shown) selection.shown_sweep = result.shown->info.id;
  if (selection.pinned == asked.selected) data_.selected = result.selected;
  if (selection.pinned == 0) data_.selected.reset();
  ++data_.revision;
  if (first) offer_resume();
  if (first && holds_gpu_sweeps(data_)) {  // it was offered before they were read
    std::erase_if(data_.notices, [](const Notice& notice) {
      return notice.id == "recorded" && !notice.actions.empty() &&
             std::holds_alternative<ask::OpenRecorded>(notice.actions.front().request);
    });
  }
  if (complete) start_when_ready();
}

void Application::start_when_ready() {
  // Devices and database are found out on two threads: whichever answers last starts the sweep.
  if (!start_pending_ || !data_.machine.catalog || data_.database.empty() || data_.loading || pending_reads_ > 0)
    return;
  start_pending_ = false;
  if (data_.read_only || !(options_.run_at_start || data_.sweeps.empty())) return;
  carry_out(ask::Run{});
  if (options_.run_at_start || !data_.run.running) return;
  // Nobody asked for this sweep: say that it runs, and why.
  const auto recorded = std::find_if(data_.notices.begin(), data_.notices.end(),
                                     [](const Notice& notice) { return notice.id == "recorded"; });
  const bool offered = recorded != data_.notices.end();
  const std::vector<Notice::Action> actions = offered ? recorded->actions : std::vector<Notice::Action>{};
  if (offered) data_.notices.erase(recorded);  // `finish_sweep` offers it again
  const char* text =
      offered ? "First start: a small sweep runs now, on the CPU, since there is no GPU here. Measurements recorded on "
                "an H200 are there to look at."
              : "First start: the paper's windows are being measured. Stop ends it; what was measured is kept.";
  notify(Severity::info, "first", text, actions);
}

void Application::offer_resume() {
  if (data_.run.running || data_.read_only) return;
  const SweepInfo& newest = data_.sweeps.front();
  const std::int64_t done = newest.ok + newest.failed + newest.skipped;
  if (!newest.finished.empty() || newest.running || done >= newest.planned) return;
  notify(Severity::warning, "resume",
         fmt::format("The sweep of {} was interrupted after {} of {} measurements. Everything measured is kept.",
                     format_started(newest.started, std::time(nullptr)), done, newest.planned),
         {{"Resume", ask::Resume{newest.id}}});
}

SweepRequest Application::request_to_run(std::optional<std::int64_t> resume) {
  if (resume) {
    const SweepInfo* info = find_sweep(*resume);
    if (!info) throw Error("The sweep was not resumed", "it is no longer in the database", "run a new one");
    return sweep_request_from_json(info->request_json);
  }
  const FormReading reading = read_form(ui_.form, data_.machine.catalog.get());
  if (reading.problems.empty()) return reading.request;
  ui_.show(Panel::setup);
  std::string why = reading.problems.begin()->second;
  if (why.ends_with('.')) why.pop_back();
  throw Error("The sweep was not started", why, "mend the fields marked in the sweep setup");
}

void Application::start_sweep(std::optional<std::int64_t> resume) {
  if (data_.run.running) return;
  if (data_.database.empty()) throw Error("The sweep was not started", "no database is open", "open one first");
  const SweepRequest request = request_to_run(resume);
  std::erase_if(data_.notices, [](const Notice& notice) {
    return notice.id == "resume" || notice.id == "sweep" || notice.id == "request";
  });
  data_.run = {};
  data_.run.running = true;
  data_.run.started = static_cast<std::int64_t>(std::time(nullptr));
  data_.run.furthest = 0;
  data_.run.database = data_.database;
  data_.run.sweep = resume.value_or(0);
  pause_survey();
  // A preview that waits is not begun; the sweep waits for one that is being made, since it has a worker of its own.
  const auto planned = std::make_shared<std::promise<void>>();
  planner_thread_->replace("preview", [planned] { planned->set_value(); });
  log(Severity::info, resume ? "Resuming a sweep." : fmt::format("Measuring: {}", to_command_line(request)));
  sweep_thread_ =
      std::jthread([this, request, observer = sweep_observer(), resume, ready = planned->get_future().share(),
                    database = std::filesystem::path(data_.database)](std::stop_token stop) {
        std::string message;
        Severity severity = Severity::info;
        ready.wait();
        try {
          const SweepOutcome outcome = options_.engine.run(request, database, observer, stop, resume);
          message = outcome_text(outcome);
          if (outcome.failed > 0) severity = Severity::warning;
        } catch (const std::exception& error) {
          message = error.what();
          severity = Severity::error;
        }
        queue_.push([this, message, severity] { finish_sweep(message, severity); });
      });
}

SweepObserver Application::sweep_observer() {
  // The window is woken at most once a second while samples are timed.
  const auto wake_is_due = [this] {
    const std::int64_t now = now_ms();
    const bool due = now - last_progress_wake_ms_ >= kProgressPeriodMs;
    if (due) last_progress_wake_ms_ = now;
    return due;
  };
  SweepObserver observer;
  observer.started = [this](std::int64_t sweep) { queue_.push([this, sweep] { follow_sweep(sweep); }); };
  observer.progress = [this, wake_is_due](const Progress& progress) {
    queue_.push(
        [this, progress] {
          data_.run.progress = progress;
          data_.run.furthest = progress_share(data_.run, static_cast<std::int64_t>(std::time(nullptr)));
        },
        wake_is_due());
  };
  observer.measured = [this, wake_is_due](const Measurement& measurement, std::int64_t) {
    const Severity severity = measurement.status == Status::failed ? Severity::error : Severity::info;
    queue_.push(
        [this, text = result_text(measurement), severity] {
          log(severity, text);
          if (data_.measures_here()) read(false);
        },
        wake_is_due());
  };
  observer.log = [this](const std::string& text) { queue_.push([this, text] { log(Severity::info, text); }, false); };
  return observer;
}

void Application::follow_sweep(std::int64_t sweep) {
  data_.run.sweep = sweep;
  if (data_.run.database != data_.database || ui_.selection.shown_sweep == sweep) return;
  ui_.selection.shown_sweep = sweep;  // show it as it grows
  ui_.selection.pinned = 0;
  read(true);
}

void Application::finish_sweep(const std::string& message, Severity severity) {
  data_.run.running = data_.run.stopping = false;
  if (std::erase_if(data_.notices, [](const Notice& notice) { return notice.id == "first"; }) > 0) offer_recorded();
  data_.run.progress = Progress();
  data_.run.message = severity == Severity::error ? "The sweep was stopped by an error." : message;
  if (severity == Severity::error) {
    notify(severity, "sweep", message);
  } else {
    log(severity, message);
  }
  if (!data_.preview) ask_preview();
  read(true);
}

void Application::ask_machine() {
  data_.machine.loading = true;
  planner_thread_->replace("machine", [this] {
    Machine machine;
    machine.loading = false;
    try {
      machine.catalog = options_.engine.catalog();
    } catch (const std::exception& error) {
      machine.problem = error.what();
    }
    queue_.push([this, machine] {
      data_.machine = machine;
      if (!machine.problem.empty()) {
        notify(Severity::warning, "machine", machine.problem);
        return;
      }
      for (const Device& device : machine.catalog->devices)
        log(Severity::info, fmt::format("Device {}: {}", device.id, device.name));
      offer_recorded();
      // A form nobody has touched takes the shape that suits this machine.
      if (ui_.form == default_form(false)) {
        const Device& device = choose_device(*machine.catalog, "auto");
        ui_.form = form_of(with_defaults(SweepRequest{}, device), nullptr);
        if (device.kind == DeviceKind::cpu) {  // about a minute, as `./run` without a display takes
          ui_.form.precision_percent = 1;
          ui_.form.budget_seconds = 2;
        }
      }
      start_when_ready();
      ask_preview();
    });
  });
}

void Application::offer_recorded() {
  const auto& devices = data_.machine.catalog->devices;
  const bool gpu =
      std::any_of(devices.begin(), devices.end(), [](const Device& device) { return device.kind == DeviceKind::cuda; });
  if (gpu || holds_gpu_sweeps(data_) || !ui_.settings.offer_recorded || data_.recorded_database.empty() ||
      is_recorded(data_.database))
    return;
  notify(Severity::info, "recorded",
         "There is no GPU here: sweeps run on the CPU. Measurements recorded on an H200 are there to look at.",
         {{"Look at them", ask::OpenRecorded{}}});
}

void Application::ask_preview() {
  if (!data_.machine.catalog) return;
  const FormReading reading = read_form(ui_.form, data_.machine.catalog.get());
  data_.preview.reset();
  if (data_.run.running) return;  // it would start a worker beside what is timed; `finish_sweep` asks
  if (!reading.problems.empty()) return;
  planner_thread_->replace("preview", [this, request = reading.request, catalog = data_.machine.catalog] {
    auto preview = std::make_shared<PlanPreview>();
    try {
      *preview = options_.engine.preview(request, *catalog);
    } catch (const std::exception& error) {
      preview->problem = error.what();
    }
    queue_.push([this, preview] { data_.preview = preview; });
  });
}

void Application::write(std::function<void(Store&)> change) {
  writer_thread_->add([this, change = std::move(change), file = std::filesystem::path(data_.database)] {
    try {
      std::error_code unknown;
      if (!std::filesystem::exists(file, unknown) && !unknown) return queue_.push([this] { report_gone(); });
      Store store(file);
      change(store);
      queue_.push([this] { read(true); });
    } catch (const std::exception& error) {
      queue_.push([this, text = std::string(error.what())] { notify(Severity::error, "write", text); });
    }
  });
}

void Application::poll_database() {
  const DatabaseReader::Change change = reader_.poll();
  if (change == DatabaseReader::Change::none) return;
  queue_.push([this, change] {
    if (change == DatabaseReader::Change::gone) return report_gone();
    if (change == DatabaseReader::Change::replaced)
      log(Severity::warning, fmt::format("{} was replaced by another file: reading it again.", data_.database));
    read(true);
  });
}

}  // namespace triscope
