// How long commands take on a large database: 100,000 measurements with 1,000,000 samples in ten sweeps. By hand:
//   ninja store_bench triscope-window && build/bin/store_bench [FILE]
// FILE is kept and used again when it is there; without it a temporary one is made. Of each command: seconds by the
// clock, and seconds of the processor, which tell on a machine that others use too.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <vector>

#include "profiler/store/store.hpp"
#include "tests/app/cli/program.hpp"
#include "tests/profiler/store/synthetic_database.hpp"
#include "tests/temporary_folder.hpp"

namespace {

using namespace triscope;

constexpr std::int64_t kSweeps = 10, kMeasurements = 10'000, kSamples = 10, kAtOnce = 1000;

void write_large_database(const std::filesystem::path& file) {
  Store store(file);
  for (std::int64_t n = 0; n < kSweeps; ++n) {
    const std::int64_t sweep = store.begin_sweep("triscope sweep", "{}", synthetic_environment(), kMeasurements);
    for (std::int64_t first = 0; first < kMeasurements; first += kAtOnce) {
      std::vector<Measurement> measurements;
      for (std::int64_t index = first; index < first + kAtOnce; ++index)
        measurements.push_back(synthetic_measurement(index, kSamples));
      store.add(sweep, measurements);
    }
    store.finish_sweep(sweep);
  }
}

double processor_seconds_of_children() {
  rusage used{};
  ::getrusage(RUSAGE_CHILDREN, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

}  // namespace

int main(int argc, char** argv) {
  const TemporaryFolder folder;
  const std::filesystem::path file = argc > 1 ? std::filesystem::path(argv[1]) : folder / "large.db";
  if (!std::filesystem::exists(file)) write_large_database(file);
  const std::vector<std::vector<std::string>> commands = {
      {"list"},
      {"show"},
      {"show", "m50000"},
      {"compare", "1", "2"},
      {"compare", "kernel:cuda.hopper@1", "kernel:cuda.portable@1"},
      {"export"},
      {"report", "-o", (folder / "report").string()},
  };
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
  return 0;
}
