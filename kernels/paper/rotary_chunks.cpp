#include "kernels/paper/rotary_chunks.hpp"

#include <cmath>
#include <numbers>

namespace triscope {

std::vector<float> rotary_chunk_table(std::int64_t seq_len, std::int64_t head_dim, double base) {
  const std::int64_t chunks = head_dim / 3;
  std::vector<float> table;
  table.reserve(static_cast<std::size_t>(seq_len * chunks * 2));
  for (std::int64_t position = 0; position < seq_len; ++position) {
    for (std::int64_t l = 0; l < chunks; ++l) {
      const double speed = std::pow(base, -static_cast<double>(l) / static_cast<double>(chunks));
      const double angle = std::fmod(static_cast<double>(position) * speed, 2 * std::numbers::pi);
      table.push_back(static_cast<float>(std::cos(angle)));
      table.push_back(static_cast<float>(std::sin(angle)));
    }
  }
  return table;
}

void rotate_chunks(std::int64_t batch, std::int64_t seq_len, std::int64_t heads, std::int64_t head_dim,
                   const std::vector<float>& table, std::vector<float>& tensor) {
  const std::int64_t chunks = head_dim / 3;
  for (std::int64_t row = 0; row < batch * seq_len * heads; ++row) {
    const float* turn = table.data() + row / heads % seq_len * chunks * 2;
    float* x = tensor.data() + row * head_dim;
    for (std::int64_t l = 0; l < chunks; ++l, turn += 2, x += 3) {
      const double a = static_cast<double>(x[0]), b = static_cast<double>(x[1]);
      const double cosine = static_cast<double>(turn[0]), sine = static_cast<double>(turn[1]);
      x[0] = static_cast<float>(a * cosine - b * sine);
      x[1] = static_cast<float>(a * sine + b * cosine);
    }
  }
}

}  // namespace triscope
