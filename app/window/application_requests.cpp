// What the requests of the panels do to the view and to sweeps.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <utility>

#include "app/window/application.hpp"
#include "views/data/format.hpp"
#include "views/panels/panels.hpp"

namespace triscope {
namespace {

constexpr float kScaleStep = 0.1F;

}  // namespace

void Application::carry_out(const Request& request) {
  switch (request.id) {
    case CommandId::set_baseline:
    case CommandId::clear_baseline:
    case CommandId::compare:
    case CommandId::show_sweep:
    case CommandId::select_measurement:
    case CommandId::unpin:
      return carry_out_selection(request);
    case CommandId::run:
    case CommandId::stop:
    case CommandId::resume:
    case CommandId::star:
    case CommandId::delete_sweep:
    case CommandId::save_note:
    case CommandId::preview_plan:
    case CommandId::note_measurement:
      return carry_out_sweep(request);
    case CommandId::open_database:
    case CommandId::open_recorded:
    case CommandId::import_database:
    case CommandId::save_table:
    case CommandId::save_chart:
    case CommandId::save_window_picture:
    case CommandId::export_text:
    case CommandId::save_slice:
    case CommandId::save_copy:
    case CommandId::list_folder:
    case CommandId::choose_tensors:
    case CommandId::choose_labels:
    case CommandId::copy_table:
    case CommandId::copy_markdown:
    case CommandId::copy_csv:
    case CommandId::copy_latex:
    case CommandId::copy_chart:
    case CommandId::copy_chart_data:
    case CommandId::copy_text:
      return carry_out_file(request);
    case CommandId::toggle_theme:
    case CommandId::scale_up:
    case CommandId::scale_down:
    case CommandId::scale_reset:
      return carry_out_look(request);
    default:
      return carry_out_view(request);
  }
}

void Application::show_panel(Panel panel) {
  ui_.attention.open = panel == Panel::attention;
  if (ui_.attention.open) return;
  ui_.settings.visible[static_cast<std::size_t>(panel)] = true;
  ui_.focus = panel;
  if (panel == Panel::tflops || panel == Panel::map || panel == Panel::scaling || panel == Panel::lengths ||
      panel == Panel::samples)
    ui_.front_chart = panel;
}

void Application::carry_out_look(const Request& request) {
  Settings& settings = ui_.settings;
  const auto scale_to = [&](float scale) {
    settings.scale = std::clamp(std::round(scale * 20) / 20, kSmallestScale, kLargestScale);
  };
  switch (request.id) {
    case CommandId::toggle_theme:
      settings.theme = look_.theme.dark ? ThemeChoice::light : ThemeChoice::dark;
      break;
    case CommandId::scale_up:
      scale_to(settings.scale + kScaleStep);
      break;
    case CommandId::scale_down:
      scale_to(settings.scale - kScaleStep);
      break;
    case CommandId::scale_reset:
      scale_to(1);
      break;
    default:
      break;
  }
}

void Application::carry_out_view(const Request& request) {
  switch (request.id) {
    case CommandId::show_panel:
      show_panel(static_cast<Panel>(request.number));
      break;
    case CommandId::show_measurements:
      ui_.attention.open = false;
      break;
    case CommandId::inspect_again:
      ask_survey_again();
      break;
    case CommandId::fit_charts:
      ui_.fit_charts = true;
      ui_.attention.part.reset();
      break;
    case CommandId::reset_layout:
      reset_layout();
      break;
    case CommandId::undo:
      take_back();
      break;
    case CommandId::palette:
      ui_.palette_open = true;
      break;
    case CommandId::help:
      ui_.help_open = true;
      break;
    case CommandId::licences:
      ui_.licences_open = true;
      break;
    case CommandId::settings:
      ui_.settings_open = true;
      break;
    case CommandId::filter:
      show_panel(Panel::latency);
      ui_.focus_filter = true;
      break;
    case CommandId::dismiss_notice:
      if (request.text == "recorded") ui_.settings.offer_recorded = false;
      std::erase_if(data_.notices, [&](const Notice& notice) { return notice.id == request.text; });
      break;
    case CommandId::quit:
      quit_ = true;
      break;
    default:
      break;
  }
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
  if (compared.size() >= 2) show_panel(Panel::compare);
}

void Application::carry_out_selection(const Request& request) {
  Selection& selection = ui_.selection;
  const std::int64_t sweep = request.number ? request.number : selection.shown_sweep;
  switch (request.id) {
    case CommandId::set_baseline:
      selection.baseline_sweep = selection.baseline_sweep == sweep ? 0 : sweep;
      read(true);
      break;
    case CommandId::clear_baseline:
      selection.baseline_sweep = 0;
      read(true);
      break;
    case CommandId::compare:
      compare_with(sweep);
      read(true);
      break;
    case CommandId::show_sweep:
      selection.shown_sweep = request.number;
      selection.pinned = 0;
      read(true);
      break;
    case CommandId::select_measurement:
      selection.pinned = selection.pinned == request.number ? 0 : request.number;
      read(false);
      break;
    case CommandId::unpin:
      if (ui_.attention.open) {
        ui_.attention.pinned.reset();
        break;
      }
      selection.pinned = 0;
      selection.compared.clear();
      read(true);
      break;
    default:
      break;
  }
}

void Application::carry_out_sweep(const Request& request) {
  const std::int64_t sweep = request.number ? request.number : ui_.selection.shown_sweep;
  constexpr std::array kWriting{CommandId::run,          CommandId::resume,    CommandId::star,
                                CommandId::delete_sweep, CommandId::save_note, CommandId::note_measurement};
  if (std::find(kWriting.begin(), kWriting.end(), request.id) != kWriting.end() && database_is_gone())
    return report_gone();
  switch (request.id) {
    case CommandId::run:
      start_sweep(std::nullopt);
      break;
    case CommandId::resume:
      start_sweep(sweep);
      break;
    case CommandId::stop:
      data_.run.stopping = data_.run.running;
      sweep_thread_.request_stop();
      break;
    case CommandId::star:
      star(sweep);
      break;
    case CommandId::delete_sweep:
      if (request.text == "confirmed") {
        delete_sweep(sweep);
      } else {
        ui_.delete_asked = sweep;
      }
      break;
    case CommandId::save_note:
      write([sweep, note = request.text](Store& store) { store.set_note(sweep, note); });
      break;
    case CommandId::note_measurement:
      write([id = request.number, note = request.text](Store& store) { store.set_measurement_note(id, note); });
      break;
    case CommandId::preview_plan:
      ask_preview();
      break;
    default:
      break;
  }
}

void Application::star(std::int64_t sweep) {
  const SweepInfo* info = find_sweep(sweep);
  if (info) write([sweep, starred = !info->starred](Store& store) { store.set_starred(sweep, starred); });
}

void Application::offer_undo(std::string text, Undo undo) {
  keep_undone();
  undo_ = std::move(undo);
  data_.can_undo = true;
  notify(Severity::info, "undo", std::move(text), {{"Undo", {CommandId::undo}}});
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
