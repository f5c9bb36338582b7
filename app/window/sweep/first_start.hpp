// What the window offers, or does, of itself: a first sweep, the recording, an interrupted sweep.
#pragma once

#include <vector>

#include "app/window/database/database.hpp"
#include "app/window/messages/messages.hpp"
#include "app/window/sweep/sweep_session.hpp"
#include "views/model/ui_state.hpp"

namespace triscope {

/// When a sweep is started that nobody asked for.
enum class AutoRun { never, when_empty, always };

/// Lives on the drawing thread.
class FirstStart {
 public:
  FirstStart(AutoRun run, const WindowData& data, const Settings& settings, Database& database, SweepSession& sweep,
             Messages& messages)
      : run_(run), data_(data), settings_(settings), database_(database), sweep_(sweep), messages_(messages) {}

  void machine_known();
  void database_read(bool first, bool complete);
  void sweep_ended();

 private:
  void start_when_ready();
  void say_that_it_runs();
  void offer_recorded();
  void offer_resume();

  AutoRun run_;  ///< `never` once it is decided
  const WindowData& data_;
  const Settings& settings_;
  Database& database_;
  SweepSession& sweep_;
  Messages& messages_;
};

}  // namespace triscope
