// Which single pair explains what a kernel put out for a query, where that is not what it should be.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/inspect/slice.hpp"
#include "kernels/tensors/attention_tensors.hpp"

namespace triscope {

/// What a kernel did with a pair.
enum class WrongPairKind {
  left_out,  ///< a pair that the query sees has no weight
  added,     ///< a pair beyond a window or the mask has one
  weighed,   ///< a pair that the query sees has another weight
};
std::string_view to_string(WrongPairKind);
std::optional<WrongPairKind> parse_wrong_pair_kind(std::string_view text);

/// With o the exact output, v = v1_j (v2_k + v2_bias) and o' the kernel's: o' - o = c (v - o), up to what is not
/// explained. A pair that was left out has c = -p / (1 - p), one whose weight was x times its own
/// c = (x - 1) p / (1 + (x - 1) p), and one that was added with p' of all weights c = p'.
struct WrongPair {
  WrongPairKind kind = WrongPairKind::left_out;
  std::int64_t j = 0, k = 0;
  double share = 0;  ///< of |o' - o|^2 that c (v - o) is, the squared cosine
  double c = 0;
  double p = 0;      ///< of all weights: of a pair that was added what the kernel gave it, else what it should be
  double times = 0;  ///< `weighed`: x
};

/// "left out (p 0.031)", "weighed 2.1 times (p 0.031)", "added from beyond the windows or the mask, with 0.03 of all
/// weights": what a kernel did with it.
std::string done_text(const WrongPair& pair);
/// "explains 99.9 % of the squared error"; rounded down.
std::string share_text(const WrongPair& pair);

/// A pair that explains less of the squared error is not named.
inline constexpr double kLeastShare = 0.9;

/// The pairs that explain `output`, a kernel's row, the best first, at most `most`: among those of `slice`, which is
/// `query`'s with all arithmetic as the kernel's inputs are, and those that lie one position beyond an edge of its
/// windows or its mask. Empty where the output is within `bound` of the exact one (relative), where it is not finite,
/// where no single pair explains `kLeastShare`, or where some pair would by chance (as of random directions, in one of
/// twenty). Pairs with the same values explain the same.
std::vector<WrongPair> wrong_pairs(const AttentionTensors& tensors, const SliceQuery& query, const Slice& slice,
                                   std::span<const float> output, double bound, std::size_t most);

}  // namespace triscope
