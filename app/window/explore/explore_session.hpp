// Keeps the Explore panel supplied.
#pragma once

#include <filesystem>
#include <stop_token>

#include "app/window/database/database.hpp"
#include "app/window/explore/explore_reader.hpp"
#include "app/window/messages/messages.hpp"
#include "app/window/threads/background.hpp"
#include "views/model/ui_state.hpp"

namespace triscope {

/// Answers for `ExploreData`. Has a thread that reads, so that a long read holds up no other panel. Lives on the
/// drawing thread.
class ExploreSession {
 public:
  ExploreSession(ExploreData& data, UiState& ui, const WindowData& shown, const Database& database, Messages& messages,
                 UiQueue& queue)
      : data_(data),
        ui_(ui),
        shown_(shown),
        database_(database),
        queue_(queue),
        reader_(closing_.get_token()),
        thread_(messages.failures()) {}
  ~ExploreSession() { end(); }

  /// Asks for what the panel shows and has not got. While a sweep is measured, only for another question: what is new
  /// in the database can wait.
  void supply();
  /// Shows the measurements of another database beside those of the open one. What is wrong with it is said with the
  /// answer. Throws `Error` when it is the open one.
  void add(const std::filesystem::path& file);
  /// At the end: stops what is read, and drops what waits.
  void end();
  bool idle() const { return thread_.idle(); }

 private:
  ExploreData& data_;
  UiState& ui_;
  const WindowData& shown_;
  const Database& database_;
  UiQueue& queue_;
  std::stop_source closing_, newer_;  ///< the second: of the question that is being answered
  ExploreReader reader_;              ///< touched only by `thread_`
  BackgroundThread thread_;
};

}  // namespace triscope
