// What a check compares, and what it finds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace triscope {

struct CheckOptions {
  std::int64_t rows = 64;     ///< sampled (batch, position, head) rows for o, lse, grad_q; always some at both ends
  std::int64_t keys = 16;     ///< sampled (batch, position, kv head) for the key gradients
  std::uint64_t seed = 1;     ///< which ones
  std::int64_t key_span = 0;  ///< keys are drawn from so many last positions; 0: from all
  bool everything = false;    ///< every row and key (small problems, `triscope check`)
  bool peaked = false;        ///< inputs far from N(0,1): only the reference that rounds as the kernel does counts
};

struct CheckResult {
  /// By output: "o", "lse" (absolute), "grad_q", ...: ||x - ref|| / ||ref|| over all sampled rows at once, or row by
  /// row (docs/method.md), whichever is larger; score gradients over the larger of ||ref|| and the norm with ds
  /// replaced by p (|dp| + |delta|). A bf16 kernel that folds has each a second time, "o_rounded", ..., against the
  /// reference that rounds as it does (for peaked inputs that one alone, without the suffix).
  std::map<std::string, double> errors;
  double worst = 0;                    ///< largest relative error (lse, which is absolute, excluded)
  std::optional<std::string> failure;  ///< what failed, with value and bound, in words; nullopt: passed
};

}  // namespace triscope
