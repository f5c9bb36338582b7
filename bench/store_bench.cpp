// How long commands take on a large database: 100,000 measurements with 1,000,000 samples in ten sweeps. By hand:
//   ninja store_bench triscope-window && build/bin/store_bench [FILE]
// FILE is kept and used again when it is there; without it a temporary one is made. Then the same on a copy in which
// all measurements are of one sweep and of one group of turns, and repeat 16 configurations 6,250 times. Of each
// command: seconds by the clock, and seconds of the processor, which tell on a machine that others use too.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <vector>

#include "bench/large_database.hpp"
#include "tests/app/cli/program.hpp"
#include "tests/temporary_folder.hpp"

namespace {

using namespace triscope;

double processor_seconds_of_children() {
  rusage used{};
  ::getrusage(RUSAGE_CHILDREN, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

void time_commands(const std::filesystem::path& file, const std::vector<std::vector<std::string>>& commands) {
  for (std::vector<std::string> command : commands) {
    std::string name;
    for (const std::string& word : command) name += word + " ";
    command.insert(command.end(), {"--db", file.string()});
    const double used = processor_seconds_of_children();
    const auto started = std::chrono::steady_clock::now();
    const ProgramResult result = run_triscope(command);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    fmt::print("{:7.2f} s  {:7.2f} s CPU  exit {}  {}{}\n", seconds, processor_seconds_of_children() - used,
               result.exit_code, name, result.exit_code == 3 ? result.errors.substr(0, 200) : "");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const TemporaryFolder folder;
  const std::filesystem::path file = argc > 1 ? std::filesystem::path(argv[1]) : folder / "large.db";
  const std::filesystem::path repeated = folder / "repeated.db";
  if (!std::filesystem::exists(file)) write_large_database(file);
  time_commands(file, {{"list"},
                       {"show"},
                       {"show", "m50000"},
                       {"compare", "1", "2"},
                       {"compare", "kernel:cuda.hopper@1", "kernel:cuda.portable@1"},
                       {"export"},
                       {"report", "-o", (folder / "report").string()}});
  write_repeated_database(file, repeated);
  fmt::print("16 configurations 6,250 times in one group of turns\n");
  time_commands(repeated, {{"list"},
                           {"show", "1"},
                           {"show", "m50000"},
                           {"compare", "1", "1"},
                           {"compare", "kernel:cuda.hopper@1", "kernel:baseline.fa3@1"},
                           {"export", "1"},
                           {"report", "--sweep", "1", "-o", (folder / "report").string()}});
  return 0;
}
