// The window without its window: state, threads, requests and the drawing of one frame. Knows no GLFW and no OpenGL, so
// that tests, screenshots and reports run it anywhere.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "app/window/database/database_reader.hpp"
#include "app/window/desktop/settings_file.hpp"
#include "app/window/engine/engine.hpp"
#include "app/window/picture/picture.hpp"
#include "app/window/threads/background.hpp"
#include "profiler/plan/request.hpp"
#include "views/parts/context.hpp"

namespace triscope {

struct ApplicationOptions {
  std::filesystem::path database;           ///< empty: the user's own
  std::filesystem::path settings_folder;    ///< empty: nothing is kept
  std::filesystem::path recorded_database;  ///< shipped recording; empty: none
  Engine engine;
  bool system_is_dark = true;          ///< theme of the desktop
  std::optional<ThemeChoice> theme{};  ///< instead of the one in the settings
  bool ask_machine = true;             ///< start a worker to list devices (not for screenshots)
  bool run_at_start = false;           ///< start a sweep as soon as the machine is known
  bool run_when_empty = false;         ///< the same, if the database holds no sweep yet
  std::function<void()> wake = [] {};  ///< wakes the frame loop; called on any thread
};

/// What is wrong and why; the next step is a button, not advice for the command line.
std::string plain_text(const std::exception& error);

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

  bool quit_asked() const { return quit_; }
  void open_database(const std::filesystem::path& file);
  /// A file dropped on the window: tensors are looked into, anything else is taken for a database.
  void open_dropped(const std::filesystem::path& file);

  /// Scale at which the next frame must be drawn for a picture; 0 = none is wanted. After drawing that frame the loop
  /// hands its draw data over.
  float wanted_picture_scale() const { return picture_ ? picture_->scale : 0; }
  void take_picture(const ImDrawData& data);

  const Look& look() const { return look_; }
  WindowData& data() { return data_; }
  UiState& ui() { return ui_; }
  /// True when no thread works and no result waits.
  bool settled() const;
  /// A request as a panel would emit it.
  void carry_out(const Request& request);
  void notify(Severity severity, std::string id, std::string text, std::vector<Notice::Action> actions = {});
  void log(Severity severity, std::string text);
  /// Draws this panel alone, without the shell; nullopt: everything.
  void show_only(std::optional<Panel> panel) { only_ = panel; }
  TextTable text_of(Panel panel);
  /// Selects the fastest of our kernels on the first problem of the longest sequence that the shown sweep measured
  /// well; a dot-product baseline where it measured nothing else.
  void select_first();
  /// What `Copy image` hands to the desktop; replaced in tests.
  std::function<void(const std::vector<std::uint8_t>& png)> copy_image;

 private:
  /// A worker that looks inside tensors, and where.
  struct Inspector {
    std::optional<Supervisor> worker;
    std::string device;
    std::stop_source stop;  ///< of the drawing thread: ends what the worker is asked
  };
  struct PictureTask {
    float scale = 3;
    std::optional<Panel> panel;  ///< unset: the whole window
    std::filesystem::path file;  ///< empty: to the clipboard
  };
  /// The last thing that can be taken back.
  struct Undo {
    std::function<void()> back;
    std::function<void()> keep;  ///< makes it final
  };

  /// A request for a file: what it proposes, and does with one.
  struct PathAction {
    std::string proposal;
    std::function<void(const std::filesystem::path&)> act;
  };

  // application_requests.cpp
  struct Handlers;
  struct FileActions;
  void scale_to(float scale);
  void compare_with(std::int64_t sweep);
  void star(std::int64_t sweep);
  StoredSettings settings_to_keep() const;
  void keep_settings();
  void offer_undo(std::string text, Undo undo);
  void take_back();
  void keep_undone();
  void delete_sweep(std::int64_t sweep);
  void reset_layout();
  // application_files.cpp
  /// A path in the folder of the database, or in another one where that cannot be written.
  std::string proposed_path(const std::string& name) const;
  std::string folder_of_database() const;
  std::string folder_of_tensors() const;
  void save_panel(const std::filesystem::path& file, Panel panel);
  void list_folder_for_question(const std::string& folder);
  void copy_panel(Panel panel, TableFormat format);
  void save_text(const std::filesystem::path& file, std::string text);
  void import_database(const std::filesystem::path& file);
  void save_copy(const std::filesystem::path& file);
  void take_database(const std::filesystem::path& file);
  // application_attention.cpp
  void supply_attention();
  /// `place` is part of `data_`.
  void ask_source(OpenedSource& place, const AttentionSource& source, const std::string& slot);
  void supply_draft();
  void supply_source(int which);
  void ask_slice(int which);
  void save_slice(const std::filesystem::path& file);
  bool shows_attention() const { return ui_.attention.open || only_ == Panel::attention; }
  void supply_survey();
  template <typename Request, typename Answer>
  void ask_survey(Survey<Request, Answer> AttentionData::*place, const std::optional<Request>& wanted,
                  Answer (Supervisor::*ask)(const Request&, std::stop_token));
  void ask_survey_again();
  /// Ends what takes all CPUs or the GPU, until the sweep that is measured has ended.
  void pause_survey();
  /// Drops what its worker is asked, and ends the worker.
  void end_inspector(BackgroundThread& thread, Inspector& inspector);
  void choose_attention_device();
  template <typename Answer, typename Ask, typename Take>
  void inspect(BackgroundThread& thread, Inspector& worker, const std::string& slot, Ask ask, Take take);
  // application_jobs.cpp
  void read(bool comparisons_changed);
  /// Its file was moved or deleted: writing would begin an empty one in its place.
  bool database_is_gone() const;
  void report_gone();
  void show(const ReadRequest& asked, const ReadResult& result, bool complete);
  const SweepInfo* find_sweep(std::int64_t sweep) const;
  SweepRequest request_to_run(std::optional<std::int64_t> resume);
  void start_sweep(std::optional<std::int64_t> resume);
  SweepObserver sweep_observer();
  void follow_sweep(std::int64_t sweep);
  void finish_sweep(const std::string& message, Severity severity);
  void ask_machine();
  void ask_preview();
  void write(std::function<void(Store&)> change);
  void poll_database();
  void offer_resume();
  void offer_recorded();
  bool is_recorded(const std::filesystem::path& file) const;
  void start_when_ready();

  Context context();

  ApplicationOptions options_;
  Look look_;
  WindowData data_;
  UiState ui_;
  Models models_;
  std::vector<Request> requests_;
  std::optional<PictureTask> picture_;
  std::optional<Panel> only_;
  std::optional<Undo> undo_;
  std::int64_t deleted_sweep_ = 0;  ///< hidden, and deleted from the file once that can no longer be taken back
  int pending_reads_ = 0;
  bool quit_ = false, opened_once_ = false, start_pending_ = false;
  std::int64_t last_progress_wake_ms_ = 0;

  UiQueue queue_;
  DatabaseReader reader_;  ///< touched only by `reader_thread_`
  std::jthread sweep_thread_;
  Inspector slice_worker_, survey_worker_;  ///< each touched only by its thread, but for `stop`
  std::string attention_device_ = "cpu";    ///< for which everything in the attention panel was asked
  std::unique_ptr<BackgroundThread> reader_thread_, writer_thread_, planner_thread_, slice_thread_, survey_thread_;
};

}  // namespace triscope
