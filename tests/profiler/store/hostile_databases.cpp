#include "tests/profiler/store/hostile_databases.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <fstream>
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
  std::filesystem::path schema(const std::string& name, bool refused, const std::vector<std::string>& statements) {
    SQLite::Database database = copy(name, refused);
    for (const std::string& statement : statements) database.exec(statement);
    return made_.back().file;
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

// The page after which the rows of `table` come.
std::size_t root_page(const std::filesystem::path& file, const std::string& table) {
  const SQLite::Database database(file.string(), SQLite::OPEN_READONLY);
  SQLite::Statement query(database, "SELECT rootpage FROM sqlite_schema WHERE name = ?");
  query.bind(1, table);
  query.executeStep();
  return static_cast<std::size_t>(query.getColumn(0).getInt64());
}

void put_number(std::string& page, std::size_t at, std::uint64_t value, int bytes) {
  for (int byte = 0; byte < bytes; ++byte)
    page[at + static_cast<std::size_t>(byte)] = static_cast<char>(value >> (8 * (bytes - 1 - byte)));
}

// A page of a table's tree whose entries all lead to the page `child`.
std::string page_of_pages(std::size_t page_bytes, std::size_t child) {
  constexpr std::size_t kHeader = 12, kCell = 5, kPointer = 2;  // a child's number and a row id of one byte
  std::string page(page_bytes, '\0');
  const std::size_t cells = (page_bytes - kHeader) / (kCell + kPointer), start = page_bytes - cells * kCell;
  page[0] = 5;
  put_number(page, 3, cells, 2);
  put_number(page, 5, start, 2);
  put_number(page, 8, child, 4);
  for (std::size_t cell = 0; cell < cells; ++cell) {
    put_number(page, kHeader + cell * kPointer, start + cell * kCell, 2);
    put_number(page, start + cell * kCell, child, 4);
    page[start + cell * kCell + 4] = 1;
  }
  return page;
}

// Lets the rows of `table` come without end, in a file of the usual size: pages that all lead to the next of them, and
// the last to the rows.
void repeat_rows_endlessly(const std::filesystem::path& file, const std::string& table) {
  constexpr std::size_t kDepth = 10;  // SQLite goes down 20 pages at most
  const std::size_t root = root_page(file, table);
  std::string bytes;
  std::ifstream stream(file, std::ios::binary);
  bytes.assign(std::istreambuf_iterator<char>(stream), {});
  const std::size_t page_bytes = static_cast<unsigned char>(bytes[16]) * 256U + static_cast<unsigned char>(bytes[17]);
  const std::size_t pages = bytes.size() / page_bytes;
  bytes += bytes.substr((root - 1) * page_bytes, page_bytes);  // the rows
  for (std::size_t level = 0; level < kDepth; ++level) bytes += page_of_pages(page_bytes, pages + 1 + level);
  bytes.replace((root - 1) * page_bytes, page_bytes, page_of_pages(page_bytes, pages + 1 + kDepth));
  put_number(bytes, 28, pages + 1 + kDepth, 4);
  std::ofstream(file, std::ios::binary) << bytes;
}

std::string replaced(std::string text, const std::string& old, const std::string& other) {
  const std::size_t at = text.find(old);
  return at == std::string::npos ? text : text.replace(at, old.size(), other);
}

void make_requests(Maker& maker, const std::filesystem::path& mark) {
  maker.request("command", json{{"worker_prefix", {"sh", "-c", "touch " + mark.string()}}});
  maker.request("command_text", json{{"worker_prefix", "touch " + mark.string()}});
  maker.request("tensors", json{{"tensors", "/dev/zero"}});
  maker.request("time_limit", json{{"time_limit_ms", -1}});
  for (const char* list :
       {"forms", "regimes", "passes", "windows", "seq_lens", "batches", "q_heads", "kv_heads", "head_dims"})
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

void make_endless(Maker& maker) {
  for (const char* table : {"sweep", "measurement", "environment"})
    repeat_rows_endlessly(maker.schema(std::string("endless_") + table, true, {}), table);
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
  make_endless(maker);
  make_values(maker);
  return maker.take();
}

}  // namespace triscope
