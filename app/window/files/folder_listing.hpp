// Lists folders for the dialog that chooses a file.
#pragma once

#include <filesystem>
#include <string>

#include "views/data/window_data.hpp"

namespace triscope {

/// "~/runs" with the home folder in place of "~"; other paths as they are.
std::filesystem::path expand_home(const std::string& typed);

/// "~/lengths_2.pdf" where there is a lengths.pdf or another format of it in that folder: a new picture replaces none
/// of before.
std::string free_path(const std::string& typed);

/// The folder `asked` ("" is the working folder, "~/" the home folder), at most 5,000 entries of it. Throws nothing:
/// `problem` says what is wrong.
FolderListing list_folder(const std::string& asked);

}  // namespace triscope
