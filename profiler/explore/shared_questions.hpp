// What two sides of measurements both answer.
#pragma once

#include <vector>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// The measurements of one question on both sides.
struct Candidates {
  std::vector<const ResultRow*> before, after;
};
/// What both sides measured. Where one of them has several instances of a problem, those of the same name are one
/// question.
std::vector<Candidates> shared_questions(const std::vector<const ResultRow*>& older,
                                         const std::vector<const ResultRow*>& newer);

}  // namespace triscope
