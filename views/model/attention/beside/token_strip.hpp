// The strip of tokens below the map of attention: which of them it shows, and what it says of each.
#pragma once

#include <cstdint>
#include <string>

#include "views/data/attention_state.hpp"

namespace triscope {

/// Tokens around a query, most of them before it: `count` from `first` on.
struct TokenStrip {
  std::int64_t first = 0, count = 0;
};
/// As many as have room, `fit` at most. At either end of the sequence the strip stands still.
TokenStrip token_strip(std::int64_t tokens, std::int64_t query, std::int64_t fit);

/// What a token is to the shown query and the framed pair.
struct TokenRole {
  bool query = false;
  bool seen1 = false, seen2 = false;      ///< the query sees it as first key, as second key
  bool framed1 = false, framed2 = false;  ///< it is the first key, the second key of the framed pair
};
TokenRole token_role(const AttentionUi& ui, const Problem& problem, std::int64_t query, std::int64_t position);
/// "brown", or "1,005" where the source has no words.
std::string token_word(const SourceReply& source, std::int64_t position);
/// "brown, position 1,005, 7 back.": with what the token is, and what a click does.
std::string strip_text(const SourceReply& source, const Problem& problem, const TokenRole& role, std::int64_t query,
                       std::int64_t position);

}  // namespace triscope
