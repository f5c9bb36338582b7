// What two versions of a kernel share.
#include "profiler/explore/versions.hpp"

#include <gmock/gmock.h>

#include <set>
#include <string>
#include <vector>

#include "profiler/explore/version_pairs.hpp"
#include "tests/profiler/record/kernel_cards.hpp"

namespace triscope {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

ResultRow version_row(std::int64_t id, const char* hash, const char* started, std::int64_t tokens = 1024) {
  ResultRow row;
  row.measurement = id;
  row.sweep = id;
  row.kernel = "cuda.hopper";
  row.card = card_of(row.kernel);
  row.device = "NVIDIA H200";
  row.source_hash = hash;
  row.started = started;
  row.problem.seq_len = tokens;
  row.median_ms = static_cast<double>(id);
  row.instance = "default";
  return row;
}

const VersionChoice kChoice{"cuda.hopper", Pass::forward, "63ca6c", "2c6a73"};

TEST(Versions, are_listed_the_oldest_first_of_kernels_that_have_two) {
  std::vector<ResultRow> rows{version_row(1, "2c6a73", "2026-11-25"), version_row(2, "63ca6c", "2026-11-24"),
                              version_row(3, "63ca6c", "2026-11-26")};
  ResultRow other = version_row(4, "ffffff", "2026-11-27");
  other.pass = Pass::backward;
  rows.push_back(other);
  const std::vector<KernelHistory> histories = kernel_histories(rows);
  ASSERT_THAT(histories, SizeIs(1)) << "the backward pass has one version";
  ASSERT_THAT(histories[0].versions, SizeIs(2));
  EXPECT_EQ(histories[0].versions[0].hash, "63ca6c");
  EXPECT_EQ(histories[0].versions[0].measurements, 2U);
  EXPECT_EQ(histories[0].versions[0].last, "2026-11-26");
  const std::vector<VersionChange> changes = version_changes(rows, histories);
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(changes[0].choice, kChoice);
  EXPECT_EQ(changes[0].shared, 1U);
  EXPECT_EQ(changes[0].before.last, "2026-11-26");
}

TEST(Versions, share_what_both_measured_of_each_the_newest) {
  const std::vector<ResultRow> rows{version_row(1, "63ca6c", "2026-11-24"), version_row(2, "63ca6c", "2026-11-25"),
                                    version_row(3, "2c6a73", "2026-11-26"),
                                    version_row(4, "2c6a73", "2026-11-26", 2048)};
  const std::vector<ChosenPair> pairs = chosen_pairs(rows, kChoice);
  ASSERT_THAT(pairs, SizeIs(1)) << "2,048 tokens were not measured before";
  EXPECT_EQ(pairs[0].before.measurement, 2);
  EXPECT_EQ(pairs[0].after.measurement, 3);
  EXPECT_EQ(pairs[0].of_before, 2U);
  EXPECT_EQ(pairs[0].of_after, 1U);
}

TEST(Versions, never_pair_another_device_regime_pass_or_clock) {
  const ResultRow before = version_row(1, "63ca6c", "2026-11-24");
  for (int what = 0; what < 5; ++what) {
    ResultRow after = version_row(2, "2c6a73", "2026-11-25");
    if (what == 0) after.device = "NVIDIA H100";
    if (what == 1) after.regime = Regime::burst;
    if (what == 2) after.pass = Pass::backward;
    if (what == 3) after.timing_source = TimingSource::cuda_events;
    if (what == 4) after.status = Status::failed;
    EXPECT_THAT(chosen_pairs(std::vector{before, after}, kChoice), IsEmpty()) << what;
  }
  ResultRow unknown = before, too = version_row(2, "2c6a73", "2026-11-25");
  unknown.device = too.device = "?";
  EXPECT_THAT(chosen_pairs(std::vector{unknown, too}, kChoice), IsEmpty());
}

TEST(Versions, an_instance_of_another_name_is_the_same_question_where_each_has_one) {
  const ResultRow before = version_row(1, "63ca6c", "2026-11-24");
  ResultRow after = version_row(2, "2c6a73", "2026-11-25");
  after.instance = "wider";
  EXPECT_THAT(chosen_pairs(std::vector{before, after}, kChoice), SizeIs(1));
  ResultRow second = version_row(3, "2c6a73", "2026-11-25");
  const std::vector<ChosenPair> pairs = chosen_pairs(std::vector{before, after, second}, kChoice);
  ASSERT_THAT(pairs, SizeIs(1)) << "of two that of the same name";
  EXPECT_EQ(pairs[0].after.measurement, 3);
  ResultRow other = version_row(4, "63ca6c", "2026-11-24");
  other.instance = "narrow";
  EXPECT_THAT(chosen_pairs(std::vector{before, other, after}, kChoice), IsEmpty()) << "which of two became the wider";
}

/// Which measurements stand beside each other: before, after.
std::vector<std::int64_t> chosen_of(const std::vector<ResultRow>& rows, const AboutRows& about = {}) {
  const std::vector<ChosenPair> pairs = chosen_pairs(rows, kChoice, about);
  if (pairs.size() != 1) return {};
  return {pairs[0].before.measurement, pairs[0].after.measurement};
}

TEST(Versions, of_several_measurements_the_newest_are_chosen_where_nothing_speaks_for_others) {
  const std::vector<ResultRow> rows{version_row(3, "63ca6c", "2026-11-24"), version_row(2, "63ca6c", "2026-11-25"),
                                    version_row(5, "2c6a73", "2026-11-26"), version_row(4, "2c6a73", "2026-11-27")};
  EXPECT_THAT(chosen_of(rows), testing::ElementsAre(2, 4));
  const ChosenPair pair = chosen_pairs(rows, kChoice).front();
  EXPECT_EQ(chosen_words(pair),
            "Chosen from 2 of the newer version and 2 of the older; all pairs of them: 1.333 to 2.500.")
      << "the medians are 3, 2 and 5, 4 ms";
  EXPECT_EQ(chosen_words(chosen_pairs(std::vector{rows[0], rows[2]}, kChoice).front()), "") << "there was no choice";
}

TEST(Versions, what_converged_in_one_mode_is_chosen_before_what_is_newer) {
  std::vector<ResultRow> rows{version_row(1, "63ca6c", "2026-11-24"), version_row(2, "63ca6c", "2026-11-25"),
                              version_row(3, "2c6a73", "2026-11-26"), version_row(4, "2c6a73", "2026-11-27")};
  rows[1].reason = "two modes: 20.33 ms and 23.84 ms (50 % of the blocks)";
  rows[3].reason = "not converged: +-1.5 % over 3 restarts, 1.0 % was asked for";
  EXPECT_THAT(chosen_of(rows), testing::ElementsAre(1, 3));
  rows[2].reason = rows[3].reason;
  rows[2].restarts = 3, rows[3].restarts = 1, rows[0].restarts = rows[1].restarts = 3;
  EXPECT_THAT(chosen_of(rows), testing::ElementsAre(1, 3)) << "more restarts";
}

TEST(Versions, one_sweep_and_then_one_card_come_before_all_else) {
  std::vector<ResultRow> rows{version_row(1, "63ca6c", "2026-11-24"), version_row(2, "63ca6c", "2026-11-25"),
                              version_row(3, "2c6a73", "2026-11-26"), version_row(4, "2c6a73", "2026-11-27")};
  rows[0].reason = "not converged: +-1.5 % over 3 restarts, 1.0 % was asked for";
  const AboutRows cards{
      [](const ResultRow& row) { return row.measurement == 2 || row.measurement == 4 ? "GPU-2" : "GPU-1"; }};
  EXPECT_THAT(chosen_of(rows, cards), testing::ElementsAre(2, 4)) << "one card, without a doubt";
  const AboutRows apart{[](const ResultRow& row) { return row.measurement == 2 ? "GPU-2" : "GPU-1"; }};
  EXPECT_THAT(chosen_of(rows, apart), testing::ElementsAre(1, 4)) << "one card, though it did not converge";
  const AboutRows unknown{[](const ResultRow&) { return ""; }};
  EXPECT_THAT(chosen_of(rows, unknown), testing::ElementsAre(2, 4)) << "nobody knows the card";
  rows[0].sweep = rows[2].sweep = 7;
  EXPECT_THAT(chosen_of(rows, cards), testing::ElementsAre(1, 3)) << "one sweep";
}

TEST(Versions, what_took_turns_with_the_same_kernels_is_chosen_after_one_card) {
  std::vector<ResultRow> rows{version_row(1, "63ca6c", "2026-11-24"), version_row(2, "63ca6c", "2026-11-25"),
                              version_row(3, "2c6a73", "2026-11-26")};
  rows[0].reason = "not converged: +-1.5 % over 3 restarts, 1.0 % was asked for";
  AboutRows about{[](const ResultRow&) { return "GPU-1"; },
                  [](const ResultRow& row) {
                    return row.measurement == 2 ? std::set<std::string>{"other"}
                                                : std::set<std::string>{"baseline.fa3"};
                  }};
  EXPECT_THAT(chosen_of(rows, about), testing::ElementsAre(1, 3)) << "though it did not converge";
  about.gpu_of = [](const ResultRow& row) { return row.measurement == 1 ? "GPU-2" : "GPU-1"; };
  EXPECT_THAT(chosen_of(rows, about), testing::ElementsAre(2, 3)) << "one card";
}

TEST(Versions, those_that_share_most_come_first_then_the_newer) {
  std::vector<ResultRow> rows;
  for (const std::int64_t tokens : {1024, 2048}) {
    rows.push_back(version_row(tokens, "aaaaaa", "2026-11-20", tokens));
    rows.push_back(version_row(tokens + 1, "bbbbbb", "2026-11-21", tokens));
  }
  rows.push_back(version_row(7, "cccccc", "2026-11-22", 2048));
  const std::vector<VersionChange> changes = version_changes(rows, kernel_histories(rows));
  ASSERT_THAT(changes, SizeIs(3));
  EXPECT_EQ(changes[0].choice.before + changes[0].choice.after, "aaaaaabbbbbb") << "though another is newer";
  EXPECT_EQ(changes[0].shared, 2U);
  EXPECT_EQ(changes[1].choice.before + changes[1].choice.after, "bbbbbbcccccc");
  EXPECT_EQ(changes[2].choice.before + changes[2].choice.after, "aaaaaacccccc");
}

TEST(Versions, those_that_share_nothing_are_no_change) {
  const std::vector<ResultRow> rows{version_row(1, "aaaaaa", "2026-11-20"), version_row(2, "bbbbbb", "2026-11-21"),
                                    version_row(3, "cccccc", "2026-11-22", 4096)};  // shares nothing with those before
  const std::vector<VersionChange> changes = version_changes(rows, kernel_histories(rows));
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(changes[0].choice.before, "aaaaaa");
  EXPECT_EQ(changes[0].choice.after, "bbbbbb");
  EXPECT_THAT(version_changes({}, {}), IsEmpty());
}

}  // namespace
}  // namespace triscope
