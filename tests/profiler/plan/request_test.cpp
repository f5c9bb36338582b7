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
using testing::Not;
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

TEST(Windows, a_list_takes_blanks_beside_its_commas) {
  EXPECT_THAT(parse_windows("512x32, 256x64"), ElementsAre(Windows{512, 32}, Windows{256, 64}));
  EXPECT_THAT(parse_windows(" 16x4 ,\t8x4 "), ElementsAre(Windows{16, 4}, Windows{8, 4}));
  EXPECT_THAT(parse_windows("grid:2..4, 7x9"), SizeIs(5));
}

TEST(Windows, table_1_is_the_papers) {
  double milliseconds = 0;
  for (const PaperRow& row : paper_table1()) milliseconds += row.latency_ms;
  EXPECT_NEAR(milliseconds, 104.1 + 110.7 + 59.2 + 55.8 + 55.1 + 55.1 + 28.3, 1e-9);
  EXPECT_EQ(paper_table1()[4].windows, (Windows{512, 32}));
}

TEST(Windows, wrong_tokens_are_named) {
  EXPECT_THAT(refusal("512x32,abc"), HasSubstr("\"abc\""));
  EXPECT_THAT(refusal("tabel1"), HasSubstr("did you mean table1?"));
  EXPECT_THAT(refusal("512"), Not(HasSubstr("did you mean")));
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
  r.longer = {{{}, 3}};
  r.longer.front().key.kernel = "cpu.fast";
  r.longer.front().key.problem.window1 = 7;
  r.seed = 18446744073709551615ull;
  r.plugin = "/lib/evil.so";
  r.plugin_sha256 = "0123";
  r.tensors = "it's here/a b.safetensors";
  r.worker_prefix = {"ssh", "-o", "X=a b", "host"};
  r.time_limit = std::chrono::milliseconds(1500);
  return r;
}

TEST(SweepRequest, json_round_trips) {
  for (const SweepRequest& r : {SweepRequest{}, unusual()}) {
    const SweepRequest back = sweep_request_from_json(to_json(r));
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
    EXPECT_EQ(back.passes, r.passes);
    EXPECT_EQ(back.regimes, r.regimes);
    EXPECT_EQ(back.kernels, r.kernels);
    EXPECT_EQ(back.instance, r.instance);
    EXPECT_EQ(back.device, r.device);
    EXPECT_EQ(back.mask, r.mask);
    EXPECT_EQ(back.deterministic, r.deterministic);
    EXPECT_EQ(back.seq_lens, r.seq_lens);
    EXPECT_EQ(back.q_heads, r.q_heads);
    EXPECT_EQ(back.batches, r.batches);
    EXPECT_EQ(back.head_dims, r.head_dims);
    EXPECT_EQ(back.v2_bias, r.v2_bias);
    EXPECT_EQ(back.stopping.max_blocks, r.stopping.max_blocks);
    ASSERT_EQ(back.longer.size(), r.longer.size());
    for (std::size_t n = 0; n < r.longer.size(); ++n) {
      EXPECT_EQ(back.longer[n].key, r.longer[n].key);
      EXPECT_EQ(back.longer[n].restarts, r.longer[n].restarts);
    }
  }
}

TEST(SweepRequest, a_stored_request_names_no_program_and_no_file) {
  const SweepRequest back = sweep_request_from_json(to_json(unusual()));
  EXPECT_THAT(back.worker_prefix, testing::IsEmpty());
  EXPECT_EQ(back.tensors, "");
  EXPECT_EQ(back.plugin, "");
  EXPECT_EQ(to_json(unusual()).find("evil"), std::string::npos);
  EXPECT_EQ(back.time_limit, SweepRequest().time_limit);
}

TEST(SweepRequest, what_a_stored_request_named_must_be_given_again) {
  const auto refusal = [](const SweepRequest& stored, const SweepRequest& given) -> std::string {
    try {
      require_given_again(7, to_json(stored), given);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      return error.what();
    }
    return "";
  };
  SweepRequest remote, tensors, given;
  remote.worker_prefix = {"sh", "-c", "evil"};
  tensors.tensors = "/dev/zero";
  EXPECT_THAT(refusal(remote, {}), testing::HasSubstr("triscope sweep --resume 7 --worker-prefix COMMAND"));
  EXPECT_THAT(refusal(remote, {}), testing::Not(testing::HasSubstr("evil"))) << "not to be copied without thought";
  EXPECT_THAT(refusal(tensors, {}), testing::HasSubstr("triscope sweep --resume 7 --tensors FILE"));
  EXPECT_THAT(refusal({}, tensors), testing::HasSubstr("leave --tensors out"));
  EXPECT_EQ(refusal({}, {}), "");
  EXPECT_EQ(refusal(tensors, tensors), "");
  SweepRequest plugin, other;
  plugin.plugin = "./mine.so", plugin.plugin_sha256 = "0123";
  other.plugin = "./mine.so", other.plugin_sha256 = "4567";
  EXPECT_THAT(refusal(plugin, {}), testing::HasSubstr("triscope sweep --resume 7 --kernel ./FILE.so"));
  EXPECT_THAT(refusal(plugin, other), testing::HasSubstr("its SHA-256 differs"));
  EXPECT_THAT(refusal({}, plugin), testing::HasSubstr("leave --kernel out"));
  EXPECT_EQ(refusal(plugin, plugin), "");
  given.worker_prefix = {"env"};
  EXPECT_EQ(refusal(remote, given), "");
  EXPECT_EQ(refusal({}, given), "");
}

TEST(SweepRequest, a_poisoned_request_is_refused_by_name) {
  const std::string deep = R"({"seed":)" + std::string(100, '[') + std::string(100, ']') + "}";
  const std::pair<const char*, const char*> cases[] = {
      {deep.c_str(), "nested more than 100 deep"},
      {"[]", "no JSON object"},
      {"{{{", "not JSON"},
      {R"({"q_heads":[1,2],"kv_heads":[1,2,3]})", "2 numbers of query heads and 3 numbers of kv heads"},
      {R"({"kernels":["cpu.fast\n9 ok"]})", "kernels is no name"},
      {R"({"device":"cpu\u001b[2J"})", "device is no name"},
      {R"({"forms":"trilinear"})", "forms"},
      {R"({"forms":["nonsense"]})", "forms"},
      {R"({"forms":[7]})", "forms"},
      {R"({"longer":[7]})", "longer"},
      {R"({"longer":[{"restarts":3}]})", "longer"},
      {R"({"longer":[{"restarts":3,"key":{"pass":"sideways"}}]})", "longer"},
      {R"({"longer":[{"restarts":0,"key":{}}]})", "longer"},
      {R"({"longer":[{"restarts":4611686018427387904,"key":{}}]})", "longer"},
      {R"({"seq_lens":[1e300]})", "seq_lens"},
      {R"({"seq_lens":[18446744073709551615]})", "seq_lens"},
      {R"({"seq_lens":[1024, -5]})", "seq_len is -5"},
      {R"({"seq_lens":[4611686018427387904]})", "seq_len"},
      {R"({"seq_lens":7})", "seq_lens"},
      {R"({"batches":[0]})", "batch is 0"},
      {R"({"q_heads":[-1]})", "q_heads is -1"},
      {R"({"kv_heads":[0]})", "kv_heads is 0"},
      {R"({"head_dims":[-3]})", "head_dim is -3"},
      {R"({"windows":[{"window1":-1,"window2":4}]})", "window1 is -1"},
      {R"({"windows":[[1,2]]})", "windows"},
      {R"({"windows":[{"window1":1.5,"window2":4}]})", "window1"},
      {R"({"stopping":{"precision":-1}})", "precision"},
      {R"({"stopping":{"budget_ns":-5}})", "budget"},
      {R"({"stopping":{"max_blocks":4611686018427387904}})", "blocks"},
      {R"({"stopping":[1]})", "stopping"},
      {R"({"scale":1e300})", "scale"},
      {R"({"scale":"x"})", "scale"},
      {R"({"seed":-1})", "seed"},
      {R"({"device":["sh"]})", "device"},
      {R"({"deterministic":1})", "deterministic"},
  };
  for (const auto& [text, why] : cases) {
    try {
      sweep_request_from_json(text);
      ADD_FAILURE() << text << " was taken";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(why)) << text;
    }
  }
  std::string many = "{\"seq_lens\":[1";
  for (int n = 0; n < 100'000; ++n) many += ",1";
  EXPECT_THROW(sweep_request_from_json(many + "]}"), Error);
  std::string objects = "{\"windows\":[{}";  // would take hours where the time grows with the square of their number
  for (int n = 0; n < 1'000'000; ++n) objects += ",{}";
  EXPECT_THROW(sweep_request_from_json(objects + "]}"), Error);
  EXPECT_THROW(sweep_request_from_json(std::string(1'000'000, '[') + std::string(1'000'000, ']')), Error);
  EXPECT_THROW(sweep_request_from_json("{\"device\":\"" + std::string(1'000'000, 'A') + "\"}"), Error);
  EXPECT_THROW(sweep_request_from_json("{\"device\":\"\xff\"}"), Error) << "no UTF-8";
}

TEST(SweepRequest, an_empty_list_is_refused_by_name_and_no_kernels_are_all) {
  for (const std::string list :
       {"forms", "passes", "regimes", "windows", "seq_lens", "batches", "q_heads", "kv_heads", "head_dims"}) {
    try {
      sweep_request_from_json("{\"" + list + "\":[]}");
      ADD_FAILURE() << list << " was taken";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("its list of " + list + " is empty"));
    }
  }
  EXPECT_THAT(sweep_request_from_json(R"({"kernels":[]})").kernels, testing::IsEmpty());
}

TEST(SweepRequest, members_unknown_to_an_older_version_keep_their_defaults) {
  SweepRequest older;
  older.restarts = 1;  // what was recorded before there were restarts had one
  EXPECT_EQ(to_json(sweep_request_from_json("{}")), to_json(older));
  EXPECT_THROW(sweep_request_from_json("{\"seed\":\"x\"}"), Error);
  EXPECT_THROW(sweep_request_from_json("nonsense"), Error);
}

TEST(SweepRequest, command_line_shows_what_differs_from_the_defaults) {
  EXPECT_EQ(to_command_line({}), "triscope sweep --windows table1");
  EXPECT_EQ(
      to_command_line(unusual()),
      "triscope sweep --windows 512x32,7x9 --seq 1024,2048 --batch 2 --q-heads 8,16 --kv-heads 1,2 --head-dim 64,128"
      " --form determinant,trilinear --mask full --element bf16 --scale 0.1 --k2-bias 0.3333333333333333 --v2-bias -2"
      " --sink 0 --deterministic --pass backward --kernel cpu.fast,baseline.cpu,evil.so --instance all --device "
      "cpu"
      " --regime burst --timing-source cuda_events --counters quick --precision 1% --budget 3.5s --seed "
      "18446744073709551615 --tensors"
      " 'it'\\''s here/a b.safetensors' --time-limit 1.5s --worker-prefix 'ssh -o '\\''X=a b'\\'' host'");
}

}  // namespace
}  // namespace triscope
