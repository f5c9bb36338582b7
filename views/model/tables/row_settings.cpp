#include "views/model/tables/row_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>

#include "profiler/record/words/problem_facts.hpp"
#include "views/data/format.hpp"

namespace triscope {
namespace {

constexpr std::string_view kDeterministic = "deterministic gradients";  ///< "gradients" in a narrow column goes

void join(std::string& text, const std::string& phrase) {
  if (!phrase.empty()) text += (text.empty() ? "" : ", ") + phrase;
}

/// The value that most of our rows have, and whether it goes without saying: each of the others has a phrase.
struct Usual {
  std::string value, phrase;
  bool unsaid = true;
};
Usual usual_of(const ProblemFact& fact, const std::vector<const ResultRow*>& rows) {
  std::map<std::string, std::size_t> found;
  Usual usual;
  for (const ResultRow* row : rows) {
    if (!is_baseline(*row)) ++found[fact.value(row->problem)];
  }
  std::size_t most = 0;
  for (const ResultRow* row : rows) {  // of values that are as frequent the one that comes first
    if (is_baseline(*row)) continue;
    const std::string value = fact.value(row->problem);
    if (found[value] > most) usual.value = value, most = found[value];
  }
  for (const ResultRow* row : rows) {
    if (is_baseline(*row)) continue;
    const std::string phrase = readable(fact.phrase(row->problem));
    if (fact.value(row->problem) == usual.value) {
      usual.phrase = phrase;
    } else {
      usual.unsaid &= !phrase.empty();
    }
  }
  return usual;
}

/// What a baseline is called by: its kernel, and its length or how far it looks back.
std::string name_of(const ResultRow& row) {
  const Problem& p = row.problem;
  const bool sliding = p.form == Form::dot_product && p.window1 < p.seq_len;
  return fmt::format("{} {} {}", row.kernel, windows_text(p), sliding ? 0 : p.seq_len);
}

}  // namespace

std::string readable(std::string phrase) {
  std::replace(phrase.begin(), phrase.end(), '_', ' ');
  const std::size_t digits = std::min(phrase.find_first_not_of("0123456789"), phrase.size());
  for (std::size_t at = digits; at > 3; at -= 3) phrase.insert(at - 3, ",");
  return phrase;
}

void RowSetting::add(const std::string& phrase, const std::string& if_unusual) {
  join(text, phrase);
  join(unusual, if_unusual);
}

bool tells_baselines_apart(const std::function<std::string(const ResultRow&)>& text,
                           const std::vector<const ResultRow*>& rows) {
  std::map<std::string, std::string> first;
  return std::ranges::any_of(rows, [&](const ResultRow* row) {
    if (!is_baseline(*row)) return false;
    const auto [found, is_new] = first.try_emplace(name_of(*row), text(*row));
    return !is_new && found->second != text(*row);
  });
}

RowSettings row_settings(const std::vector<const ResultRow*>& rows) {
  RowSettings settings{std::vector<RowSetting>(rows.size()), {}};
  for (const ProblemFact& fact : problem_facts()) {
    std::set<std::string> values;  // baselines differ in form by nature
    for (const ResultRow* row : rows) {
      if (!is_baseline(*row)) values.insert(fact.value(row->problem));
    }
    const auto text = [&](const ResultRow& row) { return fact.value(row.problem); };
    if (values.size() < 2 && !tells_baselines_apart(text, rows)) continue;
    const std::string_view name = fact.name;
    const Usual usual = usual_of(fact, rows);
    if (name != "tokens" && usual.unsaid) join(settings.usual, usual.phrase);
    for (std::size_t n = 0; n < rows.size(); ++n) {
      const Problem& problem = rows[n]->problem;
      if (problem.form == Form::gemm || (is_baseline(*rows[n]) && name == "form")) continue;  // its label says it all
      const std::string phrase = readable(fact.phrase(problem));
      const bool left_out = name == "tokens" || (usual.unsaid && fact.value(problem) == usual.value);
      settings.by_row[n].add(phrase, left_out ? "" : phrase == kDeterministic ? "deterministic" : phrase);
      if (name == "tokens") settings.by_row[n].tokens = problem.seq_len;
    }
  }
  return settings;
}

}  // namespace triscope
