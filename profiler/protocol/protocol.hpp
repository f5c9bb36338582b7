// The framing between supervisor and worker: a line of JSON that may announce N bytes of binary payload, which follow
// the line at once. Works over any pair of byte pipes (a local process, ssh, srun). What the frames mean: messages.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace triscope {

/// Version of the messages; both sides must have the same one. Raise it when a message changes its meaning or gains,
/// loses or renames a member: tests/profiler/protocol/protocol_test.cpp notices the latter.
inline constexpr int kProtocolVersion = 9;

/// One message on the wire.
struct Frame {
  std::string json;     ///< one line, without its newline, without the "payload" announcement being removed
  std::string payload;  ///< binary, as long as the line's "payload" member says; empty when it has none
};

struct ParserLimits {
  std::size_t line_bytes = std::size_t{16} << 20;
  std::size_t payload_bytes = std::size_t{256} << 20;
};

/// Cuts a stream of bytes into frames, however the bytes are split or merged. Pure: no input or output of its own.
class FrameParser {
 public:
  explicit FrameParser(ParserLimits limits = {}) : limits_(limits) {}

  /// Takes the next bytes and returns the frames that are complete. Throws `Error` on a line that is no JSON object, is
  /// too long, or announces a payload that is negative, no integer or too long; after that only rubbish can follow and
  /// every further call throws.
  std::vector<Frame> feed(std::string_view bytes);

  /// Bytes of a payload that are still to come; 0 while a line is.
  std::size_t payload_left() const { return state_ == State::payload ? payload_bytes_ - frame_.payload.size() : 0; }

  /// True between frames: an end of the stream here is a clean one.
  bool idle() const { return state_ == State::line && buffer_.empty(); }

 private:
  enum class State { line, payload, broken };
  void take_line(std::vector<Frame>& frames);
  [[noreturn]] void fail(const std::string& why);

  ParserLimits limits_;
  State state_ = State::line;
  std::string buffer_;             ///< the line or payload that is arriving
  Frame frame_;                    ///< the frame whose payload is arriving
  std::size_t payload_bytes_ = 0;  ///< announced for `frame_`
};

/// The bytes of a frame. `json` must be one line holding an object whose "payload" member, if any, is `payload.size()`.
std::string to_bytes(const Frame& frame);

/// At most `limit` bytes of `bytes`, unprintable ones written as \xNN, for messages to a person.
std::string printable(std::string_view bytes, std::size_t limit = 60);

}  // namespace triscope
