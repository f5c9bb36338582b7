// Parts of the paper that the command line and the window call by different names; each takes both.
#pragma once

#include <array>
#include <string_view>

namespace triscope {

struct PartNames {
  std::string_view section, page;  ///< of `triscope paper`; of the window
};
inline constexpr std::array<PartNames, 2> kPartNames{{{"tiling", "tiles"}, {"scaling", "laws"}}};

/// The section that is called so here or there.
constexpr std::string_view section_called(std::string_view name) {
  for (const PartNames& one : kPartNames) {
    if (one.page == name) return one.section;
  }
  return name;
}

/// The page that is called so here or there.
constexpr std::string_view page_called(std::string_view name) {
  for (const PartNames& one : kPartNames) {
    if (one.section == name) return one.page;
  }
  return name;
}

}  // namespace triscope
