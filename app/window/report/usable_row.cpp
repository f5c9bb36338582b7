#include "app/window/report/usable_row.hpp"

#include <cstdint>

#include "profiler/store/store.hpp"
#include "profiler/store/unusable_measurement.hpp"

namespace triscope {

void select_usable(Application& application) {
  application.select_first();
  const std::int64_t first = application.ui().selection.pinned();
  if (first <= 0) return;
  const Snapshot snapshot(application.data().database);
  const auto is_usable = [&](std::int64_t measurement) {
    try {
      return snapshot.measurement(measurement).has_value();
    } catch (const UnusableMeasurement&) {
      return false;
    }
  };
  if (is_usable(first)) return;
  for (const ResultRow& row : application.data().shown->rows) {
    if (row.status != Status::ok || !is_usable(row.measurement)) continue;
    application.carry_out(ask::SelectMeasurement{row.measurement});
    return;
  }
}

}  // namespace triscope
