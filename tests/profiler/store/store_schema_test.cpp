// Migrations: one transaction, a copy beside the file, all or nothing. Steps after the newest version are invented
// here.
#include "profiler/store/open/store_schema.hpp"

#include <gmock/gmock.h>

#include <initializer_list>
#include <vector>

#include "kernels/base/error.hpp"
#include "profiler/store/store.hpp"
#include "tests/profiler/record/kernel_cards.hpp"
#include "tests/profiler/store/synthetic_database.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using testing::SizeIs;

constexpr std::string_view kColour = "ALTER TABLE sweep ADD COLUMN colour TEXT; UPDATE sweep SET colour = 'blue'";
constexpr std::string_view kExtra = "CREATE TABLE extra (id INTEGER PRIMARY KEY) STRICT; INSERT INTO extra VALUES (7)";

std::vector<std::string_view> steps_and(std::initializer_list<std::string_view> invented) {
  std::vector<std::string_view> steps(schema_steps().begin(), schema_steps().end());
  steps.insert(steps.end(), invented);
  return steps;
}

class SchemaTest : public testing::Test {
 protected:
  SchemaTest() { write_synthetic_database(file_, 10, 3); }
  SQLite::Database open() { return SQLite::Database(file_.string(), SQLite::OPEN_READWRITE); }
  TemporaryFolder folder_;
  std::filesystem::path backup(const std::string& number = "") const {
    return folder_ / ("results.db.schema" + std::to_string(schema_version()) + number + ".bak");
  }
  /// As before version 5.
  void drop_turns() {
    open().exec(
        "DROP VIEW IF EXISTS result; DROP TABLE IF EXISTS turn_sample; CREATE VIEW result AS SELECT 1; "
        "PRAGMA user_version = 4");
  }
  /// As before version 4.
  void drop_restarts() {
    drop_turns();
    open().exec(
        "DROP VIEW IF EXISTS result; ALTER TABLE sample DROP COLUMN restart; ALTER TABLE measurement DROP COLUMN "
        "restarts; ALTER TABLE measurement DROP COLUMN power_w; ALTER TABLE measurement DROP COLUMN limiter; ALTER "
        "TABLE measurement ADD COLUMN peak_tflops REAL; ALTER TABLE sweep DROP COLUMN time_variance; ALTER TABLE sweep "
        "DROP COLUMN time_degrees; ALTER TABLE sweep DROP COLUMN ratio_variance; ALTER TABLE sweep DROP COLUMN "
        "ratio_degrees; CREATE VIEW result AS SELECT 1; PRAGMA user_version = 3");
  }
  /// As before version 3.
  void drop_cards() {
    drop_restarts();
    open().exec(
        "ALTER TABLE kernel DROP COLUMN label; ALTER TABLE kernel DROP COLUMN short_label; ALTER TABLE kernel DROP "
        "COLUMN kind; ALTER TABLE kernel DROP COLUMN colour; ALTER TABLE kernel DROP COLUMN rank");
  }
  std::filesystem::path file_ = folder_ / "results.db";
};

TEST_F(SchemaTest, steps_are_applied_in_order_after_a_copy) {
  SQLite::Database database = open();
  migrate(database, file_, steps_and({kColour, kExtra}));
  EXPECT_EQ(database.execAndGet("PRAGMA user_version").getInt(), schema_version() + 2);
  EXPECT_EQ(database.execAndGet("SELECT colour FROM sweep").getString(), "blue");
  EXPECT_EQ(database.execAndGet("SELECT id FROM extra").getInt(), 7);
  EXPECT_EQ(database.execAndGet("SELECT count(*) FROM result").getInt(), 10);
  const Snapshot copy(backup());
  EXPECT_THAT(copy.results(), SizeIs(10));
}

TEST_F(SchemaTest, the_copy_holds_what_still_lies_in_the_log_and_overwrites_no_other) {
  Store store(file_);
  store.begin_sweep("in the log", "{}", synthetic_environment(), 1);
  SQLite::Database database = open();
  migrate(database, file_, steps_and({kColour}));
  database.exec("PRAGMA user_version = " + std::to_string(schema_version()) + "; ALTER TABLE sweep DROP COLUMN colour");
  migrate(database, file_, steps_and({kColour}));
  EXPECT_THAT(Snapshot(backup()).sweeps(), SizeIs(2));
  EXPECT_THAT(Snapshot(backup(".2")).sweeps(), SizeIs(2));
}

TEST_F(SchemaTest, the_copy_does_not_go_through_a_link) {
  std::filesystem::create_symlink("elsewhere", backup());
  SQLite::Database database = open();
  migrate(database, file_, steps_and({kColour}));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "elsewhere"));
  EXPECT_THAT(Snapshot(backup(".2")).results(), SizeIs(10));
}

TEST_F(SchemaTest, a_failing_step_leaves_the_database_as_it_was) {
  SQLite::Database database = open();
  EXPECT_THROW(migrate(database, file_, steps_and({kColour, "INSERT INTO no_such_table VALUES (1)"})), Error);
  EXPECT_EQ(database.execAndGet("PRAGMA user_version").getInt(), schema_version());
  EXPECT_EQ(database.execAndGet("SELECT count(*) FROM pragma_table_info('sweep') WHERE name = 'colour'").getInt(), 0);
  EXPECT_FALSE(std::filesystem::exists(backup()));
  EXPECT_THAT(Snapshot(file_).results(), SizeIs(10));
}

TEST_F(SchemaTest, a_database_of_version_1_is_read_as_it_is_and_migrated_for_writing) {
  drop_cards();
  open().exec(
      "DROP VIEW IF EXISTS result; DROP TABLE cross_check; ALTER TABLE measurement DROP COLUMN counters_note; "
      "CREATE VIEW result AS SELECT 1; PRAGMA user_version = 1");
  EXPECT_THAT(Snapshot(file_).results(), SizeIs(10));
  EXPECT_EQ(open().execAndGet("PRAGMA user_version").getInt(), 1);
  Store store(file_);
  store.set_cross_check(1, {TimingSource::cuda_events, 1.5, 1.4, 1.6, 3, ""});
  EXPECT_EQ(Snapshot(file_).results().front().events_ms, 1.5);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "results.db.schema1.bak"));
}

TEST_F(SchemaTest, migration_from_version_2_knows_how_the_kernels_of_then_are_shown) {
  const char* described =
      "SELECT group_concat(name || type || \"notnull\" || ifnull(dflt_value, '-')) FROM pragma_table_info('kernel')";
  const std::string columns = open().execAndGet(described).getString();
  open().exec("UPDATE kernel SET name = 'mine' WHERE name = 'cuda.portable'");
  drop_cards();
  open().exec("PRAGMA user_version = 2");
  const std::vector<ResultRow> read = Snapshot(file_).results();
  { Store store(file_); }
  EXPECT_EQ(open().execAndGet(described).getString(), columns);
  for (const std::vector<ResultRow>& rows : {read, Snapshot(file_).results()}) {
    ASSERT_THAT(rows, SizeIs(10));
    EXPECT_EQ(rows.front().kernel, "cuda.hopper");
    EXPECT_EQ(rows.front().card, card_of("cuda.hopper"));
    EXPECT_EQ(rows.back().kernel, "mine");
    EXPECT_EQ(rows.back().card, card_of("mine")) << "a kernel that nobody knows is shown by its id";
  }
  for (const auto& [kernel, card] : kernel_cards()) {
    drop_cards();
    open().exec("PRAGMA user_version = 2; UPDATE kernel SET name = '" + kernel + "' WHERE name != 'mine'");
    EXPECT_EQ(Snapshot(file_).results().front().card, card) << kernel;
    { Store store(file_); }
  }
}

TEST_F(SchemaTest, a_database_of_version_4_is_read_as_it_is_and_migrated_for_writing) {
  const auto columns = [this] {
    return open()
        .execAndGet(
            "SELECT group_concat(name || type || \"notnull\" || ifnull(dflt_value, '-') || pk) FROM "
            "pragma_table_info('turn_sample')")
        .getString();
  };
  const std::string before = columns();
  drop_turns();
  EXPECT_THAT(Snapshot(file_).results(), SizeIs(10));
  EXPECT_THAT(Snapshot(file_).series_of_sweep(1), SizeIs(10));
  EXPECT_EQ(open().execAndGet("PRAGMA user_version").getInt(), 4);
  Store store(file_);
  store.set_turns(1, 7, std::vector<Sample>(2));
  EXPECT_EQ(columns(), before) << "as a new database has it";
  EXPECT_THAT(Snapshot(file_).series(1).turns.at(7), SizeIs(2));
}

TEST_F(SchemaTest, migration_from_version_3_takes_power_and_limiter_from_the_samples) {
  const auto columns = [this] {
    return open()
        .execAndGet(
            "SELECT group_concat(name || type || \"notnull\" || ifnull(dflt_value, '-')) FROM (SELECT * FROM "
            "pragma_table_info('measurement') UNION ALL SELECT * FROM pragma_table_info('sample') ORDER BY name)")
        .getString();
  };
  const std::string before = columns();
  const std::vector<ResultRow> rows = Snapshot(file_).results();
  drop_restarts();
  open().exec(
      "UPDATE sample SET flag = NULL; INSERT OR IGNORE INTO text(value) VALUES ('throttled: sw_power_cap'); "
      "UPDATE sample SET flag = (SELECT id FROM text WHERE value = 'throttled: sw_power_cap') "
      "WHERE measurement = 1 AND ordinal > 0");
  const std::vector<ResultRow> read = Snapshot(file_).results();
  { Store store(file_); }
  EXPECT_EQ(columns(), before);
  for (const std::vector<ResultRow>& migrated : {read, Snapshot(file_).results()}) {
    ASSERT_THAT(migrated, SizeIs(10));
    for (std::size_t n = 0; n < migrated.size(); ++n) {
      EXPECT_EQ(migrated[n].restarts, migrated[n].samples > 0 ? 1 : 0);
      EXPECT_NEAR(migrated[n].power_w.value(), rows[n].power_w.value(), 1e-9);
    }
    EXPECT_EQ(migrated[0].limiter, "sw_power_cap") << "two of three samples say so";
    EXPECT_EQ(migrated[1].limiter, "");
  }
}

TEST_F(SchemaTest, the_schema_is_what_the_steps_lead_to) {
  SQLite::Database database = open();
  EXPECT_EQ(schema_state(database, file_), SchemaState::current);
  EXPECT_EQ(database.execAndGet("PRAGMA user_version").getInt64(), schema_version());
  EXPECT_EQ(database.execAndGet("PRAGMA application_id").getInt64(), 0x54524953);
  EXPECT_EQ(database.execAndGet("PRAGMA journal_mode").getString(), "wal");
  EXPECT_EQ(database
                .execAndGet("SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND "
                            "NOT strict AND name NOT LIKE 'sqlite_%'")
                .getInt(),
            0)
      << "every table is STRICT";
}

TEST_F(SchemaTest, the_result_view_has_exactly_the_promised_columns) {
  SQLite::Database database = open();
  EXPECT_EQ(
      database.execAndGet("SELECT group_concat(name, ', ') FROM pragma_table_info('result')").getString(),
      "measurement, sweep, started, device, kernel, instance, source_hash, pass, form, mask, element, batch, "
      "seq_len, q_heads, kv_heads, head_dim, window1, window2, scale, k2_bias, v2_bias, sink, deterministic, "
      "timing_source, regime, median_ms, ci_low_ms, ci_high_ms, samples, flagged, sm_clock_mhz, tflops, "
      "tflops_paper_count, peak_fraction, error, status, reason, events_ms, restarts, power_w, power_limit_w, joules, "
      "joules_per_tflop, limiter, max_sm_clock_mhz, counted_clock_mhz");
}

}  // namespace
}  // namespace triscope
