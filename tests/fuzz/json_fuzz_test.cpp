// What reads JSON of files that may come from anywhere: requests of sweeps, and the reader itself.
#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>

#include "kernels/base/error.hpp"
#include "kernels/base/text/plain_text.hpp"
#include "profiler/plan/request.hpp"
#include "profiler/record/bounded_json.hpp"
#include "tests/fuzz/corpus.hpp"

namespace triscope {
namespace {

constexpr std::array<std::string_view, 16> kJsonTokens{
    "{",     "}",  "[",    "]",        ",",    ":",       "null",         "true",
    "1e300", "-1", "\"\"", "[[[[[[[[", "\xff", "\\u0000", "\"windows\":", "[1,2]"};

TEST(JsonFuzz, json_is_read_whole_or_refused) {
  fuzz_corpus("json", kJsonTokens, [](const std::string& text) {
    try {
      const nlohmann::json json = parse_bounded(text);
      const std::string written = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
      ASSERT_EQ(parse_bounded(written).dump(), nlohmann::json::parse(plain_json(written)).dump());
    } catch (const nlohmann::json::exception&) {
      // refused
    }
  });
}

TEST(JsonFuzz, stored_requests_are_read_or_refused) {
  fuzz_corpus("request", kJsonTokens, [](const std::string& text) {
    try {
      const SweepRequest request = sweep_request_from_json(text);
      ASSERT_EQ(to_json(sweep_request_from_json(to_json(request))), to_json(request));
      to_command_line(request);
    } catch (const Error&) {
      // refused, in words
    }
  });
}

TEST(JsonFuzz, plain_text_holds_nothing_that_a_terminal_acts_on) {
  fuzz_corpus("json", kJsonTokens, [](const std::string& text) {
    const std::string plain = plain_text(text);
    for (const char c : plain) ASSERT_TRUE(c == '\n' || c == '\t' || static_cast<unsigned char>(c) >= 0x20);
    ASSERT_EQ(plain_text(plain), plain);
  });
}

}  // namespace
}  // namespace triscope
