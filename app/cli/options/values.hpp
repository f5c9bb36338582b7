// Values as people type them on the command line, parsed strictly: the whole token or an error that names it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace triscope {

/// Splits at commas, and leaves out blanks beside them. Throws `Error` (usage) on an empty list or an empty item;
/// `option` is named in the message.
std::vector<std::string> parse_list(std::string_view option, std::string_view text);

/// A positive whole number: "4096", "8k" (x 1024), "2m" (x 1024 x 1024). Signs, fractions and overflow are refused.
std::int64_t parse_count(std::string_view option, std::string_view token);

/// A row id of the database: a positive whole number without a suffix.
std::int64_t parse_id(std::string_view option, std::string_view token);

/// A seed: a whole number from 0 to 2^64 - 1.
std::uint64_t parse_seed(std::string_view option, std::string_view token);

/// A finite number: "0.125", "-1e-3". NaN, infinities and hexadecimal are refused.
double parse_number(std::string_view option, std::string_view token);

/// A percentage, with its sign: "0.5%" is 0.005. Above zero and at most 100 %; a bare number is refused as ambiguous.
double parse_percent(std::string_view option, std::string_view token);

/// A time in nanoseconds: "250ms", "10s", "2min". Above zero and at most 24 h; a bare number is refused as ambiguous.
std::int64_t parse_duration_ns(std::string_view option, std::string_view token);

/// A command as words (`split_words`): "ssh -q host". Throws `Error` (usage) when it holds none.
std::vector<std::string> parse_words(std::string_view option, std::string_view text);

/// Throws `Error` (usage) that names `token`, why it is wrong and what is right.
[[noreturn]] void refuse_value(std::string_view option, std::string_view token, std::string_view why,
                               std::string_view fix);

}  // namespace triscope
