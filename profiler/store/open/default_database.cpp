#include "profiler/store/open/default_database.hpp"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

#include "kernels/base/error.hpp"

namespace triscope {

namespace fs = std::filesystem;

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

}  // namespace triscope
