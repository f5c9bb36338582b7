#include "profiler/paper/written_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "paper_data.hpp"
#include "profiler/record/json.hpp"

namespace triscope {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WrittenBlock, says, lines)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WrittenPart, id, title, blocks, errata, more)

const std::vector<WrittenPart>& written_parts() {
  static const auto all = nlohmann::json::parse(paper_data::kFormulas).get<std::vector<WrittenPart>>();
  return all;
}

const WrittenPart* find_written_part(std::string_view id) {
  const auto found = std::ranges::find(written_parts(), id, &WrittenPart::id);
  return found == written_parts().end() ? nullptr : &*found;
}

std::string errata_of(const WrittenPart& part) {
  return part.errata.empty() ? "" : fmt::format("Errata: {}.", fmt::join(part.errata, ", "));
}

}  // namespace triscope
