// Cuts an overview into runs of queries whose tensors fit on the device together: files are larger than GPUs.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/inspect/slice_rules.hpp"

namespace triscope::cuda::slice {

/// Queries step * first_column, ... and the keys that they see between them.
struct Chunk {
  std::int64_t first_column = 0, columns = 0;
  SliceRange keys1, keys2;
};

/// Bytes of a chunk on the device: fp32 rows of q, k1 and k2, and 32 bytes of sums for every row of the survey.
std::int64_t chunk_bytes(const Problem& problem, const Chunk& chunk);

/// Columns [0, columns) in order, as many at a time as fit into `bytes`, at least one.
std::vector<Chunk> plan_chunks(const Problem& problem, std::int64_t step, std::int64_t columns, std::int64_t bytes);

}  // namespace triscope::cuda::slice
