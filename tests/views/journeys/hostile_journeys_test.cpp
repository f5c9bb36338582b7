// Databases that a stranger might pass on, opened and imported in the window.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "kernels/base/error.hpp"
#include "tests/profiler/store/hostile_databases.hpp"
#include "tests/views/journeys/journey.hpp"

namespace triscope {
namespace {

using fixture::Journey;

/// A process of this one, of any of its threads, runs the program that looks through a file first.
bool a_file_is_looked_through() {
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream children(thread.path() / "children");
    for (std::string child; children >> child;) {
      std::string name;
      std::getline(std::ifstream("/proc/" + child + "/comm"), name);
      if (name.starts_with("triscope-check")) return true;
    }
  }
  return false;
}

/// Of all children that have ended, in seconds: how busy the machine is does not count.
double time_of_children() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

TEST_F(Journey, the_window_closes_while_a_hostile_database_is_read_or_imported) {
  const std::filesystem::path made = window->folder / "made";
  std::filesystem::create_directory(made);
  for (const HostileDatabase& hostile : write_hostile_databases(made, window->folder / "mark")) {
    if (!hostile.name.starts_with("endless_")) continue;
    // The window closes while its threads are at it. What looks through the file would end by itself only after ten
    // seconds of processor time.
    for (const bool imports : {false, true}) {
      SCOPED_TRACE(fmt::format("{} {}", hostile.name, imports));
      const double before = time_of_children();
      if (imports) {
        window->application().carry_out(ask::ImportDatabase{hostile.file});
      } else {
        window->application().carry_out(ask::OpenDatabase{hostile.file});
      }
      ASSERT_TRUE(fixture::draw_until(a_file_is_looked_through, [&] { window->stage->frame(); }));
      window->stage.reset();
      EXPECT_FALSE(a_file_is_looked_through());
      EXPECT_LT(time_of_children() - before, 5);
      window->start(window->folder / "test.db");
    }
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
