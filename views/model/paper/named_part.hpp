// Where a name of the paper's own leads in the window: a page, and on the page of steps an algorithm.
#pragma once

#include <string_view>
#include <vector>

#include "views/model/paper/paper_ui.hpp"

namespace triscope {

/// Turns to the page that is called so (`find_paper_page`); an algorithm or a listing also chooses its steps, from the
/// first on. False: there is no such page.
bool turn_to(PaperUi& ui, std::string_view name);

/// Ids of what the paper writes (`written_parts`) of an algorithm; none of ours.
std::vector<std::string_view> written_of(Algorithm algorithm);

}  // namespace triscope
