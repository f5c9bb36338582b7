#include "views/model/tables/no_partner.hpp"

#include <gtest/gtest.h>

#include "tests/views/sweep_fixture.hpp"

namespace triscope {
namespace {

using fixture::baseline;
using fixture::row;
using fixture::sweep;

TEST(NoPartner, a_row_says_why_it_stands_beside_nothing) {
  Verdicts verdicts{"baseline.cpu", "CPU dot-product", "CPU dot"};
  verdicts.by_measurement[1].verdict = Verdict::slower;
  ResultRow backward = baseline(4, Pass::backward, 11, 0.3);
  backward.status = Status::cancelled;
  ResultRow longer = row(5, 512, 32, Pass::forward, 24.4, 0.2);
  longer.problem.seq_len = 4096;
  ResultRow failed = fixture::failed(row(6, 256, 64, Pass::forward, 24.4, 0.2), "out of memory");
  const auto of = [&](std::vector<ResultRow> rows) {
    return make_latency_model(*sweep(std::move(rows)), nullptr, &verdicts);
  };
  const std::vector<ResultRow> rows{row(1, 512, 32, Pass::forward, 24.4, 0.2),
                                    row(2, 512, 32, Pass::backward, 82.4, 0.1),
                                    baseline(3, Pass::forward, 4, 0.4),
                                    backward,
                                    longer,
                                    failed};
  const LatencyModel model = of(rows);
  const auto why = [](const LatencyModel& table, std::int64_t measurement) -> std::string {
    for (const LatencyLine& line : table.lines) {
      for (std::size_t g = 0; g < line.cells.size(); ++g) {
        if (line.cells[g] && line.cells[g]->row.measurement == measurement) return why_no_partner(table, line, g);
      }
    }
    return "there is no such row";
  };
  EXPECT_EQ(why(model, 1), "") << "it stands beside it";
  EXPECT_EQ(why(model, 2), "The backward of CPU dot in this sweep has no time: cancelled.");
  EXPECT_EQ(why(model, 3), "") << "the reference itself";
  EXPECT_EQ(why(model, 5), "No forward of CPU dot with these sizes was measured in this sweep.");
  EXPECT_EQ(why(model, 6), "") << "it has no time itself";
  EXPECT_EQ(why(of({rows[0], rows[1], rows[2]}), 2), "No backward of CPU dot was measured in this sweep.");
}

}  // namespace
}  // namespace triscope
