// Every command that opens a database, on the databases of strangers: no signal, nothing executed, one sentence.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/app/cli/program.hpp"
#include "tests/profiler/store/hostile_databases.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

TEST(HostileDatabases, no_command_crashes_runs_anything_or_says_more_than_a_sentence) {
  const TemporaryFolder folder;
  const std::filesystem::path mark = folder / "mark", place = folder / "made";
  std::filesystem::create_directory(place);
  const Program::Options no_worker{.environment = {{"TRISCOPE_WORKER", "/no/such/worker"}}};
  for (const HostileDatabase& hostile : write_hostile_databases(place, mark)) {
    const std::string file = hostile.file.string(), target = (folder / (hostile.name + ".target.db")).string();
    const std::vector<std::vector<std::string>> commands = {
        {"list", "--db", file},
        {"list", "--db", file, "--format", "json"},
        {"show", "1", "--db", file},
        {"show", "m3", "--db", file},
        {"show", "1", "--db", file, "--format", "md"},
        {"compare", "kernel:cuda.hopper", "kernel:cuda.portable", "--db", file},
        {"export", "--db", file},
        {"export", "--table", "--db", file},
        {"import", file, "--db", target},
        {"list", "--db", target},
        {"sweep", "--resume", "--db", target},
        {"sweep", "--resume", "1", "--db", file},
        {"doctor", "--db", file}};
    for (const std::vector<std::string>& command : commands) {
      const ProgramResult result = run_triscope(command, no_worker);
      std::string line = hostile.name;
      for (const std::string& word : command) line += " " + word;
      EXPECT_EQ(result.signal, 0) << line << "\n" << result.errors;
      const auto sentences = std::count(result.errors.begin(), result.errors.end(), '\n');
      const bool left_out = command[0] == "import" && result.exit_code == 0;  // a sentence for each row
      EXPECT_LE(sentences, left_out ? 8 : 1) << line << "\n" << result.errors.substr(0, 2000);
      EXPECT_LT(result.errors.size(), 4000u) << line;
      const bool reads = command[0] == "list" || command[0] == "export" || command[0] == "import";
      const bool must_refuse = hostile.refused && reads && command[2] != target;
      EXPECT_TRUE(!must_refuse || result.exit_code == 3) << line;
    }
    EXPECT_FALSE(std::filesystem::exists(mark)) << hostile.name;
  }
}

}  // namespace
}  // namespace triscope
