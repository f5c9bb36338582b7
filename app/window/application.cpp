#include "app/window/application.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <string>
#include <utility>

#include "app/window/desktop/desktop.hpp"
#include "app/window/files/folder_listing.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/text/plain_text.hpp"
#include "profiler/store/open/default_database.hpp"
#include "views/model/attention/attention_draft.hpp"
#include "views/model/tables/computed_words.hpp"
#include "views/panels/panels.hpp"
#include "views/parts/chart_tools.hpp"
#include "views/print/canvas/svg_canvas.hpp"
#include "views/print/chart_picture.hpp"
#include "views/shell/replaced_files.hpp"
#include "views/shell/shell.hpp"

namespace triscope {
namespace {

constexpr int kFramesOfStart = 3;  ///< a layout is read in the first and used in the second

AutoRun auto_run(const ApplicationOptions& options) {
  if (options.run_at_start) return AutoRun::always;
  return options.run_when_empty ? AutoRun::when_empty : AutoRun::never;
}

}  // namespace

Application::Application(ApplicationOptions options)
    : options_(std::move(options)),
      first_start_(auto_run(options_), data_, ui_.settings, database_, sweep_, messages_) {
  wire();
  appearance_.restore(options_.theme);
  database_.offer(options_.recorded_database);
  database_.open(options_.database);
  if (options_.ask_machine) {
    planner_.ask_machine();
  } else {
    planner_.do_without("Kernels and devices are listed once triscope-worker is in this program's folder.");
  }
  if (options_.tensors.empty()) return;
  ui_.show(Panel::attention);
  AttentionSource& source = ui_.attention.sides[0].source;
  source = {};
  source.kind = SourceKind::file;
  source.file = options_.tensors.string();
  source.opening = ++ui_.attention.openings;
}

void Application::wire() {
  camera_.copy_image = copy_png_to_clipboard;
  database_.on_read = [this](bool first, bool complete) { first_start_.database_read(first, complete); };
  planner_.on_machine = [this] { first_start_.machine_known(); };
  planner_.on_planned = [this] {
    if (end_wait()) requests_.emplace_back(ask::Run{});
  };
  sweep_.on_start = [this] {
    end_wait();
    attention_.pause_surveys();
  };
  sweep_.on_end = [this] { first_start_.sweep_ended(); };
  models_.maker.beside = [this](const std::string& name, std::function<ModelMaker::Take()> make) {
    make_beside(name, std::move(make));
  };
}

bool Application::end_wait() {
  const bool waited = std::exchange(run_waits_, false);
  if (waited) messages_.dismiss(NoticeId::sweep);
  return waited;
}

void Application::make_beside(const std::string& name, std::function<ModelMaker::Take()> make) {
  auto job = [this, make = std::move(make)] {
    if (ModelMaker::Take take = make()) queue_.push(std::move(take));
  };
  if (name.empty()) return maker_thread_.add(std::move(job));
  maker_thread_.replace(name, std::move(job));
}

Application::~Application() {
  sweep_.request_stop();
  options_.engine.closing.request_stop();
  attention_.end();
  tiles_.end();
  explore_.end();
  planner_.drop_waiting();
  maker_thread_.drop_waiting();
  library_.drop_waiting();
  sweep_.join();
  undo_.keep();
  files_.finish();
  try {
    appearance_.keep();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "triscope-window: %s\n",
                 plain_text(error.what()).c_str());  // there is no window left to say it in
  }
}

Context Application::context() {
  return {look(), data_, ui_, models_, requests_, static_cast<std::int64_t>(std::time(nullptr))};
}

bool Application::settled() const {
  if (!database_.idle() || !files_.idle() || !planner_.idle() || !library_.idle() || !attention_.idle() ||
      !tiles_.idle() || !explore_.idle() || !maker_thread_.idle() || camera_.wanted())
    return false;
  // After the threads: they push before they are idle. A sweep pushes its progress all the time.
  return data_.run.running || queue_.empty();
}

bool Application::prepare_frame(float monitor_scale) {
  library_.watch();
  const bool news = queue_.drain() || messages_.expire(std::time(nullptr));
  keys_.before_frame(ui_.keys_wait);
  const bool looks_new = appearance_.prepare_frame(monitor_scale);
  return news || looks_new ||
         (ui_.front_pending > 0 && ui_.workspace == Workspace::measure);  // a fresh layout takes a few frames
}

void Application::draw() {
  keys_.in_frame();
  measure_draft();  // of the charts as they were drawn last
  Context now = context();
  ui_.selection.hovered_now = 0;
  ui_.chart_areas.clear();
  ui_.printing = only_ || (camera_.wanted() && camera_.wanted()->panel);
  ui_.attention.print_mean = camera_.wanted() && camera_.wanted()->panel == Panel::mean;
  if (shows_attention()) {
    walk_on(ui_.attention, data_.attention);
    attention_.supply();  // the next slice is made while this one is drawn
  }
  models_.maker.at_once = ui_.printing;
  const auto count_for = [this](const auto* answer) {
    if (answer) tiles_.supply_work(answer->to_count);
  };
  if (shows_page(PaperPage::tiling)) {
    tiles_.supply();
    count_for(models_.windows_cost(data_, ui_.paper.tiles));
  }
  if (shows_page(PaperPage::recipe)) count_for(models_.recipe(data_, ui_.paper.recipe));
  if (shows_page(PaperPage::the_operator)) count_for(models_.crossings(data_, windows_of(ui_.paper.the_operator)));
  if (only_) {
    draw_alone(now, *only_);
  } else {
    draw_shell(now);
  }
  ui_.selection.hovered = ui_.selection.hovered_now;
  if (std::exchange(ui_.explore.in_view, false)) explore_.supply();
  if (std::exchange(ui_.tiles_in_view, false)) tiles_.supply_work(selected_to_count(data_));
  for (const Request& request : std::exchange(requests_, {})) {
    try {
      carry_out(request);
    } catch (const std::exception& error) {
      messages_.notify(Severity::error, NoticeId::request, with_database(error.what(), data_.database));
    }
  }
  if (shows_attention()) attention_.supply();
  appearance_.end_frame();
  if (frames_ < kFramesOfStart) {
    ++frames_;
  } else if (settled()) {
    appearance_.window_stands();
  }
}

void Application::open_dropped(const std::filesystem::path& file) {
  if (!holds_tensors(file.string())) return database_.open(file);
  ui_.show(Panel::attention);
  drop_tensors(ui_.attention, file.string());
}

namespace {

/// A caption that does not stand in the picture is left out of it.
PrintChoice printed(PrintChoice choice) {
  if (!choice.size.captioned) choice.caption = "";
  return choice;
}

}  // namespace

std::string Application::vectors_of(Panel panel, VectorFormat format, const PrintChoice& choice) {
  models_.maker.at_once = true;  // until the next frame
  Context now = context();
  return panel_picture(now, panel, format, choice);
}

void Application::save_chart(const ask::SaveChart& request, const std::filesystem::path& file) {
  const PrintChoice choice = printed({request.size.value_or(ui_.settings.print_size), request.title, request.caption});
  std::vector<std::filesystem::path> files{file};
  std::vector<std::pair<std::filesystem::path, std::string>> texts;
  for (const std::string& ending : request.also) {
    std::filesystem::path other = file_beside(file.string(), ending);
    if (std::ranges::find(files, other) != files.end()) continue;
    if (ending == kCaptionEnding) {
      texts.emplace_back(std::move(other), caption_of(request) + "\n");
    } else {
      files.push_back(std::move(other));
    }
  }
  std::filesystem::path picture;
  for (std::filesystem::path& one : files) {
    if (one.extension() == ".svg") {
      texts.emplace_back(one, vectors_of(*request.panel, VectorFormat::svg, choice));
    } else if (one.extension() == ".pdf") {
      texts.emplace_back(one, vectors_of(*request.panel, VectorFormat::pdf, choice));
    } else {
      picture = std::move(one);
    }
  }
  if (picture.empty()) return files_.save_texts(std::move(texts));
  camera_.order({3, request.panel, std::move(picture), std::move(texts)});
}

std::string Application::caption_of(const ask::SaveChart& request) {
  if (request.caption) return *request.caption;
  models_.maker.at_once = true;  // until the next frame
  Context now = context();
  return panel_words(now, *request.panel, request.size.value_or(ui_.settings.print_size).whole).caption.value_or("");
}

void Application::measure_draft() {
  if (!ui_.path.waiting || !is_for_print(ui_.path)) return;
  PictureDraft& draft = *ui_.path.picture;
  const std::optional<ChartLimits> part = ui_.settings.print_size.whole ? std::nullopt : shown_limits(ui_, draft.panel);
  const bool other_part = std::exchange(draft.part, part) != part;
  if (other_part) renew_words(draft);
  const PrintChoice choice{ui_.settings.print_size, draft.title, draft.caption};
  const void* of = draft.panel == Panel::explore ? static_cast<const void*>(data_.explore.chart.get())
                   : draft.panel == Panel::mean  ? static_cast<const void*>(data_.attention.means.answer.get())
                                                 : static_cast<const void*>(data_.shown.get());
  if (!other_part && draft.measured == choice && draft.measured_of == of) return;
  draft.measured = choice;
  draft.measured_of = of;
  draft.problem.clear();
  try {
    draft.height_cm = svg_height_cm(vectors_of(draft.panel, VectorFormat::svg, printed(choice)));
  } catch (const Error& error) {
    draft.problem = error.why() + "; " + error.fix();
  } catch (const std::exception& error) {
    draft.problem = error.what();
  }
}

void Application::renew_words(PictureDraft& draft) {
  models_.maker.at_once = true;  // until the next frame
  Context now = context();
  const PrintChoice own = panel_words(now, draft.panel, ui_.settings.print_size.whole);
  if (own.caption.value_or("").empty()) return;
  if (draft.caption == draft.own.caption) draft.caption = *own.caption;  // else it is a person's
  draft.own.caption = own.caption;
}

void Application::draft_picture(Panel panel) {
  models_.maker.at_once = true;  // until the next frame
  Context now = context();
  PictureDraft draft{panel, panel_words(now, panel, ui_.settings.print_size.whole), {}, {}};
  draft.title = draft.own.title.value_or("");
  draft.caption = draft.own.caption.value_or("");
  const PictureDraft& last = ui_.last_picture;
  // The same chart of the same measurements: what was typed for it still holds.
  const bool again = last.panel == panel && last.own.title == draft.own.title && last.own.caption == draft.own.caption;
  if (again) {
    draft = last;
    if (!ui_.last_picture_path.empty()) ui_.path.text = ui_.last_picture_path;
  }
  if (last.panel != Panel::count && ui_.path.text != ui_.last_picture_path) {
    const std::string& before = ui_.last_picture_path;  // its folder, with the proposed name
    ui_.path.text = before.substr(0, before.rfind('/') + 1) + ui_.path.text.substr(ui_.path.text.rfind('/') + 1);
  }
  if (!again && !ui_.path.text.ends_with('/')) ui_.path.text = free_path(ui_.path.text);
  ui_.path.picture = std::move(draft);
  const std::vector<std::string>& endings = ui_.settings.chart_endings;
  ui_.path.also.assign(endings.begin(), endings.end());
  std::erase_if(ui_.path.also, [&](const std::string& ending) { return ui_.path.text.ends_with(ending); });
}

TextTable Application::text_of(Panel panel) {
  models_.maker.at_once = true;  // until the next frame
  Context now = context();
  return panel_text(now, panel);
}

}  // namespace triscope
