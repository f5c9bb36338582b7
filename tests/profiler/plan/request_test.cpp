// Requests as text: windows, JSON, command lines.
#include "profiler/plan/request.hpp"

#include <gmock/gmock.h>

#include "kernels/attention/paper.hpp"
#include "kernels/base/error.hpp"
#include "profiler/plan/windows.hpp"

namespace triscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

std::string refusal(const std::string& windows) {
  try {
    parse_windows(windows);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ExitCode::usage);
    return e.what();
  }
  return "accepted";
}

TEST(Windows, lists_names_and_grids) {
  EXPECT_THAT(parse_windows("512x32,256x64"), ElementsAre(Windows{512, 32}, Windows{256, 64}));
  EXPECT_THAT(parse_windows("1kx32,2Kx1m"), ElementsAre(Windows{1024, 32}, Windows{2048, 1048576}));
  EXPECT_THAT(parse_windows("table1"), SizeIs(7));
  EXPECT_THAT(parse_windows("grid:16..1024"), SizeIs(49));
  EXPECT_THAT(parse_windows("grid:2..4,7x9"),
              ElementsAre(Windows{2, 2}, Windows{2, 4}, Windows{4, 2}, Windows{4, 4}, Windows{7, 9}));
  EXPECT_THAT(parse_windows("grid:3..20"), SizeIs(9));
}

TEST(Windows, table_1_is_the_papers) {
  double milliseconds = 0;
  for (const PaperRow& row : paper_table1()) milliseconds += row.latency_ms;
  EXPECT_NEAR(milliseconds, 104.1 + 110.7 + 59.2 + 55.8 + 55.1 + 55.1 + 28.3, 1e-9);
  EXPECT_EQ(paper_table1()[4].windows, (Windows{512, 32}));
}

TEST(Windows, wrong_tokens_are_named) {
  EXPECT_THAT(refusal("512x32,abc"), HasSubstr("\"abc\""));
  EXPECT_THAT(refusal("0x32"), HasSubstr("a window is 0, but must be at least 1"));
  EXPECT_THAT(refusal("512x-1"), HasSubstr("a window is -1"));
  EXPECT_THAT(refusal("99999999999999999999x1"), HasSubstr("too large a number"));
  EXPECT_THAT(refusal("512"), HasSubstr("\"512\""));
  EXPECT_THAT(refusal("x32"), HasSubstr("a number is missing"));
  EXPECT_THAT(refusal("512x"), HasSubstr("a number is missing"));
  EXPECT_THAT(refusal(""), HasSubstr("cannot be read"));
  EXPECT_THAT(refusal("512x32,"), HasSubstr("cannot be read"));
  EXPECT_THAT(refusal("512x32x8"), HasSubstr("\"32x8\" is not a number"));
  EXPECT_THAT(refusal("grid:64..16"), HasSubstr("64 is more than 16"));
  EXPECT_THAT(refusal("grid:64"), HasSubstr(".. between"));
}

SweepRequest unusual() {
  SweepRequest r;
  r.windows = {{512, 32}, {7, 9}};
  r.seq_lens = {1024, 2048};
  r.batches = {2};
  r.q_heads = {8, 16};
  r.kv_heads = {1, 2};
  r.head_dims = {64, 128};
  r.forms = {Form::determinant, Form::trilinear};
  r.passes = {Pass::backward};
  r.kernels = {"cpu.fast", "baseline.cpu"};
  r.instance = "all";
  r.device = "cpu";
  r.regimes = {Regime::burst};
  r.timing_source = TimingSource::cuda_events;
  r.counters = CounterSet::quick;
  r.mask = Mask::full;
  r.element = Element::bf16;
  r.deterministic = true;
  r.scale = 0.1;
  r.k2_bias = 1.0 / 3.0;
  r.v2_bias = -2;
  r.sink = 0.0;
  r.stopping = {0.01, 3'500'000'000, 4, 99};
  r.seed = 18446744073709551615ull;
  r.tensors = "it's here/a b.safetensors";
  r.worker_prefix = {"ssh", "-o", "X=a b", "host"};
  r.time_limit = std::chrono::milliseconds(1500);
  return r;
}

TEST(SweepRequest, json_round_trips) {
  for (const SweepRequest& r : {SweepRequest{}, unusual()}) {
    const SweepRequest back = sweep_request_from_json(to_json(r));
    EXPECT_EQ(to_json(back), to_json(r));
    EXPECT_EQ(back.windows, r.windows);
    EXPECT_EQ(back.kv_heads, r.kv_heads);
    EXPECT_EQ(back.forms, r.forms);
    EXPECT_EQ(back.element, r.element);
    EXPECT_EQ(back.timing_source, r.timing_source);
    EXPECT_EQ(back.counters, r.counters);
    EXPECT_EQ(back.scale, r.scale);
    EXPECT_EQ(back.k2_bias, r.k2_bias);
    EXPECT_EQ(back.sink, r.sink);
    EXPECT_EQ(back.seed, r.seed);
    EXPECT_EQ(back.stopping.budget_ns, r.stopping.budget_ns);
    EXPECT_EQ(back.tensors, r.tensors);
    EXPECT_EQ(back.worker_prefix, r.worker_prefix);
    EXPECT_EQ(back.time_limit, r.time_limit);
  }
}

TEST(SweepRequest, members_unknown_to_an_older_version_keep_their_defaults) {
  EXPECT_EQ(to_json(sweep_request_from_json("{}")), to_json(SweepRequest{}));
  EXPECT_THROW(sweep_request_from_json("{\"seed\":\"x\"}"), Error);
  EXPECT_THROW(sweep_request_from_json("nonsense"), Error);
}

TEST(SweepRequest, command_line_shows_what_differs_from_the_defaults) {
  EXPECT_EQ(to_command_line({}), "triscope sweep --windows table1");
  EXPECT_EQ(
      to_command_line(unusual()),
      "triscope sweep --windows 512x32,7x9 --seq 1024,2048 --batch 2 --q-heads 8,16 --kv-heads 1,2 --head-dim 64,128"
      " --form determinant,trilinear --mask full --element bf16 --scale 0.1 --k2-bias 0.3333333333333333 --v2-bias -2"
      " --sink 0 --deterministic --pass backward --kernel cpu.fast,baseline.cpu --instance all --device cpu"
      " --regime burst --timing-source cuda_events --counters quick --precision 1% --budget 3.5s --seed "
      "18446744073709551615 --tensors"
      " 'it'\\''s here/a b.safetensors' --time-limit 1.5s --worker-prefix 'ssh -o '\\''X=a b'\\'' host'");
}

}  // namespace
}  // namespace triscope
