// A layout of panels as text, looked at before Dear ImGui's reader gets it: that reader trusts every line.
#pragma once

#include <string>
#include <string_view>

namespace triscope {

/// Why Dear ImGui must not read `layout`, with the number of the line; empty when all of it is as Dear ImGui 1.92
/// writes it: known sections and entries, coordinates of 16 bits, and a tree of dock nodes in which every parent comes
/// before its two children.
std::string layout_fault(std::string_view layout);

}  // namespace triscope
