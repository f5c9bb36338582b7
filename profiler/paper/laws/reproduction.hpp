// The paper's results recomputed from what it prints: which numbers follow from the others, and which do not.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "profiler/paper/laws/printed_values.hpp"
#include "profiler/paper/laws/scaling_law.hpp"

namespace triscope {

/// Active parameters of the three model sizes.
using ModelSizes = std::array<double, 3>;
inline constexpr ModelSizes kPrintedSizes{1e9, 2e9, 3.5e9};
/// A law needs three sizes that grow, as those of the paper's tables do.
inline bool sizes_grow(const ModelSizes& sizes) { return sizes[0] < sizes[1] && sizes[1] < sizes[2]; }

inline constexpr std::array<const char*, 4> kBenchmarks{"GSM8k", "MMLU", "MMLU-pro", "MBPP"};
inline constexpr std::array<const char*, 2> kModels{"Transformer", "2-simplicial"};

/// Table 2's losses of one of `kModels` on one of `kBenchmarks`.
LossSeries paper_losses(std::string_view benchmark, std::string_view model, const ModelSizes& sizes = kPrintedSizes);

/// The change of Table 2 in the row below two models, from their printed losses: -0.0151.
double printed_change(int row, std::string_view benchmark);

/// A printed value beside the same from the numbers that it is made of. Those are rounded too: `low` to `high` is what
/// their unrounded values allow.
struct Recomputed {
  PrintedValue printed;
  std::string from;  ///< what it is made of: "the losses of Table 2"
  double value = 0;
  double low = 0, high = 0;
  /// How far the printed value, give or take half its last digit, lies from `low` to `high`; 0: reproduced;
  /// infinite: nothing could be recomputed.
  double beyond_rounding = 0;
  bool reproduced() const { return beyond_rounding == 0; }
  double miss() const { return value - printed.value; }
};

/// `printed` beside what it was recomputed as. Numbers that are not finite reproduce nothing.
Recomputed compare_with_printed(const PrintedValue& printed, std::string from, double value, double low, double high);

/// All that can be recomputed: the products of Table 1, the deltas of Tables 2 and 3 and, with `sizes`, the 32 values
/// of the fits in Tables 3 and 4. Order: as printed.
std::vector<Recomputed> recompute_tables(const ModelSizes& sizes = kPrintedSizes);

/// The 32 values of the fits only.
std::vector<Recomputed> recompute_fits(const ModelSizes& sizes);

/// Of how many benchmarks the difference of the exponents is decided (`ComparedLaws::decided`).
int decided_differences(const ModelSizes& sizes = kPrintedSizes);
/// The two ways in which a change of alpha is recomputed: from the exponents that Table 3 prints (`recompute_tables`),
/// and from the fits of Table 2 with `sizes`, with both results of every benchmark.
std::string alpha_changes_text(const ModelSizes& sizes = kPrintedSizes);

/// The paper's conclusion that exponents grow by more on harder benchmarks, beside what its numbers say of it: the
/// printed gains and the same from its losses, the order of the losses, and how many of the gains are decided.
std::string harder_benchmarks_text(const ModelSizes& sizes = kPrintedSizes);

/// The sizes that bring all 32 values of the fits nearest to what is printed: least squares of each miss over what
/// rounding may move it (at `kPrintedSizes`), by Gauss-Newton steps with damping.
struct SolvedSizes {
  ModelSizes sizes{};
  double misfit_printed_sizes = 0;  ///< root mean square miss, in units of rounding, at `kPrintedSizes`
  double misfit = 0;                ///< the same at `sizes`
  int reproduced = 0;               ///< of the 32, at `sizes`
};
SolvedSizes solve_sizes();

}  // namespace triscope
