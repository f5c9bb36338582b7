#include "profiler/paper/errata.hpp"

#include "paper_data.hpp"
#include "profiler/record/json.hpp"

namespace triscope {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ErratumCell, table, row, column, value)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Erratum, id, where, kind, printed, meant, reason, effect, shown_by,
                                                cells)

const std::vector<Erratum>& errata() {
  static const auto all = nlohmann::json::parse(paper_data::kErrata).get<std::vector<Erratum>>();
  return all;
}

}  // namespace triscope
