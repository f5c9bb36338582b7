// What programs that watch a GPU under load let it compute.
#pragma once

#include "kernels/attention/problem.hpp"

namespace triscope {

/// 512x32 at 8k, 64/1 heads, bf16: some milliseconds a launch, at the power limit.
inline Problem steady_load() {
  Problem p;
  p.element = Element::bf16;
  p.seq_len = 8192;
  p.q_heads = 64;
  p.kv_heads = 1;
  p.head_dim = 128;
  p.window1 = 512;
  p.window2 = 32;
  return p;
}

}  // namespace triscope
