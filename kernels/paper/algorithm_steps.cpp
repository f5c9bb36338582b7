#include "kernels/paper/algorithm_steps.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace triscope {

StepSizes clamped(StepSizes sizes) {
  sizes.n = std::clamp<std::int64_t>(sizes.n, 2, 16);
  sizes.window1 = std::clamp<std::int64_t>(sizes.window1, 1, sizes.n);
  sizes.window2 = std::clamp<std::int64_t>(sizes.window2, 1, sizes.n);
  sizes.dim = std::clamp<std::int64_t>(sizes.dim, 1, 8);
  sizes.tile = std::clamp<std::int64_t>(sizes.tile, 2, 4);
  return sizes;
}

StepTensors step_tensors(const StepSizes& sizes) {
  std::uint32_t state = 2463534242U;  // xorshift: the same numbers everywhere
  const auto make = [&] {
    std::vector<double> tensor(static_cast<std::size_t>(sizes.n * sizes.dim));
    for (double& x : tensor) {
      state ^= state << 13U, state ^= state >> 17U, state ^= state << 5U;
      const auto eighths = static_cast<int>(state % 24) - 12;  // -12 .. 11
      x = (eighths >= 0 ? eighths + 1 : eighths) / 8.0;
    }
    return tensor;
  };
  StepTensors tensors;
  for (auto* tensor : {&tensors.q, &tensors.k1, &tensors.k2, &tensors.v1, &tensors.v2, &tensors.grad_o})
    *tensor = make();
  return tensors;
}

double step_scale(const StepSizes& sizes) { return 1 / std::sqrt(static_cast<double>(sizes.dim)); }

const char* algorithm_name(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::paper_forward:
      return "Paper: forward";
    case Algorithm::paper_keys:
      return "Paper: dK, dV";
    case Algorithm::paper_two_stage:
      return "Paper: two-stage";
    case Algorithm::our_forward:
      return "Ours: forward";
    case Algorithm::our_backward:
      return "Ours: backward";
  }
  return "";
}

const char* algorithm_note(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::paper_forward:
      return "One key of axis 1 at a time is multiplied into the queries; the product with tiles of axis 2 is a matrix "
             "product. Loops begin one key early, as printed.";
    case Algorithm::paper_keys:
      return "A program owns keys of axis 1, so dK and dV stay in its registers. It makes the scores once more.";
    case Algorithm::paper_two_stage:
      return "Neighbouring tiles of queries share keys of axis 2. Even tiles share none, so they store; odd tiles load "
             "what is there and add. No atomics.";
    case Algorithm::our_forward:
      return "The axis with the shorter window is folded into the queries, one position a step; every row runs the "
             "same "
             "steps, and the long axis is read in tiles that stay.";
    case Algorithm::our_backward:
      return "A pair of keys is one virtual key. Tiles of them are attended to as in ordinary attention; what is "
             "summed "
             "for a pair is split between its two keys at the end.";
  }
  return "";
}

}  // namespace triscope
