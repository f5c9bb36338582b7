// What `triscope compare` found, as text: a table, JSON lines, Markdown, JUnit XML.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/options/selection.hpp"
#include "app/cli/text/training_step.hpp"
#include "profiler/explore/unchanged_band.hpp"
#include "profiler/statistics/between_sides.hpp"
#include "profiler/statistics/statistics.hpp"

namespace triscope {

/// Two rows and what is said of them.
struct ComparedPair {
  RowPair rows;
  Comparison comparison;
  double confidence = 0.95;  ///< of the interval
  bool converged_a = true, converged_b = true;
  bool violated = false;              ///< by --fail-if
  bool open = false;                  ///< --fail-if cannot say whether it is
  bool same_measurement = false;      ///< A and B are one
  std::optional<BandVerdict> band{};  ///< beside what unchanged kernels do; where that is known
  std::string chosen{};               ///< `chosen_words`
};

/// A difference between the environments of A and B.
struct PlaceDifference {
  std::string group;      ///< device, host, driver, commit or settings: what --allow names
  std::string text;       ///< "commit a596f9e (not 1b245ca)": of A, not as of B
  std::size_t pairs = 0;  ///< how many pairs have it
  bool allowed = false;   ///< by --allow
};

/// What all comparisons say together.
struct Tally {
  std::size_t compared = 0, faster = 0, slower = 0, same = 0, unclear = 0, not_comparable = 0;
  std::size_t violations = 0;          ///< of --fail-if
  std::size_t open = 0;                ///< neither that nor known to be none
  std::size_t unclear_violations = 0;  ///< violations whose verdict is unclear
  std::size_t not_converged = 0;       ///< pairs of which a side is not
  std::size_t measured = 0;            ///< pairs of which both sides are ok
  std::size_t only_a = 0, only_b = 0;  ///< without a partner
  std::size_t failed_b = 0;            ///< B was tried and not measured
  std::size_t missing = 0;             ///< measured in B, without a partner in A
};

struct Compared {
  std::string a, b;  ///< what was compared: "new.db, sweep 3 of 2026-11-21 13:55"
  std::vector<ComparedPair> pairs;
  std::vector<PlaceDifference> differences;
  Tally tally;
  UnchangedKernels unchanged;  ///< on the same two sides; empty where nothing changed
  std::optional<UnchangedBand> band;
  std::vector<ComparedStep> steps;  ///< forward and backward together
  std::string gate;                 ///< the condition of --fail-if; empty: there is no gate
  std::vector<std::string> faults;  ///< why the gate does not pass, or why nothing was compared; empty: all is well
};

/// Sets the band of what did not change, and what each pair is beside it.
void judge_beside_unchanged(Compared& compared);
/// Counts `pairs`; `pairing` says what had no partner.
Tally count_pairs(const std::vector<ComparedPair>& pairs, const Pairing& pairing);
/// "12 compared, 3 shorter, 9 the same; without a partner: 0 of A, 2 of B".
std::string tally_text(const Tally& tally);

/// For a terminal that is `width` columns wide. Times are A's and B's, the ratio is time A / time B in every row.
std::string compared_table(const Compared& compared, std::size_t width);
/// One object a line: each comparison with all facts of both sides, the differences, the summary.
std::string compared_json(const Compared& compared);
/// A table for a merge request, with the differences and the summary.
std::string compared_markdown(const Compared& compared);
/// A test suite with one test for each pair, and one for the gate as a whole.
std::string compared_junit(const Compared& compared);

}  // namespace triscope
