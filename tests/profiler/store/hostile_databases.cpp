#include "tests/profiler/store/hostile_databases.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "profiler/store/store.hpp"
#include "tests/profiler/store/synthetic_database.hpp"

namespace triscope {
namespace {

using nlohmann::json;

class Maker {
 public:
  explicit Maker(std::filesystem::path folder) : folder_(std::move(folder)) {
    Store store(small());
    const std::int64_t sweep = store.begin_sweep("triscope sweep", "{}", synthetic_environment(), 12);
    for (std::int64_t index = 0; index < 8; ++index) store.add(sweep, synthetic_measurement(index, 3));
    store.finish_sweep(sweep);
  }
  ~Maker() { std::filesystem::remove(small()); }

  /// A sound database with `statements` run on it.
  void schema(const std::string& name, bool refused, const std::vector<std::string>& statements) {
    SQLite::Database database = copy(name, refused);
    for (const std::string& statement : statements) database.exec(statement);
  }

  /// An interrupted sweep whose stored request is `text`.
  void request(const std::string& name, const std::string& text) {
    SQLite::Database database = copy(name, false);
    SQLite::Statement update(database, "UPDATE sweep SET finished_unix_ns = NULL, request = ?");
    update.bind(1, text);
    update.exec();
  }
  void request(const std::string& name, const json& object) { request(name, object.dump()); }

  /// The statement that made the view `result`.
  std::string view() {
    const SQLite::Database database(small().string(), SQLite::OPEN_READONLY);
    SQLite::Statement query(database, "SELECT sql FROM sqlite_schema WHERE name = 'result'");
    query.executeStep();
    return query.getColumn(0).getString();
  }
  /// "`first` AS measurement, NULL AS sweep, ..." of all its columns.
  std::string columns(const std::string& first) {
    const SQLite::Database database(small().string(), SQLite::OPEN_READONLY);
    SQLite::Statement query(database, "SELECT name FROM pragma_table_info('result')");
    std::string list;
    while (query.executeStep())
      list += fmt::format("{}{} AS {}", list.empty() ? "" : ", ", list.empty() ? first : "NULL",
                          query.getColumn(0).getString());
    return list;
  }
  std::vector<HostileDatabase> take() { return std::move(made_); }

 private:
  std::filesystem::path small() const { return folder_ / "small.db"; }
  SQLite::Database copy(const std::string& name, bool refused) {
    const std::filesystem::path file = folder_ / (name + ".db");
    Snapshot(small()).save_copy(file);
    made_.push_back({name, file, refused});
    SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
    database.exec("PRAGMA journal_mode = DELETE; PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF");
    return database;
  }

  std::filesystem::path folder_;
  std::vector<HostileDatabase> made_;
};

std::string replaced(std::string text, const std::string& old, const std::string& other) {
  const std::size_t at = text.find(old);
  return at == std::string::npos ? text : text.replace(at, old.size(), other);
}

void make_requests(Maker& maker, const std::filesystem::path& mark) {
  maker.request("command", json{{"worker_prefix", {"sh", "-c", "touch " + mark.string()}}});
  maker.request("command_text", json{{"worker_prefix", "touch " + mark.string()}});
  maker.request("tensors", json{{"tensors", "/dev/zero"}});
  maker.request("time_limit", json{{"time_limit_ms", -1}});
  for (const char* list : {"forms", "regimes", "passes"})
    maker.request(std::string(list) + "_empty", json{{list, json::array()}});
  for (const char* list : {"windows", "seq_lens"}) maker.request(std::string(list) + "_text", json{{list, "all"}});
  maker.request("heads_differ", json{{"q_heads", {1, 2}}, {"kv_heads", {1, 2, 3}}});
  maker.request("negative", json{{"seq_lens", {-5, 0, std::int64_t{1} << 62}}});
  maker.request("windows_negative", json{{"windows", {{{"window1", -1}, {"window2", std::int64_t{1} << 62}}}}});
  maker.request("dims", json{{"head_dims", {0, -3}}, {"batches", {-1}}});
  maker.request("float", std::string(R"({"seq_lens":[1e300]})"));
  maker.request("many", json{{"seq_lens", std::vector<int>(200'001, 7)}});
  maker.request("deep", std::string(1'000'000, '[') + std::string(1'000'000, ']'));
  maker.request("array", std::string("[]"));
  maker.request("no_json", std::string("{{{"));
  maker.request("stopping",
                json{{"stopping", {{"precision", -1}, {"budget_ns", -5}, {"max_blocks", std::int64_t{1} << 62}}}});
}

void make_schemas(Maker& maker) {
  const std::string view = maker.view();
  maker.schema("view_endless", true,
               {"DROP VIEW result",
                "CREATE VIEW result AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
                "SELECT " +
                    maker.columns("x") + " FROM n WHERE x < 0"});
  maker.schema("view_huge", true,
               {"DROP VIEW result", replaced(view, "k.name AS kernel", "printf('%.*c', 500000000, 'A') AS kernel")});
  maker.schema("view_lies", true,
               {"DROP VIEW result", replaced(view, "m.median_ms AS median_ms", "0.001 AS median_ms")});
  maker.schema("no_view", true, {"DROP VIEW result"});
  maker.schema("result_is_a_table", true, {"DROP VIEW result", "CREATE TABLE result AS SELECT " + maker.columns("1")});
  maker.schema("triggers", true,
               {"CREATE TRIGGER evil AFTER INSERT ON measurement BEGIN UPDATE measurement SET median_ms = 0.001; "
                "DELETE FROM sample; END"});
  maker.schema("trigger_on_sweep", true,
               {"CREATE TRIGGER \"\x1b[31m\" AFTER UPDATE ON sweep BEGIN DELETE FROM note; END"});
  maker.schema("no_table", true, {"DROP TABLE note"});
  maker.schema(
      "no_check", true,
      {"DROP TABLE cross_check",
       "CREATE TABLE cross_check (measurement INTEGER PRIMARY KEY REFERENCES measurement(id) ON DELETE CASCADE, "
       "timing_source TEXT NOT NULL, median_ms REAL, ci_low_ms REAL, ci_high_ms REAL, samples INTEGER NOT NULL, "
       "reason TEXT NOT NULL) STRICT"});
  maker.schema("generated_column", true,
               {"ALTER TABLE sample ADD COLUMN more TEXT AS (printf('%.*c', 500000000, 'A')) VIRTUAL"});
  maker.schema("table_is_a_view", true, {"ALTER TABLE note RENAME TO old", "CREATE VIEW note AS SELECT * FROM old"});
}

void make_values(Maker& maker) {
  maker.schema("huge_text", false, {"UPDATE sweep SET command = replace(hex(zeroblob(20000000)), '00', 'AA')"});
  maker.schema(
      "numbers", false,
      {"UPDATE config SET seq_len = -9223372036854775808, window1 = -1, head_dim = 0, q_heads = 0, kv_heads = 0",
       "UPDATE measurement SET samples = -1, flagged = 9223372036854775807, "
       "started_unix_ns = -9223372036854775808, median_ms = -1e308, ci_low_ms = 1e308, ci_high_ms = -1e308",
       "UPDATE sample SET duration_ns = -9223372036854775808, launches = -9223372036854775808",
       "UPDATE sweep SET planned = -9223372036854775808, started_unix_ns = 9223372036854775807",
       "UPDATE environment SET cpu_threads = -1"});
  maker.schema("one_row", false, {"UPDATE measurement SET median_ms = -1e308 WHERE id = 3"});
  maker.schema("names", false,
               {"UPDATE measurement SET status = 'evil' WHERE id = 1", "UPDATE measurement SET pass = '' WHERE id = 2",
                "UPDATE config SET form = 'evil' WHERE id = 3"});
  maker.schema("not_utf8", false,
               {"UPDATE kernel SET name = name || 'a' || char(0) || 'b' || cast(x'fffe80' AS TEXT) || id",
                "UPDATE environment SET device_name = cast(x'c3280a00ff' AS TEXT)",
                "UPDATE sweep SET command = cast(x'ff41' AS TEXT)"});
  maker.schema("orphans", false, {"DELETE FROM config WHERE id = 1", "DELETE FROM environment"});
  maker.schema(
      "escapes", false,
      {"UPDATE sweep SET command = 'triscope sweep ' || char(27) || ']0;TITLE' || char(7) || char(27) || '[2J'",
       "UPDATE measurement SET reason = '=HYPERLINK(\"http://example.invalid/\")<script>' || char(13)"});
}

}  // namespace

std::vector<HostileDatabase> write_hostile_databases(const std::filesystem::path& folder,
                                                     const std::filesystem::path& mark) {
  Maker maker(folder);
  make_requests(maker, mark);
  make_schemas(maker);
  make_values(maker);
  return maker.take();
}

}  // namespace triscope
