// Databases that a stranger might pass on, opened and imported in the window.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "kernels/base/error.hpp"
#include "tests/profiler/store/hostile_databases.hpp"
#include "tests/views/journeys/journey.hpp"

namespace triscope {
namespace {

using fixture::Journey;

TEST_F(Journey, the_window_closes_while_a_hostile_database_is_read_or_imported) {
  const std::filesystem::path made = window->folder / "made";
  std::filesystem::create_directory(made);
  for (const HostileDatabase& hostile : write_hostile_databases(made, window->folder / "mark")) {
    if (!hostile.name.starts_with("endless_")) continue;
    // Nobody waits for an answer: the window closes while its threads are at it. Such a file is refused within
    // milliseconds; tests/robustness/close shows that a reading that lasts is ended.
    window->application().carry_out(ask::OpenDatabase{hostile.file});
    window->application().carry_out(ask::ImportDatabase{hostile.file});
    window->stage->frame();
    window->stage.reset();
    window->start(window->folder / "test.db");
  }
}

TEST_F(Journey, a_hostile_database_is_shown_or_refused_and_runs_nothing) {
  const std::filesystem::path made = window->folder / "made", mark = window->folder / "mark";
  std::filesystem::create_directory(made);
  Application& app = window->application();
  const auto carry_out = [&](const Request& request) {
    try {
      app.carry_out(request);
    } catch (const Error&) {
      // the window says what a request that came from a panel throws
    }
    window->stage->settle();
  };
  const auto says_error = [&app](const auto& notice) { return notice.severity == Severity::error; };
  int refused = 0, shown = 0, imported = 0;
  for (const HostileDatabase& hostile : write_hostile_databases(made, mark)) {
    if (hostile.name.starts_with("endless_")) continue;  // see above
    SCOPED_TRACE(hostile.name);
    carry_out(ask::OpenDatabase{window->folder / "test.db"});
    const std::size_t own = app.data().sweeps.size();
    app.data().notices.clear();  // of the file before
    carry_out(ask::ImportDatabase{hostile.file});
    const bool copied = std::ranges::any_of(app.data().notices, [](const Notice& notice) {
      return notice.severity == Severity::info && notice.text.starts_with("Copied ");
    });
    const bool failed = std::ranges::any_of(app.data().notices, says_error);
    EXPECT_NE(copied, failed) << "it says what came of it";
    EXPECT_TRUE(!hostile.refused || (failed && app.data().sweeps.size() == own));
    EXPECT_EQ(app.data().database, (window->folder / "test.db").string());
    imported += copied;
    carry_out(ask::OpenDatabase{hostile.file});
    const bool open = app.data().database == hostile.file.string();
    EXPECT_TRUE(!open || !hostile.refused);
    EXPECT_TRUE(open || std::ranges::any_of(app.data().notices, says_error)) << "it says why not";
    ++(open ? shown : refused);
    const std::vector<SweepInfo> sweeps = app.data().sweeps;
    for (const SweepInfo& sweep : sweeps) {
      carry_out(ask::ShowSweep{sweep.id});
      carry_out(ask::Resume{sweep.id});  // refused where its request is bad; the measuring side is invented
    }
    EXPECT_FALSE(std::filesystem::exists(mark));
  }
  EXPECT_GT(refused, 5);
  EXPECT_GT(shown, 5);
  EXPECT_GT(imported, 5);
}

}  // namespace
}  // namespace triscope
