#include "profiler/protocol/protocol.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "kernels/base/error.hpp"

namespace triscope {

std::string printable(std::string_view bytes, std::size_t limit) {
  std::string text;
  for (const char c : bytes.substr(0, limit)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F) {
      text += c;
    } else {
      text += fmt::format("\\x{:02x}", byte);
    }
  }
  if (bytes.size() > limit) text += "...";
  return text;
}

std::string to_bytes(const Frame& frame) { return frame.json + '\n' + frame.payload; }

void FrameParser::fail(const std::string& why) {
  state_ = State::broken;
  buffer_.clear();
  throw Error("the worker's messages cannot be read", why,
              "use a worker of the same build, and keep other output off its stdout");
}

void FrameParser::take_line(std::vector<Frame>& frames) {
  // Depth is bounded before parsing, so that rubbish made of brackets cannot exhaust the stack.
  std::size_t depth = 0, deepest = 0;
  for (const char c : buffer_) {
    if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
    if ((c == ']' || c == '}') && depth > 0) --depth;
  }
  if (deepest > 1000) fail("a line is nested more than 1000 deep");
  const nlohmann::json line = nlohmann::json::parse(buffer_, nullptr, false);
  if (!line.is_object()) fail(fmt::format("\"{}\" is not a JSON object", printable(buffer_)));
  const auto payload = line.find("payload");
  payload_bytes_ = 0;
  if (payload != line.end()) {
    if (!payload->is_number_unsigned())
      fail(fmt::format("it announces a payload of {} bytes",
                       printable(payload->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))));
    const auto bytes = payload->get<std::uint64_t>();
    if (bytes > limits_.payload_bytes) {
      fail(fmt::format("it announces a payload of {} bytes, more than the {} allowed", bytes, limits_.payload_bytes));
    }
    payload_bytes_ = static_cast<std::size_t>(bytes);
  }
  frame_.json = std::move(buffer_);
  frame_.payload.clear();
  buffer_.clear();
  if (payload_bytes_ == 0) {
    frames.push_back(std::move(frame_));
    frame_ = {};
  } else {
    frame_.payload.reserve(payload_bytes_);
    state_ = State::payload;
  }
}

std::vector<Frame> FrameParser::feed(std::string_view bytes) {
  if (state_ == State::broken) fail("unreadable bytes came before");
  std::vector<Frame> frames;
  while (!bytes.empty()) {
    if (state_ == State::payload) {
      const std::size_t wanted = std::min(bytes.size(), payload_bytes_ - frame_.payload.size());
      frame_.payload.append(bytes.substr(0, wanted));
      bytes.remove_prefix(wanted);
      if (frame_.payload.size() == payload_bytes_) {
        frames.push_back(std::move(frame_));
        frame_ = {};
        state_ = State::line;
      }
      continue;
    }
    const std::size_t newline = bytes.find('\n');
    const std::size_t wanted = newline == std::string_view::npos ? bytes.size() : newline;
    if (buffer_.size() + wanted > limits_.line_bytes) {
      fail(fmt::format("a line is longer than the {} bytes allowed: \"{}\"", limits_.line_bytes,
                       printable(buffer_.empty() ? bytes : std::string_view(buffer_))));
    }
    buffer_.append(bytes.substr(0, wanted));
    bytes.remove_prefix(wanted);
    if (newline == std::string_view::npos) break;
    bytes.remove_prefix(1);
    take_line(frames);
  }
  return frames;
}

}  // namespace triscope
