#include "views/model/styles/series_style.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace triscope {
namespace {

constexpr int kStylesOfCards = 4;  ///< of the kernels whose cards have a colour

}  // namespace

int style_of_kernel(const KernelCard& card, Pass pass) {
  const int of_pass = pass == Pass::forward ? 0 : 1;
  if (card.colour && *card.colour >= 0 && *card.colour < 2) return 2 * static_cast<int>(*card.colour) + of_pass;
  return kStylesOfCards + of_pass;
}

int style_of_bursts(int sustained) { return sustained < kStylesOfCards ? sustained + kStylesOfCards : sustained; }

int baseline_style(const KernelCard& card) {
  return card.rank ? static_cast<int>(std::clamp<std::int64_t>(*card.rank - 1, 0, 3)) : 3;
}

int style_of_windows(std::int64_t window1, std::int64_t window2) {
  // A lattice over their powers of two: 512x32 is 0, 1024x32 is 1, 512x64 is 3. What lies between two powers goes on.
  const auto place = [](std::int64_t window) {
    const auto size = static_cast<std::uint64_t>(window < 1 ? 1 : window);
    return static_cast<std::uint64_t>(std::bit_width(size)) - 1 + (size - std::bit_floor(size));
  };
  return static_cast<int>((place(window1) + 3 * place(window2)) % kStyleColours);
}

int next_free_style(std::set<int>& taken, int wish, int step) {
  for (int first = 0;; first += kStyleColours) {  // the colours, then they come round with other marks
    for (int n = 0; n < kStyleColours; ++n) {
      const int style = first + (wish + n * step + n * step / kStyleColours) % kStyleColours;
      if (taken.insert(style).second) return style;
    }
  }
}

std::vector<std::optional<int>> share_styles(std::span<const std::optional<int>> wishes, int step) {
  std::vector<std::optional<int>> styles(wishes.size());
  std::set<int> taken;
  for (std::size_t n = 0; n < wishes.size(); ++n) {
    if (wishes[n] && taken.insert(*wishes[n] % kStyleColours).second) styles[n] = *wishes[n];
  }
  for (std::size_t n = 0; n < wishes.size(); ++n) {
    if (!styles[n] && std::ssize(taken) < kStyleColours)
      styles[n] = next_free_style(taken, wishes[n].value_or(0), step);
  }
  return styles;
}

std::map<std::string, int> styles_of_kernels(const std::map<std::string, int>& wishes) {
  constexpr int kPasses = 2;
  std::vector<std::optional<int>> by_id;
  for (const auto& [kernel, wish] : wishes) by_id.emplace_back(wish);
  const std::vector<std::optional<int>> shared = share_styles(by_id, kPasses);
  std::map<std::string, int> styles;
  for (const auto& [kernel, wish] : wishes) styles.emplace(kernel, shared[styles.size()].value_or(wish));
  return styles;
}

}  // namespace triscope
