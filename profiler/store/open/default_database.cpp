#include "profiler/store/open/default_database.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "kernels/base/error.hpp"
#include "kernels/base/text/shell_word.hpp"

namespace triscope {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kCommandBegin = "`triscope ";
/// How the commands begin that take --db and are about the sweeps in it. `import` is not: hints with it speak of
/// another.
constexpr std::array<std::string_view, 17> kCommands{
    "search",         "sweep",      "list",         "show",         "compare",       "export",
    "explore",        "note",       "advise",       "report",       "paper lengths", "paper operator",
    "paper overview", "paper page", "paper recipe", "paper table1", "paper tiling"};

bool is_default(const fs::path& file) {
  try {
    return fs::weakly_canonical(fs::absolute(file)) == fs::weakly_canonical(default_database());
  } catch (const std::exception&) {  // no home, or a name that the system does not take
    return false;
  }
}

/// `command` is what stands between "`triscope " and "`".
bool lacks_database(std::string_view command) {
  if (command.find("--db") != std::string_view::npos || command.find("--help") != std::string_view::npos) return false;
  return std::ranges::any_of(kCommands, [&](std::string_view name) {
    return command.starts_with(name) && (command.size() == name.size() || command[name.size()] == ' ');
  });
}

}  // namespace

fs::path default_database() {
  if (const char* data = std::getenv("XDG_DATA_HOME"); data && fs::path(data).is_absolute()) {
    return fs::path(data) / "triscope" / "results.db";
  }
  const char* home = std::getenv("HOME");
  if (!home || !*home) {
    const passwd* user = ::getpwuid(::getuid());
    home = user ? user->pw_dir : nullptr;
  }
  if (!home || !*home) {
    throw Error("cannot find the folder of your database", "neither XDG_DATA_HOME nor HOME is set",
                "set one of them, or name a file with --db");
  }
  return fs::path(home) / ".local" / "share" / "triscope" / "results.db";
}

std::string database_words(const fs::path& file) {
  if (file.empty() || is_default(file)) return "";
  return " --db " + shell_word(file.string());
}

std::string with_database(std::string_view text, const fs::path& file) {
  const std::string words = database_words(file);
  std::string result;
  while (true) {
    const std::size_t begin = text.find(kCommandBegin);
    const std::size_t end = begin == std::string_view::npos ? begin : text.find('`', begin + 1);
    if (end == std::string_view::npos) return result.append(text);
    result += text.substr(0, end);
    const std::string_view command = text.substr(begin + kCommandBegin.size(), end - begin - kCommandBegin.size());
    if (lacks_database(command)) result += words;
    result += '`';
    text.remove_prefix(end + 1);
  }
}

}  // namespace triscope
