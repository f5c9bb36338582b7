// Training steps as a table and as JSON.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "profiler/statistics/statistics.hpp"
#include "profiler/statistics/training_step.hpp"

namespace triscope {

/// A table for a terminal `width` columns wide, with what it says below it.
std::string training_step_table(const std::vector<TrainingStep>& steps, std::size_t width);
/// One object a line.
std::string training_step_json(const std::vector<TrainingStep>& steps);

/// How two rows compare, and how much the interval holds.
struct RowRatio {
  Comparison time;
  double confidence = 0.95;
};

/// The steps of two sides that ask the same question, and the time of A's / that of B's. The rows of both must outlive
/// it.
struct ComparedStep {
  TrainingStep a, b;
  ValueWithInterval ratio;
  bool in_turns = false;     ///< `ratio` is by the turns of both passes, not by the medians
  double confidence = 0.95;  ///< of its interval
};
/// `ratio_of_rows` gives what is known of two rows of A and B. Where both passes took turns, a step's ratio is by
/// these. Else it is that of the medians, and its interval is made of those of its passes, as if both erred together:
/// what differs between two runs (heat, neighbours) is common to both.
std::vector<ComparedStep> steps_of_both_sides(
    const std::vector<ResultRow>& a, const std::vector<ResultRow>& b,
    const std::function<std::optional<RowRatio>(const ResultRow& a, const ResultRow& b)>& ratio_of_rows);
std::string compared_steps_table(const std::vector<ComparedStep>& steps, std::size_t width);
std::string compared_steps_json(const std::vector<ComparedStep>& steps);

/// "7 problems, 3.21 to 397 ms, 0.412 to 3.96x baseline.fa3, 1 by too few blocks to trust, 2 of 7 not in turns": the
/// steps of a sweep in a few words; empty without any.
std::string training_steps_words(const std::vector<TrainingStep>& steps);

}  // namespace triscope
