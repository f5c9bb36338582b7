// The window without its window: wires the parts together and draws one frame. Knows no GLFW and no OpenGL, so that
// tests, screenshots and reports run it anywhere.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/window/attention/attention_session.hpp"
#include "app/window/database/database.hpp"
#include "app/window/database/stored_sweeps.hpp"
#include "app/window/engine/engine.hpp"
#include "app/window/explore/explore_session.hpp"
#include "app/window/files/files.hpp"
#include "app/window/held_keys.hpp"
#include "app/window/look/appearance.hpp"
#include "app/window/messages/messages.hpp"
#include "app/window/picture/camera.hpp"
#include "app/window/sweep/first_start.hpp"
#include "app/window/sweep/library_session.hpp"
#include "app/window/sweep/planner.hpp"
#include "app/window/sweep/sweep_session.hpp"
#include "app/window/threads/background.hpp"
#include "app/window/tiles/tile_session.hpp"
#include "app/window/undo/undo_step.hpp"
#include "views/parts/context.hpp"
#include "views/print/canvas/make_canvas.hpp"

namespace triscope {

struct ApplicationOptions {
  std::filesystem::path database;           ///< empty: the user's own
  std::filesystem::path settings_folder;    ///< empty: nothing is kept
  std::filesystem::path recorded_database;  ///< shipped recording; empty: none
  Engine engine;
  bool system_is_dark = true;          ///< theme of the desktop
  std::optional<ThemeChoice> theme{};  ///< instead of the one in the settings
  std::filesystem::path tensors;       ///< shown in the attention panel at the start; empty: none
  bool ask_machine = true;             ///< start a worker to list devices (not for screenshots)
  bool run_at_start = false;           ///< start a sweep as soon as the machine is known
  bool run_when_empty = false;         ///< the same, if the database holds no sweep yet
  std::function<void()> wake = [] {};  ///< wakes the frame loop; called on any thread
};

/// Lives on the drawing thread, inside a current Dear ImGui and ImPlot context.
class Application {
 public:
  explicit Application(ApplicationOptions options);
  ~Application();  ///< stops a running sweep and every question, finishes writes, keeps the settings
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  /// Work that must happen before Dear ImGui's new frame: results of threads, theme and scale. True when something
  /// changed, so that the window must be drawn.
  bool prepare_frame(float monitor_scale);
  /// Draws everything between NewFrame and Render, then carries out what was asked.
  void draw();
  /// Keys wait for a text field that the next frames open: they must be drawn.
  bool holds_keys() const { return keys_.any(); }
  /// A request as a panel would emit it. Throws `Error` when it cannot be carried out.
  void carry_out(const Request& request);
  /// A file dropped on the window: tensors are looked into, anything else is taken for a database.
  void open_dropped(const std::filesystem::path& file);
  bool quit_asked() const { return quit_; }

  /// Scale at which the next frame must be drawn for a picture; 0 = none is wanted. After drawing that frame the loop
  /// hands its draw data over.
  float wanted_picture_scale() const { return camera_.wanted() ? camera_.wanted()->scale : 0; }
  void take_picture(const ImDrawData& data) { camera_.take(data, look().theme.panel); }
  Camera& camera() { return camera_; }

  const Look& look() const { return appearance_.look(); }
  WindowData& data() { return data_; }
  UiState& ui() { return ui_; }
  Messages& messages() { return messages_; }
  Models& models() { return models_; }
  /// True when nothing is read, written, planned or looked into, no picture is wanted and no result waits for the next
  /// frame. A sweep that is measured does not count.
  bool settled() const;
  /// Why the last read of the database failed, in a sentence; empty: it did not.
  const std::string& read_problem() const { return database_.read_problem(); }
  /// Draws this panel alone, without the shell; nullopt: everything.
  void show_only(std::optional<Panel> panel) { only_ = panel; }
  TextTable text_of(Panel panel);
  /// The chart of `panel` for print. Throws `Error` where it has none.
  std::string vectors_of(Panel panel, VectorFormat format, const PrintChoice& choice = {});
  /// Draws the chart of `request` in each of its formats and writes them on the thread of files.
  void save_chart(const ask::SaveChart& request, const std::filesystem::path& file);
  /// Prepares the words and formats of the question for the file of that chart.
  void draft_picture(Panel panel);
  /// See `StoredSweeps::select_first`.
  void select_first() { sweeps_.select_first(); }

 private:
  struct Handlers;     ///< one for each request: application_requests.cpp
  struct FileActions;  ///< one for each request for a file: application_requests.cpp

  void wire();
  /// How high the picture will be that is asked for, with its words, or why it cannot be made.
  void measure_draft();
  /// The caption is of the part of a zoomed chart that is shown, or of all of it; one that was typed stays.
  void renew_words(PictureDraft& draft);
  std::string caption_of(const ask::SaveChart& request);
  /// Whoever asked for a sweep no longer waits for its estimate; false: nobody did.
  bool end_wait();
  /// Makes models of much data on a thread.
  void make_beside(const std::string& name, std::function<ModelMaker::Take()> make);
  Context context();
  bool shows_page(PaperPage page) const {
    return (only_ == Panel::paper || ui_.workspace == Workspace::paper) && ui_.paper.page == page;
  }
  bool shows_attention() const { return only_ == Panel::attention || ui_.workspace == Workspace::attention; }

  ApplicationOptions options_;
  WindowData data_;
  UiState ui_;
  Models models_;
  std::vector<Request> requests_;
  std::optional<Panel> only_;
  HeldKeys keys_;
  bool quit_ = false;
  int frames_ = 0;          ///< drawn so far
  bool run_waits_ = false;  ///< for the estimate of the sweep that was asked for

  // Each part after those it uses; they end in the opposite order.
  UiQueue queue_{options_.wake};
  Messages messages_{data_, queue_};
  UndoStep undo_{data_.can_undo, messages_};
  Files files_{data_.folder, ui_.path, data_, messages_, queue_};
  Appearance appearance_{ui_, options_.settings_folder, options_.system_is_dark, undo_, files_, messages_};
  Camera camera_{ui_.chart_areas, files_, messages_};
  Database database_{data_, ui_, undo_, messages_, queue_};
  StoredSweeps sweeps_{database_, data_, ui_, undo_, messages_};
  Planner planner_{data_, ui_.form, options_.engine, messages_, queue_};
  SweepSession sweep_{data_.run, ui_, data_, options_.engine, database_, planner_, messages_, queue_};
  LibrarySession library_{data_, ui_, options_.engine, planner_, sweep_, messages_, queue_};
  FirstStart first_start_;
  AttentionSession attention_{data_.attention, ui_.attention, data_, options_.engine, messages_, queue_};
  ExploreSession explore_{data_.explore, ui_, data_, database_, messages_, queue_};
  BackgroundThread maker_thread_{messages_.failures()};
  TileSession tiles_{data_.tiles, data_.work, ui_.paper.tiles, data_.run, options_.engine, messages_, queue_};
};

}  // namespace triscope
