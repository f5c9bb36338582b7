#include "profiler/explore/shared_questions.hpp"

#include <cstddef>
#include <map>

#include "profiler/explore/identity.hpp"

namespace triscope {
namespace {

using Rows = std::vector<const ResultRow*>;

}  // namespace

std::vector<Candidates> shared_questions(const Rows& older, const Rows& newer) {
  TextNumbers texts;
  const auto by_question = [&](const Rows& rows) {
    std::map<Identity, Rows> side;
    for (const ResultRow* row : rows) {
      Identity key = identity_of(*row, texts);
      key[kVersionPart] = 0;
      side[key].push_back(row);
    }
    return side;
  };
  const std::map<Identity, Rows> before = by_question(older), after = by_question(newer);
  // An instance that was renamed, or chosen anew, is still the answer to the same question where each has one.
  const auto without_instance = [](Identity key) {
    key[kInstancePart] = -1;
    return key;
  };
  std::map<Identity, std::vector<const Rows*>> of_question;
  for (const auto& [key, rows] : before) of_question[without_instance(key)].push_back(&rows);
  std::map<Identity, std::size_t> answers;
  for (const auto& [key, rows] : after) ++answers[without_instance(key)];
  std::vector<Candidates> shared;
  for (const auto& [key, rows] : after) {
    if (const auto same = before.find(key); same != before.end()) {
      shared.push_back({same->second, rows});
      continue;
    }
    const auto found = of_question.find(without_instance(key));
    if (found != of_question.end() && found->second.size() == 1 && answers[without_instance(key)] == 1)
      shared.push_back({*found->second.front(), rows});
  }
  return shared;
}

}  // namespace triscope
