#include "views/shell/replaced_files.hpp"

#include <algorithm>

#include "views/data/print_style.hpp"

namespace triscope {

bool is_for_print(const PathDialog& path) {
  return path.picture &&
         (!path.picture->own.title.value_or("").empty() || !path.picture->own.caption.value_or("").empty());
}

std::vector<std::string> replaced_files(const PathDialog& path, const FolderListing& listing) {
  const std::string name = path.text.substr(path.text.rfind('/') + 1);
  std::string stem = name;
  for (const std::string_view ending : kChartEndings) {
    if (name.ends_with(ending)) stem.resize(name.size() - ending.size());
  }
  std::vector<std::string> written{name};
  if (is_for_print(path)) {
    for (const std::string& ending : path.also) written.push_back(stem + ending);
  }
  std::erase_if(written, [&](const std::string& file) {
    return std::ranges::none_of(listing.entries,
                                [&](const FolderEntry& entry) { return !entry.folder && entry.name == file; });
  });
  return written;
}

}  // namespace triscope
