#include "views/model/tables/row_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "profiler/record/words/problem_facts.hpp"
#include "views/data/format.hpp"

namespace triscope {
namespace {

/// What is usual goes without saying, and what a number means is said by the column's header.
std::string brief_phrase(std::string_view fact, const Problem& problem, const std::string& phrase) {
  if (fact == "form" && problem.form == Form::trilinear) return {};
  if (fact == "form" && problem.form == Form::determinant) return "det.";
  if (fact == "tokens") return format_tokens(problem.seq_len);
  if (fact == "heads") return fmt::format("{}/{}", problem.q_heads, problem.kv_heads);
  return fact == "head size" ? fmt::format("D{}", problem.head_dim) : phrase;
}

void join(std::string& text, const std::string& phrase) {
  if (!phrase.empty()) text += (text.empty() ? "" : ", ") + phrase;
}

}  // namespace

std::string readable(std::string phrase) {
  std::replace(phrase.begin(), phrase.end(), '_', ' ');
  const std::size_t digits = std::min(phrase.find_first_not_of("0123456789"), phrase.size());
  for (std::size_t at = digits; at > 3; at -= 3) phrase.insert(at - 3, ",");
  return phrase;
}

void RowSetting::add(const std::string& phrase, const std::string& in_brief) {
  join(text, phrase);
  join(brief, in_brief);
}

std::vector<RowSetting> row_settings(const std::vector<const ResultRow*>& rows) {
  std::vector<RowSetting> settings(rows.size());
  for (const ProblemFact& fact : problem_facts()) {
    std::set<std::string> values;  // baselines differ in form by nature
    for (const ResultRow* row : rows) {
      if (!is_baseline(*row)) values.insert(fact.value(row->problem));
    }
    if (values.size() < 2) continue;
    const std::string_view name = fact.name;
    for (std::size_t n = 0; n < rows.size(); ++n) {
      const Problem& problem = rows[n]->problem;
      if (problem.form == Form::gemm || (is_baseline(*rows[n]) && name == "form")) continue;  // its label says it all
      const std::string phrase = readable(fact.phrase(problem));
      settings[n].add(phrase, brief_phrase(name, problem, phrase));
      if (name == "tokens") settings[n].tokens = problem.seq_len;
    }
  }
  for (RowSetting& setting : settings) {
    if (setting.brief.empty()) setting.brief = setting.text;
  }
  return settings;
}

}  // namespace triscope
