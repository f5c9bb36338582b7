// What a careful reading of the paper finds, each with its reason (assets/paper/errata.json).
#pragma once

#include <string>
#include <vector>

namespace triscope {

struct Erratum {
  std::string id;       ///< "grad-k2-indices"
  std::string where;    ///< section, equation, table or listing
  std::string kind;     ///< formula, algorithm, listing, text, count, table, argument, number
  std::string printed;  ///< what stands there, in short
  std::string meant;    ///< what is meant, or what is known
  std::string reason;
  std::string effect;    ///< what would come of it as printed
  std::string shown_by;  ///< the command, test or page that shows it; "reading" where the text alone does
};

/// In the paper's order within each kind of thing.
const std::vector<Erratum>& errata();

}  // namespace triscope
