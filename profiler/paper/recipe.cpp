#include "profiler/paper/recipe.hpp"

#include "paper_data.hpp"
#include "profiler/record/json.hpp"

namespace triscope {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RecipeFact, name, value, where, stated)

const std::vector<RecipeFact>& recipe() {
  static const auto all = nlohmann::json::parse(paper_data::kRecipe).get<std::vector<RecipeFact>>();
  return all;
}

}  // namespace triscope
