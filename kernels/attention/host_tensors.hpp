// The tensors of one launch as host arrays of fp32. The oracle and the checks work on these, on every device.
#pragma once

namespace triscope {

/// Inputs on the host as fp32, already rounded to `problem.element`. Shapes as in `Arguments`; sink and grad_o may be
/// null.
struct HostInputs {
  const float* q = nullptr;
  const float* k1 = nullptr;
  const float* k2 = nullptr;
  const float* v1 = nullptr;
  const float* v2 = nullptr;
  const float* sink = nullptr;
  const float* grad_o = nullptr;
};

/// A kernel's outputs on the host, widened to fp32. The forward fills o and lse; a check of the backward needs those
/// too.
struct HostOutputs {
  const float* o = nullptr;
  const float* lse = nullptr;
  const float* grad_q = nullptr;
  const float* grad_k1 = nullptr;
  const float* grad_k2 = nullptr;
  const float* grad_v1 = nullptr;
  const float* grad_v2 = nullptr;
  const float* grad_sink = nullptr;
};

}  // namespace triscope
