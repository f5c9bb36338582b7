// What is done with whole tensors on the GPU that measures them: inputs are made there, outputs looked through. Each
// enqueues on `stream`; throws `Error` when the launch is refused.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "kernels/attention/problem.hpp"
#include "kernels/base/philox.hpp"

namespace triscope::cuda {

/// `Backend::generate`, bit for bit what the host makes.
void generate_input(InputStream input, std::uint64_t seed, Element element, void* to, std::size_t count,
                    cudaStream_t stream);
/// Adds the fingerprint of `bytes` at `memory` to `*sum`, which is on the device.
void add_fingerprint(const void* memory, std::size_t bytes, std::uint64_t* sum, cudaStream_t stream);
/// Lowers `*first`, which is on the device, to the first element that is NaN or infinite.
void find_not_finite(const void* memory, Element element, std::size_t count, std::uint64_t* first, cudaStream_t stream);

}  // namespace triscope::cuda
