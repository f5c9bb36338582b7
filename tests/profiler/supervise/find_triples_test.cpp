// A search over all heads and queries tells how far it is, and ends when it is stopped.
#include "profiler/supervise/find_triples.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

#include "kernels/base/error.hpp"

namespace triscope {
namespace {

using testing::SizeIs;

struct Searched {
  Supervisor worker{WorkerOptions{}};
  AttentionSource source;
  SliceQuery query;
  SourceReply shape;

  Searched() {
    source.kind = SourceKind::random;
    source.seq_len = 600;
    source.q_heads = 2;
    source.head_dim = 16;
    query.problem.window1 = 300;
    query.problem.window2 = 200;
    shape = worker.source({source});
  }
};

TEST(FindTriples, tells_how_far_it_is_and_what_it_has_found) {
  Searched searched;
  std::vector<SearchProgress> told;
  const auto tell = [&](const SearchProgress& progress) { told.push_back(progress); };
  const std::vector<FoundTriple> found = find_triples(searched.worker, searched.source, searched.query, searched.shape,
                                                      {5, std::nullopt, {{3, 1}}}, {}, tell);
  ASSERT_THAT(found, SizeIs(5));
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.front().done, 0);
  for (std::size_t n = 0; n < told.size(); ++n) {
    EXPECT_EQ(told[n].total, 2 * (600 - 299)) << "each query whose windows are whole";
    EXPECT_LE(told[n].done, told[n].total);
    if (n == 0) continue;
    EXPECT_GT(told[n].done, told[n - 1].done);
    EXPECT_LE(told[n].found.size(), 5U);
    EXPECT_LE(told[n].found.front().triple.p, found.front().triple.p);
  }
}

TEST(FindTriples, every_kind_of_search_leaves_out_the_same_queries_unless_all_are_asked_for) {
  Searched searched;
  searched.source.seq_len = 40;
  searched.query.problem.window1 = 40;
  searched.query.problem.window2 = 4;
  searched.shape = searched.worker.source({searched.source});
  const auto first = [&](TripleSearch search) {
    std::int64_t least = 40;
    for (const FoundTriple& one :
         find_triples(searched.worker, searched.source, searched.query, searched.shape, search))
      least = std::min(least, one.query);
    return least;
  };
  for (const bool all : {false, true}) {
    EXPECT_EQ(first({5'000, {}, {}, all}), all ? 0 : 20);
    EXPECT_EQ(first({5'000, 7, {}, all}), all ? 7 : 20);
    EXPECT_EQ(first({5'000, {}, {{3, 1}}, all}), all ? 3 : 20);
  }
}

TEST(FindTriples, least_distances_leave_the_strongest_of_every_pair_that_keeps_them) {
  Searched searched;
  searched.source.seq_len = 40;
  searched.query.problem.window1 = 12;
  searched.query.problem.window2 = 7;
  searched.shape = searched.worker.source({searched.source});
  constexpr std::size_t kMost = 9;
  for (const auto& [apart, away] : {std::pair{4, 0}, {0, 3}, {3, 2}, {11, 0}}) {
    std::vector<double> expected;  // of every pair of every query that counts
    for (std::int64_t head = 0; head < 2; ++head) {
      for (std::int64_t query = 11; query < 40; ++query) {
        SliceQuery one = searched.query;
        one.head = head, one.query = query;
        const Slice slice = searched.worker.slice({searched.source, one, 1});
        for (std::int64_t n = 0; n < slice.count1 * slice.count2; ++n) {
          const std::int64_t j = slice.first1 + n % slice.count1, k = slice.first2 + n / slice.count1;
          if (std::abs(j - k) >= apart && query - std::max(j, k) >= away)
            expected.push_back(std::exp(static_cast<double>(slice.log_p[static_cast<std::size_t>(n)])));
        }
      }
    }
    std::ranges::sort(expected, std::greater{});
    const std::vector<FoundTriple> found =
        find_triples(searched.worker, searched.source, searched.query, searched.shape,
                     {static_cast<std::int64_t>(kMost), {}, {}, false, apart, away});
    ASSERT_EQ(found.size(), kMost);
    for (std::size_t n = 0; n < kMost; ++n) {
      EXPECT_NEAR(found[n].triple.p, expected[n], 1e-6 * expected[n]) << apart << " apart, " << away << " away";
      EXPECT_GE(std::abs(found[n].triple.j - found[n].triple.k), apart);
      EXPECT_GE(found[n].query - std::max(found[n].triple.j, found[n].triple.k), away);
    }
  }
  for (const auto& [apart, away] : {std::pair{12, 0}, {0, 7}, {10, 2}})
    EXPECT_THROW(
        find_triples(searched.worker, searched.source, searched.query, searched.shape, {5, {}, {}, false, apart, away}),
        Error);
}

TEST(FindTriples, a_stop_ends_it_and_the_worker_answers_another_question) {
  Searched searched;
  std::stop_source stop;
  const auto tell = [&](const SearchProgress&) { stop.request_stop(); };
  EXPECT_THROW(find_triples(searched.worker, searched.source, searched.query, searched.shape,
                            {5, std::nullopt, {{3, 1}}}, stop.get_token(), tell),
               Error);
  EXPECT_THAT(find_triples(searched.worker, searched.source, searched.query, searched.shape, {5, {}, {}}), SizeIs(5));
}

}  // namespace
}  // namespace triscope
