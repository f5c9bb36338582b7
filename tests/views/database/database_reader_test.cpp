// What the window reads of a database, whichever thread reads it.
#include "app/window/database/database_reader.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/profiler/store/synthetic_database.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

TEST(DatabaseReader, sweeps_of_one_device_are_the_same_by_a_thread_beside) {
  constexpr std::int64_t kSweeps = 3, kRows = 2600;  // of two together so many that they are read beside
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "many.db";
  {
    Store store(file);
    std::vector<Measurement> measurements;
    for (std::int64_t index = 0; index < kRows; ++index) measurements.push_back(synthetic_measurement(index, 1));
    for (std::int64_t n = 0; n < kSweeps; ++n) {
      const std::int64_t sweep = store.begin_sweep("triscope sweep", "{}", synthetic_environment(), kRows);
      store.add(sweep, measurements);
      store.finish_sweep(sweep);
    }
  }
  DatabaseReader reader;
  const auto nothing = [](const ReadResult&) {};
  ReadRequest request;
  request.file = file;
  const ReadResult first = reader.read(request, nothing);
  ASSERT_EQ(first.sweeps.size(), 3U);
  ASSERT_EQ(first.same_device.size(), 2U);
  const Snapshot stored(file);
  for (std::size_t n = 0; n < 2; ++n) {
    const SweepResults& sweep = *first.same_device[n];
    EXPECT_EQ(sweep.info.id, first.sweeps[n + 1].id) << "newest first, without the shown one";
    const std::vector<ResultRow> rows = stored.results(sweep.info.id);
    ASSERT_EQ(sweep.rows.size(), rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      ASSERT_EQ(sweep.rows[row].measurement, rows[row].measurement);
      ASSERT_EQ(sweep.rows[row].sweep, sweep.info.id);
      ASSERT_EQ(sweep.rows[row].median_ms, rows[row].median_ms);
    }
  }
  const ReadResult again = reader.read(request, nothing);
  EXPECT_EQ(again.same_device, first.same_device) << "what is as it was is not read again";
}

}  // namespace
}  // namespace triscope
