#include "kernels/inspect/cuda/chunks.hpp"

#include "kernels/inspect/cuda/survey.hpp"

namespace triscope::cuda::slice {
namespace {

/// From the first key of the first query to the last key of the last.
SliceRange seen_between(const Problem& problem, int axis, std::int64_t first_query, std::int64_t last_query) {
  const SliceRange first = slice_range(problem, axis, first_query), last = slice_range(problem, axis, last_query);
  return {first.first, last.first + last.count - first.first};
}

Chunk chunk_of(const Problem& problem, std::int64_t step, std::int64_t first_column, std::int64_t columns) {
  const std::int64_t first = first_column * step, last = (first_column + columns - 1) * step;
  return {first_column, columns, seen_between(problem, 1, first, last), seen_between(problem, 2, first, last)};
}

}  // namespace

std::int64_t chunk_bytes(const Problem& problem, const Chunk& chunk) {
  const std::int64_t rows =
      problem.q_heads * chunk.columns + problem.kv_heads * (chunk.keys1.count + chunk.keys2.count);
  const std::int64_t sums = chunk.columns * problem.q_heads * problem.window2;
  return rows * problem.head_dim * static_cast<std::int64_t>(sizeof(float)) +
         sums * static_cast<std::int64_t>(sizeof(RowSums));
}

std::vector<Chunk> plan_chunks(const Problem& problem, std::int64_t step, std::int64_t columns, std::int64_t bytes) {
  std::vector<Chunk> chunks;
  for (std::int64_t first = 0; first < columns; first += chunks.back().columns) {
    // Bytes grow with the columns: halve the interval between what fits and what does not.
    std::int64_t fits = 1, too_many = columns - first + 1;
    while (too_many - fits > 1) {
      const std::int64_t middle = (fits + too_many) / 2;
      (chunk_bytes(problem, chunk_of(problem, step, first, middle)) <= bytes ? fits : too_many) = middle;
    }
    chunks.push_back(chunk_of(problem, step, first, fits));
  }
  return chunks;
}

}  // namespace triscope::cuda::slice
