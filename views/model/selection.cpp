#include "views/model/selection.hpp"

#include <algorithm>

namespace triscope {

std::vector<std::int64_t> SelectedMeasurements::others() const {
  return order_.empty() ? order_ : std::vector<std::int64_t>(order_.begin() + 1, order_.end());
}

void SelectedMeasurements::select_all(const std::vector<std::int64_t>& measurements) {
  const bool alone = measurements.size() == 1;
  order_.clear();
  known_.clear();
  for (const std::int64_t measurement : measurements) {
    const bool usable = measurement > 0 || (alone && measurement != 0);
    if (usable && known_.insert(measurement).second) order_.push_back(measurement);
  }
}

void SelectedMeasurements::toggle(std::int64_t measurement) {
  std::vector<std::int64_t> all = order_;
  if (std::erase(all, measurement) == 0) {
    std::erase_if(all, [](std::int64_t one) { return one < 0; });
    all.push_back(measurement);
  }
  select_all(all);
}

}  // namespace triscope
