#include "kernels/attention/inputs.hpp"

namespace triscope {

void fill_input(InputStream stream, std::uint64_t seed, Element element, std::span<float> values, std::uint64_t first) {
  const auto stream_number = static_cast<std::uint32_t>(stream);
  const auto count = static_cast<std::int64_t>(values.size());
  const bool round = element == Element::bf16;
#pragma omp parallel for schedule(static) if (count > 4096)
  for (std::int64_t n = 0; n < count; ++n) {
    const float x = unit_normal(first + static_cast<std::uint64_t>(n), stream_number, seed);
    values[static_cast<std::size_t>(n)] = round ? round_to_bf16(x) : x;
  }
}

}  // namespace triscope
