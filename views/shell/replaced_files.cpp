#include "views/shell/replaced_files.hpp"

#include <algorithm>

#include "views/data/print_style.hpp"

namespace triscope {

bool is_for_print(const PathDialog& path) {
  return path.picture && has_vectors(path.picture->panel) &&
         (!path.picture->own.title.value_or("").empty() || !path.picture->own.caption.value_or("").empty());
}

std::vector<std::string> written_beside(const PathDialog& path) {
  std::vector<std::string> endings;
  const bool print = is_for_print(path), captioned = path.picture && !path.picture->caption.empty();
  for (const std::string& ending : path.also) {
    if (ending == kCaptionEnding ? captioned : print) endings.push_back(ending);
  }
  return endings;
}

std::vector<std::string> replaced_files(const PathDialog& path, const FolderListing& listing) {
  const std::string name = path.text.substr(path.text.rfind('/') + 1);
  std::vector<std::string> written{name};
  for (const std::string& ending : written_beside(path)) written.push_back(file_beside(name, ending));
  std::erase_if(written, [&](const std::string& file) {
    return std::ranges::none_of(listing.entries,
                                [&](const FolderEntry& entry) { return !entry.folder && entry.name == file; });
  });
  return written;
}

}  // namespace triscope
