// The user's own losses on the page of scaling laws: read from what is typed, fitted, and compared; without drawing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/export/text_table.hpp"
#include "profiler/paper/laws/scaling_law.hpp"

namespace triscope {

/// Longer texts are not edited in the window.
inline constexpr std::size_t kLongestEditedLosses = 64 * 1024;

inline constexpr const char* kLossesHeader = "benchmark,model,parameters,loss\n";

struct LossesUi {
  bool own = false;                  ///< the user's, not the paper's
  std::string text = kLossesHeader;  ///< CSV as it is typed, or of the file that was opened
  std::uint64_t edits = 0;           ///< grows whenever `text` changes
  std::string file;                  ///< that was opened last; empty: typed
  std::string sizes = "7B";          ///< whose losses are foretold, as typed: "7B, 70B"
  int benchmark = 0;                 ///< whose models are compared, an index of `OwnLosses::benchmarks`
};

/// Two models of one benchmark, by their places among its series.
struct ComparedModels {
  std::size_t from = 0, to = 0;
  ComparedLaws laws;
};

struct OwnBenchmark {
  std::string name;
  std::vector<FittedSeries> series;  ///< by first line
  std::vector<ComparedModels> pairs;
  bool only_with_first = false;  ///< too many models for every pair
};

/// The text of a file that was opened, in place of what was there.
void take_losses(LossesUi& ui, const std::string& file, std::string text);

/// What follows from a text of losses.
struct OwnLosses {
  std::vector<OwnBenchmark> benchmarks;
  std::string problem;  ///< why there are none, or why some are missing; empty: nothing
};
OwnLosses make_own_losses(const std::string& text);

/// The paper's own losses as a text to begin with.
std::string example_losses();

/// Numbers of parameters from "7B, 70B"; what cannot be read is said in `problem`.
std::vector<double> parse_sizes(const std::string& text, std::string& problem);

/// "5 runs of each size, or 7 sizes in all, would decide it."
std::string needed_words(const ComparedLaws& pair);
/// "0.1530 ± 0.0224", "0.1530, interval unknown".
std::string with_half(double value, const std::optional<double>& half, int decimals);

/// Fits, differences and forecasts, to be copied.
TextTable losses_text(const OwnLosses& losses, const std::vector<double>& sizes);

}  // namespace triscope
