// Keeps the paper's tiling page supplied.
#pragma once

#include "app/window/engine/engine.hpp"
#include "app/window/messages/messages.hpp"
#include "app/window/threads/background.hpp"
#include "views/model/paper_ui.hpp"

namespace triscope {

/// Answers for `TileData`. Has a thread that asks workers. Lives on the drawing thread.
class TileSession {
 public:
  TileSession(TileData& data, const TilesUi& ui, const RunState& run, const Engine& engine, Messages& messages,
              UiQueue& queue)
      : data_(data), ui_(ui), run_(run), engine_(engine), queue_(queue), thread_(messages.failures()) {}

  /// Asks for what the page shows and has not got. While a sweep is measured, nothing: a worker would start beside what
  /// is timed.
  void supply();
  /// At the end: drops what waits.
  void end() { thread_.drop_waiting(); }
  bool idle() const { return thread_.idle(); }

 private:
  TileData& data_;
  const TilesUi& ui_;
  const RunState& run_;
  const Engine& engine_;
  UiQueue& queue_;
  BackgroundThread thread_;
};

}  // namespace triscope
