#include "app/window/sweep/sweep_session.hpp"

#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <future>
#include <utility>

#include "app/window/database/stored_sweeps.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/shell_word.hpp"
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

}  // namespace

SweepRequest SweepSession::request_of_form() {
  const FormReading reading = read_form(ui_.form, machine_.machine.catalog.get());
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
  measure(request_of_form(), std::nullopt);
}

void SweepSession::resume(const ask::Resume& asked) {
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
  require_given_again(sweep, info->request_json, request);
  measure(request, sweep);
}

void SweepSession::measure(const SweepRequest& request, std::optional<std::int64_t> resumed) {
  for (const NoticeId id : {NoticeId::resume, NoticeId::sweep, NoticeId::request}) messages_.dismiss(id);
  run_ = {};
  run_.running = true;
  run_.started = static_cast<std::int64_t>(std::time(nullptr));
  run_.furthest = 0;
  run_.database = database_.data().database;
  run_.sweep = resumed.value_or(0);
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
      message = error.what();
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
    queue_.push(
        [this, progress] {
          run_.progress = progress;
          run_.furthest = progress_share(run_, static_cast<std::int64_t>(std::time(nullptr)));
        },
        wake_is_due());
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
  observer.log = [this](const std::string& text) {
    queue_.push([this, text] { messages_.log(Severity::info, text); }, false);
  };
  return observer;
}

void SweepSession::follow(std::int64_t sweep) {
  run_.sweep = sweep;
  Selection& selection = ui_.selection;
  if (!measures_here(run_, database_.data()) || selection.shown_sweep == sweep) return;
  selection.shown_sweep = sweep;  // show it as it grows
  selection.pinned = 0;
  database_.read(true);
}

void SweepSession::stop() {
  run_.stopping = run_.running;
  thread_.request_stop();
}

void SweepSession::join() {
  if (thread_.joinable()) thread_.join();
}

void SweepSession::finish(const std::string& message, Severity severity) {
  run_.running = run_.stopping = false;
  on_end();
  run_.progress = Progress();
  run_.message = severity == Severity::error ? "The sweep was stopped by an error." : message;
  if (severity == Severity::error) {
    messages_.notify(severity, NoticeId::sweep, message);
  } else {
    messages_.log(severity, message);
  }
  if (!machine_.preview) planner_.ask_preview();
  database_.read(true);
}

}  // namespace triscope
