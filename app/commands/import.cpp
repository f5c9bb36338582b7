// `triscope import`: takes over the sweeps of another database.
#include <fmt/format.h>

#include "app/commands/commands.hpp"
#include "app/database_option.hpp"
#include "profiler/store.hpp"

namespace triscope {

void add_import_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("import", "Copy the sweeps of another database into this one");
  auto file = std::make_shared<std::string>();
  command->add_option("FILE", *file, "The other database")->required()->type_name("FILE");
  auto database = add_database_option(*command);
  command->footer(
      "What is there already is left alone: importing a file twice changes nothing.\n"
      "\n"
      "Examples:\n"
      "  triscope import node7.db\n"
      "  triscope import node7.db --db all.db");
  command->callback([file, database, &action] {
    action = [file, database] {
      const std::filesystem::path source = existing_database(*file);
      const std::filesystem::path target = database_path(*database);
      const std::int64_t copied = Store(target).import(source);
      fmt::print("{} measurements copied into {}\n", copied, target.string());
      return 0;
    };
  });
}

}  // namespace triscope
