#include "profiler/record/recorded_database.hpp"

#include <fmt/format.h>

#include <system_error>

#include "kernels/base/files/program_folder.hpp"
#include "kernels/base/text/shell_word.hpp"

namespace triscope {

std::filesystem::path recorded_database() {
  std::error_code error;
  const std::filesystem::path bin = program_folder();
  for (const std::filesystem::path& file : {bin / "../share/triscope/h200.db", bin / "../../assets/recorded/h200.db",
                                            std::filesystem::path(TRISCOPE_SOURCE_DIR) / "assets/recorded/h200.db"}) {
    if (std::filesystem::exists(file, error)) return std::filesystem::weakly_canonical(file, error);
  }
  return {};
}

std::string recorded_database_hint() {
  const std::filesystem::path file = recorded_database();
  if (file.empty()) return "";
  return fmt::format("`triscope show 1 --db {}` prints what an H200 measured", shell_word(file.string()));
}

}  // namespace triscope
