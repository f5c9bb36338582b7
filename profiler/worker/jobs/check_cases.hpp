// The problems `triscope check` compares with the oracle: the edges where kernels go wrong.
#pragma once

#include <vector>

#include "kernels/attention/problem.hpp"
#include "profiler/protocol/jobs.hpp"

namespace triscope {

struct CheckCase {
  Problem problem;
  InputKind inputs = InputKind::normal;
};

/// Both forms of every shape: lengths around the windows, windows of 1 and beyond the sequence, groups from 1 to 128,
/// batches, head dimensions with and without remainder, biases, sink, scale, the full mask, peaked and rising logits.
/// `quick`: a few of them. Small enough that the oracle compares every element.
std::vector<CheckCase> check_cases(Element element, bool quick);

/// The same edges for dot-product attention.
std::vector<CheckCase> baseline_check_cases(Element element, bool quick);

}  // namespace triscope
