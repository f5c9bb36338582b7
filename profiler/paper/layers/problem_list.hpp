// Problems, and what was counted of them, found without a comparison with all others.
#pragma once

#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "profiler/paper/layers/work_table.hpp"

namespace triscope {

struct ProblemHash {
  std::size_t operator()(const Problem& problem) const;
};
struct SameProblem {
  bool operator()(const Problem& a, const Problem& b) const;
};

/// Each once, in the order in which they came.
class ProblemList {
 public:
  void add(const Problem& problem);
  void add(std::span<const Problem> problems);
  const std::vector<Problem>& list() const { return list_; }

 private:
  std::vector<Problem> list_;
  std::unordered_set<Problem, ProblemHash, SameProblem> known_;
};

/// A table that is asked often; it must outlive this.
class WorkIndex {
 public:
  explicit WorkIndex(const WorkTable& table);
  /// Null where the table does not have it.
  const CountedProblem* find(const Problem& problem) const;
  /// Whether a build counted tiles of some kernel for one of the problems: one with GPU kernels did.
  bool knows_tiles() const { return knows_tiles_; }

 private:
  std::unordered_map<Problem, const CountedProblem*, ProblemHash, SameProblem> places_;
  bool knows_tiles_ = false;
};

}  // namespace triscope
