// Values of the command line: what is accepted, and that everything else is refused with the token in the message.
#include "app/cli/options/values.hpp"

#include <gmock/gmock.h>

#include <functional>

#include "app/cli/options/fail_condition.hpp"
#include "kernels/base/error.hpp"

namespace triscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Expects a usage error that names `token`.
void expect_refused(const std::function<void()>& parse, const std::string& token) {
  try {
    parse();
    ADD_FAILURE() << "accepted '" << token << "'";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage) << token;
    EXPECT_THAT(error.what(), HasSubstr("'" + token + "'"));
    EXPECT_THAT(error.what(), HasSubstr("--option"));
  }
}

TEST(Values, counts_take_binary_suffixes) {
  EXPECT_EQ(parse_count("--option", "1"), 1);
  EXPECT_EQ(parse_count("--option", "2k"), 2048);
  EXPECT_EQ(parse_count("--option", "32k"), 32768);
  EXPECT_EQ(parse_count("--option", "128K"), 131072);
  EXPECT_EQ(parse_count("--option", "1m"), 1048576);
  EXPECT_EQ(parse_count("--option", "9223372036854775807"), INT64_MAX);
}

TEST(Values, counts_refuse_everything_that_is_no_positive_whole_number) {
  for (const char* token : {"", "0", "0k", "-1", "+1", "1.5", "1e3", "0x10", "k", "1kk", "1 ", " 1", "1k0", "nan",
                            "inf", "--seq", "9223372036854775808", "9007199254740992k", "99999999999999999999999"}) {
    expect_refused([&] { parse_count("--option", token); }, token);
  }
}

TEST(Values, zero_is_told_what_is_the_least) {
  try {
    parse_count("--option", "0");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.fix(), "give 1 or more");
  }
}

TEST(Values, lists_keep_order_and_refuse_empty_items) {
  EXPECT_THAT(parse_list("--option", "4k,1,32k"), ElementsAre("4k", "1", "32k"));
  for (const char* text : {"", ",", "1,", ",1", "1,,2"}) {
    expect_refused([&] { parse_list("--option", text); }, text);
  }
}

TEST(Values, lists_take_blanks_beside_their_commas) {
  EXPECT_THAT(parse_list("--option", "4k, 1 ,32k"), ElementsAre("4k", "1", "32k"));
  for (const char* text : {" ", "1, ", "1, ,2"}) {
    expect_refused([&] { parse_list("--option", text); }, text);
  }
}

TEST(Values, numbers_are_finite_decimals) {
  EXPECT_DOUBLE_EQ(parse_number("--option", "0.125"), 0.125);
  EXPECT_DOUBLE_EQ(parse_number("--option", "-1e-3"), -1e-3);
  for (const char* token : {"", "nan", "NaN", "inf", "-inf", "infinity", "1e999", "0x1p3", "1.5x", "1,5", "--", "1 "}) {
    expect_refused([&] { parse_number("--option", token); }, token);
  }
}

TEST(Values, a_number_that_a_double_cannot_hold_is_called_that) {
  for (const char* token : {"1e-400", "1e400", "-1e999"}) {
    try {
      parse_number("--option", token);
      ADD_FAILURE() << "accepted " << token;
    } catch (const Error& error) {
      EXPECT_THAT(error.why(), testing::HasSubstr("too large, or too near zero")) << token;
    }
  }
}

TEST(Values, percentages_need_their_sign) {
  EXPECT_DOUBLE_EQ(parse_percent("--option", "0.5%"), 0.005);
  EXPECT_DOUBLE_EQ(parse_percent("--option", "100%"), 1);
  for (const char* token : {"", "0.5", "%", "0%", "-1%", "101%", "nan%", "inf%", "1%%", "1 %"}) {
    expect_refused([&] { parse_percent("--option", token); }, token);
  }
}

TEST(Values, times_need_their_unit) {
  EXPECT_EQ(parse_duration_ns("--option", "250ms"), 250'000'000);
  EXPECT_EQ(parse_duration_ns("--option", "10s"), 10'000'000'000);
  EXPECT_EQ(parse_duration_ns("--option", "1.5s"), 1'500'000'000);
  EXPECT_EQ(parse_duration_ns("--option", "2min"), 120'000'000'000);
  EXPECT_EQ(parse_duration_ns("--option", "1.5h"), 5'400'000'000'000);
  for (const char* token :
       {"", "10", "s", "0s", "-1s", "nans", "infs", "1e300s", "25h", "1441min", "10 s", "10sec", "1us"}) {
    expect_refused([&] { parse_duration_ns("--option", token); }, token);
  }
}

TEST(Values, seeds_are_unsigned_64_bit_numbers) {
  EXPECT_EQ(parse_seed("--option", "0"), 0u);
  EXPECT_EQ(parse_seed("--option", "18446744073709551615"), UINT64_MAX);
  for (const char* token : {"", "-1", "1.0", "18446744073709551616", "x", "1k"}) {
    expect_refused([&] { parse_seed("--option", token); }, token);
  }
}

TEST(Values, ids_are_positive) {
  EXPECT_EQ(parse_id("--option", "12"), 12);
  for (const char* token : {"", "0", "-3", "1k", "99999999999999999999"}) {
    expect_refused([&] { parse_id("--option", token); }, token);
  }
}

TEST(Values, commands_split_at_spaces) {
  EXPECT_THAT(parse_words("--option", " ssh  -q host "), ElementsAre("ssh", "-q", "host"));
  expect_refused([] { parse_words("--option", "  "); }, "  ");
}

Comparison comparison(double ratio, double low, double high) {
  Comparison result;
  result.ratio = ratio;
  result.interval = {low, high};
  return result;
}

// The verdict has its own tolerance; what counts here is where ratio and interval lie beside the margin.
TEST(FailCondition, fails_beyond_its_margin_passes_below_it_and_is_open_between) {
  const FailCondition slower = parse_fail_condition("longer>2%"), faster = parse_fail_condition("shorter>10%");
  EXPECT_EQ(judge(slower, comparison(1.03, 1.025, 1.035), false), GateResult::fails);
  EXPECT_EQ(judge(slower, comparison(1.03, 0.9, 1.2), false), GateResult::fails) << "what is not known to be good";
  EXPECT_EQ(judge(slower, comparison(1.01, 1.005, 1.019), false), GateResult::passes);
  EXPECT_EQ(judge(slower, comparison(1.01, 0.99, 1.021), false), GateResult::open);
  EXPECT_EQ(judge(slower, comparison(0.5, 0.4, 0.6), false), GateResult::passes);
  EXPECT_EQ(judge(slower, comparison(0.5, 0.001, 0.6), false), GateResult::open) << "no interval";
  EXPECT_EQ(judge(slower, Comparison{}, false), GateResult::fails) << "no ratio";
  EXPECT_EQ(judge(faster, comparison(0.8, 0.79, 0.81), false), GateResult::fails);
  EXPECT_EQ(judge(faster, comparison(0.95, 0.91, 1), false), GateResult::passes);
  EXPECT_EQ(judge(faster, comparison(0.95, 0.89, 1), false), GateResult::open);
  EXPECT_EQ(judge(slower, comparison(1, 0.99, 1.01), true), GateResult::open);
  EXPECT_EQ(judge(slower, comparison(1.5, 1.4, 1.6), true), GateResult::fails);
  Comparison few = comparison(1.01, 1.005, 1.019);
  few.few_blocks = true;
  EXPECT_EQ(judge(slower, few, false), GateResult::open) << "its interval is not trusted";
}

TEST(FailCondition, understands_the_words_of_older_scripts) {
  EXPECT_EQ(parse_fail_condition("slower>2%").verdict, parse_fail_condition("longer>2%").verdict);
  EXPECT_EQ(parse_fail_condition("faster>2%").verdict, parse_fail_condition("shorter>2%").verdict);
  EXPECT_NE(parse_fail_condition("longer>2%").verdict, parse_fail_condition("shorter>2%").verdict);
}

TEST(FailCondition, refuses_what_is_none) {
  for (const char* text :
       {"", "longer", "longer>", "longer>2", "longer>-2%", "longer<2%", "long>2%", "longer > 2%", "2%"}) {
    EXPECT_THROW(parse_fail_condition(text), Error) << text;
  }
}

}  // namespace
}  // namespace triscope
