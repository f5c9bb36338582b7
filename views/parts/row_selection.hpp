// Rows of a table of which several can be selected: by clicks, Ctrl and Shift, a rectangle, arrow keys and Ctrl+A.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "views/parts/context.hpp"

struct ImGuiMultiSelectIO;

namespace triscope {

/// What a row of a table stands for.
struct RowTarget {
  std::vector<std::int64_t> measurements;  ///< that are selected with it, the first one first
  std::int64_t sweep = 0;                  ///< that is shown then; 0: the one that is shown now
};

/// Lives from the first row of a table to its last. A click selects a row alone, or nothing where it was selected
/// alone.
class RowSelection {
 public:
  /// `target` of a row, and `shown`: every measurement that stands in it.
  RowSelection(Context& context, int rows, std::function<RowTarget(int)> target,
               std::function<std::vector<std::int64_t>(int)> shown);
  ~RowSelection();  ///< asks for what is selected then
  RowSelection(const RowSelection&) = delete;
  RowSelection& operator=(const RowSelection&) = delete;

  /// The row that Shift selects from: it must be drawn, seen or not; negative: none.
  int source() const { return source_; }
  bool contains(int row) const;
  /// As `row_button`, of the row.
  void button(int row);

 private:
  void apply(const ImGuiMultiSelectIO& asked);
  const SelectedMeasurements& now() const { return next_ ? *next_ : context_.ui.selection; }

  Context& context_;
  int rows_, source_ = -1;
  std::function<RowTarget(int)> target_;
  std::function<std::vector<std::int64_t>(int)> shown_;
  std::optional<SelectedMeasurements> next_;               ///< what is selected then; unset: what is selected now
  std::unordered_map<std::int64_t, std::int64_t> sweeps_;  ///< of what is added, where a target names it
};

}  // namespace triscope
