#include "app/window/sweep/first_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <exception>
#include <utility>

#include "profiler/plan/done_count.hpp"
#include "views/data/format.hpp"

namespace triscope {
namespace {

bool holds_gpu_sweeps(const WindowData& data) {
  return std::any_of(data.sweeps.begin(), data.sweeps.end(),
                     [](const SweepInfo& sweep) { return !sweep.environment.cuda_version.empty(); });
}

}  // namespace

void FirstStart::machine_known() {
  offer_recorded();
  start_when_ready();
}

void FirstStart::database_read(bool first, bool complete) {
  if (first) offer_resume();
  // It may have been offered before they were read.
  if (first && holds_gpu_sweeps(data_)) messages_.dismiss(NoticeId::recorded_offer);
  if (complete) start_when_ready();
}

void FirstStart::sweep_ended() {
  if (messages_.dismiss(NoticeId::first_sweep)) offer_recorded();
}

void FirstStart::start_when_ready() {
  // Devices and database are found out on two threads: whichever answers last starts the sweep.
  if (run_ == AutoRun::never || !data_.machine.catalog || data_.database.empty() || data_.loading || database_.opens())
    return;
  const AutoRun run = std::exchange(run_, AutoRun::never);
  if (data_.read_only || !(run == AutoRun::always || data_.sweeps.empty())) return;
  try {
    sweep_.start();
  } catch (const std::exception& error) {  // a kept form may name a device or a kernel that is not here
    messages_.notify(Severity::error, NoticeId::request, error.what());
    return;
  }
  if (run == AutoRun::when_empty && data_.run.running) say_that_it_runs();
}

void FirstStart::say_that_it_runs() {
  std::vector<Notice::Action> actions;
  const Notice* offer = messages_.find(NoticeId::recorded_offer);
  const bool offered = offer != nullptr;
  if (offered) actions = offer->actions;
  messages_.dismiss(NoticeId::recorded_offer);  // `sweep_ended` offers it again
  const char* text =
      offered ? "First start: a small sweep runs now, on the CPU, since there is no GPU here. You can look at "
                "measurements of an H200 meanwhile."
              : "First start: the paper's windows are being measured. Stop ends it; what was measured is kept.";
  messages_.notify(Severity::info, NoticeId::first_sweep, text, std::move(actions));
}

void FirstStart::offer_recorded() {
  const auto& devices = data_.machine.catalog->devices;
  const bool gpu =
      std::any_of(devices.begin(), devices.end(), [](const Device& device) { return device.kind == DeviceKind::cuda; });
  if (gpu || holds_gpu_sweeps(data_) || !settings_.offer_recorded || data_.recorded_database.empty() ||
      database_.shows_recorded())
    return;
  messages_.notify(Severity::info, NoticeId::recorded_offer,
                   "There is no GPU here: sweeps run on the CPU. You can look at measurements recorded on an H200.",
                   {{"Look at them", ask::OpenRecorded{}}});
}

void FirstStart::offer_resume() {
  if (data_.run.running || data_.read_only) return;
  const SweepInfo& newest = data_.sweeps.front();
  const std::int64_t done = done_count(newest);
  if (!newest.finished.empty() || newest.running || done >= newest.planned) return;
  messages_.notify(Severity::warning, NoticeId::resume,
                   fmt::format("The sweep of {} was interrupted after {} of {}. Everything measured is "
                               "kept; Resume measures the rest.",
                               format_started(newest.started, std::time(nullptr)), format_count(done),
                               counted(newest.planned, "measurement")),
                   {{"Resume", ask::Resume{newest.id}}});
}

}  // namespace triscope
