// Which windows cost as much as dot-product attention at each length.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "views/model/charts/length_chart.hpp"

namespace triscope {

/// At each length of dot-product attention what the measured pairs say, if one takes a quarter to four times as long;
/// the other lengths are the unanswered ones. The pairs differ in their windows alone: they are of the first problem
/// that sweep `shown` has a point of, else of the first that stands beside dot-product attention, best of `reference`.
/// `part`: the name of the pass in words, "forward" or "step".
void find_budgets(LengthPass& pass, std::string_view part, const std::string& reference, std::int64_t shown);

/// Says of each, and of the points beside their baselines, what `compare` says of the two rows, as all that is said of
/// two rows does; where it is empty or knows nothing of them they go by their medians. It is asked for
/// pairs of which the chart knows nothing yet.
void say_beside(LengthChart& chart, const ComparePairs& compare);

/// The answers of a pass, one a row, in the order of `answers_first`.
TextTable budget_table(const LengthPass& pass);

/// First those that know an area of equal cost, then the others, both by length.
std::vector<const SameBudget*> answers_first(const std::vector<SameBudget>& budgets);

}  // namespace triscope
