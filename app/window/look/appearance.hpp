// How the window looks: theme, scale and layout, and the file that keeps them for the user.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/window/desktop/settings_file.hpp"
#include "app/window/desktop/start_marker.hpp"
#include "app/window/files/files.hpp"
#include "app/window/messages/messages.hpp"
#include "app/window/undo/undo_step.hpp"
#include "views/model/ui_state.hpp"
#include "views/parts/theme.hpp"

namespace triscope {

/// Answers for `Look` and what of `UiState` is the layout, and keeps the settings. Lives on the drawing thread, inside
/// a current Dear ImGui context.
class Appearance {
 public:
  /// `folder` of the settings; empty: nothing is kept. `system_is_dark`: theme of the desktop.
  Appearance(UiState& ui, std::filesystem::path folder, bool system_is_dark, UndoStep& undo, Files& files,
             Messages& messages);

  /// Sets Dear ImGui up, and brings back settings, setup form and layout as they were kept; defaults when the start
  /// before this one crashed.
  void restore(std::optional<ThemeChoice> theme);
  /// Before a new frame. True when theme or scale changed.
  bool prepare_frame(float monitor_scale);
  /// After a frame: keeps the settings when the layout has changed.
  void end_frame();
  /// The window has drawn what it started with: what happens from now on is no fault of settings or layout.
  void window_stands();
  /// At the end: keeps the settings now. Throws `Error` when that fails.
  void keep() const;

  void toggle_theme();
  void scale_by(float step);
  void scale_to(float scale);
  void reset_layout();
  const Look& look() const { return look_; }

 private:
  StoredSettings stored() const;

  UiState& ui_;
  std::filesystem::path folder_;
  StartMarker marker_;
  bool system_is_dark_;
  UndoStep& undo_;
  Files& files_;
  Messages& messages_;
  Look look_;
};

}  // namespace triscope
