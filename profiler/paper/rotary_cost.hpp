// What the rotary prologue (kernels/cuda/rotary) costs beside a forward, as measured: assets/paper/rotary_cost.csv. Its
// lines come from `rotary_prologue_check row`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace triscope {

struct RotaryCost {
  std::string device, date;
  std::int64_t seq_len = 0, q_heads = 0, kv_heads = 0, head_dim = 0;
  std::string windows;                       ///< of the forward: "512x32"
  double ms = 0, least_ms = 0, most_ms = 0;  ///< of the prologue: median, and all blocks
  std::string forward_kernel;
  double forward_ms = 0, both_ms = 0;  ///< both: one after the other

  double share() const { return ms / forward_ms; }
  /// Of what it reads and writes once: q, k1 and k2 in bf16.
  double gigabytes_a_second() const {
    return 4.0 * static_cast<double>(seq_len * head_dim * (q_heads + 2 * kv_heads)) / ms * 1e-6;
  }
};

/// Lines below the names of the columns. Throws `Error` for a line with other columns or a number that cannot be read.
std::vector<RotaryCost> parse_rotary_costs(std::string_view text);
/// What came with the source; empty: not measured.
const std::vector<RotaryCost>& rotary_costs();

/// One sentence for each row; without rows one that says how to measure it.
std::vector<std::string> rotary_cost_sentences(const std::vector<RotaryCost>& costs);

}  // namespace triscope
