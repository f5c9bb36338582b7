// Number fields of the question for a file.
#pragma once

#include "views/parts/context.hpp"

namespace triscope {

/// Width, height and size of the words of a picture for print, and where its values begin if that `may_be_cut`. False:
/// a field holds none that can be had.
bool draw_print_size(Context& context, PrintSize& size, bool may_be_cut);
/// Light or dark, of a .pdf or .svg. Where neither is `asked` for none is chosen: a .png has the window's.
void draw_print_colours(const Context& context, bool& dark, bool asked);
/// Of a chart that is zoomed: the part that is shown, or all. Where neither is `asked` for none is chosen: a .png has
/// the part.
void draw_print_range(const Context& context, Panel panel, bool& whole, bool asked);
/// How large a picture for print will be with its words, or why it cannot be had: a trouble where it is `asked` for.
void draw_stated_size(const Context& context, const PictureDraft& picture, const PrintSize& size, bool asked);
/// The queries of a film. True when there can be one of them.
bool draw_film_queries(const Context& context, FilmQueries& queries);

}  // namespace triscope
