// Two databases of five measurements each, and `triscope compare` of them as a gate.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "profiler/statistics/statistics.hpp"
#include "profiler/store/store.hpp"
#include "tests/app/cli/program.hpp"
#include "tests/profiler/store/synthetic_database.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope::gates {

struct Planted {
  double factor = 1;         ///< of the first measurement's time
  bool converged = true;     ///< of all
  std::int64_t unclear = 0;  ///< measurements of one sample
  bool failed = false;       ///< all
  Environment environment = synthetic_environment();
  std::string request = R"({"seed":1,"stopping":{"precision":0.005,"budget_ns":10000000000}})";
  std::int64_t sweeps = 1;
  std::function<void(Measurement&)> change = [](Measurement&) {};  ///< of the first
};

/// Multiplies the times of the samples that `which` names by their number.
inline void slow_down(Measurement& m, double factor, const std::function<bool(std::size_t)>& which) {
  for (std::size_t n = 0; n < m.samples.size(); ++n)
    if (which(n))
      m.samples[n].duration_ns = static_cast<std::int64_t>(static_cast<double>(m.samples[n].duration_ns) * factor);
  m.summary = summarize(m.samples, StoppingRule{});
  m.summary.converged = true;
}

inline bool every_sample(std::size_t) { return true; }

/// Five measurements in each sweep.
inline void write(const std::filesystem::path& file, const Planted& planted = {}) {
  Store store(file);
  for (std::int64_t n = 0; n < planted.sweeps; ++n) {
    const std::int64_t sweep = store.begin_sweep("triscope sweep", planted.request, planted.environment, 5);
    for (std::int64_t index = 50; index < 55; ++index) {
      Measurement m = synthetic_measurement(index, 20);
      if (index == 50)
        for (Sample& sample : m.samples)
          sample.duration_ns = static_cast<std::int64_t>(static_cast<double>(sample.duration_ns) * planted.factor);
      if (index == 50) m.summary.median_ms *= planted.factor;
      m.summary.converged = planted.converged;
      if (index - 50 < planted.unclear) m.samples.resize(1);
      if (planted.failed) {
        m.status = Status::failed;
        m.reason = "out of memory";
        m.samples.clear();
        m.summary = {};
      }
      if (index == 50) planted.change(m);
      store.add(sweep, m);
    }
    store.finish_sweep(sweep);
  }
}

class GateTest : public testing::Test {
 protected:
  std::filesystem::path folder_path(const char* name) const { return folder / name; }
  ProgramResult compare(std::vector<std::string> more = {}) const {
    std::vector<std::string> words{"compare", old_file.string(), new_file.string()};
    words.insert(words.end(), more.begin(), more.end());
    return run_triscope(words);
  }
  ProgramResult gate(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"--fail-if", "longer>5%"});
    return compare(more);
  }
  TemporaryFolder folder;
  std::filesystem::path old_file = folder_path("old.db"), new_file = folder_path("new.db");
};

/// Carries out an SQL statement.
inline void change(const std::filesystem::path& file, const char* statement) {
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE).exec(statement);
}

}  // namespace triscope::gates
