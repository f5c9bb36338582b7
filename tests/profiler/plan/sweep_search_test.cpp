// Sweeps by words: where they may stand, and dates as lists print them.
#include "profiler/plan/sweep_search.hpp"

#include <gtest/gtest.h>

#include "profiler/plan/request.hpp"

namespace triscope {
namespace {

constexpr std::int64_t kNow = 1795269600;  // 2026-11-21 14:00 UTC

SweepInfo some_sweep() {
  SweepInfo sweep;
  sweep.note = "after the rewrite #paper";
  sweep.environment.device_name = "NVIDIA H200";
  sweep.started = "2026-11-21T13:55:00Z";
  sweep.command = "triscope sweep --seq 32k";
  return sweep;
}

TEST(SweepSearch, every_word_must_stand_somewhere) {
  const auto finds = [](const char* words) { return sweep_matches(some_sweep(), "Table 1", words, kNow); };
  for (const char* words : {"", "  ", "table h200 #PAPER 2026-11 32k", "rewrite the"})
    EXPECT_TRUE(finds(words)) << words;
  for (const char* words : {"table h100", "#gate", "table1"}) EXPECT_FALSE(finds(words)) << words;
}

TEST(SweepSearch, a_sweep_is_found_by_its_number) {
  SweepInfo sweep = some_sweep();
  sweep.id = 47;
  const auto finds = [&](const char* words) { return sweep_matches(sweep, "Table 1", words, kNow); };
  for (const char* words : {"47", "sweep 47", "47 h200"}) EXPECT_TRUE(finds(words)) << words;
  for (const char* words : {"48", "sweep 48"}) EXPECT_FALSE(finds(words)) << words;
  for (const char* words : {"21", "13", "55", "11", "2026"})
    EXPECT_FALSE(finds(words)) << words << ": of its date only";
  for (const char* words : {"Nov 2026", "November, 2026 47", "21 Nov 2026", "2026-11", "13:55"})
    EXPECT_TRUE(finds(words)) << words;
  for (const char* words : {"Nov 2025", "22 Nov 2026", "21 Nov 2025"}) EXPECT_FALSE(finds(words)) << words;
  sweep.note = "22 runs";
  EXPECT_TRUE(finds("22"));
}

TEST(SweepSearch, a_date_is_found_as_it_is_printed) {
  const auto finds = [](const char* started, const char* words) {
    SweepInfo sweep = some_sweep();
    sweep.started = started;
    return sweep_matches(sweep, "Table 1", words, kNow);
  };
  // Around noon it is the same day from 11 hours west to 11 hours east.
  for (const char* words : {"19 Oct", "19 oct", "Oct", "19 Oct 2026", "2026-10-19", "table 19 Oct h200", "19 October"})
    EXPECT_TRUE(finds("2026-10-19T12:00:00Z", words)) << words;
  for (const char* words : {"9 Oct", "18 Oct", "19 Nov", "19 Oct 2025", "today"})
    EXPECT_FALSE(finds("2026-10-19T12:00:00Z", words)) << words;
  EXPECT_TRUE(finds("2026-10-09T12:00:00Z", "9 Oct"));
  EXPECT_TRUE(finds("2026-10-09T12:00:00Z", "09 Oct"));
  EXPECT_FALSE(finds("2026-10-02T12:19:00Z", "19 Oct")) << "19 is of the time of day";
  EXPECT_TRUE(finds("2026-11-21T12:00:00Z", "today"));
  EXPECT_FALSE(finds("2025-11-21T12:00:00Z", "today"));
  EXPECT_TRUE(finds("a date of another version", "another version"));
}

TEST(SweepSearch, a_sweep_is_found_by_a_pair_of_windows_that_its_title_does_not_name) {
  SweepInfo sweep = some_sweep();
  SweepRequest request;
  request.windows = {{128, 128}, {512, 32}};
  const auto finds = [&](const char* words) {
    sweep.request_json = to_json(request);
    return sweep_matches(sweep, "2 windows at 32k", words, kNow);
  };
  EXPECT_TRUE(finds("128x128"));
  EXPECT_FALSE(finds("256x64"));
  request.windows.clear();
  EXPECT_TRUE(finds("256x64")) << "of the paper's Table 1";
  request.forms = {Form::dot_product};
  request.seq_lens = {1024, 4096};
  EXPECT_FALSE(finds("256x64")) << "dot-product attention is planned with all tokens";
  EXPECT_TRUE(finds("4096x1"));
  request.forms = {Form::trilinear};
  request.kernels = {"baseline.fa3"};
  EXPECT_FALSE(finds("256x64")) << "dot-product attention has none";
  request = {};
  EXPECT_TRUE(finds("256x64"));
  request.mask = Mask::full;
  EXPECT_FALSE(finds("256x64")) << "a full mask has no windows";
  sweep.request_json = to_json(SweepRequest{}) + std::string(70'000, ' ');
  EXPECT_FALSE(sweep_matches(sweep, "", "256x64", kNow)) << "a stranger's request may be of any length";
  sweep.request_json = "{";
  EXPECT_FALSE(sweep_matches(sweep, "", "256x64", kNow));
}

TEST(SweepSearch, a_day_in_a_note_is_found_too) {
  SweepInfo sweep = some_sweep();
  sweep.note = "as on 3 May";
  EXPECT_TRUE(sweep_matches(sweep, "", "3 May", kNow));
  EXPECT_FALSE(sweep_matches(sweep, "", "3 Jun", kNow));
}

}  // namespace
}  // namespace triscope
