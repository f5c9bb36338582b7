// What an item says while the pointer rests on it, and where that stands.
#pragma once

#include <imgui_internal.h>

#include <span>
#include <string_view>

#include "views/parts/context.hpp"

namespace triscope {

/// The window with the notices, which tooltips leave free.
inline constexpr const char* kNoticesWindow = "##notices";

/// Shows `text` (wrapped) while the last item is hovered: beside a narrow panel; in a wide one below what it explains,
/// and clear of the heads of tables. Above only where there is no other room.
void tooltip(const Context& context, std::string_view text);
/// The same of a panel's tab: above it where that leaves the toolbar free.
void tab_tooltip(const Context& context, std::string_view text);
/// As `tooltip` at once, of an item that is known to be hovered: the value under the pointer.
void value_tooltip(const Context& context, std::string_view text);
/// Tooltips of what stands in this window stay in it: what is beside it is what is looked at.
void keep_tooltips_in_column();
/// Tooltip of a header: meaning, formula, better direction.
void field_tooltip(const Context& context, std::string_view title, const struct FieldText& text);

/// The upper left corner of a tooltip of `size` that explains `what` in `panel`, at `x` of the pointer, inside `room`.
/// It covers neither `what` nor, where another place has room, what is to be `kept` free: rows with controls, heads of
/// tables.
ImVec2 tooltip_place(const ImRect& what, float x, ImVec2 size, const ImRect& panel, std::span<const ImRect> kept,
                     const ImRect& room, float gap);

}  // namespace triscope
