// Keeps what shows tiles supplied, or estimates by them: the paper's pages, and Details of what is selected.
#pragma once

#include "app/window/engine/engine.hpp"
#include "app/window/messages/messages.hpp"
#include "app/window/threads/background.hpp"
#include "views/model/paper/paper_ui.hpp"

namespace triscope {

/// Answers for `TileData` and `WorkData`. Has a thread that asks workers. Lives on the drawing thread.
class TileSession {
 public:
  TileSession(TileData& data, WorkData& work, const TilesUi& ui, const RunState& run, const Engine& engine,
              Messages& messages, UiQueue& queue)
      : data_(data), work_(work), ui_(ui), run_(run), engine_(engine), queue_(queue), thread_(messages.failures()) {}

  /// Asks for what the page shows and has not got. While a sweep is measured, nothing: a worker would start beside what
  /// is timed.
  void supply();
  /// Likewise what is computed for `problems`, those that the page in view or Details waits for.
  void supply_work(const std::vector<Problem>& problems);
  /// At the end: drops what waits.
  void end() { thread_.drop_waiting(); }
  bool idle() const { return thread_.idle(); }

 private:
  TileData& data_;
  WorkData& work_;
  const TilesUi& ui_;
  const RunState& run_;
  const Engine& engine_;
  UiQueue& queue_;
  BackgroundThread thread_;
};

}  // namespace triscope
