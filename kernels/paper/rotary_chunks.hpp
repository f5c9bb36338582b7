// Rotary embedding on chunks of three, on the CPU: what kernels/cuda/rotary computes, from its formula.
#pragma once

#include <cstdint>
#include <vector>

namespace triscope {

/// Cosine and sine of every position and chunk: [seq_len][head_dim / 3][2]. Chunk l turns by base^(-l / chunks) a
/// position.
std::vector<float> rotary_chunk_table(std::int64_t seq_len, std::int64_t head_dim, double base = 10'000);

/// Turns a tensor [batch, seq_len, heads, head_dim] in place: each chunk about its third element. The last
/// head_dim % 3 elements of a head stay.
void rotate_chunks(std::int64_t batch, std::int64_t seq_len, std::int64_t heads, std::int64_t head_dim,
                   const std::vector<float>& table, std::vector<float>& tensor);

}  // namespace triscope
