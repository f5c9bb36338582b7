#include "views/model/paper/named_part.hpp"

#include "profiler/paper/part_names.hpp"

namespace triscope {

bool turn_to(PaperUi& ui, std::string_view name) {
  const std::optional<PaperPage> page = find_paper_page(name);
  if (!page) return false;
  ui.page = *page;
  const int algorithm = algorithm_called(name);
  if (algorithm < 0) return true;
  ui.steps.algorithm = static_cast<Algorithm>(algorithm);
  ui.steps.step = 0;
  ui.steps.playing = false;
  return true;
}

std::vector<std::string_view> written_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::paper_forward:
      return {"algorithm1", "listing1"};
    case Algorithm::paper_keys:
      return {"listing2", "backward"};
    case Algorithm::paper_two_stage:
      return {"algorithm2", "listing3", "backward"};
    case Algorithm::our_forward:
    case Algorithm::our_backward:
      break;
  }
  return {};
}

}  // namespace triscope
