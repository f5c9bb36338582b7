// How long commands take on a large database: 100,000 measurements with 1,000,000 samples in ten sweeps. By hand:
//   ninja store_bench triscope-window && build/bin/store_bench [FILE]
// FILE is kept and used again when it is there; without it a temporary one is made. Then the same on a copy in which
// all measurements are of one sweep and of one group of turns, and repeat 16 configurations 6,250 times. Of each
// command: seconds by the clock, and seconds of the processor, which tell on a machine that others use too.
#include <SQLiteCpp/SQLiteCpp.h>
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

/// A copy of `from` whose measurements repeat the first 16 that are ok, their samples too.
void write_repeated_database(const std::filesystem::path& from, const std::filesystem::path& file) {
  std::filesystem::copy_file(from, file, std::filesystem::copy_options::overwrite_existing);
  SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
  constexpr const char* kColumns =
      "config, kernel, instance, pass, regime, timing_source, device_id, status, reason, median_ms, ci_low_ms, "
      "ci_high_ms, quartile1_ms, quartile3_ms, min_ms, samples, flagged, converged, useful_flops, paper_flops, error, "
      "sm_clock_mhz, restarts, power_w, limiter";
  database.exec(fmt::format(
      "PRAGMA foreign_keys = OFF;"
      "CREATE TEMP TABLE first AS SELECT row_number() OVER (ORDER BY id) - 1 AS place, id AS first_id, * FROM "
      "measurement WHERE status = 'ok' ORDER BY id LIMIT 16;"
      "CREATE TEMP TABLE kept AS SELECT first.place, sample.* FROM first JOIN sample ON measurement = first_id;"
      "UPDATE measurement SET ({0}) = (SELECT {0} FROM first WHERE place = measurement.id % 16), interleave_group = 1, "
      "sweep = 1; DELETE FROM sample;"
      "INSERT INTO sample SELECT measurement.id, ordinal, started_ns, duration_ns, launches, block, kept.sm_clock_mhz, "
      "kept.power_w, temperature_c, throttle_bits, flag, restart FROM measurement JOIN kept ON place = measurement.id "
      "% "
      "16 ORDER BY measurement.id, ordinal",
      kColumns));
}

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
