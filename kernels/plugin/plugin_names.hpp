// Which ids the kernels of a plug-in may have: `triscope plugin new` gives one, and the worker checks those of a
// library.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace triscope {

inline constexpr std::size_t kLongestPluginName = 40;  ///< of an id, and of a version

/// Ids that begin so, up to the first point, are those of Triscope's own kernels.
inline constexpr std::array<std::string_view, 3> kOwnFamilies{"cpu", "cuda", "baseline"};
constexpr bool is_own_id(std::string_view id) {
  return std::ranges::find(kOwnFamilies, id.substr(0, id.find('.'))) != kOwnFamilies.end();
}

}  // namespace triscope
