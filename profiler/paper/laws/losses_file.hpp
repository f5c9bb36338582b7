// Losses of one's own models, as CSV, for the fits that the paper makes.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/paper/laws/scaling_law.hpp"

namespace triscope {

/// Reads lines "benchmark,model,parameters,loss" in any order, the first line being these names. Parameters may end in
/// M, B or T (millions, billions, 10^12); loss is a negative log-likelihood above 0. A cell may stand in quotes.
/// Returns a series for each pair of benchmark and model, in the order of their first lines. Throws `Error` (usage)
/// naming the line that cannot be read, also for more than 100,000 lines.
std::vector<LossSeries> read_losses(std::string_view text);

/// The text of a file of at most 32 MiB. Throws `Error` (usage) where it is larger, is no file, or cannot be read.
std::string losses_text_of(const std::filesystem::path& file);
/// Its losses. Errors name the file.
std::vector<LossSeries> read_losses_file(const std::filesystem::path& file);

/// "1.5B", "350M", "7e9"; at most 1e24. Throws `Error` (usage).
double parse_parameters(std::string_view text);

/// "1B", "2.12B", "350M", with 4 significant digits.
std::string parameters_text(double parameters);

}  // namespace triscope
