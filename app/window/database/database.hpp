// The open database: opened, read, written, watched.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "app/window/database/database_reader.hpp"
#include "app/window/messages/messages.hpp"
#include "app/window/threads/background.hpp"
#include "app/window/undo/undo_step.hpp"
#include "views/model/ui_state.hpp"

namespace triscope {

/// Answers for `DatabaseData` and, when another database is opened, for `Selection`. Has two threads: one reads and
/// looks every second whether the file has changed, one writes. Lives on the drawing thread.
class Database {
 public:
  Database(DatabaseData& data, UiState& ui, UndoStep& undo, Messages& messages, UiQueue& queue);
  /// Ends what is being read; what is being written is finished.
  ~Database();

  /// The file that is shipped with a recording, if it is there.
  void offer(const std::filesystem::path& recorded);
  /// Opens a file, the user's own when `asked` is empty. That one, and the first, are created when they do not exist.
  void open(const std::filesystem::path& asked);
  void open_recorded() { open(data_.recorded_database); }
  bool shows_recorded() const { return is_recorded(data_.database); }
  /// Asks for what the selection names, in place of what was asked before.
  void read(bool comparisons_changed);
  /// Looks for the sweep before the chosen one, beside the drawing. `then` is told on the drawing thread, unless
  /// another one was chosen meanwhile.
  void find_before(std::function<void(const DatabaseReader::Before&)> then);
  /// Changes the file, on the writing thread, and reads it again. `done` is told why that failed, which a notice says
  /// as well, or nothing, on the drawing thread.
  void write(
      std::function<void(Store&)> change, std::function<void(const std::string& problem)> done = [](const auto&) {});
  /// Copies the sweeps of another file into this one.
  void import(const std::filesystem::path& file);
  /// Writes all that was read to another file, and opens that.
  void save_copy(const std::filesystem::path& file);
  /// Before something is written: whether the file is still in its place; says so when it is not. Writing would begin
  /// an empty one there.
  bool still_there();
  /// Leaves a sweep out of what is read; 0: none.
  void hide(std::int64_t sweep) { hidden_sweep_ = sweep; }
  std::int64_t hidden() const { return hidden_sweep_; }
  /// A file is being opened.
  bool opens() const { return opening_ > 0; }
  bool idle() const { return !opens() && reader_thread_.idle() && writer_thread_.idle(); }
  const DatabaseData& data() const { return data_; }
  /// Why the last read failed, also where an earlier one is still shown; empty: it did not.
  const std::string& read_problem() const { return read_problem_; }

  /// Shows what was read last once more, with what `add_unstored` adds now.
  void show_again();
  /// This window measures `sweep` no longer; said at once, since its file may be gone and is then not read again.
  void no_longer_measured(std::int64_t sweep);
  /// Adds what is not stored yet to what was read.
  std::function<void(DatabaseData&)> add_unstored = [](DatabaseData&) {};
  /// Told after each read. `first`: these are the first rows of this file. `complete`: comparisons are there, too.
  std::function<void(bool first, bool complete)> on_read = [](bool, bool) {};

 private:
  bool is_recorded(const std::filesystem::path& file) const;
  void report_gone();
  /// `also_called`: as `DatabaseData::also_called`.
  void take(const std::filesystem::path& file, const std::vector<std::string>& also_called);
  void take_recorded(const std::string& previous);
  /// Takes what is new from `result` and leaves there what was shown before.
  void show(const ReadRequest& asked, ReadResult& result, bool complete);
  void leave_other(const std::string& why);
  /// A job of the reading thread that takes the place of one with this tag; what it throws is said of `file`.
  void replace_read(const char* tag, const std::filesystem::path& file, std::function<void()> job);
  void tell_reference();
  void report_unreadable(const std::filesystem::path& file, const std::string& why);
  void poll();

  DatabaseData& data_;
  UiState& ui_;
  UndoStep& undo_;
  Messages& messages_;
  UiQueue& queue_;
  std::shared_ptr<const SweepResults> read_shown_;            ///< as it is stored
  std::shared_ptr<const SelectedMeasurement> read_selected_;  ///< the same
  double shown_tolerance_ = 0;                                ///< that the verdicts shown were made with
  std::int64_t hidden_sweep_ = 0;
  std::string reference_problem_;  ///< that was told last
  std::string read_problem_;
  int opening_ = 0;
  bool opened_once_ = false;
  bool called_new_ = false;   ///< a notice says that the open one was made
  std::stop_source closing_;  ///< ends what is being read
  DatabaseReader reader_;     ///< touched only by `reader_thread_`
  BackgroundThread reader_thread_, writer_thread_;
};

}  // namespace triscope
