// What is said of an exploration: what of the filter is to blame, over what was chosen, and what tells its points
// apart.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/base/text/number_of.hpp"
#include "profiler/explore/exploration.hpp"
#include "profiler/explore/filter_hints.hpp"
#include "profiler/explore/identity.hpp"

namespace triscope {

std::vector<ExploreBlame> blamed_terms(const Exploration& made) {
  std::vector<ExploreBlame> blamed;
  for (const ExploreTerm& term : made.terms) {
    if (term.alone == 0)
      blamed.push_back(
          {fmt::format("No measurement matches {}{}", term.text, or_perhaps(term.nearest)), term.text, term.others});
  }
  if (!blamed.empty()) return blamed;
  for (const ExploreTerm& term : made.terms) {
    if (term.without > 0)
      blamed.push_back({fmt::format("Without {} {} would match.", term.text, number_of(term.without, "measurement")),
                        term.text, term.others});
  }
  return blamed;
}

std::string choice_text(const Exploration& made) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kSeveral{
      {{"windows", "windows"},
       {"tokens", "lengths"},
       {"heads", "head counts"},
       {"batch", "batches"},
       {"k2 bias", "k2 biases"},
       {"v2 bias", "v2 biases"},
       {"gradients", "kinds of gradients"},
       {"element", "number formats"}}};
  std::vector<std::string> parts;
  for (const ExploreChoice& one : made.chosen_over) {
    const auto named =
        std::ranges::find(kSeveral, std::string_view(one.what), &std::pair<std::string_view, std::string_view>::first);
    parts.push_back(
        fmt::format("{} {}", one.values, named == kSeveral.end() ? one.what + "s" : std::string(named->second)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<const ExploreField*> telling_fields(const Exploration& made) {
  std::vector<const ExploreField*> fields;
  for (std::size_t n = 0; n < kIdentityParts.size(); ++n) {
    const std::string_view part = kIdentityParts[n];
    const bool tells = std::ranges::find(made.mixed, part) != made.mixed.end() ||
                       std::ranges::find(made.chosen_over, part, &ExploreChoice::what) != made.chosen_over.end();
    const ExploreField* field = tells ? find_explore_field(kIdentityFields[n]) : nullptr;
    const std::array asked{made.x, made.y, made.color, made.panel, made.row};
    if (field == nullptr || std::ranges::find(asked, field) != asked.end()) continue;
    if (std::ranges::find(fields, field) == fields.end()) fields.push_back(field);
  }
  return fields;
}

}  // namespace triscope
