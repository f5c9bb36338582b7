// What of the paper a name such as "algorithm2" or "table3" means, as text: it stands before the section that it leads
// to.
#pragma once

#include <string>
#include <string_view>

namespace triscope {

/// The formulas, algorithm, listing, figure or table that is called so, in text or as lines of JSON; empty: the section
/// begins with it, or is not about one of several.
std::string named_part_text(std::string_view name, bool json);

}  // namespace triscope
