// Host side of a launch: tensor maps and the entry point of each instance.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "kernels/cuda/hopper/forward/parameters.hpp"

namespace triscope::hopper {

struct TensorMaps {
  CUtensorMap query, key, value;
};

/// Tensor maps of q and, in boxes of `tile_rows` rows, of the long axis' key and value. Throws `Error` when the driver
/// refuses them.
TensorMaps make_tensor_maps(const ForwardParameters& p, int tile_rows);
/// That of p.tile_key alone.
CUtensorMap make_key_map(const ForwardParameters& p, int tile_rows);

/// Enqueues instance kInstances[kInstance] on `blocks` CTAs. `shared_bytes`: Layout::bytes of the plan's ring.
/// CTAs that make p.half wait for one another, and are fewer where the stream has too few multiprocessors for all at
/// once. Instances of cross products and half instances may start before the kernel in front of them has ended; they
/// wait for it. Returns the number of CTAs. Throws `Error` when refused.
template <int kInstance>
int launch_forward(const TensorMaps& maps, const ForwardParameters& p, int blocks, int shared_bytes,
                   cudaStream_t stream);

/// Enqueues the reordering of tile keys for cross products (virtual_query.cuh): `bytes` of rows of `head_dim`.
void launch_reorder(const __nv_bfloat16* keys, __nv_bfloat16* reordered, std::size_t bytes, int head_dim,
                    cudaStream_t stream);

/// Enqueues instance kRowsInstance; p.items are rows. `groups`: see Plan::row_groups. `half`: with the rounding of half
/// instances.
void launch_rows(const ForwardParameters& p, int groups, bool half, cudaStream_t stream);

}  // namespace triscope::hopper
