// The list of sweeps: groups, filter, and how seldom it is made.
#include "views/model/history_model.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace triscope {
namespace {

constexpr std::int64_t kNow = 1795269600;  // 2026-11-21 14:00 UTC

SweepInfo sweep_on(std::int64_t id, const std::string& day, const std::string& note) {
  SweepInfo info;
  info.id = id;
  info.uuid = fmt::format("{:032x}", id);
  info.started = fmt::format("2026-11-{}T12:00:00Z", day);
  info.note = note;
  info.environment.device_name = "NVIDIA H200";
  info.command = "triscope sweep";
  return info;
}

std::vector<std::int64_t> sweeps_of(const std::vector<HistoryLine>& lines, const std::vector<SweepInfo>& sweeps) {
  std::vector<std::int64_t> ids;
  for (const HistoryLine& line : lines) {
    if (line.sweep != HistoryLine::kHeading) ids.push_back(sweeps[line.sweep].id);
  }
  return ids;
}

TEST(History, sweeps_stand_in_groups_and_a_filter_finds_each_of_its_words) {
  const std::vector<SweepInfo> sweeps{sweep_on(3, "14", "second try #paper"), sweep_on(2, "14", "first try"),
                                      sweep_on(1, "11", "before #paper")};
  HistoryModel history;
  ModelMaker maker;
  const std::vector<HistoryLine>& lines = history.lines(sweeps, "", kNow, maker);
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[0].sweep, HistoryLine::kHeading);
  EXPECT_EQ(lines[0].group, "H200, 14 Nov");
  EXPECT_EQ(lines[3].group, "H200, 11 Nov");
  EXPECT_THAT(sweeps_of(lines, sweeps), testing::ElementsAre(3, 2, 1));
  const auto found = [&](const char* filter) { return sweeps_of(history.lines(sweeps, filter, kNow, maker), sweeps); };
  EXPECT_THAT(found("TRY"), testing::ElementsAre(3, 2));
  EXPECT_THAT(found("#paper try"), testing::ElementsAre(3));
  EXPECT_THAT(found("h200 11-11"), testing::ElementsAre(1));
  EXPECT_THAT(found("14 Nov"), testing::ElementsAre(3, 2)) << "as the heading says";
  EXPECT_THAT(found("H200, 14 Nov second"), testing::ElementsAre(3)) << "the whole heading and a word of the note";
  EXPECT_THAT(found("H200 11 Nov"), testing::ElementsAre(1));
  EXPECT_THAT(found("nothing"), testing::IsEmpty());
  EXPECT_EQ(history.matching(), 0U);
  EXPECT_THAT(found("  "), testing::ElementsAre(3, 2, 1)) << "no word";
}

TEST(History, a_sweep_is_found_by_its_number_also_after_it_has_another) {
  std::vector<SweepInfo> sweeps{sweep_on(78, "14", "one"), sweep_on(77, "14", "other")};
  HistoryModel history;
  ModelMaker maker;
  const auto found = [&](const char* filter) { return sweeps_of(history.lines(sweeps, filter, kNow, maker), sweeps); };
  EXPECT_THAT(found("sweep 77"), testing::ElementsAre(77));
  sweeps[1].id = 79;
  EXPECT_THAT(found("sweep 77"), testing::IsEmpty());
  EXPECT_THAT(found("sweep 79"), testing::ElementsAre(79));
}

TEST(History, the_list_is_made_once_until_something_in_it_changes) {
  std::vector<SweepInfo> sweeps{sweep_on(2, "14", "one"), sweep_on(1, "11", "two")};
  HistoryModel history;
  ModelMaker maker;
  const auto draw = [&](const char* filter) { (void)history.lines(sweeps, filter, kNow, maker); };
  for (int frame = 0; frame < 10; ++frame) draw("");
  EXPECT_EQ(history.made(), 1U);
  for (int frame = 0; frame < 10; ++frame) draw("one");
  EXPECT_EQ(history.made(), 2U);
  sweeps[1].note = "one as well";
  for (int frame = 0; frame < 10; ++frame) draw("one");
  EXPECT_EQ(history.made(), 3U);
  EXPECT_EQ(history.matching(), 2U);
  sweeps.erase(sweeps.begin());
  draw("one");
  EXPECT_EQ(history.matching(), 1U);
}

TEST(History, requests_of_many_sweeps_are_not_read_by_the_frame_that_filters) {
  std::vector<SweepInfo> sweeps;
  for (std::int64_t id = 200; id > 0; --id) sweeps.push_back(sweep_on(id, "14", fmt::format("number {}", id)));
  std::vector<std::function<ModelMaker::Take()>> waiting;
  HistoryModel history;
  ModelMaker maker;
  maker.beside = [&](const std::string&, std::function<ModelMaker::Take()> make) {
    waiting.push_back(std::move(make));
  };
  const auto lines = [&](const char* filter) { return history.lines(sweeps, filter, kNow, maker).size(); };
  EXPECT_EQ(lines(""), 201U);
  EXPECT_TRUE(waiting.empty()) << "the list alone needs no titles";
  EXPECT_EQ(lines("number 77"), 201U) << "what stood stays";
  EXPECT_EQ(lines("number 77"), 201U);
  EXPECT_FALSE(history.has_twins(sweeps, maker));
  ASSERT_EQ(waiting.size(), 1U) << "asked once";
  if (const ModelMaker::Take take = waiting.front()()) take();
  EXPECT_EQ(lines("number 77"), 3U) << "77 and 177, under a heading";
  EXPECT_EQ(lines("number 7"), 39U) << "38 of 200 have a 7";
  sweeps.resize(3);
  EXPECT_LE(lines("number 7"), 4U) << "no line of a sweep that is gone";
}

TEST(History, a_name_follows_the_note) {
  SweepInfo sweep = sweep_on(1, "14", "first");
  HistoryModel history;
  EXPECT_EQ(history.name(sweep).title, "first");
  sweep.note = "second";
  EXPECT_EQ(history.name(sweep).title, "second");
}

}  // namespace
}  // namespace triscope
