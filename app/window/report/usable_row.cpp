#include "app/window/report/usable_row.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "profiler/store/store.hpp"
#include "profiler/store/unusable_measurement.hpp"

namespace triscope {
namespace {

/// Why `measurement` cannot be shown in detail; empty: it can.
std::string fault_of(const Snapshot& snapshot, std::int64_t measurement) {
  try {
    return snapshot.measurement(measurement) ? "" : "it is no longer there";
  } catch (const UnusableMeasurement& fault) {
    return fault.why();
  }
}

}  // namespace

std::string select_usable(Application& application) {
  application.select_first();
  const std::int64_t first = application.ui().selection.pinned();
  if (first <= 0) return "";
  const Snapshot snapshot(application.data().database);
  const std::string fault = fault_of(snapshot, first);
  if (fault.empty()) return "";
  for (const ResultRow& row : application.data().shown->rows) {
    if (row.status != Status::ok || !fault_of(snapshot, row.measurement).empty()) continue;
    application.carry_out(ask::SelectMeasurement{row.measurement});
    return fmt::format("m{} is not shown in detail, for {}; m{} is, the first that can be used.", first, fault,
                       row.measurement);
  }
  return "";
}

}  // namespace triscope
