// Rows that are measured right now, in the place of what the database holds of them.
#include "app/window/sweep/rows_in_work.hpp"

#include <gmock/gmock.h>

#include <memory>

#include "profiler/statistics/verdicts.hpp"
#include "tests/views/sweep_fixture.hpp"
#include "views/model/tables/latency_model.hpp"

namespace triscope {
namespace {

using fixture::row;

LiveRow in_work(const ResultRow& of, std::int64_t number, double ms) {
  LiveRow live;
  live.row = of;
  live.row.measurement = number;
  live.row.status = Status::ok;
  live.row.median_ms = ms;
  live.row.samples = 1;
  live.samples.resize(1);
  return live;
}

/// Row 1 is stored, row 2 was cancelled, row 3 stands beside them; 1 has a further restart, and 2 is measured anew.
class RowsInWork : public testing::Test {
 protected:
  RowsInWork() {
    auto results = std::make_shared<SweepResults>();
    results->rows = {row(1, 512, 32, Pass::forward, 10, 5), row(2, 256, 64, Pass::forward, 0, 0),
                     row(3, 128, 128, Pass::forward, 12, 4)};
    ResultRow& cancelled = results->rows[1];
    cancelled.status = Status::cancelled;
    cancelled.reason = "stopped by the user";
    cancelled.median_ms.reset();
    stored_ = results;
    run_.running = true;
    run_.live.rows = {in_work(stored_->rows[0], 1, 11), in_work(stored_->rows[1], -7, 22)};
    take_stored_numbers(run_.live, *stored_);
  }
  std::shared_ptr<const SweepResults> stored_;
  RunState run_;
};

TEST_F(RowsInWork, live_figures_stand_in_the_place_of_stored_ones_and_of_a_cancelled_row) {
  const auto shown = with_rows_in_work(stored_, run_);
  ASSERT_EQ(shown->rows.size(), 3U);
  EXPECT_EQ(shown->rows[0].median_ms, 11) << "of the further restart";
  EXPECT_EQ(shown->rows[0].samples, 1);
  EXPECT_EQ(shown->rows[1].measurement, 2);
  EXPECT_EQ(shown->rows[1].status, Status::ok);
  EXPECT_EQ(shown->rows[1].median_ms, 22);
  EXPECT_EQ(shown->rows[2].median_ms, 12);
  EXPECT_NE(find_live(run_, 2), nullptr) << "the table marks it as in work";
  run_.running = false;
  EXPECT_EQ(with_rows_in_work(stored_, run_), stored_);
}

TEST_F(RowsInWork, a_row_without_a_sample_of_this_restart_shows_what_is_stored) {
  run_.live.rows[0].samples.clear();
  EXPECT_EQ(with_rows_in_work(stored_, run_)->rows[0].median_ms, 10);
  run_.live.rows[1].samples.clear();
  EXPECT_EQ(with_rows_in_work(stored_, run_), stored_);
}

TEST_F(RowsInWork, live_figures_have_no_verdict) {
  Verdicts verdicts;
  verdicts.baseline = "baseline.cpu";
  for (const std::int64_t n : {1, 2, 3}) {
    verdicts.by_measurement[n].verdict = Verdict::faster;
    verdicts.rates[n] = 1.5;
  }
  const auto judged = [&](const SweepResults& results) {
    std::vector<std::int64_t> rows;
    for (const LatencyLine& line : make_latency_model(results, nullptr, &verdicts).lines) {
      for (const auto& cell : line.cells) {
        if (cell && cell->beside && cell->of_reference) rows.push_back(cell->row.measurement);
      }
    }
    return rows;
  };
  EXPECT_THAT(judged(*stored_), testing::UnorderedElementsAre(1, 2, 3));
  EXPECT_THAT(judged(*with_rows_in_work(stored_, run_)), testing::ElementsAre(3));
}

TEST_F(RowsInWork, samples_of_a_row_that_is_measured_anew_do_not_join_those_of_the_stop) {
  auto selected = std::make_shared<SelectedMeasurement>();
  selected->row = stored_->rows[1];
  selected->measurement.samples.resize(9);
  const auto anew = with_samples_in_work(selected, 2, *stored_, run_);
  EXPECT_EQ(anew->measurement.samples.size(), 1U);
  EXPECT_EQ(anew->row.status, Status::ok);
  selected->row = stored_->rows[0];
  EXPECT_EQ(with_samples_in_work(selected, 1, *stored_, run_)->measurement.samples.size(), 10U) << "a further restart";
}

}  // namespace
}  // namespace triscope
