// The descriptions of columns and assets/schema.sql name the same columns.
#include "profiler/store/store_tables.hpp"

#include <gmock/gmock.h>

#include <initializer_list>
#include <set>

#include "schema_sql.hpp"

namespace triscope {
namespace {

using namespace tables;

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

}  // namespace
}  // namespace triscope
