// Generated inputs: N(0,1) from Philox, identical on CPU and GPU for a seed, and harder sets made from them.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/attention/problem.hpp"
#include "kernels/base/philox.hpp"

namespace triscope {

/// Writes element `first + n` of tensor `stream` to values[n], rounded to `element`. Multi-threaded.
void fill_input(InputStream stream, std::uint64_t seed, Element element, std::span<float> values,
                std::uint64_t first = 0);

}  // namespace triscope
