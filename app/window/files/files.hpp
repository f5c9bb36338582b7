// Files that the window writes and asks for, and the clipboard for text.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/window/messages/messages.hpp"
#include "app/window/threads/background.hpp"
#include "profiler/export/text_table.hpp"
#include "views/model/ui_state.hpp"

namespace triscope {

/// Answers for `WindowData::folder` and `UiState::path`. Has one thread, which lists folders and writes files in the
/// order they were asked for. Lives on the drawing thread.
class Files {
 public:
  Files(std::shared_ptr<const FolderListing>& listing, PathDialog& dialog, const DatabaseData& database,
        Messages& messages, UiQueue& queue);

  /// Asks the user for a file; the answer comes as `request` with it.
  void ask(FileRequest request, std::string proposal);
  /// A path in the folder of the database, or in another one where that cannot be written.
  std::string proposed_path(const std::string& name) const;
  /// With the folder's end: "/data/".
  std::string database_folder() const;
  /// Reads what the question for a file shows.
  void list(const std::string& folder);
  /// `write` runs on the thread; what it throws is told.
  void save(const std::filesystem::path& file, std::function<void()> write);
  void save_text(const std::filesystem::path& file, std::string text);
  /// Several files, of which one notice tells.
  void save_texts(std::vector<std::pair<std::filesystem::path, std::string>> texts);
  /// Reads a file of losses (`losses_text_of`); `taken` gets it on the drawing thread. What goes wrong is told.
  void read_losses(const std::filesystem::path& file, std::function<void(std::string text)> taken);
  /// Another job for the thread; one of the same slot that still waits is dropped.
  void replace(const std::string& slot, std::function<void()> job) { thread_->replace(slot, std::move(job)); }
  void copy(const TextTable& table, TableFormat format, const char* title);
  bool idle() const { return thread_->idle(); }
  /// Finishes what was asked for; afterwards nothing may be asked.
  void finish() { thread_.reset(); }

 private:
  std::shared_ptr<const FolderListing>& listing_;
  PathDialog& dialog_;
  const DatabaseData& database_;
  Messages& messages_;
  UiQueue& queue_;
  std::unique_ptr<BackgroundThread> thread_;
};

/// "Saved /data/a.svg."; of several files of a folder "Saved 3 files in /data: a.svg, a.pdf, a.png."; nothing of none.
std::string saved_words(const std::vector<std::filesystem::path>& files);

/// "/data/" of "/data/runs.db"; "./" of a name alone.
std::string folder_of(const std::string& file);

}  // namespace triscope
