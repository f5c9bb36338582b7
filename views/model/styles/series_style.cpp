#include "views/model/styles/series_style.hpp"

#include <bit>
#include <cstddef>
#include <set>

namespace triscope {

int style_of_kernel(const KernelCard& card, Pass pass) {
  const int of_pass = pass == Pass::forward ? 0 : 1;
  if (card.colour && *card.colour >= 0 && *card.colour < 2) return 2 * static_cast<int>(*card.colour) + of_pass;
  return 4 + of_pass;
}

int style_of_windows(std::int64_t window1, std::int64_t window2) {
  // A lattice over their powers of two: 512x32 is 0, 1024x32 is 1, 512x64 is 3. What lies between two powers goes on.
  const auto place = [](std::int64_t window) {
    const auto size = static_cast<std::uint64_t>(window < 1 ? 1 : window);
    return static_cast<std::uint64_t>(std::bit_width(size)) - 1 + (size - std::bit_floor(size));
  };
  return static_cast<int>((place(window1) + 3 * place(window2)) % kStyleColours);
}

std::vector<std::optional<int>> share_styles(std::span<const std::optional<int>> wishes) {
  std::vector<std::optional<int>> styles(wishes.size());
  std::set<int> taken;
  for (std::size_t n = 0; n < wishes.size(); ++n) {
    if (wishes[n] && taken.insert(*wishes[n] % kStyleColours).second) styles[n] = *wishes[n];
  }
  for (std::size_t n = 0; n < wishes.size(); ++n) {
    for (int tried = 0; tried < kStyleColours && !styles[n]; ++tried) {
      const int style = (wishes[n].value_or(0) + tried) % kStyleColours;
      if (taken.insert(style).second) styles[n] = style;
    }
  }
  return styles;
}

}  // namespace triscope
