#include "app/window/look/appearance.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/window/desktop/layout_check.hpp"
#include "kernels/base/error.hpp"
#include "profiler/plan/request.hpp"

namespace triscope {
namespace {

void set_up_imgui() {
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.ConfigFlags |= ImGuiConfigFlags_DockingEnable | ImGuiConfigFlags_NavEnableKeyboard;
  io.ConfigWindowsMoveFromTitleBarOnly = true;
  io.ConfigErrorRecoveryEnableTooltip = false;  // messages for programmers: tests look for them
  io.ConfigDockingWithShift = false;
  io.ConfigDragClickToInputText = true;  // a number that can be dragged looks like one to type, and is
}

/// Dear ImGui reads no layout but this way: its reader trusts every line.
void read_layout(const std::string& layout) {
  if (layout_fault(layout).empty()) ImGui::LoadIniSettingsFromMemory(layout.c_str(), layout.size());
}

}  // namespace

Appearance::Appearance(UiState& ui, std::filesystem::path folder, bool system_is_dark, UndoStep& undo, Files& files,
                       Messages& messages)
    : ui_(ui),
      folder_(std::move(folder)),
      marker_(folder_),
      system_is_dark_(system_is_dark),
      undo_(undo),
      files_(files),
      messages_(messages) {}

void Appearance::restore(std::optional<ThemeChoice> theme) {
  const StoredSettings stored = marker_.crashed_before() ? settings_after_crash(folder_) : load_settings(folder_);
  ui_.settings = stored.settings;
  ui_.attention.framed_keeps = stored.framed_keeps;
  if (theme) ui_.settings.theme = *theme;
  ui_.form = default_form(false);
  if (!stored.request_json.empty()) {
    try {
      ui_.form = form_of(sweep_request_from_json(stored.request_json), nullptr);
    } catch (const Error& error) {
      messages_.log(Severity::warning, fmt::format("The last sweep setup could not be restored: {}", error.what()));
    }
  }
  ui_.form.counters = stored.counters;
  ui_.form.excluded_kernels = stored.excluded_kernels;
  if (!stored.problem.empty()) messages_.notify(Severity::warning, NoticeId::settings, stored.problem);
  set_up_imgui();
  if (!stored.layout.empty()) {
    read_layout(stored.layout);
    ui_.reset_layout = false;
    ui_.front_pending = 0;
  }
  load_fonts(look_);
}

bool Appearance::prepare_frame(float monitor_scale) {
  if (!ui_.layout_to_load.empty()) {
    read_layout(ui_.layout_to_load);
    ui_.layout_to_load.clear();
    ui_.layout_height = 0;
  }
  const bool dark =
      ui_.settings.theme == ThemeChoice::dark || (ui_.settings.theme == ThemeChoice::system && system_is_dark_);
  const float scale = std::clamp(ui_.settings.scale * monitor_scale, 0.5F, 6.0F);
  if (look_.scale == scale && look_.theme.dark == dark && look_.theme.text != 0) return false;
  look_.theme = dark ? dark_theme() : light_theme();
  look_.scale = scale;
  apply_look(look_);
  return true;
}

void Appearance::end_frame() {
  if (!ImGui::GetIO().WantSaveIniSettings) return;
  ImGui::GetIO().WantSaveIniSettings = false;
  files_.replace("settings", [this, stored = stored(), folder = folder_] {
    try {
      save_settings(folder, stored);
    } catch (const std::exception& error) {
      messages_.notify_later(Severity::warning, NoticeId::settings, error.what());
    }
  });
}

void Appearance::window_stands() { marker_.window_stands(); }

void Appearance::keep() const { save_settings(folder_, stored()); }

StoredSettings Appearance::stored() const {
  StoredSettings stored;
  stored.settings = ui_.settings;
  const FormReading reading = read_form(ui_.form, nullptr);
  if (reading.problems.empty()) stored.request_json = to_json(reading.request);
  stored.framed_keeps = ui_.attention.framed_keeps;
  stored.counters = ui_.form.counters;
  stored.excluded_kernels = ui_.form.excluded_kernels;
  if (ui_.reset_layout) return stored;  // no frame has been drawn with a layout
  stored.layout = ui_.small_layout ? ui_.wide_layout : ImGui::SaveIniSettingsToMemory();
  return stored;
}

void Appearance::toggle_theme() { ui_.settings.theme = look_.theme.dark ? ThemeChoice::light : ThemeChoice::dark; }

void Appearance::scale_by(float step) { scale_to(ui_.settings.scale + step); }

void Appearance::scale_to(float scale) {
  ui_.settings.scale = std::clamp(std::round(scale * 20) / 20, kSmallestScale, kLargestScale);
}

void Appearance::reset_layout() {
  const std::string before = ImGui::SaveIniSettingsToMemory();
  const auto back = [this, before, small = ui_.small_layout, usual = ui_.small_layout ? ui_.wide_layout : before,
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
  undo_.offer("The layout was reset.", back, [] {});
  ui_.settings.visible.fill(true);
  ui_.wide_layout.clear();
  ui_.reset_layout = true;
}

}  // namespace triscope
