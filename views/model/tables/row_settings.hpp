// In what settings rows differ beside their windows, of each row in words and as facts.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "profiler/record/measurement.hpp"

namespace triscope {

struct RowSetting {
  std::string text;                    ///< "trilinear, 65,536 tokens, 64/1 heads"; empty: rows differ in nothing
  std::string unusual;                 ///< what most rows do not share, but for the tokens: "deterministic"
  std::optional<std::int64_t> tokens;  ///< where rows differ in them
  void add(const std::string& phrase, const std::string& if_unusual);
};
struct RowSettings {
  std::vector<RowSetting> by_row;
  std::string usual;  ///< what `unusual` leaves out: "trilinear, 64/1 heads, head size 128"
};
RowSettings row_settings(const std::vector<const ResultRow*>& rows);
/// Whether two baselines that else have one name differ in what `text` says. What they differ in by nature, as in form
/// and window, is in their names.
bool tells_baselines_apart(const std::function<std::string(const ResultRow&)>& text,
                           const std::vector<const ResultRow*>& rows);

/// "32768 tokens" -> "32,768 tokens", "dot_product" -> "dot product".
std::string readable(std::string phrase);

}  // namespace triscope
