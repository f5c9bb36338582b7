// Keeps the attention panel supplied: opens its sources and asks for what it shows and has not got. Slices have one
// worker, what takes longer (overviews, sheets of heads) another, so that scrubbing never waits for them.
#include "app/window/application.hpp"
#include "kernels/base/error.hpp"
#include "profiler/export/slice_export.hpp"
#include "views/attention/attention_parts.hpp"

namespace triscope {

template <typename Answer, typename Ask, typename Take>
void Application::inspect(BackgroundThread& thread, Inspector& inspector, const std::string& slot, Ask ask, Take take) {
  thread.replace(slot, [this, &inspector, device = attention_device_, stop = inspector.stop.get_token(), ask, take] {
    std::shared_ptr<const Answer> answer;
    std::string problem;
    try {
      const Engine& engine = options_.engine;
      if (!engine.inspector)
        throw Error("The tensors cannot be looked at", "this window has no worker", "build Triscope completely");
      if (!inspector.worker || inspector.device != device) {
        inspector.worker.reset();  // first: a GPU need not hold two
        inspector.worker.emplace(engine.inspector(device));
        inspector.device = device;
      }
      answer = std::make_shared<const Answer>(ask(*inspector.worker, stop));
    } catch (const std::exception& error) {
      problem = error.what();
    }
    queue_.push([this, device, stop, answer, problem, take] {
      if (device == attention_device_ && !stop.stop_requested()) take(answer, problem);
    });
  });
}

void Application::choose_attention_device() {
  AttentionUi& ui = ui_.attention;
  if (!ui.device_chosen && data_.machine.catalog) ui.device = first_device(*data_.machine.catalog);
  if (ui.device == attention_device_) return;
  // All is asked for anew; what is shown stays until the answers come. Sources are opened by whoever needs them.
  attention_device_ = ui.device;
  ui.kernel.clear();
  AttentionData& data = data_.attention;
  for (AttentionSideData& side : data.sides) {
    side.pending.reset();
    if (!side.source) side.asked.reset();
  }
  if (!data.draft.source && data.draft.problem.empty()) data.draft.asked.reset();
  data.overview.pending.reset();
  data.sheet.pending.reset();
  data.kernel_row.pending.reset();
  data.kernel_row = {};
}

void Application::ask_source(OpenedSource& place, const AttentionSource& source, const std::string& slot) {
  place.asked = source;
  inspect<SourceReply>(
      *slice_thread_, slice_worker_, slot,
      [source](Supervisor& worker, std::stop_token stop) { return worker.source({source}, stop); },
      [&place, source](std::shared_ptr<const SourceReply> reply, const std::string& problem) {
        if (place.asked != source) return;  // another one was chosen meanwhile
        place.source = std::move(reply);
        place.problem = problem;
      });
}

void Application::supply_draft() {
  const SourceDraft& draft = ui_.attention.draft;
  OpenedSource& tried = data_.attention.draft;
  if (!draft.open) {
    tried = {};
  } else if (draft.submitted && tried.asked != draft.source) {
    tried = {};
    ask_source(tried, draft.source, "draft");
  }
}

void Application::supply_source(int which) {
  AttentionSideData& side = data_.attention.sides[static_cast<std::size_t>(which)];
  const AttentionSource& wanted = ui_.attention.sides[static_cast<std::size_t>(which)].source;
  const OpenedSource& tried = data_.attention.draft;
  if (side.asked == wanted) return;
  side = {};
  if (tried.source && tried.asked == wanted) {
    static_cast<OpenedSource&>(side) = tried;
  } else {
    ask_source(side, wanted, which == 0 ? "source A" : "source B");
  }
}

void Application::ask_slice(int which) {
  AttentionSideData& side = data_.attention.sides[static_cast<std::size_t>(which)];
  const std::optional<SliceRequest> wanted = wanted_slice(ui_.attention, data_.attention, which);
  if (!wanted || side.pending == wanted || (side.slice_of == *wanted && side.slice_device == attention_device_)) return;
  side.pending = wanted;
  inspect<Slice>(
      *slice_thread_, slice_worker_, which == 0 ? "slice A" : "slice B",
      [request = *wanted](Supervisor& worker, std::stop_token stop) { return worker.slice(request, stop); },
      [this, which, request = *wanted](std::shared_ptr<const Slice> slice, const std::string& problem) {
        AttentionSideData& now = data_.attention.sides[static_cast<std::size_t>(which)];
        if (now.pending == request) now.pending.reset();
        if (now.asked != request.source) return;
        now.slice = std::move(slice);
        now.slice_of = request;
        now.slice_device = attention_device_;
        now.problem = problem;
      });
}

void Application::end_inspector(BackgroundThread& thread, Inspector& inspector) {
  thread.drop_waiting();
  inspector.stop.request_stop();
  inspector.stop = std::stop_source();
  thread.add([&inspector] { inspector.worker.reset(); });  // a worker ends on the thread that started it
}

void Application::pause_survey() {
  end_inspector(*survey_thread_, survey_worker_);
  AttentionData& data = data_.attention;
  data.overview.pending.reset();
  data.sheet.pending.reset();
  data.kernel_row.pending.reset();
}

void Application::supply_attention() {
  AttentionUi& ui = ui_.attention;
  if (!shows_attention()) return;
  if (data_.run.running)
    ui.playing = false;  // what is timed has the machine to itself, but for slices that are asked for
  choose_attention_device();
  for (int which = 0; which < (uses_second(ui) ? 2 : 1); ++which) {
    supply_source(which);
    ask_slice(which);
  }
  supply_draft();
  if (data_.run.running) return;
  supply_survey();
}

template <typename Request, typename Answer>
void Application::ask_survey(Survey<Request, Answer> AttentionData::*place, const std::optional<Request>& wanted,
                             Answer (Supervisor::*ask)(const Request&, std::stop_token)) {
  Survey<Request, Answer>& survey = data_.attention.*place;
  if (!wanted || survey.pending == wanted || (survey.of == *wanted && survey.device == attention_device_)) return;
  survey.pending = wanted;
  inspect<Answer>(
      *survey_thread_, survey_worker_, Request::kType,
      [ask, request = *wanted](Supervisor& worker, std::stop_token stop) { return (worker.*ask)(request, stop); },
      [this, place, request = *wanted](std::shared_ptr<const Answer> answer, const std::string& problem) {
        Survey<Request, Answer>& now = data_.attention.*place;
        if (now.pending == request) now.pending.reset();
        now.answer = std::move(answer);
        now.of = request;
        now.device = attention_device_;
        now.problem = problem;
      });
}

void Application::supply_survey() {
  const AttentionData& data = data_.attention;
  ask_survey(&AttentionData::overview, wanted_overview(ui_.attention, data), &Supervisor::overview);
  ask_survey(&AttentionData::sheet, wanted_sheet(ui_.attention, data), &Supervisor::sheet);
  ask_survey(&AttentionData::kernel_row, wanted_kernel_row(ui_.attention, data), &Supervisor::kernel_row);
}

void Application::ask_survey_again() {
  AttentionData& data = data_.attention;
  if (!data.overview.problem.empty()) data.overview.device.clear();
  if (!data.sheet.problem.empty()) data.sheet.device.clear();
}

void Application::save_slice(const std::filesystem::path& file) {
  const AttentionUi& ui = ui_.attention;
  const std::array<AttentionSideData, 2>& sides = models_.attention().shown(ui, data_.attention);
  const AttentionSideData& side = sides[0];
  if (!side.slice || !side.source)
    throw Error("The slice was not saved", "none is shown", "open the attention panel first");
  slice_format(file);
  const int which = ui.show == AttentionShow::difference ? 2 : 0;
  SliceExport options;
  if (which == 2) {
    if (!models_.attention().map(ui, data_.attention, 2))
      throw Error("The difference was not saved", "none is shown", "give A and B windows of one size");
    options.minus = sides[1].slice;
  }
  options.labels = side.source->labels;
  options.style = models_.attention().style(ui, data_.attention, which);
  set_theme(options.style, look_.theme);
  options.range_given = true;
  const AttentionFrame frame = frame_of(side.slice_of, *side.source);
  options.frame1 = frame.width;
  options.frame2 = frame.height;
  options.part = ui.part;
  writer_thread_->add([this, file, options, slice = side.slice] {
    try {
      write_slice(file, *slice, options);
      queue_.push([this, file] { notify(Severity::info, "saved", "Saved " + file.string() + "."); });
    } catch (const std::exception& error) {
      queue_.push([this, message = std::string(error.what())] { notify(Severity::error, "saved", message); });
    }
  });
}

}  // namespace triscope
