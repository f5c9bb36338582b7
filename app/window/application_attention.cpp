// Keeps the attention panel supplied: opens its sources and asks for what it shows and has not got. Slices have one
// worker, what takes longer (overviews, sheets of heads) another, so that scrubbing never waits for them.
#include "app/window/application.hpp"
#include "kernels/error.hpp"
#include "profiler/slice_export.hpp"

namespace triscope {

namespace {

Supervisor& started(std::optional<Supervisor>& worker, const Engine& engine) {
  if (!engine.inspector) throw Error("The tensors cannot be looked at", "this window has no worker", "build Triscope completely");
  if (!worker) worker.emplace(engine.inspector());
  return *worker;
}

}  // namespace

template <typename Answer, typename Ask, typename Take>
void Application::inspect(BackgroundThread& thread, std::optional<Supervisor>& worker, const std::string& slot, Ask ask, Take take) {
  thread.replace(slot, [this, &worker, ask, take] {
    std::shared_ptr<const Answer> answer;
    std::string problem;
    try {
      answer = std::make_shared<const Answer>(ask(started(worker, options_.engine)));
    } catch (const std::exception& error) {
      problem = error.what();
    }
    queue_.push([answer, problem, take] { take(answer, problem); });
  });
}

void Application::open_attention_source(int which) {
  AttentionSideData& side = data_.attention.sides[static_cast<std::size_t>(which)];
  const AttentionSource source = ui_.attention.sides[static_cast<std::size_t>(which)].source;
  side = {};
  side.asked = source;
  inspect<SourceReply>(*slice_thread_, slice_worker_, which == 0 ? "source A" : "source B", [source](Supervisor& worker) { return worker.source({source}); },
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
  if (!wanted || side.pending || (side.slice && side.slice_of == *wanted) || (!side.slice && !side.problem.empty() && side.slice_of == *wanted)) return;
  side.pending = wanted;
  inspect<Slice>(*slice_thread_, slice_worker_, which == 0 ? "slice A" : "slice B", [request = *wanted](Supervisor& worker) { return worker.slice(request); },
                 [this, which, request = *wanted](std::shared_ptr<const Slice> slice, const std::string& problem) {
                   AttentionSideData& now = data_.attention.sides[static_cast<std::size_t>(which)];
                   if (now.pending == request) now.pending.reset();
                   if (now.asked != request.source) return;
                   now.slice = std::move(slice);
                   now.slice_of = request;
                   now.problem = problem;
                 });
}

void Application::supply_attention() {
  const AttentionUi& ui = ui_.attention;
  if (!ui.open && only_ != Panel::attention) return;
  AttentionData& data = data_.attention;
  for (int which = 0; which < (uses_second(ui) ? 2 : 1); ++which) {
    if (data.sides[static_cast<std::size_t>(which)].asked != ui.sides[static_cast<std::size_t>(which)].source) open_attention_source(which);
    ask_slice(which);
  }
  if (const auto wanted = wanted_overview(ui, data); wanted && data.overview_of != *wanted && data.overview_pending != *wanted) {
    data.overview_pending = wanted;
    inspect<Overview>(*survey_thread_, survey_worker_, "overview", [request = *wanted](Supervisor& worker) { return worker.overview(request); },
                      [this, request = *wanted](std::shared_ptr<const Overview> overview, const std::string&) {
                        if (data_.attention.overview_pending == request) data_.attention.overview_pending.reset();
                        data_.attention.overview = std::move(overview);
                        data_.attention.overview_of = request;
                      });
  }
  if (const auto wanted = wanted_sheet(ui, data); wanted && data.sheet_of != *wanted && !data.sheet_pending) {
    data.sheet_pending = wanted;
    inspect<HeadSheet>(*survey_thread_, survey_worker_, "sheet", [request = *wanted](Supervisor& worker) { return worker.sheet(request); },
                       [this, request = *wanted](std::shared_ptr<const HeadSheet> sheet, const std::string&) {
                         data_.attention.sheet_pending.reset();
                         data_.attention.sheet = std::move(sheet);
                         data_.attention.sheet_of = request;
                       });
  }
}

void Application::save_slice(const std::filesystem::path& file) {
  const AttentionSideData& side = data_.attention.sides[0];
  if (!side.slice || !side.source) throw Error("The slice was not saved", "none is shown", "open the attention panel first");
  slice_format(file);
  SliceExport options;
  options.labels = side.source->labels;
  options.style.map = ui_.attention.map;
  options.style.scale = ui_.attention.colour_scale;
  const AttentionFrame frame = frame_of(side.slice_of, *side.source);
  options.frame1 = frame.width;
  options.frame2 = frame.height;
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
