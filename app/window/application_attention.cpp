// Keeps the attention panel supplied: opens its sources and asks for what it shows and has not got. Slices have one
// worker, what takes longer (overviews, sheets of heads) another, so that scrubbing never waits for them.
#include "app/window/application.hpp"
#include "kernels/error.hpp"
#include "profiler/slice_export.hpp"
#include "views/attention_parts.hpp"

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
  data.overview_pending.reset();
  data.sheet_pending.reset();
  data.kernel_row_pending.reset();
  data.kernel_row.reset();
  data.kernel_row_of = {};
}

void Application::open_attention_source(int which) {
  AttentionSideData& side = data_.attention.sides[static_cast<std::size_t>(which)];
  const AttentionSource source = ui_.attention.sides[static_cast<std::size_t>(which)].source;
  side = {};
  side.asked = source;
  inspect<SourceReply>(
      *slice_thread_, slice_worker_, which == 0 ? "source A" : "source B",
      [source](Supervisor& worker, std::stop_token stop) { return worker.source({source}, stop); },
      [this, which, source](std::shared_ptr<const SourceReply> reply, const std::string& problem) {
        AttentionSideData& now = data_.attention.sides[static_cast<std::size_t>(which)];
        if (now.asked != source) return;  // another one was chosen meanwhile
        now.source = std::move(reply);
        now.problem = problem;
      });
}

void Application::ask_slice(int which) {
  AttentionSideData& side = data_.attention.sides[static_cast<std::size_t>(which)];
  const std::optional<SliceRequest> wanted = wanted_slice(ui_.attention, data_.attention, which);
  if (!wanted || side.pending || (side.slice_of == *wanted && side.slice_device == attention_device_)) return;
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
  data.overview_pending.reset();
  data.sheet_pending.reset();
  data.kernel_row_pending.reset();
}

void Application::supply_attention() {
  AttentionUi& ui = ui_.attention;
  if (!ui.open && only_ != Panel::attention) return;
  if (data_.run.running) ui.playing = false;  // what is timed has the machine to itself, but for slices that are asked for
  choose_attention_device();
  for (int which = 0; which < (uses_second(ui) ? 2 : 1); ++which) {
    const auto side = static_cast<std::size_t>(which);
    if (data_.attention.sides[side].asked != ui.sides[side].source) open_attention_source(which);
    ask_slice(which);
  }
  if (data_.run.running) return;
  supply_survey();
  supply_kernel_row();
}

void Application::supply_survey() {
  AttentionData& data = data_.attention;
  const auto overview = wanted_overview(ui_.attention, data);
  if (overview && (data.overview_of != *overview || data.overview_device != attention_device_) &&
      data.overview_pending != *overview) {
    data.overview_pending = overview;
    inspect<Overview>(
        *survey_thread_, survey_worker_, "overview",
        [request = *overview](Supervisor& worker, std::stop_token stop) { return worker.overview(request, stop); },
        [this, request = *overview](std::shared_ptr<const Overview> answer, const std::string& problem) {
          if (data_.attention.overview_pending == request) data_.attention.overview_pending.reset();
          data_.attention.overview = std::move(answer);
          data_.attention.overview_of = request;
          data_.attention.overview_device = attention_device_;
          data_.attention.overview_problem = problem;
        });
  }
  const auto sheet = wanted_sheet(ui_.attention, data);
  if (sheet && (data.sheet_of != *sheet || data.sheet_device != attention_device_) && !data.sheet_pending) {
    data.sheet_pending = sheet;
    inspect<HeadSheet>(
        *survey_thread_, survey_worker_, "sheet",
        [request = *sheet](Supervisor& worker, std::stop_token stop) { return worker.sheet(request, stop); },
        [this, request = *sheet](std::shared_ptr<const HeadSheet> answer, const std::string& problem) {
          data_.attention.sheet_pending.reset();
          data_.attention.sheet = std::move(answer);
          data_.attention.sheet_of = request;
          data_.attention.sheet_device = attention_device_;
          data_.attention.sheet_problem = problem;
        });
  }
}

void Application::ask_survey_again() {
  AttentionData& data = data_.attention;
  if (!data.overview_problem.empty()) data.overview_device.clear();
  if (!data.sheet_problem.empty()) data.sheet_device.clear();
}

void Application::supply_kernel_row() {
  AttentionData& data = data_.attention;
  const auto wanted = wanted_kernel_row(ui_.attention, data);
  if (!wanted || data.kernel_row_of == *wanted || data.kernel_row_pending) return;
  data.kernel_row_pending = wanted;
  inspect<KernelRow>(
      *survey_thread_, survey_worker_, "kernel row",
      [request = *wanted](Supervisor& worker, std::stop_token stop) { return worker.kernel_row(request, stop); },
      [this, request = *wanted](std::shared_ptr<const KernelRow> answer, const std::string& problem) {
        data_.attention.kernel_row_pending.reset();
        data_.attention.kernel_row = std::move(answer);
        data_.attention.kernel_row_of = request;
        data_.attention.kernel_problem = problem;
      });
}

void Application::save_slice(const std::filesystem::path& file) {
  const AttentionUi& ui = ui_.attention;
  const AttentionSideData& side = data_.attention.sides[0];
  if (!side.slice || !side.source)
    throw Error("The slice was not saved", "none is shown", "open the attention panel first");
  slice_format(file);
  const int which = ui.show == AttentionShow::difference ? 2 : 0;
  SliceExport options;
  if (which == 2) {
    if (!models_.attention().map(ui, data_.attention, 2))
      throw Error("The difference was not saved", "none is shown", "give A and B windows of one size");
    options.minus = data_.attention.sides[1].slice;
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
