// What a save would replace.
#pragma once

#include <string>
#include <vector>

#include "views/data/window_data.hpp"
#include "views/model/ui_state.hpp"

namespace triscope {

/// Whether a picture with words is saved: it has several formats and a size.
bool is_for_print(const PathDialog& path);

/// Endings of what is written beside the picture: its other formats and its caption, as far as there are any.
std::vector<std::string> written_beside(const PathDialog& path);

/// Names of files in `listing`, that of the path's folder, which are there already and would be written: that of the
/// path, and those beside it.
std::vector<std::string> replaced_files(const PathDialog& path, const FolderListing& listing);

}  // namespace triscope
