// Two measurements side by side: in what they differ, and what their counters say, what differs most first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "views/data/window_data.hpp"

namespace triscope {

/// What a counter says of a difference in time.
enum class CounterRole {
  work,    ///< what the kernel did: why it takes longer
  result,  ///< how busy units were, and for how long: what came of it
};

/// How busy the tensor cores were, in percent of the cycles with work.
inline constexpr std::string_view kTensorBusy = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active";

struct BesideLine {
  std::string label, meaning;
  CounterRole role = CounterRole::work;
  std::string a, b;                 ///< with their units; "–" where it was not counted
  double value_a = 0, value_b = 0;  ///< the same as numbers of one unit; 0 where it was not counted
  /// a / b, "2.46×". Empty: there is none, or it says little, as of shares of look-ups.
  std::string factor;
  /// Of how busy a unit is, "1.00×": that of its busy cycles, the share times the cycles with work. Empty: not known.
  std::string busy_cycles;
  /// By which lines of a role are sorted: |log(a / b)|; of shares, and of bank conflicts as a share of the passes, the
  /// difference.
  double apart = 0;
  bool only_one = false;  ///< has it
  bool share = false;     ///< of a highest value, in percent
  /// a and b are within 5 % of each other, or shares within 3 points, where the busy cycles are within 5 % or few.
  bool alike = false;
};

/// Every counter that one of them has and that says something: what the kernels did, what came of it, and what only one
/// of them has. Left out is what is 0 in both and what says again what another counter says.
std::vector<BesideLine> beside_lines(const Measurement& a, const Measurement& b);

/// The counters of `a` beside those of `b` in a sentence or two: "A does 1.29× the instructions and the same WGMMA
/// instructions. Busiest: tensor cores, 76 % of A's cycles and 88 % of B's." Work of a unit that is hardly busy in
/// either is no cause, and left out. Empty when they do not say.
std::string beside_in_words(const Measurement& a, const Measurement& b);

/// One thing beside the time in which two measurements differ.
struct BesideFact {
  std::string what, a, b;
};
/// What was asked for first, then the machine and its conditions, then the sources and how they were launched.
std::vector<BesideFact> differing_facts(const SelectedMeasurement& a, const SelectedMeasurement& b);

/// Both sides' time in each kernel that a launch of either ran, in milliseconds, the longest first; empty where each
/// ran one.
std::vector<BesideLine> beside_kernels(const Measurement& a, const Measurement& b);
/// What A takes of B's time: first what the verdict is of, then the same gap measured otherwise, as far as both have
/// it: in clock cycles, by CUDA events and in the launch whose counters were read. Empty where there is no ratio.
std::string gap_words(const Comparison& time, const Measurement& a, const Measurement& b);
/// Why those times are not the medians: they are of the first launch, before the device was warm. Empty where they
/// agree within 2 %, or are not known.
std::string first_launch_words(const Measurement& a, const Measurement& b);
/// Why the counted duration is not the median: "Counted in a launch of 24.8 ms at 1965 MHz, with cold caches; the
/// median is 27.264 ms." Empty where they agree within 2 %, or nothing was counted.
std::string counted_launch_words(const Measurement& measurement);
/// "hopper_backward" of "void triscope::hopper::backward::hopper_backward<128, false>(TensorMaps)".
std::string plain_kernel_name(std::string_view name);

/// Of more rows only the first are listed.
inline constexpr std::size_t kMostSelectedRows = 1000;

/// The rows that are selected, to be copied; the first is what the others stand beside.
TextTable figures_text(const SelectionFigures& figures);

}  // namespace triscope
