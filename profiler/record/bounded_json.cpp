#include "profiler/record/bounded_json.hpp"

namespace triscope {

nlohmann::json parse_bounded(std::string_view text) {
  constexpr int kDeepest = 100;
  using Event = nlohmann::json::parse_event_t;
  return nlohmann::json::parse(text, [](int depth, Event event, nlohmann::json&) {
    if (depth >= kDeepest && (event == Event::object_start || event == Event::array_start))
      throw nlohmann::json::other_error::create(502, "it is nested more than 100 deep", nullptr);
    return true;
  });
}

}  // namespace triscope
