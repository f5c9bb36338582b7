// The descriptions of columns and assets/schema.sql name the same columns.
#include "profiler/store/store_tables.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <initializer_list>
#include <set>
#include <tuple>

#include "profiler/statistics/convergence.hpp"
#include "profiler/statistics/statistics.hpp"
#include "profiler/store/row_fault.hpp"
#include "schema_sql.hpp"
#include "tests/paths.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using namespace tables;

constexpr Table kResults{
    "result",
    column("measurement", &ResultRow::measurement),
    column("sweep", &ResultRow::sweep),
    column("started", &ResultRow::started),
    column("device", &ResultRow::device),
    column("kernel", &ResultRow::kernel),
    column("instance", &ResultRow::instance),
    column("source_hash", &ResultRow::source_hash),
    named("pass", &ResultRow::pass, parse_pass),
    within(&ResultRow::problem, kConfigs.columns),
    named("timing_source", &ResultRow::timing_source, parse_timing_source),
    named("regime", &ResultRow::regime, parse_regime),
    column("median_ms", &ResultRow::median_ms),
    column("ci_low_ms", &ResultRow::ci_low_ms),
    column("ci_high_ms", &ResultRow::ci_high_ms),
    column("samples", &ResultRow::samples),
    column("flagged", &ResultRow::flagged),
    column("sm_clock_mhz", &ResultRow::sm_clock_mhz),
    column("tflops", &ResultRow::tflops),
    column("tflops_paper_count", &ResultRow::tflops_paper_count),
    column("peak_fraction", &ResultRow::peak_fraction),
    column("error", &ResultRow::error),
    named("status", &ResultRow::status, parse_status),
    long_line("reason", &ResultRow::reason),
    column("events_ms", &ResultRow::events_ms),
    column("restarts", &ResultRow::restarts),
    column("power_w", &ResultRow::power_w),
    column("power_limit_w", &ResultRow::power_limit_w),
    column("joules", &ResultRow::joules),
    column("joules_per_tflop", &ResultRow::joules_per_tflop),
    column("limiter", &ResultRow::limiter),
    column("max_sm_clock_mhz", &ResultRow::max_sm_clock_mhz),
    column("counted_clock_mhz", &ResultRow::counted_clock_mhz),
};

template <typename Columns>
std::set<std::string> names_of(const Columns& list, std::initializer_list<std::string> given = {}) {
  std::set<std::string> names(given);
  std::apply([&](const auto&... each) { (names.emplace(each.name), ...); }, list);
  return names;
}

std::set<std::string> columns_in_schema(const std::string& table) {
  SQLite::Database database(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  database.exec(kSchemaSql);
  SQLite::Statement query(database, "SELECT name FROM pragma_table_info(?)");
  Binder(query) << table;
  std::set<std::string> names;
  while (query.executeStep()) names.insert(query.getColumn(0).getString());
  return names;
}

TEST(StoreTables, every_column_of_the_schema_is_described_or_given) {
  EXPECT_EQ(names_of(kEnvironments.columns, {"id"}), columns_in_schema("environment"));
  EXPECT_EQ(names_of(kSweeps.columns, {"id", "environment"}), columns_in_schema("sweep"));
  EXPECT_EQ(names_of(kConfigs.columns, {"id"}), columns_in_schema("config"));
  EXPECT_EQ(names_of(columns(kKernels.columns, kCards.columns), {"id"}), columns_in_schema("kernel"));
  EXPECT_EQ(names_of(columns(kKeys.columns, kMeasurements.columns, kDerived.columns),
                     {"id", "sweep", "environment", "config", "kernel"}),
            columns_in_schema("measurement"));
  EXPECT_EQ(names_of(kOutputErrors.columns, {"measurement"}), columns_in_schema("output_error"));
  EXPECT_EQ(names_of(kSamples.columns, {"measurement", "ordinal"}), columns_in_schema("sample"));
  EXPECT_EQ(names_of(kTurnSamples.columns, {"measurement", "ordinal"}), columns_in_schema("turn_sample"));
  EXPECT_EQ(names_of(kCrossChecks.columns, {"measurement"}), columns_in_schema("cross_check"));
  EXPECT_EQ(names_of(kLaunches.columns, {"measurement", "ordinal"}), columns_in_schema("launch"));
  EXPECT_EQ(names_of(kCounters.columns, {"measurement", "ordinal"}), columns_in_schema("counter"));
  EXPECT_EQ(names_of(kResults.columns), columns_in_schema("result"));
}

auto numbers_of(const ResultRow& row) {
  return std::tie(row.measurement, row.sweep, row.samples, row.flagged, row.restarts, row.median_ms, row.ci_low_ms,
                  row.ci_high_ms, row.sm_clock_mhz, row.tflops, row.tflops_paper_count, row.peak_fraction, row.error,
                  row.events_ms, row.power_w, row.power_limit_w, row.joules, row.joules_per_tflop, row.max_sm_clock_mhz,
                  row.counted_clock_mhz);
}

auto words_of(const ResultRow& row) {
  return std::tie(row.started, row.device, row.kernel, row.instance, row.source_hash, row.pass, row.problem,
                  row.timing_source, row.regime, row.status, row.reason, row.limiter);
}

// The view is what others read, the rows what Triscope shows.
void expect_rows_of_the_view(const std::filesystem::path& file) {
  SQLite::Database database(file.string(), SQLite::OPEN_READONLY);
  const auto of_view = select<ResultRow>(database, kResults.columns, "FROM result ORDER BY measurement");
  const std::vector<ResultRow> rows = read_results(database, {});
  ASSERT_EQ(rows.size(), of_view.size());
  for (std::size_t n = 0; n < rows.size(); ++n) {
    ResultRow expected = of_view[n];
    expected.reason = corrected_reason(expected.reason);
    compute_rates(expected);
    if (!interval_known(expected)) expected.ci_low_ms = expected.ci_high_ms = std::nullopt;
    EXPECT_EQ(numbers_of(rows[n]), numbers_of(expected)) << file << ", measurement " << expected.measurement;
    EXPECT_EQ(words_of(rows[n]), words_of(expected)) << file << ", measurement " << expected.measurement;
  }
}

TEST(StoreTables, rows_are_those_of_the_view) {
  for (const char* name : {"h200.db", "h100.db"}) expect_rows_of_the_view(recorded_file(name));
}

TEST(StoreTables, rows_are_those_of_the_view_where_something_is_not_known) {
  const TemporaryFolder folder;
  for (const char* change : {
           "UPDATE measurement SET device_id = 'cpu' WHERE id % 3 = 0",
           "UPDATE measurement SET device_id = '7' WHERE id % 3 = 0",
           "UPDATE environment SET peak_tflops = NULL",
           "UPDATE environment SET max_sm_clock_mhz = NULL",
           "UPDATE measurement SET power_w = NULL, ci_low_ms = NULL WHERE id % 3 = 0",
           "UPDATE measurement SET useful_flops = 0, paper_flops = NULL WHERE id % 3 = 0",
           "UPDATE measurement SET status = 'failed', median_ms = NULL, reason = 'why' WHERE id % 3 = 0",
           "UPDATE measurement SET started_unix_ns = 951782399999999999 WHERE id % 3 = 0",
           "UPDATE config SET element = 'fp32' WHERE id % 3 = 0",
           "DELETE FROM counter",
           "UPDATE counter SET value = 0",
           "UPDATE cross_check SET timing_source = 'cpu_clock'",
       }) {
    const std::filesystem::path file = folder / "changed.db";
    std::filesystem::copy_file(recorded_file("h200.db"), file, std::filesystem::copy_options::overwrite_existing);
    SQLite::Database(file.string(), SQLite::OPEN_READWRITE).exec(change);
    SCOPED_TRACE(change);
    expect_rows_of_the_view(file);
  }
}

}  // namespace
}  // namespace triscope
