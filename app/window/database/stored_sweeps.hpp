// The sweeps in the open database: which are shown and compared, and what is done to them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/window/database/database.hpp"
#include "app/window/messages/messages.hpp"
#include "app/window/undo/undo_step.hpp"
#include "views/model/ui_state.hpp"

namespace triscope {

/// Answers for `Selection`. A sweep of 0 is the shown one. Lives on the drawing thread.
class StoredSweeps {
 public:
  /// `data` says what is measured.
  StoredSweeps(Database& database, const WindowData& data, UiState& ui, UndoStep& undo, Messages& messages)
      : database_(database), data_(data), ui_(ui), undo_(undo), messages_(messages) {}

  // A sweep of 0 is the shown one, but in `show` and `remove`.
  /// 0: the newest one.
  void show(std::int64_t sweep);
  /// The sweep that the others are judged against; the one that is it already no longer is.
  void set_baseline(std::int64_t sweep);
  void clear_baseline();
  void set_reference(const std::string& text);
  /// Everything stands beside this measurement, or the selected one (0); beside the usual again where it does so.
  void pin_reference(std::int64_t measurement);
  /// Puts a sweep beside the baseline or the shown one, or takes it away again; 0: the shown one. Without a baseline
  /// the oldest is the one that the others are judged against.
  void compare(std::int64_t asked);
  /// Puts the shown sweep beside the one before it.
  void compare_before();
  /// Puts two versions of a kernel beside each other, in place of sweeps. Without a kernel: of the selected row's, else
  /// of the first of ours in the shown sweep, else the newest change of any.
  void compare_versions(VersionChoice choice);
  void leave_versions();
  /// Judges the compared sweeps, or the shown one, against the nearest sweep of another database. Throws `Error` when
  /// it is the open one.
  void compare_with(const std::filesystem::path& file);
  void leave_other();
  /// Selects a measurement; the selected one no longer is. `in`: a sweep that is shown then, 0: the one that is shown
  /// now, also where another one holds it.
  void select(std::int64_t measurement, std::int64_t in = 0);
  /// Selects these, the first one first; `in` likewise.
  void select_all(const std::vector<std::int64_t>& measurements, std::int64_t in = 0);
  /// Adds a measurement to what is selected, or takes it out. Where none is selected it is selected.
  void select_beside(std::int64_t measurement, std::int64_t in = 0);
  /// Selects the fastest of our kernels on the first problem of the longest sequence that the shown sweep measured
  /// well; a dot-product baseline where it measured nothing else.
  void select_first();
  void clear_selection();

  /// 0: the shown sweep.
  void star(std::int64_t asked);
  void note(std::int64_t asked, std::string text);
  void note_measurement(std::int64_t measurement, std::string text);
  void ask_to_delete(std::int64_t sweep);
  /// Hides the sweep of this id; it is deleted once that can no longer be taken back.
  void remove(std::int64_t sweep);

 private:
  std::int64_t or_shown(std::int64_t sweep) const { return sweep ? sweep : ui_.selection.shown_sweep; }
  void hide(std::int64_t sweep);
  /// Tells `note`, where it still says `text` of `of`, how the writing of it ended.
  static std::function<void(const std::string& problem)> told(TypedNote& note, std::int64_t of, std::string text);

  Database& database_;
  const WindowData& data_;
  UiState& ui_;
  UndoStep& undo_;
  Messages& messages_;
};

/// The sweep of this id; null: there is none.
const SweepInfo* find_sweep(const DatabaseData& data, std::int64_t sweep);

}  // namespace triscope
