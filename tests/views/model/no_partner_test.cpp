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

TEST(OfferedReferences, are_those_that_have_a_time_and_say_which_pass_they_lack) {
  ResultRow failed = fixture::failed(row(4, 512, 32, Pass::backward, 82.4, 0.1), "out of memory");
  failed.kernel = "cpu.other";
  ResultRow backward = row(5, 512, 32, Pass::backward, 82.4, 0.1);
  backward.kernel = "cpu.two_stage";
  backward.card.label = "CPU two stages";
  const LatencyModel model =
      make_latency_model(*sweep({row(1, 512, 32, Pass::forward, 24.4, 0.2), row(2, 512, 32, Pass::backward, 82.4, 0.1),
                                 baseline(3, Pass::forward, 4, 0.4), failed, backward}),
                         nullptr);
  std::vector<std::string> labels;
  for (const OfferedReference& one : offered_references(model)) labels.push_back(one.kernel + ": " + one.label);
  ASSERT_EQ(labels.size(), 3U);
  EXPECT_TRUE(labels[0].starts_with("baseline.cpu: ")) << labels[0];
  EXPECT_TRUE(labels[0].ends_with(", forward only")) << labels[0];
  EXPECT_TRUE(labels[1].starts_with("cpu.fast: ")) << labels[1];
  EXPECT_FALSE(labels[1].ends_with(" only")) << labels[1];
  EXPECT_EQ(labels[2], "cpu.two_stage: CPU two stages, backward only");
}

TEST(OfferedReferences, are_no_kernels_whose_id_means_something_else) {
  std::vector<ResultRow> rows{row(1, 512, 32, Pass::forward, 24.4, 0.2)};
  for (const char* id : {"paper", "auto", "none", "row:3", "row:", "sweep:5", "database:a.db", ""}) {
    rows.push_back(row(static_cast<std::int64_t>(rows.size()) + 1, 512, 32, Pass::forward, 24.4, 0.2));
    rows.back().kernel = id;
  }
  const std::vector<OfferedReference> offered = offered_references(make_latency_model(*sweep(rows), nullptr));
  ASSERT_EQ(offered.size(), 1U);
  EXPECT_EQ(offered[0].kernel, "cpu.fast");
}

}  // namespace
}  // namespace triscope
