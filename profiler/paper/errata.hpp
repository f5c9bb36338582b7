// What a careful reading of the paper finds, each with its reason (assets/paper/errata.json).
#pragma once

#include <string>
#include <vector>

namespace triscope {

/// A cell of the paper's tables (`PrintedValue`) that an erratum is about.
struct ErratumCell {
  int table = 0, row = 0;
  std::string column;
  double value = 0;  ///< what its table's or another table's numbers make of it: 0.13111 for a printed 0.1420
};

struct Erratum {
  std::string id;       ///< "grad-k2-indices"
  std::string where;    ///< section, equation, table or listing
  std::string kind;     ///< formula, algorithm, listing, text, count, table, argument, number
  std::string printed;  ///< what stands there, in short
  std::string meant;    ///< what is meant, or what is known
  std::string reason;
  std::string effect;    ///< what would come of it as printed
  std::string shown_by;  ///< the command, test or page that shows it; "reading" where the text alone does
  /// Of kind "number": the cells that are not reproduced. Of others: those that it compares. Mostly none.
  std::vector<ErratumCell> cells;
};

/// In the paper's order within each kind of thing.
const std::vector<Erratum>& errata();

}  // namespace triscope
