// The pages, a file each, and the numbers that they keep between frames.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "views/parts/context.hpp"
#include "views/parts/number_field.hpp"

namespace triscope {

void draw_operator_page(Context& context);
void draw_tiling_page(Context& context);
void draw_steps_page(Context& context);
void draw_rotation_page(Context& context);
void draw_match3_page(Context& context);
void draw_results_page(Context& context);
void draw_laws_page(Context& context);

void draw_recipe_page(Context& context);
void draw_errata_page(Context& context);

/// The part of the laws page that is about the user's own losses.
void draw_own_losses(Context& context);

/// What the field behind it on the line is; `help` on hover.
void field_label(const Context& context, const char* text, const char* help);
/// Two numbers with a word between them.
void pair_field(const Context& context, const char* first_id, int& first, const char* between, const char* second_id,
                int& second, const NumberBounds& bounds = {});
/// Says that the page waits until it is counted what kernels compute, or why that cannot be.
void counting_line(const Context& context);
/// Stands for what is still being made of the rows.
void reading_line(const Context& context);
void wrapped_text(ImU32 colour, std::string_view text);

/// A small table as high as its rows, in a window of its own that scrolls sideways where it is too wide; a table that
/// scrolls itself draws its lines beyond the page's lower end. `rows` draws them; `right` by column.
void wide_table(const Context& context, const char* name, std::initializer_list<const char*> columns,
                const std::vector<bool>& right, const std::function<void()>& rows);

/// Lines of facts in two columns, one below the other where the page is narrow. However wide it is, values stand near
/// their names.
void fact_columns(const Context& context, const std::function<void()>& left, const std::function<void()>& right);

/// A part of what the paper writes (`find_written_part`): its sentences, and its lines in the font of numbers. Lines
/// that are too long go on below.
void draw_written(const Context& context, std::string_view id);

/// The paper's model sizes, to be changed, solved for and set back.
ModelSizes edited_sizes(Context& context);

}  // namespace triscope
