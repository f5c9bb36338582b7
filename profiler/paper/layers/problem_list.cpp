#include "profiler/paper/layers/problem_list.hpp"

#include <cstdint>

#include "kernels/base/work_count.hpp"

namespace triscope {

/// By the sizes; what else tells problems apart is rare, and is left to the comparison.
std::size_t ProblemHash::operator()(const Problem& problem) const {
  constexpr std::uint64_t kFactor = 0x9E37'79B9'7F4A'7C15;  // 2^64 by the golden ratio
  std::uint64_t hash = static_cast<std::uint64_t>(problem.form);
  for (const std::int64_t size : {problem.batch, problem.seq_len, problem.q_heads, problem.kv_heads, problem.head_dim,
                                  problem.window1, problem.window2}) {
    hash = (hash ^ static_cast<std::uint64_t>(size)) * kFactor;
    hash ^= hash >> 32;
  }
  return hash;
}

bool SameProblem::operator()(const Problem& a, const Problem& b) const {
  ++work_count.compared;
  return a == b;
}

void ProblemList::add(const Problem& problem) {
  if (known_.insert(problem).second) list_.push_back(problem);
}

void ProblemList::add(std::span<const Problem> problems) {
  for (const Problem& problem : problems) add(problem);
}

WorkIndex::WorkIndex(const WorkTable& table) {
  for (const CountedProblem& one : table) {
    places_.try_emplace(one.problem, &one);
    knows_tiles_ |= !one.uses.empty();
  }
}

const CountedProblem* WorkIndex::find(const Problem& problem) const {
  const auto found = places_.find(problem);
  return found == places_.end() ? nullptr : found->second;
}

}  // namespace triscope
