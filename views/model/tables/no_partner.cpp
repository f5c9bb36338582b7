#include "views/model/tables/no_partner.hpp"

#include <fmt/format.h>

namespace triscope {

std::string why_no_partner(const LatencyModel& model, const LatencyLine& line, std::size_t group) {
  if (model.reference.empty() || line.kernel == model.reference) return {};
  const auto cell_of = [&](const LatencyLine& one) {
    return group < one.cells.size() && one.cells[group] ? one.cells[group].get() : nullptr;
  };
  const LatencyCell* own = cell_of(line);
  if (own == nullptr || own->beside || own->row.status != Status::ok) return {};
  const std::string& title = model.groups[group].title;
  const LatencyCell* without_time = nullptr;
  for (const LatencyLine& other : model.lines) {
    const LatencyCell* cell = other.kernel == model.reference ? cell_of(other) : nullptr;
    if (cell == nullptr) continue;
    if (cell->row.status == Status::ok)
      return fmt::format("No {} of {} with these sizes was measured in this sweep.", title, model.reference_label);
    without_time = cell;
  }
  if (without_time == nullptr)
    return fmt::format("No {} of {} was measured in this sweep.", title, model.reference_label);
  const std::string& reason = without_time->row.reason;
  return fmt::format("The {} of {} in this sweep has no time: {}.", title, model.reference_label,
                     reason.empty() ? std::string(to_string(without_time->row.status)) : reason);
}

}  // namespace triscope
