// A database with two small invented sweeps.
#pragma once

#include <cstdint>
#include <filesystem>

#include "profiler/store/store.hpp"
#include "tests/profiler/store/synthetic_database.hpp"

namespace triscope {

inline constexpr std::int64_t kHistoryMeasurements = 24;  ///< twelve in each sweep, the same configurations

inline void write_small_history(const std::filesystem::path& file) {
  Store store(file);
  for (int sweep = 0; sweep < 2; ++sweep) {
    const std::int64_t id = store.begin_sweep("triscope sweep", "{}", synthetic_environment(), 12);
    // From 45 on, the indices include one that failed.
    for (std::int64_t index = 45; index < 57; ++index) store.add(id, synthetic_measurement(index, 20));
    store.finish_sweep(id);
  }
}

}  // namespace triscope
