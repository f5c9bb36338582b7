// Which windows cost as much as dot-product attention at each length.
#pragma once

#include <string_view>
#include <vector>

#include "profiler/statistics/verdicts.hpp"
#include "views/model/charts/length_chart.hpp"

namespace triscope {

/// At each length of the baseline of the first crossing what the measured pairs say, if one takes a quarter to four
/// times as long; the other lengths are its unanswered ones. `pass` has its crossings. `part`: its name in words,
/// "forward" or "step".
void find_budgets(LengthPass& pass, std::string_view part);

/// Says of each what `verdicts` say of its nearest pair, as all that is said of two rows does; without them it goes by
/// their medians. `usual`: beside the reference that is taken where none is chosen. Null: none are known.
void say_beside(LengthChart& chart, const Verdicts* chosen, const Verdicts* usual = nullptr);

/// The answers of a pass, one a row, in the order of `answers_first`.
TextTable budget_table(const LengthPass& pass);

/// First those that know an area of equal cost, then the others, both by length.
std::vector<const SameBudget*> answers_first(const std::vector<SameBudget>& budgets);

}  // namespace triscope
