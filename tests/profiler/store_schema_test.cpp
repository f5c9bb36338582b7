// Migrations: one transaction, a copy beside the file, all or nothing. Version 1 is the newest so far, so the steps are
// invented here.
#include "profiler/store_schema.hpp"

#include <gmock/gmock.h>

#include <array>

#include "profiler/store.hpp"
#include "synthetic_database.hpp"
#include "temporary_folder.hpp"

namespace triscope {
namespace {

using testing::SizeIs;

constexpr std::array<std::string_view, 2> kSteps = {
    "ALTER TABLE sweep ADD COLUMN colour TEXT; UPDATE sweep SET colour = 'blue'",
    "CREATE TABLE extra (id INTEGER PRIMARY KEY) STRICT; INSERT INTO extra VALUES (7)",
};

class SchemaTest : public testing::Test {
 protected:
  SchemaTest() { write_synthetic_database(file_, 10, 3); }
  SQLite::Database open() { return SQLite::Database(file_.string(), SQLite::OPEN_READWRITE); }
  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "results.db";
};

TEST_F(SchemaTest, steps_are_applied_in_order_after_a_copy) {
  SQLite::Database database = open();
  migrate(database, file_, kSteps);
  EXPECT_EQ(database.execAndGet("PRAGMA user_version").getInt(), 3);
  EXPECT_EQ(database.execAndGet("SELECT colour FROM sweep").getString(), "blue");
  EXPECT_EQ(database.execAndGet("SELECT id FROM extra").getInt(), 7);
  EXPECT_EQ(database.execAndGet("SELECT count(*) FROM result").getInt(), 10);
  const Snapshot copy(folder_ / "results.db.schema1.bak");
  EXPECT_THAT(copy.results(), SizeIs(10));
}

TEST_F(SchemaTest, the_copy_holds_what_still_lies_in_the_log_and_overwrites_no_other) {
  Store store(file_);
  store.begin_sweep("in the log", "{}", synthetic_environment(), 1);
  SQLite::Database database = open();
  database.exec("PRAGMA user_version = 1");
  migrate(database, file_, std::span(kSteps).first(1));
  database.exec("PRAGMA user_version = 1; ALTER TABLE sweep DROP COLUMN colour");
  migrate(database, file_, std::span(kSteps).first(1));
  EXPECT_THAT(Snapshot(folder_ / "results.db.schema1.bak").sweeps(), SizeIs(2));
  EXPECT_THAT(Snapshot(folder_ / "results.db.schema1.2.bak").sweeps(), SizeIs(2));
}

TEST_F(SchemaTest, a_failing_step_leaves_the_database_as_it_was) {
  const std::array<std::string_view, 2> steps = {kSteps[0], "INSERT INTO no_such_table VALUES (1)"};
  SQLite::Database database = open();
  EXPECT_THROW(migrate(database, file_, steps), SQLite::Exception);
  EXPECT_EQ(database.execAndGet("PRAGMA user_version").getInt(), 1);
  EXPECT_EQ(database.execAndGet("SELECT count(*) FROM pragma_table_info('sweep') WHERE name = 'colour'").getInt(), 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "results.db.schema1.bak"));
  EXPECT_THAT(Snapshot(file_).results(), SizeIs(10));
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
  EXPECT_EQ(database.execAndGet("SELECT group_concat(name, ', ') FROM pragma_table_info('result')").getString(),
            "measurement, sweep, started, device, kernel, instance, source_hash, pass, form, mask, element, batch, "
            "seq_len, q_heads, kv_heads, head_dim, window1, window2, scale, k2_bias, v2_bias, sink, deterministic, "
            "timing_source, regime, median_ms, ci_low_ms, ci_high_ms, samples, flagged, sm_clock_mhz, tflops, "
            "tflops_paper_count, peak_fraction, error, status, reason");
}

}  // namespace
}  // namespace triscope
