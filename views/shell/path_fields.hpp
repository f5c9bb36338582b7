// Number fields of the question for a file.
#pragma once

#include "views/parts/context.hpp"

namespace triscope {

/// Width, height and size of the words of a picture for print, and where its values begin if that `may_be_cut`. False:
/// a field holds none that can be had.
bool draw_print_size(Context& context, PrintSize& size, bool may_be_cut);
/// The queries of a film. True when there can be one of them.
bool draw_film_queries(const Context& context, FilmQueries& queries);

}  // namespace triscope
