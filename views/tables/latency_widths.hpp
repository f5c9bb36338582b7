// How wide the columns of the latency table are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "views/model/latency_columns.hpp"
#include "views/parts/context.hpp"

namespace triscope {

constexpr float kCellPadding = 5;  ///< design pixels

/// Wide enough for what is in it and for its title.
float width_of(const Look& look, const LatencyColumn& column);
/// Ids of the columns that a person sees; none: the table was not drawn yet.
using ShownColumns = std::optional<std::vector<std::string>>;

/// Puts the first time behind the kernel where the settings shown before it would leave it no room whole. Returns what
/// was shown of these columns when they were drawn last, in whichever order.
ShownColumns bring_first_time_into_view(const Context& context, std::vector<LatencyColumn>& columns);
/// Columns in another order are another table to Dear ImGui: it takes over which columns are shown and how rows are
/// sorted. Returns whether it did, or cannot yet. Call before the table's first row.
bool take_over(UiState& ui, const std::vector<LatencyColumn>& columns, const ShownColumns& shown);
/// Room of a rate without its bar: its number, as wide as any of the group.
float rate_text_width(const Look& look, const LatencyGroup& group);
/// Width of a rate's column, before the table begins. Bars take what the other columns leave; where not all find room
/// they go first, and where that is not enough they end the last column that finds room at the edge, so that none is
/// cut through.
float rate_width(const Context& context, const LatencyModel& model, const std::vector<LatencyColumn>& columns);
/// The rates keep the width that the room gives them, until a person drags one. Call inside the table.
void follow_room(Context& context, const std::vector<LatencyColumn>& columns, float rate);

}  // namespace triscope
