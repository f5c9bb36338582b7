// The film of the attention panel: which queries it goes through, and how far it is.
#pragma once

#include <cstdint>
#include <string>

#include "profiler/export/film_queries.hpp"
#include "views/data/attention_state.hpp"

namespace triscope {

/// A hundred queries from the shown one on, as far as there are as many.
FilmQueries proposed_film(const AttentionUi& ui, const AttentionData& data);
/// Why there is no film of these; one sentence, empty: there is one.
std::string film_problem(const FilmQueries& queries, const AttentionData& data);
/// "34 %, 8 s left": how much of both passes, for the range of colours and for the pictures, is done.
std::string film_progress(const FilmState& film);

}  // namespace triscope
