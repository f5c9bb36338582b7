#include "profiler/explore/explore_filter.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/text/nearest_name.hpp"

namespace triscope {
namespace {

[[noreturn]] void refuse(std::string_view term, const std::string& why, const std::string& fix) {
  throw Error(fmt::format("filter '{}'", term), why, fix, ExitCode::usage);
}

std::string small_letters(std::string_view text) {
  std::string small(text);
  for (char& c : small) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return small;
}

/// `text` cut at each of `separators` outside double quotes; quotes are kept.
std::vector<std::string> cut(std::string_view text, std::string_view separators) {
  std::vector<std::string> parts(1);
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (!quoted && separators.find(c) != std::string_view::npos) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  if (quoted) refuse(text, "a double quote is not closed", "close it");
  return parts;
}

std::string without_quotes(std::string text) {
  std::erase(text, '"');
  return text;
}

/// "8192", "8k", "1.5"; unset: no number.
std::optional<double> parse_amount(std::string_view text) {
  double unit = 1;
  if (text.ends_with('k')) unit = 1024;
  if (text.ends_with('m')) unit = 1024.0 * 1024.0;
  if (unit > 1) text.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value * unit;
}

/// The number that is all of `text`, in digits alone.
std::optional<unsigned> parse_digits(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The value is the one that `wanted` names: 64 query heads of 64/1.
bool is_named(const ExploreField& field, const std::string& wanted, const std::string& value) {
  if (field.id == "heads" && wanted.find('/') == std::string::npos) return value.substr(0, value.find('/')) == wanted;
  return value == wanted;
}

/// The names that a value goes by, in small letters: a kernel's id and those that are shown of it.
std::vector<std::string> names_of(const ExploreField& field, const Explored& one) {
  std::vector<std::string> names{small_letters(field.text(one))};
  if (field.id == "kernel") {
    for (const std::string& name : {one.row.card.label, one.row.card.short_label}) {
      if (!name.empty()) names.push_back(small_letters(name));
    }
  }
  return names;
}

/// "2026-11-21", of a day that there is.
bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const auto year = parse_digits(text.substr(0, 4)), month = parse_digits(text.substr(5, 2)),
             day = parse_digits(text.substr(8, 2));
  if (!year || !month || !day) return false;
  return std::chrono::year_month_day(std::chrono::year(static_cast<int>(*year)), std::chrono::month(*month),
                                     std::chrono::day(*day))
      .ok();
}

}  // namespace

const ExploreField& require_explore_field(std::string_view what, std::string_view id) {
  if (const ExploreField* field = find_explore_field(id)) return *field;
  std::vector<std::string> known;
  std::vector<std::string> listed;  // hardware counters are too many to be read in a sentence
  for (const ExploreField& field : explore_fields()) {
    known.emplace_back(field.id);
    if (field.counter.empty()) listed.emplace_back(field.id);
  }
  throw Error(fmt::format("{} '{}'", what, id), "there is no such field",
              nearest_name_hint(std::string(id), known) +
                  fmt::format("the fields are {}, and hardware counters", fmt::join(listed, ", ")),
              ExitCode::usage);
}

ExploreFilter::ExploreFilter(std::string_view text) {
  for (const std::string& term : cut(text, " \t\n")) {
    if (term.empty()) continue;
    terms_.push_back(parse_term(term));
    terms_.back().written = term;
  }
}

std::string ExploreFilter::without(std::size_t n) const {
  std::vector<std::string> kept;
  for (std::size_t other = 0; other < terms_.size(); ++other) {
    if (other != n) kept.push_back(terms_[other].written);
  }
  return fmt::format("{}", fmt::join(kept, " "));
}

ExploreFilter::Term ExploreFilter::parse_term(const std::string& text) {
  // Those of two characters first: "<" also begins "<=".
  static constexpr std::array<std::pair<std::string_view, Operator>, 8> kOperators{{{"!=", Operator::unequal},
                                                                                    {"!~", Operator::lacks},
                                                                                    {"<=", Operator::at_most},
                                                                                    {">=", Operator::at_least},
                                                                                    {"=", Operator::equal},
                                                                                    {"~", Operator::holds},
                                                                                    {"<", Operator::less},
                                                                                    {">", Operator::more}}};
  Term term;
  const std::size_t at = std::min(text.find_first_of("!=~<>"), text.find('"'));
  if (at == std::string::npos || text[at] == '"') {
    term.values.push_back({small_letters(without_quotes(text)), std::nullopt});
    return term;
  }
  const auto found = std::find_if(kOperators.begin(), kOperators.end(),
                                  [&](const auto& one) { return text.compare(at, one.first.size(), one.first) == 0; });
  if (found == kOperators.end()) refuse(text, "'!' is no operator", "write != or !~");
  term.op = found->second;
  term.field = &require_explore_field("filter", text.substr(0, at));
  const bool compares = term.op >= Operator::less, by_text = term.op == Operator::holds || term.op == Operator::lacks;
  if (compares && !term.field->ordered)
    refuse(text, fmt::format("{} is a word, which is neither more nor less", term.field->id), "use = != ~ or !~");
  for (const std::string& part : cut(text.substr(at + found->first.size()), ",")) {
    Value value{small_letters(without_quotes(part)), std::nullopt};
    if (value.text.empty())
      refuse(text, "a value is missing", fmt::format("write {}{}VALUE", term.field->id, found->first));
    if (term.field->number != nullptr && !by_text) {
      value.number = parse_amount(value.text);
      if (!value.number) refuse(text, fmt::format("'{}' is no number", value.text), "write it as 4096, 8k or 1.5");
    }
    if (term.field->id == "date" && !by_text && !is_date(value.text))
      refuse(text, fmt::format("'{}' is no date", value.text), "write a day as 2026-11-21, or a month as date~2026-11");
    term.values.push_back(std::move(value));
  }
  if (compares && term.values.size() > 1) refuse(text, "it compares with several values", "name one of them");
  return term;
}

bool ExploreFilter::holds(const Term& term, const Explored& one) {
  const auto any = [&](auto&& fits) { return std::any_of(term.values.begin(), term.values.end(), fits); };
  if (term.field == nullptr) {
    return std::any_of(explore_fields().begin(), explore_fields().end(), [&](const ExploreField& field) {
      return !field.measure && std::ranges::any_of(names_of(field, one), [&](const std::string& name) {
        return name.find(term.values.front().text) != std::string::npos;
      });
    });
  }
  if (term.values.front().number) {
    const std::optional<double> number = term.field->number(one);
    if (!number) return false;
    const double other = *term.values.front().number;
    const bool equal = any([&](const Value& value) { return *number == *value.number; });
    switch (term.op) {
      case Operator::less:
        return *number < other;
      case Operator::at_most:
        return *number <= other;
      case Operator::more:
        return *number > other;
      case Operator::at_least:
        return *number >= other;
      default:
        return equal == (term.op == Operator::equal);
    }
  }
  const std::vector<std::string> names = names_of(*term.field, one);
  const std::string& text = names.front();
  const std::string& other = term.values.front().text;
  switch (term.op) {
    case Operator::less:
      return text < other;
    case Operator::at_most:
      return text <= other;
    case Operator::more:
      return text > other;
    case Operator::at_least:
      return text >= other;
    case Operator::equal:
    case Operator::unequal:
      return any([&](const Value& value) {
               return std::ranges::any_of(
                   names, [&](const std::string& name) { return is_named(*term.field, value.text, name); });
             }) == (term.op == Operator::equal);
    case Operator::holds:
    case Operator::lacks:
      return any([&](const Value& value) {
               return std::ranges::any_of(
                   names, [&](const std::string& name) { return name.find(value.text) != std::string::npos; });
             }) == (term.op == Operator::holds);
  }
  return false;
}

std::vector<std::string> ExploreFilter::accepted(std::size_t n) const {
  const Term& term = terms_[n];
  std::vector<std::string> texts;
  if (term.field != nullptr && term.op == Operator::equal) {
    for (const Value& value : term.values) texts.push_back(value.text);
  }
  return texts;
}

bool ExploreFilter::accepts(std::size_t n, std::size_t value, const Explored& one) const {
  Term alone = terms_[n];
  alone.values = {terms_[n].values[value]};
  return holds(alone, one);
}

bool ExploreFilter::matches(const Explored& one) const {
  return std::all_of(terms_.begin(), terms_.end(), [&](const Term& term) { return holds(term, one); });
}

bool ExploreFilter::names(std::string_view field) const {
  return std::any_of(terms_.begin(), terms_.end(),
                     [&](const Term& term) { return term.field != nullptr && term.field->id == field; });
}

}  // namespace triscope
