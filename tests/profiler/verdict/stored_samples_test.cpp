// How the samples that comparisons need are read: a sweep in one go where many of its rows are needed.
#include <SQLiteCpp/SQLiteCpp.h>

#include <map>

#include "profiler/verdict/row_verdicts.hpp"
#include "tests/profiler/store/store_fixture.hpp"

namespace triscope {
namespace {

using fixture::StoreTest;
using testing::IsEmpty;
using testing::Not;

TEST_F(StoreTest, many_rows_are_read_at_once_and_one_that_is_asked_for_often_is_one) {
  constexpr int kRows = 12;
  Store store(file_);
  const std::int64_t sweep = begin(store);
  for (std::int64_t index = 0; index < kRows; ++index) store.add(sweep, synthetic_measurement(index, 5));
  const Snapshot snapshot(file_);
  const std::vector<ResultRow> rows = snapshot.results();
  StoredSamples of_one(snapshot), of_many(snapshot);
  for (const ResultRow& row : rows) {
    of_one.expect(rows[0]);
    of_many.expect(row);
  }
  EXPECT_THAT(of_one.of(rows[0]).samples, Not(IsEmpty()));
  EXPECT_THAT(of_many.of(rows[0]).samples, Not(IsEmpty()));
  SQLite::Database(file_.string(), SQLite::OPEN_READWRITE).exec("DELETE FROM sample");
  EXPECT_THAT(of_one.of(rows[1]).samples, IsEmpty()) << "read now";
  EXPECT_THAT(of_many.of(rows[1]).samples, Not(IsEmpty())) << "read before";
}

TEST_F(StoreTest, companions_without_samples_are_those_of_the_series) {
  Store store(file_);
  const std::int64_t sweep = begin(store);
  // cuda.hopper and baseline.fa3, forward and backward, and one that took no turns.
  for (const auto& [index, group] : std::map<std::int64_t, std::int64_t>{{0, 0}, {14, 0}, {21, 1}, {35, 1}, {5, -1}}) {
    Measurement one = synthetic_measurement(index, 5);
    one.group = group;
    store.add(sweep, one);
  }
  const Snapshot snapshot(file_);
  StoredSamples samples(snapshot);
  std::size_t some = 0;
  for (const ResultRow& row : snapshot.results()) {
    EXPECT_EQ(samples.companions(row), snapshot.series(row.measurement).companions) << row.measurement;
    some += samples.companions(row).empty() ? 0 : 1;
    EXPECT_FALSE(samples.companions(row).contains(row.kernel)) << "it is none of its own";
  }
  EXPECT_EQ(some, 4U);
}

}  // namespace
}  // namespace triscope
