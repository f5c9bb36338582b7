#include "profiler/paper/relatives.hpp"

#include "paper_data.hpp"
#include "profiler/record/json.hpp"

namespace triscope {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Relative, name, by, logit, cost, relation, formula_from)

const std::vector<Relative>& relatives() {
  static const auto all = nlohmann::json::parse(paper_data::kRelatives).get<std::vector<Relative>>();
  return all;
}

}  // namespace triscope
