// Which windows cost as much as dot-product attention at each length.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "profiler/statistics/verdicts.hpp"
#include "views/model/charts/length_chart.hpp"

namespace triscope {

/// Time x clock of each measurement, in ms x MHz.
std::map<std::int64_t, double> cycles_of(const std::vector<const SweepResults*>& sweeps);

/// At each length of the baseline of the first crossing what the measured pairs say, if one takes a quarter to four
/// times as long; `pass` has its crossings. `part`: its name in words, "forward" or "step". `cycles`: time x clock by
/// measurement, where the clock is known.
void find_budgets(LengthPass& pass, std::string_view part, const std::map<std::int64_t, double>& cycles = {});

/// Says of each what `verdicts` say of its nearest pair, as all that is said of two rows does; without them it goes by
/// their medians. Null: none are known.
void say_beside(LengthChart& chart, const Verdicts* verdicts);

/// First those that know an area of equal cost, then the others, both by length.
std::vector<const SameBudget*> answers_first(const std::vector<SameBudget>& budgets);

}  // namespace triscope
