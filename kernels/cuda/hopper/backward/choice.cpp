// Which instance runs a backward, and with which LSE.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/cuda/hopper/backward/backward.hpp"
#include "kernels/cuda/hopper/backward/plan/cost.hpp"
#include "kernels/cuda/hopper/backward/plan/plan.hpp"
#include "kernels/cuda/portable/common/shape.hpp"

namespace triscope::hopper::backward {
namespace {

std::optional<std::string> unsupported_portable(const Problem& problem) {
  if (std::max(problem.q_heads, problem.batch) > portable::kMaxHeadsOrBatch)
    return fmt::format("instance {} has batch and q_heads up to 2^20", kPortable);
  if (problem.seq_len > portable::kMaxPosition)
    return fmt::format("instance {} has seq_len up to 2^30, not {}", kPortable, problem.seq_len);
  const portable::Shape shape = portable::make_shape(problem);
  const std::int64_t row_blocks = shape.row_tiles() * shape.pairs();
  const std::int64_t key_blocks = shape.key_tiles() * shape.pairs() * portable::plan_backward(shape).splits;
  if (std::max(row_blocks, key_blocks) > portable::kMaxBlocks)
    return fmt::format("instance {} would need more than its 2^29 blocks of 64 rows", kPortable);
  return std::nullopt;
}

/// The folds of a forward that rounds its scores to bf16, as the portable backward can (portable/portable.cpp).
bool rounds_to_bf16(const Problem& problem, Fold fold) {
  const AxisRoles roles = portable::roles_of(problem);
  const bool can_cross = problem.form == Form::determinant && problem.k2_bias == 0.0;
  return fold == fold_of(roles) || (can_cross && fold == fold_of(roles, true));
}

/// The half fold that the portable backward takes.
bool has_11_bits(const Problem& problem, Fold fold) {
  return problem.k2_bias == 0.0 && fold == half_fold_of(portable::roles_of(problem));
}

/// Where virtual_keys is the faster one by the estimates, with a margin: they are off by a fifth.
bool suits_virtual_keys(const Chip& chip, const Problem& problem) {
  return 1.1 * virtual_keys_us(chip, problem) < portable_us(chip, problem);
}

/// Groups of few heads, which virtual keys pad to eight, where virtual queries are the fastest by the estimates with
/// the same margin. They were timed with up to four heads and from 2,048 positions on (docs/backward.md).
bool suits_virtual_queries(const Chip& chip, const Problem& problem) {
  constexpr std::int64_t kMostHeads = 4, kFewestPositions = 2048;
  if (problem.group() > kMostHeads || problem.seq_len < kFewestPositions || unsupported_queries(problem)) return false;
  return 1.1 * virtual_queries_us(chip, problem) < std::min(virtual_keys_us(chip, problem), portable_us(chip, problem));
}

}  // namespace

bool takes_lse(const Problem& problem, std::string_view instance, Fold fold) {
  if (instance == kPortable) return rounds_to_bf16(problem, fold) || has_11_bits(problem, fold);
  return (instance == kVirtualKeys || instance == kVirtualQueries) && (fold == Fold::none || is_half(fold));
}

std::optional<std::string> unsupported_instance(const Problem& problem, std::string_view instance, Fold fold) {
  std::optional<std::string> reason;
  if (instance == kVirtualKeys) {
    reason = unsupported_backward(problem);
  } else if (instance == kVirtualQueries) {
    reason = unsupported_queries(problem);
  } else if (instance == kPortable) {
    reason = unsupported_portable(problem);
  } else {
    return fmt::format("the backward of cuda.hopper has no instance {}: it has {}, {} and {}", instance, kVirtualKeys,
                       kVirtualQueries, kPortable);
  }
  if (reason || takes_lse(problem, instance, fold)) return reason;
  return fmt::format("instance {} does not take an LSE of fold {}: its probabilities would not sum to 1", instance,
                     to_string(fold));
}

const char* choose_instance(const Problem& problem, const Chip& chip, Fold fold) {
  const bool ours = !unsupported_instance(problem, kVirtualKeys, fold);
  if (ours && suits_virtual_queries(chip, problem)) return kVirtualQueries;
  if (unsupported_instance(problem, kPortable, fold)) return ours ? kVirtualKeys : nullptr;
  return ours && suits_virtual_keys(chip, problem) ? kVirtualKeys : kPortable;
}

}  // namespace triscope::hopper::backward
