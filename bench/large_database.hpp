// Databases of 100,000 measurements with 1,000,000 samples, and of 10,000 sweeps, for benches.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "profiler/plan/request.hpp"
#include "profiler/store/store.hpp"
#include "tests/profiler/store/synthetic_database.hpp"

namespace triscope {

inline constexpr std::int64_t kSweeps = 10, kMeasurements = 10'000, kSamples = 10, kAtOnce = 1000;

/// Ten sweeps.
inline void write_large_database(const std::filesystem::path& file) {
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

/// As many sweeps as years of daily work leave, an hour between two, each with a request of ours.
inline constexpr std::int64_t kManySweeps = 10'000;
inline void write_many_sweeps(const std::filesystem::path& file) {
  {
    Store store(file);
    const std::int64_t sweep =
        store.begin_sweep("triscope sweep --windows 512x32", to_json(SweepRequest()), synthetic_environment(), 1);
    store.add(sweep, {synthetic_measurement(0, kSamples)});
    store.finish_sweep(sweep);
  }
  SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
  database.exec(fmt::format(
      "WITH RECURSIVE many(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < {}) "
      "INSERT INTO sweep(uuid, started_unix_ns, finished_unix_ns, command, request, environment, planned) "
      "SELECT lower(hex(randomblob(16))), started_unix_ns - n * 3600000000000, finished_unix_ns - n * 3600000000000, "
      "command, request, environment, planned FROM sweep, many WHERE sweep.id = 1",
      kManySweeps - 1));
}

/// A copy of `from` whose measurements repeat the first 16 that are ok, their samples too.
inline void write_repeated_database(const std::filesystem::path& from, const std::filesystem::path& file) {
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

}  // namespace triscope
