#include "app/cli/options/database_option.hpp"

#include <fmt/format.h>

#include "kernels/base/error.hpp"
#include "kernels/base/files/output_file.hpp"
#include "profiler/record/recorded_database.hpp"
#include "profiler/store/check/confinement.hpp"
#include "profiler/store/store.hpp"

namespace triscope {

std::shared_ptr<std::string> add_database_option(CLI::App& command) {
  auto file = std::make_shared<std::string>();
  const auto set = [file](const std::string& name) {
    if (name.empty()) throw Error("--db ''", "the name is empty", "name a file or leave --db out", ExitCode::usage);
    *file = name;
  };
  command.add_option_function<std::string>("--db", set, "Database (default: results.db in the user's data folder)")
      ->type_name("FILE");
  return file;
}

std::string empty_database_fault(const std::string& name) {
  return name.empty() ? "the name of a database is empty" : "";
}

std::filesystem::path database_path(const std::string& option) {
  return option.empty() ? default_database() : std::filesystem::path(option);
}

std::filesystem::path writable_database(const std::string& option) {
  std::filesystem::path file = database_path(option);
  if (option.empty()) return file;
  require_output(file, FileKind::database, "--db");
  if (!is_recorded_database(file)) return file;
  throw Error(fmt::format("cannot write '{}'", file.string()), "it is a recorded database that comes with Triscope",
              "name another file with --db, and copy the recorded sweeps into it with `triscope import`",
              ExitCode::usage);
}

std::filesystem::path existing_database(const std::string& option) {
  std::filesystem::path file = database_path(option);
  std::error_code failed;
  if (std::filesystem::exists(file, failed)) return file;
  if (failed)
    throw Error(fmt::format("cannot read the database {}", file.string()), failed.message(),
                "check its name and permissions, or name another one with --db");
  throw Error(fmt::format("there is no database {}", file.string()),
              option.empty() ? "nothing has been measured yet" : "the file does not exist",
              option.empty() ? "run `triscope sweep`, or name a file with --db" : "check the name given to --db");
}

std::string no_sweep_text(const std::string& option) {
  return fmt::format("No sweep yet; `triscope sweep{}` starts one.", database_words(option));
}

void give_up_other_rights(const std::vector<std::filesystem::path>& databases, const std::filesystem::path& output) {
  std::vector<std::filesystem::path> folders = {"/tmp", "/var/tmp"};  // where SQLite sorts what is large
  std::error_code failed;
  if (const std::filesystem::path copies = std::filesystem::temp_directory_path(failed); !failed)
    folders.push_back(copies);
  for (const std::filesystem::path& file : databases)
    folders.push_back(std::filesystem::weakly_canonical(std::filesystem::absolute(file), failed).parent_path());
  if (!output.empty()) {
    const std::filesystem::path end = end_of_links(output);
    const std::filesystem::path file = is_descriptor(end) ? std::filesystem::read_symlink(end, failed) : end;
    folders.push_back(std::filesystem::absolute(file, failed).parent_path());
  }
  confine_reader(folders, output.empty() ? FileModes::fixed : FileModes::changeable);
}

}  // namespace triscope
