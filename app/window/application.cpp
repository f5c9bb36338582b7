#include "app/window/application.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "app/window/desktop/desktop.hpp"
#include "kernels/base/error.hpp"
#include "views/data/format.hpp"
#include "views/panels/panels.hpp"
#include "views/shell/shell.hpp"

namespace triscope {
namespace {

constexpr std::size_t kLogLines = 2000;

std::string clock_text() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return fmt::format("{:02}:{:02}:{:02}", local.tm_hour, local.tm_min, local.tm_sec);
}

}  // namespace

Application::Application(ApplicationOptions options)
    : copy_image(copy_png_to_clipboard), options_(std::move(options)), queue_(options_.wake) {
  StoredSettings stored = load_settings(options_.settings_folder);
  ui_.settings = stored.settings;
  if (options_.theme) ui_.settings.theme = *options_.theme;
  ui_.form = default_form(false);
  if (!stored.request_json.empty()) {
    try {
      ui_.form = form_of(sweep_request_from_json(stored.request_json), nullptr);
    } catch (const Error& error) {
      log(Severity::warning, fmt::format("The last sweep setup could not be restored: {}", error.what()));
    }
  }
  if (!stored.problem.empty()) notify(Severity::warning, "settings", stored.problem);
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.ConfigFlags |= ImGuiConfigFlags_DockingEnable | ImGuiConfigFlags_NavEnableKeyboard;
  io.ConfigWindowsMoveFromTitleBarOnly = true;
  io.ConfigErrorRecoveryEnableTooltip = false;  // messages for programmers: tests look for them
  io.ConfigDockingWithShift = false;
  io.ConfigDragClickToInputText = true;  // a number that can be dragged looks like one to type, and is
  if (!stored.layout.empty()) {
    ImGui::LoadIniSettingsFromMemory(stored.layout.c_str(), stored.layout.size());
    ui_.reset_layout = false;
    ui_.front_pending = 0;
  }
  load_fonts(look_);
  std::error_code error;
  if (!options_.recorded_database.empty() && std::filesystem::exists(options_.recorded_database, error))
    data_.recorded_database = options_.recorded_database.string();
  const auto failed = [this](const std::string& why) {
    queue_.push([this, why] {
      notify(Severity::error, "background", fmt::format("Something in the background was not done: {}", why));
    });
  };
  reader_thread_ = std::make_unique<BackgroundThread>(
      failed, [this] { poll_database(); }, std::chrono::milliseconds(1000));
  for (auto* thread : {&writer_thread_, &planner_thread_, &slice_thread_, &survey_thread_})
    *thread = std::make_unique<BackgroundThread>(failed);
  start_pending_ = options_.run_at_start || options_.run_when_empty;
  open_database(options_.database);
  if (options_.ask_machine) {
    ask_machine();
  } else {
    data_.machine.loading = false;
    data_.machine.problem = "Kernels and devices are listed when a worker lies beside this program.";
  }
}

Application::~Application() {
  sweep_thread_.request_stop();
  end_inspector(*slice_thread_, slice_worker_);
  end_inspector(*survey_thread_, survey_worker_);
  planner_thread_->drop_waiting();
  if (sweep_thread_.joinable()) sweep_thread_.join();
  keep_undone();
  slice_thread_.reset();
  survey_thread_.reset();
  planner_thread_.reset();
  writer_thread_.reset();
  reader_thread_.reset();
  try {
    save_settings(options_.settings_folder, settings_to_keep());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "triscope-window: %s\n", error.what());  // there is no window left to say it in
  }
}

Context Application::context() {
  return {look_, data_, ui_, models_, requests_, static_cast<std::int64_t>(std::time(nullptr))};
}

bool Application::settled() const {
  return pending_reads_ == 0 && reader_thread_->idle() && writer_thread_->idle() && planner_thread_->idle() &&
         slice_thread_->idle() && survey_thread_->idle() && !picture_;
}

bool Application::prepare_frame(float monitor_scale) {
  const bool news = queue_.drain();
  if (!ui_.layout_to_load.empty()) {
    ImGui::LoadIniSettingsFromMemory(ui_.layout_to_load.c_str(), ui_.layout_to_load.size());
    ui_.layout_to_load.clear();
  }
  const bool dark =
      ui_.settings.theme == ThemeChoice::dark || (ui_.settings.theme == ThemeChoice::system && options_.system_is_dark);
  const float scale = std::clamp(ui_.settings.scale * monitor_scale, 0.5F, 6.0F);
  if (look_.scale != scale || look_.theme.dark != dark || look_.theme.text == 0) {
    look_.theme = dark ? dark_theme() : light_theme();
    look_.scale = scale;
    apply_look(look_);
    return true;
  }
  return news || (ui_.front_pending > 0 && !ui_.attention.open);  // a fresh layout takes a few frames
}

void Application::draw() {
  Context now = context();
  ui_.selection.hovered_now = 0;
  ui_.chart_areas.clear();
  ui_.printing = only_ || (picture_ && picture_->panel);
  if (shows_attention()) walk_on(ui_.attention, data_.attention);
  supply_attention();  // the next slice is made while this one is drawn
  if (only_) {
    draw_alone(now, *only_);
  } else {
    draw_shell(now);
  }
  ui_.selection.hovered = ui_.selection.hovered_now;
  std::vector<Request> requests;
  requests.swap(requests_);
  for (const Request& request : requests) {
    try {
      carry_out(request);
    } catch (const std::exception& error) {
      notify(Severity::error, "request", error.what());
    }
  }
  supply_attention();
  if (ImGui::GetIO().WantSaveIniSettings) {
    keep_settings();
    ImGui::GetIO().WantSaveIniSettings = false;
  }
}

TextTable Application::text_of(Panel panel) {
  Context now = context();
  return panel_text(now, panel);
}

bool Application::is_recorded(const std::filesystem::path& file) const {
  std::error_code error;
  return !data_.recorded_database.empty() && std::filesystem::equivalent(file, data_.recorded_database, error);
}

void Application::select_first() {
  if (!data_.shown) return;
  const ResultRow* chosen = nullptr;
  const auto better = [&](const ResultRow& row) {
    if (!chosen || row.problem.seq_len > chosen->problem.seq_len) return true;
    const bool beside = row.problem == chosen->problem && row.pass == chosen->pass && row.regime == chosen->regime;
    return beside && row.median_ms && chosen->median_ms && *row.median_ms < *chosen->median_ms;
  };
  for (const bool baselines : {false, true}) {
    for (const ResultRow& row : data_.shown->rows) {
      if (row.status != Status::ok || row.problem.form == Form::gemm || is_baseline(row) != baselines) continue;
      if (better(row)) chosen = &row;
    }
    if (chosen) break;
  }
  if (chosen && ui_.selection.pinned != chosen->measurement) carry_out(ask::SelectMeasurement{chosen->measurement});
}

const SweepInfo* Application::find_sweep(std::int64_t sweep) const {
  const auto found =
      std::find_if(data_.sweeps.begin(), data_.sweeps.end(), [&](const SweepInfo& one) { return one.id == sweep; });
  return found == data_.sweeps.end() ? nullptr : &*found;
}

StoredSettings Application::settings_to_keep() const {
  StoredSettings stored;
  stored.settings = ui_.settings;
  const FormReading reading = read_form(ui_.form, nullptr);
  if (reading.problems.empty()) stored.request_json = to_json(reading.request);
  stored.layout = ui_.small_layout ? ui_.wide_layout : ImGui::SaveIniSettingsToMemory();
  return stored;
}

void Application::keep_settings() {
  writer_thread_->replace("settings", [this, stored = settings_to_keep(), folder = options_.settings_folder] {
    try {
      save_settings(folder, stored);
    } catch (const std::exception& error) {
      queue_.push([this, text = std::string(error.what())] { notify(Severity::warning, "settings", text); });
    }
  });
}

void Application::notify(Severity severity, std::string id, std::string text, std::vector<Notice::Action> actions) {
  std::erase_if(data_.notices, [&](const Notice& notice) { return notice.id == id; });
  log(severity, text);
  data_.notices.push_back({std::move(id), severity, std::move(text), std::move(actions)});
}

void Application::log(Severity severity, std::string text) {
  data_.log.push_back({clock_text(), severity, std::move(text)});
  if (data_.log.size() > kLogLines)
    data_.log.erase(data_.log.begin(), data_.log.begin() + static_cast<std::ptrdiff_t>(kLogLines / 10));
}

void Application::take_picture(const ImDrawData& data) {
  if (!picture_) return;
  const PictureTask task = *picture_;
  picture_.reset();
  try {
    Picture picture = rasterize(data, look_.theme.panel);
    if (task.panel) {
      const auto area = ui_.chart_areas.find(*task.panel);
      if (area == ui_.chart_areas.end())
        throw Error("The chart was not saved", "it is not shown", "bring it to the front first");
      picture = crop(picture, area->second, data.FramebufferScale.x);
    }
    const std::vector<std::uint8_t> png = encode_png(picture);
    if (task.file.empty()) {
      copy_image(png);
      log(Severity::info, fmt::format("Copied a picture of {} x {} pixels.", picture.width, picture.height));
    } else {
      save_text(task.file, std::string(png.begin(), png.end()));
    }
  } catch (const std::exception& error) {
    std::vector<Notice::Action> instead;
    if (task.file.empty() && task.panel) instead.push_back({"Save as PNG...", ask::SaveChart{task.panel, {}}});
    // Through the queue: this is after the frame, and it wakes the window for the next.
    queue_.push(
        [this, text = std::string(error.what()), instead] { notify(Severity::error, "picture", text, instead); });
  }
}

}  // namespace triscope
