#include "app/window/attention/attention_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/text/number_of.hpp"
#include "profiler/export/slice_export.hpp"
#include "profiler/film/film_folder.hpp"
#include "profiler/supervise/find_means.hpp"
#include "profiler/supervise/find_triples.hpp"
#include "views/model/attention/attention_draft.hpp"
#include "views/model/attention/film_choice.hpp"
#include "views/model/attention/grid_plan.hpp"
#include "views/model/attention/triple_hits.hpp"
#include "views/model/attention/wider_windows.hpp"

namespace triscope {
namespace {

/// Whether a grid has this query and head.
bool shows(const AttentionGridRequest& grid, const std::pair<std::int64_t, std::int64_t>& place) {
  return std::ranges::find(grid.queries, place.first) != grid.queries.end() &&
         std::ranges::find(grid.heads, place.second) != grid.heads.end();
}

/// A path that was typed names a file whose shapes the dialog has not seen: they tell which order its axes have.
bool wants_shapes(const SourceDraft& draft, const AttentionData& data) {
  const AttentionSource& source = draft.source;
  const bool asked = data.draft.asked && data.draft.asked->file == source.file;
  if (source.kind != SourceKind::file || asked || !holds_tensors(source.file) || tensors_of(draft, data)) return false;
  std::error_code error;
  return std::filesystem::is_regular_file(source.file, error);
}

}  // namespace

template <typename Answer, typename Ask, typename Take>
void AttentionSession::inspect(Inspector& inspector, const std::string& slot, Ask ask, Take take) {
  inspector.inspect<Answer>(
      device_, slot, ask,
      [this, device = device_, take](std::shared_ptr<const Answer> answer, const std::string& problem) {
        if (device == device_) take(std::move(answer), problem);
      });
}

void AttentionSession::choose_device() {
  if (!ui_.device_chosen && machine_.machine.catalog) ui_.device = first_device(*machine_.machine.catalog);
  if (ui_.device == device_) return;
  // Everything is requested again. What is shown stays until the answers come. Each worker opens the sources that it
  // needs.
  device_ = ui_.device;
  ui_.kernel.clear();
  for (AttentionSideData& side : data_.sides) {
    side.pending.reset();
    if (!side.source) side.asked.reset();
  }
  if (!data_.draft.source && data_.draft.problem.empty()) data_.draft.asked.reset();
  forget_surveys();
  data_.kernel_row = {};
  data_.grid = {};
  stop_search();
}

void AttentionSession::supply() {
  // What is timed has the machine to itself, but for slices that are asked for.
  if (machine_.run.running) ui_.playing = false;
  choose_device();
  for (int which = 0; which < (uses_second(ui_) ? 2 : 1); ++which) {
    supply_source(which);
    ask_slice(which);
  }
  supply_draft();
  if (machine_.run.running) return;
  supply_surveys();
  if (ui_.show == AttentionShow::grid) supply_grid();
}

void AttentionSession::ask_source(OpenedSource& place, const AttentionSource& source, const std::string& slot) {
  place.asked = source;
  inspect<SourceReply>(
      slices_, slot, [source](Supervisor& worker, std::stop_token stop) { return worker.source({source}, stop); },
      [&place, source](std::shared_ptr<const SourceReply> reply, const std::string& problem) {
        if (place.asked != source) return;  // another one was chosen meanwhile
        place.source = std::move(reply);
        place.problem = problem;
      });
}

void AttentionSession::supply_draft() {
  const SourceDraft& draft = ui_.draft;
  OpenedSource& tried = data_.draft;
  if (!draft.open) {
    tried = {};
  } else if (draft.submitted ? tried.asked != draft.source : wants_shapes(draft, data_)) {
    tried = {};
    ask_source(tried, draft.source, "draft");
  }
}

void AttentionSession::supply_source(int which) {
  AttentionSideData& side = data_.sides[static_cast<std::size_t>(which)];
  const AttentionSource& wanted = ui_.sides[static_cast<std::size_t>(which)].source;
  const OpenedSource& tried = data_.draft;
  if (side.asked == wanted) return;
  side = {};
  if (tried.source && tried.asked == wanted) {
    static_cast<OpenedSource&>(side) = tried;
  } else {
    ask_source(side, wanted, which == 0 ? "source A" : "source B");
  }
}

void AttentionSession::ask_slice(int which) {
  AttentionSideData& side = data_.sides[static_cast<std::size_t>(which)];
  const std::optional<SliceRequest> wanted = wanted_slice(ui_, data_, which);
  if (!wanted || side.pending == wanted || (side.slice_of == *wanted && side.slice_device == device_)) return;
  side.pending = wanted;
  inspect<Slice>(
      slices_, which == 0 ? "slice A" : "slice B",
      [request = *wanted](Supervisor& worker, std::stop_token stop) { return worker.slice(request, stop); },
      [this, which, request = *wanted](std::shared_ptr<const Slice> slice, const std::string& problem) {
        AttentionSideData& now = data_.sides[static_cast<std::size_t>(which)];
        if (now.pending == request) now.pending.reset();
        if (now.asked != request.source) return;
        now.slice = std::move(slice);
        now.slice_of = request;
        now.slice_device = device_;
        now.problem = problem;
      });
}

template <typename Request, typename Answer>
void AttentionSession::ask_survey(Survey<Request, Answer> AttentionData::*place, const std::optional<Request>& wanted,
                                  Answer (Supervisor::*ask)(const Request&, std::stop_token)) {
  Survey<Request, Answer>& survey = data_.*place;
  if (!wanted || survey.pending == wanted || (survey.of == *wanted && survey.device == device_)) return;
  survey.pending = wanted;
  inspect<Answer>(
      surveys_, Request::kType,
      [ask, request = *wanted](Supervisor& worker, std::stop_token stop) { return (worker.*ask)(request, stop); },
      [this, place, request = *wanted](std::shared_ptr<const Answer> answer, const std::string& problem) {
        Survey<Request, Answer>& now = data_.*place;
        if (now.pending == request) now.pending.reset();
        now.answer = std::move(answer);
        now.of = request;
        now.device = device_;
        now.problem = problem;
      });
}

void AttentionSession::supply_surveys() {
  ask_survey(&AttentionData::overview, wanted_overview(ui_, data_), &Supervisor::overview);
  ask_survey(&AttentionData::sheet, wanted_sheet(ui_, data_), &Supervisor::sheet);
  supply_means(&AttentionData::means, wanted_means(ui_, data_), "means");
  supply_means(&AttentionData::wider, wanted_wider(ui_, data_), "wider");
  ask_survey(&AttentionData::kernel_row, wanted_kernel_row(ui_, data_), &Supervisor::kernel_row);
}

void AttentionSession::supply_means(MeansSurvey AttentionData::*place, const std::optional<OverviewRequest>& wanted,
                                    const std::string& slot) {
  MeansSurvey& means = data_.*place;
  if (!wanted || means.pending == wanted || (means.of == *wanted && means.device == device_)) return;
  means.pending = wanted;
  means.done = means.total = 0;
  means.seconds_left.reset();
  inspect<MeanMaps>(
      means_, slot,
      [this, place, request = *wanted](Supervisor& worker, const std::stop_token& stop) {
        return find_means_of(worker, request, place, stop);
      },
      [this, place, request = *wanted](std::shared_ptr<const MeanMaps> answer, const std::string& problem) {
        MeansSurvey& now = data_.*place;
        if (now.pending == request) now.pending.reset();
        now.answer = std::move(answer);
        now.of = request;
        now.device = device_;
        now.problem = problem;
        now.stopped = false;
        if (!data_.means.pending && !data_.wider.pending) means_.end();  // its worker keeps the tensors open
      });
}

MeanMaps AttentionSession::find_means_of(Supervisor& worker, const OverviewRequest& request,
                                         MeansSurvey AttentionData::*place, const std::stop_token& stop) {
  return find_means(worker, request, worker.source({request.source}, stop), stop,
                    [this, place, request, stop](const MeansProgress& progress) {
                      queue_.push([this, place, request, stop, progress] {
                        MeansSurvey& now = data_.*place;
                        if (stop.stop_requested() || now.pending != request) return;
                        now.done = progress.done;
                        now.total = progress.total;
                        now.seconds_left = progress.seconds_left;
                      });
                    });
}

void AttentionSession::stop_means() {
  means_.end();
  for (MeansSurvey* means : {&data_.means, &data_.wider}) {
    if (!means->pending) continue;
    MeansSurvey stopped;
    stopped.of = *means->pending;
    stopped.device = device_;
    stopped.stopped = true;
    *means = std::move(stopped);
  }
}

void AttentionSession::supply_grid() {
  const std::optional<AttentionGridRequest> wanted = planned_grid(ui_, data_).request;
  if (!wanted) return;
  AttentionGridData& grid = data_.grid;
  if (grid.of != *wanted) {
    const bool same_slices = grid.of && grid.of->source == wanted->source && grid.of->query == wanted->query;
    if (!same_slices) grid.cells.clear();
    std::erase_if(grid.cells, [&](const auto& cell) { return !shows(*wanted, cell.first); });
    grid.of = wanted;
    grid.problem.clear();
  }
  if (!grid.pending && grid.problem.empty()) ask_grid_row();
}

void AttentionSession::ask_grid_row() {
  using Row = std::vector<std::shared_ptr<const Slice>>;
  AttentionGridData& grid = data_.grid;
  std::vector<SliceRequest> missing;
  for (const std::int64_t query : grid.of->queries) {
    for (const std::int64_t head : grid.of->heads) {
      if (grid.cells.contains({query, head})) continue;
      SliceRequest& request = missing.emplace_back(SliceRequest{grid.of->source, grid.of->query, 1});
      request.query.query = query;
      request.query.head = head;
    }
    if (!missing.empty()) break;
  }
  if (missing.empty()) return;
  grid.pending = true;
  inspect<Row>(
      surveys_, "grid",
      [missing](Supervisor& worker, std::stop_token stop) {
        Row row;
        for (const SliceRequest& request : missing)
          row.push_back(std::make_shared<const Slice>(worker.slice(request, stop)));
        return row;
      },
      [this, missing, of = grid.of](std::shared_ptr<const Row> row, const std::string& problem) {
        AttentionGridData& now = data_.grid;
        now.pending = false;
        if (!now.of || now.of->source != of->source || now.of->query != of->query) return;
        now.problem = problem;
        for (std::size_t n = 0; row && n < row->size(); ++n) {
          const std::pair place{missing[n].query.query, missing[n].query.head};
          if (shows(*now.of, place)) now.cells[place] = (*row)[n];
        }
      });
}

void AttentionSession::find_triples() {
  const std::optional<TripleSearchRequest> wanted = wanted_search(ui_, data_);
  if (!wanted) throw Error("Nothing was searched", "no tensors are open", "choose tensors first");
  if (machine_.run.running)
    throw Error("Nothing was searched", "a sweep is measured, and a search would disturb it",
                "wait until it has ended");
  searches_.end();
  TripleSearchData& search = data_.search = {};
  search.of = wanted;
  search.running = true;
  ui_.search.back_proposed = false;  // it was accepted
  using Found = std::vector<FoundTriple>;
  inspect<Found>(
      searches_, "search",
      [this, request = *wanted](Supervisor& worker, const std::stop_token& stop) {
        const SourceReply shape = worker.source({request.source}, stop);
        return find_triples_of(worker, request, shape, stop);
      },
      [this](std::shared_ptr<const Found> found, const std::string& problem) {
        TripleSearchData& now = data_.search;
        now.running = false;
        now.problem = problem;
        now.done = now.total;
        if (found) now.found = *found;
        searches_.end();  // its worker keeps the tensors open
      });
}

std::vector<FoundTriple> AttentionSession::find_triples_of(Supervisor& worker, const TripleSearchRequest& request,
                                                           const SourceReply& shape, const std::stop_token& stop) {
  return triscope::find_triples(worker, request.source, request.query, shape, request.search, stop,
                                [this, stop](const SearchProgress& progress) {
                                  queue_.push([this, stop, progress] {
                                    if (stop.stop_requested()) return;
                                    data_.search.done = progress.done;
                                    data_.search.total = progress.total;
                                    data_.search.found = progress.found;
                                  });
                                });
}

void AttentionSession::stop_search() {
  searches_.end();
  data_.search.stopped = data_.search.stopped || data_.search.running;
  data_.search.running = false;
}

void AttentionSession::make_film(const std::filesystem::path& folder, const FilmQueries& queries, AttentionModel& model,
                                 const Theme& theme, std::function<void(const std::string& why)> refused) {
  constexpr const char* kNone = "No film was made";
  const std::optional<SliceRequest> wanted = wanted_slice(ui_, data_, 0);
  if (!wanted) throw Error(kNone, "no tensors are open", "choose tensors first");
  if (!film_problem(queries, data_).empty()) throw Error(kNone, "these queries cannot be used", "choose others");
  if (data_.film.running) throw Error(kNone, "another one is being made", "wait for it, or stop it");
  if (machine_.run.running)
    throw Error(kNone, "a sweep is measured, and a film would disturb it", "wait until it has ended");
  FilmRequest request{wanted->source, wanted->query, queries, {}};
  request.format.style = model.style(ui_, data_, 0);
  set_theme(request.format.style, theme);
  const AttentionFrame frame = frame_of(*wanted, *data_.sides[0].source);
  request.format.frame1 = frame.width;
  request.format.frame2 = frame.height;
  request.format.part = ui_.part;
  data_.film = {};
  data_.film.running = true;
  data_.film.pictures = queries.count();
  films_.inspect<std::string>(
      device_, "film",
      [this, request, folder](Supervisor& worker, const std::stop_token& stop) {
        return write_film(worker, request, folder, stop);
      },
      [this, folder, refused = std::move(refused)](const std::shared_ptr<const std::string>& refusal,
                                                   const std::string& problem) {
        FilmState& now = data_.film;
        now.running = false;
        if (!problem.empty())
          messages_.notify(Severity::error, NoticeId::saved,
                           now.written == 0 ? problem
                                            : fmt::format("{} {} of {} pictures are in {} and stay.", problem,
                                                          now.written, now.pictures, folder.string()));
        if (refusal && !refusal->empty()) refused(*refusal);
        films_.end();  // its worker keeps the tensors open
      });
}

std::string AttentionSession::write_film(Supervisor& worker, const FilmRequest& request,
                                         const std::filesystem::path& folder, const std::stop_token& stop) {
  std::optional<FilmFolder> made;
  try {
    made.emplace(folder);
  } catch (const Error& error) {
    return error.what();
  }
  const Film film = triscope::write_film(worker, request, folder, stop, [&](const FilmProgress& progress) {
    if (progress.written > 0) made->keep();
    queue_.push([this, stop, progress] {
      if (stop.stop_requested()) return;
      data_.film.written = progress.written;
      data_.film.done = progress.done;
      data_.film.total = progress.total;
      data_.film.seconds_left = progress.seconds_left;
    });
  });
  if (film.written == 0) {
    messages_.notify_later(Severity::info, NoticeId::saved, "The film was stopped before its first picture.");
    return {};
  }
  const std::string what = film.stopped
                               ? fmt::format("Stopped: {} of {} pictures are in {} and stay.", film.written,
                                             request.queries.count(), folder.string())
                               : fmt::format("Saved {} of {} x {} pixels in {}.", number_of(film.written, "picture"),
                                             film.width, film.height, folder.string());
  messages_.notify_later(Severity::info, NoticeId::saved, what,
                         {{"Copy video command", ask::CopyText{video_command(folder, film)}}});
  return {};
}

void AttentionSession::stop_film() {
  films_.end();
  data_.film.running = false;
}

void AttentionSession::ask_again() {
  data_.grid.problem.clear();
  if (!data_.overview.problem.empty()) data_.overview.device.clear();
  if (!data_.sheet.problem.empty()) data_.sheet.device.clear();
  for (MeansSurvey* means : {&data_.means, &data_.wider}) {
    if (!means->problem.empty() || means->stopped) means->device.clear();
  }
}

void AttentionSession::forget_surveys() {
  surveys_.end();
  means_.end();
  data_.means.pending.reset();
  data_.wider.pending.reset();
  data_.overview.pending.reset();
  data_.sheet.pending.reset();
  data_.kernel_row.pending.reset();
  data_.grid.pending = false;
}

void AttentionSession::pause_surveys() {
  forget_surveys();
  stop_search();
  stop_film();
}

void AttentionSession::end() {
  slices_.end();
  surveys_.end();
  means_.end();
  searches_.end();
  films_.end();
}

std::function<void()> AttentionSession::slice_writer(const std::filesystem::path& file, AttentionModel& model,
                                                     const Theme& theme) const {
  const std::array<AttentionSideData, 2>& sides = model.shown(ui_, data_);
  const AttentionSideData& side = sides[0];
  if (!side.slice || !side.source)
    throw Error("The slice was not saved", "none is shown", "open the attention panel first");
  slice_format(file);
  const int which = ui_.show == AttentionShow::difference ? 2 : 0;
  SliceExport options;
  if (which == 2) {
    if (!model.map(ui_, data_, 2))
      throw Error("The difference was not saved", "none is shown", "give A and B windows of the same size");
    options.minus = sides[1].slice;
  }
  options.labels = side.source->labels;
  options.style = model.style(ui_, data_, which);
  set_theme(options.style, theme);
  options.range_given = true;
  const AttentionFrame frame = frame_of(side.slice_of, *side.source);
  options.frame1 = frame.width;
  options.frame2 = frame.height;
  options.part = ui_.part;
  return [file, options, slice = side.slice] { write_slice(file, *slice, options); };
}

}  // namespace triscope
