#include "profiler/plan/sweep_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <ctime>
#include <exception>
#include <sstream>
#include <utility>

#include "profiler/plan/default_windows.hpp"
#include "profiler/plan/request.hpp"

namespace triscope {
namespace {

std::string lower(std::string_view text) {
  std::string small(text);
  for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return small;
}

std::string written(const char* pattern, std::time_t seconds) {
  std::tm local{};
  localtime_r(&seconds, &local);
  char text[64];
  return std::string(text, std::strftime(text, sizeof text, pattern, &local));
}

/// "2026-11-14T12:00:00Z" as lists print it; empty: it is written otherwise.
std::string printed_dates(const std::string& started) {
  std::tm utc{};
  if (std::sscanf(started.c_str(), "%d-%d-%dT%d:%d", &utc.tm_year, &utc.tm_mon, &utc.tm_mday, &utc.tm_hour,
                  &utc.tm_min) < 5)
    return "";
  utc.tm_year -= 1900;
  utc.tm_mon -= 1;
  const std::time_t then = timegm(&utc);
  return written("%Y-%m-%d %H:%M\n%d %b %Y %H:%M\n%e %b %Y", then);
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// The day of a month: "9", "19".
bool is_day_number(const std::string& word) { return word.size() <= 2 && std::ranges::all_of(word, is_digit); }

/// "oct", "october"; a month that is typed in part is not one yet.
bool is_month(const std::string& word) {
  constexpr std::string_view kMonths[] = {"january", "february", "march",     "april",   "may",      "june",
                                          "july",    "august",   "september", "october", "november", "december"};
  return word.size() >= 3 &&
         std::ranges::any_of(kMonths, [&](std::string_view month) { return month.starts_with(word); });
}

bool stands_in(std::string_view text, const std::string& part, bool is_day) {
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
    if (!is_day || at == 0 || !is_digit(text[at - 1])) return true;
  }
  return false;
}

/// "128x128 512x32", the windows that were asked for: a title may say "Table 1" or how many there are.
std::string windows_of(const SweepInfo& sweep) {
  constexpr std::size_t kLongestRead = std::size_t{64} << 10;  // of a stranger's database
  if (sweep.request_json.empty() || sweep.request_json.size() > kLongestRead) return "";
  try {
    const SweepRequest request = sweep_request_from_json(sweep.request_json);
    const auto has_windows = [](const std::string& kernel) { return !kernel.starts_with("baseline."); };
    if (request.mask == Mask::full) return "";
    if (!request.kernels.empty() && std::ranges::none_of(request.kernels, has_windows)) return "";
    std::string text;
    for (const Windows& one : default_windows(request)) text += fmt::format("{}x{} ", one.window1, one.window2);
    return text;
  } catch (const std::exception&) {
    return "";  // of a database that a later version wrote
  }
}

// Before the dates of what is searched, which are at its end.
constexpr char kDates = '\x01';

bool is_number(const std::string& word) { return std::ranges::all_of(word, is_digit); }

}  // namespace

std::string searched_text(const SweepInfo& sweep, std::string_view title) {
  // A word has no end of a line in it: it is not found across two of them.
  return lower(fmt::format("sweep {}\n{}\n{}\n{}\n{}\n{}{}{}\n{}", sweep.id, title, sweep.note,
                           sweep.environment.device_name, sweep.command, windows_of(sweep), kDates, sweep.started,
                           printed_dates(sweep.started)));
}

SweepSearch::SweepSearch(std::string_view words, std::int64_t now) {
  std::istringstream stream(lower(words));
  std::vector<std::string> typed;
  for (std::string word; stream >> word;) {
    if (word.size() > 1 && word.ends_with(',')) word.pop_back();  // of "H200, 19 Oct"
    typed.push_back(std::move(word));
  }
  const auto month_at = [&](std::size_t n) { return n < typed.size() && is_month(typed[n]); };
  const auto year_at = [&](std::size_t n) { return n < typed.size() && typed[n].size() == 4 && is_number(typed[n]); };
  for (std::size_t n = 0; n < typed.size(); ++n) {
    Term term{typed[n], false, {}, is_number(typed[n])};
    const bool is_day = is_day_number(typed[n]) && month_at(n + 1);
    if (is_day || (month_at(n) && year_at(n + 1))) {
      const std::size_t month = is_day ? n + 1 : n;
      term = {(is_day ? typed[n] + " " : "") + typed[month].substr(0, 3), is_day, {}};
      n = month;
      if (year_at(n + 1)) term.text += " " + typed[++n];
    } else if (typed[n] == "today") {
      term.or_day = lower(written("%d %b %Y", static_cast<std::time_t>(now)));
    }
    terms_.push_back(std::move(term));
  }
}

bool SweepSearch::finds(std::string_view searched) const {
  const std::string_view without_dates = searched.substr(0, searched.rfind(kDates));
  return std::ranges::all_of(terms_, [&](const Term& term) {
    return stands_in(term.is_number ? without_dates : searched, term.text, term.is_day) ||
           (!term.or_day.empty() && stands_in(searched, term.or_day, true));
  });
}

bool sweep_matches(const SweepInfo& sweep, std::string_view title, std::string_view words, std::int64_t now) {
  const SweepSearch search(words, now);
  return search.empty() || search.finds(searched_text(sweep, title));
}

}  // namespace triscope
