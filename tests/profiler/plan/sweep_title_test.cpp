#include "profiler/plan/sweep_title.hpp"

#include <gmock/gmock.h>

namespace triscope {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

SweepRequest usual() {
  SweepRequest request;
  request.seq_lens = {32768};
  request.q_heads = {64};
  request.kv_heads = {1};
  request.passes = {Pass::forward};
  return request;
}

TEST(SweepTitle, names_windows_lengths_kernels_and_passes) {
  SweepRequest request = usual();
  EXPECT_EQ(request_title(request), "Table 1 at 32k, forward");
  request.kernels = {"cuda.hopper", "baseline.fa3"};
  EXPECT_EQ(request_title(request), "Table 1 at 32k, Hopper beside FA3, forward");
  request.kernels = {"cuda.hopper", "cuda.portable", "baseline.fa3", "baseline.cudnn", "baseline.cublas"};
  EXPECT_EQ(request_title(request), "Table 1 at 32k, Hopper and Portable beside FA3 and 2 more, forward");
  request.kernels = {"cpu.fast", "baseline.cpu"};
  request.passes = {Pass::forward, Pass::backward};
  EXPECT_EQ(request_title(request), "Table 1 at 32k, CPU fast beside CPU dot-product, both passes");
  request.kernels = {"baseline.fa3"};
  EXPECT_EQ(request_title(request), "dot product at 32k, FA3, both passes");
}

TEST(SweepTitle, says_what_is_not_the_usual) {
  SweepRequest request = usual();
  request.windows = {{512, 32}};
  request.seq_lens = {1024, 131072};
  request.forms = {Form::determinant};
  request.q_heads = {16};
  request.kv_heads = {8};
  request.head_dims = {64};
  request.regimes = {Regime::burst};
  EXPECT_EQ(request_title(request), "512x32 at 1k to 128k, determinant, 16/8 heads, head size 64, burst, forward");
  request.windows = {{512, 32}, {256, 64}};
  request.q_heads = {64, 32};
  request.forms = {Form::trilinear, Form::determinant};
  EXPECT_EQ(request_title(request), "2 windows at 1k to 128k, both forms, 2 head counts, head size 64, burst, forward");
}

std::string brief(const SweepRequest& request) {
  SweepInfo sweep;
  sweep.request_json = to_json(request);
  return short_title(sweep);
}

TEST(SweepTitle, has_room_in_the_list_of_sweeps) {
  SweepRequest request = usual();
  request.kernels = {"cuda.hopper"};
  request.windows = {{512, 32}, {256, 32}, {128, 128}};
  request.seq_lens = {8192};
  request.forms = {Form::determinant};
  EXPECT_EQ(brief(request), "3 windows at 8k, determinant, Hopper fwd");
  request.head_dims = {64};
  EXPECT_EQ(brief(request), "3 windows at 8k, det., d64, Hopper fwd");
  request.forms = {Form::trilinear, Form::determinant};
  request.head_dims = {128};
  request.q_heads = {1, 2, 4, 8, 16};
  request.kv_heads = {1, 2, 4, 8, 16};
  EXPECT_EQ(brief(request), "3 windows at 8k, both forms…, Hopper fwd");
  EXPECT_EQ(request_title(request), "3 windows at 8k, both forms, 5 head counts, Hopper, forward");
}

TEST(SweepTitle, is_shorter_in_a_list) {
  SweepRequest request = usual();
  EXPECT_EQ(brief(request), "Table 1 at 32k, fwd");
  request.kernels = {"cuda.hopper", "cuda.portable", "baseline.fa3", "baseline.cudnn", "baseline.cublas"};
  EXPECT_EQ(brief(request), "Table 1 at 32k, Hopper + Portable fwd");
  request.kernels = {"baseline.fa3", "baseline.cudnn"};
  request.seq_lens = {1024, 131072};
  request.q_heads = {64};
  request.kv_heads = {8};
  request.passes = {Pass::forward, Pass::backward};
  EXPECT_EQ(brief(request), "dot product at 1k–128k…, FA3+cuDNN fwd+bwd");
  SweepInfo named;
  named.request_json = to_json(request);
  named.note = "after the rewrite #paper";
  EXPECT_EQ(short_title(named), "after the rewrite");
}

TEST(SweepTitle, is_the_note_without_its_tags_where_there_is_one) {
  SweepInfo sweep;
  sweep.request_json = to_json(usual());
  EXPECT_EQ(sweep_title(sweep), "Table 1 at 32k, forward");
  sweep.note = "#paper";
  EXPECT_EQ(sweep_title(sweep), "Table 1 at 32k, forward");
  sweep.note = "after the rewrite  #paper #h200";
  EXPECT_EQ(sweep_title(sweep), "after the rewrite");
  EXPECT_THAT(tags_of(sweep.note), ElementsAre("paper", "h200"));
  EXPECT_THAT(tags_of("no # tag"), IsEmpty());
  sweep.note.clear();
  sweep.request_json = "of another version";
  sweep.command = "triscope sweep --new";
  EXPECT_EQ(sweep_title(sweep), "triscope sweep --new");
  SweepRequest longest = usual();
  longest.seq_lens.assign(20'000, 32 << 10);
  sweep.request_json = to_json(longest);
  EXPECT_EQ(sweep_title(sweep), "triscope sweep --new") << "it would have to be read for each frame of a list";
  sweep.command = std::string(199, 'x') + "\u00e9" + std::string(1'000'000, 'x');
  EXPECT_EQ(sweep_title(sweep), std::string(199, 'x') + "...") << "cut, and not within a character";
}

TEST(SweepTitle, says_that_a_library_was_measured_too) {
  SweepRequest request = usual();
  request.plugin_sha256 = std::string(64, 'a');
  SweepInfo sweep;
  sweep.request_json = to_json(request);
  EXPECT_EQ(sweep_title(sweep), "Table 1 at 32k, forward, a library");
}

TEST(SweepTitle, a_device_goes_without_its_maker) {
  EXPECT_EQ(short_device("NVIDIA GeForce RTX 4090"), "RTX 4090");
  EXPECT_EQ(short_device("Other"), "Other");
}

}  // namespace
}  // namespace triscope
