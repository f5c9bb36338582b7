// The algorithms of the paper's listings and of our kernels on a problem small enough to be looked at: an interpreter
// in fp64 that really computes, and keeps after each step what is in registers and in memory. One batch, one head,
// trilinear, causal. Rounding, and what hides latency (stages, rings, warps), is left out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace triscope {

enum class Algorithm {
  paper_forward,    ///< Listing 1
  paper_keys,       ///< Listing 2: dK and dV
  paper_two_stage,  ///< Listing 3: dQ, dK' and dV' from even and then odd tiles
  our_forward,      ///< virtual queries: the short axis is folded into q
  our_backward,     ///< virtual keys: pairs of keys and of values, products of both
};
inline constexpr int kAlgorithms = 5;

/// Sizes of what is shown. Tiles are small too: `tile` queries or keys, for the 32 to 128 of the kernels.
struct StepSizes {
  std::int64_t n = 12, window1 = 6, window2 = 3, dim = 4, tile = 4;
  bool operator==(const StepSizes&) const = default;
};
/// `sizes` within what is shown: n 2 to 16, windows 1 to n, dim 1 to 8, tile 2 to 4.
StepSizes clamped(StepSizes sizes);

/// Positions first .. end - 1.
struct StepSpan {
  std::int64_t first = 0, end = 0;
  bool operator==(const StepSpan&) const = default;
};

/// A matrix with names for its axes; element (r, c) is of row `first_row` + r.
struct StepGrid {
  std::string name;           ///< "acc"
  std::string rows, columns;  ///< "query", "key 2", "d", or empty where there is one
  std::int64_t first_row = 0, first_column = 0, height = 0, width = 0;
  std::vector<double> values;  ///< row by row; NaN: nothing was written yet; kMaskedLogit or less: masked
  bool changed = false;        ///< by this step

  double& at(std::int64_t row, std::int64_t column) { return values[static_cast<std::size_t>(row * width + column)]; }
  double at(std::int64_t row, std::int64_t column) const {
    return values[static_cast<std::size_t>(row * width + column)];
  }
};
inline constexpr double kMaskedLogit = -1.0e38;  ///< as in the listings

enum class StepKind {
  load,         ///< from memory, or a register is cleared
  elementwise,  ///< products of elements, exponentials, sums of rows: CUDA cores
  product,      ///< of matrices: tensor cores
  store,        ///< to memory, or added there
};

struct AlgorithmStep {
  StepKind kind = StepKind::load;
  std::int64_t program = 0;  ///< which block of the grid does it
  int line = 0;              ///< of `AlgorithmSteps::listing`
  std::string where;         ///< "even tile 0: queries 0 to 2"
  std::string says;          ///< one sentence
  StepSpan queries, keys1, keys2;
  std::vector<StepGrid> registers, memory;
};

/// What the launch leaves in memory, [n][dim] each, lse [n]; empty where the algorithm does not make it.
struct StepResult {
  std::vector<double> o, lse, grad_q, grad_k1, grad_v1, grad_k2, grad_v2;
};

/// [n][dim] each: multiples of 1/8 between -3/2 and 3/2, none of them 0.
struct StepTensors {
  std::vector<double> q, k1, k2, v1, v2, grad_o;
};
StepTensors step_tensors(const StepSizes& sizes);
double step_scale(const StepSizes& sizes);  ///< of the logit: 1 / sqrt(dim)

struct AlgorithmSteps {
  Algorithm algorithm = Algorithm::paper_forward;
  StepSizes sizes;
  std::vector<std::string> listing;
  std::vector<AlgorithmStep> steps;
  std::int64_t programs = 0;
  StepResult result;
};

const char* algorithm_name(Algorithm algorithm);
/// What it is good for and what it costs, one sentence.
const char* algorithm_note(Algorithm algorithm);

}  // namespace triscope
