// `--db FILE`, the same for every command that reads or writes a database.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace triscope {

/// Adds `--db` to `command`; the string stays empty when it was not given.
std::shared_ptr<std::string> add_database_option(CLI::App& command);

/// For the names of databases that stand alone (CLI::Option::check): an empty one, of a variable that is not set, must
/// not be taken for the usual database.
std::string empty_database_fault(const std::string& name);

/// The file `--db` names, or the default database in the user's data folder.
std::filesystem::path database_path(const std::string& option);

/// `database_path` for commands that write. A file that was named is refused as by `require_output`, and so is the
/// recorded database that comes with Triscope. Throws `Error` (usage, environment).
std::filesystem::path writable_database(const std::string& option);

/// `database_path` for commands that only read. Throws `Error` (environment) when there is no such file.
std::filesystem::path existing_database(const std::string& option);

/// What stands in the place of the sweeps of a database without any.
std::string no_sweep_text(const std::string& option);

/// Called with `databases` open and before their rows are read: from here on this process can read files and write
/// beside them, to a folder for temporary files and to `output`, and do no more (profiler/store/check/confinement).
/// No other database can be opened after it.
void give_up_other_rights(const std::vector<std::filesystem::path>& databases,
                          const std::filesystem::path& output = {});

}  // namespace triscope
