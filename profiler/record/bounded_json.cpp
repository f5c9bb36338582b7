#include "profiler/record/bounded_json.hpp"

#include <algorithm>
#include <cstddef>

namespace triscope {
namespace {

// How deep its brackets are nested. Looked at before it is parsed: a parse that asks about every value takes a time
// that grows with the square of their number.
int depth_of(std::string_view json) {
  int depth = 0, deepest = 0;
  bool in_text = false;
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '"') in_text = !in_text;
    if (in_text && c == '\\') ++at;
    if (in_text) continue;
    if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
    if (c == ']' || c == '}') --depth;
  }
  return deepest;
}

}  // namespace

nlohmann::json parse_bounded(std::string_view text) {
  constexpr int kDeepest = 100;
  if (depth_of(text) > kDeepest)
    throw nlohmann::json::other_error::create(502, "it is nested more than 100 deep", nullptr);
  return nlohmann::json::parse(text);
}

}  // namespace triscope
