#include "profiler/protocol/inspect_jobs.hpp"

namespace triscope {
namespace {

bool holds(const std::vector<float>& values, std::int64_t a, std::int64_t b, std::int64_t c = 1) {
  std::int64_t count = 0;
  if (a < 0 || b < 0 || c < 0 || __builtin_mul_overflow(a, b, &count) || __builtin_mul_overflow(count, c, &count))
    return false;
  return static_cast<std::int64_t>(values.size()) == count;
}

}  // namespace

bool SliceReply::consistent() const {
  if (!holds(slice.log_p, slice.count1, slice.count2) || !holds(slice.marginal1, slice.count1, 1) ||
      !holds(slice.marginal2, slice.count2, 1) || !holds(slice.dot_log_p, slice.count1, 1) || slice.log_p.empty()) {
    return false;
  }
  for (const Triple& triple : slice.top) {
    if (triple.j < slice.first1 || triple.j - slice.first1 >= slice.count1) return false;
    if (triple.k < slice.first2 || triple.k - slice.first2 >= slice.count2) return false;
  }
  return true;
}

bool OverviewReply::consistent() const {
  for (const auto* figures :
       {&overview.entropy, &overview.largest_p, &overview.sink_p, &overview.distance1, &overview.distance2}) {
    if (!holds(*figures, overview.heads, overview.columns)) return false;
  }
  return overview.step >= 1 && !overview.entropy.empty();
}

bool SheetReply::consistent() const {
  return holds(sheet.log_p, sheet.heads, sheet.height, sheet.width) && !sheet.log_p.empty();
}

}  // namespace triscope
