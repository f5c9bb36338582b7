// Databases of strangers: what is refused, what is read, and that a reader can be stopped.
#include <SQLiteCpp/SQLiteCpp.h>

#include <thread>

#include "kernels/base/error.hpp"
#include "profiler/store/open/own_schema.hpp"
#include "profiler/store/stored_text.hpp"
#include "tests/profiler/store/hostile_databases.hpp"
#include "tests/profiler/store/store_fixture.hpp"

namespace triscope {
namespace {

using fixture::StoreTest;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string refusal_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

class Hostile : public StoreTest {
 protected:
  Hostile() : StoreTest() {
    Store store(file_);
    const std::int64_t sweep = begin(store);
    for (std::int64_t index = 0; index < 5; ++index) store.add(sweep, synthetic_measurement(index, 3));
  }
  void exec(const std::string& sql) {
    SQLite::Database database(file_.string(), SQLite::OPEN_READWRITE);
    database.exec("PRAGMA ignore_check_constraints = ON; " + sql);
  }
  static ImportRules remembering(std::vector<std::string>& left_out) {
    ImportRules rules;
    rules.left_out = [&left_out](const std::string& sentence) { left_out.push_back(sentence); };
    return rules;
  }
  /// What reading and writing say; they agree.
  std::string refusal() {
    const std::string reading = refusal_of([&] { Snapshot{file_}; });
    const std::string writing = refusal_of([&] { Store{file_}; });
    EXPECT_EQ(reading, writing);
    return reading;
  }
};

TEST_F(Hostile, every_attack_is_refused_or_read_and_imports_cleanly) {
  const std::filesystem::path mark = folder_ / "mark", place = folder_ / "made";
  std::filesystem::create_directory(place);
  for (const HostileDatabase& hostile : write_hostile_databases(place, mark)) {
    SCOPED_TRACE(hostile.name);
    const std::string why = refusal_of([&] {
      const Snapshot snapshot(hostile.file);
      for (const SweepInfo& sweep : snapshot.sweeps()) (void)snapshot.finished_keys(sweep.id);
      for (const ResultRow& row : snapshot.results()) (void)snapshot.environment(row.measurement);
    });
    EXPECT_EQ(!why.empty(), hostile.refused || hostile.name == "names" || hostile.name == "huge_text") << why;
    const std::filesystem::path target = folder_ / (hostile.name + ".target.db");
    Store store(target);
    const std::string import = refusal_of([&] { store.import(hostile.file); });
    EXPECT_EQ(!import.empty(), hostile.refused || hostile.name == "huge_text") << import;
    for (const ResultRow& row : Snapshot(target).results()) {
      EXPECT_GE(row.problem.seq_len, 1);
      EXPECT_GE(row.median_ms.value_or(0), 0);
    }
  }
  EXPECT_FALSE(std::filesystem::exists(mark));
}

TEST_F(Hostile, a_view_that_lies_is_refused_and_made_anew_on_request) {
  exec("DROP VIEW result; CREATE VIEW result AS SELECT 1 AS measurement");
  EXPECT_THAT(refusal(), HasSubstr("triscope doctor --rebuild-view"));
  rebuild_view(file_);
  EXPECT_THAT(Snapshot(file_).results(), SizeIs(5));
  exec("DROP VIEW result; CREATE TABLE result (measurement INTEGER)");
  EXPECT_THAT(refusal(), HasSubstr("its view result"));
  rebuild_view(file_);
  EXPECT_THAT(Snapshot(file_).results(), SizeIs(5));
}

TEST_F(Hostile, a_trigger_on_our_tables_is_refused_by_name) {
  exec("CREATE TRIGGER evil AFTER INSERT ON measurement BEGIN DELETE FROM sample; END");
  EXPECT_THAT(refusal(), HasSubstr("its table measurement has a trigger that is not Triscope's (\"evil\")"));
}

TEST_F(Hostile, a_table_with_another_constraint_is_refused_by_name) {
  exec("ALTER TABLE note ADD COLUMN more TEXT");
  EXPECT_THAT(refusal(), HasSubstr("its table note is not built as Triscope builds it"));
}

TEST_F(Hostile, what_sqlite_does_not_read_behind_a_nul_is_not_compared) {
  exec(
      "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ') --' || char(0) || "
      "char(10) || ' STRICT') WHERE name = 'note'");
  EXPECT_THAT(refusal(), HasSubstr("its table note is not built as Triscope builds it"));
}

// As a damaged page, or a file that was made by hand, holds it: SQLite does not look at types when it reads.
TEST_F(Hostile, a_value_of_another_type_costs_its_row_alone) {
  {
    Store store(file_);
    const std::int64_t sweep = begin(store);
    store.set_measurement_note(store.add(sweep, synthetic_measurement(7, 3)), "of a row");
    store.set_note(sweep, "of a sweep");
  }
  const auto spoil = [&](const char* table, const char* column, const char* where) {
    exec(std::string(
             "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'STRICT, WITHOUT', 'WITHOUT') "
             "WHERE name = '") +
         table + "'; UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ')') WHERE name = '" + table + "'");
    exec(std::string("UPDATE ") + table + " SET " + column + " = x'ff00' WHERE " + where);
    exec(std::string(
             "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = CASE WHEN sql LIKE '%WITHOUT ROWID' THEN "
             "replace(sql, 'WITHOUT ROWID', 'STRICT, WITHOUT ROWID') ELSE sql || ' STRICT' END WHERE name = '") +
         table + "'");
  };
  spoil("sweep", "planned", "id = 1");
  spoil("sample", "power_w", "measurement = 6");
  spoil("note", "body", "1");
  const Snapshot snapshot(file_);
  const std::vector<SweepInfo> sweeps = snapshot.sweeps();
  ASSERT_THAT(sweeps, SizeIs(2));
  const SweepInfo& bad = sweeps[sweeps[0].id == 1 ? 0 : 1];
  EXPECT_EQ(bad.note, "cannot be used: its planned is no whole number in its range");
  EXPECT_EQ(bad.uuid + bad.request_json, "");
  EXPECT_THAT(snapshot.series_of_sweep(1), SizeIs(5));
  EXPECT_THAT(snapshot.series_of_sweep(2), IsEmpty());
  EXPECT_THAT(snapshot.results(), SizeIs(6));
  EXPECT_EQ(snapshot.sweep(2)->note + snapshot.note(6), "") << "a note costs only itself";
  EXPECT_EQ(snapshot.sweep(2)->uuid.size(), 32U);
}

TEST_F(Hostile, a_row_whose_parts_are_missing_says_so_and_so_does_a_sweep) {
  exec(
      "PRAGMA foreign_keys = OFF; UPDATE measurement SET config = 77 WHERE id = 2; UPDATE measurement SET kernel = 77 "
      "WHERE id = 4");
  const std::vector<ResultRow> rows = Snapshot(file_).results();
  ASSERT_THAT(rows, SizeIs(5));
  EXPECT_THAT(rows[1].reason, HasSubstr("cannot be used: its problem is missing"));
  EXPECT_THAT(rows[3].reason, HasSubstr("cannot be used: its kernel is missing"));
  EXPECT_THAT(Snapshot(file_).results(1), SizeIs(5));
  EXPECT_EQ(Snapshot(file_).result(2)->status, Status::failed);
  exec("PRAGMA foreign_keys = OFF; DELETE FROM environment");
  const std::vector<SweepInfo> sweeps = Snapshot(file_).sweeps();
  ASSERT_THAT(sweeps, SizeIs(1));
  EXPECT_EQ(sweeps[0].note, "cannot be used: its environment is missing");
  for (const ResultRow& row : Snapshot(file_).results()) EXPECT_EQ(row.status, Status::failed);
  EXPECT_EQ(Snapshot(file_).environment(1), std::nullopt);
}

TEST_F(Hostile, numbers_and_dates_that_nothing_has_cost_their_row) {
  for (const char* const set :
       {"median_ms = NULL, ci_low_ms = NULL, ci_high_ms = NULL", "median_ms = 0", "median_ms = -0.5",
        "median_ms = 9e999", "power_w = -3", "power_w = 1e9", "sm_clock_mhz = 1e300",
        "started_unix_ns = -9000000000000000000", "started_unix_ns = 9000000000000000000"}) {
    exec("CREATE TABLE kept AS SELECT * FROM measurement WHERE id = 2");
    const Problem problem = Snapshot(file_).result(2)->problem;
    exec(std::string("UPDATE measurement SET ") + set + " WHERE id = 2");
    const std::optional<ResultRow> row = Snapshot(file_).result(2);
    EXPECT_THAT(row->reason, HasSubstr("this row of the database cannot be used")) << set;
    EXPECT_EQ(row->problem, problem) << "it is shown with its own";
    exec("DELETE FROM measurement WHERE id = 2; INSERT INTO measurement SELECT * FROM kept; DROP TABLE kept");
  }
  EXPECT_EQ(Snapshot(file_).result(2)->status, Status::ok);
  exec("UPDATE environment SET peak_tflops = -1e30");
  EXPECT_EQ(Snapshot(file_).sweeps()[0].note, "cannot be used: peak_tflops is -1e+30");
  exec(
      "UPDATE environment SET peak_tflops = 989; UPDATE sweep SET started_unix_ns = -9000000000000000000, "
      "finished_unix_ns = 9000000000000000000; UPDATE measurement SET started_unix_ns = -9000000000000000000");
  EXPECT_THAT(Snapshot(file_).sweeps()[0].note, HasSubstr("cannot be used: started is 1684"));
}

TEST_F(Hostile, a_sweep_on_an_unknown_machine_is_still_read) {
  exec(
      "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ')') WHERE name = "
      "'environment'");
  exec("UPDATE environment SET cpu_threads = 'many'");
  exec("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = sql || ' STRICT' WHERE name = 'environment'");
  const Snapshot snapshot(file_);
  ASSERT_THAT(snapshot.sweeps(), SizeIs(1));
  EXPECT_EQ(snapshot.sweeps()[0].note, "cannot be used: its cpu_threads is no whole number in its range");
  ASSERT_THAT(snapshot.environments(1), SizeIs(1));
  EXPECT_EQ(snapshot.environments(1)[0].first.device_name, "?");
  EXPECT_THAT(snapshot.series_of_sweep(1), SizeIs(5));
  EXPECT_THAT(Snapshot(file_).results(), SizeIs(5));
}

TEST_F(Hostile, a_virtual_table_is_none_of_ours) {
  exec(
      "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 0, sql = replace(replace(sql, 'CREATE TABLE "
      "launch (', 'CREATE VIRTUAL TABLE launch USING fts4('), ') STRICT, WITHOUT ROWID', ', strict, without rowid)') "
      "WHERE name = 'launch'");
  EXPECT_THAT(refusal(), HasSubstr("its table launch is not built as Triscope builds it"));
}

TEST_F(Hostile, a_table_that_takes_any_type_is_none_of_ours) {
  exec(
      "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ', strict)') "
      "WHERE name = 'environment'");
  EXPECT_THAT(refusal(), HasSubstr("its table environment is not built as Triscope builds it"));
}

TEST_F(Hostile, a_view_of_texts_in_the_place_of_columns_is_refused) {
  exec(
      "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'k.name AS kernel', '\"k.name\" AS "
      "kernel') WHERE name = 'result'");
  EXPECT_THAT(refusal(), HasSubstr("its view result is not the one that Triscope makes"));
}

TEST_F(Hostile, an_index_that_could_hide_rows_is_refused_by_name) {
  for (const char* const index :
       {"UNIQUE INDEX evil ON measurement(id, sweep)", "UNIQUE INDEX evil ON measurement(sweep) WHERE sweep > 7"}) {
    exec(std::string("CREATE ") + index);
    EXPECT_THAT(refusal(), HasSubstr("its table measurement has an index that is not Triscope's (\"evil\")")) << index;
    exec("DROP INDEX evil");
  }
}

TEST_F(Hostile, an_index_that_could_refuse_rows_is_refused_by_who_writes) {
  for (const char* const columns :
       {"abs(samples)", "sweep) WHERE abs(samples) > 1 AND (samples = 1", "samples + 1", "-samples",
        "sweep) WHERE samples + 1 > 2 AND (samples = 1", "sweep) WHERE reason LIKE ('a'",
        "sweep) WHERE cast(samples AS REAL", "reason COLLATE nocase, abs(samples) DESC"}) {
    exec(std::string("CREATE INDEX evil ON measurement(") + columns + ")");
    EXPECT_EQ(refusal_of([&] { Snapshot{file_}.results(); }), "") << columns;
    EXPECT_THAT(refusal_of([&] { Store{file_}; }),
                HasSubstr("its table measurement has an index that is not Triscope's (\"evil\"), which could refuse"))
        << columns;
    exec("DROP INDEX evil");
  }
}

TEST_F(Hostile, indices_of_columns_and_of_some_rows_are_left_alone) {
  for (const char* const columns :
       {"reason COLLATE nocase", "sweep, reason COLLATE RTRIM DESC", "sweep) WHERE sweep > 2 AND NOT (sweep = 9",
        "sweep) WHERE status = 'ok' AND median_ms IS NOT NULL AND (error > -1", "\"status\" ASC",
        "started_unix_ns) WHERE status IN ('ok', 'failed'", "median_ms) WHERE median_ms BETWEEN 1 AND (5"}) {
    exec(std::string("CREATE INDEX mine ON measurement(") + columns + ")");
    EXPECT_EQ(refusal(), "") << columns;
    EXPECT_THAT(Snapshot(file_).results(), SizeIs(5));
    exec("DROP INDEX mine");
  }
}

TEST_F(Hostile, an_index_with_the_name_of_ours_is_refused_too) {
  for (const char* const name : {"measurement_by_sweep", "config_by_shape"}) {
    exec(std::string("DROP INDEX ") + name + "; CREATE UNIQUE INDEX " + name +
         " ON measurement(sweep) WHERE sweep > 2");
    EXPECT_THAT(refusal(), HasSubstr("an index that is not Triscope's")) << name;
    exec(std::string("DROP INDEX ") + name);
  }
}

TEST_F(Hostile, what_a_person_added_is_left_alone) {
  exec(
      "CREATE TABLE mine (x); CREATE VIEW my_view AS SELECT * FROM mine; CREATE INDEX my_index ON measurement(status, "
      "\"samples\" DESC); "
      "CREATE UNIQUE INDEX mine_once ON mine(x); "
      "CREATE TRIGGER my_trigger AFTER INSERT ON mine BEGIN DELETE FROM mine; END");
  EXPECT_EQ(refusal(), "");
  EXPECT_THAT(Snapshot(file_).results(), SizeIs(5));
}

TEST_F(Hostile, the_default_database_is_not_foreign) {
  setenv("XDG_DATA_HOME", folder_.path().c_str(), 1);
  const std::filesystem::path own = default_database();
  { Store store(own); }
  {
    SQLite::Database database(own.string(), SQLite::OPEN_READWRITE);
    database.exec("CREATE TRIGGER mine AFTER INSERT ON sweep BEGIN SELECT 1; END");
  }
  EXPECT_EQ(refusal_of([&] { Snapshot{own}; }), "");
  EXPECT_EQ(refusal_of([&] { Store{own}; }), "");
  unsetenv("XDG_DATA_HOME");
}

TEST_F(Hostile, a_bad_row_says_why_and_the_others_are_read) {
  exec(
      "UPDATE measurement SET median_ms = -5 WHERE id = 2; DELETE FROM sample WHERE measurement = 2; "
      "UPDATE measurement SET status = 'evil' WHERE id = 4");
  const std::vector<ResultRow> rows = Snapshot(file_).results();
  ASSERT_THAT(rows, SizeIs(5));
  for (const ResultRow& row : rows) {
    const bool bad = row.measurement == 2 || row.measurement == 4;
    EXPECT_EQ(row.status, bad ? Status::failed : Status::ok);
    EXPECT_EQ(row.median_ms.has_value(), !bad);
    EXPECT_THAT(row.reason, HasSubstr(bad ? "this row of the database cannot be used" : ""));
  }
  EXPECT_THAT(refusal_of([&] { Snapshot(file_).measurement(2); }), HasSubstr("median_ms is -5"));
  std::vector<std::string> left_out;
  Store target(folder_ / "target.db");
  EXPECT_EQ(target.import(file_, remembering(left_out)), 3);
  EXPECT_THAT(left_out, ElementsAre(HasSubstr("measurement 2 of sweep 1 was not copied"), HasSubstr("measurement 4")));
}

TEST_F(Hostile, a_row_of_the_target_that_cannot_be_used_is_not_called_the_sources) {
  const std::filesystem::path target = folder_ / "target.db";
  EXPECT_EQ(Store(target).import(file_), 5);
  SQLite::Database(target.string(), SQLite::OPEN_READWRITE)
      .exec("PRAGMA ignore_check_constraints = ON; UPDATE measurement SET status = 'evil' WHERE id = 2");
  std::vector<std::string> left_out;
  EXPECT_EQ(Store(target).import(file_, remembering(left_out)), 0);
  EXPECT_THAT(left_out, ElementsAre(HasSubstr("sweep 1 here holds it already, in a row that cannot be used: ")));
}

TEST_F(Hostile, a_sweep_without_its_environment_is_left_out_and_the_others_are_imported) {
  {
    Store store(file_);
    const std::int64_t sweep = begin(store);
    store.add(sweep, synthetic_measurement(7, 3));
  }
  exec(
      "PRAGMA foreign_keys = OFF; UPDATE sweep SET environment = 77 WHERE id = 1; "
      "UPDATE measurement SET environment = 77 WHERE sweep = 1");
  std::vector<std::string> left_out;
  Store target(folder_ / "target.db");
  EXPECT_EQ(target.import(file_, remembering(left_out)), 1);
  EXPECT_THAT(left_out, ElementsAre(HasSubstr("sweep 1 was not copied: its environment is missing")));
  exec(
      "PRAGMA foreign_keys = OFF; UPDATE sweep SET environment = 1 WHERE id = 1; UPDATE measurement SET environment = "
      "1 WHERE id IN (2, 3)");
  left_out.clear();
  EXPECT_EQ(target.import(file_, remembering(left_out)), 2);
  EXPECT_THAT(left_out, SizeIs(3));
}

TEST_F(Hostile, a_value_that_our_tables_do_not_take_costs_its_sweep) {
  {
    Store store(file_);
    store.add(begin(store), synthetic_measurement(7, 3));
  }
  exec("UPDATE sweep SET uuid = 'short' WHERE id = 1");
  std::vector<std::string> left_out;
  Store target(folder_ / "target.db");
  EXPECT_EQ(target.import(file_, remembering(left_out)), 1);
  EXPECT_THAT(
      left_out,
      ElementsAre(HasSubstr("sweep 1 was not copied: it breaks the rule length(uuid) = 32 of Triscope's databases")));
  EXPECT_THAT(Snapshot(folder_ / "target.db").damage(), IsEmpty());
}

TEST_F(Hostile, a_request_that_cannot_be_used_is_not_imported) {
  exec("UPDATE sweep SET request = '[]'");
  std::vector<std::string> left_out;
  ImportRules rules = remembering(left_out);
  rules.request_fault = [](const std::string& request) { return request == "[]" ? "it is a list" : ""; };
  Store target(folder_ / "target.db");
  EXPECT_EQ(target.import(file_, rules), 5);
  EXPECT_THAT(left_out,
              ElementsAre(HasSubstr("the request of sweep 1 was not copied, so it cannot be resumed: it is")));
  EXPECT_EQ(Snapshot(folder_ / "target.db").sweeps().front().request_json, "");
}

TEST_F(Hostile, a_stop_ends_an_import_and_nothing_is_copied) {
  std::stop_source stop;
  ImportRules rules;
  rules.cancel = stop.get_token();
  rules.request_fault = [&](const std::string&) {
    stop.request_stop();  // with its first sweep
    return std::string();
  };
  const std::filesystem::path file = folder_ / "target.db";
  {
    Store target(file);
    EXPECT_THAT(refusal_of([&] { target.import(file_, rules); }), HasSubstr("it was cancelled"));
    EXPECT_THAT(Snapshot(file).sweeps(), IsEmpty());
  }
  EXPECT_FALSE(std::filesystem::exists(file)) << "it was made for what was not copied";
  EXPECT_EQ(Store(file).import(file_), 5);
  EXPECT_THAT(refusal_of([&] { Store(file).import(file_, rules); }), HasSubstr("it was cancelled"));
  EXPECT_THAT(Snapshot(file).results(), SizeIs(5)) << "it held them before";
}

TEST_F(Hostile, a_stop_ends_reading_and_waiting_for_a_lock) {
  std::stop_source stop;
  const Snapshot snapshot(file_, kBusyTimeout, stop.get_token());
  EXPECT_THAT(snapshot.results(), SizeIs(5));
  const std::filesystem::path locked = folder_ / "locked.db";
  snapshot.save_copy(locked);
  SQLite::Database writer(locked.string(), SQLite::OPEN_READWRITE);
  writer.exec("PRAGMA journal_mode = DELETE; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  std::jthread stopper([&] { stop.request_stop(); });
  // Without the stop this would wait for an hour.
  EXPECT_NE(refusal_of([&] { Snapshot waiting(locked, std::chrono::hours(1), stop.get_token()); }), "");
  stopper.join();
  EXPECT_THAT(refusal_of([&] { (void)snapshot.results(); }), HasSubstr("it was cancelled"));
}

TEST_F(Hostile, an_import_names_the_file_at_fault) {
  const std::filesystem::path source = folder_ / "source.db", target = folder_ / "target.db";
  for (const std::filesystem::path& too_long : {source, target}) {
    write_synthetic_database(source, 3, 3);
    write_synthetic_database(target, 3, 3);
    // Longer than any text may be, where both files are read.
    SQLite::Database(too_long.string(), SQLite::OPEN_READWRITE)
        .exec("UPDATE kernel SET source_hash = printf('%.*c', 40000000, 'x')");
    // The same sweep in both, so that its measurements are looked for.
    for (const std::filesystem::path& file : {source, target})
      SQLite::Database(file.string(), SQLite::OPEN_READWRITE)
          .exec("UPDATE sweep SET uuid = '00000000000000000000000000000000'");
    Store store(target);
    EXPECT_THAT(refusal_of([&] { store.import(source); }),
                testing::AllOf(HasSubstr("a text in it is larger"), HasSubstr("the database " + too_long.string())));
    std::filesystem::remove(source);
    std::filesystem::remove(target);
  }
}

TEST_F(Hostile, a_row_number_at_its_end_is_no_full_disk) {
  for (const char* table : {"sweep", "measurement"}) {
    SQLite::Database(file_.string(), SQLite::OPEN_READWRITE)
        .exec(std::string("UPDATE sqlite_sequence SET seq = 9223372036854775807 WHERE name = '") + table + "'");
    Store store(file_);
    EXPECT_THAT(
        refusal_of([&] { std::string(table) == "sweep" ? begin(store) : store.add(1, synthetic_measurement(50)); }),
        testing::AllOf(testing::StartsWith("cannot write to the database"), HasSubstr("no row number left"),
                       testing::Not(HasSubstr("disk"))));
    const std::filesystem::path source = folder_ / "source.db";
    write_synthetic_database(source, 3, 3);
    EXPECT_THAT(refusal_of([&] { store.import(source); }),
                testing::AllOf(testing::StartsWith("cannot write to the database " + file_.string()),
                               HasSubstr("no row number left")));
    std::filesystem::remove(source);
  }
  EXPECT_EQ(Store(folder_ / "new.db").import(file_), 5) << "what the message advises";
  EXPECT_THAT(Snapshot(file_).results(), SizeIs(5));
}

TEST(SqlWords, comments_layout_case_and_quotes_do_not_count) {
  EXPECT_EQ(sql_words("CREATE TABLE \"a\" (x -- why\n INTEGER /* so */ DEFAULT 'It''s')"),
            sql_words("create table A(X integer default 'It''s')"));
  EXPECT_NE(sql_words("x DEFAULT 'a'"), sql_words("x DEFAULT 'A'"));
}

TEST(SqlWords, definitions_are_compared_whatever_their_order) {
  const auto table =
      table_definitions("CREATE TABLE t (a INTEGER, b TEXT CHECK (b IN ('x', 'y')), UNIQUE (a, b)) STRICT");
  EXPECT_EQ(table, table_definitions("create table t(a integer, unique (a, b), b text check (b in ('x','y'))) strict"));
  EXPECT_NE(table,
            table_definitions("CREATE TABLE t (a INTEGER, b TEXT CHECK (b IN ('x', 'z')), UNIQUE (a, b)) STRICT"));
  EXPECT_NE(table, table_definitions("CREATE TABLE t (a INTEGER, b TEXT CHECK (b IN ('x', 'y')), UNIQUE (a, b))"));
  EXPECT_NE(table_definitions("CREATE TABLE t (id INTEGER PRIMARY KEY)"),
            table_definitions("CREATE TABLE t (\"id integer\" PRIMARY KEY)"));
  EXPECT_NE(table_definitions("CREATE TABLE t (a, b) STRICT"), table_definitions("CREATE TABLE t (a, b, strict)"));
  EXPECT_NE(table_definitions("CREATE TABLE t (a)"), table_definitions("CREATE VIRTUAL TABLE t USING fts4(a)"));
}

TEST(SqlWords, a_name_in_quotes_is_another_word_where_sqlite_reads_it_so) {
  EXPECT_EQ(sql_words("\"a\" [b] `C`"), sql_words("a b c"));
  EXPECT_NE(sql_words("\"m.id\""), sql_words("m.id")) << "a text, where no column is called that";
  EXPECT_NE(sql_words("a TEXT \"not\" NULL"), sql_words("a TEXT NOT NULL")) << "a part of the type";
  EXPECT_NE(sql_words("\"1000\""), sql_words("1000"));
  EXPECT_NE(table_definitions("CREATE TABLE t (a \"text\nnot\nnull\")"),
            table_definitions("CREATE TABLE t (a text not null)"));
}

TEST(StoredText, what_is_no_utf8_is_replaced) {
  EXPECT_EQ(as_utf8("plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"), "plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(as_utf8("a\xff"
                    "b"),
            "a\xef\xbf\xbd"
            "b");
  EXPECT_EQ(as_utf8(std::string("a\0b", 3)),
            "a\xef\xbf\xbd"
            "b");
  EXPECT_EQ(as_utf8("\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd") << "overlong";
  EXPECT_EQ(as_utf8("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd") << "surrogate";
  EXPECT_EQ(as_utf8("\xe2\x82"), "\xef\xbf\xbd\xef\xbf\xbd") << "cut short";
  EXPECT_EQ(as_utf8(""), "");
}

}  // namespace
}  // namespace triscope
