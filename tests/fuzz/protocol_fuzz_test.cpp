// The parser of the worker's messages against mutated streams: it finds messages or throws Error, and never anything
// else.
#include <gtest/gtest.h>

#include <array>

#include "kernels/base/error.hpp"
#include "profiler/protocol/messages.hpp"
#include "tests/fuzz/corpus.hpp"

namespace triscope {
namespace {

std::string valid_stream(FuzzRandom& random) {
  Sample sample;
  sample.duration_ns = 12345;
  sample.flag = "preempted";
  Measurement measurement;
  measurement.samples.assign(random.below(4), sample);
  measurement.errors = {{"o", 1e-6}};
  measurement.launches.resize(1);
  SupportRequest support;
  support.questions.resize(2);
  const std::array<Message, 9> messages{Hello{1, "0.1.0", "cpu"},
                                        ProgressReport{0, "block", "cpu.fast forward 512x32"},
                                        SampleBatch{1, {sample, sample}},
                                        ResultReply{0, measurement},
                                        ErrorReply{"a", "b", "c", 3},
                                        support,
                                        MeasureRequest{{MeasurementKey{}}, {"hash"}, {}, 7, ""},
                                        CheckRow{},
                                        Done{}};
  std::string stream;
  for (std::size_t n = 1 + random.below(4); n > 0; --n) stream += to_bytes(messages[random.below(messages.size())]);
  return stream;
}

TEST(ProtocolFuzz, mutated_streams_are_understood_or_refused) {
  constexpr std::array<std::string_view, 12> kDictionary{
      "\n", "{",  "}",     "\"payload\":", "\"type\":\"samples\"", "null",
      "[]", "-1", "1e999", "\"flags\":[]", "18446744073709551615", "\xff\xfe"};
  std::uint64_t pieces = 0;  // of the stream as it arrives: any, but the same for the same stream
  const auto check = [&](const std::string& stream) {
    FrameParser parser({1 << 16, 1 << 16});
    FuzzRandom random(pieces);
    try {
      std::string_view rest = stream;
      while (!rest.empty()) {
        const std::size_t piece = 1 + random.below(rest.size());
        for (const Frame& frame : parser.feed(rest.substr(0, piece))) {
          const Message message = decode(frame);
          decode(encode(message));  // what was understood can be said again
        }
        rest.remove_prefix(piece);
      }
    } catch (const Error&) {
      // refused, in words
    }
  };
  check_corpus("protocol", check);
  const std::vector<CorpusFile> kept = corpus_of("protocol");
  for_each_fuzz_input([&](FuzzRandom& random) {
    std::string stream = random.one_in(4) ? kept[random.below(kept.size())].bytes : valid_stream(random);
    mutate(stream, kDictionary, random);
    pieces = random.next();
    check(stream);
  });
}

}  // namespace
}  // namespace triscope
