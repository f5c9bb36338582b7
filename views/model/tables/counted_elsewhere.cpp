#include "views/model/tables/counted_elsewhere.hpp"

#include <memory>

namespace triscope {
namespace {

void look_in(const SweepResults& sweep, const ResultRow& a, const ResultRow& b, CountedElsewhere& found) {
  std::int64_t of_a = 0, of_b = 0;
  for (const ResultRow& row : sweep.rows) {
    if (!row.counted_clock_mhz) continue;
    const auto is_other_pass_of = [&](const ResultRow& one) {
      return row.kernel == one.kernel && row.pass != one.pass && row.problem == one.problem;
    };
    found.pass_counted |= row.kernel == a.kernel && row.pass == a.pass;
    if (of_a == 0 && is_other_pass_of(a)) of_a = row.measurement;
    if (of_b == 0 && is_other_pass_of(b)) of_b = row.measurement;
  }
  if (of_a == 0 || of_b == 0 || !found.measurements.empty()) return;
  found.measurements = {of_a, of_b};
  found.sweep = sweep.info.id;
  found.pass = a.pass == Pass::forward ? Pass::backward : Pass::forward;
}

}  // namespace

CountedElsewhere find_counted(const DatabaseData& data, const ResultRow& a, const ResultRow& b) {
  CountedElsewhere found;
  if (data.shown) look_in(*data.shown, a, b, found);
  for (const auto& sweep : data.same_device) look_in(*sweep, a, b, found);
  return found;
}

}  // namespace triscope
