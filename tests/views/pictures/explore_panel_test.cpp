// What the line above the Explore panel's plots says of them.
#include <gmock/gmock.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/views/pictures/canvas.hpp"
#include "tests/views/sweep_fixture.hpp"
#include "views/model/charts/explore_chart.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The words of the panel with these rows over their lengths.
std::string explored_words(const std::vector<ResultRow>& rows) {
  const std::string name = "one.db";
  const ExploreSource source{name, rows};
  const ExploreQuery query{"seq", "ms", "kernel", "", "", false};
  WindowData data;
  data.database = "/data/one.db";
  data.sweeps.push_back(fixture::small_sweep()->info);
  data.shown = fixture::small_sweep();
  data.explore.chart =
      std::make_shared<const ExploreChart>(explore_chart(explore({&source, 1}, query), query, {&source, 1}));
  fixture::Canvas canvas;
  canvas.ui.explore.query = query;
  canvas.draw(Panel::explore, data);
  return canvas.text;
}

std::vector<ResultRow> of_four_lengths() {
  std::vector<ResultRow> rows;
  for (std::int64_t n = 0; n < 4; ++n) {
    ResultRow row = fixture::row(n + 1, 512, 32, Pass::forward, 10 + static_cast<double>(n), 0.2);
    row.problem.seq_len = 1024 << n;
    rows.push_back(std::move(row));
  }
  return rows;
}

TEST(ExplorePanel, how_many_intervals_the_marks_hide_is_said) {
  std::vector<ResultRow> rows = of_four_lengths();
  for (ResultRow& row : rows) row.ci_low_ms = *row.median_ms - 0.5, row.ci_high_ms = *row.median_ms + 0.5;
  EXPECT_THAT(explored_words(rows), Not(HasSubstr("no longer than the marks")));
  for (const std::size_t n : {1U, 3U}) rows[n].ci_low_ms = rows[n].ci_high_ms = rows[n].median_ms;
  EXPECT_THAT(explored_words(rows), HasSubstr("2 of 4 intervals are no longer than the marks"));
  for (ResultRow& row : rows) row.ci_low_ms = row.ci_high_ms = row.median_ms;
  EXPECT_THAT(explored_words(rows), HasSubstr("; intervals are no longer than the marks"));
}

TEST(ExplorePanel, how_many_points_stand_for_the_measurements_is_said) {
  std::vector<ResultRow> rows = of_four_lengths();
  EXPECT_THAT(explored_words(rows), Not(HasSubstr("point")));
  rows[2] = fixture::failed(rows[2], "it crashed");
  const std::string words = explored_words(rows);
  EXPECT_THAT(words, HasSubstr("4 measurements of sweep 1; 3 points"));
  EXPECT_THAT(words, HasSubstr("Not drawn of these 4 measurements: 1 failed or skipped."));
}

}  // namespace
}  // namespace triscope
