// The numbers of the page on Match3, and what is found of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/match3/match3_findings.hpp"

namespace triscope {

/// As typed.
struct Match3Fields {
  std::string numbers = "35 21 0 30 48 4 49 39", c;  ///< c empty: a safe one where there is one
  int modulus = 53;
  Match3Precision precision = Match3Precision::fp32;
  bool operator==(const Match3Fields&) const = default;
};

struct Match3Ui {
  Match3Fields typed, asked;
  int draw = 8, seed = 1;  ///< of the numbers that are drawn next
};

/// At most so many numbers: what is found of them is found again while the window waits.
inline constexpr std::int64_t kMatch3PageNumbers = 48;

struct Match3Shown {
  std::string problem;  ///< what is wrong with the fields, one sentence; empty: nothing
  std::optional<Match3Findings> findings;
  std::vector<Match3Trial> moduli;  ///< of this length, every precision
};

/// "at modulus 53, beyond that: of 480 tried 3 wrong": where the numbers were tried, beside the modulus up to which
/// some c is safe.
std::string tried_text(const Match3Trial& trial, std::int64_t safe_up_to);

/// Takes some 20 ms: made beside the drawing. `before`: what was shown last, whose moduli stand for the same length;
/// may be null.
Match3Shown find_shown(const Match3Fields& fields, const Match3Shown* before);

}  // namespace triscope
