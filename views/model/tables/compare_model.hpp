// Two or more sweeps side by side: the first is what the others are judged against.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/explore/unchanged_band.hpp"
#include "views/data/window_data.hpp"
#include "views/model/tables/latency_model.hpp"

namespace triscope {

struct CompareCell {
  std::int64_t measurement = 0;  ///< 0: of another database, where it cannot be selected
  std::int64_t sweep = 0;        ///< that holds it
  std::optional<double> ms;
  int decimals = 0;  ///< of `ms`, as many as its interval bears
  Status status = Status::ok;
  std::optional<Comparison> comparison;  ///< with the first sweep's; unset for the first sweep itself
  std::optional<BandVerdict> band{};     ///< beside what unchanged kernels do; where that is known
  std::string doubts{};                  ///< `doubts_text` of it and the first sweep's
  std::string from{};                    ///< where it stands: "sweep 27, 25 Nov 02:09"
  std::int64_t row = 0;                  ///< the measurement in the database that holds it
  std::int64_t restarts = 0;             ///< processes that measured it
  std::string reason{};                  ///< why it has no time; empty: it has one, or nothing is known
};

struct CompareLine {
  std::string window, kernel, pass;               ///< what is the same
  std::string setting;                            ///< the same, where lines differ in more: "4,096 tokens"
  std::string unusual;                            ///< of it what most lines do not share, but for the tokens
  std::optional<std::int64_t> tokens;             ///< where lines differ in them
  std::vector<std::optional<CompareCell>> cells;  ///< by sweep; absent where that sweep lacks it
  std::size_t of_before = 1, of_after = 1;        ///< from how many measurements its two were chosen
  bool unchanged = false;                         ///< of a kernel that did not change
  std::string brief_kernel = {};                  ///< of a narrow column: "FA3"
};
/// Of a narrow column: "deterministic, 4k"; what it leaves out is `CompareModel::usual`.
std::string brief_setting(const CompareLine& line);
/// "bwd, burst" of "backward, burst".
std::string brief_pass(const std::string& pass);

/// One thing in which sweeps differ, most important first: driver, clock, regime, budget, version, ...
struct Difference {
  std::string what;
  std::vector<std::string> values;  ///< by sweep; empty: unknown
  std::string group{};              ///< of a `PlaceFact`
};

/// The machine, its conditions, how it was timed, then the software. Of places and settings the facts
/// are those of `triscope compare` (profiler/record/environment_difference), for each side as a whole: which rows of a
/// side were measured where is not in them.
std::vector<Difference> differences_of(const std::vector<ComparedSweep>& compared, std::int64_t now);
std::string device_text(const SweepResults& results);
bool on_several_devices(const std::vector<ComparedSweep>& compared);

struct CompareModel {
  std::vector<std::string> sweeps;  ///< "#27, today 14:02"; with the device where devices differ
  std::vector<CompareLine> lines;   ///< what every sweep has first, of it what takes longer than before first
  std::vector<Difference> differences;
  std::string kernel;                       ///< of all lines; empty: they have several
  bool has_cycles = false;                  ///< some ratio in clock cycles is known
  bool has_intervals = false;               ///< some interval is known
  std::string interval_title = "interval";  ///< "99 % interval"; without it where they differ
  UnchangedKernels unchanged;  ///< between the two sides; empty where nothing changed, or there are more sides
  std::vector<CompareLine> unchanged_lines;  ///< of versions: what did not change, which is on none of `lines`
  std::optional<UnchangedBand> band;
  BandTally band_tally;      ///< of `lines`
  bool has_doubts = false;   ///< some cell has any
  bool has_choices = false;  ///< some line was chosen from several measurements
  Unjudged unjudged;
  std::string conditions;     ///< what all lines of our kernels share: "32,768 tokens, 64/1 heads"
  std::string usual;          ///< what brief settings leave out: "trilinear, 64/1 heads, head size 128"
  bool has_settings = false;  ///< some line has one
  bool has_passes = false;    ///< lines differ in pass or regime
  int decimals = 0;           ///< of times, the most of any cell: a column lines up on its point
  std::int64_t faster = 0, slower = 0, same = 0, unclear = 0, not_comparable = 0,
               missing = 0;  ///< over the second sweep on
  std::int64_t failed = 0;   ///< of what every sweep has, lines of which a side failed
  double highest_ratio = 1;  ///< at the upper end of an interval: their column has room for it
  double highest_ms = 0;     ///< the longest of all times: their columns have room for it
  std::string longest_setting, longest_brief_setting;  ///< their columns have room for them
  std::string longest_kernel, longest_brief_kernel, longest_pass;
};

/// `now` is unix seconds, for the sweeps' names.
CompareModel make_compare_model(const std::vector<ComparedSweep>& compared, std::int64_t now);
/// "A" or "B" of two sides, B the first, which A is judged against; of more B alone has a letter.
const char* side_letter(const CompareModel& model, std::size_t side);
/// "A 2c6a73", or the name alone.
std::string side_name(const CompareModel& model, std::size_t side);

/// What lines can be sorted by, of one side where it has sides.
enum class CompareField { window, kernel, verdict, band, ratio, cycles, interval, doubts, time, chosen, pass, setting };
struct CompareSort {
  CompareField field = CompareField::ratio;
  std::size_t side = 1;
  bool descending = false;
  bool operator==(const CompareSort&) const = default;
};
/// The lines' places in that order; what has no value stands last. Without a sort as they stand. Where they are wanted,
/// those of `unchanged_lines` come first, which are counted on from the others; without a sort both are by the ratio.
std::vector<std::size_t> sorted_lines(const CompareModel& model, const std::optional<CompareSort>& sort,
                                      bool with_unchanged = false);
const CompareLine& line_at(const CompareModel& model, std::size_t place);

/// Of every ratio, by time and in cycles: 1.004 and 1.03 beside each other would not show which is larger.
inline constexpr int kRatioDecimals = 3;
/// "inside, +1.9 %", "unchanged"; empty where nothing is known.
std::string beside_text(const CompareLine& line, const CompareCell& cell);
/// "0.981 .. 1.020" of a ratio, or "unknown".
std::string interval_text(const Comparison& comparison);
/// What the verdicts mean, what all rows share, and what brief settings leave out: "Same: the whole interval
/// within 2 %. ..."; empty where nothing is compared.
std::string compare_explanation(const CompareModel& model);
TextTable compare_text(const CompareModel& model);

/// One sentence that says how the comparison went: "0 longer, 12 shorter, 28 the same, 2 failed.", or why nothing could
/// be compared.
std::string compare_summary(const CompareModel& model);
/// Some two times were set beside each other, whatever the verdict is.
bool has_comparisons(const CompareModel& model);

}  // namespace triscope
