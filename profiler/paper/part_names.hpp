// What parts of the paper are called besides: by the command line, by the window, and by the paper's own numbers.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace triscope {

/// A name, the section of `triscope paper` and the page of the window that it means. The page "lengths" is a panel of
/// its own, beside those of the paper.
struct PartName {
  std::string_view name, section, page;
  int algorithm = -1;  ///< which of the steps (`Algorithm`) it is; -1: none
};
inline constexpr std::array<PartName, 17> kPartNames{{
    {"tiling", "tiling", "tiles"},
    {"tiles", "tiling", "tiles"},
    {"scaling", "scaling", "laws"},
    {"laws", "scaling", "laws"},
    {"table1", "table1", "table1"},
    {"table2", "results", "results"},
    {"table3", "scaling", "laws"},
    {"table4", "scaling", "laws"},
    {"figure1", "operator", "operator"},
    {"figure2", "tiling", "tiles"},
    {"figure3", "lengths", "lengths"},
    {"algorithm1", "operator", "steps", 0},
    {"algorithm2", "steps", "steps", 2},
    {"listing1", "steps", "steps", 0},
    {"listing2", "steps", "steps", 1},
    {"listing3", "steps", "steps", 2},
    {"theorem1", "match3", "match3"},
}};

/// The section that is called so; the name itself where it has no other.
constexpr std::string_view section_called(std::string_view name) {
  const auto* found = std::ranges::find(kPartNames, name, &PartName::name);
  return found == kPartNames.end() ? name : found->section;
}

/// The page that is called so, likewise.
constexpr std::string_view page_called(std::string_view name) {
  const auto* found = std::ranges::find(kPartNames, name, &PartName::name);
  return found == kPartNames.end() ? name : found->page;
}

/// Which of the steps is called so; -1: none.
constexpr int algorithm_called(std::string_view name) {
  const auto* found = std::ranges::find(kPartNames, name, &PartName::name);
  return found == kPartNames.end() ? -1 : found->algorithm;
}

/// What the paper calls a section or a page: "Tables 3 and 4"; empty: it has no number there.
std::string paper_numbers(std::string_view PartName::*of, std::string_view id);

}  // namespace triscope
