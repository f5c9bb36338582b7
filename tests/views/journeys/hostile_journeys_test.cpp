// Databases that a stranger might pass on, opened and imported in the window.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "kernels/base/error.hpp"
#include "profiler/plan/request.hpp"
#include "profiler/store/store.hpp"
#include "tests/profiler/store/hostile_databases.hpp"
#include "tests/profiler/store/synthetic_database.hpp"
#include "tests/views/journeys/journey.hpp"

namespace triscope {
namespace {

using fixture::Journey;

constexpr std::int64_t kRows = 4'000, kBegun = 500, kSlowed = 3'500;

/// Sound, and long to read.
void write_many_rows(const std::filesystem::path& file) {
  {
    Store store(file);
    const std::int64_t sweep =
        store.begin_sweep("triscope sweep", to_json(SweepRequest{}), synthetic_environment(), kRows);
    store.add(sweep, synthetic_measurement(0, 3));
    store.finish_sweep(sweep);
  }
  SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
  const auto columns = [&](const char* table, const std::string& key) {
    SQLite::Statement query(database, fmt::format("SELECT name FROM pragma_table_info('{}')", table));
    std::string names;
    while (query.executeStep()) {
      const std::string name = query.getColumn(0).getString();
      if (name != key) names += ", " + name;
    }
    return names;
  };
  const std::string numbers =
      fmt::format("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < {})", kRows - 1);
  const std::string own = columns("measurement", "id"), of_sample = columns("sample", "measurement");
  std::string others = own;  // another instance each: what a row measured stays its own
  others.replace(others.find(", instance"), 10, ", instance || n.x");
  database.exec(
      fmt::format("INSERT INTO measurement (id{}) {} SELECT id + n.x{} FROM measurement, n", own, numbers, others));
  database.exec(
      fmt::format("INSERT INTO sample (measurement{0}) {1} SELECT measurement + n.x{0} FROM sample, n WHERE "
                  "measurement = 1",
                  of_sample, numbers));
  database.exec("PRAGMA journal_mode = DELETE");
}

std::atomic<std::int64_t> rows_of_all = 0;  // that SQLite gave to connections opened while a `SlowRows` lives

/// From `kBegun` to `kSlowed` each row takes a millisecond, so that a reading is in work long enough to be closed.
struct SlowRows {
  SlowRows() {
    rows_of_all = 0;
    sqlite3_auto_extension(entry());
  }
  ~SlowRows() { sqlite3_cancel_auto_extension(entry()); }
  SlowRows(const SlowRows&) = delete;
  SlowRows& operator=(const SlowRows&) = delete;

 private:
  using Entry = void (*)();
  static int on_row(unsigned, void*, void*, void*) {
    const std::int64_t row = ++rows_of_all;
    if (row > kBegun && row <= kSlowed) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return 0;
  }
  static int on_open(sqlite3* database, const char**, const void*) {
    return sqlite3_trace_v2(database, SQLITE_TRACE_ROW, on_row, nullptr);
  }
  static Entry entry() { return reinterpret_cast<Entry>(on_open); }
};

/// The window closes while `asked` reads many rows: it ends the reading. A journey's own database stays as it was.
void close_while(fixture::WindowOnDatabase& window, const Request& asked) {
  window.stage->settle();
  const std::size_t own = window.application().data().sweeps.size();
  {
    const SlowRows slow;
    window.application().carry_out(asked);
    EXPECT_TRUE(fixture::draw_until([] { return rows_of_all > kBegun; }, [&] { window.stage->frame(); }));
    window.stage.reset();
    EXPECT_LT(rows_of_all.load(), kSlowed) << "it was read to its end";
  }
  window.start(window.folder / "test.db");
  window.stage->settle();
  EXPECT_EQ(window.application().data().sweeps.size(), own);
}

TEST_F(Journey, the_window_closes_while_a_long_database_is_read) {
  write_many_rows(window->folder / "long.db");
  close_while(*window, ask::OpenDatabase{window->folder / "long.db"});
}

TEST_F(Journey, the_window_closes_while_a_long_database_is_imported) {
  write_many_rows(window->folder / "long.db");
  close_while(*window, ask::ImportDatabase{window->folder / "long.db"});
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
    if (hostile.name.starts_with("endless_")) continue;  // refused at once; tests/robustness/close
    SCOPED_TRACE(hostile.name);
    carry_out(ask::OpenDatabase{window->folder / "test.db"});
    const std::size_t own = app.data().sweeps.size();
    app.data().notices.clear();  // of the file before
    carry_out(ask::ImportDatabase{hostile.file});
    const bool copied = std::ranges::any_of(app.data().notices, [](const Notice& notice) {
      return notice.severity == Severity::info && notice.text.starts_with("Copied ");
    });
    const bool failed = std::ranges::any_of(app.data().notices, says_error);
    std::string said;
    for (const Notice& notice : app.data().notices) said += notice.text + "\n";
    EXPECT_NE(copied, failed) << "it says what came of it:\n" << said;
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
