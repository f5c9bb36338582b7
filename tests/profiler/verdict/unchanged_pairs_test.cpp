// Which rows say what two sides differ by, whatever changed between them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/verdict/pairing.hpp"

namespace triscope {
namespace {

ResultRow row_in(std::int64_t id, std::int64_t sweep, const char* kernel, const char* hash,
                 std::int64_t tokens = 1024) {
  ResultRow row;
  row.measurement = id;
  row.sweep = sweep;
  row.kernel = kernel;
  row.instance = "1";
  row.source_hash = hash;
  row.problem.seq_len = tokens;
  row.median_ms = 1;
  return row;
}

TEST(UnchangedPairs, are_those_of_the_compared_sweeps_whose_program_is_the_same) {
  const std::vector<ResultRow> a{row_in(1, 7, "cuda.hopper", "new"), row_in(2, 7, "baseline.fa3", "x"),
                                 row_in(3, 7, "cuda.portable", "same"), row_in(4, 8, "baseline.fa3", "x"),
                                 row_in(5, 7, "baseline.fa3", "x", 2048)},
      b{row_in(11, 3, "cuda.hopper", "old"), row_in(12, 3, "baseline.fa3", "y"), row_in(13, 3, "cuda.portable", "same"),
        row_in(14, 4, "baseline.fa3", "y", 2048)};
  const auto ids = [](const std::vector<RowPair>& pairs) {
    std::vector<std::pair<std::int64_t, std::int64_t>> all;
    for (const RowPair& pair : pairs) all.emplace_back(pair.a.measurement, pair.b.measurement);
    return all;
  };
  using testing::Pair;
  EXPECT_THAT(ids(unchanged_pairs(a, b, {{7, 3}})), testing::UnorderedElementsAre(Pair(2, 12), Pair(3, 13)))
      << "not the changed one, and nothing of another sweep or length";
  EXPECT_THAT(ids(unchanged_pairs(a, b, {{7, 4}})), testing::ElementsAre(Pair(5, 14)));
  EXPECT_THAT(ids(unchanged_pairs(a, b, {})), testing::IsEmpty());
}

TEST(UnchangedPairs, are_no_more_than_anybody_reads) {
  std::vector<ResultRow> a, b;
  for (std::int64_t n = 0; n < 100; ++n) {
    a.push_back(row_in(n, 1, "baseline.fa3", "x", 64 + n));
    b.push_back(row_in(1000 + n, 2, "baseline.fa3", "x", 64 + n));
  }
  EXPECT_EQ(unchanged_pairs(a, b, {{1, 2}}).size(), 64U);
}

}  // namespace
}  // namespace triscope
