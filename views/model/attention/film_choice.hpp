// The film of the attention panel: which queries it goes through, and how far it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "profiler/export/film_queries.hpp"
#include "views/data/attention_state.hpp"

namespace triscope {

/// A hundred queries from the shown one on, as far as there are as many.
FilmQueries proposed_film(const AttentionUi& ui, const AttentionData& data);
/// Why there is no film of these; one sentence, empty: there is one.
std::string film_problem(const FilmQueries& queries, const AttentionData& data);
/// "34 %, 8 s left": how much of a film, in both passes, for the range of colours and for the pictures, or of means is
/// done.
std::string progress_words(std::int64_t done, std::int64_t total, const std::optional<double>& seconds_left);

}  // namespace triscope
