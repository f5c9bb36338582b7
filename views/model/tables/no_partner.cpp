#include "views/model/tables/no_partner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace triscope {

std::string why_no_partner(const LatencyModel& model, const LatencyLine& line, std::size_t group) {
  if (model.reference.empty() || line.kernel == model.reference) return {};
  const auto cell_of = [&](const LatencyLine& one) {
    return group < one.cells.size() && one.cells[group] ? one.cells[group].get() : nullptr;
  };
  const LatencyCell* own = cell_of(line);
  if (own == nullptr || own->beside || own->is_reference || own->row.status != Status::ok) return {};
  if (!model.without_partner.empty()) return model.without_partner;
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

namespace {

/// The passes in which lines of `kernel` have a time; of an empty one, any line.
std::set<Pass> timed_passes(const LatencyModel& model, std::string_view kernel) {
  std::set<Pass> passes;
  for (const LatencyLine& line : model.lines) {
    if (!kernel.empty() && line.kernel != kernel) continue;
    for (const auto& cell : line.cells) {
      if (cell && cell->row.status == Status::ok && cell->row.median_ms) passes.insert(cell->row.pass);
    }
  }
  return passes;
}

}  // namespace

std::vector<OfferedReference> offered_references(const LatencyModel& model) {
  const std::set<Pass> all = timed_passes(model, "");
  std::vector<OfferedReference> offered;
  for (const bool ours : {false, true}) {
    for (const LatencyLine& line : model.lines) {
      const bool known = std::ranges::find(offered, line.kernel, &OfferedReference::kernel) != offered.end();
      if (line.problem.form == Form::gemm || (line.problem.form != Form::dot_product) != ours || known) continue;
      const std::set<Pass> passes = timed_passes(model, line.kernel);
      if (passes.empty()) continue;
      const bool one_of_both = passes.size() < all.size();
      offered.push_back({line.kernel, one_of_both
                                          ? fmt::format("{}, {} only", line.card.label, to_string(*passes.begin()))
                                          : line.card.label});
    }
  }
  return offered;
}

}  // namespace triscope
