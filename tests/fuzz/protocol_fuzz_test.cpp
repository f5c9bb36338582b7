// The worker protocol on mutated streams: frames and messages, or an `Error`; and the same frames however the stream is
// cut.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

#include "kernels/error.hpp"
#include "profiler/messages.hpp"
#include "profiler/protocol.hpp"
#include "tests/fuzz/mutator.hpp"

namespace triscope {
namespace {

constexpr std::array<std::string_view, 20> kTokens = {"{",
                                                      "}",
                                                      "[",
                                                      "]",
                                                      ",",
                                                      ":",
                                                      "\"type\"",
                                                      "\"hello\"",
                                                      "\"done\"",
                                                      "\"samples\"",
                                                      "\"result\"",
                                                      "\"payload\":",
                                                      "\"entry\":",
                                                      "\"flags\"",
                                                      "null",
                                                      "true",
                                                      "\n",
                                                      "\\uD800",
                                                      "\"sustained\"",
                                                      "\"cpu_clock\""};

// One valid message of every kind that carries something.
std::vector<Frame> seeds() {
  Sample sample;
  sample.duration_ns = 1'000'000;
  sample.sm_clock_mhz = 1700;
  sample.throttle_bits = 4;
  Sample flagged = sample;
  flagged.flag = "throttled";
  Measurement measurement;
  measurement.key.kernel = "cpu.fast";
  measurement.key.problem.scale = 0.125;
  measurement.errors = {{"o", 1e-6}};
  measurement.launches.push_back({.name = "kernel", .start_ns = 5, .end_ns = 9});
  measurement.counters.push_back({"dram__bytes", "byte", 3.5});
  measurement.samples = {sample, flagged};
  const MeasurementKey key = measurement.key;
  Catalog catalog;
  catalog.devices.push_back({.id = "cpu", .name = "CPU", .limits = {"no counters"}});
  catalog.kernels.push_back({.id = "cpu.fast", .instances = {"default"}});
  const std::vector<Message> messages = {Hello{.version = "0.1.0", .mode = "cpu"},
                                         SupportRequest{{{.kernel = "cpu.fast", .problem = key.problem}}},
                                         MeasureRequest{{key}, {"abc"}, {}, 1, "in.safetensors"},
                                         CancelRequest{},
                                         CatalogReply{catalog},
                                         SupportReply{{{{{.instance = "default", .unsupported = "no"}}}}},
                                         ProgressReport{0, "block", "block 9"},
                                         SampleBatch{0, {sample, flagged, sample}},
                                         ResultReply{0, measurement},
                                         CheckRequest{.kernels = {"cpu.fast"}},
                                         CheckRow{.kernel = "cpu.fast", .errors = {{"o", 0.5}}},
                                         EvalRequest{.in = "a", .out = "b", .kernel = "cpu.fast"},
                                         EvalReply{.instance = "default", .tensors = {"o [1]"}},
                                         Done{},
                                         ErrorReply{"what", "why", "fix", 3}};
  std::vector<Frame> frames;
  for (const Message& message : messages) frames.push_back(encode(message));
  return frames;
}

// One to three frames, changed inside (so that many stay whole) and now and then across their borders.
std::string mutated_stream(const std::vector<Frame>& frames, FuzzRandom& random) {
  std::string stream;
  for (std::size_t left = 1 + random.below(3); left > 0; --left) {
    Frame frame = frames[random.below(frames.size())];
    switch (random.below(4)) {
      case 0:
        mutate_number(frame.json, random);
        break;
      case 1:
        for (char& byte : frame.payload) {
          if (random.one_in(20)) byte = static_cast<char>(random.next());
        }
        break;
      case 2:
        mutate(frame.json, kTokens, random);
        break;
      default:
        break;
    }
    stream += to_bytes(frame);
  }
  if (random.one_in(4)) mutate(stream, kTokens, random);
  return stream;
}

struct Parsed {
  std::vector<Frame> frames;
  bool failed = false;
  bool idle = false;
};

// Feeds `stream` in pieces of 1 to `piece` bytes, each a copy on the heap of its exact size.
Parsed parse(std::string_view stream, ParserLimits limits, std::size_t piece, FuzzRandom& random) {
  FrameParser parser(limits);
  Parsed parsed;
  while (!stream.empty() && !parsed.failed) {
    const std::size_t size = std::min(stream.size(), 1 + random.below(piece));
    const std::vector<char> bytes(stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(size));
    stream.remove_prefix(size);
    try {
      for (Frame& frame : parser.feed({bytes.data(), bytes.size()})) parsed.frames.push_back(std::move(frame));
    } catch (const Error&) {
      parsed.failed = true;
      EXPECT_THROW(parser.feed("{}\n"), Error);
    }
  }
  parsed.idle = parser.idle();
  return parsed;
}

// Frames that a broken stream held before it broke may be lost in a feed that throws; no other difference is allowed.
void expect_the_same(const Parsed& whole, const Parsed& pieces) {
  ASSERT_EQ(whole.failed, pieces.failed);
  if (!whole.failed) {
    ASSERT_EQ(whole.frames.size(), pieces.frames.size());
    ASSERT_EQ(whole.idle, pieces.idle);
  }
  for (std::size_t i = 0; i < std::min(whole.frames.size(), pieces.frames.size()); ++i) {
    ASSERT_EQ(whole.frames[i].json, pieces.frames[i].json);
    ASSERT_EQ(whole.frames[i].payload, pieces.frames[i].payload);
  }
}

std::optional<Message> decode_or_refuse(const Frame& frame) {
  try {
    return decode(frame);
  } catch (const Error&) {
    return std::nullopt;
  }
}

TEST(Fuzz, protocol_streams_become_messages_or_are_refused) {
  const std::vector<Frame> frames = seeds();
  int streams_refused = 0, messages_refused = 0, messages_read = 0;
  for_each_fuzz_input([&](FuzzRandom& random) {
    const std::string stream = mutated_stream(frames, random);
    const ParserLimits limits = random.one_in(8) ? ParserLimits{300, 100} : ParserLimits{};
    const Parsed whole = parse(stream, limits, stream.size() + 1, random);
    const Parsed pieces = parse(stream, limits, 1 + random.below(40), random);
    expect_the_same(whole, pieces);
    streams_refused += whole.failed ? 1 : 0;
    for (const Frame& frame : pieces.frames) {
      const std::optional<Message> message = decode_or_refuse(frame);
      ++(message ? messages_read : messages_refused);
      // What was understood can be said again.
      if (message) {
        ASSERT_EQ(decode(encode(*message)).index(), message->index());
      }
    }
  });
  if (std::getenv("TRISCOPE_FUZZ_RUNS") != nullptr) return;
  EXPECT_GE(streams_refused, 5000);
  EXPECT_GE(messages_refused, 5000);
  EXPECT_GE(messages_read, 5000);
}

}  // namespace
}  // namespace triscope
