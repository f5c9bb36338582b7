// What the requests of the panels do.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <utility>

#include "app/window/application.hpp"
#include "app/window/files/folder_listing.hpp"
#include "views/data/format.hpp"
#include "views/model/attention_draft.hpp"
#include "views/panels/panels.hpp"

namespace triscope {
namespace {

constexpr float kScaleStep = 0.1F;

}  // namespace

/// What each request does. One without a handler here does not compile.
struct Application::Handlers {
  Application& a;

  std::int64_t or_shown(std::int64_t sweep) const { return sweep ? sweep : a.ui_.selection.shown_sweep; }
  Panel or_front(std::optional<Panel> panel) const {
    return panel ? *panel : a.ui_.attention.open ? Panel::attention : a.ui_.front_chart;
  }
  /// Before anything is written: whether the database is still there; says so when it is not.
  bool can_write() const {
    if (a.database_is_gone()) a.report_gone();
    return !a.database_is_gone();
  }

  void operator()(FileRequest request) const;
  void operator()(const ask::OpenRecorded&) const { a.open_database(a.data_.recorded_database); }
  void operator()(const ask::ListFolder& request) const { a.list_folder_for_question(request.folder); }
  void operator()(const ask::CopyTable& request) const { a.copy_panel(Panel::latency, request.format); }
  void operator()(const ask::CopyChart& request) const { a.picture_ = PictureTask{3, or_front(request.panel), {}}; }
  void operator()(const ask::CopyPanelData& request) const { a.copy_panel(or_front(request.panel), TableFormat::tsv); }
  void operator()(const ask::CopyText& request) const { ImGui::SetClipboardText(request.text.c_str()); }

  void operator()(const ask::Run&) const {
    if (can_write()) a.start_sweep(std::nullopt);
  }
  void operator()(const ask::Resume& request) const {
    if (can_write()) a.start_sweep(or_shown(request.sweep));
  }
  void operator()(const ask::Stop&) const {
    a.data_.run.stopping = a.data_.run.running;
    a.sweep_thread_.request_stop();
  }
  void operator()(const ask::PreviewPlan&) const { a.ask_preview(); }

  void operator()(const ask::ShowSweep& request) const;
  void operator()(const ask::SetBaseline& request) const;
  void operator()(const ask::ClearBaseline&) const;
  void operator()(const ask::Compare& request) const { a.compare_with(or_shown(request.sweep)); }
  void operator()(const ask::SelectMeasurement& request) const;
  void operator()(const ask::ClearSelection&) const;

  void operator()(const ask::Star& request) const {
    if (can_write()) a.star(or_shown(request.sweep));
  }
  void operator()(const ask::AskToDelete& request) const {
    if (can_write()) a.ui_.delete_asked = or_shown(request.sweep);
  }
  void operator()(const ask::DeleteSweep& request) const {
    if (can_write()) a.delete_sweep(or_shown(request.sweep));
  }
  void operator()(const ask::NoteSweep& request) const {
    if (can_write())
      a.write([sweep = or_shown(request.sweep), note = request.note](Store& store) { store.set_note(sweep, note); });
  }
  void operator()(const ask::NoteMeasurement& request) const {
    if (can_write())
      a.write([request](Store& store) { store.set_measurement_note(request.measurement, request.note); });
  }

  void operator()(const ask::ShowPanel& request) const { a.ui_.show(request.panel); }
  void operator()(const ask::ShowMeasurements&) const { a.ui_.attention.open = false; }
  void operator()(const ask::FilterTable&) const {
    a.ui_.show(Panel::latency);
    a.ui_.focus_filter = true;
  }
  void operator()(const ask::FitCharts&) const {
    a.ui_.fit_charts = true;
    a.ui_.attention.part.reset();
  }
  void operator()(const ask::InspectAgain&) const { a.ask_survey_again(); }
  void operator()(const ask::ToggleTheme&) const {
    a.ui_.settings.theme = a.look_.theme.dark ? ThemeChoice::light : ThemeChoice::dark;
  }
  void operator()(const ask::ScaleUp&) const { a.scale_to(a.ui_.settings.scale + kScaleStep); }
  void operator()(const ask::ScaleDown&) const { a.scale_to(a.ui_.settings.scale - kScaleStep); }
  void operator()(const ask::ScaleReset&) const { a.scale_to(1); }
  void operator()(const ask::ResetLayout&) const { a.reset_layout(); }
  void operator()(const ask::Undo&) const { a.take_back(); }
  void operator()(const ask::OpenPalette&) const { a.ui_.palette_open = true; }
  void operator()(const ask::OpenHelp&) const { a.ui_.help_open = true; }
  void operator()(const ask::OpenLicences&) const { a.ui_.licences_open = true; }
  void operator()(const ask::OpenSettings&) const { a.ui_.settings_open = true; }
  void operator()(const ask::DismissNotice& request) const {
    if (request.id == "recorded") a.ui_.settings.offer_recorded = false;
    std::erase_if(a.data_.notices, [&](const Notice& notice) { return notice.id == request.id; });
  }
  void operator()(const ask::Quit&) const { a.quit_ = true; }
};

/// What each request for a file proposes, and does with one.
struct Application::FileActions {
  Application& a;

  /// From what was chosen before, or from the tensors.
  std::string beside_tensors(const std::string& chosen) const {
    return chosen.empty() ? a.folder_of_tensors() : chosen;
  }
  std::string named(std::optional<Panel> panel, const char* ending) const {
    return a.proposed_path(panel_info(*panel).id + std::string(ending));
  }

  PathAction operator()(const ask::OpenDatabase&) const {
    return {a.ui_.settings.last_database, [this](const auto& file) { a.open_database(file); }};
  }
  PathAction operator()(const ask::ImportDatabase&) const {
    return {a.folder_of_database(), [this](const auto& file) { a.import_database(file); }};
  }
  PathAction operator()(const ask::SaveDatabaseCopy&) const {
    return {a.proposed_path("saved.db"), [this](const auto& file) { a.save_copy(file); }};
  }
  PathAction operator()(const ask::SaveTable&) const {
    return {a.proposed_path("latency.csv"), [this](const auto& file) { a.save_panel(file, Panel::latency); }};
  }
  PathAction operator()(const ask::SaveChart& request) const {
    return {named(request.panel, ".png"), [this, request](const auto& file) {
              a.picture_ = PictureTask{3, request.panel, file};
            }};
  }
  PathAction operator()(const ask::SaveChartData& request) const {
    return {named(request.panel, ".csv"), [this, request](const auto& file) { a.save_panel(file, *request.panel); }};
  }
  PathAction operator()(const ask::SaveSlice&) const {
    return {a.proposed_path("slice.npy"), [this](const auto& file) { a.save_slice(file); }};
  }
  PathAction operator()(const ask::SaveWindowPicture&) const {
    return {a.proposed_path("triscope.png"), [this](const auto& file) { a.picture_ = PictureTask{1, {}, file}; }};
  }
  PathAction operator()(const ask::ChooseTensors&) const {
    SourceDraft& draft = a.ui_.attention.draft;
    return {beside_tensors(draft.source.file), [&draft](const auto& file) { set_tensors(draft, file.string()); }};
  }
  PathAction operator()(const ask::ChooseLabels&) const {
    SourceDraft& draft = a.ui_.attention.draft;
    return {beside_tensors(draft.source.labels_file),
            [&draft](const auto& file) { draft.source.labels_file = file.string(); }};
  }
};

void Application::Handlers::operator()(FileRequest request) const {
  // The chart in front is that of now, not of when the path is known.
  std::visit(
      [this](auto& one) {
        if constexpr (requires { one.panel; }) one.panel = or_front(one.panel);
      },
      request);
  const FileActions actions{a};
  const PathAction action = std::visit(actions, request);
  const std::string file = std::visit([](const auto& one) { return one.file; }, request);
  if (file.empty()) {
    a.ui_.path = {std::move(request), action.proposal, {}, false};
  } else {
    action.act(expand_home(file));
  }
}

void Application::Handlers::operator()(const ask::ShowSweep& request) const {
  a.ui_.selection.shown_sweep = request.sweep;
  a.ui_.selection.pinned = 0;
  a.read(true);
}

void Application::Handlers::operator()(const ask::SetBaseline& request) const {
  std::int64_t& baseline = a.ui_.selection.baseline_sweep;
  const std::int64_t sweep = or_shown(request.sweep);
  baseline = baseline == sweep ? 0 : sweep;
  a.read(true);
}

void Application::Handlers::operator()(const ask::ClearBaseline&) const {
  a.ui_.selection.baseline_sweep = 0;
  a.read(true);
}

void Application::Handlers::operator()(const ask::SelectMeasurement& request) const {
  std::int64_t& pinned = a.ui_.selection.pinned;
  pinned = pinned == request.measurement ? 0 : request.measurement;
  a.read(false);
}

void Application::Handlers::operator()(const ask::ClearSelection&) const {
  if (a.ui_.attention.open) return a.ui_.attention.pinned.reset();
  a.ui_.selection.pinned = 0;
  a.ui_.selection.compared.clear();
  a.read(true);
}

void Application::carry_out(const Request& request) { std::visit(Handlers{*this}, request); }

void Application::scale_to(float scale) {
  ui_.settings.scale = std::clamp(std::round(scale * 20) / 20, kSmallestScale, kLargestScale);
}

void Application::compare_with(std::int64_t sweep) {
  auto& compared = ui_.selection.compared;
  if (compared.empty()) {
    const std::int64_t first = ui_.selection.baseline_sweep ? ui_.selection.baseline_sweep : ui_.selection.shown_sweep;
    if (first) compared.push_back(first);
  }
  const auto found = std::find(compared.begin(), compared.end(), sweep);
  if (found == compared.end()) {
    compared.push_back(sweep);
  } else {
    compared.erase(found);
    if (compared.size() < 2) compared.clear();
  }
  if (compared.size() >= 2) ui_.show(Panel::compare);
  read(true);
}

void Application::star(std::int64_t sweep) {
  const SweepInfo* info = find_sweep(sweep);
  if (info) write([sweep, starred = !info->starred](Store& store) { store.set_starred(sweep, starred); });
}

void Application::offer_undo(std::string text, Undo undo) {
  keep_undone();
  undo_ = std::move(undo);
  data_.can_undo = true;
  notify(Severity::info, "undo", std::move(text), {{"Undo", ask::Undo{}}});
}

void Application::take_back() {
  if (!undo_) return;
  const Undo undo = std::move(*undo_);
  undo_.reset();
  data_.can_undo = false;
  std::erase_if(data_.notices, [](const Notice& notice) { return notice.id == "undo"; });
  undo.back();
}

void Application::keep_undone() {
  if (!undo_) return;
  const Undo undo = std::move(*undo_);
  undo_.reset();
  data_.can_undo = false;
  std::erase_if(data_.notices, [](const Notice& notice) { return notice.id == "undo"; });
  undo.keep();
}

void Application::delete_sweep(std::int64_t sweep) {
  const SweepInfo* info = find_sweep(sweep);
  if (!info) return;
  if (info->running || (data_.measures_here() && data_.run.sweep == sweep)) {
    notify(Severity::warning, "delete", "This sweep is being measured: stop it before deleting it.");
    return;
  }
  const std::string text =
      fmt::format("Deleted the sweep of {} with {} measurements.", format_started(info->started, std::time(nullptr)),
                  info->ok + info->failed + info->skipped);
  offer_undo(text, {[this] {
                      deleted_sweep_ = 0;
                      read(true);
                    },
                    [this, sweep] { write([sweep](Store& store) { store.delete_sweep(sweep); }); }});
  Selection& selection = ui_.selection;
  deleted_sweep_ = sweep;
  std::erase(selection.compared, sweep);
  if (selection.compared.size() < 2) selection.compared.clear();
  if (selection.baseline_sweep == sweep) selection.baseline_sweep = 0;
  if (selection.shown_sweep == sweep) selection.shown_sweep = selection.pinned = 0;
  read(true);
}

void Application::reset_layout() {
  const std::string before = ImGui::SaveIniSettingsToMemory();
  const auto undo = [this, before, small = ui_.small_layout, usual = ui_.small_layout ? ui_.wide_layout : before,
                     visible = ui_.settings.visible] {
    ui_.settings.visible = visible;
    // The window may have been made small or wide since.
    if (ui_.small_layout) {
      ui_.wide_layout = usual;
      if (small) ui_.layout_to_load = before;
    } else {
      ui_.layout_to_load = usual;
      ui_.reset_layout = usual.empty();
    }
  };
  offer_undo("The layout was reset.", {undo, [] {}});
  ui_.settings.visible.fill(true);
  ui_.wide_layout.clear();
  ui_.reset_layout = true;
}

}  // namespace triscope
