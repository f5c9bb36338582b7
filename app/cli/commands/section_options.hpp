// Which section of `triscope paper` takes which option.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace triscope {

/// The sections, in the order of the help.
const std::vector<std::string>& paper_sections();

/// Throws `Error` (usage) for an option that was given to `command` and that `section`, or another given option, would
/// leave without effect. `asked`: the section as it was typed.
void refuse_unused_options(const CLI::App& command, std::string_view section, std::string_view asked);

}  // namespace triscope
