// Points and curves of the chart over lengths beside each other.
#pragma once

#include <cstddef>
#include <string>

#include "profiler/statistics/verdicts.hpp"
#include "views/model/charts/length_chart.hpp"

namespace triscope {

/// As `beside_baseline_text`, where `verdicts` holds the same comparison, that of one pass within one sweep, by its
/// ratio and interval: the star is left out where they took turns. Null: none are known.
std::string beside_reference_text(const LengthPass& pass, std::size_t curve, const LengthPoint& point,
                                  const Verdicts* verdicts);

/// "By the ratios of neighbouring turns, as in Latency, 1.114 times as long (1.104 to 1.124).": of the nearest pair of
/// a budget, whose sentence compares medians. Empty where `verdicts` holds no such ratio.
std::string turns_sentence(const LengthPass& pass, const SameBudget& budget, const Verdicts* verdicts);

/// The same of a step, of which both passes took turns: the sum of their ratios weighted by the baseline's times. Empty
/// where one of them did not.
std::string step_turns_sentence(const LengthChart& chart, const SameBudget& budget, const Verdicts* verdicts);

/// A curve of ours that is drawn later lies on this one at two lengths or more, most of those that both have: it is
/// drawn broader, so that both are seen.
bool lies_below_another(const LengthPass& pass, std::size_t curve);

}  // namespace triscope
