#include "views/model/tables/no_partner.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string_view>

#include "profiler/record/words/reference_text.hpp"

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

std::vector<OfferedReference> offered_references(const LatencyModel& model) {
  struct Measured {
    const LatencyLine* first = nullptr;
    std::set<Pass> passes;  ///< in which it has a time
  };
  std::map<std::string_view, Measured> kernels;
  std::vector<const Measured*> in_order;
  std::set<Pass> all;
  for (const LatencyLine& line : model.lines) {
    const auto [found, is_new] = kernels.try_emplace(line.kernel);
    if (is_new) {
      found->second.first = &line;
      in_order.push_back(&found->second);
    }
    for (const auto& cell : line.cells) {
      if (cell && cell->row.status == Status::ok && cell->row.median_ms) found->second.passes.insert(cell->row.pass);
    }
    all.insert(found->second.passes.begin(), found->second.passes.end());
  }
  std::vector<OfferedReference> offered;
  for (const bool ours : {false, true}) {
    for (const Measured* kernel : in_order) {
      const LatencyLine& line = *kernel->first;
      if (line.problem.form == Form::gemm || (line.problem.form != Form::dot_product) != ours) continue;
      if (kernel->passes.empty() || !names_a_kernel(line.kernel)) continue;
      const bool one_of_both = kernel->passes.size() < all.size();
      offered.push_back(
          {line.kernel, one_of_both ? fmt::format("{}, {} only", line.card.label, to_string(*kernel->passes.begin()))
                                    : line.card.label});
    }
  }
  return offered;
}

}  // namespace triscope
