// What each request of the panels does.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <utility>

#include "app/window/application.hpp"
#include "app/window/folder_listing.hpp"
#include "kernels/atomic_file.hpp"
#include "kernels/error.hpp"
#include "views/format.hpp"
#include "views/panel_list.hpp"

namespace triscope {
namespace {

constexpr float kScaleStep = 0.1F;
constexpr std::size_t kRecentDatabases = 6;

std::string folder_of(const std::string& database) {
  const std::filesystem::path parent = std::filesystem::path(database).parent_path();
  return parent.empty() ? std::string(".") : parent.string();
}

bool can_write(const std::string& folder) { return access(folder.c_str(), W_OK) == 0; }

}  // namespace

void Application::carry_out(const Request& request) {
  switch (request.id) {
    case CommandId::run:
    case CommandId::stop:
    case CommandId::resume:
    case CommandId::set_baseline:
    case CommandId::clear_baseline:
    case CommandId::compare:
    case CommandId::star:
    case CommandId::delete_sweep:
    case CommandId::save_note:
    case CommandId::show_sweep:
    case CommandId::select_measurement:
    case CommandId::preview_plan:
    case CommandId::note_measurement:
    case CommandId::unpin:
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
    case CommandId::copy_table:
    case CommandId::copy_markdown:
    case CommandId::copy_csv:
    case CommandId::copy_latex:
    case CommandId::copy_chart:
    case CommandId::copy_chart_data:
    case CommandId::copy_text:
      return carry_out_file(request);
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

void Application::carry_out_view(const Request& request) {
  Settings& settings = ui_.settings;
  const auto scale_to = [&](float scale) {
    settings.scale = std::clamp(std::round(scale * 20) / 20, kSmallestScale, kLargestScale);
  };
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
    case CommandId::reset_layout:
      reset_layout();
      break;
    case CommandId::undo:
      if (undo_) {
        const Undo undo = std::move(*undo_);
        undo_.reset();
        data_.can_undo = false;
        std::erase_if(data_.notices, [](const Notice& notice) { return notice.id == "undo"; });
        undo.back();
      }
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
      if (request.text == "recorded") settings.offer_recorded = false;
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

void Application::carry_out_sweep(const Request& request) {
  Selection& selection = ui_.selection;
  const std::int64_t sweep = request.number ? request.number : selection.shown_sweep;
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
    case CommandId::star: {
      const auto info =
          std::find_if(data_.sweeps.begin(), data_.sweeps.end(), [&](const SweepInfo& one) { return one.id == sweep; });
      if (info != data_.sweeps.end())
        write([sweep, starred = !info->starred](Store& store) { store.set_starred(sweep, starred); });
      break;
    }
    case CommandId::delete_sweep:
      if (request.text != "confirmed") {
        ui_.delete_asked = sweep;
      } else if ((data_.measures_here() && data_.run.sweep == sweep) ||
                 std::any_of(data_.sweeps.begin(), data_.sweeps.end(),
                             [&](const SweepInfo& one) { return one.id == sweep && one.running; })) {
        notify(Severity::warning, "delete", "This sweep is being measured: stop it before deleting it.");
      } else {
        delete_sweep(sweep);
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

void Application::offer_undo(std::string text, Undo undo) {
  keep_undone();
  undo_ = std::move(undo);
  data_.can_undo = true;
  notify(Severity::info, "undo", std::move(text), {{"Undo", {CommandId::undo}}});
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
  const auto info =
      std::find_if(data_.sweeps.begin(), data_.sweeps.end(), [&](const SweepInfo& one) { return one.id == sweep; });
  if (info == data_.sweeps.end()) return;
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
  std::size_t size = 0;
  const char* before = ImGui::SaveIniSettingsToMemory(&size);
  offer_undo("The layout was reset.", {[this, layout = std::string(before, size), visible = ui_.settings.visible] {
                                         ui_.settings.visible = visible;
                                         layout_to_load_ = layout;
                                       },
                                       [] {}});
  ui_.settings.visible.fill(true);
  ui_.reset_layout = true;
}

void Application::ask_path(CommandId id, std::string proposal, std::int64_t argument) {
  ui_.path = {id, argument, std::move(proposal), {}, false};
}

void Application::copy_panel(Panel panel, TableFormat format) {
  Context now = context();
  const TextTable table = panel_text(now, panel);
  if (table.rows.empty()) {
    notify(Severity::warning, "copy", fmt::format("There is nothing to copy: {} is empty.", panel_info(panel).title));
    return;
  }
  ImGui::SetClipboardText(write_table(table, format).c_str());
  log(Severity::info, fmt::format("Copied {} rows of {}.", table.rows.size(), panel_info(panel).title));
}

void Application::carry_out_file(const Request& request) {
  const Panel panel = request.number > 0   ? static_cast<Panel>(request.number)
                      : ui_.attention.open ? Panel::attention
                                           : ui_.front_chart;
  const std::string file = expand_home(request.text).string();
  // Beside the database, unless nothing can be written there.
  const auto proposal = [&](const std::string& name) {
    const std::string folder = folder_of(data_.database);
    return fmt::format("{}/{}",
                       !data_.read_only && can_write(folder) ? folder
                       : can_write(".")                      ? std::filesystem::current_path().string()
                                                             : "~",
                       name);
  };
  // A request without a path asks for one, and comes back with it.
  const auto with_path = [&](const std::string& proposed, const auto& act, std::int64_t argument = 0) {
    if (request.text.empty()) {
      ask_path(request.id, proposed, argument);
    } else {
      act();
    }
  };
  const auto save_csv = [&](Panel of) { save_text(file, write_table(text_of(of), TableFormat::csv)); };
  switch (request.id) {
    case CommandId::list_folder:
      reader_thread_->replace("folder", [this, folder = request.text] {
        queue_.push(
            [this, listing = std::make_shared<const FolderListing>(list_folder(folder))] { data_.folder = listing; });
      });
      break;
    case CommandId::open_recorded:
      open_database(data_.recorded_database);
      break;
    case CommandId::open_database:
      with_path(ui_.settings.last_database, [&] { open_database(file); });
      break;
    case CommandId::import_database:
      with_path(folder_of(data_.database) + "/", [&] { import_database(file); });
      break;
    case CommandId::save_table:
      with_path(proposal("latency.csv"), [&] { save_csv(Panel::latency); });
      break;
    case CommandId::export_text:
      with_path(
          proposal(fmt::format("{}.csv", panel_info(panel).id)), [&] { save_csv(panel); },
          static_cast<std::int64_t>(panel));
      break;
    case CommandId::save_chart:
      with_path(
          proposal(fmt::format("{}.png", panel_info(panel).id)),
          [&] {
            picture_ = PictureTask{3, panel, file};
          },
          static_cast<std::int64_t>(panel));
      break;
    case CommandId::save_slice:
      with_path(proposal("slice.npy"), [&] { save_slice(file); });
      break;
    case CommandId::save_copy:
      with_path(proposal("saved.db"), [&] { save_copy(file); });
      break;
    case CommandId::save_window_picture:
      with_path(proposal("triscope.png"), [&] { picture_ = PictureTask{1, std::nullopt, file}; });
      break;
    case CommandId::copy_chart:
      picture_ = PictureTask{3, panel, {}};
      break;
    case CommandId::copy_table:
      copy_panel(Panel::latency, TableFormat::tsv);
      break;
    case CommandId::copy_markdown:
      copy_panel(Panel::latency, TableFormat::markdown);
      break;
    case CommandId::copy_csv:
      copy_panel(Panel::latency, TableFormat::csv);
      break;
    case CommandId::copy_latex:
      copy_panel(Panel::latency, TableFormat::latex);
      break;
    case CommandId::copy_chart_data:
      copy_panel(panel, TableFormat::tsv);
      break;
    case CommandId::copy_text:
      if (request.text.empty()) {
        copy_panel(static_cast<Panel>(request.number), TableFormat::tsv);
      } else {
        ImGui::SetClipboardText(request.text.c_str());
      }
      break;
    default:
      break;
  }
}

void Application::import_database(const std::filesystem::path& file) {
  write([this, file](Store& store) {
    const std::int64_t count = store.import(file);
    queue_.push([this, count, file] {
      notify(Severity::info, "import",
             fmt::format("Copied {} measurements from {}.", format_count(count), file.string()));
    });
  });
}

void Application::save_text(const std::filesystem::path& file, std::string text) {
  writer_thread_->add([this, file, text = std::move(text)] {
    try {
      write_whole_file(file, text);
      queue_.push([this, file] { notify(Severity::info, "saved", fmt::format("Saved {}.", file.string())); });
    } catch (const Error& error) {
      queue_.push([this, message = std::string(error.what())] { notify(Severity::error, "saved", message); });
    }
  });
}

void Application::save_copy(const std::filesystem::path& file) {
  reader_thread_->add([this, file] {
    try {
      reader_.save_copy(file);
      queue_.push([this, file] {
        std::erase_if(data_.notices, [](const Notice& notice) { return notice.id == "database"; });
        open_database(file);
      });
    } catch (const std::exception& error) {
      queue_.push([this, text = std::string(error.what())] {
        notify(Severity::error, "copy", text, {{"Save a copy...", {CommandId::save_copy}}});
      });
    }
  });
}

void Application::open_database(const std::filesystem::path& asked) {
  std::filesystem::path file = asked;
  const bool own = file.empty();
  if (own) {
    try {
      file = default_database();
    } catch (const Error& error) {
      data_.problem = error.what();
      return;
    }
  }
  data_.loading = true;
  ++pending_reads_;
  const bool create = own || !opened_once_;
  reader_thread_->add([this, file, create] {
    std::string problem;
    try {
      std::error_code error;
      if (!std::filesystem::exists(file, error)) {
        if (!create)
          throw Error(fmt::format("{} was not opened", file.string()), "there is no such file", "check the path",
                      ExitCode::usage);
        Store created(file);
      }
      const Snapshot check(file);
    } catch (const std::exception& error) {
      problem = error.what();
    }
    queue_.push([this, file, problem] {
      --pending_reads_;
      data_.loading = false;
      if (!problem.empty()) {
        // An open database stays open; without one the panels explain.
        if (data_.database.empty()) data_.problem = problem;
        notify(Severity::error, "open", problem,
               {{"Try again", {CommandId::open_database, 0, file.string()}},
                {"Open another...", {CommandId::open_database}}});
        return;
      }
      std::erase_if(data_.notices, [](const Notice& notice) {
        return notice.id == "open" || notice.id == "database" || notice.id == "resume";
      });
      if (!data_.database.empty())
        std::erase_if(data_.notices, [](const Notice& notice) { return notice.id == "recorded"; });
      keep_undone();
      deleted_sweep_ = 0;
      opened_once_ = true;
      data_.problem.clear();
      const std::string previous = std::exchange(data_.database, file.string());
      if (is_recorded(data_.database)) {
        ui_.settings.offer_recorded = false;
        std::vector<Notice::Action> back;
        if (!previous.empty() && previous != data_.database)
          back.push_back({"Back to " + std::filesystem::path(previous).filename().string(),
                          {CommandId::open_database, 0, previous}});
        notify(Severity::info, "recorded",
               "These were recorded on an H200. They can be looked at and compared, not changed.", std::move(back));
      }
      ui_.selection = {};
      ui_.note_of = 0;
      auto& recent = ui_.settings.recent_databases;
      std::erase(recent, data_.database);
      recent.insert(recent.begin(), data_.database);
      if (recent.size() > kRecentDatabases) recent.resize(kRecentDatabases);
      ui_.settings.last_database = data_.database;
      log(Severity::info, fmt::format("Opened {}.", data_.database));
      data_.shown.reset();
      data_.sweeps.clear();
      read(true);
    });
  });
}

}  // namespace triscope
