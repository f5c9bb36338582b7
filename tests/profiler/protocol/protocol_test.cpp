#include "profiler/protocol/protocol.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/sha256.hpp"
#include "profiler/protocol/messages.hpp"
#include "tests/profiler/store/store_fixture.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

std::string why_of(FrameParser& parser, std::string_view bytes) {
  try {
    parser.feed(bytes);
  } catch (const Error& e) {
    return e.why();
  }
  return "nothing was thrown";
}

std::vector<Sample> some_samples() {
  Sample plain;
  plain.started_ns = 5;
  plain.duration_ns = 1'234'567;
  plain.launches = 3;
  plain.block = 7;
  Sample full = plain;
  full.sm_clock_mhz = 1650.5;
  full.power_w = 699.25;
  full.temperature_c = 61;
  full.throttle_bits = 0x8000000000000004ull;
  full.flag = "throttled: sw_power_cap";
  return {plain, full, plain};
}

std::string stream_of_three() {
  return to_bytes(ProgressReport{0, "block", "a line\nwith a newline and \xff"}) +
         to_bytes(SampleBatch{2, some_samples()}) + to_bytes(Done{});
}

TEST(FrameParser, finds_the_same_frames_however_the_stream_is_cut) {
  const std::string stream = stream_of_three();
  for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
    FrameParser parser;
    std::vector<Frame> frames;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      for (Frame& frame : parser.feed(std::string_view(stream).substr(at, piece))) frames.push_back(std::move(frame));
    }
    ASSERT_THAT(frames, SizeIs(3)) << piece;
    EXPECT_TRUE(parser.idle());
    EXPECT_TRUE(std::holds_alternative<ProgressReport>(decode(frames[0])));
    fixture::expect_same_samples(std::get<SampleBatch>(decode(frames[1])).samples, some_samples());
    EXPECT_TRUE(std::holds_alternative<Done>(decode(frames[2])));
  }
}

TEST(FrameParser, is_not_idle_inside_a_line_or_payload) {
  const std::string stream = to_bytes(SampleBatch{0, some_samples()});
  for (std::size_t cut = 1; cut < stream.size(); ++cut) {
    FrameParser parser;
    EXPECT_TRUE(parser.feed(std::string_view(stream).substr(0, cut)).empty());
    EXPECT_FALSE(parser.idle()) << cut;
  }
}

TEST(FrameParser, rubbish_is_quoted_and_everything_after_it_refused) {
  FrameParser parser;
  EXPECT_THAT(why_of(parser, "Segmentation fault \x01\n"),
              HasSubstr("\"Segmentation fault \\x01\" is not a JSON object"));
  EXPECT_THAT(why_of(parser, "{\"type\":\"done\"}\n"), HasSubstr("unreadable bytes came before"));
}

TEST(FrameParser, refuses_what_is_json_but_no_object) {
  for (const char* line : {"\n", "[]\n", "7\n", "null\n", "\"text\"\n", "{\"a\":1\n", "{} {}\n"}) {
    FrameParser parser;
    EXPECT_THAT(why_of(parser, line), HasSubstr("is not a JSON object")) << line;
  }
}

TEST(FrameParser, refuses_impossible_payloads) {
  for (const char* payload : {"-1", "1.5", "\"9\"", "null", "true", "1e3", "[4]"}) {
    FrameParser parser;
    EXPECT_THAT(why_of(parser, std::string("{\"payload\":") + payload + "}\n"), HasSubstr("announces a payload"))
        << payload;
  }
  FrameParser parser;
  EXPECT_THAT(why_of(parser, "{\"payload\":18446744073709551615}\n"), HasSubstr("more than the"));
}

TEST(FrameParser, bounds_lines_and_nesting) {
  FrameParser small({100, 10});
  EXPECT_THAT(why_of(small, std::string(101, 'x')), HasSubstr("longer than the 100 bytes"));
  FrameParser split({100, 10});
  EXPECT_TRUE(split.feed(std::string(60, ' ')).empty());
  EXPECT_THAT(why_of(split, std::string(60, ' ')), HasSubstr("longer than the 100 bytes"));
  FrameParser payload({100, 10});
  EXPECT_THAT(why_of(payload, "{\"payload\":11}\n"), HasSubstr("more than the 10"));
  FrameParser deep;
  EXPECT_THAT(why_of(deep, std::string(1'000'000, '[') + "\n"), HasSubstr("nested"));
}

TEST(Messages, unknown_types_and_missing_members_are_named) {
  const auto why = [](const std::string& json) -> std::string {
    try {
      decode({json, ""});
    } catch (const Error& e) {
      return e.why();
    }
    return "nothing was thrown";
  };
  EXPECT_THAT(why(R"({"type":"tea"})"), HasSubstr("no message called \"tea\""));
  EXPECT_THAT(why(R"({"typ":"done"})"), HasSubstr("type"));
  EXPECT_THAT(why(R"({"type":"hello","protocol":1})"), HasSubstr("version"));
  EXPECT_THAT(why(R"({"type":"hello","protocol":"one","version":"","mode":""})"), HasSubstr("type must be number"));
  EXPECT_THAT(why(R"({"type":["done"]})"), HasSubstr("type must be string"));
}

/// Every member's name, as "slice_reply.slice.top.j", of messages whose lists hold something.
std::set<std::string> members_of_all_messages() {
  std::vector<Message> messages;
  [&]<std::size_t... N>(std::index_sequence<N...>) {
    (messages.push_back(std::variant_alternative_t<N, Message>()), ...);
  }
  (std::make_index_sequence<std::variant_size_v<Message>>());
  SourceReply source;
  source.tensors.emplace_back();
  SliceReply slice;
  slice.slice.top.emplace_back();
  CatalogReply catalog;
  catalog.catalog.devices.emplace_back();
  catalog.catalog.kernels.emplace_back();
  SupportReply support;
  support.answers.emplace_back().instances.emplace_back();
  MeasureRequest measure;
  measure.entries.emplace_back();
  measure.source_hashes.emplace_back();
  ResultReply result;
  result.measurement.samples = some_samples();
  for (Message message : std::initializer_list<Message>{SupportRequest{{SupportQuestion()}}, measure, source, slice,
                                                        catalog, support, result})
    messages.push_back(std::move(message));
  std::set<std::string> members;
  const std::function<void(const std::string&, const nlohmann::json&)> add = [&](const std::string& path,
                                                                                 const nlohmann::json& value) {
    members.insert(path);
    if (value.is_array()) {
      for (const nlohmann::json& one : value) add(path, one);
    } else if (value.is_object()) {
      for (const auto& [name, inner] : value.items()) add(path + "." + name, inner);
    }
  };
  for (const Message& message : messages) {
    const nlohmann::json json = nlohmann::json::parse(encode(message).json);
    add(json.at("type"), json);
  }
  return members;
}

TEST(Messages, their_members_are_those_of_this_version_of_the_protocol) {
  std::string all;
  for (const std::string& member : members_of_all_messages()) all += member + "\n";
  const std::string digest = sha256_hex(std::as_bytes(std::span(all))).substr(0, 16);
  // When this fails, two builds of one protocol version no longer understand each other: raise it, and set this anew.
  EXPECT_EQ(fmt::format("{} {}", kProtocolVersion, digest), "9 2b2d52d2384ca294") << all;
}

TEST(Messages, samples_of_a_wrong_size_or_flag_are_refused) {
  Frame frame = encode(SampleBatch{0, some_samples()});
  Frame shorter = frame;
  shorter.payload.pop_back();
  EXPECT_THROW(decode(shorter), Error);
  EXPECT_THROW(unpack_samples(frame.payload, {""}), Error);
  EXPECT_THROW(decode({R"({"type":"done"})", "bytes"}), Error);
}

TEST(Messages, a_measurement_survives_the_wire) {
  Measurement m;
  m.key.problem.form = Form::determinant;
  m.key.problem.scale = 1.0 / 3.0;
  m.key.problem.sink = -0.1;
  m.key.kernel = "cpu.fast";
  m.key.instance = "avx2";
  m.key.regime = Regime::burst;
  m.key.device_id = "cpu";
  m.source_hash = "abc";
  m.status = Status::cancelled;
  m.reason = "stopped by the user";
  m.error = 1.5e-7;
  m.errors = {{"o", 1.5e-7}, {"lse", 2e-8}};
  m.samples = some_samples();
  LaunchRecord launch;
  launch.name = "kernel<float>";
  launch.grid[0] = 132;
  launch.end_ns = 99;
  m.launches = {launch};
  m.counters = {{"dram__bytes", "byte", 1e12}};
  m.workspace_bytes = 1 << 20;
  m.started_unix_ns = 1'750'000'000'123'456'789;
  const Measurement back = std::get<ResultReply>(decode(encode(ResultReply{3, m}))).measurement;
  EXPECT_EQ(back.key, m.key);
  EXPECT_EQ(back.status, m.status);
  EXPECT_EQ(back.reason, m.reason);
  EXPECT_EQ(back.error, m.error);
  EXPECT_EQ(back.errors, m.errors);
  EXPECT_EQ(back.source_hash, m.source_hash);
  EXPECT_EQ(back.started_unix_ns, m.started_unix_ns);
  EXPECT_EQ(back.workspace_bytes, m.workspace_bytes);
  fixture::expect_same_samples(back.samples, m.samples);
  ASSERT_THAT(back.launches, SizeIs(1));
  EXPECT_EQ(back.launches[0].name, launch.name);
  EXPECT_EQ(back.launches[0].grid[0], 132);
  EXPECT_EQ(back.launches[0].end_ns, 99);
  ASSERT_THAT(back.counters, SizeIs(1));
  EXPECT_EQ(back.counters[0].value, 1e12);
}

TEST(Messages, errors_that_are_infinite_or_no_number_survive_the_wire) {
  CheckRow row;
  row.errors = {{"grad_q", INFINITY}, {"lse", -INFINITY}, {"number", NAN}, {"o", 0.5}};
  const auto back = std::get<CheckRow>(decode(encode(row)));
  EXPECT_EQ(back.errors.at("grad_q"), INFINITY);
  EXPECT_EQ(back.errors.at("lse"), -INFINITY);
  EXPECT_TRUE(std::isnan(back.errors.at("number")));
  EXPECT_EQ(back.errors.at("o"), 0.5);
  row.errors = {{"number", INFINITY}};
  EXPECT_EQ(std::get<CheckRow>(decode(encode(row))).errors.at("number"), INFINITY);
}

TEST(Messages, a_slice_travels_as_floats_and_arrays_that_do_not_fit_are_refused) {
  SliceReply reply;
  reply.slice.first1 = 5;
  reply.slice.count1 = 2;
  reply.slice.count2 = 3;
  reply.slice.log_p = {-1, -2, INFINITY, NAN, -5, -0.25F};
  reply.slice.marginal1 = {0.5F, 0.5F};
  reply.slice.marginal2 = {0.1F, 0.2F, 0.7F};
  reply.slice.dot_log_p = {-3, -4};
  reply.slice.top = {{6, 1, 2.5, 0.25}};
  reply.slice.lse = 7.5;
  Frame frame = encode(reply);
  EXPECT_EQ(frame.payload.size(), 13 * sizeof(float));
  const Slice back = std::get<SliceReply>(decode(frame)).slice;
  EXPECT_EQ(back.first1, 5);
  EXPECT_EQ(back.lse, 7.5);
  EXPECT_EQ(back.log_p[2], INFINITY);
  EXPECT_TRUE(std::isnan(back.log_p[3]));
  EXPECT_EQ(back.marginal2, reply.slice.marginal2);
  EXPECT_EQ(back.top[0].j, 6);
  frame.payload.resize(frame.payload.size() - 4);
  EXPECT_THROW(decode(frame), Error);
  reply.slice.count1 = 3;
  EXPECT_THROW(decode(encode(reply)), Error);
  reply.slice.count1 = 2;
  reply.slice.top = {{4, 1, 2.5, 0.25}};
  EXPECT_THROW(decode(encode(reply)), Error);

  SliceRequest request;
  request.source.kind = SourceKind::match3;
  request.source.numbers = {3, -4};
  request.source.c = 12.5;
  request.query.arithmetic = Arithmetic::bf16_kernel;
  request.query.problem.form = Form::determinant;
  const auto request_back = std::get<SliceRequest>(decode(encode(request)));
  EXPECT_EQ(request_back.source, request.source);
  EXPECT_EQ(request_back.query.arithmetic, Arithmetic::bf16_kernel);
  EXPECT_EQ(request_back.query.problem, request.query.problem);
}

TEST(Messages, every_request_survives_the_wire) {
  MeasureRequest measure;
  measure.entries.resize(2);
  measure.entries[1].pass = Pass::backward;
  measure.source_hashes = {"a", "b"};
  measure.stopping.precision = 0.02;
  measure.seed = 0xFFFFFFFFFFFFFFFFull;
  measure.tensors = "/tmp/a b.safetensors";
  const auto measure_back = std::get<MeasureRequest>(decode(encode(measure)));
  EXPECT_EQ(measure_back.entries, measure.entries);
  EXPECT_EQ(measure_back.source_hashes, measure.source_hashes);
  EXPECT_EQ(measure_back.stopping.precision, 0.02);
  EXPECT_EQ(measure_back.seed, measure.seed);
  EXPECT_EQ(measure_back.tensors, measure.tensors);

  EvalRequest eval;
  eval.kernel = "cpu.fast";
  eval.element = Element::bf16;
  eval.problem.mask = Mask::full;
  const auto eval_back = std::get<EvalRequest>(decode(encode(eval)));
  EXPECT_EQ(eval_back.element, Element::bf16);
  EXPECT_EQ(eval_back.problem, eval.problem);

  CheckRow row;
  row.inputs = InputKind::rising;
  row.errors = {{"grad_q", 0.25}};
  const auto row_back = std::get<CheckRow>(decode(encode(row)));
  EXPECT_EQ(row_back.inputs, InputKind::rising);
  EXPECT_EQ(row_back.errors, row.errors);
  EXPECT_TRUE(std::holds_alternative<CancelRequest>(decode(encode(CancelRequest{}))));
  EXPECT_TRUE(std::holds_alternative<QuitRequest>(decode(encode(QuitRequest{}))));
  EXPECT_EQ(std::get<ErrorReply>(decode(encode(ErrorReply{"a", "b", "c", 2}))).code, 2);
}

}  // namespace
}  // namespace triscope
