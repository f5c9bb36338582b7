// Which measurements of two versions of a kernel stand beside each other.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "profiler/explore/shared_questions.hpp"
#include "profiler/explore/versions.hpp"
#include "profiler/record/measurement.hpp"

namespace triscope {

/// A measurement of each version, of the same problem, device, regime and clock.
struct ChosenPair {
  ResultRow before, after;
  std::size_t of_before = 1, of_after = 1;  ///< from how many each was chosen
  double lowest = 0, highest = 0;           ///< ratio of the medians, newer over older, of all their pairs
};
/// Of what else is known of rows: the id of the card that measured one, empty where nobody can say, and the kernels
/// that it took turns with, which change its heat and its clock.
struct AboutRows {
  std::function<std::string(const ResultRow&)> gpu_of{};
  std::function<std::set<std::string>(const ResultRow&)> companions_of{};
};
/// What both versions measured well. Of several measurements of one question those two stand beside each other that are
/// of one sweep, else of one card, else took turns with the same kernels, else both without a doubt (converged, in one
/// mode), else of more restarts; of equals the newest.
std::vector<ChosenPair> chosen_pairs(std::span<const ResultRow> rows, const VersionChoice& choice,
                                     const AboutRows& about = {});
/// "Chosen from 4 of the newer version and 3 of the older; all pairs of them: 0.927 to 1.035."; empty where there was
/// no choice.
std::string chosen_words(const ChosenPair& pair);

}  // namespace triscope
