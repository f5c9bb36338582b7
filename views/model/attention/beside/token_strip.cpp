#include "views/model/attention/beside/token_strip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "kernels/inspect/slice_rules.hpp"
#include "views/data/format.hpp"

namespace triscope {

TokenStrip token_strip(std::int64_t tokens, std::int64_t query, std::int64_t fit) {
  const std::int64_t count = std::clamp<std::int64_t>(fit, 0, tokens);
  const std::int64_t before = count - 1 - count / 4;  // the keys of a causal mask lie there
  return {std::clamp<std::int64_t>(query - before, 0, tokens - count), count};
}

TokenRole token_role(const AttentionUi& ui, const Problem& problem, std::int64_t query, std::int64_t position) {
  const bool one_key = has_one_key(problem);
  const auto sees = [&](int axis) {
    const SliceRange range = slice_range(problem, axis, query);
    return position >= range.first && position < range.first + range.count;
  };
  TokenRole role;
  role.query = position == query;
  role.seen1 = sees(1);
  role.seen2 = !one_key && sees(2);
  role.framed1 = ui.pinned && ui.pinned->j == position;
  role.framed2 = !one_key && ui.pinned && ui.pinned->k == position;
  return role;
}

std::string token_word(const SourceReply& source, std::int64_t position) {
  const auto at = static_cast<std::size_t>(position);
  return at < source.labels.size() ? source.labels[at] : format_count(position);
}

std::string strip_text(const SourceReply& source, const Problem& problem, const TokenRole& role, std::int64_t query,
                       std::int64_t position) {
  std::string text = source.labels.empty() ? "Position " : token_word(source, position) + ", position ";
  text += format_count(position);
  if (role.query) return text + ", the query.";
  text += fmt::format(", {} {}.", format_count(std::abs(query - position)), position < query ? "back" : "ahead");
  if (role.framed1 || role.framed2) {
    text += has_one_key(problem)           ? " The framed key."
            : role.framed1 && role.framed2 ? " Both keys of the framed pair."
            : role.framed1                 ? " First key (j) of the framed pair."
                                           : " Second key (k) of the framed pair.";
  }
  if (has_one_key(problem)) {
    text += role.seen1 ? " Inside the window." : " The query does not see it.";
  } else {
    text += role.seen1 && role.seen2 ? " Inside both windows."
            : role.seen1             ? " Inside the first window alone: it can be j."
            : role.seen2             ? " Inside the second window alone: it can be k."
                                     : " The query does not see it.";
  }
  return text + " A click makes it the query.";
}

}  // namespace triscope
