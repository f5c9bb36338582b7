// Where the figures of an overview of attention are most striking.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "views/data/attention_state.hpp"

namespace triscope {

/// A query of a head.
struct AttentionPlace {
  std::int64_t head = 0, query = 0;
  float value = 0;  ///< of the figure that was asked for
};
/// Where a figure of an overview is most striking: the best query of each head, the best heads first, at most `most`.
/// Of the entropy the smallest is the best, of the others the largest; of a distance the one farthest from `even`, the
/// distance that even weights give a query, since these lie far back, too. What is not a number is left out, and so are
/// queries before `first_query`.
std::vector<AttentionPlace> striking_places(const Overview& overview, OverviewFigure figure, std::size_t most,
                                            std::int64_t first_query = 0,
                                            const std::function<double(std::int64_t query)>& even = {});

/// The heads in the order that the user chose, by number until then and for other heads.
std::vector<HeadMeans> ordered_heads(AttentionUi& ui, std::vector<HeadMeans> heads);
/// Takes the order of `figure`, or by number.
void sort_heads_of(AttentionUi& ui, std::vector<HeadMeans> heads, std::optional<OverviewFigure> figure);
/// "Show head 2. Mean entropy 5.77 nats (even weights: 9.40), ...": what a row says in words.
std::string head_sentence(const HeadMeans& head);
/// "-16", "+0.3": how far a head's mean distance is from that of even weights.
std::string from_even_text(const HeadMeans& head, OverviewFigure figure);

}  // namespace triscope
