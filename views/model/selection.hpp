// One selection for the whole window, of one or many measurements: hovering previews, clicking pins, Esc unpins.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "views/data/request.hpp"

namespace triscope {

/// Which measurements are selected: the first, beside which the others stand, and those others. Without a first one
/// there are no others, and a row in work, which has a negative number, is selected alone.
class SelectedMeasurements {
 public:
  std::int64_t pinned() const { return order_.empty() ? 0 : order_.front(); }  ///< the first; 0: none
  /// What the first is compared with in full, its counters too: the one that was selected last; 0: none.
  std::int64_t beside() const { return order_.size() < 2 ? 0 : order_.back(); }
  const std::vector<std::int64_t>& all() const { return order_; }  ///< in the order in which they were selected
  std::vector<std::int64_t> others() const;                        ///< all but the first
  bool contains(std::int64_t measurement) const { return known_.contains(measurement); }

  void select(std::int64_t measurement) { select_all({measurement}); }  ///< it alone; 0: nothing
  /// These, the first one first; what stands there twice, or is in work beside others, is left out.
  void select_all(const std::vector<std::int64_t>& measurements);
  /// Adds a measurement as the last, or takes it out where it is among them.
  void toggle(std::int64_t measurement);

 private:
  std::vector<std::int64_t> order_;
  std::unordered_set<std::int64_t> known_;
};

/// As `Selection::reference` names a row or a sweep.
inline std::string row_reference(std::int64_t measurement) { return "row:" + std::to_string(measurement); }
inline std::string sweep_reference(std::int64_t sweep) { return "sweep:" + std::to_string(sweep); }

struct Selection : SelectedMeasurements {
  std::int64_t shown_sweep = 0;
  std::int64_t baseline_sweep = 0;        ///< 0 = none
  std::string reference = "auto";         ///< what rows stand beside, as `triscope show --baseline` takes it
  std::vector<std::int64_t> compared;     ///< sweeps, the first is what the others are judged against
  std::string other_database;             ///< whose nearest sweep stands before them all; empty: none
  std::optional<VersionChoice> versions;  ///< of a kernel, which are compared instead of sweeps
  std::int64_t hovered = 0;               ///< measurement under the pointer in the last frame
  std::int64_t hovered_now = 0;           ///< the same, being collected in this frame
  bool is_marked(std::int64_t measurement) const {
    return measurement != 0 && (measurement == hovered || contains(measurement));
  }
};

}  // namespace triscope
