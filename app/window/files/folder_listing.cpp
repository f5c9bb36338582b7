#include "app/window/files/folder_listing.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <system_error>
#include <tuple>

#include "kernels/base/error.hpp"
#include "profiler/store/store.hpp"

namespace triscope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostEntries = 5000;

std::string home_folder() {
  const char* home = std::getenv("HOME");
  return home ? home : "";
}

std::string with_slash(const fs::path& folder) {
  std::string text = folder.string();
  if (!text.ends_with('/')) text += '/';
  return text;
}

FolderEntry entry_of(const fs::path& file) {
  FolderEntry entry{file.filename().string(), false, 0, {}};
  struct stat facts {};
  if (::stat(file.c_str(), &facts) != 0) return entry;  // a dangling link: its name is all there is
  entry.folder = S_ISDIR(facts.st_mode);
  entry.bytes = facts.st_size;
  entry.changed = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(facts.st_mtime));
  return entry;
}

std::vector<std::pair<std::string, std::string>> places() {
  std::vector<std::pair<std::string, std::string>> found;
  const auto add = [&](const char* name, const fs::path& folder) {
    std::error_code missing;
    if (fs::is_directory(folder, missing)) found.emplace_back(name, with_slash(folder));
  };
  add("Home", home_folder());
  try {
    add("Your databases", default_database().parent_path());
  } catch (const Error&) {  // neither is known: there is no such place
  }
  std::error_code gone;
  add("Working folder", fs::current_path(gone));
  return found;
}

}  // namespace

fs::path expand_home(const std::string& typed) {
  const std::string home = home_folder();
  if (home.empty() || typed.empty() || typed.front() != '~' || (typed.size() > 1 && typed[1] != '/')) return typed;
  return home + typed.substr(1);
}

std::string free_path(const std::string& typed) {
  std::error_code error;
  const fs::path first = typed, folder = expand_home(typed).parent_path();
  const auto is_taken = [&](const fs::path& one) {
    return std::ranges::any_of(std::array{".png", ".pdf", ".svg"}, [&](const char* ending) {
      return fs::exists((folder / one.filename()).replace_extension(ending), error);
    });
  };
  fs::path free = first;
  for (int n = 2; n < 1000 && is_taken(free); ++n)
    free.replace_filename(fmt::format("{}_{}{}", first.stem().string(), n, first.extension().string()));
  return free.string();
}

FolderListing list_folder(const std::string& asked) {
  FolderListing listing;
  listing.asked = asked;
  listing.places = places();
  std::error_code failed;
  const fs::path folder = fs::absolute(asked.empty() ? fs::path(".") : expand_home(asked), failed).lexically_normal();
  listing.folder = with_slash(folder);
  const fs::path above = fs::path(listing.folder).parent_path().parent_path();
  if (listing.folder != "/") listing.parent = with_slash(above);
  fs::directory_iterator entries(folder, failed);
  for (; !failed && entries != fs::directory_iterator() && listing.entries.size() < kMostEntries;
       entries.increment(failed)) {
    if (!entries->path().filename().string().starts_with('.')) listing.entries.push_back(entry_of(entries->path()));
  }
  if (failed) {
    listing.problem = fmt::format("{} cannot be listed: {}", listing.folder, failed.message());
  } else if (entries != fs::directory_iterator()) {
    listing.problem = fmt::format("{} holds too many files to list: type the name", listing.folder);
  }
  std::sort(listing.entries.begin(), listing.entries.end(), [](const FolderEntry& a, const FolderEntry& b) {
    return std::tie(b.folder, a.name) < std::tie(a.folder, b.name);
  });
  return listing;
}

}  // namespace triscope
